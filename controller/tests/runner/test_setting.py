from __future__ import annotations

from typing import Any

import pytest

from windlull.runner.setting import conditions, differing, setting

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


BULK = {"name": "bulk", "title": "Bulk", "sets": [{"flows": 1, "size_bytes": 5000, "duration_s": None}]}


def given(**changes: Any) -> dict[str, Any]:
    return of(TRACE, workload=BULK, variants=[{"name": "sack", "resolved": {"mss": "1460 B"}}]) | changes


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({}, None),
        ({"workload": BULK | {"name": "other", "title": "Words"}}, None),
        ({"workload": {"name": "bulk", "sets": [{"flows": 1.0, "size_bytes": 5000.0}]}}, None),
        ({"workload": {"name": "bulk", "sets": [{"flows": 2, "size_bytes": 5000}]}}, "the workload"),
        ({"links": [{"name": "l", "resolved": TRACE, "workload": BULK | {"sets": []}}]}, "the workload"),
        ({"links": [{"name": "l", "resolved": TRACE | {"start": "random"}}]}, "the link l"),
        ({"access": TRACE}, "the link l"),
        ({"links": [{"name": "another", "resolved": {}}]}, None),
        ({"variants": [{"name": "sack", "resolved": {"mss": "500 B"}}]}, None),
    ],
)
def test_links_and_workloads_must_be_the_same_and_words_about_them_do_not_matter(
    changes: dict[str, Any], what: str | None
) -> None:
    assert differing(conditions(given()), conditions(given(**changes))) == what


def test_a_variant_with_other_settings_has_another_hash() -> None:
    other = given(variants=[{"name": "sack", "resolved": {"mss": "500 B"}}])
    assert conditions(given()).variants != conditions(other).variants
