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
from polite_crawler.readers.hiding import read_style
from polite_crawler.readers.scrub import one_line

MAX_LINKS = 10_000
_LINK_TEXT = 500
_LINK_PARTS = 64
_NEAR = 40

_DROPPED = frozenset(
    """script style template noscript meter progress rt rtc rp head title desc iframe object embed applet canvas audio
    video datalist noframes noembed param source track annotation annotation-xml metadata meta link base col colgroup
    input""".split()  # noqa: SIM905
)
_BLOCKS = dict.fromkeys(
    """address aside body center dd details dialog dir div dt fieldset figcaption footer form frameset header hgroup
    html legend li main menu nav optgroup option search select summary caption tbody thead tfoot tr marquee
    map""".split(),  # noqa: SIM905
    1,
) | dict.fromkeys(
    """article blockquote dl figure h1 h2 h3 h4 h5 h6 hr listing ol p plaintext pre section table ul
    xmp""".split(),  # noqa: SIM905
    2,
)
_VERBATIM = frozenset(("pre", "textarea", "listing", "xmp", "plaintext"))
_LINKS = {"a": "href", "area": "href", "frame": "src"}
_NEVER_HIDDEN = frozenset(("html", "body"))


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
    """An element whose children are being read."""

    children: Iterator[HtmlElement]
    element: HtmlElement
    zero: bool
    verbatim: bool
    breaks: int
    anchor: int = -1


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
        self._enter(root, False, False)
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
            elif not self._enter(child, top.zero, top.verbatim):
                tail = child.tail
                if tail:
                    self._text(tail, top)
        return self.flow.text()

    def _text(self, text: str, within: _Open) -> None:
        if within.zero:
            if not text.isspace():
                self._count("font-size")
        elif within.verbatim:
            self.flow.add_verbatim(text)
        else:
            self.flow.add(text)

    def _count(self, rule: str) -> None:
        self.hidden[rule] = self.hidden.get(rule, 0) + 1

    def _enter(self, element: HtmlElement, zero: bool, verbatim: bool) -> bool:
        """Begin an element: True when it is on the stack, False when it is left out or was empty."""
        tag = element.tag
        if not isinstance(tag, str):
            return False
        if "{" in tag or ":" in tag:
            tag = tag.rpartition("}")[2].rpartition(":")[2].lower()
        if tag in _DROPPED and not (tag == "template" and element.get("shadowrootmode") in ("open", "closed")):
            if tag == "rt":
                self._count("ruby")
            return False
        if tag == "br":
            self.flow.line_break()
            return False
        if element.attrib and tag not in _NEVER_HIDDEN:
            rule, zero = self._hides(element, tag, zero)
            if rule:
                self._count(rule)
                return False
        elif tag == "dialog":
            self._count("dialog")
            return False
        self._push(element, tag, zero, verbatim or tag in _VERBATIM)
        return True

    def _hides(self, element: HtmlElement, tag: str, zero: bool) -> tuple[str, bool]:
        hidden = element.get("hidden")
        if hidden is not None and hidden.strip().lower() != "until-found":
            return "hidden", zero
        if self._drop_aria and element.get("aria-hidden", "").strip().lower() == "true":
            self.aria_size += sum(map(len, element.itertext()))
            return "aria-hidden", zero
        if (tag == "dialog" and element.get("open") is None) or element.get("popover") is not None:
            return "dialog", zero
        style = element.get("style")
        if style:
            none, zero = read_style(style, zero)
            if none:
                return "display", zero
        return "", zero

    def _push(self, element: HtmlElement, tag: str, zero: bool, verbatim: bool) -> None:
        breaks = _BLOCKS.get(tag, 0)
        if breaks:
            self.flow.block(breaks)
        elif tag in ("td", "th"):
            self.flow.cell()
        opened = _Open(iter(element), element, zero, verbatim, breaks)
        if _LINKS.get(tag) and element.get(_LINKS[tag]) is not None:
            opened.anchor = self.flow.mark()
        self._stack.append(opened)
        text = element.text
        if text:
            self._text(text, opened)

    def _leave(self, opened: _Open) -> None:
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
