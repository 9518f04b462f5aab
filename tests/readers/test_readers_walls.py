"""Pages that stand in the place of the content: paywalls, soft 404s, consent pages, bot checks."""

import pytest

from polite_crawler.readers.html import read_page
from polite_crawler.readers.page import Page

URL = "https://www.example.com/dir/page?a=1"
LONG = "The text of a page that is long enough to be the content of it. " * 10


def read(source: str, url: str = URL) -> Page:
    return read_page(source.encode(), url=url, content_type="text/html; charset=utf-8")


@pytest.mark.parametrize("free", ["false", '"False"', '"http://schema.org/False"', '"https://schema.org/False/"'])
def test_a_paywall_is_a_note(free: str) -> None:
    page = read(f'<script type="application/ld+json">{{"a": [{{"isAccessibleForFree": {free}}}]}}</script><p>text')
    assert "the page says that it is not free to read" in page.notes
    assert page.blocked is None


@pytest.mark.parametrize("free", ["true", '"True"', "null", "1", '"falsely"'])
def test_no_paywall(free: str) -> None:
    assert read(f'<script type="application/ld+json">{{"isAccessibleForFree": {free}}}</script><p>text').notes == ()


@pytest.mark.parametrize(
    ("source", "is_soft"),
    [
        ("<title>Page not found</title><p>Sorry.", True),
        ("<title>404 | Shop</title>", True),
        ("<title>Shop</title><h1>Error 404</h1>", True),
        ("<title>Seite nicht gefunden</title>", True),
        ("<title>ページが見つかりません</title>", True),
        ("<title>Room 4040</title><h1>Item 40404</h1>", False),
        ("<title>Lost and found</title>", False),
        (f"<title>Page not found: a history</title><p>{LONG * 4}", False),
        ("<p>not found", False),
    ],
)
def test_a_soft_404_is_a_note(source: str, is_soft: bool) -> None:
    assert ("the page says that it was not found" in read(source).notes) is is_soft


NOT_FOUND = [
    "404", "404.", "404 error", "404 Page", "HTTP 404", "Error 404 (Not Found)!!1", "Error: 404", "Erreur 404",
    "Fehler 404", "Shop - 404", "404 | Shop", "404 - Seite nicht gefunden", "404: This page could not be found",
    "Not Found", "Product not found", "Oops! That page can't be found.", "Oops! That page can’t be found.",
    "Sorry, we can't find that page", "We couldn't find the page you were looking for", "This page doesn’t exist",
    "The page you requested cannot be found", "The requested URL was not found on this server", "Shop: Page not found",
    "Page no longer available", "Die Seite wurde nicht gefunden", "Diese Seite existiert nicht", "Page introuvable",
    "Cette page n'existe pas", "La página que buscas no existe", "Página não encontrada", "Pagina non trovata",
    "Deze pagina bestaat niet", "Sidan kunde inte hittas", "Siden blev ikke fundet", "Siden ble ikke funnet",
    "Sivua ei löytynyt", "Strona nie została znaleziona", "Stránka nebyla nalezena", "Az oldal nem található",
    "Sayfa bulunamadı", "Страница не найдена", "Сторінку не знайдено", "Η σελίδα δεν βρέθηκε", "الصفحة غير موجودة",
    "העמוד לא נמצא", "お探しのページは見つかりませんでした", "페이지를 찾을 수 없습니다", "页面未找到", "找不到網頁",
]  # fmt: skip
FOUND = [
    "Room 404", "Room 404 – Hotel", "Peugeot 404 - Cars", "Highway 404", "404 Main Street", "404 recipes for autumn",
    "404 (film)", "Cars | 404 (Peugeot)",
    "Model 404 | Specifications", "Items found: 404", "Section 404 permits", "2024-404 report", "Lost and found",
    "The treasure that was never found", "How to fix a page that is not indexed", "Why the file was not foundational",
    "Missing boy not found after a week of search", "Das Amt hat keine Seite", "Page setup",
]  # fmt: skip


@pytest.mark.parametrize(("line", "is_soft"), [(line, True) for line in NOT_FOUND] + [(line, False) for line in FOUND])
@pytest.mark.parametrize("page", ["<title>{}</title><p>Words.", "<title>Shop</title><h1>{}</h1><p>Words."])
def test_what_a_title_says_when_nothing_was_found(page: str, line: str, is_soft: bool) -> None:
    assert ("the page says that it was not found" in read(page.format(line)).notes) is is_soft


@pytest.mark.parametrize(
    ("url", "is_wall"),
    [
        ("https://consent.example.com/m?continue=x", True),
        ("https://www.example.com/cookiewall/?to=x", True),
        ("https://www.example.com/consent", True),
        ("https://guce.example.com/collectConsent?x=1", True),
        ("https://myprivacy.example.nl/?siteKey=x", True),
        ("https://www.example.de/consent-a-?targetUrl=x", True),
        ("https://www.example.de/zustimmung?url=x", True),
        ("https://www.example.nl/privacy-gate/accept?url=x", True),
        ("https://www.example.com/privacy", False),
        ("https://www.example.com/cookies", False),
        ("https://www.example.com/informed-consent-in-medicine", False),
        ("https://www.example.com/", False),
        ("https://[www.example.com/", False),
    ],
)
def test_a_consent_page_is_a_note(url: str, is_wall: bool) -> None:
    assert ("a consent page in the place of the content" in read("<p>text", url=url).notes) is is_wall


def test_a_bot_check_is_blocked_and_asks_for_no_browser() -> None:
    page = read(
        "<html><head><title>Just a moment...</title></head><body><script>window._cf_chl_opt={cvId:'3'};"
        "a.src='/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1';</script></body></html>"
    )
    assert page.blocked == "cloudflare"
    assert not page.needs_javascript
