from __future__ import annotations

import numpy as np

from windlull.stats.bootstrap import Floats, generator, ratio_interval


def medians(rows: Floats) -> Floats:
    return np.asarray(np.median(rows, axis=1))


def test_the_same_seed_and_name_draw_the_same() -> None:
    left, right = [3.0, 5.0, 4.0, 9.0], [2.0, 2.5, 4.5, 3.0]
    first = ratio_interval(left, right, medians, generator(7, "claim/a"))
    assert first == ratio_interval(left, right, medians, generator(7, "claim/a"))
    assert generator(7, "claim/a").random() != generator(8, "claim/a").random()
    assert generator(7, "claim/a").random() != generator(7, "claim/b").random()


def test_pairs_are_drawn_together() -> None:
    # Each left is twice its right: whichever pairs are drawn, the ratio of the medians is 2.
    right = [1.0, 10.0, 100.0, 1000.0, 7.0]
    assert ratio_interval([2 * value for value in right], right, medians, generator(1, "pairs")) == (2.0, 2.0)


def test_an_interval_covers_what_it_estimates() -> None:
    random = np.random.default_rng(3)
    left = list(random.normal(100, 5, size=40))
    right = list(random.normal(50, 5, size=40))
    interval = ratio_interval(left, right, medians, generator(1, "cover"))
    assert interval is not None
    assert 1.8 < interval[0] < np.median(left) / np.median(right) < interval[1] < 2.2


def test_no_interval_from_one_pair_or_over_zero() -> None:
    assert ratio_interval([1.0], [2.0], medians, generator(1, "one")) is None
    assert ratio_interval([1, 1, 1], [0, 0, 5], medians, generator(1, "zero")) is None


def test_many_repetitions_are_drawn_in_blocks_with_the_same_result_each_time() -> None:
    values = list(np.random.default_rng(5).uniform(1, 2, size=5000))
    assert ratio_interval(values, values, medians, generator(1, "many")) == (1.0, 1.0)
