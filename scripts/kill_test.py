"""Kill every process of a live sweep at random moments; after the next start nothing may be left of it.

    scripts/kill_test.py [--times 20] ENGINE run EXPERIMENT --testbed netns --out {out}

Runs the engine again and again, each time in a new directory (`{out}` in its arguments), and kills the engine
itself, its live runs and, with `--kinds tool`, the tools that these start, each kind so many times. Then it asks for
`ENGINE doctor --clean`, as a next start would, and compares the machine with how it was: processes, network devices
and namespaces, queues, tables, settings, ledgers, drafts. Runs that were finished must be whole. Ends with code 1 at
the first difference, naming the seed.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MARK = "WINDLULL_KILL_TEST"
"""A variable of the environment that all processes of a sweep inherit."""
KINDS = ("engine", "live-run", "tool")
GO_ON = 3.0
"""Seconds that the engine may go on without a run that was killed, before it is interrupted."""
PATIENCE = 60.0
"""Seconds that whatever must happen by itself may take."""


class LeftBehindError(Exception):
    """Something is not as it was."""


def expect(holds: bool, otherwise: str) -> None:  # noqa: FBT001 - reads like a sentence
    """Raise LeftBehindError with these words unless it holds."""
    if not holds:
        raise LeftBehindError(otherwise)


def main() -> int:
    """Run the test and return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=20, help="kills of each kind of process (20)")
    parser.add_argument("--within", type=float, default=2.0, help="the latest moment of a kill, seconds (2)")
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1_000_000)
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS[:2]))
    parser.add_argument("command", nargs=argparse.REMAINDER, help="the engine and its arguments")
    options = parser.parse_args()
    if not any("{out}" in word for word in options.command):
        parser.error("the engine's arguments must say where {out} goes")
    command = options.command[1:] if options.command[0] == "--" else options.command
    moments = random.Random(options.seed)  # noqa: S311 - no secret
    for kind in options.kinds:
        missed = 0
        for nth in range(options.times):
            after = moments.uniform(0, options.within)
            try:
                missed += not kill_once(command, kind, after)
            except LeftBehindError as error:
                print(f"seed {options.seed}, {kind}, kill {nth + 1} after {after:.3f} s: {error}", file=sys.stderr)
                return 1
        print(f"{kind}: killed {options.times - missed} times, nothing is left ({missed} times there was none by then)")
    return 0


def kill_once(command: list[str], kind: str, after: float) -> bool:
    """Start the sweep, kill one process of that kind, clean up and compare. Return whether there was one."""
    room = Path(tempfile.mkdtemp(prefix="kill-test-"))
    state, temporary, out = room / "state", room / "tmp", room / "out"
    temporary.mkdir()
    mark = room.name
    environment = {**os.environ, MARK: mark, "XDG_STATE_HOME": str(state), "TMPDIR": str(temporary)}
    before = machine()
    words = [word.replace("{out}", str(out)) for word in command]
    with (room / "log").open("wb") as log:
        sweep = subprocess.Popen(words, env=environment, stdout=log, stderr=log)
        try:
            time.sleep(after)
            victim = find(mark, kind, sweep)
            if victim is not None:
                os.kill(victim, signal.SIGKILL)
            if kind != "engine":
                # One run is gone: the engine goes on without it, or says why not.
                try:
                    sweep.wait(GO_ON)
                except subprocess.TimeoutExpired:
                    sweep.terminate()
            sweep.wait(PATIENCE)
        finally:
            sweep.kill()
            sweep.wait()
    wait_until_gone(mark)
    # In the next start's own right: it is none of the sweep's processes.
    cleaning = {name: value for name, value in environment.items() if name != MARK}
    doctor = subprocess.run([words[0], "doctor", "--clean"], env=cleaning, capture_output=True, check=False)
    expect(doctor.returncode == 0, f"doctor --clean: {doctor.stderr.decode()}")
    expect(machine() == before, f"the machine has changed: {machine() ^ before}")
    left = list(state.rglob("*.jsonl"))
    left += list(room.rglob(".*.part"))
    left += list(temporary.iterdir())
    expect(not left, f"left: {[str(path) for path in left]}")
    for run in out.rglob("run.json"):
        whole(run.parent)
    shutil.rmtree(room)
    return victim is not None


def find(mark: str, kind: str, sweep: subprocess.Popen[bytes]) -> int | None:
    """A process of that kind; waits for one while the sweep runs."""
    if kind == "engine":
        return sweep.pid if sweep.poll() is None else None
    while sweep.poll() is None:
        for pid in marked(mark):
            words = read(f"/proc/{pid}/cmdline").split(b"\0")
            is_run = b"live-run" in words
            if pid != sweep.pid and is_run == (kind == "live-run"):
                return pid
    return None


def marked(mark: str) -> list[int]:
    """All processes of the sweep that still run."""
    wanted = f"{MARK}={mark}".encode()
    pids = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    return [pid for pid in pids if wanted in read(f"/proc/{pid}/environ").split(b"\0")]


def wait_until_gone(mark: str) -> None:
    """The kernel takes a moment to end the children of a killed process."""
    until = time.monotonic() + PATIENCE
    while pids := marked(mark):
        if time.monotonic() > until:
            names = [read(f"/proc/{pid}/cmdline") for pid in pids]
            for pid in pids:
                os.kill(pid, signal.SIGKILL)
            raise LeftBehindError(f"processes are left: {names}")
        time.sleep(0.001)


def machine() -> frozenset[str]:
    """Network devices, named namespaces, queues, tables and settings of the machine itself."""
    found = {f"device {path.name}" for path in Path("/sys/class/net").iterdir()}
    if (named := Path("/run/netns")).is_dir():
        found |= {f"namespace {path.name}" for path in named.iterdir()}
    for path in Path("/proc/sys/net/ipv4").rglob("*"):
        if path.is_file():
            found.add(f"{path} = {read(path).decode()}")
    for tool in (("tc", "qdisc", "show"), ("nft", "list", "tables")):
        program = shutil.which(tool[0], path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
        if program:
            answer = subprocess.run([program, *tool[1:]], capture_output=True, check=False)
            found |= set(answer.stdout.decode().splitlines())
    return frozenset(found)


def whole(run: Path) -> None:
    """A finished run's files can be read to their ends."""
    for path in run.iterdir():
        content = path.read_bytes()
        if path.name.endswith(".json.gz"):
            json.loads(gzip.decompress(content))
        elif path.suffix == ".json":
            json.loads(content)
        elif path.suffix == ".pcapng":
            at = 0
            while at < len(content):
                length = struct.unpack_from("<I", content, at + 4)[0]
                expect(length >= 12, f"{path}: a block of {length} octets")
                at += length
            expect(at == len(content), f"{path} ends within a block")


def read(path: str | Path) -> bytes:
    """The content of a file, or nothing if it is gone or not ours."""
    try:
        return Path(path).read_bytes()
    except OSError:
        return b""


if __name__ == "__main__":
    sys.exit(main())
