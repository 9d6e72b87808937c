"""What went wrong, said on standard error."""

from __future__ import annotations

import click

from windlull.errors import EngineError, WindlullError


def say(error: WindlullError) -> None:
    """Say what went wrong: the engine's words as they are, ours in its form."""
    click.echo(str(error) if isinstance(error, EngineError) else f"error: {error}", err=True)
