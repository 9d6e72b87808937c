from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import experiment, live, run, simulated
from windlull.stats.compare import METRICS, Comparison, Finding, compare
from windlull.stats.gate import gate
from windlull.stats.matches import Match, Side, matches
from windlull.stats.rules import parse
from windlull.stats.summary import cells

if TYPE_CHECKING:
    from collections.abc import Sequence

    from windlull.stats.quantities import Floats

RANDOM = np.random.default_rng(1)
SPREAD = [float(value) for value in RANDOM.exponential(20, size=60) + 40]


def match(
    baseline: Sequence[float] | Floats, candidate: Sequence[float] | Floats, metric: str = "elapsed_s", **changes: Any
) -> Match:
    def side(name: str, values: Sequence[float] | Floats) -> Side:
        return Side(name, {metric: dict(enumerate(map(float, values), 1))})

    return Match("gprs", "sim", side("old", baseline), side("new", candidate), **changes)


def between(
    baseline: Sequence[float] | Floats,
    candidate: Sequence[float] | Floats,
    metric: str = "elapsed_s",
    *,
    paired: bool = True,
    random: bool = True,
    **options: Any,
) -> Finding:
    of = match(baseline, candidate, metric, paired=paired, random=random)
    (finding,) = compare([of], metrics=[metric], **options).findings
    return finding


def test_a_slower_candidate_is_worse() -> None:
    found = between(SPREAD, [1.05 * value for value in SPREAD])
    assert (found.verdict, found.effect, found.runs) == ("worse", 1, 60)
    assert found.ratio is not None
    assert found.ratio.value == pytest.approx(1.05)
    # Each pair has the same ratio, and pairs are drawn.
    assert found.ratio.low == pytest.approx(1.05)
    assert found.ratio.high == pytest.approx(1.05)
    assert found.needed is None


def test_a_faster_candidate_is_better_and_a_higher_goodput_as_well() -> None:
    assert between(SPREAD, [0.9 * value for value in SPREAD]).verdict == "better"
    assert between(SPREAD, [1.1 * value for value in SPREAD], "goodput_bps").verdict == "better"
    assert between(SPREAD, [0.9 * value for value in SPREAD], "goodput_bps").verdict == "worse"


def test_a_metric_without_a_better_way_only_differs() -> None:
    assert between(SPREAD, [2 * value for value in SPREAD], "fast_retransmits").verdict == "differs"


def test_the_same_runs_are_equal_once_a_rare_event_would_have_shown() -> None:
    """With a margin of 1 % and runs of up to three times the usual: from 1 - 0.025^(1 / n) of 0.5 % on."""
    found = between([10.0] * 60, [10.0] * 60)
    assert (found.verdict, found.p, found.effect, found.test) == ("inconclusive", None, 0, None)
    assert found.why == ("every pair of 60 is the same, but what differs in 6 % of runs need not have shown in so few")
    assert found.needed is not None
    assert found.needed.seen is None
    assert found.needed.margin is not None
    enough = found.needed.margin.runs
    assert enough == pytest.approx(738, abs=1)
    assert between([10.0] * enough, [10.0] * enough).verdict == "equal"
    assert between([10.0] * 700, [10.0] * 700).verdict == "inconclusive"
    assert between([0] * enough, [0] * enough, "spurious_timeouts").verdict == "equal"


def test_pairs_that_are_the_same_but_for_rare_runs_are_seldom_called_equal() -> None:
    """One of twenty runs takes three times as long: the mean is 10 % higher, and few pairs show nothing of it."""
    random = np.random.default_rng(6)
    for count in (6, 10, 20):
        called = 0
        for _ in range(60):
            base = random.normal(10, 1, count)
            called += between(base, base * np.where(random.random(count) < 0.05, 3, 1)).verdict in {"equal", "better"}
        assert called <= 2


def test_less_than_the_margin_is_neither_better_nor_worse() -> None:
    """Every pair is 0.006 % faster, and no run among these is one of the rare slow ones."""
    assert between(SPREAD, [0.99994 * value for value in SPREAD]).verdict == "inconclusive"


def test_a_median_and_a_mean_that_point_to_different_sides_decide_neither() -> None:
    base = np.random.default_rng(6).normal(10, 1, 60)
    found = between(base, 0.95 * base * np.where(np.arange(60) % 6 == 0, 3, 1))
    assert found.verdict == "inconclusive"
    assert found.why.startswith("more pairs are lower, the median is lower, the mean higher (p = ")


