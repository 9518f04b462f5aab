"""What the pages of the little site say: texts of our own about a harbour town that does not exist."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Note:
    """An article: title and paragraphs."""

    title: str
    paragraphs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Tongue:
    """A page in another language: BCP 47 code, writing direction, title and paragraphs."""

    code: str
    name: str
    title: str
    paragraphs: tuple[str, ...]
    direction: str = "ltr"


def _note(title: str, *paragraphs: str) -> Note:
    return Note(title, paragraphs)


NOTES: tuple[Note, ...] = (
    _note(
        "The lighthouse on the north rock",
        "The lighthouse on the north rock was lit for the first time in 1871. Its lamp burned colza oil, and a keeper "
        "wound the clockwork every four hours.",
        "Since 1964 the lamp is electric. The old clockwork still stands in the hall, and it still keeps time.",
    ),
    _note(
        "How the tide table is made",
        "The tide table of the almanac is calculated from thirty-seven harmonic constituents. The largest is called "
        "M2, and it repeats every twelve hours and twenty-five minutes.",
        "Wind and air pressure are not part of the table. A storm from the west can raise the water by sixty "
        "centimetres above the prediction.",
    ),
    _note(
        "Bells in fog",
        "In fog the harbour bell rings three strokes and then rests for twenty seconds. A ship that hears it from the "
        "left has passed the outer mole.",
        "The bell weighs 840 kilograms and was cast from two older bells.",
    ),
    _note(
        "A map with a wrong island",
        "The chart of 1768 shows an island that nobody has ever found. The surveyor drew it after a night of rain, and "
        "it stayed on the charts for ninety years.",
        "We keep the error on display, because a map without sources is a drawing.",
    ),
    _note(
        "The library in the salt store",
        "The town library moved into the old salt store in 1989. The walls are two metres thick, so the reading room "
        "is cool in summer and quiet all year.",
        "It holds 61,000 volumes, eleven newspapers on microfilm and one telescope that visitors may use.",
    ),
    _note(
        "Ropes and their names",
        "A rope on board has a name for its work: halyard, sheet, stay, painter. Only on land is it called a rope.",
        "The rope walk of the town was 280 metres long, and a rope could be no longer than the walk.",
    ),
    _note(
        "The ferry to the south bank",
        "The ferry crosses in nine minutes and carries twelve cars. It does not run when the wind is above "
        "force eight.",
        "A single ticket costs 2.40 euros. Bicycles are free on weekdays.",
    ),
    _note(
        "Counting the gulls",
        "Every May, volunteers count the nests on the breakwater. Last year they found 412 nests of the herring gull "
        "and 37 of the black-headed gull.",
        "The count is made twice, by two groups that do not talk to each other. The mean is published.",
    ),
    _note(
        "The weather book",
        "The harbour master has written the weather into a book every morning since 1903. Two mornings are missing, "
        "and the book says why.",
        "The coldest entry is minus 21.4 degrees, on 9 February 1929.",
    ),
    _note(
        "Smoked mackerel",
        "Mackerel is smoked over alder for three hours. The door of the oven stays shut for the first ninety minutes.",
        "The market opens on Thursday at seven, and the mackerel is gone by nine.",
    ),
    _note(
        "The clock that is five minutes fast",
        "The clock of the custom house has been five minutes fast for more than a century. Skippers asked for it, so "
        "that nobody would miss the tide.",
        "A brass plate below it gives the true time of the railway.",
    ),
    _note(
        "Letters in bottles",
        "The museum shows forty bottles with letters. The oldest was thrown into the sea in 1912 and found in 1957, "
        "only eleven kilometres away.",
        "Each letter is cited with the place and the day of the find.",
    ),
    _note(
        "The crane with two names",
        "The steam crane is called Big Hanna by the dockers and Number Four by the authority. Both names stand on its "
        "plate, one of them in chalk.",
        "It lifts ten tonnes and has not lifted any since 1978.",
    ),
    _note(
        "What the diver sees",
        "Under the quay the water is green and the visibility is two metres. The diver checks the piles twice a year, "
        "by hand, from north to south.",
        "Of 166 piles, nine were replaced in the last ten years.",
    ),
    _note(
        "The school on the hill",
        "The school has 214 pupils and a roof that can be seen from the sea. Its weather vane is a herring.",
        "In the last week before summer, every class spends one day on the water.",
    ),
    _note(
        "Night trains",
        "Until 1993 a night train ran from the harbour to the capital. It left at 23:12 and arrived at 6:40, when it "
        "arrived.",
        "The platform is now a garden, and the timetable still hangs there behind glass.",
    ),
    _note(
        "Salt in the bread",
        "The bakery uses sea salt from the last two pans east of the town. A loaf holds eleven grams of it.",
        "Robots exclusion is no matter for bakers, but the door of the bakery says: please take one loaf at a time.",
    ),
    _note(
        "The almanac itself",
        "This almanac is printed once a year and corrected every day. A correction names the page, the old text, the "
        "new text and the reason.",
        "Whoever quotes it is asked to quote it exactly, with the day on which it was read.",
    ),
)


TONGUES: tuple[Tongue, ...] = (
    Tongue(
        "de",
        "Deutsch",
        "Der Hafen im Nebel",
        ("Im Nebel läutet die Hafenglocke dreimal.", "Die Bücherei öffnet täglich außer montags um zehn Uhr."),
    ),
    Tongue(
        "fr",
        "Français",
        "La cloche du port",
        ("La bibliothèque ouvre à dix heures, sauf le lundi.", "L’été, la salle de lecture reste fraîche."),
    ),
    Tongue(
        "vi",
        "Tiếng Việt",
        "Ngọn hải đăng",
        ("Thư viện mở cửa lúc mười giờ.", "Ngọn hải đăng đứng trên đảo đá phía bắc."),
    ),
    Tongue(
        "ru",
        "Русский",
        "Маяк на северной скале",
        ("Библиотека открыта с десяти часов, кроме понедельника.", "Маяк стоит на северной скале."),
    ),
    Tongue(
        "el",
        "Ελληνικά",
        "Ο φάρος στο βράχο",
        ("Η βιβλιοθήκη ανοίγει στις δέκα.", "Ο φάρος είναι στο βόρειο βράχο."),
    ),
    Tongue(
        "he",
        "עברית",
        "המגדלור על הסלע",
        ("הספרייה נפתחת בשעה עשר.", "המגדלור עומד על הסלע הצפוני."),
        "rtl",
    ),
    Tongue(
        "ar",
        "العربية",
        "المنارة على الصخرة",
        ("تفتح المكتبة في الساعة العاشرة.", "تقف المنارة على الصخرة الشمالية."),
        "rtl",
    ),
    Tongue(
        "hi",
        "हिन्दी",
        "चट्टान पर प्रकाशस्तंभ",
        ("पुस्तकालय सुबह दस बजे खुलता है।", "प्रकाशस्तंभ उत्तरी चट्टान पर खड़ा है।"),
    ),
    Tongue(
        "th",
        "ไทย",
        "ประภาคารบนโขดหิน",
        ("ห้องสมุดเปิดเวลาสิบโมงเช้า", "ประภาคารตั้งอยู่บนโขดหินทางทิศเหนือ"),
    ),
    Tongue(
        "ja",
        "日本語",
        "岩の上の灯台",
        ("図書館は午前十時に開きます。", "灯台は北の岩の上に立っています。"),
    ),
    Tongue(
        "ko",
        "한국어",
        "바위 위의 등대",
        ("도서관은 오전 열 시에 엽니다.", "등대는 북쪽 바위 위에 서 있습니다."),
    ),
    Tongue(
        "zh",
        "中文",
        "礁石上的灯塔",
        ("图书馆上午十点开门。", "灯塔立在北边的礁石上。"),
    ),
)
