"""Episodes: from a trouble to the recovery from it, told as a story; and all that was found out of a run."""

from typing import Annotated, Any, Literal

from flask import Response
from pydantic import ConfigDict, Field, ValidationError

from windlull.api import artefacts
from windlull.api.answers import answer, digest, encoded, file
from windlull.api.artefacts import CAPTURES, HAS_FILES, RUN
from windlull.api.blueprint import NOT_MODIFIED, Blueprint, file_response
from windlull.api.captures import PCAPNG
from windlull.api.context import current
from windlull.api.errors import not_found
from windlull.api.schemas import IdPath, Query, Told
from windlull.api.series import LATEST_NS, unreadable
from windlull.errors import EngineError, ExitCode
from windlull.runner import engine
from windlull.store.tables import Artefact

blueprint = Blueprint("episodes", __name__, tag="results", about="What runs showed.")

MARGIN_NS = 500_000_000
"""How much of the time around an episode its capture has, before and after, unless another margin is asked for."""
MOST_EPISODES = 100_000

Moment = Annotated[int, Field(ge=0, le=LATEST_NS)]
"""Nanoseconds since the start of the run."""


class EpisodeLine(Told):
    """An episode in the list of a run."""

    number: int = Field(ge=1)
    cause: str = Field(description="What it began with, as `hold`, `drops` or `unknown`.")
    onset_ns: int
    ended_ns: int | None = Field(description="When the causes were over; null if they were not, or there is none.")
    recovered_ns: int | None = Field(description="Null if the run ended before.")
    timeouts: int
    fast_retransmits: int
    retransmissions: dict[str, Any] = Field(description="Segments sent again, by verdict.")
    cost: dict[str, Any]
    headline: str = Field(description="The first sentence of its story.")


class EpisodesTold(Told):
    """All episodes of a run, in order of time."""

    items: list[EpisodeLine]


class _Read(Told):
    """A part of run.json: exact in its types; what later engines add is not told."""

    model_config = ConfigDict(extra="ignore", strict=True, json_schema_extra={"additionalProperties": False})


class StoryTold(_Read):
    """A sentence, and when what it tells happened."""

    at_ns: Moment
    text: str


class EpisodeTold(_Read):
    """An episode with its story, as run.json has it; docs/capture-format.md says what each key means."""

    number: int = Field(ge=1)
    cause: str
    onset_ns: Moment
    ended_ns: Moment | None
    recovered_ns: Moment | None
    causes: list[dict[str, Any]]
    outstanding: dict[str, Any]
    reaction: dict[str, Any] | None
    timeouts: list[dict[str, Any]]
    fast_retransmits: list[dict[str, Any]]
    retransmissions: dict[str, Any]
    detector: list[dict[str, Any]]
    responses: list[dict[str, Any]]
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    cost: dict[str, Any]
    story: list[StoryTold]
    untold: int = Field(ge=0)


class _Analysis(_Read):
    episodes: list[EpisodeTold] = Field([], max_length=MOST_EPISODES)


class EpisodePath(IdPath):
    """A run, and an episode of it."""

    number: int = Field(ge=1, le=MOST_EPISODES)


class ClipPath(EpisodePath):
    """A run, an episode of it, and one of its two hosts."""

    end: Literal["server", "client"]


class ClipQuery(Query):
    """How much around it."""

    margin_ns: int = Field(
        MARGIN_NS, ge=0, le=3_600_000_000_000, description="How much time before and after the episode."
    )


@blueprint.get(
    "/runs/<int:id>/analysis",
    responses={
        200: {
            "description": "The run's `run.json`; docs/capture-format.md describes it.",
            "content": {"application/json": {"schema": {"type": "object"}}},
        },
        304: NOT_MODIFIED,
        **HAS_FILES,
    },
)
def analysis(path: IdPath) -> Response:
    """Read all that was found out of a run.

    Its metrics, every timeout, fast retransmit and verdict, the detector's score, the episodes, where it comes from; of
    a live run the settings of the hosts and the certificate too.
    """
    artefact = artefacts.file(path.id, RUN)
    with artefacts.content(artefact, path.id) as source:
        return encoded(source.read(), etag=artefact.sha256)


