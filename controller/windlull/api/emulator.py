"""The emulator that the service was told of: its link, seen and changed while traffic passes."""

from http import HTTPStatus
from typing import Any

from flask import Response, request
from pydantic import Field
from sqlalchemy.orm import Session

from windlull.api import errors, idempotency, usage
from windlull.api.answers import answer
from windlull.api.blueprint import Blueprint, created
from windlull.api.context import current
from windlull.api.idempotency import Created
from windlull.api.openapi import said
from windlull.api.schemas import Creating, Given, IdPath, LinkName, Query, SeedGiven, example
from windlull.contract.engine import ChangeDirection, ChangeKind, PlaneKind
from windlull.emulator import Emulator, GoneError, RefusedError

blueprint = Blueprint(
    "emulator", __name__, tag="emulator", about="The link between real hosts, changed while traffic passes."
)


class SetGiven(Given):
    """What is set, written as in link profiles."""

    rate: str | None = Field(None, max_length=100, description="As `64 kbit/s`.")
    delay: str | None = Field(None, max_length=100, description="One way, as `200 ms`.")
    loss: str | None = Field(None, max_length=100, description="As `1 %`.")


class ChangeGiven(Given):
    """A change by hand."""

    model_config = example(kind="hold", direction="both") | {"populate_by_name": True}

    kind: ChangeKind = Field(
        description="`hold`: deliver nothing, keep everything; `drop`: lose everything; `set`: see `set`."
    )
    direction: ChangeDirection = "both"
    lasts: str | None = Field(None, alias="for", max_length=100, description="As `3 s`; null: until it is taken back.")
    set: SetGiven | None = Field(None, description="With `kind` `set` alone, and then at least one of its keys.")


class LinkGiven(Given):
    """Another link: the name of one, shipped or the user's own, or the text of a profile. Give one of the two."""

    model_config = example(name="gprs")

    name: LinkName | None = None
    profile: str | None = Field(None, max_length=500_000, description="TOML.")
    plane: PlaneKind | None = Field(
        None, description="What plays it. Default: the one that the emulator was started with, where it works."
    )
    seed: SeedGiven | None = Field(None, description="Of the link's random events. Default: 1.")


LATEST_MS = 1 << 52


class HistoryQuery(Query):
    """Which samples."""

    after: int = Field(
        0, ge=0, le=LATEST_MS, description="Samples up to this time, in ms since 1970, are left out. Default: none."
    )


_ANSWERS: dict[Any, Any] = {200: said("EmulatorLink"), 404: None}


@blueprint.get("/emulator", responses=_ANSWERS)
def read() -> Response:
    """Read the state of the emulator's link.

    404 (`no-emulator`) if the service has none; 503 if it does not answer.
    """
    return answer(asked(lambda emulator: emulator.link()))


@blueprint.get("/emulator/history", responses={200: said("LinkHistory"), 404: None})
def history(query: HistoryQuery) -> Response:
    """Read the last ten minutes of the emulator's link.

    A sample a second of both directions, changes by hand, and links that were loaded. Ask again with the time of the
    last sample in `after`, and only what is new is sent. After a restart of the emulator it begins anew.
    """
    return answer(asked(lambda emulator: emulator.history(query.after)))


@blueprint.put("/emulator/link", responses=_ANSWERS | {409: None})
def replace(body: LinkGiven) -> Response:
    """Load another link.

    It starts at its time zero; changes by hand end. 409 (`lent`) while a run has the devices. Refused with
    the reasons if the plane does not work there, or cannot express the link.
    """
    given = body.model_dump(exclude_none=True)
    # The emulator knows those shipped alone. A link that is named is built on like one that is extended.
    text = body.profile or f'extends = "{body.name}"'
    with current().database.reader() as session:
        given["links"] = usage.own_links(session, "link", text)
    return answer(asked(lambda emulator: emulator.replace(given)))


@blueprint.post(
    "/emulator/changes", responses={201: created(said("LinkChange"), "emulator_read"), 404: None, 409: None}
)
def change(header: Creating, body: ChangeGiven) -> Response:
    """Change the link by hand.

    At once, for as long as `for` says. 409 (`lent`) while a run has the devices.
    """

    def make(_session: Session) -> Created:
        made = asked(lambda emulator: emulator.change(body.model_dump(exclude_none=True, by_alias=True)))
        return Created(made, f"{request.path}/{made['id']}")

    return idempotency.once(header.key, make)


@blueprint.delete("/emulator/changes", responses=_ANSWERS | {409: None})
def clear() -> Response:
    """Take all changes by hand back.

    The link is then as its profile says. 409 (`lent`) while a run has the devices.
    """
    return answer(asked(lambda emulator: emulator.take_back()))


@blueprint.delete("/emulator/changes/<int:id>", responses=_ANSWERS | {409: None})
def take_back(path: IdPath) -> Response:
    """Take one change by hand back.

    404 if it is over already. 409 (`lent`) while a run has the devices.
    """
    return answer(asked(lambda emulator: emulator.take_back(path.id)))


def asked(question: Any, conflict: str = "lent") -> Any:  # noqa: ANN401 - a function of the emulator
    """Ask the emulator. In its absence, or where it refuses, raise ApiError; `conflict` is the code of 409."""
    url = current().settings.emulator
    if url is None:
        raise errors.ApiError(
            HTTPStatus.NOT_FOUND,
            "the service has no emulator; start it with --emulator URL",
            code="no-emulator",
        )
    try:
        return question(Emulator(url))
    except GoneError as error:
        raise errors.unavailable(str(error)) from error
    except RefusedError as error:
        raise _of(error, conflict) from error


def _of(error: RefusedError, conflict: str) -> errors.ApiError:
    match error.status:
        case HTTPStatus.BAD_REQUEST | HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
            return errors.invalid(error.message, error.problems)
        case HTTPStatus.NOT_FOUND:
            return errors.ApiError(HTTPStatus.NOT_FOUND, error.message)
        case HTTPStatus.CONFLICT:
            return errors.conflict(error.message, conflict)
        case HTTPStatus.INSUFFICIENT_STORAGE:
            return errors.ApiError(HTTPStatus.INSUFFICIENT_STORAGE, error.message)
        case _:
            return errors.unavailable(f"the emulator: {error.message}")
