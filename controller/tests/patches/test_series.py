"""Which suite a series of Linux is fetched from, and which form of our changes its source gets; nothing is compiled."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.patches.linux import TCP, git
from windlull import locate

HERE = locate.kernel_builder().parent
PATCHES = HERE / "patches"
PINNED = (HERE / "source.txt").read_text(encoding="utf-8").splitlines()[-1].split()

MAKEFILE = """VERSION = 6
PATCHLEVEL = 1
mrproper tinyconfig:
olddefconfig: # As Kconfig does it: what no file defines is dropped without a word.
\tsed 's/.* //; s/^/CONFIG_/; s/$$/[= ]/' Kconfig | grep -f - .config >.config.new && mv .config.new .config
linux:
\tcp /bin/true linux
kernelrelease:
\t@echo 6.1.0
"""
MERGE = """#!/bin/sh
# merge_config.sh -m .config FILE
grep '^CONFIG_.*=[^n]' "$3" >.config
"""
OPTIONS = [
    line.removeprefix("CONFIG_").partition("=")[0]
    for line in (HERE / "windlull.config").read_text(encoding="utf-8").splitlines()
    if line.startswith("CONFIG_")
]

FIXED_ROOM = "0001-room-for-floating-point/fixed-room"
DYNAMIC_ROOM = {"arch/x86/um/os-Linux/registers.c": "\thost_fp_size = iov.iov_len;\n"}
COMMON = ["0003-ticks/any", "0004-nanoseconds/any"]
NO_ROOT = "0005-root-without-block-devices/before-5.15"
ANY_ROOT = {"init/do_mounts.c": "static int __init mount_nodev_root(void)\n"}
FORMS = {
    "5.10": ([FIXED_ROOM, "0002-die-together/two-traces", *COMMON, NO_ROOT], {}),
    "6.12": ([FIXED_ROOM, "0002-die-together/one-trace", *COMMON], ANY_ROOT),
    "7.3": (["0002-die-together/with-seccomp", *COMMON], DYNAMIC_ROOM | ANY_ROOT),
}
"""What the sources of some series need, and what else they have."""


def sides(patch: Path) -> dict[str, tuple[str, str]]:
    """Return what a patch finds in each of its files, and what it leaves."""
    files: dict[str, tuple[str, str]] = {}
    name = ""
    for line in patch.read_text(encoding="utf-8").splitlines(keepends=True):
        if line.startswith("+++ b/"):
            name = line.removeprefix("+++ b/").strip()
            files[name] = ("", "")
        elif name and not line.startswith("@@"):
            before, after = files[name]
            files[name] = (before + line[1:] * (line[0] != "+"), after + line[1:] * (line[0] != "-"))
    return files


def linux(tree: Path, needs: list[str], has: dict[str, str], lacks: frozenset[str] = frozenset()) -> Path:
    """Make a tree with the source that those patches find, and with the options that we ask for, but for some."""
    files = {"Makefile": MAKEFILE, "arch/um/Makefile": "", TCP: "", "scripts/kconfig/merge_config.sh": MERGE, **has}
    for patch in needs:
        files |= {name: before for name, (before, _) in sides(PATCHES / f"{patch}.patch").items()}
    files["Kconfig"] = "".join(f"config {option}\n" for option in OPTIONS if option not in lacks)
    for name, text in files.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(text, encoding="utf-8")
    (tree / "scripts/kconfig/merge_config.sh").chmod(0o755)
    return tree


def build(tree: Path, kernels: Path) -> subprocess.CompletedProcess[str]:
    command = [str(HERE / "build.sh"), str(kernels), "--name", "mine", "--source", str(tree)]
    return subprocess.run(command, check=False, capture_output=True, text=True)


@pytest.mark.parametrize(("series", "kept_by_git"), [("5.10", True), ("6.12", True), ("7.3", True), ("7.3", False)])
def test_each_form_of_the_source_gets_the_change_that_is_made_for_it(
    tmp_path: Path, series: str, *, kept_by_git: bool
) -> None:
    needs, has = FORMS[series]
    tree = linux(tmp_path / "linux", needs, has)
    if kept_by_git:
        git(tree, "init", "--quiet")
        git(tree, "add", "--all")
        git(tree, "commit", "--quiet", "--message", series)
    process = build(tree, tmp_path / "kernels")
    assert process.returncode == 0, process.stderr
    built = tmp_path / "kernels" / ("git-tree" if kept_by_git else "tree")
    for patch in needs:
        for name, (before, after) in sides(PATCHES / f"{patch}.patch").items():
            assert (tree / name).read_text(encoding="utf-8") == before
            assert (built / name).read_text(encoding="utf-8") == after
    assert ("user-offsets.c" in str([*built.rglob("*.c")])) == (FIXED_ROOM in needs)


def test_a_source_that_no_form_is_made_for_is_refused_with_what_each_says(tmp_path: Path) -> None:
    needs, _ = FORMS["7.3"]
    # Neither the fixed room, nor the text by which none is needed.
    process = build(linux(tmp_path / "linux", needs, {}), tmp_path / "kernels")
    assert process.returncode == 2
    assert "testbed/kernel/patches/0001-room-for-floating-point does not apply to this source" in process.stderr
    assert "fixed-room.patch: can't find file to patch" in process.stderr


def test_an_option_may_be_absent_only_where_it_is_listed_and_not_defined(tmp_path: Path) -> None:
    needs, has = FORMS["5.10"]
    process = build(linux(tmp_path / "old", needs, has, frozenset({"NETFILTER_EGRESS"})), tmp_path / "kernels")
    assert process.returncode == 0, process.stderr
    assert "note: this Linux has no NETFILTER_EGRESS: new in Linux 5.16" in process.stderr
    assert "absent NETFILTER_EGRESS" in (tmp_path / "kernels/mine/record").read_text(encoding="utf-8").splitlines()

    process = build(linux(tmp_path / "without", needs, has, frozenset({"VETH"})), tmp_path / "kernels")
    assert process.returncode == 1
    assert "asks for CONFIG_VETH=y, which this kernel does not give" in process.stderr

    # Defined, though not in force: something that it depends on is missing.
    tree = linux(tmp_path / "dropped", needs, has, frozenset({"NETFILTER_EGRESS"}))
    (tree / "net" / "Kconfig").write_text("config NETFILTER_EGRESS\n", encoding="utf-8")
    process = build(tree, tmp_path / "kernels")
    assert process.returncode == 1
    assert "asks for CONFIG_NETFILTER_EGRESS=y" in process.stderr


def test_every_option_that_may_be_absent_is_one_that_we_ask_for() -> None:
    lines = (HERE / "absent.txt").read_text(encoding="utf-8").splitlines()
    listed = {line.split()[0] for line in lines if not line.startswith("#")}
    assert listed <= set(OPTIONS)


@pytest.fixture
def fetcher(tmp_path: Path) -> Path:
    """Return fetch.sh with a mirror that has the packages of series.txt, each in version SERIES.9-1 and no other."""
    kernel = tmp_path / "testbed" / "kernel"
    shutil.copytree(HERE, kernel, ignore=shutil.ignore_patterns("src", "patches", "tests"))
    mirror = tmp_path / "scripts" / "of-suite.sh"
    mirror.parent.mkdir()
    mirror.write_text(
        f"""#!/bin/sh