def test_rare_slow_runs_are_found_by_the_mean_where_the_medians_are_the_same() -> None:
    base = np.random.default_rng(6).normal(10, 1, 200)
    found = between(base, base * np.where(np.arange(200) % 10 == 0, 3, 1))
    assert found.verdict == "worse"
    assert found.ratio is not None
    assert found.ratio.value == 1


def test_where_nothing_is_random_one_run_tells_all() -> None:
    """Twenty copies of a run are one run: no test, no p, and the two values are compared."""
    for candidate, verdict in ((10.2, "worse"), (9.0, "better"), (10.05, "equal"), (10.0, "equal")):
        found = between([10.0] * 20, [candidate] * 20, random=False)
        assert (found.verdict, found.runs, found.p, found.test) == (verdict, 1, None, None)
        assert found.why.startswith("nothing here is random: one run tells all")
        assert (found.needed, found.unseen) == (None, None)


def test_of_a_workload_that_lasts_a_fixed_time_goodput_is_compared() -> None:
    old, new = (Side(name, {"elapsed_s": {1: 30.0}, "goodput_bps": {1: 1e6}}) for name in ("old", "new"))
    found = compare([Match("gprs", "sim", old, new, fixed_time=True)]).findings
    assert [one.metric for one in found] == ["goodput_bps"]


def test_runs_that_are_no_pairs_are_identical_only_if_they_are_one_value() -> None:
    assert between([0] * 30, [0] * 30, "spurious_timeouts", paired=False).p is None
    assert between(SPREAD, SPREAD, paired=False).p is not None


@pytest.mark.parametrize("count", [1, 2, 5])
def test_few_runs_decide_nothing_however_far_apart_they_are(count: int) -> None:
    found = between([1.0] * count, [100.0] * count)
    assert (found.verdict, found.p, found.test) == ("inconclusive", None, None)
    assert found.why.endswith("too few to tell a difference from chance (it takes 6)")
    assert found.needed is not None
    assert found.needed.seen is not None
    assert found.needed.seen.runs == 6
    assert found.ratio is not None
    assert found.ratio.low is None


def test_six_pairs_can_decide() -> None:
    assert between([1.0, 2, 3, 4, 5, 6], [2.0, 4, 6, 8, 10, 12]).verdict == "worse"


def test_less_than_the_margin_is_equal_even_if_it_is_no_chance() -> None:
    many = SPREAD * 20
    found = between(many, [1.002 * value for value in many])
    assert found.verdict == "equal"
    assert found.why.startswith("median and mean are within 1 % of the baseline's (p = ")
    assert between(SPREAD, [1.002 * value for value in SPREAD], margin=0.001).verdict == "worse"
    assert between(SPREAD, [1.002 * value for value in SPREAD], margin=0).verdict == "worse"


def test_equal_medians_are_not_equal_if_the_means_are_not() -> None:
    """One run of five takes twice as long: the median does not see it."""
    slow = [value * (2 if place % 5 == 0 else 1) for place, value in enumerate(sorted(SPREAD, reverse=True))]
    found = between(sorted(SPREAD, reverse=True), slow, margin=0.02)
    assert found.verdict == "worse"


def test_zeros_on_both_sides_have_no_ratio_but_a_verdict() -> None:
    rare, often = [0] * 36 + [1, 2, 3, 4], [0] * 22 + [1, 2, 3] * 6
    found = between(rare, often, "spurious_timeouts")
    assert (found.medians, found.ratio, found.verdict) == ((0, 0), None, "worse")
    assert found.difference is not None
    assert found.difference.value == 0


def test_what_cannot_be_told_asks_for_runs() -> None:
    noise = np.random.default_rng(2)
    found = between(SPREAD[:20], [float(value) for value in SPREAD[:20] + noise.normal(4, 12, size=20)])
    assert found.verdict == "inconclusive"
    assert found.needed is not None
    assert found.needed.seen is not None
    assert found.needed.margin is not None
    assert found.needed.seen.runs > 20
    assert found.needed.margin.runs > found.needed.seen.runs


def test_the_same_values_as_pairs_tell_more_than_apart() -> None:
    slower = [1.05 * value for value in SPREAD[:30]]
    assert between(SPREAD[:30], slower).verdict == "worse"
    assert between(SPREAD[:30], slower, paired=False).verdict == "inconclusive"


