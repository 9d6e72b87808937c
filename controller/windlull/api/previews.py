"""What a link would do over time, before anybody keeps it or runs anything on it."""

from typing import Any, Literal

from flask import Response
from pydantic import Field, ValidationError

from windlull.api.answers import answer
from windlull.api.blueprint import Blueprint
from windlull.api.context import current
from windlull.api.documents import MOST_CHARACTERS
from windlull.api.errors import of_files
from windlull.api.proposals import free_name, proposed
from windlull.api.schemas import Given, Name, Seed, Told, example
from windlull.runner import engine
from windlull.runner.messages import ProtocolError
from windlull.runner.problems import InvalidFilesError

blueprint = Blueprint("previews", __name__, tag="previews", about="What a link does over time.")

LONGEST_S = 3600

Direction = Literal["down", "up"]
Nanoseconds = int
"""Since the start of the run, or of a span of time."""


class PreviewGiven(Given):
    """The text of a link, and for which of its random histories."""

    model_config = example(
        toml='title = "A pause"\n[both]\nrate = "28.8 kbit/s"\ndelay = "200 ms"\n'
        'queue = { kind = "droptail", limit = "7 packets" }\n[[script]]\nat = "10 s"\nfor = "3 s"\ndo = "hold"\n',
        seconds=60,
    )

    toml: str = Field(max_length=MOST_CHARACTERS)
    seconds: int = Field(ge=1, le=LONGEST_S, description="How long, from the start of a run.")
    seed: Seed | None = Field(None, description="Of an experiment on this link. Default: 1.")
    repetition: int = Field(
        1, ge=1, le=100_000, description="Each repetition of an experiment has a history of its own."
    )
    name: Name | None = Field(None, description="What it is called, if it has a name already.")


class PreviewRate(Told):
    """How fast a direction serialises: `bps[i]` from `t_ns[i]` on."""

    kind: Literal["unlimited", "constant", "steps", "trace"] = Field(
        description="What the link's model has; the script may set another rate for a while."
    )
    window_ns: Nanoseconds | None = Field(description="Of a trace: over how long each of its rates is counted.")
    t_ns: list[Nanoseconds]
    bps: list[int | None] = Field(description="Null: unlimited. 0: a trace that has no opportunity in that window.")


class DelayQuantiles(Told):
    """What the first packets of a direction draw as their propagation delay, each from the link's own random stream."""

    stream: str
    draws: int = Field(description="From how many draws the quantiles are taken.")
    p5_ns: Nanoseconds
    p50_ns: Nanoseconds
    p95_ns: Nanoseconds


class PreviewDelay(Told):
    """The propagation delay, one way: `delay_ns[i]` from `t_ns[i]` on."""

    t_ns: list[Nanoseconds]
    delay_ns: list[Nanoseconds | None] = Field(description="Null: each packet draws its own, see `drawn`.")
    drawn: DelayQuantiles | None


class PreviewQueue(Told):
    """The queue's limit from `t_ns[i]` on, in packets or in octets; unlimited where both are null."""

    t_ns: list[Nanoseconds]
    packets: list[int | None]
    bytes: list[int | None]


class PreviewLoss(Told):
    """The script's loss, on top of the impairments': `probability[i]` from `t_ns[i]` on."""

    t_ns: list[Nanoseconds]
    probability: list[float]


class PreviewKeptBack(Told):
    """By how much the script keeps back each packet: `delay_ns[i]` from `t_ns[i]` on."""

    t_ns: list[Nanoseconds]
    delay_ns: list[Nanoseconds]


class PreviewSpell(Told):
    """A time in which a direction is not as it should be.

    `hold`: it delivers nothing, and keeps everything. `outage`: it loses everything. `bad`: a process with two states
    in time is in the bad one; how much it loses then, its fact says.
    """

    kind: Literal["hold", "outage", "bad"]
    name: str = Field(description="Of the impairment, or `script N`: as events of a run have it.")
    from_ns: Nanoseconds
    until_ns: Nanoseconds | None = Field(
        description="As drawn, be it after the preview. Null: to the end of the run, or not over where the preview is."
    )


class PreviewPath(Told):
    """One direction. Steps hold from their instant to the next; the first is at 0."""

    rate: PreviewRate
    delay: PreviewDelay
    queue: PreviewQueue
    loss: PreviewLoss
    kept_back: PreviewKeptBack
    spells: list[PreviewSpell] = Field(description="In the order in which they begin.")


class PreviewFact(Told):
    """Something that depends on packets: when it happens, nobody can say before there is traffic."""

    kind: Literal[
        "hold", "suspend", "hold-arrivals", "drop", "loss", "periodic-loss", "gilbert-elliott", "two-state",
        "bit-error", "reorder", "duplicate", "corrupt", "script", "arq", "allocation",
    ]  # fmt: skip
    name: str
    directions: list[Direction]
    text: str = Field(description="All of it in a line for people.")


class PreviewTold(Told):
    """What the link does over time, whatever the traffic; and what depends on traffic, as facts without an instant."""

    title: str
    seed: Seed
    repetition: int
    run_seed: Seed = Field(description="Of the runs of that repetition, whatever their variant.")
    until_ns: Nanoseconds = Field(description="Up to here, this instant included, it is told.")
    capped: bool = Field(description="Whether that is less than was asked for, because too much happens.")
    down: PreviewPath = Field(description="From server to client.")
    up: PreviewPath = Field(description="From client to server.")
    facts: list[PreviewFact]
    summary: list[str] = Field(description="All of the link, in lines for people.")


@blueprint.post("/previews", responses={200: PreviewTold})
def preview(body: PreviewGiven) -> Response:
    """Preview a link over time.

    The engine's own link says what it does without traffic: what goes by the clock draws from streams of its own, so
    that runs with this seed and repetition meet the same, to the nanosecond. Nothing is kept. 422 if the text is not a
    link; what is wrong is told as for validations.
    """
    name = body.name or free_name("link")
    with current().database.reader() as session, proposed(session, {("link", name): body.toml}) as proposal:
        asked = ["--for", f"{body.seconds} s", "--seed", body.seed or "1", "--repetition", str(body.repetition)]
        file = str(proposal.path("link", name))
        try:
            told = engine.ask(["preview", *asked, "--", file], profiles=proposal.profiles, confined=True)
        except InvalidFilesError as error:
            raise of_files(InvalidFilesError([proposal.told(problem) for problem in error.problems])) from error
    return answer(_told(told))


def _told(told: object) -> dict[str, Any]:
    """Return what the engine said, of which every part is one that is documented here.

    Raises ProtocolError if a part is not, rather than to tell what no reader of the interface knows.
    """
    try:
        return PreviewTold.model_validate(told).model_dump()
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ProtocolError(f"the engine's preview cannot be understood: {where}: {first['msg']}") from error
