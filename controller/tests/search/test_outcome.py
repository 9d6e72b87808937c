"""How bad runs are, and what fails; values computed by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.search.fakes import AIM, BASELINE, VARIANT, hold, outcome
from windlull.metrics import METRICS
from windlull.search.archive import Archive
from windlull.search.candidate import Parameter, candidate
from windlull.search.outcome import MOST_RATIO, UNFINISHED, Beyond, Broken, Outcome, signature
from windlull.stats.rules import parse

AGAINST = replace(AIM, baseline=BASELINE, by="ratio")


def test_the_median_of_the_repetitions_counts() -> None:
    assert AIM.badness(outcome(3.0, 9.0, 4.0)) == 4.0
    assert AIM.badness(outcome(3.0, None, 4.0)) == 3.5
    assert AIM.badness(outcome(None)) is None
    assert AIM.badness(Outcome(problem="a limit")) is None


def test_pairs_meet_the_same_link() -> None:
    pairs = outcome(10.0, 20.0, 90.0, baseline=[5.0, 20.0, None])
    assert AGAINST.each(pairs) == [2.0, 1.0, None]
    assert AGAINST.badness(pairs) == 1.5
    assert replace(AGAINST, by="difference").each(pairs) == [5.0, 0.0, None]


def test_a_ratio_to_nothing_has_a_bound() -> None:
    assert AGAINST.each(outcome(1.0, 0.0, 9000.0, baseline=[0.0, 0.0, 1.0])) == [MOST_RATIO, 1.0, MOST_RATIO]


def test_what_is_better_high_is_worse_low() -> None:
    aim = replace(AIM, metric=METRICS["goodput_bps"], higher_is_worse=False)
    runs = Outcome({VARIANT: {"goodput_bps": (4e6,)}, BASELINE: {"goodput_bps": (8e6,)}})
    assert (aim.badness(runs), aim.shown(-4e6)) == (-4e6, 4e6)
    assert replace(aim, baseline=BASELINE, by="ratio").badness(runs) == 2.0
    assert replace(aim, baseline=BASELINE, by="difference").badness(runs) == 4e6


def test_beyond_a_threshold() -> None:
    failing = Beyond(AIM, 5.0)
    assert failing.fails(outcome(4.0, 5.0, 6.0))
    assert not failing.fails(outcome(4.0, 4.9, 6.0))
    assert failing.each(outcome(4.0, 5.0, None)) == [False, True, False]
    assert failing.text == "elapsed_s >= 5"


@pytest.mark.parametrize(
    ("rule", "fails", "each"),
    [
        ("elapsed.median > 1.5 * baseline", True, [True, False, True]),
        ("elapsed.median > 25 s", False, [False, False, True]),
        ("elapsed.p90 >= 30 s", False, [False, False, True]),
        ("elapsed.median < 30 s", True, [True, True, False]),
    ],
)
def test_a_rule_of_gates(rule: str, fails: bool, each: list[bool]) -> None:  # noqa: FBT001
    failing = Broken(parse(rule), VARIANT, BASELINE)
    runs = outcome(10.0, 20.0, 30.0, baseline=[5.0, 20.0, 10.0])
    assert (failing.fails(runs), failing.each(runs)) == (fails, each)


def test_a_rule_needs_both_sides() -> None:
    failing = Broken(parse("elapsed.median > baseline"), VARIANT, BASELINE)
    assert not failing.fails(outcome(10.0))
    assert not failing.fails(Outcome())


def test_what_went_wrong_beyond_the_base_link() -> None:
    base = outcome(1.0, spurious_timeouts=1, genuine_timeouts=0)
    assert signature(VARIANT, outcome(1.0, spurious_timeouts=1), base) == ()
    assert signature(VARIANT, outcome(1.0, spurious_timeouts=2, genuine_timeouts=1), base) == (
        "spurious_timeouts",
        "genuine_timeouts",
    )
    assert signature(VARIANT, Outcome(unfinished={VARIANT: 1}), base) == (UNFINISHED,)


def test_the_worst_of_each_kind_come_first() -> None:
    archive = Archive(AIM, outcome(1.0))
    hold_down = [candidate((hold(at, 100),), (Parameter("both.delay", at, "ms"),)) for at in (1.0, 2.0, 3.0)]
    archive.add(1, hold_down[0], outcome(5.0))
    archive.add(2, hold_down[1], outcome(7.0))
    archive.add(3, hold_down[2], outcome(7.0))
    archive.add(4, hold_down[2], outcome(6.0, spurious_timeouts=1))
    archive.add(5, candidate((hold(1, 100, "up"),)), outcome(9.0))
    archive.add(6, candidate(()), outcome(None))
    numbers = [[entry.number for entry in kind] for kind in archive.worst(2)]
    assert numbers == [[5], [2, 3], [4]]
    assert str(archive.worst()[2][0].kind) == "hold down: spurious_timeouts"
