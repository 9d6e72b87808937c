"""A tree that looks like Linux to whoever checks kernels, and a builder that copies one file instead of building."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

TCP = "net/ipv4/tcp_input.c"
BUILDER = f"""#!/bin/sh
# build.sh DIRECTORY --name NAME --source TREE [--ref REF]: the kernel is what the tree has as its TCP.
set -e
mkdir -p "$1/$3"
if [ -n "$7" ]; then git -C "$5" show "$7:{TCP}"; else cat "$5/{TCP}"; fi >"$1/$3/source"
if grep -q "does not compile" "$1/$3/source"; then echo "error: it does not compile" >&2; exit 1; fi
mv "$1/$3/source" "$1/$3/linux"
"""


def git(tree: Path, *arguments: str) -> str:
    """Have git do something in a tree, as somebody and always on one day: the same commits have the same names."""
    command = ["git", "-C", str(tree), "-c", "user.name=A", "-c", "user.email=a@example.org", *arguments]
    day = dict.fromkeys(("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"), "2026-01-01T00:00:00Z")
    return subprocess.run(command, check=True, capture_output=True, text=True, env=os.environ | day).stdout.strip()


def made(tree: Path) -> Path:
    """Make a tree without git."""
    for part in ("Makefile", "arch/um/Makefile", TCP):
        (tree / part).parent.mkdir(parents=True, exist_ok=True)
        (tree / part).write_text("as it was\n", encoding="utf-8")
    return tree


def commit(tree: Path, tcp: str) -> str:
    """Write its TCP, and return the commit of that; the first one makes the repository."""
    if not (tree / ".git").exists():
        git(tree, "init", "--quiet")
    (tree / TCP).write_text(f"{tcp}\n", encoding="utf-8")
    git(tree, "add", "--all")
    git(tree, "commit", "--quiet", "--allow-empty", "--message", tcp)
    return git(tree, "rev-parse", "HEAD")


def builder(directory: Path) -> Path:
    """Write the builder."""
    file = directory / "build.sh"
    file.write_text(BUILDER, encoding="utf-8")
    file.chmod(0o755)
    return file
