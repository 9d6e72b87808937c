"""What one engine may use of its machine: memory, the size of a file, processor time. The kernel enforces it.

A valid experiment may ask for more than any machine has. Its engine ends then, with a message, and other runs go on.
What each run may use, the engine counts itself: events, virtual time, and the disk of all of a run's files.
"""

from __future__ import annotations

import os
import resource
import signal
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from windlull.errors import BadInputError

MEMORY = "WINDLULL_RUN_MEMORY_BYTES"
FILE = "WINDLULL_RUN_FILE_BYTES"
PROCESSOR = "WINDLULL_RUN_PROCESSOR_S"
"""The variables that set other limits of a process."""
ENGINES = "WINDLULL_ENGINES"
"""The variable by which a service tells its workers how many there are on this machine."""
DISK = "WINDLULL_RUN_DISK_BYTES"
EVENTS = "WINDLULL_RUN_EVENTS"
VIRTUAL = "WINDLULL_RUN_VIRTUAL_S"
"""The variables that set other limits of a run; the engine reads them."""

MOST_MEMORY = 4 << 30
"""Octets of memory by default, where the machine has so much for each engine."""
MOST_FILE = 16 << 30
"""Octets of one file by default."""
MOST_PROCESSOR_S = 4 * 3600
"""Seconds of processor time by default."""
MOST_DISK_OF_A_WORKER = 1 << 30
"""Octets of all files of a worker's run by default: it carries them to the service in memory."""
SHARE = 0.8
"""Of the machine's memory, what all engines together may have."""

_OUT_OF_MEMORY = "memory allocation of"
"""What Rust says before it aborts."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Of one engine's process; `disk_bytes` of each of its runs. None: no limit, or the engine's own."""

    memory_bytes: int
    file_bytes: int
    processor_s: int | None
    disk_bytes: int | None = None

    def environment(self) -> dict[str, str]:
        """Return what is added to the environment of an engine, which counts the disk itself."""
        return {} if self.disk_bytes is None else {DISK: str(self.disk_bytes)}

    def impose(self, pid: int) -> None:
        """Hold a process to them. One that has ended already is left alone, and no limit is raised above the user's."""
        for kind, most in (
            (resource.RLIMIT_DATA, self.memory_bytes),
            (resource.RLIMIT_FSIZE, self.file_bytes),
            (resource.RLIMIT_CPU, self.processor_s),
        ):
            if most is None:
                continue
            with suppress(ProcessLookupError):
                _, ceiling = resource.prlimit(pid, kind)
                lower = most if ceiling == resource.RLIM_INFINITY else min(most, ceiling)
                resource.prlimit(pid, kind, (lower, ceiling))

    def exceeded(self, returned: int, complaint: str) -> str | None:
        """Return which limit ended an engine, and how to raise it; None if none did."""
        if returned == -signal.SIGABRT and _OUT_OF_MEMORY in complaint:
            return f"it needs more than {self.memory_bytes >> 20} MiB of memory; {MEMORY} sets another limit"
        if returned == -signal.SIGXCPU:
            return f"it needs more than {self.processor_s} s of processor time; {PROCESSOR} sets another limit"
        return None


def limits(engines: int | None) -> Limits:
    """Return the limits of one of so many engines that make some runs each on this machine. Raises BadInputError.

    None: one that makes all runs of an experiment, on all cores, for as long as they take.
    """
    return Limits(
        memory_bytes=memory_for(engines),
        file_bytes=_set(FILE) or MOST_FILE,
        processor_s=_set(PROCESSOR) or (None if engines is None else MOST_PROCESSOR_S),
        disk_bytes=_set(DISK) or (None if engines is None else MOST_DISK_OF_A_WORKER),
    )


def limits_of_a_worker() -> Limits:
    """Return the limits of a worker's engine: a machine has a worker for each of its cores. Raises BadInputError."""
    return limits(os.cpu_count() or 1)


def memory_for(engines: int | None) -> int:
    """Return how many octets each of so many engines may have, so that all of them fit into this machine.

    That holds for what a variable gives to each, too. None: one that has the machine for itself. Raises BadInputError.
    """
    together = int(SHARE * _machine_bytes())
    if engines is None:
        return min(_set(MEMORY) or together, together)
    share = max(1 << 20, together // (_set(ENGINES) or max(1, engines)))
    return min(_set(MEMORY) or MOST_MEMORY, share)


def _machine_bytes() -> int:
    """Return the memory of this machine, or of the container that this process is in."""
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    for file in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        with suppress(OSError, ValueError):
            machine = min(machine, int(Path(file).read_text(encoding="ascii")))
    return machine


def _set(variable: str) -> int | None:
    text = os.environ.get(variable)
    if not text:
        return None
    if not text.isascii() or not text.isdigit() or int(text) == 0:
        raise BadInputError(f"{variable}={text}: write a whole number above zero")
    return int(text)
