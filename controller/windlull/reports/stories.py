"""What `windlull explain` prints of a run: its episodes, in the sentences that the engine wrote."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec
from rich import box
from rich.table import Table
from rich.text import Text

from windlull.contract.engine import Episode, Provenance, UnmetCondition
from windlull.errors import BadInputError
from windlull.metrics import metric, number, remarks
from windlull.reports import unmet

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.console import Console


_LIMITED = "limited_by_"


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which of several runs; what is None is any."""

    variant: str | None
    link: str | None
    repetition: int | None

    def fits(self, run: Provenance) -> bool:
        """Whether it is one of those."""
        return all(
            wish in (None, it)
            for wish, it in ((self.variant, run.variant), (self.link, run.link), (self.repetition, run.repetition))
        )

    def __str__(self) -> str:
        """Say what is wanted, as the options have it."""
        given = (("variant", self.variant), ("link", self.link), ("repetition", self.repetition))
        return ", ".join(f"{name} {value}" for name, value in given if value is not None)


class RunStory(msgspec.Struct, frozen=True):
    """A run and its episodes, as the engine wrote them."""

    provenance: Provenance
    episodes: tuple[dict[str, Any], ...]
    metrics: dict[str, float] = {}
    unmet: tuple[UnmetCondition, ...] = ()

    def chosen(self, number: int | None) -> tuple[dict[str, Any], ...]:
        """Return all episodes, or the one of that number. Raises BadInputError if there is none."""
        if number is None:
            return self.episodes
        if found := tuple(one for one in self.episodes if one.get("number") == number):
            return found
        raise BadInputError(f"there is no episode {number}; the run has {len(self.episodes)}")


def read(text: bytes) -> RunStory:
    """Read a run.json. Raises msgspec.MsgspecError if it is none."""
    story = msgspec.json.decode(text, type=RunStory)
    msgspec.convert(story.episodes, tuple[Episode, ...])
    return story


def title(run: Provenance) -> str:
    """Return how a run is told from others."""
    return f"{run.variant} over {run.link}, repetition {run.repetition}"


def print_stories(out: Console, story: RunStory, episodes: Sequence[dict[str, Any]]) -> None:
    """Print each episode under a heading, a sentence a row with its instant in seconds."""
    run = story.provenance
    out.print(Text(title(run), style="bold"))
    out.print(Text(f"{run.experiment}, {run.testbed}, seed {run.seed}", style="dim"))
    if shares := _limits(story.metrics):
        out.print(Text(f"The sender was limited {', '.join(shares)} of the time.", style="dim"))
    if said := remarks(story.metrics):
        out.print()
        for remark in said:
            out.print(Text(f"{remark[0].upper()}{remark[1:]}.", style="yellow"))
        for one in story.unmet:
            out.print(Text(f"  {unmet.sentence(one)}", style="yellow"))
    if not episodes:
        out.print()
        out.print(Text("No trouble at all: no loss, no long hold and no timeout, and nothing was sent twice."))
    for episode in msgspec.convert(episodes, tuple[Episode, ...]):
        out.print()
        out.print(Text(_heading(episode), style="bold"))
        out.print(_sentences(episode))
        if episode.untold:
            out.print(Text(f"  and {number(episode.untold, 0)} more things; run.json has them", style="dim"))


def _limits(metrics: Mapping[str, float]) -> list[str]:
    """Say for which share of the time each thing limited the sender, the largest first, if 1 % or more."""
    shares = {name: round(100 * value) for name, value in metrics.items() if name.startswith(_LIMITED)}
    return [
        f"{metric(name).label.removeprefix('limited ')} for {share} %"
        for name, share in sorted(shares.items(), key=lambda of: -of[1])
        if share
    ]


def _heading(episode: Episode) -> str:
    cause = {
        "unknown": "of unknown cause",
        "initial-timeout": "initial timeout shorter than the round trip",
        "delayed-ack": "acknowledgement delayed by the receiver",
    }
    until = "to the end of the run" if episode.recovered_ns is None else f"to {number(episode.recovered_ns / 1e9, 3)} s"
    begun = cause.get(episode.cause, episode.cause)
    return f"Episode {episode.number}: {begun}, {number(episode.onset_ns / 1e9, 3)} s {until}"


def _sentences(episode: Episode) -> Table:
    table = Table(box=box.SIMPLE, show_header=False, show_edge=False, pad_edge=True, padding=(0, 1, 0, 1))
    table.add_column(justify="right", no_wrap=True, style="dim")
    table.add_column(overflow="fold")
    for sentence in episode.story:
        table.add_row(Text(f"{number(sentence.at_ns / 1e9, 3)} s"), Text(sentence.text))
    return table
