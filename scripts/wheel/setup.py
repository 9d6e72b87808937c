"""The build of a wheel that carries a program: it goes with one platform, and with every Python 3.

Copied beside pyproject.toml for the build; an editable installation, which carries nothing, does without.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from setuptools import Distribution, setup  # type: ignore[import-untyped]
from setuptools.command.bdist_wheel import bdist_wheel  # type: ignore[import-untyped]


class WithProgram(Distribution):  # type: ignore[misc]
    """A package that is not Python alone, so that it is installed where a platform's own files are."""

    def has_ext_modules(self) -> bool:
        """Say so."""
        return True


class OfOnePlatform(bdist_wheel):  # type: ignore[misc]
    """A wheel for the platform that WINDLULL_PLATFORM names, with the SBOMs that lie beside this file."""

    def get_tag(self) -> tuple[str, str, str]:
        """Return its tag: the program does not care which Python starts it."""
        return "py3", "none", os.environ["WINDLULL_PLATFORM"]

    def egg2dist(self, egginfo_path: str, distinfo_path: str) -> None:
        """Write what describes the wheel, and of what it is made into the directory that installers keep (PEP 770)."""
        super().egg2dist(egginfo_path, distinfo_path)
        shutil.copytree(Path(__file__).with_name("sboms"), Path(distinfo_path) / "sboms", dirs_exist_ok=True)


setup(distclass=WithProgram, cmdclass={"bdist_wheel": OfOnePlatform})
