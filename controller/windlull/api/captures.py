"""Captures, qlogs, fates and events of a run, as files."""

from typing import Literal

from flask import Response
from pydantic import Field

from windlull.api import artefacts
from windlull.api.artefacts import CAPTURES, EMULATOR, EVENTS, FATES, QLOGS
from windlull.api.blueprint import Blueprint
from windlull.api.context import current
from windlull.api.schemas import IdPath

blueprint = Blueprint("captures", __name__, tag="results", about="What runs showed.")

End = Literal["server", "client", "emulator"]
PCAPNG, CSV, LINES = "application/x-pcapng", "text/csv", "application/jsonl"
QLOG = "application/qlog+json-seq"


class CapturePath(IdPath):
    """A run, and where it was captured."""

    end: End = Field(description="The host whose interface was captured; `emulator`: both devices of the link.")


@blueprint.get("/runs/<int:id>/captures/<end>", responses=artefacts.file_responses(PCAPNG, "The capture, pcapng."))
def capture(path: CapturePath) -> Response:
    """Download what one host's network interface saw, or what passed the link's devices.

    A pcapng file with nanosecond stamps, and verdicts as comments of retransmissions. `Range` asks for a part of it.
    Runs of commands alone have one of `emulator`: an interface for each device, to the server and to the client.
    """
    name = EMULATOR if path.end == "emulator" else CAPTURES[path.end]
    return _file(path.id, name, PCAPNG, f"-{path.end}.pcapng")


class QlogPath(IdPath):
    """A run, and the end of its connection."""

    end: Literal["server", "client"] = Field(description="The end that says it of itself.")


@blueprint.get("/runs/<int:id>/qlogs/<end>", responses=artefacts.file_responses(QLOG, "What the end said, qlog."))
def qlog(path: QlogPath) -> Response:
    """Download what one end of a connection said of itself, where it is a stack that has qlog.

    qlog's sequential format, a JSON text sequence; docs/stacks.md says which variants have it.
    """
    return _file(path.id, QLOGS[path.end], QLOG, f"-{path.end}.sqlog")


@blueprint.get("/runs/<int:id>/fates", responses=artefacts.file_responses(CSV, "The fates, a row a packet."))
def fates(path: IdPath) -> Response:
    """Download what the link did to each packet.

    docs/capture-format.md says what the columns mean.
    """
    return _file(path.id, FATES, CSV, "-fates.csv")


@blueprint.get("/runs/<int:id>/events", responses=artefacts.file_responses(LINES, "The events, a JSON object a line."))
def events(path: IdPath) -> Response:
    """Download the events of the link and the sender.

    JSON objects, one a line, in order of time; docs/capture-format.md has them all.
    """
    return _file(path.id, EVENTS, LINES, "-events.jsonl")


def _file(run_id: int, name: str, media: str, end: str) -> Response:
    with current().database.reader() as session:
        found = artefacts.find(session, run_id)
        artefact = found.file(name)
    return artefacts.sent(artefact, run_id, media, artefacts.file_name(found.run, end))
