"""Whose live runs are in the tests: an ordinary user's, where there is one."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import windlull as package
from tests.end_to_end.command import windlull

if TYPE_CHECKING:
    from collections.abc import Mapping

NOBODY = 65534


@dataclass(frozen=True)
class User:
    """Who runs the command, and with which Python: None for the tester and the tester's own."""

    number: int | None = None
    python: str | None = None

    def windlull(self, *arguments: str | Path, cwd: Path, env: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
        if self.python is None:
            return windlull(*arguments, cwd=cwd, env=env)
        packages = os.pathsep.join([str(Path(package.__file__).parents[1]), sysconfig.get_path("purelib")])
        return subprocess.run(
            [self.python, "-m", "windlull", *map(str, arguments)],
            check=False, capture_output=True, text=True, cwd=cwd, env={**env, "PYTHONPATH": packages},
            user=self.number, group=self.number, extra_groups=[],
        )  # fmt: skip


def ordinary_user() -> User:
    """Return whose the run shall be: the tester's own, or, where that is root, nobody's.

    Root's Python may lie where nobody reaches it; the system's can do as well. Root runs as itself where nobody reaches
    neither, or not the repository, as in a checkout below /root.
    """
    if os.geteuid() != 0:
        return User()
    for python in (sys.executable, "/usr/bin/python3"):
        user = User(NOBODY, python)
        try:
            if user.windlull("--version", cwd=Path("/"), env=os.environ).returncode == 0:
                return user
        except OSError:
            continue
    return User()
