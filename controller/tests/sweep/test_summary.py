"""Medians and how sure they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.sweep.example import runs
from windlull.sweep import columns
from windlull.sweep.summary import cells, estimate, median_interval

if TYPE_CHECKING:
    from pathlib import Path


def test_the_interval_goes_from_one_value_in_order_to_another() -> None:
    """By hand: of six values all lie on one side of the median with probability 2 / 64, so that it is nearly all."""
    few = median_interval(np.array([1.0, 2, 3, 4, 5, 6]))
    assert few is not None
    assert 1 < few[0] < 1.4
    assert 5.6 < few[1] < 6
    # Of a hundred values the 40th is above the median with probability 1.8 %, the 41st with 2.8 %: between the two.
    many = median_interval(np.arange(1.0, 101))
    assert many == pytest.approx((40.76, 60.24), abs=0.01)


@settings(deadline=None)
@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=40))
def test_an_interval_lies_within_the_values(values: list[float]) -> None:
    found = estimate(np.array(values))
    assert found.min <= found.q1 <= found.median <= found.q3 <= found.max
    if len(values) < 6:
        assert found.interval is None
    else:
        assert found.interval is not None
        assert found.min <= found.interval[0] <= found.interval[1] <= found.max


def test_equal_values_leave_no_doubt() -> None:
    assert estimate(np.full(9, 4.0)).interval == (4.0, 4.0)


def written(path: Path, *tables: pa.Table, group: int = 3) -> Path:
    pq.write_table(pa.concat_tables(tables), path, row_group_size=group)
    return path


def test_a_cell_is_a_variant_on_a_link_at_a_point(tmp_path: Path) -> None:
    results = written(
        tmp_path / "results.parquet",
        columns.rows(0, [*runs(0, range(4)), *runs(0, range(4), link="edge")]),
        columns.rows(1, runs(1, range(6))),
    )
    found = list(cells(results, ["retransmissions"]))
    assert [(cell.point, cell.link, cell.variant, cell.runs) for cell in found] == [
        (0, "gprs", "sack", 2), (0, "gprs", "frto+sack", 2), (0, "edge", "sack", 2), (0, "edge", "frto+sack", 2),
        (1, "gprs", "sack", 3), (1, "gprs", "frto+sack", 3),
    ]  # fmt: skip
    assert [cell.metrics["retransmissions"].median for cell in found] == [1, 2, 1, 2, 12, 13]


def test_what_did_not_end_is_counted_apart(tmp_path: Path) -> None:
    results = written(
        tmp_path / "results.parquet", columns.rows(0, [*runs(0, [0, 2]), *runs(0, [4], unfinished="time limit")])
    )
    (cell,) = cells(results, ["retransmissions", "detection_delay_s"])
    assert (cell.runs, cell.unfinished) == (2, 1)
    assert cell.metrics["retransmissions"].max == 2
    assert cell.metrics["detection_delay_s"].runs == 1
