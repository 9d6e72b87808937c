from __future__ import annotations

import io
import json
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from junitparser import JUnitXml
from rich.console import Console

from windlull.reports.verdict_files import (
    comparison_json,
    comparison_markdown,
    gate_json,
    gate_junit,
    gate_markdown,
)
from windlull.reports.verdicts import About, in_a_sentence, print_comparison, print_gate
from windlull.stats.compare import Comparison, compare
from windlull.stats.gate import Gate, gate
from windlull.stats.matches import Match, Side
from windlull.stats.rules import parse

if TYPE_CHECKING:
    from collections.abc import Sequence

RANDOM = np.random.default_rng(1)
SPREAD = [float(value) for value in RANDOM.exponential(20, size=30) + 40]
NOISY = [float(value) for value in np.array(SPREAD) + RANDOM.normal(1, 10, size=30)]
ABOUT = About("A title", "out/old", "out/new:sack", ("seeds differ",))


def match(baseline: Sequence[float], candidate: Sequence[float], metric: str = "elapsed_s") -> Match:
    left, right = (
        Side(name, {metric: dict(enumerate(of, 1)), "genuine_timeouts": dict(enumerate([0] * len(of), 1))})
        for name, of in (("sack", baseline), ("frto+sack", candidate))
    )
    return Match("gprs", "sim", left, right)


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    return compare([match(SPREAD, [1.2 * value for value in SPREAD]), match(SPREAD, NOISY)])


@pytest.fixture(scope="module")
def verdict() -> Gate:
    """A check that fails, one that passes, and one that is inconclusive."""
    rules = [parse(f"elapsed.median > {limit}") for limit in ("baseline", "2 * baseline", "54 s")]
    found = gate([match(SPREAD, [1.05 * value for value in SPREAD])], rules)
    assert [check.status for check in found.checks] == ["fail", "pass", "inconclusive"]
    return found


def printed(what: Comparison | Gate) -> str:
    out = Console(file=io.StringIO(), width=100)
    if isinstance(what, Gate):
        print_gate(out, ABOUT, what)
    else:
        print_comparison(out, ABOUT, what)
    assert isinstance(out.file, io.StringIO)
    return out.file.getvalue()


def test_the_terminal_has_every_verdict_whole(comparison: Comparison) -> None:
    text = printed(comparison)
    assert "note: seeds differ" in text
    assert "frto+sack against sack, gprs, sim, 30 pairs" in text
    assert "+20 % (+20 to +20)" in text
    for word in ("worse", "equal", "inconclusive"):
        assert word in text
    assert "…" not in text
    # Sentences are for the terminal to wrap.
    assert max(len(line.rstrip()) for line in text.splitlines() if ": " not in line) <= 100
    assert "pairs that would decide" in text


def test_the_terminal_has_every_check_with_its_numbers(verdict: Gate) -> None:
    text = printed(verdict)
    assert "elapsed.median > 2 * baseline" in text
    assert "from the limit" in text
    assert "gate: fail\n" in text
    assert "would decide, if the candidate is 5 % or more from the" in text
    waiting = replace(verdict, status="inconclusive", asked=42)
    assert "gate: inconclusive; run again with --reps 42 and a new --seed\n" in printed(waiting)


@pytest.mark.parametrize(
    ("statistic", "alpha", "sure"),
    [("median", 0.025, "(95 %"), ("mean", 0.025, "(at least 95 %"), ("median", 0.005, "(99 %")],
)
def test_a_check_says_how_sure_its_interval_is(statistic: str, alpha: float, sure: str) -> None:
    found = gate([match(SPREAD, NOISY)], [parse(f"elapsed.{statistic} > 1.05 * baseline")], alpha=alpha)
    text = gate_markdown(ABOUT, found).decode()
    assert f" s {sure} interval " in text
    assert " from the limit |" in text
    (check,) = json.loads(gate_json(ABOUT, found))["gate"]["checks"]
    assert check["confidence"] == pytest.approx(1 - 2 * alpha)
    assert check["excess"]["at_least"] == (statistic == "mean")


