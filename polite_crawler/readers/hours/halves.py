"""What two written times mean: am, pm or a 24-hour clock."""

from polite_crawler.readers.hours.scan import Time
from polite_crawler.readers.hours.week import DAY

_HALF = DAY // 2
_EVENING = 7 * 60
_LATE_MORNING = 9
_SHORT_NIGHT = 4 * 60


def meaning(start: Time, end: Time, *, clock24: bool) -> tuple[int, int, bool]:
    """The minutes of the start and of the end, and whether a half of the day was guessed. An end that is not later
    than the start is on the next day.

    With one half written, it stands for both unless that is impossible: 5-10pm is 17:00 to 22:00, and 10-2pm is 10:00
    to 14:00. With none, places open in the morning from 7 on, and before that in the evening, unless they would close
    before they open: 9-5, 7-3, 5-9. Of 11-2am both halves are possible, so one is guessed.
    """
    if start.half is not None and end.half is not None:
        return _at(start), _at(end), False
    if clock24 and start.half is None and end.half is None:
        return _plain(start), _plain(end), False
    if end.half is not None:
        if start.clock24 or clock24:
            return _plain(start), _at(end), False
        first, guessed = _start_before(start, end)
        return first, _at(end), guessed
    if start.half is not None:
        return (
            (_at(start), _plain(end), False) if clock24 else (_at(start), _end_after(_at(start), end), not start.word)
        )
    first = _twelve(start)
    if start.hour == 12 or (first < _EVENING and (first < 6 * 60 or _twelve(end) > first)):
        first += _HALF
    return first, _end_after(first, end), True


def one(time: Time, *, clock24: bool) -> tuple[int, bool]:
    """The minutes of a closing time that stands alone, and whether pm was guessed."""
    if time.half is not None:
        return _at(time), False
    return (_plain(time), False) if clock24 else (_twelve(time) + _HALF, True)


def _plain(time: Time) -> int:
    return time.hour * 60 + time.minute


def _twelve(time: Time) -> int:
    return time.hour % 12 * 60 + time.minute


def _at(time: Time) -> int:
    return _twelve(time) + (_HALF if time.half == "p" else 0)


def _start_before(start: Time, end: Time) -> tuple[int, bool]:
    """The start in the half of its end, when it is before it, else in the other half; and whether that is a guess."""
    same = _twelve(start) + (_HALF if end.half == "p" else 0)
    if end.half == "a" and start.hour >= _LATE_MORNING and (start.hour == 12) == (same < _at(end)):
        return _start_of_night(start, end), True
    if end.word:
        return _twelve(start) + (_HALF if end.half == "a" or start.hour == 12 else 0), False
    return same if same < _at(end) else (same + _HALF) % DAY, False


def _start_of_night(start: Time, end: Time) -> int:
    """A start whose place closes past midnight: at noon, or in the morning when the evening leaves it a few hours."""
    evening = _twelve(start) + _HALF
    in_the_morning = start.hour != 12 and DAY + _at(end) - evening < _SHORT_NIGHT
    return evening - _HALF if in_the_morning else evening


def _end_after(start: int, end: Time) -> int:
    """The first time after the start that the end can mean."""
    first = _twelve(end)
    while first <= start:
        first += _HALF
    return first
