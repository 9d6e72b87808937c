"""What a Docker engine changes of the machine and leaves behind: put back as it was."""

from __future__ import annotations

import subprocess
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

FAMILIES = ("iptables", "ip6tables")
FORWARDING = (Path("/proc/sys/net/ipv4/ip_forward"), Path("/proc/sys/net/ipv6/conf/all/forwarding"))
BRIDGE = Path("/sys/class/net/docker0")


@contextmanager
def none_left() -> Iterator[None]:
    """Put packet filter, forwarding and the engine's bridge back when the body has ended. Needs root."""
    rules = {family: _tables(family) for family in FAMILIES}
    forwarding = {file: file.read_text(encoding="ascii") for file in FORWARDING if file.exists()}
    bridge = BRIDGE.exists()
    try:
        yield
    finally:
        for family, before in rules.items():
            for table, now in _tables(family).items():
                _restore(family, before.get(table) or emptied(now))
        for file, value in forwarding.items():
            file.write_text(value, encoding="ascii")
        if BRIDGE.exists() and not bridge:
            subprocess.run(["ip", "link", "delete", BRIDGE.name], check=True)


def _tables(family: str) -> dict[str, str]:
    """Return the tables that there are, each as `iptables-save` writes it."""
    saved = subprocess.run([f"{family}-save"], capture_output=True, text=True, check=True).stdout
    return split(saved)


def split(saved: str) -> dict[str, str]:
    """Return the tables of what `iptables-save` wrote, by name."""
    tables: dict[str, str] = {}
    name = ""
    for line in saved.splitlines(keepends=True):
        if line.startswith("*"):
            name = line[1:].strip()
        if name:
            tables[name] = tables.get(name, "") + line
        if line.startswith("COMMIT"):
            name = ""
    return tables


def emptied(table: str) -> str:
    """Return a table without rules and without chains but the kernel's own, which accept."""
    first, *lines = table.splitlines()
    own = [line.split()[0] for line in lines if line.startswith(":") and line.split()[1] != "-"]
    return "\n".join([first, *(f"{chain} ACCEPT [0:0]" for chain in own), "COMMIT", ""])


def _restore(family: str, table: str) -> None:
    subprocess.run([f"{family}-restore"], input=table, text=True, check=True)
