"""Replays: what the packets of a run met, as a link of its own, on which other variants can be run.

The link carries the rows of the run's fates in its text. So it is a document like any other: the engine that plans and
every worker of a cluster read it with the other files of a batch, and it stays when the run and its files are gone.
"""

import shutil
from collections.abc import Mapping
from http import HTTPStatus
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import msgspec
import tomlkit
from flask import Response
from pydantic import Field

from windlull.api import artefacts
from windlull.api.answers import answer, digest, encoded, is_known
from windlull.api.artefacts import CAPTURES, FATES, HAS_FILES
from windlull.api.blueprint import Blueprint
from windlull.api.context import current
from windlull.api.errors import ApiError
from windlull.api.schemas import Id, IdPath, Query, Seed, View
from windlull.bounds import size
from windlull.contract.engine import Testbed
from windlull.errors import FailureError
from windlull.runner import engine
from windlull.runner.bundle import Bundle
from windlull.runner.problems import InvalidFilesError
from windlull.store.blobs import DiskFullError, full
from windlull.store.documents import FOLDERS
from windlull.store.tables import Artefact, Batch, Run

blueprint = Blueprint("replays", __name__, tag="results", about="What runs showed.")

By = Literal["packet", "time", "octets"]


class ReplayQuery(Query):
    """Which recorded packet a packet meets the fate of."""

    by: By = Field(
        "packet",
        description="The one of the same number, the one that was sent last by this instant, or the one that carried "
        "its first octet; docs/replay.md.",
    )


class ReplayView(View):
    """A link that plays what the packets of a run met, and what the run was of."""

    run: Id
    by: By
    name: str = Field(description="What the link could be called.")
    title: str
    toml: str = Field(description="The text of the link, with the rows in it.")
    experiment: str = Field(description="The text of the experiment that the run was of, as it was then.")
    workload: str = Field(description="The name of the workload that the run had.")
    variant: str
    testbed: Testbed
    seed: Seed = Field(description="That of the batch.")


class _Workload(msgspec.Struct, frozen=True):
    name: str


class _Link(msgspec.Struct, frozen=True):
    name: str
    workload: _Workload | None = None


class _Resolved(msgspec.Struct, frozen=True):
    """What of a resolved experiment tells the workload of a run."""

    links: tuple[_Link, ...]
    workload: _Workload


@blueprint.get("/runs/<int:id>/replay", responses={200: ReplayView, 413: None, **HAS_FILES})
def read(path: IdPath, query: ReplayQuery) -> Response:
    """Read the replay of a run.

    A link that gives packets the fates that those of this run had, as the text of a document that can be created, and
    the experiment that the run was of. Nothing is kept. 413 if the text is larger than a document may be.
    """
    with current().database.reader() as session:
        found = artefacts.find(session, path.id)
        names = [FATES, *(CAPTURES.values() if query.by == "octets" else ())]
        files = {name: found.file(name) for name in names}
    run, batch = found.run, found.batch
    etag = digest(repr((run.id, query.by, batch.bundle, [files[name].sha256 for name in names])).encode())
    if is_known(etag):
        return encoded(b"", etag=etag)
    bundle = Bundle.read(artefacts.of_batch(batch, batch.bundle))
    title = f"What the packets of run {run.id} met, by {query.by}"
    view = ReplayView.of(
        run,
        run=run.id,
        by=query.by,
        name=f"replay-of-run-{run.id}-by-{query.by}",
        title=title,
        toml=_text(run, batch, title, query.by, _rows(run.id, files, query.by)),
        experiment=bundle.files.get(f"experiments/{bundle.experiment}.toml", ""),
        workload=_workload(batch, run),
        seed=batch.seed,
    )
    return answer(view, etag=etag)


def _rows(run_id: int, files: Mapping[str, Artefact], by: By) -> str:
    """Return the rows of a run's fates as the engine reads them, with octets if they are needed. Raises ApiError."""
    context = current()
    with TemporaryDirectory(dir=context.home.cache) as directory:
        folder = Path(directory) / FOLDERS["link"]
        folder.mkdir()
        for name, file in files.items():
            _lay(context.blobs.path(file.sha256), folder / name, run_id)
        link = folder / "replay.toml"
        link.write_text(f'title = "A replay"\n[replay]\nfates = "{FATES}"\nby = "{by}"\n', encoding="utf-8")
        asked = ["show", "--", str(link)]
        try:
            shown: dict[str, Any] = engine.ask(asked, profiles=[Path(directory)], confined=True)
        except InvalidFilesError as error:
            # A link whose recording cannot be read is found to lack all that a link without one has.
            told = [one for one in error.problems if (one.key or "").startswith("replay")] or error.problems
            why = "; ".join(problem.message for problem in told).replace(f"{folder}/", "")
            message = f"what run {run_id} met cannot be replayed by {by}: {why}"
            raise ApiError(HTTPStatus.UNPROCESSABLE_ENTITY, message, code="unreadable") from error
    rows: str = shown["resolved"]["resolved"]["replay"]["csv"]
    return rows


def _lay(blob: Path, file: Path, run_id: int) -> None:
    """Give a blob the name that the engine knows it by: a second name, since the engine follows no symbolic links.

    Raises ApiError if it made room just now.
    """
    try:
        try:
            file.hardlink_to(blob)
        except FileNotFoundError:
            raise
        except OSError:
            shutil.copyfile(blob, file)  # where a disk knows no second name of a file
    except FileNotFoundError as error:
        raise artefacts.gone(run_id) from error
    except OSError as error:
        if full(error):
            raise DiskFullError("the disk is full") from error
        raise FailureError(f"cannot lay out a file of run {run_id}: {error.strerror or error}") from error


def _text(run: Run, batch: Batch, title: str, by: By, rows: str) -> str:
    """Return the text of the link. Raises ApiError if it is larger than a document may be."""
    of = f"{run.variant} over {run.link}, repetition {run.repetition}, seed {run.seed}, of {batch.experiment}"
    text = (
        f"title = {_quoted(title)}\n"
        f"description = {_quoted(f'{of}, on the testbed {run.testbed}.')}\n\n"
        f"[replay]\nby = {_quoted(by)}\n"
        # Numbers and words with commas: nothing in them ends the text.
        f"csv = '''\n{rows}'''\n"
    )
    most = current().settings.bounds.document_bytes
    if len(text.encode()) > most:
        message = (
            f"the fates of run {run.id} are a link of {len(text.encode()):,} bytes; at most {size(most)} are kept; "
            f'download its capsule, and name that in an experiment for `windlull run`: link = {{ fates = "run-{run.id}'
            f'.capsule.zip", by = "{by}" }}'
        )
        raise ApiError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, message)
    return text


def _quoted(text: str) -> str:
    """Return a text as TOML writes it: what was brought from elsewhere may have any name."""
    return tomlkit.string(text).as_string()


def _workload(batch: Batch, run: Run) -> str:
    """Return which workload the run had: that of its link, where the experiment has one for each."""
    try:
        resolved = msgspec.json.decode(artefacts.of_batch(batch, batch.plan), type=_Resolved)
    except msgspec.MsgspecError as error:
        message = f"batch {batch.id} cannot be read: {str(error)[:300]}"
        raise ApiError(HTTPStatus.UNPROCESSABLE_ENTITY, message, code="unreadable") from error
    own = (link.workload for link in resolved.links if link.name == run.link and link.workload is not None)
    return next(own, resolved.workload).name
