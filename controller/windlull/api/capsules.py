"""Capsules: one file with all of a run, to take away, to bring, and to make the run again."""

import hashlib
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from typing import IO, Any, cast

import msgspec
from flask import Response, request
from flask_openapi3.models import RawModel
from sqlalchemy.orm import Session

from windlull.api import artefacts, batches, idempotency
from windlull.api.answers import file, is_known
from windlull.api.artefacts import HAS_FILES, Found
from windlull.api.batches import BatchView
from windlull.api.blueprint import NOT_MODIFIED, Blueprint, created, file_response
from windlull.api.context import current
from windlull.api.errors import conflict, invalid, not_found
from windlull.api.idempotency import Created
from windlull.api.parsing import require_type
from windlull.api.schemas import Creating, IdPath
from windlull.batches import orders
from windlull.capsule import again, capsule
from windlull.capsule.capsule import Capsule, Content, Packing
from windlull.capsule.manifest import Ending, Engine, Plan, RunOfPlan
from windlull.errors import BadInputError, FailureError
from windlull.runner.bundle import Bundle
from windlull.store import events
from windlull.store import runs as store
from windlull.store.blobs import DiskFullError, full
from windlull.store.tables import Artefact, Batch, Result, Run, State

blueprint = Blueprint("capsules", __name__, tag="capsules", about="One file with all of a run.")

MEDIA = "application/zip"
_PIECE = 1 << 20
_ENDINGS = {State.DONE: "done", State.INVALID: "invalid", State.FAILED: "failed"}


class CapsuleBody(RawModel):
    """A capsule, as GET of one gives it."""

    mimetypes = [MEDIA]  # noqa: RUF012 - as the library reads it


_REQUEST = cast("CapsuleBody", request)


@blueprint.get(
    "/runs/<int:id>/capsule",
    responses={200: file_response(MEDIA, "The capsule; docs/capsule-format.md."), 304: NOT_MODIFIED, **HAS_FILES},
)
def download(path: IdPath) -> Response:
    """Download all of a run as one file.

    The files that it is made of, the experiment as it was resolved, everything it left, and a manifest with the hash of
    each. The same run gives the same bytes. `windlull capsule` reads it, and so does POST of it anywhere.
    """
    with current().database.reader() as session:
        found = artefacts.find(session, path.id)
    packing = _packing(found)
    # The manifest has the hashes of all files, so that its own stands for the whole.
    etag = packing.sha256
    if is_known(etag):
        return file(b"", MEDIA, etag=etag)
    name = artefacts.file_name(found.run, ".capsule.zip")
    with _disk():
        target = tempfile.TemporaryFile(dir=current().home.cache)  # noqa: SIM115 - the response closes it
        try:
            packing.write(target)
        except FileNotFoundError as error:
            target.close()
            raise artefacts.gone(path.id) from error
        except BaseException:
            target.close()
            raise
    target.seek(0)
    return file(cast("Any", target), MEDIA, etag=etag, name=name)


def _packing(found: Found) -> Packing:
    run, batch, result = found.run, found.batch, found.result
    if run.state not in _ENDINGS:
        raise conflict(f"run {run.id} is {run.state}; it has no result", "no-result")
    found.file(artefacts.RUN)
    blobs = current().blobs

    def content(sha256: str, size: int | None = None) -> Content:
        return Content(sha256, blobs.size(sha256) if size is None else size, partial(blobs.open, sha256))

    return Packing.of(
        Engine(batch.engine_version, batch.engine_commit),
        _plan(batch),
        _place(run),
        Ending(cast("Any", _ENDINGS[run.state]), result.attempts, run.reason),
        content(batch.bundle),
        content(batch.plan),
        {name: content(one.sha256, one.size_bytes) for name, one in found.files.items() if name in capsule.RUN_FILES},
    )


def _plan(batch: Batch) -> Plan:
    return Plan(cast("Any", batch.testbed), batch.seed, batch.repetitions, cast("Any", batch.plane))


def _place(run: Run) -> RunOfPlan:
    testbed: Any = run.testbed
    return RunOfPlan(run.place, testbed, run.variant, run.link, run.repetition, run.seed, run.directory)


@blueprint.post(
    "/capsules",
    responses={
        201: created(BatchView, "batches_read", id="$response.body#/id"),
        400: None, 413: None, 415: None, 507: None,
    },
)  # fmt: skip
def upload(header: Creating, raw: CapsuleBody = _REQUEST) -> Response:
    """Import a run from elsewhere.

    The body is a capsule. It is unpacked, and every file is compared with its hash; 422 says what is wrong. It becomes
    a batch of one run, marked `imported`: who made it may have made its numbers up, so no other run reuses them. A
    rerun checks them.
    """
    del raw
    require_type(MEDIA)
    request.max_content_length = current().settings.bounds.capsule_bytes
    with _received() as (source, asked):
        if (response := idempotency.answered(header.key, asked)) is not None:
            return response
        try:
            one = capsule.read(source)
        except BadInputError as error:
            raise invalid(f"not a complete capsule: {error}") from error
        brought = _Brought(one)

        def make(session: Session) -> Created:
            batch = brought.keep(session, datetime.now(UTC))
            return Created(batches.view(session, batch), f"/api/v1/batches/{batch.id}")

        return idempotency.once(header.key, make, asked)


