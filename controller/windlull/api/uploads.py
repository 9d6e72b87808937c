"""Captures and logs that users bring: kept for a while, taken apart into connections, each analysed."""

import hashlib
import os
import tempfile
import zlib
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path as File
from typing import Annotated, Any, Literal, cast

from flask import Response, request
from flask_openapi3.models import RawModel
from pydantic import Field

from windlull.api import dissections
from windlull.api.answers import answer, no_content
from windlull.api.blueprint import Blueprint
from windlull.api.context import current
from windlull.api.dissections import ConnectionAnalysisView, Dissection
from windlull.api.errors import invalid, not_found
from windlull.api.openapi import said
from windlull.api.parsing import require_type
from windlull.api.schemas import Path, Query, Sha256, View
from windlull.api.series import SeriesQuery, SeriesView
from windlull.contract.engine import Problem
from windlull.series.cache import make_room
from windlull.store.blobs import DiskFullError, full

blueprint = Blueprint("uploads", __name__, tag="captures", about="Captures from elsewhere, analysed here.")

MEDIA = "application/vnd.tcpdump.pcap"
TAKEN = (MEDIA, "application/x-pcapng", "application/gzip", "application/octet-stream")

Format = Literal["pcap", "pcapng", "qlog"]

_MAGIC: dict[bytes, Format] = {
    bytes.fromhex(magic): "pcapng" if magic == "0a0d0d0a" else "pcap"
    for magic in ("a1b2c3d4", "d4c3b2a1", "a1b23c4d", "4d3cb2a1", "0a0d0d0a")
}
_QLOG = (b"{", b"\x1e")
"""How a text of JSON, and a sequence of such (RFC 7464), begins."""
_PIECE = 1 << 20
_KNOWN_BY = 64
"""Octets by which a file is known."""
_BEGINNING = 4096
"""Octets of a file that has been compressed, of which at least as many can be made."""
_GZIP = bytes.fromhex("1f8b")


class CaptureBody(RawModel):
    """A pcap, pcapng or qlog file, as it is or compressed by gzip."""

    mimetypes = list(TAKEN)  # noqa: RUF012 - as the library reads it


_REQUEST = cast("CaptureBody", request)


class UploadView(View):
    """A capture that is here."""

    sha256: Sha256
    format: Format
    size_bytes: int


class UploadPath(Path):
    """A capture, by the hash of its content."""

    sha256: Sha256


class UploadConnectionPath(UploadPath):
    """A capture, and a connection of it."""

    number: dissections.Number = Field(description="Its number in the list of the capture's connections.")


Other = Annotated[Sha256 | None, Field(description="The capture of the other end of the link, if there is one.")]


End = Annotated[
    Literal["server", "client"] | None,
    Field(
        description="The end at which this capture was made; in captures that are not of a run, the server is who "
        "sends the data. If left out, what the files tell, or a guess by the handshake, which a note then says."
    ),
]


class OtherQuery(Query):
    """The other capture."""

    other: Other = None


class AnalysisQuery(OtherQuery):
    """With which other capture, and where the first one was made."""

    end: End = None


class OtherSeriesQuery(SeriesQuery):
    """With which other capture, where the first one was made, which window, and how wide it is drawn."""

    other: Other = None
    end: End = None


@blueprint.post("/captures", responses={200: UploadView, 400: None, 413: None, 415: None, 507: None})
def upload(raw: CaptureBody = _REQUEST) -> Response:
    """Upload a capture.

    The body is a pcap or pcapng file, or a qlog file of QUIC, or one of these compressed by gzip, of 1 GiB at most. It
    is kept until others need the room: as many as fit into 4 GiB are kept. The same file sent again is the same
    capture. Of a compressed one at most 4 GiB are read.
    """
    del raw
    require_type(*TAKEN)
    request.max_content_length = current().settings.bounds.capture_bytes
    kept = _received()
    make_room(_root().glob("*.capture"), current().settings.bounds.captures_bytes, kept)
    return answer(_view(kept))


@blueprint.get("/captures/<sha256>", responses={200: UploadView})
def read(path: UploadPath) -> Response:
    """Read what is known of a capture without looking into it.

    404 if it was never uploaded, or was removed to make room: upload it again.
    """
    return answer(_view(_find(path.sha256)))


@blueprint.delete("/captures/<sha256>", responses={204: None})
def remove(path: UploadPath) -> Response:
    """Delete a capture.

    It is not here any more; what others have looked up of it is forgotten in time.
    """
    _find(path.sha256).unlink(missing_ok=True)
    return no_content()


