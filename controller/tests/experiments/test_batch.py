"""Finished results as a program reads them: rows, types, and which runs count."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

import windlull
from tests.experiments.made import UNFINISHED, live_runs, runs, written
from windlull.metrics import METRICS

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def batch(tmp_path: Path) -> windlull.Batch:
    return windlull.read(written(tmp_path / "out", runs()))


def test_runs_are_in_the_experiments_order(batch: windlull.Batch) -> None:
    assert [(run.variant, run.repetition) for run in batch] == [
        ("sack", 1), ("sack", 2), ("frto+sack", 1), ("frto+sack", 2),
    ]  # fmt: skip
    assert (len(batch), batch.variants, batch.links) == (4, ("sack", "frto+sack"), ("gprs",))
    assert (batch.experiment, batch.seed, batch.report, batch.whole) == ("tests/two-variants", 1, None, False)


def test_a_run_that_did_not_end_in_order_says_so_and_does_not_count(batch: windlull.Batch) -> None:
    assert [run.unfinished for run in batch] == [None, None, None, UNFINISHED]
    assert [run.counts for run in batch] == [True, True, True, False]


def test_a_live_run_that_is_not_valid_says_why(tmp_path: Path) -> None:
    batch = windlull.read(written(tmp_path, live_runs()))
    assert [run.invalid for run in batch] == [None, ("the captures dropped 3 packets",)]
    assert batch.table().column("invalid").to_pylist() == [None, "the captures dropped 3 packets"]


def test_one_run_is_chosen_and_one_that_is_not_there_is_bad_input(batch: windlull.Batch) -> None:
    assert batch.run("frto+sack").metrics["elapsed_s"] == 61.5
    assert batch.run(repetition=2).variant == "sack"
    with pytest.raises(windlull.BadInputError, match=r"none of its 4 runs is of variant cubic, repetition 1"):
        batch.run("cubic")


def test_the_table_has_a_row_a_run_with_types(batch: windlull.Batch) -> None:
    table = batch.table()
    assert table.num_rows == 4
    assert table.schema.names[:5] == ["variant", "link", "testbed", "repetition", "seed"]
    # Of one flow among several there is a metric that has no column elsewhere.
    assert table.schema.names[5:] == [*METRICS, "flow_2_elapsed_s", "unfinished", "invalid"]
    types = {name: table.schema.field(name).type for name in ("seed", "elapsed_s", "retransmissions")}
    assert types == {"seed": pa.uint64(), "elapsed_s": pa.float64(), "retransmissions": pa.int64()}
    assert table.column("seed").to_pylist() == [1001, 1002, 1001, 1002]
    assert table.column("retransmissions").to_pylist() == [10, 20, None, None]
    assert table.column("unfinished").to_pylist() == [None, None, None, UNFINISHED]


def test_a_frame_keeps_counts_whole_where_some_are_missing(batch: windlull.Batch) -> None:
    frame = batch.frame()
    assert list(frame["retransmissions"].dropna()) == [10, 20]
    assert str(frame["retransmissions"].dtype) == "Int64"
    assert str(frame["seed"].dtype) == "UInt64"


def test_without_pandas_it_says_how_to_come_by_it(batch: windlull.Batch, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(windlull.FailureError, match=r"pip install 'windlull\[pandas\]'"):
        batch.frame()
    assert batch.table().num_rows == 4


def test_results_alone_have_the_runs_that_count_without_seeds(batch: windlull.Batch, tmp_path: Path) -> None:
    # Beside it lie runs of others.
    alone = windlull.read(shutil.copy(batch.directory / "results.json", tmp_path / "out" / "baseline.json"))
    assert [(run.variant, run.repetition, run.seed) for run in alone] == [
        ("sack", 1, None), ("sack", 2, None), ("frto+sack", 1, None),
    ]  # fmt: skip
    assert alone.run("frto+sack").metrics == {"elapsed_s": 61.5, "flow_2_elapsed_s": 7.0}
    assert {one.verdict for one in windlull.compare(alone, batch, metrics="elapsed")} == {"inconclusive"}
    for ask in (alone.runs[0].diagram, alone.runs[0].explain):
        with pytest.raises(windlull.BadInputError, match="only its results are there, and none of its files"):
            ask()


def test_a_run_without_columns_has_no_diagram(batch: windlull.Batch) -> None:
    with pytest.raises(windlull.BadInputError, match=r"has no series\.json\.gz, of which its diagram is drawn"):
        batch.runs[0].diagram()
    (batch.directory / "runs" / "sack" / "001" / "series.json.gz").write_bytes(b"no series")
    with pytest.raises(windlull.FailureError, match="is not gzip"):
        batch.runs[0].diagram()


def test_a_record_that_is_none_is_named(batch: windlull.Batch) -> None:
    (batch.directory / "runs" / "sack" / "001" / "run.json").write_text("{}", encoding="utf-8")
    with pytest.raises(windlull.FailureError, match=r"sack/001/run\.json is not a record of a run"):
        windlull.read(batch.directory)


def test_the_baseline_is_named_or_the_first(batch: windlull.Batch) -> None:
    for verdicts, sides in (
        (batch.compare(), ("sack", "frto+sack")),
        (batch.compare("frto+sack"), ("frto+sack", "sack")),
        (batch.compare("frto+sack", "sack"), ("frto+sack", "sack")),
    ):
        assert {(one.baseline, one.candidate) for one in verdicts} == {sides}
    verdict = batch.gate("elapsed.median > baseline", candidates=["sack"])
    assert {(one.baseline, one.candidate) for one in verdict.checks} == {("frto+sack", "sack")}
    with pytest.raises(windlull.BadInputError, match="has no variant cubic"):
        batch.compare("cubic")


def test_verdicts_are_words_a_table_and_a_page(batch: windlull.Batch) -> None:
    verdicts = batch.compare("sack", metrics=["elapsed"])
    (one,) = verdicts
    assert (len(verdicts), one.metric, one.verdict) == (1, "elapsed_s", "inconclusive")
    assert str(verdicts) == verdicts.text
    assert "frto+sack against sack, gprs, sim, 1 pair" in verdicts.text
    (row,) = verdicts.table().to_pylist()
    assert (row["baseline_median"], row["candidate_median"], row["verdict"]) == (71.0, 61.5, "inconclusive")
    assert row["ratio"] == pytest.approx(61.5 / 71.0)
    assert row["ratio_low"] is None
    assert row["why"].startswith("1 pair: too few")
    assert verdicts.frame()["metric"].tolist() == ["elapsed_s"]
    assert verdicts._repr_markdown_() == verdicts.markdown()
    assert b'"findings"' in verdicts.json()


def test_a_metric_that_is_not_there_is_told_with_one_that_is_near(batch: windlull.Batch) -> None:
    measured = batch.runs[0].metrics
    with pytest.raises(KeyError, match="there is no metric elapsed; do you mean elapsed_s"):
        measured["elapsed"]
    with pytest.raises(KeyError, match="do you mean goodput_bps"):
        measured["goodput_bp"]
    with pytest.raises(KeyError, match="the run has no goodput_bps; it has "):
        measured["goodput_bps"]
    assert measured.get("elapsed") is None


def test_verdicts_at_a_prompt_are_a_line(batch: windlull.Batch) -> None:
    assert repr(batch.compare("sack", metrics="elapsed")) == (
        "<Verdicts on frto+sack against sack: 1 inconclusive; print() shows them>"
    )


def test_a_gate_that_lacks_runs_does_not_pass(batch: windlull.Batch) -> None:
    verdict = batch.gate(["elapsed.median > 100 s", "elapsed.median < 1 s"])
    assert (verdict.status, verdict.passed, verdict.failed) == ("inconclusive", False, False)
    assert len(verdict.checks) == 2
    assert "gate: inconclusive" in verdict.text
    assert repr(verdict).startswith("<GateVerdict inconclusive: The gate is not decided: elapsed.median > 100 s ")
    assert len(repr(verdict)) < 300
    assert verdict._repr_markdown_() == verdict.markdown()


def test_two_results_are_compared_by_path_or_as_they_are(batch: windlull.Batch, tmp_path: Path) -> None:
    other = written(tmp_path / "new", runs())
    for one, two in ((batch, other), (str(batch.directory), windlull.read(other))):
        verdicts = windlull.compare(one, two, metrics="elapsed")
        assert [finding.candidate for finding in verdicts] == ["candidate's sack", "candidate's frto+sack"]
    verdict = windlull.gate(f"{batch.directory}:sack", f"{other}:frto+sack", "elapsed.median > 2 * baseline")
    assert [check.candidate for check in verdict.checks] == ["frto+sack"]


@pytest.mark.parametrize(
    ("wrong", "what"),
    [
        (lambda batch: batch.compare(metrics="elapsd"), "there is no metric elapsd; do you mean elapsed?"),
        (lambda batch: batch.compare(margin=2.0), "a margin of 2 is not from 0 to below 1"),
        (lambda batch: batch.gate("elapsed > 3"), "say which statistic of it is meant"),
        (lambda batch: batch.gate([]), "give a rule"),
        (lambda batch: batch.gate("elapsed.median > 3 s", alpha=0.0), "alpha 0 is not between 0 and 0.5"),
        (lambda batch: windlull.read(batch.directory / "none.json"), "No such file"),
    ],
)
def test_what_cannot_be_is_bad_input(batch: windlull.Batch, wrong: object, what: str) -> None:
    assert callable(wrong)
    with pytest.raises(windlull.BadInputError, match=what):
        wrong(batch)