def test_pairs_are_of_the_repetitions_that_both_have() -> None:
    left = Side("old", {"elapsed_s": {1: 1.0, 2: 2.0, 4: 4.0}})
    right = Side("new", {"elapsed_s": {2: 20.0, 3: 30.0, 4: 40.0}})
    (found,) = compare([Match("gprs", "sim", left, right)]).findings
    assert (found.runs, found.medians) == (2, (3, 30))


def test_a_metric_that_one_side_lacks_is_said_to_be_lacking() -> None:
    lacking = Match("gprs", "sim", Side("old", {"elapsed_s": {1: 1.0}}), Side("new", {}))
    (found,) = compare([lacking]).findings
    assert (found.verdict, found.runs, found.medians, found.why) == (
        "inconclusive", 0, None, "no pair has it on both sides",
    )  # fmt: skip


def test_holms_correction_is_over_all_metrics_and_matches() -> None:
    weak = [1.5 * value + (40 if place < 3 else 0) for place, value in enumerate(SPREAD[:8])]
    alone = compare([match(SPREAD[:8], weak)])
    others = [match(SPREAD[:20], [*SPREAD[1:20], SPREAD[0]]) for _ in range(9)]
    among = compare([match(SPREAD[:8], weak), *others])
    assert (alone.family, among.family) == (2, 20)
    assert alone.findings[0].verdict == "worse"
    assert among.findings[0].verdict == "inconclusive"
    assert among.findings[0].p == alone.findings[0].p
    # The runs have four times the mean's part of the error: ten findings are as many as 12.5 tests of the runs.
    assert alone.findings[0].p_adjusted == pytest.approx(1.25 * (alone.findings[0].p or 0))
    assert among.findings[0].p_adjusted == pytest.approx(12.5 * (alone.findings[0].p or 0))


def test_what_is_identical_takes_nothing_from_the_others() -> None:
    assert compare([match(SPREAD, SPREAD), match(SPREAD, SPREAD[::-1])]).family == 2


def rare_and_noisy(count: int, seed: int = 7) -> tuple[Floats, Floats]:
    """Two sides that scatter alike, but one in twenty of the candidate's runs takes three times as long."""
    random = np.random.default_rng(seed)
    base, other = random.normal(10, 1, (2, count))
    return base, other * np.where(random.random(count) < 0.05, 3, 1)


def test_rare_slow_runs_among_others_that_scatter_are_found_by_the_mean() -> None:
    found = between(*rare_and_noisy(1000), paired=False)
    assert (found.verdict, found.by) == ("worse", "mean")
    assert found.why.startswith("it is the mean that is higher by more than 1 %, not the usual run (p = ")
    assert found.mean_p is not None
    assert found.mean_p_adjusted is not None
    assert found.mean_p < found.mean_p_adjusted <= 0.05
    slower, base = reversed(rare_and_noisy(1000))
    back = between(slower, base, paired=False)
    assert (back.verdict, back.by) == ("better", "mean")


def test_a_few_rare_slow_runs_are_not_yet_shown_and_ask_for_more() -> None:
    found = between(*rare_and_noisy(60), paired=False)
    assert (found.verdict, found.by) == ("inconclusive", None)
    assert found.needed is not None
    assert found.needed.seen is not None
    assert found.needed.seen.runs > 60


def test_a_mean_decides_nothing_where_the_usual_run_is_shown_to_differ_the_other_way() -> None:
    base, slow = rare_and_noisy(1000)
    found = between(base, 0.95 * slow, paired=False)
    assert found.means is not None
    assert found.means[0] < found.means[1]
    assert (found.verdict, found.by) == ("inconclusive", None)
    assert "the median is lower, the mean higher" in found.why


def test_what_the_runs_show_is_not_said_to_be_the_mean() -> None:
    found = between(SPREAD, [1.5 * value for value in SPREAD])
    assert (found.verdict, found.by) == ("worse", "runs")
    assert found.why == (
        f"60 of 60 pairs are higher by more than 1 %, none lower (p = {found.p_adjusted:.2g} after Holm over 2 tests)"
    )
    found = between(SPREAD, [1.5 * value for value in SPREAD], paired=False)
    assert found.why.startswith("more runs are higher by more than 1 % than lower (p = ")


