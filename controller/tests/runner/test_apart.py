from __future__ import annotations

from dataclasses import replace
from typing import Any

from windlull.runner.apart import Apart, Given, apart

LINK: dict[str, Any] = {
    "title": "A link",
    "down": {"rate": "10 Mbit/s", "delay": "25 ms"},
    "impairment": [{"name": "holds", "kind": "hold", "every": "2 s"}],
}
EXPERIMENT: dict[str, Any] = {
    "links": [
        {"name": "slow", "resolved": LINK},
        {"name": "fast", "resolved": {**LINK, "title": "Another", "down": {"rate": "1 Gbit/s", "delay": "25 ms"}}},
    ],
    "variants": [{"name": "sack", "resolved": {"recovery": "sack", "ecn": "off"}}],
    "workload": {"name": "bulk", "title": "A transfer", "sets": [{"flows": 1, "size_bytes": 1000}]},
    "time_limit_s": 3600.0,
    "version": "1.0",
    "commit": "abc",
}
ONE = Given(EXPERIMENT, "sack", "slow", "sim", None, "1", 5)


def test_nothing_differs_between_a_batch_and_itself_or_where_words_do() -> None:
    assert apart(ONE, ONE) == []
    told = {**EXPERIMENT, "title": "Other words", "workload": {**EXPERIMENT["workload"], "title": "Words"}}
    assert apart(ONE, replace(ONE, experiment=told)) == []


def test_each_value_that_differs_has_its_key() -> None:
    assert apart(ONE, replace(ONE, link="fast")) == [
        Apart("link", None, "slow", "fast"),
        Apart("link", "down.rate", "10 Mbit/s", "1 Gbit/s"),
    ]
    holds = {**LINK, "impairment": [{"name": "holds", "kind": "hold", "every": "3 s", "length": "1 s"}]}
    changed = {
        **EXPERIMENT,
        "links": [{"name": "slow", "resolved": holds}],
        "variants": [{"name": "sack", "resolved": {"recovery": "sack", "ecn": "on"}, "kernel": "6.9"}],
        "workload": {"name": "bulk", "sets": [{"flows": 2, "size_bytes": 1000}]},
        "commit": "def",
        "time_limit_s": 10.0,
    }
    assert apart(ONE, replace(ONE, experiment=changed, seed="2", repetitions=6, testbed="netns", plane="model")) == [
        Apart("link", "impairment.holds.every", "2 s", "3 s"),
        Apart("link", "impairment.holds.length", None, "1 s"),
        Apart("workload", "sets.1.flows", "1", "2"),
        Apart("variant", "ecn", "off", "on"),
        Apart("variant", "kernel", None, "6.9"),
        Apart("testbed", None, "sim", "netns, model"),
        Apart("seed", None, "1", "2"),
        Apart("repetitions", None, "5", "6"),
        Apart("engine", None, "1.0 (abc)", "1.0 (def)"),
        Apart("experiment", "time_limit_s", "3600.0", "10.0"),
    ]


def test_a_link_with_a_workload_of_its_own_is_compared_by_that() -> None:
    own = {"name": "own", "sets": [{"flows": 1, "size_bytes": 1000}]}
    other = {**EXPERIMENT, "links": [{"name": "slow", "resolved": LINK, "workload": own}]}
    assert apart(ONE, replace(ONE, experiment=other)) == [Apart("workload", None, "bulk", "own")]
