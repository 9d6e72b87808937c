"""Hold `windlull kernel check` and `windlull kernel bisect` against patches and histories of which the answer is known.

    .venv/bin/python scripts/check_kernel_verdicts.py check [--suite recovery] [--only NAME,...]
    .venv/bin/python scripts/check_kernel_verdicts.py bisect [--histories 10] [--seed 2026] [--only NUMBER,...]

`check` applies each patch of testbed/kernel/examples to Linux and has it checked: what breaks a mechanism must be worse
somewhere, what changes nothing (examples/unchanged) nowhere. `bisect` makes histories of 64 commits that each change a
file of TCP; one of them, drawn by the seed, is a patch that breaks a mechanism, and another one does not compile. Ends
with 1 if an answer is wrong.

--tree takes a clean git tree of the Linux that the patches are made for, of which a copy is worked in; without it
Debian's source package is unpacked. The copy, the kernels and the results stay in --out (8 GB).
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
KERNEL = ROOT / "testbed" / "kernel"
BREAKING = {
    "no-frto": "holds",
    "no-undo": "holds",
    "no-reordering-window": "reordering",
    "no-tail-loss-probe": "tail-losses",
    "rate-halving": "lost-retransmissions",
    "no-sack-scoreboard": "bursts",
}
"""What breaks a mechanism, and the scenario that shows it best: it takes longer there, or sends more."""
PLANTED = tuple(name for name in BREAKING if name != "no-reordering-window")
"""Those that take longer; a window of 0 sends more."""
RULE = "elapsed.median > 1.02 * baseline"
COMMITS = 64
TCP = (
    "tcp.c",
    "tcp_input.c",
    "tcp_output.c",
    "tcp_timer.c",
    "tcp_recovery.c",
    "tcp_rate.c",
    "tcp_cong.c",
    "tcp_cubic.c",
)


@dataclass(frozen=True)
class Tree:
    """A git tree of Linux that is ours to change."""

    path: Path
    base: str

    def git(self, *arguments: str) -> str:
        """Have git do something, as nobody in particular."""
        command = ["git", "-C", str(self.path), "-c", "user.name=A", "-c", "user.email=a@example.org", *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    def restore(self) -> None:
        """Bring it to where it began."""
        self.git("checkout", "--quiet", "--force", "--detach", self.base)

    def commit(self, message: str) -> str:
        """Commit all that is changed."""
        self.git("commit", "--quiet", "--all", "--message", message)
        return self.git("rev-parse", "HEAD")

    def apply(self, patch: Path) -> None:
        """Apply a patch to the files."""
        self.git("apply", str(patch))

    def add_line(self, file: str, line: str) -> None:
        """Add a line to the end of a file of TCP."""
        with (self.path / "net" / "ipv4" / file).open("a", encoding="utf-8") as text:
            text.write(f"{line}\n")


def made(out: Path, given: Path | None) -> Tree:
    """Make the tree, unless it is there."""
    path = out / "linux"
    if not (path / ".git").exists():
        shutil.rmtree(path, ignore_errors=True)
        if given is None:
            unpack(out, path)
        else:
            subprocess.run(["git", "clone", "--quiet", "--shared", str(given.resolve()), str(path)], check=True)
    tree = Tree(path, "")
    if not (out / "base").exists():
        (out / "base").write_text(tree.git("rev-parse", "HEAD"), encoding="utf-8")
    tree = Tree(path, (out / "base").read_text(encoding="utf-8"))
    tree.restore()
    return tree


def unpack(out: Path, path: Path) -> None:
    """Unpack Debian's source package, and give it to git."""
    fetched = subprocess.run([KERNEL / "fetch.sh", out], check=True, capture_output=True, text=True).stdout
    package = fetched.split()[0]
    path.mkdir()
    pipeline = (
        'set -o pipefail; dpkg-deb --fsys-tarfile "$1" | tar --extract --to-stdout --wildcards'
        " './usr/src/linux-source-*.tar.xz' | tar --extract --xz --directory \"$2\" --strip-components 1"
    )
    subprocess.run(["bash", "-c", pipeline, "unpack", package, str(path)], check=True)
    tree = Tree(path, "")
    tree.git("init", "--quiet")
    # Debian's .gitignore ignores everything.
    tree.git("add", "--all", "--force")
    tree.commit("As Debian has it")


