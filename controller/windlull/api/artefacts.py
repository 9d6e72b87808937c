"""The files of a run, found for a request: which there are, and why one is not there."""

from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, BinaryIO

from flask import Response, request
from sqlalchemy import select
from sqlalchemy.orm import Session
from werkzeug.exceptions import RequestedRangeNotSatisfiable
from werkzeug.wsgi import FileWrapper

from windlull.api.answers import PRIVATE
from windlull.api.blueprint import ETAG, NOT_MODIFIED
from windlull.api.context import current
from windlull.api.errors import ApiError, conflict, not_found
from windlull.store.tables import Artefact, Batch, Result, Run

RUN, SERIES, FATES, EVENTS = "run.json", "series.json.gz", "fates.csv", "events.jsonl"
CAPTURES = {"server": "server.pcapng", "client": "client.pcapng"}
QLOGS = {"server": "server.sqlog", "client": "client.sqlog"}
"""The captures of both hosts, which every run has."""
EMULATOR = "emulator.pcapng"
"""The capture at the link's devices, which a run of commands has besides."""

HAS_FILES: dict[Any, Any] = {404: None, 409: None, 410: None}
"""What a request for a file of a run may be answered with besides: no such run or file, not ended yet, made room."""


@dataclass(frozen=True, slots=True)
class Found:
    """A run with its batch, its result and that result's files by name."""

    run: Run
    batch: Batch
    result: Result
    files: dict[str, Artefact]

    def file(self, name: str) -> Artefact:
        """Return the file of that name. Raises ApiError: 404 if the run never had it, 410 if it made room."""
        if (found := self.files.get(name)) is not None:
            return found
        if self.result.evicted_at is not None:
            raise gone(self.run.id)
        kept = "" if self.batch.captures or name in {RUN, SERIES} else ": its batch keeps no captures"
        if not kept and name == EMULATOR:
            kept = ": only runs of commands are captured there"
        raise not_found(f"{name} of run {self.run.id}{kept}")


def find(session: Session, run_id: int) -> Found:
    """Return a run that has a result. Raises ApiError: 404 if there is no such run, 409 if it has none (yet)."""
    row = session.execute(
        select(Run, Batch, Result)
        .join(Batch, Run.batch_id == Batch.id)
        .outerjoin(Result, Run.result_id == Result.id)
        .where(Run.id == run_id)
    ).one_or_none()
    if row is None:
        raise not_found(f"run {run_id}")
    run, batch, result = row
    if result is None:
        raise conflict(f"run {run_id} is {run.state}; it has no result", "no-result")
    files = session.scalars(select(Artefact).where(Artefact.result_id == result.id))
    return Found(run, batch, result, {file.name: file for file in files})


def file(run_id: int, name: str) -> Artefact:
    """Return one file of a run. Raises ApiError."""
    with current().database.reader() as session:
        return find(session, run_id).file(name)


def content(artefact: Artefact, run_id: int) -> BinaryIO:
    """Open a file of a run. Raises ApiError if it made room just now."""
    try:
        return current().blobs.open(artefact.sha256)
    except FileNotFoundError as error:
        raise gone(run_id) from error


def of_batch(batch: Batch, name: str) -> bytes:
    """Return a file that a batch was made of, by its hash. Raises ApiError: 410 if it is not on the disk any more."""
    try:
        with current().blobs.open(name) as source:
            return source.read()
    except FileNotFoundError as error:
        message = f"a file of batch {batch.id} is no longer on the disk"
        raise ApiError(HTTPStatus.GONE, message) from error


def gone(run_id: int) -> ApiError:
    """Return 410: a run's files made room for others."""
    message = (
        f"the files of run {run_id} were removed to make room; its numbers remain, and a rerun makes the files again"
    )
    return ApiError(HTTPStatus.GONE, message)


def sent(artefact: Artefact, run_id: int, media: str, name: str) -> Response:
    """Return a file, or the part of it that `Range` asks for; its ETag is the hash of its content."""
    body = FileWrapper(content(artefact, run_id), _PIECE)
    response = Response(body, mimetype=media, direct_passthrough=True)
    response.headers.set("Content-Disposition", "attachment", filename=name)
    response.headers["Cache-Control"] = PRIVATE
    response.set_etag(artefact.sha256)
    response.content_length = artefact.size_bytes
    try:
        response.make_conditional(request.environ, accept_ranges=True, complete_length=artefact.size_bytes)
    except RequestedRangeNotSatisfiable:
        body.close()
        raise
    if request.method == "HEAD" or response.status_code == HTTPStatus.NOT_MODIFIED:
        body.close()  # of a response without a body nobody does
    return response


_PIECE = 1 << 16


def file_responses(media: str, description: str) -> dict[Any, Any]:
    """Return the documented answers of a file that can be had in parts."""
    body = {media: {"schema": {"type": "string", "format": "binary"}}}
    ranges = {"Content-Range": {"description": "Which octets these are, of how many.", "schema": {"type": "string"}}}
    return {
        200: {"description": description, "content": body, "headers": ETAG},
        206: {"description": "The part that `Range` asks for.", "content": body, "headers": ETAG | ranges},
        304: NOT_MODIFIED,
        416: None,
        **HAS_FILES,
    }


def file_name(found: Run, end: str) -> str:
    """Return what to save a file of a run as: `run-7-sack-002.pcapng` for the ending `.pcapng`."""
    variant = found.variant.replace("/", "-")
    return f"run-{found.id}-{variant}-{found.repetition:03d}{end}"
