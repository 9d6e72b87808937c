"""Answers as JSON, for programs."""

from __future__ import annotations

import json
from typing import Any

import click


def write(value: Any) -> None:  # noqa: ANN401
    """Print it."""
    click.echo(json.dumps(value, indent=2, ensure_ascii=False))