@blueprint.get("/captures/<sha256>/connections", responses={200: said("ConnectionList")})
def list_(path: UploadPath, query: OtherQuery) -> Response:
    """List the connections in a capture.

    Those of TCP with data, or, of a qlog file, those of QUIC, in the order in which they begin. 422 (`unreadable`) says
    why a file cannot be read.
    """
    return _dissection(path.sha256, query.other).connections()


@blueprint.get("/captures/<sha256>/connections/<int:number>", responses={200: ConnectionAnalysisView})
def analysis(path: UploadConnectionPath, query: AnalysisQuery) -> Response:
    """Read what one connection shows.

    With the captures of both ends every timeout and retransmission gets its verdict; with one, what can be known. 422
    (`unreadable`) where `end` is not what the file itself says.
    """
    return _dissection(path.sha256, query.other, query.end).analysis(path.number)


@blueprint.get("/captures/<sha256>/connections/<int:number>/series", responses={200: SeriesView})
def series(path: UploadConnectionPath, query: OtherSeriesQuery) -> Response:
    """Read what a diagram of one connection shows.

    Windows of it, as of a run's series.
    """
    return _dissection(path.sha256, query.other, query.end).series(path.number, query)


def _dissection(sha256: str, other: str | None, end: str | None = None) -> Dissection:
    if other == sha256:
        message = "Both are the same capture. Choose that of the other end, or none."
        raise invalid(message, [Problem(message=message, key="other")])
    first = _find(sha256)
    if other is None:
        return Dissection({"first": (sha256, first)}, ("first",), end)
    return Dissection({"first": (sha256, first), "second": (other, _find(other))}, ("first", "second"), end)


def _root() -> File:
    root = current().home.cache / "captures"
    root.mkdir(parents=True, exist_ok=True)
    return root


def _find(sha256: str) -> File:
    path = _root() / f"{sha256}.capture"
    try:
        os.utime(path)
    except FileNotFoundError as error:
        raise not_found(
            f"capture {sha256[:12]}… here; it may have been removed to make room: upload it again"
        ) from error
    return path


def _view(path: File) -> dict[str, Any]:
    with path.open("rb") as source:
        kind = _format(source.read(_BEGINNING))
        return {"sha256": path.stem, "format": kind, "size_bytes": os.fstat(source.fileno()).st_size}


def _format(beginning: bytes) -> Format | None:
    """Return what a file is that begins so, compressed or not; None if it is none of these."""
    if beginning.startswith(_GZIP):
        try:
            beginning = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16).decompress(beginning, _KNOWN_BY)
        except zlib.error:
            return None
    beginning = beginning[:_KNOWN_BY]
    return _MAGIC.get(beginning[:4]) or ("qlog" if beginning.lstrip().startswith(_QLOG) else None)


def _received() -> File:
    """Put the body of the request in its place, by its hash."""
    found = _Hash()
    draft = None
    try:
        with tempfile.NamedTemporaryFile(dir=_root(), suffix=".part", delete=False) as target, found:
            draft = File(target.name)
            while piece := request.stream.read(_PIECE):
                if target.tell() == 0 and _format(piece[:_BEGINNING]) is None:
                    raise invalid("not a capture: no pcap, pcapng or qlog file, compressed by gzip or not")
                found.add(piece)
                target.write(piece)
            if target.tell() == 0:
                raise invalid("the body is empty; send a pcap, pcapng or qlog file")
        path = _root() / f"{found.hexadecimal()}.capture"
        draft.replace(path)
    except OSError as error:
        if full(error):
            raise DiskFullError("the disk is full") from error
        raise
    finally:
        if draft is not None:
            draft.unlink(missing_ok=True)
    return path


class _Hash:
    """The hash of what is received, worked out beside the receiving, which takes as long; one piece behind it."""

    def __init__(self) -> None:
        self._found = hashlib.sha256()
        self._beside = ThreadPoolExecutor(1)
        self._last: Future[None] | None = None

    def __enter__(self) -> None:
        self._beside.__enter__()

    def __exit__(self, *error: object) -> None:
        self._beside.shutdown()

    def add(self, piece: bytes) -> None:
        if self._last is not None:
            self._last.result()
        self._last = self._beside.submit(self._found.update, piece)

    def hexadecimal(self) -> str:
        """Return it, of all that was added, once the context is left."""
        return self._found.hexdigest()
