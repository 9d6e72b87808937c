from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.examples import INVALID, experiment, live, simulated
from windlull.stats.differences import Difference, differences
from windlull.stats.quantities import FEWEST
from windlull.stats.summary import cells

if TYPE_CHECKING:
    from collections.abc import Sequence


def between(sim: Sequence[float], netns: Sequence[float]) -> Difference:
    runs = [simulated("sack", n, metrics={"elapsed_s": value}) for n, value in enumerate(sim, 1)]
    runs += [live("sack", n, metrics={"elapsed_s": value}) for n, value in enumerate(netns, 1)]
    about = experiment(repetitions=20)
    (found,) = differences(cells(about, runs))
    return found


def test_a_difference_is_of_medians() -> None:
    found = between([10.0, 20.0, 30.0], [11.0, 22.0, 33.0])
    assert (found.simulated, found.live, found.absolute) == (20, 22, 2)
    assert found.percent == pytest.approx(10)
    assert (found.variant, found.link, found.testbed, found.metric) == ("sack", "gprs", "netns", "elapsed_s")


@pytest.mark.parametrize("pairs", [1, FEWEST - 1])
def test_few_pairs_tell_nothing(pairs: int) -> None:
    found = between([10.0] * pairs, [20.0] * pairs)
    assert (found.telling, found.interval, found.pairs) == ("too few", None, pairs)


def test_the_fewest_is_the_first_count_whose_range_is_a_95_percent_interval() -> None:
    """By hand: n values all lie on one side of the median with probability 2 / 2^n."""
    assert 2 / 2**FEWEST <= 0.05 < 2 / 2 ** (FEWEST - 1)


def test_enough_pairs_that_lie_apart_differ() -> None:
    found = between([10.0, 10.1, 10.2, 10.3, 10.4, 10.5], [20.0, 20.1, 20.2, 20.3, 20.4, 20.5])
    assert found.telling == "differs"
    assert found.interval is not None
    # By hand: pairs are drawn, and their ratios lie between 20.5 / 10.5 and 20 / 10.
    assert 95 < found.interval[0] < found.interval[1] <= 100


def test_enough_pairs_that_mix_are_not_told_apart() -> None:
    found = between([10.0, 11.0, 12.0, 13.0, 14.0, 15.0], [11.0, 10.0, 13.0, 12.0, 15.0, 14.0])
    assert found.telling == "not told apart"


def test_pairs_that_are_equal_are_called_so() -> None:
    found = between([10.0, 11.0] * 3, [10.0, 11.0] * 3)
    assert (found.telling, found.percent, found.interval) == ("equal", 0, None)


def test_a_median_of_nothing_has_no_ratio() -> None:
    found = between([0.0] * 6, [2.0] * 6)
    assert (found.percent, found.absolute, found.telling) == (None, 2, "not told apart")


def test_pairs_are_of_the_repetitions_that_count_in_both() -> None:
    runs = [simulated("sack", 1), simulated("sack", 2), live("sack", 2), live("sack", 3), live("sack", 1)]
    runs[-1] = live("sack", 1, certificate=INVALID)
    about = experiment()
    (elapsed, _) = differences(cells(about, runs))
    assert (elapsed.metric, elapsed.pairs, elapsed.simulated, elapsed.live) == ("elapsed_s", 1, 72, 72)
    assert differences(cells(about, [simulated("sack", 1), live("sack", 2)])) == []


def test_what_was_not_simulated_has_no_difference() -> None:
    about = experiment()
    assert differences(cells(about, [live("sack", 1), simulated("frto+sack", 1)])) == []
