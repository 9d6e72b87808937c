"""An emulator in a network namespace of its own, for tests; whoever asks it runs in there too."""

from __future__ import annotations

import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from windlull import locate

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

URL = "http://127.0.0.1:7411"
CONTROLLER = Path(__file__).resolve().parents[1]

_DEVICES = """\
link set lo up
link add to-server type veth peer name server0
link add to-client type veth peer name client0
link set to-server up
link set server0 up
link set to-client up
link set client0 up
"""


@dataclass(frozen=True, slots=True)
class Emulated:
    """A namespace with an emulator in it."""

    holder: int

    def run(self, command: Sequence[str]) -> subprocess.CompletedProcess[str]:
        """Run a command in there, in the controller's directory."""
        return subprocess.run(
            [*_enter(self.holder), *command], check=False, capture_output=True, text=True, timeout=60, cwd=CONTROLLER
        )

    def windlull(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run the `windlull` command in there."""
        return self.run([sys.executable, "-m", "windlull", *arguments])


@contextmanager
def emulated(*, link: str | None = None, state: Path | None = None) -> Iterator[Emulated]:
    """Start an emulator; it ends with this. What it keeps lies in `state`."""
    user = ["--user", "--map-root-user"]
    # It says when it is in there, and stays until its input ends.
    with subprocess.Popen(
        ["unshare", *user, "--net", "sh", "-c", "echo there; read -r _"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as holder:  # fmt: skip
        assert holder.stdout is not None
        assert holder.stdout.readline() == "there\n"
        enter = _enter(holder.pid)
        # A machine that forwards makes namespaces that do.
        subprocess.run([*enter, "sh", "-c", "echo 0 >/proc/sys/net/ipv4/ip_forward"], check=True)
        subprocess.run([*enter, "ip", "-batch", "-"], input=_DEVICES, check=True, text=True)
        command = [
            str(locate.engine()), "--profiles", str(locate.profiles()), "emulate",
            "--server-side", "to-server", "--server-side-address", "198.18.1.254/24",
            "--client-side", "to-client", "--client-side-address", "198.18.2.254/24",
            *(["--link", link] if link else []),
            *(["--state", str(state)] if state else []),
        ]  # fmt: skip
        with subprocess.Popen([*enter, *command], stderr=subprocess.PIPE, text=True) as emulator:
            try:
                assert emulator.stderr is not None
                first = emulator.stderr.readline()
                assert '"started"' in first, first + emulator.stderr.read()
                yield Emulated(holder.pid)
            finally:
                emulator.terminate()
                emulator.wait(timeout=30)
                holder.communicate("", timeout=30)


def _enter(holder: int) -> list[str]:
    return ["nsenter", "--target", str(holder), "--user", "--net", "--preserve-credentials"]
