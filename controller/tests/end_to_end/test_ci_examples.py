"""The jobs of docs/ci are what they say: YAML of the right shape, whose commands work."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from junitparser import JUnitXml

from windlull import locate
from windlull.commands import kernel_check
from windlull.commands.gate import GateCode
from windlull.patches import report

ROOT = Path(__file__).resolve().parents[3]
CI = ROOT / "docs" / "ci"


def loaded(name: str) -> dict[Any, Any]:
    document = yaml.safe_load((CI / name).read_text(encoding="utf-8"))
    assert isinstance(document, dict)
    return document


def github() -> tuple[list[str], dict[str, str]]:
    document = loaded("github-actions.yml")
    # YAML 1.1, which GitHub reads, takes `on` for true.
    assert document[True] == "pull_request"
    assert document["permissions"] == {"contents": "read"}
    (job,) = document["jobs"].values()
    commands = [line for step in job["steps"] for line in step.get("run", "").splitlines() if line.strip()]
    # What a stranger may name must not become a command: values from outside come in as variables.
    assert not [command for command in commands if "${{" in command]
    return [*_with_environment(job["steps"], commands)], document["env"]


def _with_environment(steps: list[dict[str, Any]], commands: list[str]) -> list[str]:
    prefixes = {
        line: " ".join(f"{name}={value}" for name, value in step.get("env", {}).items() if "${{" not in value)
        for step in steps
        for line in step.get("run", "").splitlines()
    }
    return [f"{prefixes[command]} {command}".strip() for command in commands]


def gitlab() -> tuple[list[str], dict[str, str]]:
    job = loaded("gitlab-ci.yml")["gate"]
    assert job["artifacts"]["reports"]["junit"] == "out/gate.xml"
    return job["script"], job["variables"]


@pytest.mark.parametrize("job", [github, gitlab])
def test_every_command_works(job: Any, tmp_path: Path) -> None:
    commands, variables = job()
    assert any("windlull gate" in command for command in commands)
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    command = tmp_path / ".venv" / "bin" / "windlull"
    command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m windlull "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    built = tmp_path / "baseline" / "target" / "release"
    built.mkdir(parents=True)
    (built / "windlull-engine").symlink_to(locate.engine())
    here = tmp_path / "checkout"
    (here / "out").mkdir(parents=True)
    (here / ".venv").symlink_to(tmp_path / ".venv")
    summary = tmp_path / "summary.md"
    environment = os.environ | variables | {"REPETITIONS": "8", "GITHUB_STEP_SUMMARY": str(summary)}
    ran = 0
    for line in commands:
        if "windlull " in line or line.startswith("cat "):
            ended = subprocess.run(
                ["bash", "-eu", "-c", line], cwd=here, env=environment, capture_output=True, check=False
            )
            assert ended.returncode == 0, (line, ended.stderr)
            ran += 1
    assert ran >= 4
    assert JUnitXml.fromfile(str(here / "out" / "gate.xml")).tests == 2
    assert "gate: pass" in (here / "out" / "gate.md").read_text(encoding="utf-8")
    assert (here / "out" / "compare.md").exists()


@pytest.mark.parametrize("job", [github, gitlab])
def test_what_is_built_can_be_built(job: Any) -> None:
    commands, _ = job()
    assert "make setup" in commands
    assert re.search(r"^setup:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    (build,) = [command for command in commands if command.startswith("cargo build")]
    words = shlex.split(build)
    assert words[words.index("--bin") + 1] == "windlull-engine"
    assert words[words.index("--target-dir") + 1] == "../baseline/target"


def test_the_files_artefacts_are_written_by_the_commands() -> None:
    for job in (github, gitlab):
        commands, _ = job()
        text = " ".join(commands)
        for file in ("out/gate.xml", "out/gate.json", "out/gate.md", "out/compare.md", "--out out/baseline"):
            assert file in text


def test_the_job_for_kernels_checks_a_tree_of_linux() -> None:
    document = loaded("github-actions-kernel.yml")
    assert document[True] == "pull_request"
    assert document["permissions"] == {"contents": "read"}
    (job,) = document["jobs"].values()
    commands = [step["run"] for step in job["steps"] if "run" in step]
    assert not [command for command in commands if "${{" in command]
    places = [step["with"]["path"] for step in job["steps"] if step.get("uses", "").startswith("actions/checkout@")]
    assert places == ["linux", "windlull"]
    (check,) = [shlex.split(command) for command in commands if "kernel check" in command]
    assert check[:4] == ["windlull/.venv/bin/windlull", "kernel", "check", "linux"]
    options = {option for parameter in kernel_check.command.params for option in parameter.opts}
    assert {word for word in check if word.startswith("--")} <= options
    suite = document["env"]["SUITE"]
    assert (ROOT / "profiles" / "suites" / f"{suite}.toml").is_file()
    source = Path(report.__file__).read_text(encoding="utf-8")
    assert '"check.md"' in source, "the job shows a file that the command writes"


def test_the_documents_exit_codes_are_the_commands() -> None:

    text = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    assert f"| {GateCode.FAILED:d} | Failed" in text
    assert f"| {GateCode.UNDECIDED:d} | Not decided, with `--strict`. |" in text
