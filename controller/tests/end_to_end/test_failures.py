"""The machine does not let us finish: exit code 1, a clear message, and what was finished can be read."""

from __future__ import annotations

import json
import os
import resource
import subprocess
from typing import TYPE_CHECKING

from tests.end_to_end.command import WINDLULL, tree, windlull

if TYPE_CHECKING:
    from pathlib import Path

EXPERIMENT = "papers/sarolahti2003/table-1"
NO_PLACE = "/proc/windlull"
"""A directory that nobody can make, root neither."""


def largest_file(run: Path) -> int:
    return max(file.stat().st_size for file in run.iterdir())


def test_an_unwritable_directory() -> None:
    done = windlull("run", EXPERIMENT, "--reps", "1", "--out", NO_PLACE)
    assert done.returncode == 1, done.stderr
    assert done.stderr.splitlines()[-1].startswith("error: ")
    assert NO_PLACE in done.stderr
    assert "Traceback" not in done.stderr


def test_unwritable_results_leave_the_report(tmp_path: Path) -> None:
    done = windlull("run", EXPERIMENT, "--reps", "1", "--out", tmp_path / "out", "--json", "/proc/results.json")
    assert done.returncode == 1
    assert "error: cannot write /proc/results.json" in done.stderr
    assert (tmp_path / "out" / "report.html").is_file()
    assert (tmp_path / "out" / "results.json").is_file()


def test_a_missing_page_leaves_the_results(tmp_path: Path) -> None:
    environment = os.environ | {"WINDLULL_REPORT_PAGE": str(tmp_path / "none.html")}
    done = windlull("run", EXPERIMENT, "--reps", "1", "--out", tmp_path / "out", env=environment)
    assert done.returncode == 1
    assert "error: the report's page: WINDLULL_REPORT_PAGE says" in done.stderr
    assert "report:" not in done.stdout
    assert json.loads((tmp_path / "out" / "results.json").read_bytes())["cells"]


def test_a_run_whose_file_is_too_long_fails_alone(tmp_path: Path) -> None:
    """A limit on the size of a file: the run with the largest capture does not fit, and the others are kept."""
    free = tmp_path / "free"
    assert windlull("run", EXPERIMENT, "--reps", "1", "--out", free).returncode == 0
    variants = [cell["variant"] for cell in json.loads((free / "results.json").read_bytes())["cells"]]
    sizes = {variant: largest_file(free / "runs" / variant / "001") for variant in variants}
    limit = max(sizes.values()) - 1
    fit = [variant for variant in variants if sizes[variant] <= limit]
    assert 0 < len(fit) < len(variants)

    full = tmp_path / "full"
    done = subprocess.run(
        [*WINDLULL, "run", EXPERIMENT, "--reps", "1", "--jobs", "1", "--out", str(full)],
        check=False,
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )
    assert done.returncode == 1, done.stderr
    assert "one of its files is longer than a file may be here; WINDLULL_RUN_FILE_BYTES" in done.stderr
    assert f"{len(fit)} of {len(variants)} runs are finished" in done.stderr
    assert "Traceback" not in done.stderr
    assert {run.parent.name for run in (full / "runs").glob("*/001")} == set(fit)
    for variant in fit:
        assert tree(full / "runs" / variant) == tree(free / "runs" / variant)
    results = json.loads((full / "results.json").read_bytes())
    assert [cell["variant"] for cell in results["cells"]] == fit
    assert results["incomplete"] == {"finished": len(fit), "planned": len(variants)}
    # What could not be written is not there in part either.
    assert not list(full.rglob("*.tmp"))
    assert not list(full.rglob(".*.part"))