def test_the_interval_of_a_ratio_of_means_says_what_a_gate_says() -> None:
    """A far run of both sides is no event of the ratio: of 1,000 pairs 50 are faster, and one takes 500 s."""
    base = np.full(1000, 1.0)
    base[:50], base[50] = 4.0, 500.0
    faster = np.where(base == 4.0, 1.0, base)
    mean = between(base, faster).mean_ratio
    assert mean is not None
    assert mean.high is not None
    assert mean.high < 1
    for away, status in ((-1e-4, "inconclusive"), (1e-4, "pass")):
        rule = parse(f"elapsed.mean > {mean.high + away:.9f} * baseline")
        assert gate([match(list(base), list(faster))], [rule]).status == status


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_what_is_no_number_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="new: a value of elapsed_s is no finite number"):
        between([1.0], [value])


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"margin": -0.1}, "a margin of -0.1"),
        ({"margin": 1}, "a margin of 1"),
        ({"confidence": 1}, "a confidence of 1"),
        ({"power": 0.2}, "a power of 0.2"),
    ],
)
def test_options_out_of_range_are_refused(options: dict[str, Any], what: str) -> None:
    with pytest.raises(ValueError, match=what):
        between([1.0], [2.0], **options)


COUNTS = st.lists(st.integers(0, 4), min_size=1, max_size=12)


@settings(max_examples=40, deadline=None)
@given(COUNTS, COUNTS, st.booleans())
def test_any_small_counts_have_a_verdict_that_turns_round_with_the_sides(
    left: list[int],
    right: list[int],
    paired: bool,  # noqa: FBT001 - hypothesis passes it by name
) -> None:
    there = between(left, right, "spurious_timeouts", paired=paired)
    back = between(right, left, "spurious_timeouts", paired=paired)
    turned = {"better": "worse", "worse": "better"}
    assert back.verdict == turned.get(there.verdict, there.verdict)
    assert back.p == pytest.approx(there.p) if there.p is not None else back.p is None
    for found in (there, back):
        text = msgspec.json.encode(found)
        assert msgspec.json.decode(text, type=Finding) == found


def test_the_same_input_gives_the_same_bytes() -> None:
    shuffled = [match(SPREAD, SPREAD[::-1])]
    first, again = (msgspec.json.encode(compare(shuffled)) for _ in range(2))
    assert first == again
    assert msgspec.json.decode(first, type=Comparison).confidence == 0.95


def test_the_cells_of_an_experiment_are_set_against_the_first_variant() -> None:
    about = experiment()
    runs = [run(variant, n) for variant in ("sack", "frto+sack") for n in range(1, 4)]
    (only,) = matches(cells(about, runs), ["frto+sack", "sack"])
    assert (only.link, only.testbed, only.baseline.name, only.candidate.name) == ("gprs", "sim", "frto+sack", "sack")
    assert {finding.metric for finding in compare([only]).findings} == {"elapsed_s", "retransmissions"}
    assert set(METRICS) > {"elapsed_s", "retransmissions"}
    with pytest.raises(ValueError, match="a comparison needs two variants"):
        matches([], ["sack"])


def test_testbeds_are_compared_each_for_itself() -> None:
    about = experiment()
    runs = [simulated("sack", 1), simulated("frto+sack", 1), live("sack", 1)]
    assert [one.testbed for one in matches(cells(about, runs), ["sack", "frto+sack"])] == ["sim"]


def test_two_variants_that_do_not_differ_are_rarely_called_different() -> None:
    """At most 5 % of comparisons, over all metrics, give a false alarm; three standard errors of 40 trials."""
    random = np.random.default_rng(3)
    alarms = 0
    for trial in range(40):
        values = {name: random.exponential(size=(2, 12)) for name in ("elapsed_s", "packets_lost", "retransmissions")}
        left, right = (
            Side(str(place), {name: dict(enumerate(map(float, of[place]))) for name, of in values.items()})
            for place in (0, 1)
        )
        # Without a margin nothing is planned, which is what takes the time.
        found = compare([Match("gprs", "sim", left, right, paired=trial % 2 == 0)], margin=0).findings
        alarms += any(finding.verdict in {"better", "worse"} for finding in found)
    assert alarms / 40 < 0.05 + 3 * (0.05 * 0.95 / 40) ** 0.5


def test_fewer_true_negatives_are_neither_better_nor_worse() -> None:
    """They are fewer, too, where the candidate has fewer genuine timeouts to call so."""
    left, right = (
        Side(name, {"detector_true_negatives": dict(enumerate(values))})
        for name, values in (("a", [4.0 + place % 3 for place in range(12)]), ("b", [0.0] * 12))
    )
    pair = Match("gprs", "sim", left, right, paired=True)
    (found,) = compare([pair], metrics=["detector_true_negatives"], margin=0).findings
    assert found.verdict == "differs"
