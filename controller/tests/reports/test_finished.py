from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.examples import INVALID, experiment, experiment_dict, live, plan
from windlull.errors import BadInputError
from windlull.reports.finished import read
from windlull.reports.results import results_json
from windlull.stats.summary import cells

if TYPE_CHECKING:
    from pathlib import Path


def written(directory: Path, **changes: Any) -> Path:
    """Results of four live runs, the second of them invalid, and an experiment beside them."""
    about = experiment(repetitions=4)
    runs = [live("sack", n) for n in (1, 3, 4)] + [live("sack", 2, certificate=INVALID)]
    document = json.loads(results_json(plan(4, repetitions=4), about, cells(about, runs), runs)) | changes
    (directory / "results.json").write_text(json.dumps(document), encoding="utf-8")
    resolved = experiment_dict(repetitions=4, time_limit_s=60)
    (directory / "experiment.json").write_text(json.dumps({"experiment": resolved, "runs": 4}), encoding="utf-8")
    return directory


def test_what_was_written_is_read_with_its_repetitions(tmp_path: Path) -> None:
    found = read(written(tmp_path))
    (cell,) = found.cells
    assert (cell.variant, cell.link, cell.testbed, cell.runs, cell.invalid) == ("sack", "gprs", "netns", 3, 1)
    assert cell.metrics["elapsed_s"].by_repetition() == {1: 71, 3: 73, 4: 74}
    assert (found.whole, found.seed, found.engine) == (True, 1, "0.1.0, commit 0123456789ab")
    assert found == read(tmp_path / "results.json")


def test_values_of_the_first_repetitions_need_no_numbers(tmp_path: Path) -> None:
    about = experiment()
    runs = [live("sack", n) for n in (1, 2)]
    (tmp_path / "x.json").write_bytes(results_json(plan(6), about, cells(about, runs), runs))
    found = read(tmp_path / "x.json")
    assert found.cells[0].metrics["elapsed_s"].by_repetition() == {1: 71, 2: 72}
    assert (found.whole, found.resolved, found.engine) == (False, None, "0.1.0")


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"seed": "-1"}, "the seed '-1' is not an unsigned 64-bit number"),
        ({"seed": str(1 << 64)}, "is not an unsigned 64-bit number"),
        ({"cells": 5}, "is not what `windlull run` writes"),
    ],
)
def test_what_cannot_be_results_is_refused(changes: dict[str, Any], what: str, tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match=what):
        read(written(tmp_path, **changes))


def test_repetitions_that_do_not_fit_their_values_are_refused(tmp_path: Path) -> None:
    document = json.loads((written(tmp_path) / "results.json").read_bytes())
    document["cells"][0]["metrics"]["elapsed_s"]["repetitions"] = [1]
    (tmp_path / "results.json").write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(BadInputError, match="sack on gprs has 3 values of elapsed_s for 1 repetitions"):
        read(tmp_path)


def test_an_experiment_of_another_run_beside_them_is_noticed(tmp_path: Path) -> None:
    written(tmp_path)
    other = {"experiment": experiment_dict(repetitions=2), "runs": 2}
    (tmp_path / "experiment.json").write_text(json.dumps(other), encoding="utf-8")
    with pytest.raises(BadInputError, match="is not of the same run as"):
        read(tmp_path)


def test_results_say_what_their_runs_were_given_with_or_without_an_experiment_beside(tmp_path: Path) -> None:
    beside = read(written(tmp_path, conditions=None))
    alone = tmp_path / "alone.json"
    alone.write_bytes((written(tmp_path) / "results.json").read_bytes())
    (tmp_path / "experiment.json").unlink()
    assert beside.conditions is not None
    assert read(alone).conditions == beside.conditions
    written(tmp_path, conditions=None)
    (tmp_path / "experiment.json").unlink()
    assert read(tmp_path).conditions is None


def test_a_file_that_is_not_there_is_said_to_be_missing(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match=r"cannot read .*results.json: No such file"):
        read(tmp_path)
