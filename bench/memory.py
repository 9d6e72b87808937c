"""How much memory a program needs."""

from __future__ import annotations

import subprocess
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def peak_mb(command: Sequence[str | Path]) -> float:
    """Run a command for the most that it has resident at any time, MB; what it says is not kept.

    GNU time starts it and waits for it: to what a process had resident Linux adds, for the time before its program was
    loaded, what the process that started it has. That of this benchmark is far more than the engine's; time's is not.

    Raises subprocess.CalledProcessError if the command fails.
    """
    with NamedTemporaryFile("r", encoding="ascii") as said:
        timed = ["/usr/bin/time", "--format", "%M", "--output", said.name, *command]
        subprocess.run(timed, check=True, stdout=subprocess.DEVNULL)
        return int(said.read()) * 1024 / 1e6
