"""Episodes: from a trouble to the recovery from it, told as a story; and all that was found out of a run."""

from typing import Annotated, Any, Literal, TypeVar

import msgspec
from flask import Response
from pydantic import Field

from windlull.api import artefacts
from windlull.api.answers import answer, digest, encoded, file
from windlull.api.artefacts import CAPTURES, HAS_FILES, RUN
from windlull.api.blueprint import NOT_MODIFIED, Blueprint, file_response
from windlull.api.captures import PCAPNG
from windlull.api.context import current
from windlull.api.errors import not_found
from windlull.api.openapi import of_engine, said
from windlull.api.schemas import IdPath, Query, View
from windlull.api.series import unreadable
from windlull.contract.engine import CommandRunFile, Episode, RunFile
from windlull.errors import EngineError, ExitCode
from windlull.runner import engine
from windlull.store.tables import Artefact

blueprint = Blueprint("episodes", __name__, tag="results", about="What runs showed.")

MARGIN_NS = 500_000_000
"""How much of the time around an episode its capture has, before and after, unless another margin is asked for."""
MOST_EPISODES = 100_000


class EpisodeLine(View):
    """An episode in the list of a run."""

    number: int = Field(ge=1)
    cause: str = Field(description="What it began with, as `hold`, `drops` or `unknown`.")
    onset_ns: int
    ended_ns: int | None = Field(description="When the causes were over; null if they were not, or there is none.")
    recovered_ns: int | None = Field(description="Null if the run ended before.")
    timeouts: int
    fast_retransmits: int
    retransmissions: Annotated[Any, of_engine("ResentCounts")]
    cost: Annotated[Any, of_engine("EpisodeCost")]
    headline: str = Field(description="The first sentence of its story.")


class EpisodesView(View):
    """All episodes of a run, in order of time."""

    items: list[EpisodeLine]


class _Analysis(msgspec.Struct, frozen=True):
    episodes: Annotated[list[Episode], msgspec.Meta(max_length=MOST_EPISODES)] = []


class _Kind(msgspec.Struct, frozen=True):
    commands: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


_Part = TypeVar("_Part")


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


@blueprint.get("/runs/<int:id>/analysis", responses={200: said("RunFile", "CommandRunFile"), **HAS_FILES})
def analysis(path: IdPath) -> Response:
    """Read all that was found out of a run.

    Its `run.json`, which docs/capture-format.md describes: metrics, every timeout, fast retransmit and verdict, the
    detector's score, the episodes, where it comes from; of a live run the certificate and the settings of hosts too.
    """
    artefact = artefacts.file(path.id, RUN)
    text = _text(artefact, path.id)
    of_commands = _decoded(text, path.id, _Kind).commands is not msgspec.UNSET
    _decoded(text, path.id, CommandRunFile if of_commands else RunFile)
    return encoded(text, etag=artefact.sha256)


@blueprint.get("/runs/<int:id>/episodes", responses={200: EpisodesView, **HAS_FILES})
def list_(path: IdPath) -> Response:
    """List the episodes of a run.

    Each from the onset of a trouble to the recovery from it; no two overlap.
    """
    artefact = artefacts.file(path.id, RUN)
    return answer({"items": [_line(episode) for episode in _episodes(artefact, path.id)]})


@blueprint.get("/runs/<int:id>/episodes/<int:number>", responses={200: said("Episode"), **HAS_FILES})
def read(path: EpisodePath) -> Response:
    """Read an episode with its story.

    What the link did, how the sender reacted and why, what its detector answered, and what it cost.
    """
    return answer(_episode(artefacts.file(path.id, RUN), path))


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


def _end(episode: Episode) -> int:
    """When an episode ended; if its run ended before, when the last that is told of it happened."""
    if episode.recovered_ns is not None:
        return episode.recovered_ns
    lasted_until = episode.onset_ns + episode.cost.duration_ns
    return max(lasted_until, episode.ended_ns or 0, *(line.at_ns for line in episode.story))


def _episodes(artefact: Artefact, run_id: int) -> list[Episode]:
    return _decoded(_text(artefact, run_id), run_id, _Analysis).episodes


def _text(artefact: Artefact, run_id: int) -> bytes:
    with artefacts.content(artefact, run_id) as source:
        return source.read()


def _decoded(text: bytes, run_id: int, kind: type[_Part]) -> _Part:
    try:
        return msgspec.json.decode(text, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise unreadable(run_id, f"{RUN}: {error}"[:300]) from error


def _episode(artefact: Artefact, path: EpisodePath) -> Episode:
    for episode in _episodes(artefact, path.id):
        if episode.number == path.number:
            return episode
    raise not_found(f"episode {path.number} of run {path.id}")


def _line(episode: Episode) -> dict[str, Any]:
    return EpisodeLine.of(
        episode,
        timeouts=len(episode.timeouts),
        fast_retransmits=len(episode.fast_retransmits),
        headline=episode.story[0].text if episode.story else "",
    )
