"""`windlull kernel check` with real runs: of two names of one kernel, and of a kernel that does not boot."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from junitparser import JUnitXml

from tests.end_to_end.command import windlull
from tests.patches.linux import TCP, commit, made
from windlull import locate

if TYPE_CHECKING:
    from pathlib import Path

STOCK = locate.kernels() / "stock" / "linux"
PARSER = locate.kernels() / "tree" / "tools" / "testing" / "kunit" / "kunit.py"
"""The kernel's own reader of KTAP, of the tree that kernels are built in."""

BUILDER = f"""#!/bin/sh
# build.sh DIRECTORY --name NAME --source TREE [--ref REF]: every tree is the kernel that is there already.
mkdir -p "$1/$3"
if grep -q "does not boot" "$5/{TCP}"; then ln -sf /bin/false "$1/$3/linux"; else ln -sf {STOCK} "$1/$3/linux"; fi
"""


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    builder = tmp_path / "build.sh"
    builder.write_text(BUILDER, encoding="utf-8")
    builder.chmod(0o755)
    monkeypatch.setenv("WINDLULL_KERNEL_BUILDER", str(builder))
    monkeypatch.setenv("WINDLULL_KERNELS", str(tmp_path / "kernels"))
    path = made(tmp_path / "linux")
    commit(path, "as it was")
    return path


def check(tree: Path) -> subprocess.CompletedProcess[str]:
    return windlull("kernel", "check", tree, "--suite", "quick", "--reps", "6", "--out", "out", cwd=tree.parent)


def test_a_kernel_is_no_worse_than_itself(tree: Path) -> None:
    (tree / TCP).write_text("other words for the same\n", encoding="utf-8")
    process = check(tree)
    assert process.returncode == 0, process.stderr
    lines = process.stdout.splitlines()
    assert lines[:2] == ["KTAP version 1", "1..3"]
    assert [line for line in lines[2:] if not line.startswith("#")] == ["ok 1 holds", "ok 2 bursts", "ok 3 tail-losses"]
    assert "every pair of 6 is the same" in process.stdout
    out = tree.parent / "out"
    assert (out / "check.ktap").read_text(encoding="utf-8") == process.stdout
    document = JUnitXml.fromstring((out / "check.xml").read_bytes())
    assert (document.tests, document.failures) == (3, 0)
    assert (out / "holds" / "report.html").is_file()
    if PARSER.is_file():
        command = [sys.executable, str(PARSER), "parse", str(out / "check.ktap")]
        parsed = subprocess.run(command, check=False, capture_output=True, text=True, cwd=tree, env=dict(os.environ))
        assert "Ran 3 tests: passed: 3" in parsed.stdout, parsed.stdout + parsed.stderr


def test_a_kernel_that_does_not_boot_has_failed(tree: Path) -> None:
    (tree / TCP).write_text("does not boot\n", encoding="utf-8")
    commit(tree, "does not boot")
    (tree.parent / "kernels" / "stock").mkdir(parents=True)
    (tree.parent / "kernels" / "stock" / "linux").symlink_to(STOCK)
    process = check(tree)
    assert process.returncode == 1, process.stderr
    assert "not ok 1 holds" in process.stdout


def test_two_names_of_one_kernel_differ_in_nothing(tree: Path) -> None:
    directory = tree.parent / "kernels"
    for name in ("older", "newer"):
        (directory / name).mkdir(parents=True)
        (directory / name / "linux").symlink_to(STOCK)
    process = windlull(
        "kernel", "matrix", "older", "newer", "--suite", "quick", "--reps", "3", "--out", "out", cwd=tree.parent
    )
    assert process.returncode == 0, process.stderr
    document = json.loads((tree.parent / "out" / "matrix.json").read_bytes())
    assert document["kernels"] == ["older", "newer"]
    assert {row["scenario"] for row in document["rows"]} == {"holds", "bursts", "tail-losses"}
    for row in document["rows"]:
        older, newer = row["entries"]
        assert older["median"] == pytest.approx(newer["median"], rel=0.001)
        assert newer["verdict"] in {"equal", "inconclusive"}
    assert "holds" in process.stdout
    assert "| holds |" in (tree.parent / "out" / "matrix.md").read_text(encoding="utf-8")


def test_a_kernel_that_is_not_there_is_named(tree: Path) -> None:
    process = windlull("kernel", "matrix", "older", "6.x", cwd=tree.parent)
    assert process.returncode == 2
    assert 'there is no kernel "older"' in process.stderr
    assert "a series of Debian's, as 6.12, is built by itself" in process.stderr
