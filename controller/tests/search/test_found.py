"""Which episode of a finding's run is told and made a script."""

from __future__ import annotations

from typing import Any, cast

from windlull.reports.stories import RunStory
from windlull.search.found import longest


def story(*durations_ns: int) -> RunStory:
    episodes = tuple({"number": place, "cost": {"duration_ns": one}} for place, one in enumerate(durations_ns, 1))
    return RunStory(cast("Any", None), episodes)


def test_the_longest_episode_is_told() -> None:
    assert (longest(story(3, 9, 9, 4)) or {})["number"] == 2
    assert longest(story()) is None
