"""Captures of the emulator's link, taken on demand: begun, stopped, listed, fetched and deleted there."""

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

from flask import Response
from pydantic import Field

from windlull.api import idempotency
from windlull.api.answers import answer
from windlull.api.blueprint import Blueprint, created, file_response
from windlull.api.captures import PCAPNG
from windlull.api.emulator import asked
from windlull.api.openapi import said
from windlull.api.schemas import Creating, Given, IdPath, example

blueprint = Blueprint(
    "link_captures", __name__, tag="emulator", about="The link between real hosts, changed while traffic passes."
)

_CONFLICT = "capture"


class LinkCaptureGiven(Given):
    """How much is captured."""

    model_config = example(limit="100 MB", snaplen="96 B")

    limit: str | None = Field(
        None, max_length=100, description="How large the file may become, as `100 MB`. Default: see `limits`."
    )
    snaplen: str | None = Field(
        None, max_length=100, description="How much is kept of each packet, as `96 B`; null: all of it."
    )


_FILE = {key: value for key, value in file_response(PCAPNG, "The capture, pcapng.").items() if key != "headers"}
"""Without an ETag: it is passed on as it comes."""

_ANSWERS: dict[Any, Any] = {200: said("LinkCaptures"), 404: None}


@blueprint.get("/emulator/captures", responses=_ANSWERS)
def list_() -> Response:
    """List the captures of the emulator's link.

    The one that is under way, those that have ended, and how much there may be.
    """
    return answer(_asked(lambda emulator: emulator.captures()))


@blueprint.post(
    "/emulator/captures",
    responses={201: created(said("LinkCapture"), "link_captures_list_"), 404: None, 409: None, 507: None},
)
def start(header: Creating, body: LinkCaptureGiven) -> Response:
    """Begin a capture of the emulator's link.

    Of all that passes both of its devices. It ends when it is stopped, at its limit, or with the emulator. 409
    (`capture`) if one is under way, or there are as many as may be.
    """

    def make(_session: Any) -> idempotency.Created:  # noqa: ANN401 - nothing is kept here
        made = _asked(lambda emulator: emulator.start_capture(body.model_dump(exclude_none=True)))
        return idempotency.Created(made, "/api/v1/emulator/captures")

    return idempotency.once(header.key, make)


@blueprint.post("/emulator/captures/<int:id>/stop", responses={200: said("LinkCapture"), 409: None, 507: None})
def stop(path: IdPath) -> Response:
    """Stop a capture.

    What had passed by now is in its file. 409 (`capture`) if it has ended already.
    """
    return answer(_asked(lambda emulator: emulator.stop_capture(path.id)))


@blueprint.get(
    "/emulator/captures/<int:id>/file",
    responses={200: _FILE, 404: None, 409: None},
)
def download(path: IdPath) -> Response:
    """Download a capture.

    A pcapng file with two interfaces, stamps in nanoseconds. 409 (`capture`) while it is under way.
    """
    opened = ExitStack()
    length, pieces = _asked(lambda emulator: opened.enter_context(emulator.capture_file(path.id)))

    def passed() -> Iterator[bytes]:
        with opened:
            yield from pieces

    response = Response(passed(), mimetype=PCAPNG, direct_passthrough=True)
    response.call_on_close(opened.close)
    response.content_length = length
    response.headers.set("Content-Disposition", "attachment", filename=f"link-capture-{path.id}.pcapng")
    response.headers["Cache-Control"] = "no-store"
    return response


@blueprint.delete("/emulator/captures/<int:id>", responses=_ANSWERS | {409: None, 507: None})
def remove(path: IdPath) -> Response:
    """Delete a capture.

    409 (`capture`) while it is under way. Those that are left are told.
    """
    return answer(_asked(lambda emulator: emulator.delete_capture(path.id)))


def _asked(question: Any) -> Any:  # noqa: ANN401 - a function of the emulator
    return asked(question, _CONFLICT)