def windlull(out: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command with kernels of its own."""
    environment = {**os.environ, "WINDLULL_KERNELS": str(out / "kernels")}
    command = [str(Path(sys.executable).with_name("windlull")), *arguments]
    return subprocess.run(command, check=False, capture_output=True, text=True, env=environment, cwd=out)


# --- check ------------------------------------------------------------------------------------------------------------


def check(tree: Tree, out: Path, suite: str, only: list[str]) -> bool:
    """Check every patch, and say what became of it."""
    unchanged = sorted(file.stem for file in (KERNEL / "examples" / "unchanged").glob("*.patch"))
    patches = [KERNEL / "examples" / f"{name}.patch" for name in BREAKING]
    patches += [KERNEL / "examples" / "unchanged" / f"{name}.patch" for name in unchanged]
    right = True
    for patch in patches:
        if only and patch.stem not in only:
            continue
        tree.restore()
        tree.apply(patch)
        began = time.monotonic()
        into = f"check-{suite}-{patch.stem}"
        process = windlull(out, "kernel", "check", str(tree.path), "--base", tree.base, "--suite", suite, "--out", into)
        seconds = time.monotonic() - began
        if process.returncode not in {0, 1} or not (out / into / "check.json").is_file():
            sys.exit(f"{patch.stem}: {process.stderr}")
        verdicts = {
            scenario["name"]: scenario["verdict"]
            for scenario in json.loads((out / into / "check.json").read_bytes())["scenarios"]
        }
        worse = sorted(name for name, verdict in verdicts.items() if verdict == "worse")
        is_right = bool(worse) == (patch.stem in BREAKING)
        right &= is_right
        told = (
            f"worse in {', '.join(worse)}" if worse else f"worse nowhere: {', '.join(sorted(set(verdicts.values())))}"
        )
        print(f"{'ok' if is_right else 'WRONG'} {patch.stem}: {told} ({seconds:.0f} s)", flush=True)
    tree.restore()
    return right


# --- bisect -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class History:
    """64 commits, and which is bad."""

    planted: str
    place: int
    bad: str
    head: str


def history(tree: Tree, number: int, seed: int) -> History:
    """Make a history."""
    draw = random.Random(f"{seed}/{number}")  # noqa: S311 - histories, no secrets
    planted = draw.choice(PLANTED)
    place = draw.randint(1, COMMITS)
    # Where the commit before the bad one does not compile, nobody can tell which of the two it is.
    broken = draw.choice([at for at in range(2, COMMITS) if at not in {place, place - 1}])
    tree.restore()
    bad = ""
    for at in range(1, COMMITS + 1):
        file = draw.choice(TCP)
        if at == broken + 1:
            tree.git("revert", "--no-edit", "HEAD")
        elif at == broken:
            tree.add_line(file, "#error")
            tree.commit(f"{at}: does not compile")
        else:
            tree.add_line(file, f"/* {number}, {at} */")
            if at == place:
                tree.apply(KERNEL / "examples" / f"{planted}.patch")
            commit = tree.commit(f"{at}")
            bad = commit if at == place else bad
    return History(planted, place, bad, tree.git("rev-parse", "HEAD"))


def bisect(tree: Tree, out: Path, histories: list[int], seed: int) -> bool:
    """Have the bad commit of each history found."""
    right = 0
    for number in histories:
        one = history(tree, number, seed)
        began = time.monotonic()
        scenario = f"kernel/{BREAKING[one.planted]}"
        process = windlull(
            out, "kernel", "bisect", str(tree.path), "--good", tree.base, "--bad", one.head, "--fail-if", RULE,
            "--scenario", scenario, "--out", f"bisect-{number}",
        )  # fmt: skip
        seconds = time.monotonic() - began
        (out / f"bisect-{number}.log").write_text(process.stdout + process.stderr, encoding="utf-8")
        last = process.stdout.strip().splitlines()[-1] if process.stdout.strip() else process.stderr.strip()
        named = last.removeprefix("first bad commit: ").split()[0] if last.startswith("first bad commit: ") else ""
        is_right = bool(named) and one.bad.startswith(named)
        right += is_right
        judged = sum(
            ": good;" in line or ": bad;" in line or ": untold;" in line for line in process.stdout.splitlines()
        )
        print(
            f"{'ok' if is_right else 'WRONG'} history {number}: {one.planted} in commit {one.place}, {one.bad[:12]}; "
            f"{last} ({judged} judged, {seconds:.0f} s)",
            flush=True,
        )
    tree.restore()
    print(f"{right} of {len(histories)} right")
    return right == len(histories)


def main() -> int:
    """Do what is asked."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("what", choices=("check", "bisect"))
    options.add_argument("--tree", type=Path)
    options.add_argument("--out", type=Path, default=ROOT / "target" / "kernel-verdicts")
    options.add_argument("--suite", default="recovery")
    options.add_argument("--only", default="", help="patches, or numbers of histories, with commas between them")
    options.add_argument("--histories", type=int, default=10)
    options.add_argument("--seed", type=int, default=2026)
    given = options.parse_args()
    out: Path = given.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    tree = made(out, given.tree)
    only = [name for name in given.only.split(",") if name]
    if given.what == "check":
        right = check(tree, out, given.suite, only)
    else:
        right = bisect(tree, out, [int(name) for name in only] or list(range(1, given.histories + 1)), given.seed)
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
