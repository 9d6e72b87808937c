"""Finished results, written as the command writes them, without an engine."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.examples import INVALID, experiment, experiment_dict, live, plan, run
from windlull.reports.results import results_json
from windlull.stats.summary import cells

if TYPE_CHECKING:
    from pathlib import Path

    from windlull.runner.messages import Run

UNFINISHED = "still under way at the time limit"


def runs() -> list[Run]:
    """Of `sack` two that count, of `frto+sack` one, and one that did not end in order."""
    return [
        run("frto+sack", 2, metrics={"elapsed_s": 3600.0}, unfinished=UNFINISHED),
        run("sack", 2),
        run("sack", 1),
        run("frto+sack", 1, metrics={"elapsed_s": 61.5, "flow_2_elapsed_s": 7.0}),
    ]


def live_runs() -> list[Run]:
    """One that follows its plan, and one that does not."""
    return [live("sack", 1), live("sack", 2, certificate=INVALID)]


def written(directory: Path, made: list[Run], planned: int | None = None) -> Path:
    """Write results, experiment and records of these runs."""
    directory.mkdir(parents=True, exist_ok=True)
    about = experiment(repetitions=2)
    document = results_json(plan(planned or len(made), repetitions=2), about, cells(about, made), made)
    (directory / "results.json").write_bytes(document)
    resolved = {"experiment": experiment_dict(repetitions=2), "runs": len(made)}
    (directory / "experiment.json").write_text(json.dumps(resolved), encoding="utf-8")
    for one in made:
        place = directory / one.directory
        place.mkdir(parents=True)
        (place / "run.json").write_text(json.dumps(_record(one)), encoding="utf-8")
    return directory


def _record(one: Run) -> dict[str, Any]:
    provenance = {
        "version": "0.1.0", "commit": "0123456789ab", "testbed": one.testbed, "experiment": "tests/two-variants",
        "variant": one.variant, "link": one.link, "repetition": one.repetition, "seed": one.seed,
    }  # fmt: skip
    return {"provenance": provenance, "metrics": one.metrics, "episodes": []}
