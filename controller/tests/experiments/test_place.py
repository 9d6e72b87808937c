"""A temporary place stays as long as something reads it, and no longer; one with a name stays."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

import windlull
from tests.experiments.made import runs, written
from windlull.experiments.batch import Batch
from windlull.experiments.place import Place
from windlull.reports.finished import read

if TYPE_CHECKING:
    from pathlib import Path


def test_a_temporary_one_goes_with_the_last_run_of_it() -> None:
    place = Place()
    path = place.path
    assert not path.exists()
    assert path.parent.is_dir()
    written(path, runs())
    batch: Batch | None = Batch(read(path), place)
    assert batch is not None
    run: windlull.Run | None = batch.runs[0]
    del place
    batch = None
    gc.collect()
    assert path.exists(), repr(run)
    run = None
    gc.collect()
    assert not path.parent.exists()


def test_one_with_a_name_stays(tmp_path: Path) -> None:
    path = written(tmp_path / "out", runs())
    batch: Batch | None = windlull.read(path)
    assert batch is not None
    batch = None
    gc.collect()
    assert (path / "results.json").exists()