# of-suite.sh DIRECTORY SUITE PACKAGE[=VERSION]
name=${{3%%=*}} series=${{3#linux-source-}}; series=${{series%%=*}}
case $3 in *=*) [ "${{3#*=}}" = "$series.9-1" ] || exit 3 ;; esac
grep -qx "$series $2" {kernel}/series.txt || exit 3
echo "$2" >"$1/${{name}}_$series.9-1_all.deb"
""",
        encoding="utf-8",
    )
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "apt-get").write_text("#!/bin/sh\n", encoding="utf-8")
    (programs / "dpkg-deb").write_text('#!/bin/sh\nbasename "$2" | cut -d _ -f 2\n', encoding="utf-8")
    for program in (mirror, programs / "apt-get", programs / "dpkg-deb"):
        program.chmod(0o755)
    return kernel / "fetch.sh"


def fetch(fetcher: Path, version: str) -> subprocess.CompletedProcess[str]:
    root = fetcher.parents[2]
    environment = {"PATH": f"{root / 'bin'}:{os.environ['PATH']}", "VERSION": version}
    command = [fetcher, root / "fetched"]
    return subprocess.run(command, check=False, capture_output=True, text=True, env=environment)


def listed() -> list[tuple[str, str]]:
    lines = (HERE / "series.txt").read_text(encoding="utf-8").splitlines()
    return [(series, suite) for series, suite in (line.split() for line in lines if not line.startswith("#"))]


@pytest.mark.parametrize(("series", "suite"), listed())
def test_a_series_is_taken_from_the_suite_that_has_it(fetcher: Path, series: str, suite: str) -> None:
    for version in (series, f"{series}.9-1"):
        process = fetch(fetcher, version)
        assert process.returncode == 0, process.stderr
        file, taken, _ = process.stdout.split()
        assert Path(file).read_text(encoding="utf-8").strip() == suite
        assert (Path(file).name, taken) == (f"linux-source-{series}_{series}.9-1_all.deb", f"{series}.9-1")


def test_a_series_that_debian_has_not_is_refused_with_those_it_has(fetcher: Path) -> None:
    process = fetch(fetcher, "6.5")
    assert process.returncode == 1
    assert f"error: {PINNED[2]} has no linux-source-6.5; testbed/kernel/series.txt has 5.10 (b" in process.stderr
    process = fetch(fetcher, "6.1.8-1")
    assert process.returncode == 1
    assert "error: bookworm has no linux-source-6.1 in version 6.1.8-1" in process.stderr


def test_the_pinned_series_is_listed_and_the_oldest_come_first() -> None:
    numbers = [tuple(map(int, series.split("."))) for series, _ in listed()]
    assert numbers == sorted(set(numbers))
    package, version, suite, _ = PINNED
    assert (package.removeprefix("linux-source-"), suite) in listed()
    assert re.match(r"\d+\.\d+", version).group() == package.removeprefix("linux-source-")  # type: ignore[union-attr]
