"""From parts to one file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.sweep.example import part_octets, sweep
from windlull.errors import FailureError
from windlull.sweep.directory import Directory
from windlull.sweep.merge import merge, regrouped

if TYPE_CHECKING:
    from pathlib import Path

    from windlull.sweep.plan import Sweep


def filled(path: Path, made: Sweep) -> Directory:
    directory = Directory(path, made)
    with directory.held():
        for part in made.parts():
            directory.keep(part, part_octets(part, directory.plan))
    return directory


@settings(deadline=None)
@given(st.lists(st.integers(0, 7), max_size=10), st.integers(1, 9))
def test_groups_are_of_one_size_wherever_parts_end(sizes: list[int], rows: int) -> None:
    tables, start = [], 0
    for size in sizes:
        tables.append(pa.table({"x": pa.array(range(start, start + size), pa.int64())}))
        start += size
    groups = list(regrouped(tables, rows))
    assert [value for group in groups for value in group.column("x").to_pylist()] == list(range(start))
    assert all(group.num_rows == rows for group in groups[:-1])
    assert all(0 < group.num_rows <= rows for group in groups)
    assert all(group.column("x").num_chunks == 1 for group in groups)


def test_the_results_have_every_run_in_order(tmp_path: Path) -> None:
    made = sweep("tcp.initial_window=1,3", repetitions=4)
    directory = filled(tmp_path / "out", made)
    merge(made, directory)
    table = pq.read_table(directory.results)
    assert table.column("point").to_pylist() == [0] * 8 + [1] * 8
    assert table.column("grid.tcp.initial_window").to_pylist() == [1] * 8 + [3] * 8
    assert table.column("repetition").to_pylist() == [1, 1, 2, 2, 3, 3, 4, 4] * 2
    assert table.column("variant").to_pylist() == ["sack", "frto+sack"] * 8
    assert table.column("retransmissions").to_pylist() == [*range(8), *range(10, 18)]
    assert directory.is_complete()


def test_the_same_plan_gives_the_same_octets(tmp_path: Path) -> None:
    made = sweep("tcp.initial_window=1..20", repetitions=500)
    octets = []
    for name in ("one", "two"):
        directory = filled(tmp_path / name, made)
        merge(made, directory)
        octets.append(directory.results.read_bytes())
    assert octets[0] == octets[1]


def test_a_damaged_part_is_named(tmp_path: Path) -> None:
    made = sweep(repetitions=50)
    directory = filled(tmp_path / "out", made)
    (part,) = made.parts()
    octets = bytearray(directory.part(part).read_bytes())
    octets[200] ^= 0xFF
    directory.part(part).write_bytes(octets)
    with pytest.raises(FailureError, match=r"000000\.parquet is damaged: .*; remove it and start again"):
        merge(made, directory)
    assert not directory.results.exists()
    assert not directory.is_complete()
