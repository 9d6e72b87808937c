from __future__ import annotations

from typing import Any

import pytest

from windlull.runner.setting import setting

TRACE = {"down": {"rate": {"kind": "trace", "milliseconds": [1, 2]}, "delay": "20 ms", "queue": {"kind": "droptail"}}}


def of(link: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "links": [{"name": "l", "resolved": link}],
        "access": None,
        "workload": {"sets": [{"duration_s": None}]},
    } | more


def test_a_recorded_link_without_random_parts_draws_nothing_where_it_is_simulated() -> None:
    found = setting(of(TRACE))
    assert (found.draws("l", "sim"), found.draws("l", "netns"), found.draws("other", "sim")) == (False, True, True)
    assert not setting(of(TRACE | {"start": "1 ms"})).draws("l", "sim")


@pytest.mark.parametrize(
    "link",
    [
        TRACE | {"impairment": [{"name": "x", "kind": "loss", "probability": "2 %"}]},
        {"both": {"delay": "uniform(1 s, 2 s)"}},
        {"both": {"queue": {"kind": "pie"}}},
        TRACE | {"script": [{"at": "1 s", "loss": "0.1"}]},
        TRACE | {"start": "random"},
    ],
)
def test_what_is_drawn_may_differ(link: dict[str, Any]) -> None:
    assert setting(of(link)).draws("l", "sim")


def test_an_access_link_counts_as_drawn_and_a_duration_is_a_fixed_time() -> None:
    assert setting(of(TRACE, access={})).draws("l", "sim")
    assert not setting(of(TRACE)).fixed_time
    assert setting(of(TRACE, workload={"sets": [{"duration_s": 30.0}]})).fixed_time
