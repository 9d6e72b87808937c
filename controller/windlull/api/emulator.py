"""The emulator that the service was told of: its link, seen and changed while traffic passes."""

from http import HTTPStatus
from typing import Any, Literal

from flask import Response, request
from pydantic import Field
from sqlalchemy.orm import Session

from windlull.api import errors, idempotency, usage
from windlull.api.answers import answer
from windlull.api.blueprint import Blueprint, created
from windlull.api.context import current
from windlull.api.idempotency import Created
from windlull.api.schemas import Creating, Given, Id, IdPath, Moment, Name, Seed, Told, example
from windlull.emulator import Emulator, GoneError, RefusedError

blueprint = Blueprint(
    "emulator", __name__, tag="emulator", about="The link between real hosts, changed while traffic passes."
)

Direction = Literal["both", "down", "up"]
Kind = Literal["hold", "drop", "set"]


class SetGiven(Given):
    """What is set, written as in link profiles."""

    rate: str | None = Field(None, max_length=100, description="As `64 kbit/s`.")
    delay: str | None = Field(None, max_length=100, description="One way, as `200 ms`.")
    loss: str | None = Field(None, max_length=100, description="As `1 %`.")


class ChangeGiven(Given):
    """A change by hand."""

    model_config = example(kind="hold", direction="both") | {"populate_by_name": True}

    kind: Kind = Field(
        description="`hold`: deliver nothing, keep everything; `drop`: lose everything; `set`: see `set`."
    )
    direction: Direction = "both"
    lasts: str | None = Field(None, alias="for", max_length=100, description="As `3 s`; null: until it is taken back.")
    set: SetGiven | None = Field(None, description="With `kind` `set` alone, and then at least one of its keys.")


class LinkGiven(Given):
    """Another link: the name of one, shipped or the user's own, or the text of a profile. Give one of the two."""

    model_config = example(name="gprs")

    name: Name | None = None
    profile: str | None = Field(None, max_length=500_000, description="TOML.")
    seed: Seed | None = Field(None, description="Of the link's random events. Default: 1.")


class SetTold(Told):
    """What is set, as it was asked for."""

    rate: str | None = None
    delay: str | None = None
    loss: str | None = None


class ChangeTold(Told):
    """A change by hand that is in force."""

    id: Id
    kind: Kind
    direction: Direction
    set: SetTold | None = None
    since: Moment
    until: Moment | None = Field(description="Null: until it is taken back.")


class NamedTold(Told):
    """A link by its name."""

    name: str
    title: str


class WayTold(Told):
    """One direction: what it has carried and lost since the link stands, and how it is."""

    packets: int
    octets: int
    dropped: dict[str, int] = Field(description="Packets that did not arrive, by cause.")
    inside_packets: int
    queued_packets: int
    queued_octets: int
    rate_bps: int | None = Field(description="Null: nothing limits it.")
    delay_ms: float | None = Field(description="One way; null: each packet draws its own.")
    held: bool
    dropping: bool


class EmulatorTold(Told):
    """The link that stands, or the run that has its devices."""

    link: NamedTold
    seed: Seed
    plane: str
    since: Moment
    state: Literal["standing", "lent", "failed", "ended"]
    run: str | None = Field(description="The run that has the devices, in state `lent`.")
    changes: list[ChangeTold]
    down: WayTold
    up: WayTold


_TOLD: dict[Any, Any] = {200: EmulatorTold, 404: None}


@blueprint.get("/emulator", responses=_TOLD)
def read() -> Response:
    """Read how the emulator's link is.

    404 (`no-emulator`) if the service was told of none; 503 if it does not answer.
    """
    return answer(_asked(lambda emulator: emulator.link()))


@blueprint.put("/emulator/link", responses=_TOLD | {409: None})
def replace(body: LinkGiven) -> Response:
    """Let another link stand.

    It begins anew; changes by hand are over. 409 (`lent`) while a run has the devices.
    """
    given = body.model_dump(exclude_none=True)
    # The emulator knows those shipped alone. A link that is named is built on like one that is extended.
    text = body.profile or f'extends = "{body.name}"'
    with current().database.reader() as session:
        given["links"] = usage.own_links(session, "link", text)
    return answer(_asked(lambda emulator: emulator.replace(given)))


@blueprint.post("/emulator/changes", responses={201: created(ChangeTold, "emulator_read"), 404: None, 409: None})
def change(header: Creating, body: ChangeGiven) -> Response:
    """Change the link by hand.

    At once, for as long as `for` says. 409 (`lent`) while a run has the devices.
    """
    if (response := idempotency.answered(header.key)) is not None:
        return response

    def make(_session: Session) -> Created:
        made = _asked(lambda emulator: emulator.change(body.model_dump(exclude_none=True, by_alias=True)))
        return Created(made, f"{request.path}/{made['id']}")

    return idempotency.once(header.key, make)


@blueprint.delete("/emulator/changes", responses=_TOLD | {409: None})
def clear() -> Response:
    """Take all changes by hand back.

    The link is then as its profile says. 409 (`lent`) while a run has the devices.
    """
    return answer(_asked(lambda emulator: emulator.take_back()))


@blueprint.delete("/emulator/changes/<int:id>", responses=_TOLD | {409: None})
def take_back(path: IdPath) -> Response:
    """Take one change by hand back.

    404 if it is over already. 409 (`lent`) while a run has the devices.
    """
    return answer(_asked(lambda emulator: emulator.take_back(path.id)))


def _asked(question: Any) -> dict[str, Any]:  # noqa: ANN401 - a function of the emulator
    """Ask the emulator, in its absence or against its will with an error of the API's."""
    url = current().settings.emulator
    if url is None:
        raise errors.ApiError(
            HTTPStatus.NOT_FOUND,
            "the service was told of no emulator; start it with --emulator URL",
            code="no-emulator",
        )
    try:
        told: dict[str, Any] = question(Emulator(url))
    except GoneError as error:
        raise errors.unavailable(str(error)) from error
    except RefusedError as error:
        raise _of(error) from error
    return told


def _of(error: RefusedError) -> errors.ApiError:
    problems = [
        errors.Problem(one.message, one.file, one.line, one.column, one.key, one.suggestion) for one in error.problems
    ]
    match error.status:
        case HTTPStatus.BAD_REQUEST | HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
            return errors.invalid(error.message, problems)
        case HTTPStatus.NOT_FOUND:
            return errors.ApiError(HTTPStatus.NOT_FOUND, error.message)
        case HTTPStatus.CONFLICT:
            return errors.conflict(error.message, "lent")
        case _:
            return errors.unavailable(f"the emulator: {error.message}")
