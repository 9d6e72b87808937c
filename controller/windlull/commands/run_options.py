"""The options of a run, for commands that run or plan one."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from windlull.runner.messages import SIMULATED
from windlull.runner.options import OPTIONS, Choices, Option, Range, RunOptions, from_here

if TYPE_CHECKING:
    from collections.abc import Callable


def run_options(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a command these options of `RunOptions`, in this order; it gets them as one argument, `options`."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def gathered(**given: Any) -> Any:  # noqa: ANN401 - as the command
            chosen = {name: given.pop(name) for name in names}
            return command(options=RunOptions(**chosen), **given)

        for name in reversed(names):
            gathered = click.option(OPTIONS[name].flag, name, **_as_click_has_it(OPTIONS[name]))(gathered)
        return gathered

    return decorate


def _as_click_has_it(option: Option) -> dict[str, Any]:
    match option.of:
        case "no":
            return {"is_flag": True, "flag_value": False, "default": True, "help": option.help}
        case "list":
            return {"metavar": "A,B,...", "callback": _listed, "help": option.help}
        case Range(least, most):
            return {"type": click.IntRange(least, most), "help": option.help}
        case Choices(words):
            default = SIMULATED if SIMULATED in words else None
            return {"type": click.Choice(words), "default": default, "show_default": bool(default), "help": option.help}


def _listed(_context: click.Context, _option: click.Parameter, text: str | None) -> tuple[str, ...]:
    return tuple(from_here(name.strip()) for name in text.split(",")) if text is not None else ()
