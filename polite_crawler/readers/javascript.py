"""Whether a page shows almost nothing without JavaScript, so that only a browser can read it."""

import re

from lxml.html import HtmlElement

_NO_LETTERS = re.compile(r"[\W\d_]+")
# A character of these scripts says as much as three letters.
_DENSE = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_ROOT_IDS = frozenset(
    """root app __next __nuxt ___gatsby q-app main-app svelte app-root react-root reactroot ember-app application
    vue-app app-container container-root app-mount main-container react-app spa approot appmount __docusaurus
    wrapper-app mount""".split()  # noqa: SIM905
)
_FRAME = frozenset(("header", "footer", "nav", "aside"))
_BLOCKS = frozenset(("h1", "h2", "h3", "p", "li", "td", "dd"))
_ROOT_TAGS = frozenset(("app-root", "ion-app", "my-app", "app-component"))
_ROOT_MARKS = ("data-reactroot", "ng-app", "data-ng-app", "ng-version", "data-v-app", "data-server-rendered")
_ASKS = re.compile(
    r"(?:enable|activate|requires?|needs?|turn on|allow|without|activer|activez|aktivier\w*|habilit\w*|activ[ae]\w*"
    r"|attiva\w*|abilita\w*|włącz\w*|ative|inschakelen|aktivera|aktiver).{0,60}java ?script"
    r"|java ?script.{0,60}(?:disabled|required|enable|not enabled|turned off|deaktiviert|désactivé|desactivado"
    r"|desabilitado|disattivato|wyłączon|erforderlich|nécessaire|necesario|aktivieren|needed|uitgeschakeld)"
    r"|без javascript|включите javascript|javascript ?(?:を|が)(?:有効|無効|必要)|启用 ?javascript"
    r"|啟用 ?javascript|(?:javascript|자바스크립트) ?(?:을|를)",
    re.IGNORECASE | re.DOTALL,
)
_BUNDLE = re.compile(
    r"(?:^|/)(?:main|app|bundle|index|runtime|vendors?|chunk|client|entry|polyfills)(?:[._~-][\w.~-]*)?\.m?js(?:$|\?)"
)
_NO_TEXT = "the page has no text without scripts"
_EMPTY_ROOT = "the root of the application is empty"
_ASKS_FOR_IT = "the page asks for JavaScript"
_LITTLE_TEXT = "the page has little text in much markup"
REASONS = frozenset({_NO_TEXT, _EMPTY_ROOT, _ASKS_FOR_IT, _LITTLE_TEXT})
"""What `needs_javascript` says."""

_FEW = 50
_SHORT = 250
_MEDIUM = 400
_MANY = 800
_SCAN = 4000


def letters(text: str) -> int:
    """The letters of a text; one of a script without spaces between words counts as three."""
    found = _NO_LETTERS.sub("", text)
    return len(found) + 2 * (len(found) - len(_DENSE.sub("", found)))


def needs_javascript(root: HtmlElement, text: str, noscript: str, source_length: int) -> str | None:
    """Why the page cannot be read without scripts, or None. `text` is its visible text, `noscript` the markup of its
    noscript elements, `source_length` the characters of its source.
    """
    if len(text) > 10 * _MANY:
        return None
    count = letters(text)
    if count >= _MANY:
        return None
    external, inline = _scripts(root)
    if count < _FEW and (external or inline):
        return _NO_TEXT
    if not external and inline < 200:
        return None
    if _has_empty_root(root) or (count < _SHORT and _has_bundle(root) and _has_empty_box(root)):
        return _EMPTY_ROOT
    if count < _MEDIUM and (_ASKS.search(noscript[:_SCAN]) or _ASKS.search(text[:_SCAN])):
        return _ASKS_FOR_IT
    if count < _SHORT and source_length > 20_000:
        return _LITTLE_TEXT
    return None


def _scripts(root: HtmlElement) -> tuple[int, int]:
    """The scripts with a source, and the characters of code in those without; data blocks are no code."""
    external = inline = 0
    for script in root.iter("script"):
        kind = (script.get("type") or "").partition(";")[0].strip().lower()
        if kind and "javascript" not in kind and "ecmascript" not in kind and kind not in ("module", "text/babel"):
            continue
        if script.get("src"):
            external += 1
        else:
            inline += len(script.text or "")
    return external, inline


def _has_empty_root(root: HtmlElement) -> bool:
    for element in root.iter():
        if not isinstance(element.tag, str) or element.tag in ("html", "body", "script"):
            continue
        if element.tag in _ROOT_TAGS or (element.get("id") or "").lower() in _ROOT_IDS or _is_marked(element):
            return _few_letters(element)
    return False


def _has_bundle(root: HtmlElement) -> bool:
    """Whether a script is a module or has the name that build tools give to an application."""
    scripts = [script for script in root.iter("script") if script.get("src")]
    return any(script.get("type") == "module" or _BUNDLE.search(script.get("src", "")) for script in scripts)


def _has_empty_box(root: HtmlElement) -> bool:
    """Whether a named box of the body is empty, and no text stands beside it but that of its header and footer: the
    box of a map or a message leaves the page readable."""
    body = root.find("body")
    if body is None:
        return False
    boxes = [box for box in body if box.tag in ("div", "main", "section") and box.get("id")]
    if not any(len(box) == 0 and not (box.text or "").strip() for box in boxes):
        return False
    return _letters_of_blocks(body) < _FEW


def _letters_of_blocks(body: HtmlElement) -> int:
    """The letters in headings, paragraphs, lists and tables, outside headers, footers and menus, in one pass."""
    found = 0
    inside: dict[HtmlElement, bool] = {}
    framed: set[HtmlElement] = set()
    for element in body.iterdescendants():
        parent = element.getparent()
        if parent in framed or element.tag in _FRAME:
            framed.add(element)
        elif isinstance(element.tag, str) and element.tag not in ("script", "style", "template"):
            inside[element] = inside.get(parent, False) or element.tag in _BLOCKS
            found += letters(element.text or "") if inside[element] else 0
        found += letters(element.tail or "") if inside.get(parent) else 0
    return found


def _is_marked(element: HtmlElement) -> bool:
    return bool(element.attrib) and any(element.get(mark) is not None for mark in _ROOT_MARKS)


def _few_letters(element: HtmlElement) -> bool:
    found = 0
    for part in element.iter():
        if part.tag in ("script", "style", "template"):
            continue
        found += letters(part.text or "")
        if part is not element:
            found += letters(part.tail or "")
        if found >= 60:
            return False
    return True
