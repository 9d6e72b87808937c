"""The command as a person starts it: a process of its own."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

WINDLULL = (sys.executable, "-m", "windlull")


def windlull(
    *arguments: str | Path, cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the command to its end; the caller looks at how it ended."""
    command = [*WINDLULL, *(str(argument) for argument in arguments)]
    return subprocess.run(command, check=False, capture_output=True, text=True, cwd=cwd, env=env)


def said(command: list[str]) -> str:
    """Return what another program says of our files; it must end well."""
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def faults(capture: Path) -> str:
    """Return tshark's lines on malformed packets and bad checksums."""
    # Where Linux computes TCP's checksum without a device's help, it writes 0xffff for zero, and receivers take it.
    transport = "tcp.checksum.status == 0 && !tcp.checksum.ffff"
    return said(
        [
            "tshark", "-n", "-r", str(capture),
            "-o", "tcp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE",
            "-Y", f"_ws.malformed || _ws.short || ({transport}) || ip.checksum.status == 0",
        ]
    )  # fmt: skip


def tree(directory: Path) -> dict[str, str]:
    """Every file under a directory with the digest of its content."""
    return {
        file.relative_to(directory).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(directory.rglob("*"))
        if file.is_file()
    }


def resets(capture: Path) -> str:
    """Return tshark's lines on connections that an end reset."""
    return said(["tshark", "-n", "-r", str(capture), "-Y", "tcp.flags.reset == 1"])
