"""list, show, check, analyze, --version."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

import windlull as package
from tests.end_to_end.command import windlull
from windlull import locate
from windlull.runner import engine

PROFILES = Path(__file__).resolve().parents[3] / "profiles"


@pytest.mark.parametrize(
    ("kind", "some"),
    [
        ("links", {"gprs", "umts-3g", "edge", "gsm-csd"}),
        ("variants", {"newreno", "sack", "frto+sack", "frto+newreno", "eifel+sack", "eifel+newreno"}),
        ("workloads", set()),
        ("experiments", {f"papers/sarolahti2003/{name}" for name in ("table-1", "table-3", "figure-1", "figure-4")}),
    ],
)
def test_list_names_what_can_be_shown(kind: str, some: set[str]) -> None:
    done = windlull("list", kind)
    assert done.returncode == 0, done.stderr
    names = [line.split("\t")[0] for line in done.stdout.splitlines()]
    assert set(names) >= some
    assert names
    for name in names:
        assert engine.ask(["show", f"{kind}/{name}"])["name"] == name


def test_show_has_the_file_and_what_it_resolves_to() -> None:
    shown = windlull("show", "gprs")
    assert (PROFILES / "links" / "gprs.toml").read_text(encoding="utf-8").splitlines()[0] in shown.stdout
    answer = json.loads(windlull("show", "gprs", "--json").stdout)
    assert answer["name"] == "gprs"
    assert answer["kind"] == "link"
    assert answer["resolved"]


def test_plan_estimates_and_runs_nothing(tmp_path: Path) -> None:
    done = windlull("plan", "first-look", "--reps", "2", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "runs                4" in done.stdout
    assert re.search(r"an estimate for all of them.*packets +about [\d,]+$", done.stdout, re.DOTALL | re.MULTILINE)
    assert "at most 5,000,000,000 events" in done.stdout
    answer = json.loads(windlull("plan", "first-look", "--reps", "2", "--json").stdout)
    assert answer["runs"] == 4
    assert answer["estimate"]["packets"] > 1000
    assert list(tmp_path.iterdir()) == []


def test_check_says_that_a_file_is_good() -> None:
    file = PROFILES / "links" / "gprs.toml"
    done = windlull("check", file)
    assert (done.returncode, done.stdout) == (0, f"{file}: ok\n"), done.stderr


# Read by the command alone: what the papers state (tests/papers/test_statements.py), and suites
# (tests/patches/test_suites.py).
FOR_THE_ENGINE = [file for file in sorted(PROFILES.rglob("*.toml")) if file.parent.name not in {"statements", "suites"}]


@pytest.mark.parametrize("file", FOR_THE_ENGINE, ids=lambda file: file.stem)
def test_every_shipped_file_is_valid(file: Path) -> None:
    assert engine.ask(["check", str(file)]) is None


def test_an_unknown_name_is_bad_input_with_the_nearest_right_one() -> None:
    for command in ("show", "run"):
        done = windlull(command, "papers/sarolahti2003/tabel-1")
        assert done.returncode == 2
        assert "papers/sarolahti2003/table-1" in done.stderr
        assert not Path("out").exists() or not Path("out/papers-sarolahti2003-tabel-1").exists()


def test_version_tells_the_engine_and_the_commit() -> None:
    done = windlull("--version")
    assert done.returncode == 0
    command, engine, *_ = done.stdout.splitlines()
    version = re.escape(package.__version__)
    assert re.fullmatch(rf"windlull {version}, (with changes since )?commit [^,]+, \S+", command)
    path = re.escape(str(locate.engine()))
    assert re.fullmatch(
        rf"engine {version}, (commit \S+|with changes since commit \S+, sources [0-9a-f]{{12}}), {path}", engine
    )


def test_a_link_is_exported_as_a_script_that_a_shell_understands(tmp_path: Path) -> None:
    script = tmp_path / "link.sh"
    done = windlull("export", "bench-s1", "--format", "tc", "--seed", "7", "--for", "60 s", "--out", script)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    text = script.read_text(encoding="utf-8")
    assert text.startswith("#!/bin/sh\n")
    assert "seed 7" in text
    assert subprocess.run(["sh", "-n", script], check=False).returncode == 0
    assert windlull("export", "bench-s1", "--format", "tc", "--seed", "7", "--for", "60 s").stdout == text


def test_what_tc_cannot_do_is_refused_and_nothing_written(tmp_path: Path) -> None:
    done = windlull("export", "gprs", "--format", "tc", "--exact", "--out", tmp_path / "link.sh")
    assert done.returncode == 2
    assert 'error: link "gprs": [both] arq: ' in done.stderr
    assert list(tmp_path.iterdir()) == []
