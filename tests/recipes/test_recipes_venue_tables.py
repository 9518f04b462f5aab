"""Tables with a day for each column, turned."""

import pytest

from polite_crawler.recipes.venue_tables import upright


@pytest.mark.parametrize(
    ("text", "turned"),
    [
        ("Mon\tTue\n9-5\tclosed", "Mon 9-5\nTue closed"),
        ("Mon-Thu\tFri & Sat\tSun\n9-5\t9-6\tclosed", "Mon-Thu 9-5\nFri & Sat 9-6\nSun closed"),
        ("Hours\nMon\tTue\n9-5\t9-6\n\nCome in", "Hours\nMon 9-5\nTue 9-6\n\nCome in"),
        ("Mon\tTue\nLunch\t12-2pm\t1-3pm\nDinner\t6-9pm\t6-8pm",
         "Lunch\nMon 12-2pm\nTue 1-3pm\nDinner\nMon 6-9pm\nTue 6-8pm"),
        ("\tMon\tTue\nOpen\t9am-5pm\t9am-6pm", "Open\nMon 9am-5pm\nTue 9am-6pm"),
        ("Mon\tTue\n9-5\t9-6\nWed\tThu\n9-5\tclosed", "Mon 9-5\nTue 9-6\nWed 9-5\nThu closed"),
        # an empty cell that is there is of its day, one that is lost leaves the day of the others open
        ("\tMon\tTue\tWed\nDinner\t6-9pm\t\t6-8pm", "Dinner\nMon 6-9pm\nWed 6-8pm"),
        ("Mon\tTue\tWed\nDinner\t6-9pm\t6-8pm", ""),
        ("Mon\tTue\tWed\n9-5\t9-6", ""),
        ("Mon\tTue\n9-5\tclosed\nClosed on 1 May", "Mon 9-5\nTue closed\nClosed on 1 May"),
        # other tables stay
        ("9-5\tMon\tTue\n10-4\tclosed\tclosed", "9-5\tMon\tTue\n10-4\tclosed\tclosed"),
        ("Mon\t9-5\nTue\t9-6", "Mon\t9-5\nTue\t9-6"),
        ("Day\tOpens\tCloses\nMon\t9:00\t17:00", "Day\tOpens\tCloses\nMon\t9:00\t17:00"),
        ("Mon\t9-5\tTue\t9-6", "Mon\t9-5\tTue\t9-6"),
        ("Mon\tTue\nbread\tcake", "Mon\tTue\nbread\tcake"),
        ("Mon 9-5\nTue 9-6", "Mon 9-5\nTue 9-6"),
        ("", ""),
    ],
)  # fmt: skip
def test_tables(text: str, turned: str) -> None:
    assert upright(text) == turned
