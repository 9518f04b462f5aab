"""A diff as a person reads it on a terminal: a unified diff whose changed lines mark their words."""

from collections.abc import Iterator

from polite_crawler.query.diff import DiffHunk, DiffLine, DiffResult, DiffSide

_CONTROLS = {code: 0x2400 + code for code in range(0x20) if code != 9} | {0x7F: 0x2421}
_COLOURS = {"-": "31", "+": "32", "~": "33", "@": "36", "=": "1"}


def unified(diff: DiffResult, *, colour: bool = False) -> str:
    """The text of a diff, one line for each line of its hunks and each change of the metadata, with a last newline.

    A changed line starts with `~` and has [-removed-] and {+added+} words. With `colour`, ANSI colours. A control
    character of the page is shown as its picture, so it cannot steer a terminal.
    """
    return "".join(line + "\n" for line in _lines(diff, colour))


def _lines(diff: DiffResult, colour: bool) -> Iterator[str]:
    yield _painted("=", f"--- {diff.doc} {_side(diff.from_)}", colour)
    yield _painted("=", f"+++ {diff.doc} {_side(diff.to)}", colour)
    for hunk in diff.hunks:
        yield _painted("@", _header(hunk), colour)
        for line in hunk.lines:
            yield _line(line, colour)
    for change in diff.meta:
        if change.old is not None:
            yield _painted("-", f"-{change.path}: {change.old}", colour)
        if change.new is not None:
            yield _painted("+", f"+{change.path}: {change.new}", colour)


def _side(side: DiffSide | None) -> str:
    return f"{side.capture} {side.fetched_at}" if side else "(no version)"


def _header(hunk: DiffHunk) -> str:
    return f"@@ -{hunk.from_start},{hunk.from_lines} +{hunk.to_start},{hunk.to_lines} @@"


def _line(line: DiffLine, colour: bool) -> str:
    if line.op == " ":
        return _painted(" ", f" {line.text}", False)
    if line.op != "~":
        return _painted(line.op, f"{line.op}{line.text}", colour)
    if line.words is None:
        return _painted("-", f"-{line.from_}", colour) + "\n" + _painted("+", f"+{line.to}", colour)
    parts = []
    for part in line.words:
        if part.op == " ":
            parts.append(_painted(" ", part.text, False))
        else:
            marks = "[-{}-]" if part.op == "-" else "{{+{}+}}"
            parts.append(_painted(part.op, marks.format(part.text), colour))
    return _painted("~", "~", colour) + "".join(parts)


def _painted(kind: str, text: str, colour: bool) -> str:
    shown = text.translate(_CONTROLS)
    return f"\x1b[{_COLOURS[kind]}m{shown}\x1b[0m" if colour else shown
