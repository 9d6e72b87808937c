"""The directory of a sweep: what it is of, the parts that are finished, and the results.

    OUT/
      sweep.json              the plan: experiment, files by their hashes, grid, engine, how it is cut
      parts/000017.parquet    one part, written whole or not at all; gone once the results are there
      results.parquet         a row a run

Whoever starts the same sweep there again goes on with it. Another plan is refused, and what differs is said.
"""

from __future__ import annotations

import fcntl
import hashlib
import io
import json
import os
import shutil
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from windlull.errors import BadInputError, FailureError
from windlull.reports import files
from windlull.reports.indented import readable
from windlull.runner.messages import ProtocolError
from windlull.sweep import work
from windlull.sweep.parts import PART_ROWS, PART_SEGMENTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from windlull.sweep.parts import Part
    from windlull.sweep.plan import Sweep

MANIFEST = "sweep.json"
RESULTS = "results.parquet"
PARTS = "parts"

PLAN = b"windlull.plan"
"""Under this key the results' metadata has the plan's hash."""

_FORMAT = 1
"""To be raised when the same plan would make other parts, or parts of another form."""


class Directory:
    """A sweep's directory, which is this process' alone until `closing` ends."""

    def __init__(self, path: Path, sweep: Sweep) -> None:
        """Nothing is touched yet."""
        self.path = path
        self.results = path / RESULTS
        self._parts = path / PARTS
        self._manifest = manifest(sweep)
        self.plan = hashlib.sha256(readable(self._manifest, depth=2)).hexdigest()

    @contextmanager
    def held(self) -> Iterator[None]:
        """Make the directory this sweep's, or go on with it.

        Raises BadInputError if something else lies there: another sweep, or files that are none of ours.
        """
        with claimed(self.path, MANIFEST, self._manifest, "sweep"):
            self._parts.mkdir(exist_ok=True)
            yield

    def has(self, part: Part) -> bool:
        """Say whether a part is finished."""
        path = self.part(part)
        return path.exists() and work.belongs(path, self.plan, part.index, part.rows)

    def keep(self, part: Part, octets: bytes) -> None:
        """Write a part that a worker made. Raises ProtocolError if it is not that part."""
        if not work.belongs(io.BytesIO(octets), self.plan, part.index, part.rows):
            raise ProtocolError(f"a worker returned something else than part {part.index}; is it of the same version?")
        files.write(self.part(part), octets)

    def part(self, part: Part) -> Path:
        """Return a part's path."""
        return self._parts / f"{part.index:06}.parquet"

    def is_complete(self) -> bool:
        """Say whether the results are there."""
        try:
            with pq.ParquetFile(self.results) as file:
                return bool((file.schema_arrow.metadata or {}).get(PLAN) == self.plan.encode())
        except (pa.ArrowInvalid, OSError):
            return False

    def discard_parts(self) -> None:
        """Delete the parts: the results have them all."""
        shutil.rmtree(self._parts, ignore_errors=True)


@dataclass(frozen=True, slots=True)
class Target:
    """Where the results go, and who makes them: workers of this machine, or the cluster at an address."""

    out: Path
    json: Path | None = None
    jobs: int | None = None
    cluster: str | None = None


@contextmanager
def claimed(
    path: Path,
    name: str,
    document: Mapping[str, Any],
    what: str,
    extend: Callable[[Mapping[str, Any]], Mapping[str, Any] | None] = lambda _: None,
) -> Iterator[Mapping[str, Any]]:
    """Hold a directory for what its file `name` says, which is written if there is none, while the context lasts.

    `what` says what that is, a sweep or a search. `extend` is given another document that lies there, and returns what
    this one makes of it, which is written and yielded, or None if that cannot go on. Raises BadInputError if something
    else lies there, FailureError if another process holds it.
    """
    files.make_out(path)
    try:
        handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise FailureError(f"cannot write {path}: {error.strerror}") from error
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise FailureError(f"{path}: another process runs a {what} there") from error
        yield _claim(path, name, document, what, extend)
    finally:
        os.close(handle)


def _claim(
    path: Path,
    name: str,
    document: Mapping[str, Any],
    what: str,
    extend: Callable[[Mapping[str, Any]], Mapping[str, Any] | None],
) -> Mapping[str, Any]:
    file, octets = path / name, readable(document, depth=2)
    if not file.exists():
        if any(not one.name.startswith(".") for one in path.iterdir()):
            raise BadInputError(f"--out {path}: has files but no {name}, so no {what} wrote it; give another directory")
        files.write(file, octets)
    elif (written := file.read_bytes()) != octets:
        theirs = _read(written)
        extended = None if theirs is None else extend(theirs)
        if extended is None:
            raise BadInputError(
                f"--out {path}: has another {what}: {_differences(theirs, document, name)}; give another directory, or "
                "remove it"
            )
        files.write(file, readable(extended, depth=2))
        return extended
    return document


def manifest(sweep: Sweep) -> dict[str, Any]:
    """Return what a sweep is of, as JSON; the seed as text, since numbers there lose their low bits."""
    request = sweep.request
    return {
        "format": _FORMAT,
        "experiment": sweep.experiment,
        "engine": {"version": sweep.engine.version, "commit": sweep.engine.commit},
        "repetitions": request.repetitions,
        "seed": sweep.seed,
        "grid": {axis.key: [value.toml for value in axis.values] for axis in sweep.grid.axes},
        "points": len(sweep.points),
        "runs": sweep.runs,
        "parts": {"count": sum(1 for _ in sweep.parts()), "segments": PART_SEGMENTS, "rows": PART_ROWS},
        "files": {path: hashlib.sha256(text.encode()).hexdigest() for path, text in sorted(sweep.editor.files.items())},
    }


def _read(written: bytes) -> Mapping[str, Any] | None:
    try:
        document = json.loads(written)
    except ValueError:
        return None
    return document if isinstance(document, dict) else None


def _differences(theirs: Mapping[str, Any] | None, ours: Mapping[str, Any], name: str) -> str:
    """Say in which entries of its manifest another one differs."""
    if theirs is None:
        return f"its {name} cannot be read"
    differences = []
    for key, value in ours.items():
        other = theirs.get(key)
        if other == value:
            continue
        if isinstance(value, dict) and isinstance(other, dict):
            inner = [name for name in {**value, **other} if value.get(name) != other.get(name)]
            differences.append(f"{key} differ in {', '.join(sorted(inner))}")
        else:
            differences.append(f"{key} is {json.dumps(other)} there, {json.dumps(value)} here")
    return "; ".join(differences) or f"its {name} is written in another way"
