"""What a suite's runs amount to, and how it is said in KTAP and JUnit XML; of made-up measurements."""

from __future__ import annotations

import io
import json
import re
from typing import TYPE_CHECKING

import numpy as np
from junitparser import JUnitXml
from rich.console import Console

from windlull.patches.ktap import ktap
from windlull.patches.report import check_json, check_junit, check_markdown, print_check
from windlull.patches.scenarios import Played, Scenario
from windlull.patches.verdicts import Check, judge
from windlull.reports.verdicts import About
from windlull.stats.matches import Match, Side

if TYPE_CHECKING:
    from collections.abc import Sequence

ABOUT = About("A suite", "base, v6.12", "mine #2", ("a note",))
RANDOM = np.random.default_rng(1)
SPREAD = [float(value) for value in RANDOM.exponential(2, size=20) + 4]


def played(name: str, candidate: Sequence[float], timeouts: Sequence[float] | None = None, failed: int = 0) -> Played:
    def side(kernel: str, values: Sequence[float], other: Sequence[float]) -> Side:
        return Side(kernel, {"elapsed_s": dict(enumerate(values, 1)), "genuine_timeouts": dict(enumerate(other, 1))})

    zeros = [0.0] * len(SPREAD)
    match = Match(name, "kernel", side("linux@old", SPREAD, zeros), side("linux@new", candidate, timeouts or zeros))
    scenario = Scenario(
        f"kernel/{name}", f"Of {name}", ("linux",), ("a-link",), ("elapsed_s", "genuine_timeouts"), None, 1
    )
    return Played(scenario, (match,), tuple(f"linux@new, repetition {number}: panic" for number in range(failed)))


def check() -> Check:
    faster, slower = [0.8 * value for value in SPREAD], [1.2 * value for value in SPREAD]
    return judge(
        [
            played("same", SPREAD),
            played("slower", slower),
            played("faster", faster),
            played("traded", faster, [1.0] * 20),
            played("broken", SPREAD, failed=2),
        ]
    )


def test_a_scenario_is_worse_if_it_is_in_any_metric() -> None:
    verdicts = {one.name: one.verdict for one in check().scenarios}
    assert verdicts == {
        "same": "inconclusive", "slower": "worse", "faster": "better", "traded": "worse", "broken": "failed",
    }  # fmt: skip
    assert not check().passed
    assert judge([played("same", SPREAD)]).passed


def test_the_correction_covers_all_scenarios() -> None:
    # Sixteen of twenty pairs are slower: p = 0.012 of one scenario, and not enough among twenty that vary as much.
    signs = [1.1] * 16 + [0.9] * 4
    alone = [value * sign for value, sign in zip(SPREAD, signs, strict=True)]
    assert judge([played("alone", alone)]).scenarios[0].verdict == "worse"
    noise = [
        [value * sign for value, sign in zip(SPREAD, RANDOM.permutation([1.1, 0.9] * 10), strict=True)]
        for _ in range(19)
    ]
    among = judge([played("alone", alone), *(played(f"noise-{number}", one) for number, one in enumerate(noise))])
    assert [one.verdict for one in among.scenarios] == ["inconclusive"] * 20
    assert among.comparison.family == 40


def test_what_changes_nothing_is_rarely_worse() -> None:
    wrong = 0
    for _ in range(100):
        suite = [
            played(
                f"scenario-{number}",
                [value * factor for value, factor in zip(SPREAD, RANDOM.lognormal(0, 0.1, 20), strict=True)],
            )
            for number in range(6)
        ]
        wrong += not judge(suite).passed
    # Worse is one of two sides of a 5 % error.
    assert wrong <= 100 * 0.025 + 3 * (100 * 0.025 * 0.975) ** 0.5


def test_ktap_has_a_result_for_each_scenario_after_what_is_known_of_it() -> None:
    lines = ktap(ABOUT, check()).splitlines()
    assert lines[:2] == ["KTAP version 1", "1..5"]
    results = [line for line in lines if not line.startswith("#")][2:]
    assert results == ["ok 1 same", "not ok 2 slower", "ok 3 faster", "not ok 4 traded", "not ok 5 broken"]
    assert all(re.fullmatch(r"# \S.*", line) for line in lines if line not in [*lines[:2], *results])
    slower = lines.index("not ok 2 slower")
    assert any(line.startswith("# slower: worse: elapsed time") for line in lines[lines.index("ok 1 same") : slower])
    assert "# broken: failed: linux@new, repetition 0: panic, and 1 more" in lines
    assert "# base: base, v6.12" in lines


def test_junit_has_a_case_for_each_scenario() -> None:
    document = JUnitXml.fromstring(check_junit(ABOUT, check()))
    assert (document.tests, document.failures, document.skipped) == (5, 3, 0)
    (suite,) = document
    assert [case.name for case in suite if case.result] == ["slower", "traded", "broken"]


def test_table_markdown_and_json_have_every_scenario() -> None:
    out = io.StringIO()
    print_check(Console(file=out, width=200), ABOUT, check())
    markdown = check_markdown(ABOUT, check()).decode()
    document = json.loads(check_json(ABOUT, check()))
    assert [one["verdict"] for one in document["scenarios"]] == ["inconclusive", "worse", "better", "worse", "failed"]
    for name in ("same", "slower", "faster", "traded", "broken"):
        assert name in out.getvalue()
        assert name in markdown
