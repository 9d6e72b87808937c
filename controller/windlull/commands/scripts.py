"""`windlull run x.pkt`: scripts of packetdrill, against a TCP of ours or by packetdrill in a kernel."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from windlull import locate
from windlull.errors import BadInputError
from windlull.runner import engine
from windlull.runner.messages import KERNEL, SIMULATED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from windlull.errors import ExitCode
    from windlull.runner.options import RunOptions

SUFFIX = ".pkt"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is wanted of scripts alone."""

    variant: str | None
    program: Path | None
    kernel: str | None

    def given(self) -> str | None:
        """Return an option that was given, if one was."""
        values = {"--variant": self.variant, "--packetdrill": self.program, "--kernel": self.kernel}
        return next((option for option, value in values.items() if value is not None), None)


def is_script(name: str) -> bool:
    """Say whether it is a script of packetdrill by its name."""
    return Path(name).suffix == SUFFIX


def refuse(scripts: Sequence[str], wanted: Wanted) -> None:
    """Refuse beside an experiment what goes with scripts. Raises BadInputError."""
    if scripts:
        raise BadInputError(
            f"{scripts[0]}: one experiment is run at a time; only scripts of packetdrill ({SUFFIX}) may be several"
        )
    if (option := wanted.given()) is not None:
        instead = "; an experiment takes --variants" if option == "--variant" else ""
        raise BadInputError(f"{option} goes with scripts of packetdrill ({SUFFIX}){instead}")


def run(scripts: Sequence[str], wanted: Wanted, options: RunOptions, others: Sequence[str]) -> ExitCode:
    """Run scripts and print TAP as it comes; `others` are options given that only an experiment takes.

    Raises BadInputError, and EngineError if a script fails.
    """
    for name in scripts:
        if not is_script(name):
            raise BadInputError(f"{name}: is not a script of packetdrill ({SUFFIX}), as the others are")
    unfit = [*others, *(option.flag for name, option, _ in options.given() if name != "testbed")]
    if unfit:
        raise BadInputError(f"{unfit[0]} is of experiments; a script of packetdrill is run once, as it stands")
    arguments = ["packetdrill", *scripts]
    match options.testbed:
        case testbed if testbed == SIMULATED:
            if wanted.program is not None or wanted.kernel is not None:
                raise BadInputError("--packetdrill and --kernel go with --testbed kernel; a simulation needs neither")
            if wanted.variant is not None:
                arguments += ["--variant", wanted.variant]
        case testbed if testbed == KERNEL:
            if wanted.program is None:
                raise BadInputError("--testbed kernel needs packetdrill itself: give its path with --packetdrill PATH")
            if wanted.variant is not None:
                raise BadInputError("--variant is a TCP of ours; on --testbed kernel the kernel's is tested (--kernel)")
            arguments += ["--program", str(wanted.program), "--kernels", str(locate.kernels())]
            if wanted.kernel is not None:
                arguments += ["--kernel", wanted.kernel]
        case testbed:
            raise BadInputError(f"--testbed {testbed}: scripts of packetdrill run on sim and on kernel")
    return engine.tell(arguments, lambda line: click.echo(line.decode("utf-8", "replace")))
