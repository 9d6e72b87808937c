"""Times as measuring software writes them, made seconds."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from datetime import time as clock

_GERMAN = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})[ T]+(.+)")
_AMERICAN = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})[ T]+(.+)")
_CLOCK = re.compile(r"(\d{1,2}):(\d{2}):(\d{2})(?:[.,](\d{1,9}))?")
_ISO = re.compile(r"\d{4}-?\d{2}-?\d{2}[ T]")
_FRACTION = re.compile(r"[.,](\d+)")

_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - differences alone count; a zone is taken off first
_DAY_S = 86_400.0


def instant(text: str) -> tuple[float, bool] | None:
    """Return the seconds that a date and time or a clock says, and whether it is a clock without a date.

    `None` if it is neither: then it may be a number. Slashes are month/day/year, dots are day.month.year.
    """
    text = text.strip()
    match = _CLOCK.fullmatch(text)
    if match is not None:
        seconds = _of_clock(match)
        return None if seconds is None else (seconds, True)
    for pattern, order in ((_GERMAN, (3, 2, 1)), (_AMERICAN, (3, 1, 2))):
        match = pattern.fullmatch(text)
        if match is not None:
            year, month, day = (int(match[group]) for group in order)
            text = f"{year:04}-{month:02}-{day:02}T{match[4]}"
            break
    if not _ISO.match(text):
        return None
    # Any number of digits of a second; Python's own takes six.
    fraction = _FRACTION.search(text, 10)
    digits = fraction[1] if fraction is not None else ""
    plain = text if fraction is None else text[: fraction.start()] + text[fraction.end() :]
    try:
        at = datetime.fromisoformat(plain.replace(" UTC", "Z"))
    except ValueError:
        return None
    shift = at.utcoffset() or timedelta()
    whole = (at.replace(tzinfo=None) - shift - _EPOCH).total_seconds()
    return whole + (int(digits) / 10 ** len(digits) if digits else 0.0), False


def _of_clock(match: re.Match[str]) -> float | None:
    hour, minute, second = (int(match[group]) for group in (1, 2, 3))
    try:
        clock(hour, minute, second)
    except ValueError:
        return None
    fraction = match[4]
    return hour * 3600 + minute * 60 + second + (int(fraction) / 10 ** len(fraction) if fraction else 0.0)


def over_midnight(before: float, after: float) -> float:
    """Return a clock's seconds, a day later if the clock has passed midnight."""
    days = max(0, round((before - after) / _DAY_S))
    return after + days * _DAY_S


def epoch_unit(value: float) -> str | None:
    """Return the unit in which a number of this size counts from 1970; `None` if it is none of these."""
    for unit, least in (("ns", 1e17), ("us", 1e14), ("ms", 1e11), ("s", 1e8)):
        if value >= least:
            return unit
    return None
