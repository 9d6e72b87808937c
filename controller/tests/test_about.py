"""`windlull --version` tells all, in words and as JSON."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

import windlull
from windlull import about, cli, locate
from windlull.errors import ExitCode

if TYPE_CHECKING:
    from pathlib import Path

COMMIT = "0123456789ab"


@pytest.fixture
def parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An engine, profiles, and a repository without a commit yet."""
    engine = tmp_path / "engine"
    engine.write_text(f'#!/bin/sh\necho \'{{"version": "1.2.3", "commit": "{COMMIT}"}}\'\n', encoding="utf-8")
    engine.chmod(0o755)
    for kind, count in zip(about.KINDS, (3, 2, 1, 0), strict=True):
        (tmp_path / "profiles" / kind / "deeper").mkdir(parents=True)
        for number in range(count):
            (tmp_path / "profiles" / kind / "deeper" / f"{number}.toml").write_text("", encoding="utf-8")
    base = tmp_path / "profiles" / "experiments" / "base.toml"
    base.write_text('title = "What others extend"\nbase = true\n', encoding="utf-8")
    (tmp_path / "repository").mkdir()
    monkeypatch.setenv("WINDLULL_ENGINE", str(engine))
    monkeypatch.setenv("WINDLULL_PROFILES", str(tmp_path / "profiles"))
    monkeypatch.setattr(locate, "_REPOSITORY", tmp_path / "repository")
    monkeypatch.setattr(locate, "_PACKAGED", tmp_path / "packaged")
    return tmp_path


def invoke(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(cli.group, ["--version", *arguments], standalone_mode=False)
    return result.return_value or 0, result.stdout


def as_json() -> dict[str, Any]:
    code, text = invoke("--json")
    assert code == 0
    answer: dict[str, Any] = json.loads(text)
    return answer


def git(repository: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=x", "-c", "user.email=x@x.invalid", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", "-C", repository, *identity, *arguments], check=True, capture_output=True)


def test_every_part_is_told(parts: Path) -> None:
    known = as_json()
    assert known["windlull"]["version"] == windlull.__version__
    assert known["engine"] == {"version": "1.2.3", "commit": COMMIT, "path": str(parts / "engine")}
    assert [known["profiles"][kind] for kind in about.KINDS] == [3, 2, 1, 0]
    assert {"click", "msgspec", "numpy", "pyarrow"} <= known["libraries"].keys()
    assert not {"pytest", "mypy"} & known["libraries"].keys()
    code, text = invoke()
    assert code == 0
    assert f"windlull {windlull.__version__}, commit unknown" in text
    assert f"engine 1.2.3, commit {COMMIT}" in text
    assert "3 links, 2 variants, 1 workloads, 0 experiments" in text
    assert f"Python {known['python']['version']}" in text
    assert f"click {known['libraries']['click']}" in text


def test_the_profiles_hash_follows_names_and_contents(parts: Path) -> None:
    before = as_json()["profiles"]["sha256"]
    assert as_json()["profiles"]["sha256"] == before
    file = parts / "profiles" / "links" / "deeper" / "0.toml"
    file.write_text("x = 1\n", encoding="utf-8")
    changed = as_json()["profiles"]["sha256"]
    file.rename(file.with_name("9.toml"))
    assert len({before, changed, as_json()["profiles"]["sha256"]}) == 3


def test_a_repository_tells_its_commit_and_what_was_changed_since(parts: Path) -> None:
    repository = parts / "repository"
    git(repository, "init", "--quiet")
    (repository / "file").write_text("a", encoding="utf-8")
    git(repository, "add", "file")
    git(repository, "commit", "--quiet", "--message", "a")
    clean = as_json()["windlull"]
    assert len(clean["commit"]) == 12
    assert clean["dirty"] is False
    assert "with changes since" not in invoke()[1]
    (repository / "file").write_text("b", encoding="utf-8")
    assert as_json()["windlull"] == {**clean, "dirty": True}
    assert f"with changes since commit {clean['commit']}" in invoke()[1]


def test_a_packaged_one_tells_what_it_was_built_of(parts: Path) -> None:
    (parts / "packaged").mkdir()
    (parts / "packaged" / "built.json").write_text(f'{{"commit": "{COMMIT}", "dirty": false}}', encoding="utf-8")
    assert as_json()["windlull"]["commit"] == COMMIT


def test_what_is_missing_is_said_and_the_rest_is_told(parts: Path) -> None:
    (parts / "engine").unlink()
    result = CliRunner().invoke(cli.group, ["--version"])
    assert result.exit_code == ExitCode.FAILURE
    assert "error: the engine: WINDLULL_ENGINE says" in result.stderr
    assert "3 links" in result.stdout


@pytest.mark.parametrize("arguments", [["--json"], ["--json", "doctor"]])
def test_json_alone_is_refused(arguments: list[str]) -> None:
    result = CliRunner().invoke(cli.group, arguments)
    assert result.exit_code == ExitCode.BAD_INPUT
    assert "--json needs --version" in result.stderr
