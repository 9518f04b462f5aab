"""Pages that stand in the place of the content: bot checks, paywalls, error pages with status 200, consent pages."""

import re
from urllib.parse import urlsplit

from lxml.html import HtmlElement

from polite_crawler.readers.javascript import letters

SOFT_404_NOTE = "the page says that it was not found"
"""The note of a page that says so with a status of success."""

_SEPARATOR = re.compile(r"\s*[|¦–—·•»]\s*|\s-\s")
_NUMBER = re.compile(
    r"(?:(?:http|status|error|erreur|erro|errore|fehler|fout|fel|fejl|feil|virhe|hata|błąd|chyba|hiba|ошибка|помилка"
    r"|エラー|错误|錯誤)\s*(?:code)?\s*[:#]?\s*)?404\s*(?:error|page|fehler|erreur|\((?:not|page|error|seite|nicht)\b.*)?[\s.!]*",
    re.IGNORECASE,
)
"""A part of a title that is the number alone: no room, no road and no car."""

_SHORT_WORDS = re.compile(r"(?:\S+\s+){0,4}(?:not found|nicht gefunden)[\s.!]*", re.IGNORECASE)
_NOT_FOUND = re.compile(
    r"\b(?:page|file|document|article|content|url)\b[^.!?]{0,40}?\b"
    r"(?:not|cannot|can.t|couldn.t|wasn.t|isn.t) (?:be )?(?:found|available)\b"
    r"|\b(?:can.?t|cannot|could not|couldn.t) (?:seem to )?(?:find|locate) (?:that|this|the|your) (?:page|file)\b"
    r"|\bpage\b[^.!?]{0,40}?\b(?:does not|doesn.t|no longer) exists?\b|\bpage (?:is )?no longer available\b"
    r"|\bseite\b.{0,30}?\b(?:nicht (?:gefunden|verfügbar)|existiert nicht)\b"
    r"|\bpage\b.{0,40}?\b(?:introuvable|non trouvée|n.existe (?:pas|plus))\b"
    r"|\bpágina\b.{0,40}?\b(?:no (?:encontrada|existe|disponible|se (?:ha )?encontr\w+)|não (?:encontrada|existe))\b"
    r"|\bpagina\b.{0,30}?\b(?:non (?:trovata|esiste|disponibile)|niet gevonden|bestaat niet)\b"
    r"|\bsidan\b.{0,30}?\b(?:hittades inte|inte hittas|finns inte)\b"
    r"|\bside[nr]?\b.{0,30}?\b(?:ikke (?:fundet|funnet)|findes ikke|finnes ikke)\b"
    r"|\bsivua\b.{0,20}?\bei löy(?:dy|tynyt)\b|\boldal nem található\b|\bsayfa bulunamadı\b"
    r"|\bstrona\b.{0,20}?\bnie (?:została znaleziona|istnieje)\b|\bnie znaleziono strony\b"
    r"|\bstránka\b.{0,20}?\b(?:nenalezena|nebyla nalezena|neexistuje|nenájdená|nebola nájdená)\b"
    r"|\bстраница\b.{0,20}?\bне (?:найдена|существует)\b|\bсторінк[ау]\b.{0,20}?\bне (?:знайден[оа]|існує)\b"
    r"|\bσελίδα\b.{0,20}?\bδεν (?:βρέθηκε|υπάρχει)\b|الصفحة غير موجودة|العنصر غير موجود|(?:העמוד|הדף) לא נמצא"
    r"|ページ.{0,10}?(?:見つかりません|存在しません)|페이지를 찾을 수 없"
    r"|页面(?:不存在|未找到|找不到)|頁面不存在|網頁不存在|找不到(?:页面|頁面|網頁|网页)",
    re.IGNORECASE,
)
_CONSENT_HOST = re.compile(
    r"(?:^|\.)consent\.[\w.-]+$|^(?:consent|cmp|privacy-mgmt|privacymanager|myprivacy|cookiewall|guce|sourcepoint)\.|consentmanager"
)
_CONSENT_PATH = re.compile(
    r"/(?:collectconsent|consent-?wall|cookie-?wall|consent|consent-a-|privacy-?gate|zustimmung)(?:/|$)", re.IGNORECASE
)
_FEW_LETTERS = 1500


def is_soft_404(root: HtmlElement, title: str | None, text: str) -> bool:
    """Whether a short page says in its title or first heading that nothing was found."""
    if letters(text[: 4 * _FEW_LETTERS]) >= _FEW_LETTERS:
        return False
    heading = next(root.iter("h1"), None)
    lines = (title or "", heading.text_content() if heading is not None else "")
    return any(_says_not_found(" ".join(line[:300].split())) for line in lines)


def _says_not_found(line: str) -> bool:
    parts = _SEPARATOR.split(line)
    return bool(_NOT_FOUND.search(line)) or any(_NUMBER.fullmatch(x) or _SHORT_WORDS.fullmatch(x) for x in parts)


def is_consent_page(url: str) -> bool:
    """Whether the URL is that of a consent host or a cookie wall, in the place of the page that was asked for."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return False
    return bool(_CONSENT_HOST.search(host) or _CONSENT_PATH.search(parts.path))
