"""The first difference of two runs: in which decision they part, by which rule, and what it cost."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from http import HTTPStatus
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from flask import Response
from pydantic import Field
from sqlalchemy import select
from sqlalchemy.orm import Session

from windlull.api import artefacts, dissections
from windlull.api.answers import answer, digest, encoded, is_known
from windlull.api.artefacts import CAPTURES, EVENTS, FATES, HAS_FILES, QLOGS, RUN, Found
from windlull.api.blueprint import Blueprint
from windlull.api.context import current
from windlull.api.errors import ApiError, invalid, not_found
from windlull.api.openapi import said
from windlull.api.schemas import Id, IdPath, Query, View
from windlull.contract.engine import DifferenceOfRuns, Testbed
from windlull.errors import BadInputError, nearest
from windlull.reports import parting_page
from windlull.runner import captures, engine
from windlull.runner.messages import understood
from windlull.stats.partings import Partings, partings
from windlull.store.tables import Batch, Run, State

blueprint = Blueprint("differences", __name__, tag="comparisons", about="Whether one variant did better than another.")

AROUND_NS = 1_000_000_000
LONGEST_NS = 3_600_000_000_000
MOST_PAIRS = 50
PATIENCE_S = 30.0
"""How long pairs are compared for one request; each takes the engine as long as it takes to read both captures."""
_FILES = (RUN, FATES, EVENTS, *CAPTURES.values(), *QLOGS.values())
_NEEDED = (RUN, *CAPTURES.values())
_EXPERIMENT = "experiment.json"
_COMPARED = (State.DONE, State.INVALID)


class DifferenceQuery(Query):
    """Which two runs, and how they are compared."""

    a: Id
    b: Id
    tolerance_ns: int | None = Field(
        None,
        ge=0,
        le=LONGEST_NS,
        description="Instants that are no farther apart count as the same. Left out: 0 in virtual time, 2 ms where a "
        "run is live.",
    )
    around_ns: int = Field(
        AROUND_NS, ge=1_000, le=LONGEST_NS, description="How much of both is told before and after they part."
    )

    def options(self) -> list[str]:
        """Return what the engine is asked."""
        tolerance = [] if self.tolerance_ns is None else ["--tolerance", f"{self.tolerance_ns} ns"]
        return [*tolerance, "--around", f"{self.around_ns} ns"]


@blueprint.get("/differences", responses={200: said("DifferencePage"), **HAS_FILES})
def read(query: DifferenceQuery) -> Response:
    """Read the first difference of two runs.

    Where they part, by which decisions and rules, in sentences, and what it cost until the end; docs/diff.md. The
    diagrams of both are those of the runs. 404 if a run has no captures; 422 if the two cannot be compared: runs of
    other workloads, of commands, of QUIC.
    """
    if query.a == query.b:
        raise invalid("b: is the same run as a; give another")
    with current().database.reader() as session:
        a, b = artefacts.find(session, query.a), artefacts.find(session, query.b)
    for run in (a, b):
        for name in _NEEDED:
            run.file(name)
    etag = digest(repr((_engine(), _marks(a), _marks(b), query.options())).encode())
    if is_known(etag):
        return encoded(b"", etag=etag)
    asked, found = _difference(a, b, query.options())
    return answer(parting_page.page_of(asked, found, _engine()), etag=etag)


class PartingsQuery(Query):
    """Which two variants of a batch, and where."""

    a: str = Field(min_length=1, max_length=200)
    b: str = Field(min_length=1, max_length=200)
    link: str | None = Field(None, min_length=1, max_length=200, description="The runs over this link alone.")
    testbed: Testbed | None = Field(None, description="The runs of this testbed alone.")


class PairView(View):
    """Two runs of the same link, testbed and repetition that part so."""

    a: Id
    b: Id
    link: str
    repetition: int
    at_ns: int


class PartingsOfKindView(View):
    """Pairs of runs that part by the same two decisions."""

    a: str = Field(description="The decision of the variant A.")
    b: str
    origin: str = Field(description="Who did otherwise first: `sender`, `receiver`, `link` or `unknown`.")
    count: int
    elapsed_s: float | None = Field(description="How much longer B took, the median, in seconds.")
    example: PairView


class PartingsView(View):
    """How the pairs of a batch part: the most frequent kind first."""

    variants: list[str] = Field(min_length=2, max_length=2)
    pairs: int = Field(description="How many were compared.")
    alike: int = Field(description="In how many of them both senders sent the same all along.")
    left_out: int = Field(
        description=f"How many more there are: at most {MOST_PAIRS} are compared, within {PATIENCE_S:.0f} s."
    )
    kinds: list[PartingsOfKindView]


@blueprint.get("/batches/<int:id>/differences", responses={200: PartingsView, 409: None, 410: None})
def of_batch(path: IdPath, query: PartingsQuery) -> Response:
    """Count the first differences over a batch.

    Each run of A with that of B of the same link, testbed and repetition; pairs that part by the same two decisions are
    of one kind. 409 (`no-pairs`) if no repetition of both has ended; 410 if the files of one made room.
    """
    if query.a == query.b:
        raise invalid("b: is the same variant as a; give another")
    with current().database.reader() as session:
        pairs = _pairs(session, path.id, query)
        chosen = [(artefacts.find(session, a), artefacts.find(session, b)) for a, b in pairs[:MOST_PAIRS]]
    until_s = time.monotonic() + PATIENCE_S
    compared: list[DifferenceOfRuns] = []
    for a, b in chosen:
        if compared and time.monotonic() > until_s:
            break
        compared.append(_difference(a, b, [])[1])
    return answer(_counted(partings((query.a, query.b), compared), len(pairs) - len(compared)))


def _pairs(session: Session, batch_id: int, query: PartingsQuery) -> list[tuple[int, int]]:
    """Return the runs of both variants that have ended, pair by pair in the order of the plan. Raises ApiError."""
    if session.get(Batch, batch_id) is None:
        raise not_found(f"batch {batch_id}")
    wanted = select(Run).where(Run.batch_id == batch_id).order_by(Run.place)
    if query.link is not None:
        wanted = wanted.where(Run.link == query.link)
    if query.testbed is not None:
        wanted = wanted.where(Run.testbed == query.testbed)
    runs = session.scalars(wanted).all()
    known = sorted({run.variant for run in runs})
    for name in (query.a, query.b):
        if name not in known:
            meant = nearest(name, known)
            hint = f'; did you mean "{meant}"?' if meant else ""
            raise not_found(f"run of the variant {name} in batch {batch_id} there{hint}")
    of: dict[str, dict[tuple[str, str, int], int]] = {query.a: {}, query.b: {}}
    for run in runs:
        if run.variant in of and run.state in _COMPARED:
            of[run.variant][run.testbed, run.link, run.repetition] = run.id
    a, b = of[query.a], of[query.b]
    pairs = [(run, b[place]) for place, run in a.items() if place in b]
    if not pairs:
        message = f"no repetition of both {query.a} and {query.b} has ended; wait for one, or choose other variants"
        raise ApiError(HTTPStatus.CONFLICT, message, code="no-pairs")
    return pairs


def _counted(found: Partings, left_out: int) -> dict[str, Any]:
    kinds = []
    for kind in found.kinds:
        pair = PairView.of(kind.example, a=_number(kind.example.a), b=_number(kind.example.b))
        kinds.append(PartingsOfKindView.of(kind, example=pair))
    return PartingsView.of(found, variants=list(found.variants), left_out=left_out, kinds=kinds)


def _difference(a: Found, b: Found, options: Sequence[str]) -> tuple[object, DifferenceOfRuns]:
    """Return where two runs part: what the engine says, and the same in types. Raises ApiError."""
    with dissections.reading(), _laid_out(a, b) as (one, other):
        try:
            asked = captures.difference(one, other, options)
        except BadInputError as error:
            for run in (a, b):
                _require(run)
            raise ApiError(HTTPStatus.UNPROCESSABLE_ENTITY, str(error), code="not-comparable") from error
    # Not the place where their files were laid out for the engine.
    for key, run in (("a", a), ("b", b)):
        asked[key]["directory"] = _name(run)
    return asked, understood(asked, DifferenceOfRuns, "diff")


@contextmanager
def _laid_out(a: Found, b: Found) -> Iterator[tuple[Path, Path]]:
    """Give the files of both runs the names that the engine knows them by, each with its experiment beside them."""
    blobs = current().blobs
    with TemporaryDirectory() as directory:
        places = []
        for run in (a, b):
            place = Path(directory) / _name(run)
            place.mkdir()
            for name in _FILES:
                if (file := run.files.get(name)) is not None:
                    (place / name).symlink_to(blobs.path(file.sha256))
            # As `windlull run` writes it: by it the engine knows the settings of both, and whether their work is one.
            plan = artefacts.of_batch(run.batch, run.batch.plan)
            (place / _EXPERIMENT).write_bytes(b'{"experiment":' + plan + b"}")
            places.append(place)
        yield places[0], places[1]


def _require(run: Found) -> None:
    """Raise ApiError, 410, if a file of the run is no longer there."""
    blobs = current().blobs
    for name in _NEEDED:
        if not blobs.path(run.file(name).sha256).exists():
            raise artefacts.gone(run.run.id)


def _marks(found: Found) -> list[object]:
    files = [(name, file.sha256) for name in _FILES if (file := found.files.get(name)) is not None]
    return [found.run.id, found.batch.plan, files]


_RUN = "run "


def _name(found: Found) -> str:
    """Return what a run is called, also in what the engine finds wrong with it."""
    return f"{_RUN}{found.run.id}"


def _number(name: str) -> int:
    return int(name.removeprefix(_RUN))


@cache
def _engine() -> dict[str, str]:
    return engine.version()
