"""`windlull capsule`: what is in one, whether it is whole, and its run made again."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from windlull import metrics
from windlull.capsule import again, capsule
from windlull.errors import BadInputError, ExitCode, FailureError
from windlull.runner.engine import made_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from windlull.capsule.capsule import Capsule

_FILE = click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))


@click.group("capsule")
def command() -> None:
    """Inspect a capsule: one file with all of a run."""


@command.command()
@_FILE
def show(file: Path) -> None:
    """Say which run FILE has, by which engine, and what it measured."""
    with _opened(file) as one:
        manifest = one.manifest
        run, plan = manifest.run, manifest.plan
        title = f": {one.experiment.title}" if one.experiment.title else ""
        _say(f"{one.experiment.name}{title}")
        _say(f"  run         {run.variant} on {run.link}, repetition {run.repetition} of {plan.repetitions}")
        _say(f"  testbed     {run.testbed}" + (f", plane {plan.plane}" if plan.plane else ""))
        _say(f"  seed        {run.seed} (of the experiment: {plan.seed})")
        _say(f"  engine      {manifest.engine.version}, {made_of(manifest.engine.commit)}")
        _say(f"  ended       {manifest.ending.state}" + (f": {why}" if (why := manifest.ending.reason) else ""))
        click.echo("  measured")
        names = metrics.in_order(set(one.run.metrics))
        width = 2 + max(map(len, names), default=0)
        for name in names:
            what = metrics.metric(name)
            click.echo(f"    {name:<{width}}{metrics.number(one.run.metrics[name], what.digits)} {what.unit}".rstrip())
        click.echo("  files")
        for name, entry in sorted(manifest.files.items()):
            click.echo(f"    {name:<28}{entry.bytes:>12} octets  {entry.sha256}")


@command.command()
@_FILE
def verify(file: Path) -> None:
    """Say whether FILE is whole: every file as its manifest says, and all parts agreeing.

    Its numbers may still be invented; `run` checks them.
    """
    with _opened(file) as one:
        click.echo(f"{file}: whole; {len(one.manifest.files)} files as the manifest says")


@command.command("run")
@_FILE
@click.pass_context
def run_(context: click.Context, file: Path) -> None:
    """Make the run of FILE again with this machine's engine, and compare every file.

    A simulated run by the same engine gives the same bytes. A live one never does.
    """
    with _opened(file) as one:
        result = again.make(one)
        for name, same in result.files.items():
            words = {True: "the same", False: "differs", None: "only on one side"}[same]
            click.echo(f"  {name:<20}{words}")
        engine = one.manifest.engine
        if not result.same_engine:
            click.echo(f"  the capsule is of another engine: {engine.version}, {made_of(engine.commit)}")
        click.echo("the same to the byte" if result.same else "not the same")
        if not result.same:
            context.exit(ExitCode.FAILURE)


def _say(line: str) -> None:
    """Print a line that has a stranger's words in it: nothing in them moves the cursor or changes colours."""
    click.echo("".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in line))


@contextmanager
def _opened(file: Path) -> Iterator[Capsule]:
    try:
        with file.open("rb") as source:
            yield capsule.read(source)
    except OSError as error:
        raise FailureError(f"cannot read {file}: {error.strerror}") from error
    except BadInputError as error:
        raise BadInputError(f"{file} is not a valid capsule: {error}") from error
