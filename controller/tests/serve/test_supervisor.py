"""Children are kept running, and none outlives us."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from windlull.errors import FailureError
from windlull.serve import supervisor as module
from windlull.serve.child import Child, Ended
from windlull.serve.supervisor import LONGEST_PAUSE_S, SHORT_LIFE_S, Supervisor, how, next_pause_s

if TYPE_CHECKING:
    from pathlib import Path

WAITS = "import sys; sys.stdin.read()"
DEAF = """
import signal, sys
signal.signal(signal.SIGTERM, signal.SIG_IGN)
open(sys.argv[1], "w").close()
sys.stdin.read()
"""
LEAVES = """
import subprocess, sys
left = subprocess.Popen(["sleep", "1000"])
print(left.pid, file=open(sys.argv[1], "w"), flush=True)
"""


class StopError(Exception):
    """Ends a supervisor from a test."""


def child(program: str, *arguments: str) -> Child:
    return Child("child", [sys.executable, "-c", program, *arguments], environment={})


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FIRST_PAUSE_S", 0.0)


def test_a_child_that_ends_is_started_again() -> None:
    ends: list[Ended] = []

    def on_end(ended: Ended) -> None:
        ends.append(ended)
        if len(ends) == 3:
            raise StopError

    with pytest.raises(StopError):
        Supervisor().run([child("raise SystemExit(7)"), child(WAITS)], on_end=on_end)
    assert [ended.code for ended in ends] == [7, 7, 7]


def test_a_signal_ends_all() -> None:
    """The first child asks its parent to stop; the second one waits, and is gone when the supervisor returns."""
    asks = f"import os, signal, sys; os.kill({os.getpid()}, signal.SIGTERM); sys.stdin.read()"
    others = [child(asks), child(WAITS)]
    supervisor = Supervisor()
    with supervisor.signals():
        supervisor.run(others)
    assert [each.pid for each in others] == [None, None]
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_who_does_not_end_is_killed_at_the_second_signal(tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    deaf = child(DEAF, str(ready))
    # It asks a second time when it is asked to end itself.
    asks = f"""
import os, signal, sys, time
def again(*_):
    os.kill({os.getpid()}, signal.SIGINT)
    sys.exit()
signal.signal(signal.SIGTERM, again)
while not os.path.exists({str(ready)!r}):
    time.sleep(0.01)
os.kill({os.getpid()}, signal.SIGTERM)
sys.stdin.read()
"""
    supervisor = Supervisor()
    with supervisor.signals():
        supervisor.run([deaf, child(asks)])
    assert deaf.pid is None


def test_what_a_killed_child_had_started_ends_too(tmp_path: Path) -> None:
    note = tmp_path / "pid"

    def on_end(_: Ended) -> None:
        raise StopError

    with pytest.raises(StopError):
        Supervisor().run([child(LEAVES, str(note))], on_end=on_end)
    left = int(note.read_text(encoding="ascii"))

    def state() -> str:
        said = subprocess.run(["ps", "-o", "stat=", "-p", str(left)], capture_output=True, text=True, check=False)
        return said.stdout.strip()[:1]

    # It is init's by now, and its entry may stay until init has read it: but it does not run. A busy machine takes its
    # time to end what was killed.
    deadline = time.monotonic() + 60
    while state() not in {"", "Z"}:
        assert time.monotonic() < deadline, f"process {left} is still {state()}"
        time.sleep(0.01)


def test_a_command_that_is_not_there_is_told() -> None:
    waits = child(WAITS)
    with pytest.raises(FailureError, match="cannot start /nowhere/at-all: No such file"):
        Supervisor().run([waits, Child("other", ["/nowhere/at-all"], environment={})])
    assert waits.pid is None


def test_pauses_grow_until_a_child_has_lived() -> None:
    pauses = [0.5]
    for _ in range(8):
        pauses.append(next_pause_s(pauses[-1], 1))
    assert pauses == [0.5, 1, 2, 4, 8, 16, LONGEST_PAUSE_S, LONGEST_PAUSE_S, LONGEST_PAUSE_S]
    assert next_pause_s(LONGEST_PAUSE_S, SHORT_LIFE_S) == next_pause_s(None, 1) == module.FIRST_PAUSE_S


@pytest.mark.parametrize(("code", "said"), [(0, "with code 0"), (-9, "by SIGKILL"), (-99, "by signal 99")])
def test_ends_are_told(code: int, said: str) -> None:
    assert how(code) == said
