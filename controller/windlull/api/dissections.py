"""Captures taken apart into their connections: lists, analyses and series, made when they are asked for and kept.

What is kept lies in the cache by the hash of what it was made of, so that it is never wrong; all of it may be deleted
at any time.
"""

import hashlib
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import msgspec
from flask import Response
from pydantic import Field

from windlull.api import series
from windlull.api.answers import digest, encoded
from windlull.api.context import current
from windlull.api.errors import ApiError, not_found, unavailable
from windlull.api.openapi import of_engine
from windlull.api.schemas import View
from windlull.api.series import SeriesQuery
from windlull.errors import BadInputError
from windlull.runner import captures, engine
from windlull.series.columns import SeriesError

MOST_CONNECTIONS = 100_000
LIMIT_BYTES = 1 << 30
"""How much the analyses that are kept may have together."""
_PATIENCE_S = 60.0

Number = Annotated[int, Field(ge=1, le=MOST_CONNECTIONS)]

_working = threading.BoundedSemaphore(1)
"""Engines that read captures for this process: one, the others wait."""


class ConnectionAnalysisView(View):
    """What one connection shows."""

    connection: Annotated[Any, of_engine("ConnectionInfo")]
    metrics: dict[str, float]
    episodes: list[Annotated[Any, of_engine("Episode")]]
    notes: list[str] = Field(description="Notes: what is not known, and why.")


@dataclass(frozen=True, slots=True)
class Dissection:
    """One or two captures, by the names that the engine is to see, and what lies beside them."""

    files: Mapping[str, tuple[str, Path]]
    """Of each: the hash of its content, and where it lies."""
    captures: tuple[str, ...]
    """The names of those that are captures: the first one, and the other end's."""
    end: str | None = None
    """The end at which the first one was made, where it was said: `server` or `client`."""

    def connections(self) -> Response:
        """Answer with the list."""
        kept = self._place() / "connections.json"
        return encoded(self._kept(kept, self._list), etag=digest(str(kept).encode()))

    def analysis(self, number: int) -> Response:
        """Answer with what one connection shows. Raises ApiError: 404 if there is no such number."""
        return encoded(self._analysis(number), etag=digest(f"{self._place()}/{number}".encode()))

    def series(self, number: int, query: SeriesQuery) -> Response:
        """Answer with a window of one connection's series, as of a run's."""
        self._analysis(number)
        made = hashlib.sha256(f"{self._place().name}/{number}".encode()).hexdigest()
        packed = self._place() / f"{number}.series.json.gz"
        try:
            return series.cut(made, packed.read_bytes, query)
        except FileNotFoundError as error:
            raise unavailable("the analysis has just been removed to make room; try again") from error
        except SeriesError as error:
            raise ApiError(422, f"its series cannot be read: {error}", code="unreadable") from error

    def _list(self) -> bytes:
        with self._seen() as paths:
            return msgspec.json.encode(captures.connections(paths))

    def _analysis(self, number: int) -> bytes:
        place = self._place()
        listed = msgspec.json.decode(self._kept(place / "connections.json", self._list))
        if number > listed["total"]:
            raise not_found(f"connection {number}; there are {listed['total']} with data")

        def make() -> bytes:
            with self._seen() as paths:
                analysis, packed = captures.analysis(paths, number, self.end)
            _write(place / f"{number}.series.json.gz", packed)
            return msgspec.json.encode({key: analysis[key] for key in ("connection", "metrics", "notes", "episodes")})

        return self._kept(place / f"{number}.json", make)

    def _place(self) -> Path:
        """Return the directory of what is made of these files by this engine."""
        files = [(name, self.files[name][0]) for name in sorted(self.files)]
        made = repr((_engine(), files, self.captures, self.end))
        return _root() / hashlib.sha256(made.encode()).hexdigest()

    def _kept(self, path: Path, make: Any) -> bytes:  # noqa: ANN401 - a function that returns bytes
        with suppress(FileNotFoundError):
            return path.read_bytes()
        with reading():
            with suppress(FileNotFoundError):  # another request has made it meanwhile
                return path.read_bytes()
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                made: bytes = make()
            except BadInputError as error:
                raise ApiError(422, str(error), code="unreadable") from error
            _write(path, made)
        _evict(keep=path.parent)
        return made

    @contextmanager
    def _seen(self) -> Iterator[list[Path]]:
        """Give the files the names that the engine knows them by."""
        with TemporaryDirectory() as directory:
            for name, (_, path) in self.files.items():
                (Path(directory) / name).symlink_to(path)
            yield [Path(directory) / name for name in self.captures]


@contextmanager
def reading() -> Iterator[None]:
    """Be the one that has an engine read captures for this process. Raises ApiError after a minute in vain."""
    if not _working.acquire(timeout=_PATIENCE_S):
        raise unavailable("other captures are being read; try again")
    try:
        yield
    finally:
        _working.release()


def _root() -> Path:
    return current().home.cache / "connections"


@cache
def _engine() -> str:
    return repr(sorted(engine.version().items()))


def _write(path: Path, content: bytes) -> None:
    """Put a file in place whole."""
    draft = path.with_name(f".{path.name}.{threading.get_ident()}.part")
    draft.write_bytes(content)
    draft.replace(path)
    path.touch()


def _evict(keep: Path) -> None:
    """Remove the directories that were made longest ago beyond the limit, but for one that was just made."""
    found = []
    for place in _root().iterdir():
        with suppress(OSError):
            files = [file.stat() for file in place.iterdir()]
            found.append((max((file.st_mtime_ns for file in files), default=0), sum(f.st_size for f in files), place))
    excess = sum(size for _, size, _ in found) - LIMIT_BYTES
    for _, size, place in sorted(found, key=lambda one: one[0]):
        if excess <= 0:
            return
        if place != keep:
            excess -= size
            with suppress(OSError):
                for file in place.iterdir():
                    file.unlink(missing_ok=True)
                place.rmdir()