@contextmanager
def _received() -> Iterator[tuple[IO[bytes], str]]:
    """Put the body of the request into a temporary file; gives it, and the hash of what is asked by it."""
    found = hashlib.sha256(f"{request.method}\0{request.full_path}\0".encode())
    with _disk(), tempfile.TemporaryFile(dir=current().home.cache) as target:
        while piece := request.stream.read(_PIECE):
            found.update(piece)
            target.write(piece)
        target.seek(0)
        yield target, found.hexdigest()


class _Brought:
    """A capsule's run on its way into the store: its files are blobs already, its rows are to be."""

    def __init__(self, one: Capsule) -> None:
        blobs = current().blobs
        self._capsule = one
        self._bundle = blobs.put(one.bundle.json())
        self._experiment = blobs.put(one.archive.read(capsule.EXPERIMENT))
        self._files = {name: (blobs.put(one.read(name)), entry.bytes) for name, entry in one.files().items()}

    def keep(self, session: Session, now: datetime) -> Batch:
        """Write the batch, its run and its result. Its result has no key: it answers for no other run."""
        one, manifest = self._capsule, self._capsule.manifest
        plan, place, ending = manifest.plan, manifest.run, manifest.ending
        batch = Batch(
            experiment=one.experiment.name, title=one.experiment.title[:1000], testbed=plan.testbed, plane=plan.plane,
            repetitions=plan.repetitions, seed=plan.seed, captures="server.pcapng" in self._files, priority=0,
            bundle=self._bundle, plan=self._experiment, engine_version=manifest.engine.version,
            engine_commit=manifest.engine.commit, imported=True, created_at=now,
        )  # fmt: skip
        result = Result(
            key=None, metrics=dict(one.run.metrics), certificate=one.run.certificate, attempts=ending.attempts,
            size_bytes=sum(size for _, size in self._files.values()), created_at=now, evicted_at=None,
        )  # fmt: skip
        session.add_all([batch, result])
        session.flush()
        session.add_all(
            Artefact(result_id=result.id, name=name, sha256=sha256, size_bytes=size)
            for name, (sha256, size) in self._files.items()
        )
        state = State(ending.state)
        run = Run(
            batch_id=batch.id, place=place.place, testbed=place.testbed, variant=place.variant, link=place.link,
            repetition=place.repetition, seed=place.seed, directory=place.directory, key=None, priority=0, state=state,
            attempt=1, reason=ending.reason, cached=False, queued_at=now, started_at=None, ended_at=now,
            result_id=result.id,
        )  # fmt: skip
        session.add(run)
        session.flush()
        events.append(session, "batch", {"change": "imported", "runs": {state.value: 1}}, batch_id=batch.id)
        return batch


@blueprint.post(
    "/runs/<int:id>/rerun",
    responses={201: created(BatchView, "batches_read", id="$response.body#/id"), 410: None, 507: None},
)
def rerun(path: IdPath, header: Creating) -> Response:
    """Make a run again.

    A new batch of this run alone, of the same files, planned by the engine that is here now. It is run, not looked up:
    by the same engine a simulated run gives the same bytes, so that its files have the same hashes.
    """
    if (response := idempotency.answered(header.key)) is not None:
        return response
    context = current()
    with context.database.reader() as session:
        run = session.get(Run, path.id)
        if run is None:
            raise not_found(f"run {path.id}")
        batch = session.get_one(Batch, run.batch_id)
    bundle = Bundle.read(artefacts.of_batch(batch, batch.bundle))
    planned, chosen = again.find(bundle, _plan(batch), _place(run))
    order = orders.order(
        current().blobs,
        batch.experiment,
        planned,
        testbed=batch.testbed,
        plane=batch.plane,
        captures=batch.captures,
        priority=batch.priority,
        # Without its key: what is known already would answer for it.
        runs=[msgspec.structs.replace(chosen, key=None)],
    )

    def make(session: Session) -> Created:
        made = store.submit(
            session, order, now=datetime.now(UTC), most_queued=context.settings.bounds.queued_runs
        )  # fmt: skip
        return Created(batches.view(session, made), f"/api/v1/batches/{made.id}")

    return idempotency.once(header.key, make)


@contextmanager
def _disk() -> Iterator[None]:
    """Turn what the disk says into what it means."""
    try:
        yield
    except FileNotFoundError:
        raise
    except OSError as error:
        if full(error):
            raise DiskFullError("the disk is full") from error
        raise FailureError(f"cannot keep a file: {error.strerror or error}") from error