def test_a_mean_that_decides_says_how_sure_its_interval_is() -> None:
    """Both sides scatter alike, but one in twenty of the candidate's runs takes three times as long."""
    random = np.random.default_rng(7)
    base, other = random.normal(10, 1, (2, 1000))
    of = match(list(base), list(other * np.where(random.random(1000) < 0.05, 3, 1)))
    assert ", at least 95 % interval\n" in printed(compare([replace(of, paired=False)], metrics=["elapsed_s"]))


@pytest.mark.parametrize(
    ("rule", "values", "numbers"),
    [
        # Three of forty runs have two timeouts; what the rule leaves is 0.003.
        (
            "genuine_timeouts.mean > 1.02 * baseline", [2, 2, 2] + [0] * 37,
            "limit 0.1530 timeouts: -0.0030 timeouts (at least 95 % interval -0.0293 to +0.0238)",
        ),
        ("elapsed.median > 1.02 * baseline", [0.704] * 40, "limit 0.718 s: -0.014 s (at least 95 % interval -0.014 "),
        ("elapsed.median > baseline", [70.4] * 40, "median 70.40 s, baseline 70.40 s, limit 70.40 s: +0.00 s ("),
        ("elapsed.median > 1.5 * baseline", [70.4] * 40, "limit 105.60 s: -35.20 s ("),
    ],
)  # fmt: skip
def test_what_is_far_or_near_has_digits(rule: str, values: Sequence[float], numbers: str) -> None:
    side = Side("sack", {parse(rule).metric.name: dict(enumerate(values, 1))})
    assert numbers in " ".join(printed(gate([Match("gprs", "sim", side, side)], [parse(rule)])).split())


def test_what_the_medians_do_not_show_is_said_beside_them() -> None:
    """Of 40 pairs twelve are half as long, and the others longer by nearly nothing."""
    faster = [0.5 if place < 12 else 1.00005 for place in range(40)]
    text = " ".join(printed(compare([match([1.0] * 40, faster)])).split())
    assert "+0.005 %" in text
    assert "better" in text
    assert "elapsed time: 12 of 40 pairs are lower by more than 1 %, none higher (p = " in text
    assert "; mean -15 % (" in text
    # Where the median is as far, the table says it.
    assert "12 of 40" not in printed(compare([match([1.0] * 40, [0.5] * 40)]))
    assert "pairs are lower" not in printed(compare([match([1.0] * 40, [0.5] * 40)]))


def test_it_is_said_why_nothing_is_decided_and_of_what_the_change_is(comparison: Comparison) -> None:
    text = printed(comparison)
    assert "genuine timeouts: every pair of 30 is the same, but what differs in " in text
    assert "median of pairs' changes" in text
    assert "| median of pairs' changes |" in comparison_markdown(ABOUT, comparison).decode()
    apart = printed(compare([replace(match(SPREAD, NOISY), paired=False)]))
    assert "change of the median" in apart
    assert "elapsed time: not told apart (p = " in apart


def test_a_gate_is_told_in_a_sentence(verdict: Gate) -> None:
    assert in_a_sentence(verdict).startswith(
        "The gate failed: elapsed.median > baseline. frto+sack against sack, gprs, sim: median "
    )
    held = [match(SPREAD, SPREAD)]
    rules = [parse(f"elapsed.median > {limit}") for limit in ("2 * baseline", "3 * baseline")]
    assert in_a_sentence(gate(held, rules[:1])) == "The gate passed: elapsed.median > 2 * baseline does not hold."
    assert in_a_sentence(gate(held, rules)) == (
        "The gate passed: none of these holds: elapsed.median > 2 * baseline; elapsed.median > 3 * baseline."
    )


def test_json_has_all_there_is(comparison: Comparison, verdict: Gate) -> None:
    record = json.loads(comparison_json(ABOUT, comparison))
    assert record["version"] == 1
    assert record["about"]["notes"] == ["seeds differ"]
    assert [one["verdict"] for one in record["comparison"]["findings"]] == [one.verdict for one in comparison.findings]
    record = json.loads(gate_json(ABOUT, verdict))
    assert [one["status"] for one in record["gate"]["checks"]] == ["fail", "pass", "inconclusive"]
    assert record["gate"]["asked"] == verdict.asked


