"""Answers as JSON, for programs."""

from __future__ import annotations

from typing import Any

import click
import msgspec


def write(value: Any) -> None:  # noqa: ANN401
    """Print JSON, or structs."""
    click.echo(msgspec.json.format(msgspec.json.encode(value), indent=2).decode())
