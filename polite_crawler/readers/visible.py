"""The text that a person sees on a page, and the links in it.

Left out: `display: none` in a style attribute, `hidden` (but not `until-found`), `aria-hidden="true"`, text whose
nearest font size in a style attribute is zero, closed dialogs and popovers, and what a browser shows only as a
replacement. Kept: closed details, off-screen and transparent text, options and text areas, declarative shadow roots.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from lxml.html import HtmlElement

from polite_crawler.readers.flow import Flow
from polite_crawler.readers.hiding import Display, read_style
from polite_crawler.readers.scrub import one_line

MAX_LINKS = 10_000
_LINK_TEXT = 500
_LINK_PARTS = 64
_NEAR = 40

_DROPPED = frozenset(
    """script style template noscript meter progress rt rtc rp head title desc iframe object canvas audio video datalist
    noframes noembed param annotation annotation-xml metadata meta link base col colgroup input""".split()  # noqa: SIM905
)
_BLOCKS = dict.fromkeys(
    """address aside body center dd details dialog dir div dt fieldset figcaption footer foreignobject form frameset
    header hgroup html legend li main menu mtr nav optgroup option search select summary caption tbody text thead tfoot
    tr marquee""".split(),  # noqa: SIM905
    1,
) | dict.fromkeys(
    """article blockquote dl figure h1 h2 h3 h4 h5 h6 hr listing ol p plaintext pre section table ul
    xmp""".split(),  # noqa: SIM905
    2,
)
_VERBATIM = frozenset(("pre", "textarea", "listing", "xmp", "plaintext"))
_LINKS = {"a": "href", "area": "href", "frame": "src"}
# Without html and body there is no page; what follows the others stands in them, as libxml2 does not know that they
# are empty.
_NEVER_HIDDEN = frozenset(("html", "body", "embed", "source", "track", "wbr", "bgsound", "keygen", "image"))
_CELLS = frozenset(("td", "th", "mtd"))
_ROWS = frozenset(("tr", "mtr"))
_READINGS = frozenset(("rt", "rtc", "rp"))


@dataclass(frozen=True, slots=True)
class Anchor:
    """A link as it stands in the page: href and rel untouched, the text that is seen or the alt of its image."""

    href: str
    text: str
    rel: str


@dataclass(frozen=True, slots=True)
class Visible:
    """What the page shows. `hidden` counts the elements that were left out, by the rule that hid them."""

    text: str
    anchors: tuple[Anchor, ...] = ()
    hidden: dict[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class _Open:
    """An element whose children are being read. `muted` is a reading of ruby text, whose end tag may be missing."""

    children: Iterator[HtmlElement]
    element: HtmlElement
    zero: bool
    verbatim: bool
    muted: bool
    breaks: int
    anchor: int = -1
    cells: int = 0


def read_visible(root: HtmlElement) -> Visible:
    """The visible text and the links of a tree. An aria-hidden that covers more than half of the text is a modal that
    a script would close: then that text is kept, with a note.
    """
    walk = _Walk(drop_aria=True)
    text = walk.read(root)
    notes = []
    if walk.aria_size > len(text):
        whole = _Walk(drop_aria=False)
        everything = whole.read(root)
        if len(everything) > 2 * len(text):
            walk, text = whole, everything
            notes.append("kept: text in aria-hidden elements, because it is more than half of the page")
    if walk.hidden.get("ruby"):
        notes.append("left out: readings of ruby text")
    if walk.links_cut:
        notes.append(f"cut: more than {MAX_LINKS} links")
    return Visible(text, tuple(walk.anchors), walk.hidden, tuple(notes))


class _Walk:
    """One pass over a tree, with a stack of its own: a deep tree costs no recursion."""

    def __init__(self, *, drop_aria: bool) -> None:
        self.flow = Flow()
        self.anchors: list[Anchor] = []
        self.hidden: dict[str, int] = {}
        self.aria_size = 0
        self.links_cut = False
        self._drop_aria = drop_aria
        self._stack: list[_Open] = []

    def read(self, root: HtmlElement) -> str:
        self._enter(root, False, False, False)
        stack = self._stack
        while stack:
            top = stack[-1]
            child = next(top.children, None)
            if child is None:
                stack.pop()
                self._leave(top)
                top_tail = top.element.tail
                if top_tail and stack:
                    self._text(top_tail, stack[-1])
            elif not self._enter(child, top.zero, top.verbatim, top.muted):
                tail = child.tail
                if tail:
                    self._text(tail, top)
        return self.flow.text()

    def _text(self, text: str, within: _Open) -> None:
        if within.muted:
            return
        if within.zero:
            if not text.isspace():
                self._count("font-size")
        elif within.verbatim:
            self.flow.add_verbatim(text)
        else:
            self.flow.add(text)

    def _count(self, rule: str) -> None:
        self.hidden[rule] = self.hidden.get(rule, 0) + 1

    def _enter(self, element: HtmlElement, zero: bool, verbatim: bool, muted: bool) -> bool:
        """Begin an element: True when it is on the stack, False when it is left out or was empty."""
        tag = element.tag
        if not isinstance(tag, str):
            return False
        if "{" in tag:
            tag = tag.rpartition("}")[2].lower()
        if tag in _DROPPED and not _shows_its_content(element, tag):
            return tag in _READINGS and self._enter_reading(element, tag, verbatim)
        if tag == "br":
            if not muted:
                self.flow.line_break()
            return False
        display: Display = ""
        if element.attrib and tag not in _NEVER_HIDDEN:
            style = element.get("style")
            if style:
                display, zero = read_style(style, zero)
            rule = self._hides(element, tag, display)
            if rule:
                self._count(rule)
                return False
        elif tag == "dialog":
            self._count("dialog")
            return False
        verbatim = verbatim or tag in _VERBATIM
        self._push(element, tag, display, _Open(iter(element), element, zero, verbatim, muted and tag != "rb", 0))
        return True

    def _enter_reading(self, element: HtmlElement, tag: str, verbatim: bool) -> bool:
        """A reading is left out, but not the base text in it: where end tags are missing, the parser puts it there."""
        if tag == "rt":
            self._count("ruby")
        if not len(element):
            return False
        self._stack.append(_Open(iter(element), element, False, verbatim, True, 0))
        return True

    def _hides(self, element: HtmlElement, tag: str, display: Display) -> str:
        """The rule that hides an element. A style attribute that names a box shows what its own attributes hide."""
        hidden = element.get("hidden")
        if hidden is not None and display in ("", "none", "apart") and hidden.strip().lower() != "until-found":
            return "hidden"
        if self._drop_aria and element.get("aria-hidden", "").strip().lower() == "true":
            self.aria_size += sum(map(len, element.itertext()))
            return "aria-hidden"
        if display == "none":
            return "display"
        if display in ("", "apart") and (
            (tag == "dialog" and element.get("open") is None) or element.get("popover") is not None
        ):
            return "dialog"
        return ""

    def _push(self, element: HtmlElement, tag: str, display: Display, opened: _Open) -> None:
        breaks = _BLOCKS.get(tag, 0) or int(display in ("block", "apart"))
        if opened.muted:
            breaks = 0
        elif breaks:
            self.flow.block(breaks)
            opened.breaks = breaks
            if tag in _ROWS:
                self.flow.row()
        elif tag in _CELLS or display == "cell":
            self._cell()
        if tag in _LINKS and not opened.muted and element.get(_LINKS[tag]) is not None:
            opened.anchor = self.flow.mark()
        self._stack.append(opened)
        text = element.text
        if text:
            self._text(text, opened)

    def _cell(self) -> None:
        row = self._stack[-1] if self._stack else None
        if row is not None:
            self.flow.cell(first=not row.cells)
            row.cells += 1

    def _leave(self, opened: _Open) -> None:
        if opened.element.tag in _ROWS:
            self.flow.end_row()
        if opened.breaks:
            self.flow.block(opened.breaks)
        if opened.anchor >= 0:
            self._anchor(opened.element, opened.anchor)

    def _anchor(self, element: HtmlElement, start: int) -> None:
        seen = self.flow.since(start, _LINK_PARTS)
        if len(self.anchors) >= MAX_LINKS:
            self.links_cut = True
            return
        text = one_line(seen, _LINK_TEXT) or _name(element)
        self.anchors.append(Anchor(element.get("href") or element.get("src", ""), text, element.get("rel", "")))


def _shows_its_content(element: HtmlElement, tag: str) -> bool:
    """Whether an element shows what most of its kind keep for themselves: a shadow root, an object without data."""
    if tag == "template":
        return element.get("shadowrootmode") in ("open", "closed")
    return tag == "object" and element.get("data") is None


def _name(element: HtmlElement) -> str:
    """The name of a link without text: its aria-label, the alt text of its first image, or its title."""
    for value in (
        element.get("aria-label"),
        element.get("alt"),
        next(
            (part.get("alt") for part in islice(element.iter(), _NEAR) if part.tag == "img" and part.get("alt")), None
        ),
        element.get("title"),
    ):
        if name := one_line(value, _LINK_TEXT):
            return name
    return ""
