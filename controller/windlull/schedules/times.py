"""When a schedule is due: a cron expression, in the local time of a place.

The five fields are those of Debian's cron: minute, hour, day of the month, month, day of the week. A time that the
clocks skip in spring comes when they have been set forward; an hour that they repeat in autumn has it once, unless it
comes every hour.
"""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo, available_timezones

from cronsim import CronSim, CronSimError

from windlull.errors import BadInputError, nearest

if TYPE_CHECKING:
    from collections.abc import Iterator

FIELDS = 5


class TimesError(BadInputError):
    """A cron expression or a time zone that there is not; `key` is which of the two."""

    def __init__(self, key: str, message: str, suggestion: str | None = None) -> None:
        super().__init__(f"{key}: {message}")
        self.key = key
        self.message = message
        self.suggestion = suggestion


def next_after(cron: str, zone: str, moment: datetime) -> datetime:
    """Return the first time after `moment`, in UTC. Raises TimesError."""
    return following(cron, zone, moment, 1)[0]


def following(cron: str, zone: str, moment: datetime, count: int) -> list[datetime]:
    """Return the first `count` times after `moment`, in UTC. Raises TimesError."""
    found = list(islice(_times(cron, zone, moment), count))
    if not found:
        raise TimesError("cron", f"{cron!r} never comes")
    return found


def words(cron: str) -> str:
    """Return a cron expression in English. Raises TimesError."""
    said: str = _parsed(cron, datetime.now(UTC)).explain()
    return said


def _times(cron: str, zone: str, moment: datetime) -> Iterator[datetime]:
    parsed = _parsed(cron, moment.astimezone(_zone(zone)))
    return (time.astimezone(UTC) for time in parsed)


def _parsed(cron: str, moment: datetime) -> CronSim:
    if len(cron.split()) != FIELDS:
        raise TimesError("cron", f"{cron!r} has not five fields: minute, hour, day, month, day of the week")
    try:
        return CronSim(cron, moment)
    except CronSimError as error:
        raise TimesError(
            "cron", f"{str(error).lower()} in {cron!r}", "30 2 * * * is half past two, every day"
        ) from error


def _zone(name: str) -> ZoneInfo:
    known = available_timezones()
    if name not in known:
        raise TimesError("zone", f"there is no time zone {name}", nearest(name, known) or "as Europe/Berlin, or UTC")
    return ZoneInfo(name)
