"""The action of action.yml: its steps take every input, and its script runs a gate and says what came of it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from junitparser import JUnitXml

from windlull.commands.gate import GateCode

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = ROOT / "scripts" / "github-action.sh"
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
INPUTS = {
    "EXPERIMENT": "first-look", "FAIL_IF": "elapsed.median > 5 * baseline\n\n  \n", "VARIANTS": "sack,frto+sack",
    "REPS": "8", "SEED": "", "UNTIL_DECIDED": "", "STRICT": "false", "OUT": "out/windlull",
}  # fmt: skip


def gate(directory: Path, **inputs: str) -> tuple[int, str, str]:
    """Run the step, and return its exit code, what it wrote on the run's page, and its outputs."""
    environment = directory / "temp" / "windlull" / "bin"
    environment.mkdir(parents=True, exist_ok=True)
    python = environment / "python"
    for name, command in (("windlull", f'"{sys.executable}" -m windlull'), ("python", f'"{sys.executable}"')):
        (environment / name).write_text(f'#!/bin/sh\nexec {command} "$@"\n', encoding="utf-8")
        (environment / name).chmod(0o755)
    assert python.exists()
    summary, output = directory / "summary.md", directory / "output"
    from_github = {
        "RUNNER_TEMP": str(directory / "temp"), "GITHUB_ACTION_PATH": str(ROOT),
        "GITHUB_STEP_SUMMARY": str(summary), "GITHUB_OUTPUT": str(output),
    }  # fmt: skip
    done = subprocess.run(
        [SCRIPT, "gate"],
        cwd=directory,
        env=os.environ | from_github | INPUTS | inputs,
        capture_output=True,
        check=False,
    )
    said = [file.read_text(encoding="utf-8") if file.exists() else "" for file in (summary, output)]
    return done.returncode, said[0], said[1]


def test_a_gate_that_passes(tmp_path: Path) -> None:
    code, summary, output = gate(tmp_path)
    assert (code, output) == (0, "status=pass\n")
    assert "gate: pass" in summary
    assert JUnitXml.fromfile(str(tmp_path / "out/windlull/gate.xml")).tests == 1
    assert (tmp_path / "out/windlull/runs/report.html").exists()


def test_a_gate_that_fails(tmp_path: Path) -> None:
    rules = "elapsed.median > 5 * baseline\nelapsed.median < 5 * baseline"
    code, summary, output = gate(tmp_path, FAIL_IF=rules)
    assert (code, output) == (GateCode.FAILED, "status=fail\n")
    assert "gate: fail" in summary
    assert JUnitXml.fromfile(str(tmp_path / "out/windlull/gate.xml")).failures == 1


def test_a_gate_that_cannot_tell_fails_if_it_is_strict(tmp_path: Path) -> None:
    code, _, output = gate(tmp_path, REPS="2", STRICT="true")
    assert (code, output) == (GateCode.UNDECIDED, "status=inconclusive\n")


@pytest.mark.parametrize(
    ("inputs", "code"),
    [({"EXPERIMENT": "no-such-experiment"}, 2), ({"FAIL_IF": "\n"}, 2), ({"EXPERIMENT": "--help"}, 2)],
)
def test_bad_inputs_fail_and_leave_no_result(tmp_path: Path, inputs: dict[str, str], code: int) -> None:
    assert gate(tmp_path, **inputs) == (code, "", "")


def test_each_input_comes_in_as_a_variable() -> None:
    assert ACTION["runs"]["using"] == "composite"
    steps = ACTION["runs"]["steps"]
    named = {value for step in steps for value in step["env"].values()}
    assert named == {f"${{{{ inputs.{name} }}}}" for name in ACTION["inputs"]}
    assert not [step["run"] for step in steps if "${{" in step["run"]]
    script = SCRIPT.read_text(encoding="utf-8")
    for name in (name for step in steps for name in step["env"]):
        assert f"${name}" in script
    assert {name for step in steps for name in step["env"]} == {*INPUTS, "WHEEL", "REQUIREMENTS"}


def test_it_is_documented() -> None:
    text = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    for name in ACTION["inputs"]:
        assert re.search(rf"^\| `{name}` \|", text, re.MULTILINE), name
