"""The wheel: built twice the same, and all of Windlull where there is no repository."""

from __future__ import annotations

import http.client
import json
import os
import platform
import runpy
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path
from urllib.parse import urlsplit

import pytest

import windlull
from tests.end_to_end.command import tree
from tests.end_to_end.command import windlull as here
from tests.end_to_end.serving import serving

ROOT = Path(__file__).resolve().parents[3]
BUILD = ROOT / "scripts" / "wheel" / "build.py"
DIFFERENCES = ROOT / "scripts" / "wheel" / "differences.py"


def built(out: Path, umask: int) -> Path:
    done = subprocess.run(
        [sys.executable, BUILD, out], check=False, capture_output=True, text=True, umask=umask, cwd=out.parent
    )
    assert done.returncode == 0, done.stderr
    return Path(done.stdout.strip())


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("wheel") / "dist", 0o022)


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command in an environment of its own. The libraries are those of the tests; Windlull is the wheel's."""
    place = tmp_path_factory.mktemp("elsewhere") / "venv"
    venv.create(place, with_pip=False)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", str(place / "bin" / "python")]
    subprocess.run([*pip, "install", "--quiet", "--no-deps", "--no-index", str(wheel)], check=True)
    (libraries,) = place.glob("lib/python*/site-packages")
    (libraries / "of-the-tests.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    return place / "bin" / "windlull"


def elsewhere(installed: Path, cwd: Path, *arguments: str | Path) -> str:
    """What the installed command says, in an environment that knows nothing of the repository."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("WINDLULL_", "PYTHON"))}
    ended = subprocess.run([installed, *arguments], check=False, capture_output=True, text=True, cwd=cwd, env=kept)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def test_it_is_the_same_whoever_builds_it(wheel: Path, tmp_path: Path) -> None:
    again = built(tmp_path / "dist", 0o077)
    assert again.name == wheel.name
    assert again.read_bytes() == wheel.read_bytes()


def static_program(directory: Path) -> Path:
    program = directory / "program"
    command = ["cc", "-static", "-x", "c", "-", "-o", str(program)]
    subprocess.run(command, check=True, input="int main(void) { return 0; }", text=True)
    return program


def test_an_engine_that_needs_no_library_goes_with_old_systems(tmp_path: Path) -> None:
    platform_tag = runpy.run_path(str(BUILD))["platform_tag"]
    assert platform_tag(static_program(tmp_path)) == f"manylinux_2_17_{platform.machine()}"


def test_the_processor_is_the_programs_and_not_the_machines(tmp_path: Path) -> None:
    program = static_program(tmp_path)
    build = runpy.run_path(str(BUILD))
    for number, name in ((62, "x86_64"), (183, "aarch64")):
        program.write_bytes(program.read_bytes()[:18] + number.to_bytes(2, "little") + program.read_bytes()[20:])
        assert build["processor"](program) == name
    program.write_bytes(program.read_bytes()[:18] + (243).to_bytes(2, "little") + program.read_bytes()[20:])
    with pytest.raises(build["BuildError"], match="x86_64, aarch64"):
        build["platform_tag"](program)


def test_what_differs_between_two_wheels_is_named(wheel: Path, tmp_path: Path) -> None:
    def compared(other: Path) -> tuple[int, str]:
        command: list[str | Path] = [sys.executable, DIFFERENCES, wheel, other]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    assert compared(wheel)[0] == 0
    other = tmp_path / wheel.name
    with zipfile.ZipFile(wheel) as archive, zipfile.ZipFile(other, "w") as changed:
        for entry in archive.infolist():
            content = archive.read(entry)
            changed.writestr(entry, content[:-1] if entry.filename == "windlull/_packaged/report.html" else content)
    assert compared(other) == (1, "windlull/_packaged/report.html: another content\n")


def test_it_says_what_it_is_made_of(wheel: Path) -> None:
    place = f"windlull-{windlull.__version__}.dist-info/sboms/"
    with zipfile.ZipFile(wheel) as archive:
        sboms = {name.removeprefix(place): archive.read(name) for name in archive.namelist() if name.startswith(place)}
    assert sboms.keys() == {"engine.cdx.json", "pages.cdx.json", "python.cdx.json"}
    assert {json.loads(text)["bomFormat"] for text in sboms.values()} == {"CycloneDX"}


def test_it_says_for_which_platform_it_is(wheel: Path) -> None:
    _, version, *tag = wheel.stem.split("-")
    assert version == windlull.__version__
    assert tag[:2] == ["py3", "none"]
    assert tag[2].startswith("manylinux_2_")
    with zipfile.ZipFile(wheel) as archive:
        text = archive.read(f"windlull-{version}.dist-info/WHEEL").decode()
        program = archive.getinfo("windlull/_packaged/windlull-engine")
        names = archive.namelist()
    assert "Root-Is-Purelib: false" in text
    assert f"Tag: {'-'.join(tag)}" in text
    assert program.external_attr >> 16 & 0o777 == 0o755
    assert not [name for name in names if "__pycache__" in name or name.startswith("tests/")]


def test_it_has_all_of_its_parts(installed: Path, tmp_path: Path) -> None:
    known = json.loads(elsewhere(installed, tmp_path, "--version", "--json"))
    for part in ("windlull", "engine", "profiles"):
        assert Path(known[part]["path"]).is_relative_to(installed.parent.parent)
    of_the_repository = json.loads(here("--version", "--json").stdout)
    assert known["profiles"]["sha256"] == of_the_repository["profiles"]["sha256"]
    assert known["engine"]["commit"] == of_the_repository["engine"]["commit"]
    assert known["windlull"]["commit"] == of_the_repository["windlull"]["commit"]


def test_it_runs_an_experiment_as_the_repository_does(installed: Path, tmp_path: Path) -> None:
    assert "frto+sack" in elsewhere(installed, tmp_path, "run", "first-look", "--out", "there")
    assert here("run", "first-look", "--out", tmp_path / "here").returncode == 0
    assert "report.html" in tree(tmp_path / "there")
    assert tree(tmp_path / "there") == tree(tmp_path / "here")


def test_it_serves_the_web_application_and_runs_what_it_is_asked_for(installed: Path, tmp_path: Path) -> None:
    with serving(tmp_path / "data", program=[str(installed)], environment={"PYTHONPATH": ""}) as service:
        place = urlsplit(service.url)
        connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=60)
        connection.request("GET", "/")
        page = connection.getresponse()
        assert page.status == 200
        assert b'<script type="module"' in page.read()
        connection.close()
        batch = service.until_ended(service.submit())
        assert batch["runs"] == {"done": batch["total"]}
