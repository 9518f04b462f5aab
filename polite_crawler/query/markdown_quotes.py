"""The quotations of a Markdown file, each with its line and with the document that it cites. Pure.

A quotation is a block quote or a text in "…", “…”, „…“ or «…». It cites the link around it, else the next link or
document id of its sentence, else the last one before it there, else those of its paragraph. A block quote cites a
link in it, in the attribution line that follows, or in a paragraph that leads to it with a colon.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import unescape

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_QUOTED = re.compile(r" {0,3}> ?")
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s+")
_DEFINITION = re.compile(r" {0,3}\[([^\]]{1,200})\]:\s*(\S.*)")
_COMMENT = re.compile(r"<!--.*?-->", re.S)
_CODE = re.compile(r"(?<!`)(`{1,3})(?!`)(.{1,400}?)(?<!`)\1(?!`)", re.S)
_LINK = re.compile(
    r"(?P<image>!?)\[(?P<text>(?:[^\[\]\\]|\\.){0,2000})\]"
    r"(?:\(\s*<?(?P<url>[^\s<>()]*(?:\([^\s<>()]*\)[^\s<>()]*)*)>?(?:\s+(?:\"[^\"]*\"|'[^']*'|\([^()]*\)))?\s*\)"
    r"|\[(?P<ref>[^\[\]]{0,200})\]|(?![\[(:]))",
    re.S,
)
_BARE = re.compile(r"<?(?P<doc>(?:(?:url|archive):)?https?://[^\s<>\"“”«»`]+)>?", re.IGNORECASE)
_DOC_ID = re.compile(r"[a-z][a-z0-9-]*:[^\s`]+")
_CAPTURE = re.compile(r"\bfetch\.[a-z2-7]{26}\b")
_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,1000}>")
_PAIRS = re.compile(
    r"“(?P<curly>[^“”]{1,5000})”|«(?P<angle>[^«»]{1,5000})»|„(?P<low>[^„“”]{1,5000})[“”]"
    r"|(?<![\w\"])\"(?P<straight>(?=\S)[^\"]{1,5000}(?<=\S))\"(?!\w)",
)
_ATTRIBUTION = re.compile(r"\s*(?:—|–|--|-|\(|\[|<|https?:|url:|archive:|`|source\b|from\b|via\b)", re.IGNORECASE)
_DASH = re.compile(r"\s*(?:—|–|--|\s-)\s*")
_SENTENCE_END = re.compile(r"[.!?…][\"”»)\]*_]*\s+")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_AROUND = (("“", "”"), ("«", "»"), ("„", "“"), ("„", "”"), ('"', '"'))


@dataclass(frozen=True, slots=True)
class Quotation:
    """A quotation: its line (from 1), its words, the document that it cites (an id or a URL) or None, and the capture
    that is named beside it, if one is."""

    line: int
    quote: str
    doc: str | None
    capture: str | None = None


@dataclass(frozen=True, slots=True)
class _Cite:
    start: int
    end: int
    doc: str
    text: tuple[int, int] | None = None


@dataclass(slots=True)
class _Block:
    line: int
    lines: list[str] = field(default_factory=list)
    quoted: bool = False

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


def quotations(markdown: str) -> Iterator[Quotation]:
    """The quotations of a Markdown text, in the sequence of their lines. Code is left out."""
    lines, targets = _definitions(_COMMENT.sub(_blank, markdown).split("\n"))
    blocks = list(_blocks(lines))
    for index, block in enumerate(blocks):
        if block.quoted:
            yield from _block_quote(blocks, index, targets)
        else:
            yield from _inline(block, targets)


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match.group())


def _definitions(lines: list[str]) -> tuple[list[str], dict[str, str]]:
    """The targets of references and footnotes, and the lines without their definitions."""
    targets: dict[str, str] = {}
    kept = []
    for line in lines:
        match = _DEFINITION.fullmatch(line)
        target = _first_target(match[2]) if match else None
        if match and target:
            targets.setdefault(_label(match[1]), target)
        kept.append("" if match and target else line)
    return kept, targets


def _first_target(text: str) -> str | None:
    found = _cites(text, {})
    return found[0].doc if found else None


def _label(text: str) -> str:
    return " ".join(text.casefold().split())


def _blocks(lines: Sequence[str]) -> Iterator[_Block]:
    """Paragraphs, list items, table rows and block quotes."""
    block: _Block | None = None
    fence = ""
    for number, line in enumerate(lines, 1):
        mark = _FENCE.match(line)
        if fence or mark:
            if block:
                yield block
            block = None
            if mark and (not fence or (mark[1].startswith(fence) and not line.strip(" `~"))):
                fence = "" if fence else mark[1]
            continue
        quoted = _QUOTED.match(line)
        alone = line.lstrip().startswith(("|", "#"))
        if block and (not line.strip() or bool(quoted) != block.quoted or alone or (_ITEM.match(line) and not quoted)):
            yield block
            block = None
        if not line.strip():
            continue
        block = block or _Block(number, quoted=bool(quoted))
        while quoted:
            line = line[quoted.end() :]
            quoted = _QUOTED.match(line)
        block.lines.append(line)
        if alone:
            yield block
            block = None
    if block:
        yield block


def _cites(text: str, targets: dict[str, str]) -> list[_Cite]:
    """The links and document ids of a text, in sequence."""
    found = [
        _Cite(match.start(), match.end(), match[2].strip())
        for match in _CODE.finditer(text)
        if _DOC_ID.fullmatch(match[2].strip())
    ]
    taken = [(one.start, one.end) for one in found]
    for match in _LINK.finditer(text):
        target = match["url"]
        if target is None:
            target = targets.get(_label(match["ref"] or match["text"]), "")
        target = unescape(_ESCAPE.sub(r"\1", target))
        if not match["image"] and _is_doc(target):
            found.append(_Cite(match.start(), match.end(), target, match.span("text")))
        if match["url"] is not None:
            taken.append(match.span())
    for match in _BARE.finditer(text):
        if not any(start <= match.start() < end for start, end in taken):
            doc = match["doc"].rstrip(".,;:!?'*_")
            doc = doc[:-1] if doc.endswith(")") and doc.count(")") > doc.count("(") else doc
            found.append(_Cite(match.start(), match.start("doc") + len(doc), doc))
    return sorted(found, key=lambda one: (one.start, one.end))


def _is_doc(target: str) -> bool:
    return target.startswith(("http://", "https://", "url:", "archive:"))


def _masked(text: str, cites: Sequence[_Cite]) -> str:
    """The text, at the same places, without the parts in which a quotation mark is no quotation."""
    chars = list(text)
    spans = [match.span() for pattern in (_CODE, _TAG) for match in pattern.finditer(text)]
    links = (match for match in _LINK.finditer(text) if match["url"] is not None or match["ref"] is not None)
    spans += [(match.end("text"), match.end()) for match in links]
    spans += [(one.start, one.end) for one in cites if one.text is None]
    for start, end in spans:
        chars[start:end] = [char if char == "\n" else " " for char in chars[start:end]]
    return "".join(chars)


def _inline(block: _Block, targets: dict[str, str]) -> Iterator[Quotation]:
    text = block.text
    cites = _cites(text, targets)
    masked = _masked(text, cites)
    sentences = [0, *(match.end() for match in _SENTENCE_END.finditer(masked)), len(text)]
    for match in _PAIRS.finditer(masked):
        start, end = match.span(match.lastgroup or 0)
        quote = _words(text[start:end])
        if not quote:
            continue
        first = max(edge for edge in sentences if edge <= match.start())
        cite = _cited(cites, match.span(), (first, min(edge for edge in sentences if edge >= match.end())))
        line = block.line + text.count("\n", 0, match.start())
        yield Quotation(line, quote, cite.doc if cite else None, _capture(text, cites, cite))


def _cited(cites: Sequence[_Cite], span: tuple[int, int], sentence: tuple[int, int]) -> _Cite | None:
    """The link around a quotation, else the nearest of its sentence, else of its paragraph; the next ones first."""
    start, end = span
    around = [one for one in cites if one.text and one.text[0] <= start and end <= one.text[1]]
    after = [one for one in cites if one.start >= end]
    before = [one for one in cites if one.end <= start][::-1]
    near = [one for one in [*after, *before] if sentence[0] <= one.start and one.end <= sentence[1]]
    return next(iter([*around, *near, *after, *before]), None)


def _capture(text: str, cites: Sequence[_Cite], cite: _Cite | None) -> str | None:
    """The capture id that is named between a citation and the next one."""
    if cite is None:
        return None
    stop = min((one.start for one in cites if one.start >= cite.end), default=len(text))
    match = _CAPTURE.search(text, cite.end, stop)
    return match.group() if match else None


def _block_quote(blocks: Sequence[_Block], index: int, targets: dict[str, str]) -> Iterator[Quotation]:
    block = blocks[index]
    text = block.text
    cites = _cites(text, targets)
    end = _attribution(text, cites)
    quote = _words(_without_marks(text[:end].strip()))
    source, cite = text, next((one for one in cites if one.start >= end), None)
    after = blocks[index + 1] if index + 1 < len(blocks) else None
    before = blocks[index - 1] if index else None
    if cite is None and after and not after.quoted and _ATTRIBUTION.match(after.text):
        source, cites = after.text, _cites(after.text, targets)
        cite = cites[0] if cites else None
    if cite is None and before and not before.quoted and before.text.rstrip(" *_").endswith(":"):
        source, cites = before.text, _cites(before.text, targets)
        cite = cites[-1] if cites else None
    if cite is None:
        source, cites = text, _cites(text, targets)
        cite = cites[-1] if cites else None
    if quote:
        yield Quotation(block.line, quote, cite.doc if cite else None, _capture(source, cites, cite))


def _attribution(text: str, cites: Sequence[_Cite]) -> int:
    """Where the words of a block quote end and the line that names their source begins."""
    if not cites:
        return len(text)
    last = cites[-1]
    line_start = text.rfind("\n", 0, last.start) + 1
    lead = text[line_start : last.start]
    if re.fullmatch(r"[\s(\[]*(?:(?:—|–|--?)\s*)?(?:[^\n.!?]{0,80}[:,(]\s*)?", lead) and text[:line_start].strip():
        return line_start
    dashes = [match for match in _DASH.finditer(lead) if match.group().strip()]
    if dashes:
        return line_start + dashes[-1].start()
    if text[last.end :].strip(" \n).]"):
        return len(text)
    bracketed = lead.rstrip().endswith(("(", "["))
    return line_start + len(lead.rstrip(" ([")) if bracketed or not _inside(text, last) else len(text)


def _inside(text: str, cite: _Cite) -> bool:
    """Whether the link is a part of the quoted sentence: its words go on after or stand right before it."""
    return cite.text is not None and not text[: cite.start].rstrip(" ([").endswith((".", "!", "?", "”", '"', "»", "…"))


def _without_marks(text: str) -> str:
    for opening, closing in _AROUND:
        inner = text[1:-1]
        if len(text) > 2 and text[0] == opening and text[-1] == closing and opening not in inner:
            return inner
    return text


def _words(markdown: str) -> str:
    """The words of a piece of Markdown: link texts in the place of links, no escapes, no tags, no entities."""
    text = _LINK.sub(
        lambda match: match["text"] if match["url"] is not None or match["ref"] else match.group(), markdown
    )
    text = _TAG.sub("", text)
    return unescape(_ESCAPE.sub(r"\1", text)).strip()
