"""Pages that stand in the place of the content: bot checks, paywalls, error pages with status 200, consent pages."""

import re
from urllib.parse import urlsplit

from lxml.html import HtmlElement

from polite_crawler.readers.javascript import letters

SOFT_404_NOTE = "the page says that it was not found"
"""The note of a page that says so with a status of success."""

_NOT_FOUND = re.compile(
    r"(?:^|[\s|–—:·-])(?:error\s*)?404(?:$|[\s|–—:.!·-])|\b(?:page|file|document|article|content)\s+(?:was\s+|is\s+|could\s+)?"
    r"not\s+(?:be\s+)?(?:found|available)\b|\bnot found\b|\bpage (?:no longer|doesn.t|does not) exists?\b"
    r"|\bseite (?:wurde )?nicht gefunden\b|\bpage (?:introuvable|non trouvée)\b|\bpágina no encontrada\b"
    r"|\bpágina não encontrada\b|\bpagina non trovata\b|\bpagina niet gevonden\b|\bsidan hittades inte\b"
    r"|\bnie znaleziono strony\b|страница не найдена|ページが見つかりません|页面不存在|找不到(?:页面|網頁)",
    re.IGNORECASE,
)
_CONSENT_HOST = re.compile(
    r"(?:^|\.)consent\.[\w.-]+$|^(?:consent|cmp|privacy-mgmt|privacymanager|guce|sourcepoint)\.|consentmanager"
)
_CONSENT_PATH = re.compile(r"/(?:collectconsent|consent-?wall|cookie-?wall|cookiewall|consent)(?:/|$)", re.IGNORECASE)
_FEW_LETTERS = 1500


def is_soft_404(root: HtmlElement, title: str | None, text: str) -> bool:
    """Whether a short page says in its title or first heading that nothing was found."""
    if letters(text[: 4 * _FEW_LETTERS]) >= _FEW_LETTERS:
        return False
    heading = next(root.iter("h1"), None)
    lines = (title or "", heading.text_content() if heading is not None else "")
    return any(_NOT_FOUND.search(line[:300]) for line in lines)


def is_consent_page(url: str) -> bool:
    """Whether the URL is that of a consent host or a cookie wall, in the place of the page that was asked for."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return False
    return bool(_CONSENT_HOST.search(host) or _CONSENT_PATH.search(parts.path))
