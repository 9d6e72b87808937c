"""A search that a service was asked for: what was asked for, as it lies on the disk, and the search itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from windlull.errors import BadInputError, FailureError
from windlull.runner.bundle import Bundle, unpacked
from windlull.search.layout import BUNDLE, OUT, REQUEST, SPACE
from windlull.search.options import CONFIRM, KINDS, SHRINK
from windlull.signals import as_interrupt
from windlull.stats import rules

if TYPE_CHECKING:
    from pathlib import Path

    from windlull.errors import ExitCode


class Asked(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What was asked for, as `search.plan.Request` has it; the seed as text, since numbers lose their low bits."""

    metric: str
    budget: int
    variant: str | None = None
    baseline: str | None = None
    by: Literal["difference", "ratio"] | None = None
    worse: Literal["high", "low"] | None = None
    link: str | None = None
    fail_if: str | None = None
    repetitions: int | None = None
    seed: str | None = None
    kinds: int = KINDS.usual
    confirm: int = CONFIRM.usual
    shrink: int = SHRINK.usual


def lay_out(directory: Path, asked: Asked, bundle: Bundle, space: str | None) -> None:
    """Write what is searched into its directory. Raises FailureError."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        (directory / REQUEST).write_bytes(msgspec.json.encode(asked))
        (directory / BUNDLE).write_bytes(bundle.json())
        if space is not None:
            (directory / SPACE).write_bytes(space.encode())
    except OSError as error:
        raise FailureError(f"cannot write {directory}: {error.strerror}") from error


def read(directory: Path) -> tuple[Asked, Bundle]:
    """Return what `lay_out` wrote. Raises FailureError, and BadInputError if it is nothing of the kind."""
    try:
        asked = msgspec.json.decode((directory / REQUEST).read_bytes(), type=Asked)
        return asked, Bundle.read((directory / BUNDLE).read_bytes())
    except OSError as error:
        raise FailureError(f"cannot read {directory}: {error.strerror}") from error
    except msgspec.DecodeError as error:
        raise BadInputError(f"{directory / REQUEST}: cannot be read: {error}") from error


def run(directory: Path, *, jobs: int | None, cluster: str | None) -> ExitCode:
    """Search what lies in a directory, or go on with it. Raises what `search.run.run` raises, and KeyboardInterrupt.

    The experiment is a stranger's: the engine reads nothing outside its bundle, and starts no programs.
    """
    # The optimiser takes a while to load, and who only lays a search out needs none.
    from windlull.search.plan import Request  # noqa: PLC0415
    from windlull.search.run import run as search  # noqa: PLC0415
    from windlull.sweep.directory import Target  # noqa: PLC0415

    asked, bundle = read(directory)
    space = directory / SPACE
    try:
        rule = None if asked.fail_if is None else rules.parse(asked.fail_if)
    except rules.RuleError as error:
        raise BadInputError(f"--fail-if: {error}") from error
    request = Request(
        experiment=bundle.experiment,
        metric=asked.metric,
        budget=asked.budget,
        variant=asked.variant,
        baseline=asked.baseline,
        by=asked.by,
        worse=asked.worse,
        link=asked.link,
        space=space if space.exists() else None,
        repetitions=asked.repetitions,
        seed=None if asked.seed is None else int(asked.seed),
        rule=rule,
        kinds=asked.kinds,
        confirm=asked.confirm,
        shrink_most=asked.shrink,
    )
    target = Target(directory / OUT, jobs=jobs, cluster=cluster)
    with as_interrupt(), unpacked(bundle) as profiles:
        return search(request, target, profiles=[profiles], own=False, best=True)
