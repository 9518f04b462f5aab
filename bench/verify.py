"""verify: the cost of a quote in a text of 5 MiB against Unicode normalization and str.find, and hostile texts.

The first quote pays for the folded text, each further one for a search in it. The text is real innerText of pages
when samples are there, else words of several scripts.
"""

import gzip
import random
import unicodedata
from collections.abc import Callable, Sequence
from pathlib import Path

from harness import Bar, Options, Report, cpu, main, medians

from polite_crawler.query.near import bounded_align, closest
from polite_crawler.query.quotes import QuotableText, verify_text

SIZE = 5 * 2**20
QUOTE = 200
HOSTILE: dict[str, tuple[str, str]] = {
    "one letter": ("a", "a" * 500 + "B" + "a" * 500),
    "two letters": ("ab", "ab" * 400 + "C"),
    "white space": (" \n\t\u00a0", "a" + " " * 300 + "b"),
    "combining marks": ("e\u0301\u0323", "e\u0323\u0301" * 100 + "x"),
    "unsorted marks": ("a" + "\u0301\u0323" * 40, "a\u0323 x"),
    "soft hyphens": ("a\u00ad\u200b", "a" * 200 + "b"),
    "ligatures": ("ﬃß…", "FFI" * 100),
    "case": ("Aa bB ", "aA Bb aa" * 30),
    "marks of emphasis": ("*a_ `b~ ", "**a** b c"),
    "ellipses": ("a b ", "a … b … a … c"),
    "many places": ("Ab ", "ab AB"),
    "gaps": ("a , 1 b.", "a,1b . a , 1b x"),
}


def measure(options: Options) -> Report:
    """The bars of the bench."""
    text, real = _text(options)
    quotes = _quotes(text, 24)
    first, further = quotes[0], quotes[1:]
    assert all(verify_text(QuotableText(text), quote) for quote in quotes[:3])

    def peer() -> None:
        unicodedata.normalize("NFD", text).find(unicodedata.normalize("NFD", first))

    kept = QuotableText(text)
    verify_text(kept, first)
    times = medians(
        options.rounds,
        peer=peer,
        first=lambda: verify_text(QuotableText(text), first),
        further=lambda: [verify_text(kept, quote) for quote in further],
        missed=lambda: verify_text(QuotableText(text), "zzz" + first),
        near=lambda: closest(kept, "zzz" + first),
        bounded=lambda: closest(kept, "zzz" + first, aligner=bounded_align),
    )
    each = times["further"] / len(further)
    slowest = max(_growth(unit, quote) for unit, quote in HOSTILE.values())
    return Report(
        (
            Bar("the first quote in 5 MiB <= 3x NFD and str.find", times["first"] / times["peer"], "<=", 3),
            Bar("each further quote <= 1/20 of the first", each / times["first"], "<=", 0.05),
            Bar("hostile texts: 4x the text <= 5x the time", slowest, "<=", 5),
        ),
        data="real" if real else "synthetic",
        rows=(
            ("NFD and str.find, ms", round(times["peer"] * 1000, 1)),
            ("first quote, ms", round(times["first"] * 1000, 1)),
            ("each further quote, ms", round(each * 1000, 2)),
            ("a first quote that is not there, ms", round(times["missed"] * 1000, 1)),
            ("its closest passage with edlib, ms", round(times["near"] * 1000, 1)),
            ("its closest passage without edlib, ms", round(times["bounded"] * 1000, 1)),
        ),
    )


def _growth(unit: str, quote: str) -> float:
    """The time of four times the text over the time of the text."""
    size = 2**20

    def time_of(length: int) -> float:
        text = (unit * (length // len(unit) + 1))[:length]
        return min(cpu(lambda: verify_text(QuotableText(text), quote)) for _ in range(3))

    time_of(1000)
    return time_of(4 * size) / time_of(size)


def _text(options: Options) -> tuple[str, bool]:
    files = sorted((options.data or Path("none")).glob("pages/*/*.innertext.txt.gz"))
    pages = [gzip.decompress(file.read_bytes()).decode() for file in files]
    text = "\n".join(pages)
    if len(text) < 500_000:
        return _synthetic(options.seed), False
    return (text * (SIZE // len(text) + 1))[:SIZE], True


def _synthetic(seed: int) -> str:
    picks = random.Random(seed)
    words = [f"word{number}" for number in range(5000)]
    words += ["naïve", "Zürich", "“quoted”", "don’t", "–", "プログラム", "говорит", "λόγος", "1 299 €"] * 60
    out: list[str] = []
    length = 0
    while length < SIZE:
        out.append(picks.choice(words) + picks.choice([" "] * 9 + ["\n"]))
        length += len(out[-1])
    return "".join(out)[:SIZE]


def _quotes(text: str, count: int) -> list[str]:
    """Passages as a person types them: other quotation marks, other spaces, sometimes other case."""
    picks = random.Random(7)
    changes: Sequence[Callable[[str], str]] = (str, str.upper, lambda quote: quote.replace(" ", "  "))
    found = []
    while len(found) < count:
        start = picks.randrange(len(text) - QUOTE)
        quote = " ".join(text[start : start + QUOTE].split()).translate({0x2019: "'", 0x201C: '"', 0x201D: '"'})
        quote = changes[len(found) % 3](quote)
        if len(quote) > QUOTE // 2 and quote not in text:
            found.append(quote)
    return found


if __name__ == "__main__":
    main("verify", measure, versions=("numpy", "edlib"))
