"""Opening hours of English text.

What is read: days, times, and what people write around them. What is not understood breaks the bond between a day and
a time, so that a number in prose is no opening time.
"""

from collections.abc import Iterator
from dataclasses import replace

from polite_crawler.readers.hours.clauses import Clauses
from polite_crawler.readers.hours.scan import tokens
from polite_crawler.readers.hours.statements import hours_of
from polite_crawler.readers.hours.week import Hours

NO_WEEK_NOTE = "no day of the week stands with opening hours that can be read"
"""The note of a text that gave nothing."""


def from_text(text: str) -> Hours:
    """Read the hours that a text states: those of the place before those with a label, of its first season.

    `week` holds the days that the text states. A time with no day, an open end ("til late") and days that no week can
    say ("first Sunday of the month") give no interval and make the reading partial; a date is an event and no week.
    """
    return next(schedules(text), Hours(None, notes=(NO_WEEK_NOTE,)))


def schedules(text: str) -> Iterator[Hours]:
    """Every schedule of a text, that of the place first: one for each label and each season."""
    reader = Clauses(tokens(text))
    found = [one for one in reader.read() if one.statements or one.lost]
    clock24 = any(span.clock24 for part in found for said in part.statements for span in said.spans)
    found.sort(key=lambda part: (part.label is not None, not part.statements))
    for part in found:
        others = len(found) > 1 and part.label is None
        hours = hours_of(part, clock24=clock24)
        yield replace(hours, partial=hours.partial or others or reader.exceptions)
