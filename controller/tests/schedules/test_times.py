"""When a cron expression comes: in a place's own time, also when the clocks are changed there."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from windlull.schedules import times
from windlull.schedules.times import TimesError


def at(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)  # type: ignore[arg-type, misc]


@pytest.mark.parametrize(
    ("cron", "zone", "moment", "wanted"),
    [
        ("30 2 * * *", "UTC", at(2026, 1, 5, 2, 29), [at(2026, 1, 5, 2, 30), at(2026, 1, 6, 2, 30)]),
        # What is due now has come: the next time is another one.
        ("30 2 * * *", "UTC", at(2026, 1, 5, 2, 30), [at(2026, 1, 6, 2, 30)]),
        ("0 3 * * 1-5", "America/New_York", at(2026, 1, 9, 12), [at(2026, 1, 12, 8)]),
        # In Berlin there is no half past two on 29 March: it comes when the clocks have been set to three.
        ("30 2 * * *", "Europe/Berlin", at(2026, 3, 28, 12), [at(2026, 3, 29, 1), at(2026, 3, 30, 0, 30)]),
        # On 25 October there are two.
        ("30 2 * * *", "Europe/Berlin", at(2026, 10, 24, 12), [at(2026, 10, 25, 0, 30), at(2026, 10, 26, 1, 30)]),
    ],
)
def test_it_comes_at_the_time_of_the_place(cron: str, zone: str, moment: datetime, wanted: list[datetime]) -> None:
    assert times.following(cron, zone, moment, len(wanted)) == wanted
    assert times.next_after(cron, zone, moment) == wanted[0]


@pytest.mark.parametrize(
    ("cron", "zone", "key", "word"),
    [
        ("30 2 * *", "UTC", "cron", "five fields"),
        ("0 30 2 * * *", "UTC", "cron", "five fields"),
        ("61 2 * * *", "UTC", "cron", "bad minute"),
        ("0 0 */20 * 1L", "UTC", "cron", "never comes"),
        ("0 2 * * *", "Europe/Berln", "zone", "no time zone"),
        ("0 2 * * *", "../../etc/passwd", "zone", "no time zone"),
    ],
)
def test_what_never_comes_is_refused(cron: str, zone: str, key: str, word: str) -> None:
    with pytest.raises(TimesError, match=word) as caught:
        times.next_after(cron, zone, at(2026, 1, 5))
    assert caught.value.key == key


def test_it_is_said_in_english() -> None:
    assert times.words("30 2 * * 1-5") == "At 02:30 on Monday through Friday"