@blueprint.get("/runs/<int:id>/episodes", responses={200: EpisodesTold, **HAS_FILES})
def list_(path: IdPath) -> Response:
    """List the episodes of a run.

    Each from the onset of a trouble to the recovery from it; no two overlap.
    """
    artefact = artefacts.file(path.id, RUN)
    return answer({"items": [_line(episode) for episode in _episodes(artefact, path.id)]})


@blueprint.get("/runs/<int:id>/episodes/<int:number>", responses={200: EpisodeTold, **HAS_FILES})
def read(path: EpisodePath) -> Response:
    """Read an episode with its story.

    What the link did, how the sender reacted and why, what its detector answered, and what it cost.
    """
    return answer(_episode(artefacts.file(path.id, RUN), path).model_dump())


@blueprint.get(
    "/runs/<int:id>/episodes/<int:number>/captures/<end>",
    responses={200: file_response(PCAPNG, "The packets of that time, pcapng."), 304: NOT_MODIFIED, **HAS_FILES},
)
def clip(path: ClipPath, query: ClipQuery) -> Response:
    """Download the capture of one episode.

    What one host's interface saw from some time before the onset until some time after the recovery; everything else
    in the file is as in the capture of the whole run.
    """
    with current().database.reader() as session:
        found = artefacts.find(session, path.id)
        analysed, capture = found.file(RUN), found.file(CAPTURES[path.end])
    episode = _episode(analysed, path)
    start = max(0, episode.onset_ns - query.margin_ns)
    end = _end(episode) + query.margin_ns
    try:
        packets = engine.text(
            ["clip", "--from", str(start), "--to", str(end), "--", str(current().blobs.path(capture.sha256))],
            with_profiles=False,
        )
    except EngineError as error:
        if error.exit_code == ExitCode.BAD_INPUT:
            if not current().blobs.path(capture.sha256).exists():
                raise artefacts.gone(path.id) from error
            raise unreadable(path.id, "its capture is none") from error
        raise
    name = artefacts.file_name(found.run, f"-episode-{path.number}-{path.end}.pcapng")
    return file(packets, PCAPNG, etag=digest(packets), name=name)


def _end(episode: EpisodeTold) -> int:
    """When an episode ended; if its run ended before, when the last that is told of it happened."""
    if episode.recovered_ns is not None:
        return episode.recovered_ns
    times = [episode.onset_ns, episode.ended_ns or 0, *(line.at_ns for line in episode.story)]
    duration = episode.cost.get("duration_ns")
    if isinstance(duration, int) and 0 <= duration <= LATEST_NS:
        times.append(episode.onset_ns + duration)
    return max(times)


def _episodes(artefact: Artefact, run_id: int) -> list[EpisodeTold]:
    with artefacts.content(artefact, run_id) as source:
        text = source.read()
    try:
        return _Analysis.model_validate_json(text).episodes
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise unreadable(run_id, f"{RUN}: {where}: {first['msg']}"[:300]) from error


def _episode(artefact: Artefact, path: EpisodePath) -> EpisodeTold:
    for episode in _episodes(artefact, path.id):
        if episode.number == path.number:
            return episode
    raise not_found(f"episode {path.number} of run {path.id}")


def _line(episode: EpisodeTold) -> dict[str, Any]:
    return {
        "number": episode.number,
        "cause": episode.cause,
        "onset_ns": episode.onset_ns,
        "ended_ns": episode.ended_ns,
        "recovered_ns": episode.recovered_ns,
        "timeouts": len(episode.timeouts),
        "fast_retransmits": len(episode.fast_retransmits),
        "retransmissions": episode.retransmissions,
        "cost": episode.cost,
        "headline": episode.story[0].text if episode.story else "",
    }
