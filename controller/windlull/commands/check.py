"""`windlull check`: whether a file is right."""

from __future__ import annotations

import click

from windlull import locate
from windlull.experiments import own_files
from windlull.runner import engine


@click.command("check")
@click.argument("file")
def command(file: str) -> None:
    """Check a link, variant, workload or experiment file."""
    own_files.refuse_others(file)
    engine.ask(["check", "--stacks", str(locate.stacks()), file])
    click.echo(f"{file}: ok")
