"""What libxml2 reads otherwise than a browser, put right in the source, where it would cost words: `</br>` is a line
break, a `</p>` without its start tag ends a paragraph, and CDATA is text in XHTML, SVG and MathML.
"""

import re
from html import escape

from polite_crawler.readers.raw_text import ATTRIBUTES, markup_pieces, skip_to

_SUSPECT = re.compile(r"</br[\s/>]|</p>(?=[^\s<])", re.I)
_CDATA = "<![CDATA["
_SECTION_OR_FOREIGN = re.compile(r"<!\[CDATA\[|<(/?)(?:svg|math)[\s/>]", re.I)
_MARK = r"</br[\s/>]|</p>[^\s<]|</?(?:svg|math)[\s/>]|<!\[CDATA\["
_NEXT = re.compile(rf"{skip_to(f'(?:{_MARK})')}((?:{_MARK}))", re.I)
_REST_OF_TAG = re.compile(rf"{ATTRIBUTES}>?", re.I)


def mend(source: str, *, xhtml: bool = False) -> str:
    """The source as libxml2 must see it. One pass, and none over a source without such places."""
    if _SUSPECT.search(source) is None and not (_CDATA in source and (xhtml or _has_foreign_section(source))):
        return source
    mender = _Mender(xhtml)
    return "".join(mender.mend(piece) if markup else piece for markup, piece in markup_pieces(source))


def _has_foreign_section(source: str) -> bool:
    """Whether a CDATA section stands in SVG or MathML; one in a script is none."""
    depth = 0
    for mark in _SECTION_OR_FOREIGN.finditer(source):
        if mark.group(1) is None:
            if depth > 0:
                return True
        else:
            depth += -1 if mark.group(1) else 1
    return False


class _Mender:
    """Mends the pieces of a source one after the other; it knows how deep they stand in SVG or MathML."""

    def __init__(self, xhtml: bool) -> None:
        self._foreign = int(xhtml)

    def mend(self, markup: str) -> str:
        """A piece of markup as it must stand."""
        out: list[str] = []
        at = 0
        # Behind the last end of a section none is looked for: it would be looked for to the end from each start.
        last_section = markup.rfind("]]>")
        while (found := _NEXT.match(markup, at)) is not None:
            start = found.start(1)
            out.append(markup[at:start])
            mark = found.group(1).lower()
            if mark == "<![cdata[":
                end = markup.find("]]>", start) + 3 if start < last_section else start + 1
                out.append(self._section(markup[start:end]))
            elif mark.startswith("</p>"):
                end = start + 4
                out.append("</p> ")
            else:
                rest = _REST_OF_TAG.match(markup, found.end() - 1)
                end = rest.end() if rest else found.end()
                out.append(self._tag(mark, markup[start:end]))
            at = end
        out.append(markup[at:])
        return "".join(out)

    def _section(self, section: str) -> str:
        return escape(section[9:-3], quote=False) if self._foreign and section.endswith("]]>") else section

    def _tag(self, mark: str, tag: str) -> str:
        if mark.startswith("</br"):
            return "<br>"
        if not tag.endswith("/>"):
            self._foreign += -1 if mark.startswith("</") else 1
        return tag
