"""A diff as one HTML file: no script, no request, readable in light and dark, on paper and by a screen reader."""

from collections.abc import Iterator
from html import escape

from polite_crawler.query.diff import DiffHunk, DiffLine, DiffResult, DiffSide

_STYLE = """
:root{color-scheme:light dark;--ink:#1f2328;--soft:#59636e;--paper:#fff;--card:#f6f8fa;--line:#d1d9e0;--accent:#0969da;
--add:#dafbe1;--add-word:#9be9b0;--del:#ffebe9;--del-word:#ffc1bc;--mod:#fff8e1}
@media(prefers-color-scheme:dark){:root{--ink:#e6edf3;--soft:#9198a1;--paper:#0d1117;--card:#151b23;--line:#3d444d;
--accent:#4493f8;--add:#12261e;--add-word:#1f6f3a;--del:#25171c;--del-word:#8e2f34;--mod:#272215}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main{max-width:68rem;margin:0 auto;padding:2rem 1rem 4rem}
h1{font-size:1.5rem;line-height:1.25;margin:0 0 .25rem;overflow-wrap:anywhere}
h2{font-size:1.1rem;margin:2.25rem 0 .5rem}
a{color:var(--accent)}
.doc,.note,.where{color:var(--soft)}
.doc{margin:0 0 1rem;overflow-wrap:anywhere}
.note{border-left:4px solid var(--line);padding:.25rem .75rem}
dl.sides{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1rem;margin:0 0 1rem}
dl.sides dt{color:var(--soft)}dl.sides dd{margin:0;overflow-wrap:anywhere}
ul.counts{display:flex;flex-wrap:wrap;gap:.5rem;list-style:none;margin:0;padding:0}
ul.counts li{background:var(--card);border:1px solid var(--line);border-radius:2rem;padding:.1rem .75rem}
.hunk{border:1px solid var(--line);border-radius:.5rem;margin:1rem 0;overflow:hidden}
.where{background:var(--card);border-bottom:1px solid var(--line);padding:.25rem .75rem;font-size:.85rem}
table{border-collapse:collapse;width:100%}
.hunk td{vertical-align:top;padding:.1rem .5rem}
.hunk td.n{width:1%;min-width:2.5rem;text-align:right;color:var(--soft);font:.8rem/1.9 ui-monospace,monospace;
user-select:none;white-space:nowrap}
.hunk td.t{white-space:pre-wrap;overflow-wrap:anywhere}
tr.add{background:var(--add)}tr.del{background:var(--del)}tr.mod{background:var(--mod)}
ins{background:var(--add-word);text-decoration:none;border-radius:.2rem}
del{background:var(--del-word);border-radius:.2rem}
.add .t::before{content:"+ "}.del .t::before{content:"\\2212\\a0"}
.meta{table-layout:fixed}.meta th{text-align:left}
.meta th,.meta td{border-bottom:1px solid var(--line);padding:.35rem .5rem;vertical-align:top;overflow-wrap:anywhere}
.meta code{font:.85rem ui-monospace,monospace}
@media print{.hunk{break-inside:avoid}}
"""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_ROWS = {" ": "", "+": "add", "-": "del"}


def diff_page(diff: DiffResult, *, title: str | None = None) -> str:
    """The HTML page of a diff. All text of the document is escaped, and only an http(s) URL becomes a link."""
    name = title or diff.doc
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(_POLICY)}">\n'
        f"<title>Changes of {escape(name)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n"
        f"<h1>{escape(name)}</h1>\n{''.join(_body(diff))}</main>\n</body>\n</html>\n"
    )


def _body(diff: DiffResult) -> Iterator[str]:
    yield f'<p class="doc">{_link(diff.doc)}</p>\n<dl class="sides">\n'
    yield _side("From", diff.from_)
    yield _side("To", diff.to)
    yield "</dl>\n"
    yield _counts(diff)
    if diff.note:
        yield f'<p class="note" role="note">{escape(diff.note)}</p>\n'
    if diff.hunks:
        yield "<h2>Text</h2>\n"
        yield from map(_hunk, diff.hunks)
    if diff.meta:
        yield '<h2>Metadata</h2>\n<table class="meta">\n<thead><tr><th scope="col">Path</th>'
        yield '<th scope="col">Before</th><th scope="col">After</th></tr></thead>\n<tbody>\n'
        for change in diff.meta:
            yield f'<tr><th scope="row"><code>{escape(change.path)}</code></th>'
            yield f"<td>{_value('del', change.old)}</td><td>{_value('ins', change.new)}</td></tr>\n"
        yield "</tbody>\n</table>\n"


def _counts(diff: DiffResult) -> str:
    if diff.same:
        return "<p>The two versions are the same.</p>\n"
    summary = diff.summary
    counts = (
        (summary.lines_changed, "line changed", "lines changed"),
        (summary.lines_added, "line added", "lines added"),
        (summary.lines_removed, "line removed", "lines removed"),
        (summary.words_added, "word added", "words added"),
        (summary.words_removed, "word removed", "words removed"),
        (summary.meta_changes, "change of the metadata", "changes of the metadata"),
    )
    items = (f"<li>{count:,} {one if count == 1 else many}</li>" for count, one, many in counts if count)
    return f'<ul class="counts">{"".join(items)}</ul>\n'


def _side(name: str, side: DiffSide | None) -> str:
    if side is None:
        return f"<dt>{name}</dt><dd>no version</dd>\n"
    time = escape(side.fetched_at)
    return f'<dt>{name}</dt><dd><time datetime="{time}">{time}</time> · {escape(side.capture)}</dd>\n'


def _hunk(hunk: DiffHunk) -> str:
    rows = []
    old, new = hunk.from_start, hunk.to_start
    for line in hunk.lines:
        in_old, in_new = line.op != "+", line.op != "-"
        rows.append(_row(line, str(old) if in_old else "", str(new) if in_new else ""))
        old, new = old + in_old, new + in_new
    where = f"From line {hunk.from_start:,}, now line {hunk.to_start:,}"
    return f'<section class="hunk"><div class="where">{where}</div><table>\n{"".join(rows)}</table></section>\n'


def _row(line: DiffLine, old: str, new: str) -> str:
    if line.op == "~" and line.words is None:
        return _cells("del", old, "", escape(line.from_ or "")) + _cells("add", "", new, escape(line.to or ""))
    if line.op != "~":
        return _cells(_ROWS[line.op], old, new, escape(line.text or ""))
    tags = {"-": "del", "+": "ins"}
    parts = (
        escape(part.text) if part.op == " " else f"<{tags[part.op]}>{escape(part.text)}</{tags[part.op]}>"
        for part in line.words or ()
    )
    return _cells("mod", old, new, "".join(parts))


def _cells(kind: str, old: str, new: str, content: str) -> str:
    opened = f'<tr class="{kind}">' if kind else "<tr>"
    return f'{opened}<td class="n">{old}</td><td class="n">{new}</td><td class="t">{content}</td></tr>\n'


def _value(tag: str, value: str | None) -> str:
    return "" if value is None else f"<{tag}>{escape(value)}</{tag}>"


def _link(doc: str) -> str:
    url = doc.removeprefix("url:").removeprefix("archive:")
    if not url.startswith(("http://", "https://")):
        return escape(doc)
    return f'<a href="{escape(url)}" rel="nofollow noreferrer">{escape(doc)}</a>'
