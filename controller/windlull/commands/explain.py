"""`windlull explain`: the story of each episode of a run, in words."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from windlull.commands import options, structured
from windlull.errors import BadInputError, FailureError
from windlull.reports import stories, terminal

if TYPE_CHECKING:
    from collections.abc import Iterator

RUN = "run.json"
LISTED = 12
"""How many runs are named where one must be chosen."""


@click.command("explain")
@click.argument("run")
@click.option("--variant", help="Of the runs of a directory, those of this variant.")
@click.option("--link", help="Those over this link.")
@click.option("--repetition", type=click.IntRange(min=1), help="This repetition.")
@click.option("--episode", type=click.IntRange(min=1), help="Tell this episode alone.")
@click.option("--json", "as_json", is_flag=True, help="Print the episodes as JSON.")
@options.DATA
@options.DATABASE
def command(
    run: str,
    variant: str | None,
    link: str | None,
    repetition: int | None,
    episode: int | None,
    as_json: bool,  # noqa: FBT001 - click passes options by name
    data: Path,
    database: str | None,
) -> None:
    """Explain what went wrong in RUN, episode by episode.

    What the link did, when the timer fired and why it was set so, what the detector saw and by which rule it decided,
    what was sent unnecessarily, and what it cost. RUN is a run's directory, one with runs in it, or the number of a run
    of the service.
    """
    text = _by_number(int(run), data, database) if run.isdecimal() and not Path(run).exists() else None
    if text is None:
        story = _choose(Path(run), stories.Wanted(variant, link, repetition))
    elif (variant, link, repetition) != (None, None, None):
        raise BadInputError(
            f"run {run} is one run: --variant, --link and --repetition choose among those of a directory"
        )
    else:
        story = _read(text, f"{RUN} of run {run}")
    episodes = story.chosen(episode)
    if as_json:
        structured.write(episodes)
    else:
        stories.print_stories(terminal.console(), story, episodes)


def _choose(place: Path, wanted: stories.Wanted) -> stories.RunStory:
    """Return the one run under a directory that is wanted. Raises BadInputError if none is, or several are."""
    if not place.exists():
        raise BadInputError(f"{place}: does not exist; give a run's directory, or the number of a run of the service")
    files = [place] if place.is_file() else sorted(place.rglob(RUN))
    if not files:
        raise BadInputError(
            f"{place}: no {RUN} in it, so it is not a run; give what `windlull run --out` wrote, or a part of it"
        )
    fitting = [(file, story) for file, story in _runs(files) if wanted.fits(story.provenance)]
    if len(fitting) == 1:
        return fitting[0][1]
    if not fitting:
        raise BadInputError(f"{place}: none of its {len(files)} runs is of {wanted}")
    named = "".join(f"\n  {stories.title(story.provenance)}" for _, story in fitting[:LISTED])
    more = f"\n  and {len(fitting) - LISTED} more" if len(fitting) > LISTED else ""
    raise BadInputError(
        f"{place}: {len(fitting)} runs; choose one with --variant, --link or --repetition, or give its "
        f"directory:{named}{more}"
    )


def _runs(files: list[Path]) -> Iterator[tuple[Path, stories.RunStory]]:
    for file in files:
        try:
            yield file, _read(file.read_bytes(), str(file))
        except OSError as error:
            raise FailureError(f"cannot read {file}: {error.strerror}") from error


def _read(text: bytes, where: str) -> stories.RunStory:
    try:
        return stories.read(text)
    except msgspec.MsgspecError as error:
        raise BadInputError(f"{where} is not a record of a run: {error}") from error


def _by_number(number: int, data: Path, database: str | None) -> bytes:
    """Return the record of a run of the service. Raises BadInputError if it has none."""
    from sqlalchemy import select  # noqa: PLC0415 - a directory needs no database

    from windlull.commands.store import opened  # noqa: PLC0415
    from windlull.store.tables import Artefact, Run  # noqa: PLC0415

    with opened(data, database) as (home, there):
        with there.reader() as session:
            found: Any = session.get(Run, number)
            if found is None:
                raise BadInputError(f"run {number}: {data} has no such run")
            record = session.scalar(select(Artefact).where(Artefact.result_id == found.result_id, Artefact.name == RUN))
        if record is None:
            raise BadInputError(f"run {number} has no {RUN}: it is {found.state}, or its files made room for others")
        with home.blobs.open(record.sha256) as source:
            return source.read()
