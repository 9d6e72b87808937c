"""The plugin of pytest, in a project of its own: it is there by itself, and a failure's text is the verdict."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.end_to_end.command import windlull

if TYPE_CHECKING:
    from pathlib import Path

EXPERIMENT = """\
title       = "A transfer over a link that stands still now and then"
link        = "mobile-with-holds"
variants    = ["frto+sack"]
workload    = "bulk-100-kib-down"
repetitions = 20
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An experiment in a directory of tests, and what it measured before."""
    tests = tmp_path_factory.mktemp("project") / "tests"
    tests.mkdir()
    (tests / "transfer.toml").write_text(EXPERIMENT, encoding="utf-8")
    done = windlull("run", "transfer.toml", "--no-pcap", "--json", "baseline.json", cwd=tests)
    assert done.returncode == 0, done.stderr
    document = json.loads((tests / "baseline.json").read_bytes())
    for cell in document["cells"]:
        of = cell["metrics"]["elapsed_s"]
        of["values"] = [value / 2 for value in of["values"]]
    (tests / "fast.json").write_text(json.dumps(document), encoding="utf-8")
    return tests.parent


def ended(project: Path, body: str, *options: str) -> tuple[int, str]:
    """How pytest ends, and what it says, with this in a test; it is started above the directory of tests."""
    (project / "tests" / "test_it.py").write_text(f"def test_it(windlull):\n    {body}\n", encoding="utf-8")
    # A plugin that takes a second to load, as in our own settings.
    without = ["-p", "no:cacheprovider", "-p", "no:schemathesis"]
    command = [sys.executable, "-m", "pytest", "-q", *without, "-rs", *options, "tests"]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def test_it_passes_where_nothing_is_slower(project: Path) -> None:
    code, said = ended(project, 'assert windlull.no_slower("transfer.toml", than="baseline.json").passed')
    assert (code, "1 passed" in said) == (0, True), said


def test_it_fails_with_the_verdict(project: Path) -> None:
    code, said = ended(project, 'windlull.no_slower("transfer.toml", than="fast.json")')
    assert code == 1
    first = next(line for line in said.splitlines() if "gate" in line)
    assert first.startswith("The gate failed: elapsed.median > 1.05 * baseline. candidate's frto+sack against")
    assert "fail          elapsed.median > 1.05 * baseline" in said
    assert "candidate's frto+sack against baseline's frto+sack, mobile-with-holds, sim" in said
    assert "gate: fail" in said
    assert "Traceback" not in said
    assert "testing.py" not in said


def test_another_workload_is_not_compared(project: Path) -> None:
    other = EXPERIMENT.replace("bulk-100-kib-down", "bulk-5-mb-down")
    (project / "tests" / "other.toml").write_text(other, encoding="utf-8")
    code, said = ended(project, 'windlull.no_slower("other.toml", than="baseline.json")')
    assert code == 1
    assert "nothing to compare: the workload is not the same in " in said
    assert "baseline.json and " in said


def test_how_much_slower_is_allowed_and_a_variant_can_be_named(project: Path) -> None:
    code, said = ended(project, 'windlull.no_slower("transfer.toml", than="fast.json:frto+sack", by=1.5)')
    assert code == 0, said


def test_variants_of_an_experiment_are_held_against_each_other(project: Path) -> None:
    call = 'windlull.gate("first-look", "unnecessary_retransmissions.mean > 30", "frto+sack", "sack", repetitions=20)'
    code, said = ended(project, call)
    assert code == 1
    assert "shown by 20 runs" in said


def test_what_is_not_decided_is_skipped_or_fails_if_strict(project: Path) -> None:
    undecided = 'windlull.gate("first-look", "elapsed.p99 > baseline", "frto+sack", "sack", repetitions=10{})'
    code, said = ended(project, undecided.format(""))
    assert (code, "1 skipped" in said, "gate: inconclusive; run again with --reps" in said) == (0, True, True), said
    assert "tests/test_it.py:2: The gate is not decided: elapsed.p99 > baseline." in said
    assert "testing.py" not in said
    code, said = ended(project, undecided.format(", strict=True"))
    assert (code, "1 failed" in said) == (1, True), said


def test_what_is_wrong_is_the_text_of_the_failure(project: Path) -> None:
    code, said = ended(project, 'windlull.no_slower("transfer.toml", than="none.json")')
    assert code == 1
    assert "none.json: there are no such results; windlull run " in said
    assert "Traceback" not in said
    code, said = ended(project, 'windlull.gate("first-loo", "elapsed.median > baseline")')
    assert code == 1
    assert 'there is no experiment "first-loo"; did you mean "first-look"?' in said


def test_it_can_be_left_out(project: Path) -> None:
    code, said = ended(project, "pass", "-p", "no:windlull")
    assert (code, "fixture 'windlull' not found" in said) == (1, True), said


def test_other_tests_load_nothing_for_it(project: Path) -> None:
    code, said = ended(project, 'import sys; assert not {"numpy", "pyarrow", "msgspec", "rich"} & set(sys.modules)',
                       "-p", "no:hypothesispytest")  # fmt: skip
    assert code == 0, said
