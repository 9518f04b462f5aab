"""Which links of a home page lead to hours and menus."""

import re
from collections.abc import Iterable, Sequence
from urllib.parse import unquote, urlsplit

from polite_crawler.readers.hours.words import fold
from polite_crawler.readers.page import Link
from polite_crawler.rules import urls

_HOURS = (
    (
        6,
        re.compile(
            r"\b(?:opening|hours|opening[- _]?times|horarios?|orari|offnungszeiten|horaires|openingstijden|openingsuren"
            r"|oppettider|abningstider|apningstider|aukioloajat|godziny otwarcia|oteviraci doba|nyitvatartas"
            r"|часы работы|режим работы)\b|営業時間|开放时间|营业时间|營業時間|영업시간"
        ),
    ),
    (
        4,
        re.compile(
            r"\b(?:visit(?:[- _]us)?|plan[- _]your[- _]visit|find[- _]us|getting[- _]here|locations?|branches|stores?"
            r"|where|anfahrt|besuch|acces|nous trouver|dove siamo|donde estamos|visitanos|hitta hit)\b|アクセス"
        ),
    ),
    (
        3,
        re.compile(
            r"\b(?:contact(?:[- _]us|ez[- _]nous)?|contatti|kontakt|contacto?|kontakty|контакты)\b|お問い合わせ"
        ),
    ),
    (2, re.compile(r"\b(?:menus?|food|drinks?|info|information|faq)\b")),
    (1, re.compile(r"\b(?:about(?:[- _]us)?|restaurant|bar|cafe|shop|museum)\b")),
)
_MENU = re.compile(
    r"\b(?:menus?|carte|\w*speise(?:n|karten?)|getranke(?:karte)?|carta|ementa|cardapio|meny|menukaart|menukort"
    r"|jidelni listek|etlap|меню|food[- _]and[- _]drinks?|wine[- _]list|drinks?[- _]list)\b|メニュー|菜单|菜單|메뉴"
)
_ELSEWHERE = (
    "facebook", "instagram", "twitter", "x", "tiktok", "youtube", "pinterest", "linkedin", "tripadvisor", "yelp",
    "foursquare", "google", "trustpilot", "opentable", "thefork", "zomato", "deliveroo", "ubereats", "doordash",
    "just-eat", "grubhub", "whatsapp",
)  # fmt: skip
_NO_PAGE = re.compile(r"\.(?:pdf|jpe?g|png|gif|webp|svg|zip|mp4|docx?|ics|css|js|xml)$", re.IGNORECASE)


def rank_hours_links(links: Iterable[Link], home: str, limit: int) -> tuple[str, ...]:
    """The pages of the site that most likely hold hours or a menu, the most likely first; `limit` at most."""
    scores: dict[str, int] = {}
    known = urls.normal_or_none(home)
    for link in links:
        url = urls.normal_or_none(link.url)
        if url is None or url == known or not _same_site(url, home) or _NO_PAGE.search(urlsplit(url).path):
            continue
        score = _score(link, url)
        if score and "nofollow" not in link.rel:
            scores[url] = max(score, scores.get(url, 0))
    # a stable order: of two that are as likely, the first of the page
    return tuple(sorted(scores, key=lambda url: -scores[url])[:limit])


def menu_links(links: Iterable[Link]) -> tuple[str, ...]:
    """The menus that a page links, but for those on review and social sites."""
    found = []
    for link in links:
        url = urls.normal_or_none(link.url)
        if url is not None and not _elsewhere(url) and (_MENU.search(fold(link.text)) or _MENU.search(_path(url))):
            found.append(url)
    return tuple(dict.fromkeys(found))


def moved_to(asked: str, answered: str) -> str | None:
    """The site that a home page landed on, when it is another one."""
    return None if _same_site(asked, answered) else answered


def _score(link: Link, url: str) -> int:
    texts: Sequence[str] = (fold(link.text), _path(url))
    return max((points for points, words in _HOURS if any(words.search(text) for text in texts)), default=0)


def _path(url: str) -> str:
    return fold(re.sub(r"[/_.-]+", " ", unquote(urlsplit(url).path)))


def _same_site(one: str, other: str) -> bool:
    return _host(one) == _host(other)


def _host(url: str) -> str:
    return urls.host_key(url).removeprefix("www.")


def _elsewhere(url: str) -> bool:
    return any(label in _ELSEWHERE for label in urls.host_key(url).split("."))
