"""The output directory of an experiment: whose it is, and how an old one makes room for a new one.

The engine writes `runs/`; this package writes `experiment.json`, `results.json` and `report.html`. A directory that
has an `experiment.json` is ours and may be replaced. Bad input must leave it untouched, and only the engine can tell
what is bad; so the old contents first step aside within the directory, and are deleted when the engine has said its
plan, or put back if it refuses.
"""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING

from windlull.errors import BadInputError, FailureError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

EXPERIMENT = "experiment.json"
RESULTS = "results.json"
REPORT = "report.html"
RUNS = "runs"

_ASIDE = ".replaced"
_OURS = (RUNS, RESULTS, REPORT, EXPERIMENT)


def default_directory(experiment: str, profiles: Path, here: Path) -> Path:
    """Return `out/<the experiment's name, dashes for slashes>`; a file outside the profiles has its stem for a name."""
    name = experiment
    if experiment.endswith(".toml"):
        file = (here / experiment).resolve()
        shipped = (profiles / "experiments").resolve()
        inside = file.is_relative_to(shipped)
        name = file.relative_to(shipped).with_suffix("").as_posix() if inside else file.stem
    return here / "out" / (name.strip("/").replace("/", "-") or "experiment")


class OutputDirectory:
    """The directory that an experiment is about to be written to."""

    def __init__(self, path: Path) -> None:
        """Look at what is there. Raises BadInputError if it is not ours to replace."""
        self.path = path
        self._aside = path / _ASIDE
        self._moved: list[str] = []
        try:
            refuse_file(path)
            if not path.exists():
                return
            if any(path.iterdir()) and not (path / EXPERIMENT).exists() and not self._aside.exists():
                raise BadInputError(
                    f"--out {path}: has files but no {EXPERIMENT}, so Windlull did not write it and does not replace "
                    "it; give another directory, or remove it"
                )
        except OSError as error:
            raise FailureError(f"cannot read {path}: {error.strerror}") from error

    @contextmanager
    def replacing(self) -> Iterator[None]:
        """Set the old contents aside; put them back at the end unless `discard_old` was called meanwhile."""
        try:
            self._restore()  # of a replacement that was killed
            self._set_aside()
        except OSError as error:
            self._restore_quietly()
            raise FailureError(f"cannot replace {self.path}: {error.strerror}") from error
        try:
            yield
        finally:
            self._restore_quietly()

    def discard_old(self) -> None:
        """Delete what was set aside: the new experiment is certain now."""
        self._moved.clear()
        try:
            shutil.rmtree(self._aside)
        except FileNotFoundError:
            pass
        except OSError as error:
            raise FailureError(f"cannot remove the old runs in {self._aside}: {error.strerror}") from error

    def _set_aside(self) -> None:
        present = [name for name in _OURS if (self.path / name).exists()]
        if not present:
            return
        self._aside.mkdir()
        for name in present:
            (self.path / name).rename(self._aside / name)
            self._moved.append(name)

    def _restore(self) -> None:
        """Put back whatever is aside and has not been replaced."""
        if not self._aside.exists():
            return
        for old in sorted(self._aside.iterdir()):
            if (self.path / old.name).exists():
                continue
            old.rename(self.path / old.name)
        shutil.rmtree(self._aside)
        self._moved.clear()

    def _restore_quietly(self) -> None:
        """As `_restore`; an error here would hide the one that led here, and the next start restores again."""
        try:
            if self._moved:
                self._restore()
        except OSError:
            pass


def refuse_file(path: Path) -> None:
    """Raise BadInputError if what `--out` names is a file, or would lie below one."""
    there = next((one for one in (path, *path.parents) if one.exists()), None)
    if there is not None and not there.is_dir():
        raise BadInputError(f"--out {path}: {there} is a file; give a directory")
