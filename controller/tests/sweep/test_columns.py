"""Rows and their types."""

from __future__ import annotations

import pyarrow as pa
import pytest

from tests.sweep.example import runs, sweep
from windlull.metrics import METRICS
from windlull.runner.messages import ProtocolError
from windlull.sweep import columns
from windlull.sweep.columns import Results


def test_a_row_has_what_the_run_has() -> None:
    made = runs(4, [2, 3])
    table = columns.rows(4, made)
    assert table.column("point").to_pylist() == [4, 4]
    assert table.column("variant").to_pylist() == ["sack", "frto+sack"]
    assert table.column("repetition").to_pylist() == [2, 2]
    assert table.column("seed").to_pylist() == [int(run.seed) for run in made]
    assert table.column("unfinished").to_pylist() == [None, None]
    for name in METRICS:
        assert table.column(name).to_pylist() == [run.metrics.get(name) for run in made]
    assert table.column("detection_delay_s").null_count == 1


def test_types_are_those_of_the_metrics_units() -> None:
    table = columns.rows(0, runs(0, [1]))
    assert table.schema.field("elapsed_s").type == pa.float64()
    assert table.schema.field("goodput_bps").type == pa.float64()
    assert table.schema.field("retransmissions").type == pa.int64()
    assert table.schema.field("seed").type == pa.uint64()


def test_a_seed_keeps_its_low_bits() -> None:
    (run,) = runs(0, [0], seed=str((1 << 64) - 1))
    assert columns.rows(0, [run]).column("seed").to_pylist() == [(1 << 64) - 1]


def test_a_metric_without_a_column_is_an_error() -> None:
    with pytest.raises(ProtocolError, match="'novel', which has no column"):
        columns.rows(0, runs(0, [0], metrics={"novel": 1}))


def test_a_run_that_did_not_end_says_so() -> None:
    (run,) = runs(0, [0], unfinished="still under way at the time limit")
    assert columns.rows(0, [run]).column("unfinished").to_pylist() == ["still under way at the time limit"]


@pytest.mark.parametrize(
    ("option", "kind", "values"),
    [
        ("tcp.initial_window=1,3", pa.int64(), [1, 3]),
        ("seed=1,18446744073709551615", pa.uint64(), [1, 18446744073709551615]),
        ("x=0.5,1", pa.float64(), [0.5, 1.0]),
        ("tcp.sack=true,false", pa.bool_(), [True, False]),
        ("link.both.rate=1 Mbit/s,2 Mbit/s", pa.string(), ["1 Mbit/s", "2 Mbit/s"]),
        ("x=1,none", pa.string(), ["1", "none"]),
    ],
)
def test_the_grids_columns_have_the_type_of_their_values(option: str, kind: pa.DataType, values: list[object]) -> None:
    made = sweep(option, "last=1..3")
    results = Results(made.grid, {})
    name = "grid." + option.partition("=")[0]
    assert results.schema.field(name).type == kind
    parts = [columns.rows(point, runs(point, [0])) for point in range(made.grid.count)]
    table = results.of_part(pa.concat_tables(parts))
    assert table.column(name).to_pylist() == [value for value in values for _ in range(3)]
    assert table.column("grid.last").to_pylist() == [1, 2, 3, 1, 2, 3]
