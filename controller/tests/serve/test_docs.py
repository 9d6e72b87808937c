"""What `windlull serve` can be told stands in its page."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

import windlull
from windlull.commands import serve, store

PAGE = Path(windlull.__file__).parent.parent.parent / "docs" / "serve.md"
EVENTS = ("started", "ended", "waiting for the database", "removed", "stopping", "killing", "stopped", "request")
COMMANDS = ("check", "prune", "restore")


def options(command: click.Command) -> list[str]:
    return [name for parameter in command.params for name in parameter.opts if name.startswith("--")]


@pytest.mark.parametrize("name", [*options(serve.command), *(f"windlull store {name}" for name in COMMANDS)])
def test_every_option_is_told(name: str) -> None:
    assert f"`{name}" in PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", EVENTS)
def test_every_event_of_the_log_is_told_and_logged(name: str) -> None:
    assert f"`{name}`" in PAGE.read_text(encoding="utf-8")
    sources = (Path(windlull.__file__).parent / "serve").glob("*.py")
    assert any(f'"{name}"' in source.read_text(encoding="utf-8") for source in sources)


def test_the_page_knows_the_stores_commands() -> None:
    assert isinstance(store.command, click.Group)
    assert set(store.command.commands) == set(COMMANDS)
