"""A process whose parent goes is told so, and ends even if it does not listen."""

from __future__ import annotations

import signal
import subprocess
import sys

OBEYS = """
import threading
from windlull import lifeline
stopped = threading.Event()
lifeline.watch(stopped.set)
print("ready", flush=True)
stopped.wait()
print("stopped", flush=True)
"""
DEAF = """
import threading
from windlull import lifeline
lifeline.GRACE_S = 0
lifeline.watch(lambda: None)
print("ready", flush=True)
threading.Event().wait()
"""


def started(program: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_the_end_of_standard_input_stops_it() -> None:
    with started(OBEYS) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        assert process.communicate() == ("stopped\n", "")
    assert process.returncode == 0


def test_who_does_not_stop_is_killed() -> None:
    with started(DEAF) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.communicate()
    assert process.returncode == -signal.SIGKILL
