"""A suite over several kernels, of made-up measurements."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import numpy as np
from rich.console import Console

from windlull.patches.matrix import Matrix, matrix, matrix_markdown, print_matrix
from windlull.patches.scenarios import Measured, Scenario
from windlull.stats.summary import Cell, summarize

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

KERNELS = ("old", "middle", "new")
RANDOM = np.random.default_rng(2)
SPREAD = [float(value) for value in RANDOM.exponential(2, size=20) + 4]


def measured(name: str, of: Mapping[str, Sequence[float]], failed: Mapping[str, tuple[str, ...]]) -> Measured:
    def cell(kernel: str, values: Sequence[float]) -> Cell:
        by_repetition = {"elapsed_s": dict(enumerate(values, 1))}
        summaries = {"elapsed_s": summarize(values)}
        return Cell(f"linux@{kernel}", "a-link", "kernel", len(values), 0, 0, summaries, by_repetition)

    scenario = Scenario(f"kernel/{name}", f"Of {name}", ("linux",), ("a-link",), ("elapsed_s",), None, 1)
    cells = tuple(cell(kernel, values) for kernel, values in of.items())
    return Measured(scenario, cells, {kernel: failed.get(kernel, ()) for kernel in KERNELS})


def found() -> Matrix:
    slower = [1.3 * value for value in SPREAD]
    return matrix(
        KERNELS,
        [
            measured("same", dict.fromkeys(KERNELS, SPREAD), {}),
            measured("slower", {"old": SPREAD, "middle": slower, "new": slower}, {}),
            measured("mended", {"old": slower, "middle": slower, "new": SPREAD}, {}),
            measured("broken", {"old": SPREAD, "new": slower}, {"middle": ("linux@middle, repetition 1: panic",)}),
        ],
    )


def test_a_kernel_is_held_against_the_one_before() -> None:
    verdicts = {row.scenario: [entry.verdict for entry in row.entries] for row in found().rows}
    assert verdicts == {
        "same": [None, "inconclusive", "inconclusive"],
        "slower": [None, "worse", "inconclusive"],
        "mended": [None, "inconclusive", "better"],
        # What failed has no verdict, nor has what comes after it: there is nothing to hold it against.
        "broken": [None, None, None],
    }


def test_a_failure_is_told_and_takes_no_other_kernels_number() -> None:
    (row,) = [row for row in found().rows if row.scenario == "broken"]
    assert [entry.failed for entry in row.entries] == [False, True, False]
    assert row.entries[1].median is None
    assert row.entries[2].median == summarize([1.3 * value for value in SPREAD]).median


def test_the_correction_covers_all_steps() -> None:
    # One scenario changes in each step, and is tested in two ways; what is the same in every pair is not tested.
    assert found().comparison.family == 2 * 2


def test_table_and_markdown_have_a_column_for_each_kernel() -> None:
    out = io.StringIO()
    print_matrix(Console(file=out, width=200), "A suite", found())
    markdown = matrix_markdown("A suite", found()).decode()
    for said in (out.getvalue(), markdown):
        assert all(kernel in said for kernel in KERNELS)
        assert said.count("worse") == 1 + ("worse" in said.splitlines()[-1])
        assert "failed" in said
    assert "| slower | elapsed time, s |" in markdown