def test_on_several_links_it_says_what_more_repetitions_tell() -> None:
    here, there = match(SPREAD, NOISY), replace(match(SPREAD, NOISY), link="satellite")
    sentence = "each of 2 links is decided by its own runs"
    rules = [parse("elapsed.median > baseline")]
    for one in (compare([here, there]), gate([here, there], rules)):
        assert sentence in printed(one)
    assert sentence in comparison_markdown(ABOUT, compare([here, there])).decode()
    assert sentence in gate_markdown(ABOUT, gate([here, there], rules)).decode()
    assert sentence not in printed(gate([here], rules))
    same = [match(SPREAD, SPREAD), replace(match(SPREAD, SPREAD), link="satellite")]
    assert sentence not in printed(gate(same, rules))


def test_junit_counts_what_failed_and_skips_what_is_inconclusive(verdict: Gate) -> None:
    suites = JUnitXml.fromstring(gate_junit(ABOUT, verdict, strict=False))
    assert (suites.tests, suites.failures, suites.skipped, suites.errors) == (3, 1, 1, 0)
    (suite,) = suites
    assert next((case.name, case.classname) for case in suite) == (
        "elapsed.median > baseline", "frto+sack against sack, gprs, sim",
    )  # fmt: skip
    strict = JUnitXml.fromstring(gate_junit(ABOUT, verdict, strict=True))
    assert (strict.tests, strict.failures, strict.skipped) == (3, 2, 0)


def test_names_from_peoples_files_break_neither_xml_nor_markdown(verdict: Gate) -> None:
    nasty = "a|b <script> *c* `d` \x00 [e](f)"
    check = replace(verdict.checks[0], candidate=nasty, why=nasty)
    of = replace(verdict, checks=(check,))
    (suite,) = JUnitXml.fromstring(gate_junit(replace(ABOUT, title=nasty), of, strict=False))
    assert "<script>" in next(iter(suite)).classname
    text = gate_markdown(replace(ABOUT, title=nasty), of).decode()
    assert "<script>" not in text.replace("\\<", "")
    row = text.splitlines()[-1]
    assert row.replace("\\|", "").count("|") == 6


def test_markdown_is_tables(comparison: Comparison, verdict: Gate) -> None:
    text = gate_markdown(ABOUT, verdict).decode()
    assert "## ❌ gate: fail\n" in text
    assert "| ❌ fail | `elapsed.median > baseline` | frto+sack against sack, gprs, sim |" in text
    text = comparison_markdown(ABOUT, comparison).decode()
    assert "| elapsed time, s |" in text
    assert "❌ worse |" in text
    for line in text.splitlines():
        assert not line.startswith("|") or line.count("|") in {8, 4}


def test_the_same_verdict_gives_the_same_bytes(comparison: Comparison, verdict: Gate) -> None:
    for write in (comparison_json, comparison_markdown):
        assert write(ABOUT, comparison) == write(ABOUT, comparison)
    assert gate_junit(ABOUT, verdict, strict=True) == gate_junit(ABOUT, verdict, strict=True)


def test_a_metric_that_nobody_has_and_zeros_are_written() -> None:
    zeros = Match("l", "sim", Side("a", {"spurious_timeouts": dict.fromkeys(range(8), 0)}),
                  Side("b", {"spurious_timeouts": {n: n % 2 for n in range(8)}}))  # fmt: skip
    lacking = Match("l", "sim", Side("a", {"spurious_timeouts": {}}), Side("b", {"spurious_timeouts": {1: 2}}))
    text = printed(compare([zeros, lacking]))
    assert "+0.5 (+0.0 to +1)" in text or "+0.5 (" in text
    assert comparison_markdown(ABOUT, compare([lacking])).decode().count("| - |") >= 1
    rules = [parse("spurious_timeouts.median > baseline")]
    assert "no pair has spurious_timeouts" in printed(gate([lacking], rules))
    assert b"| - |" in gate_markdown(ABOUT, gate([lacking], rules))
