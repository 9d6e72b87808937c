"""An experiment as it was named, and what was set in it: planned, and run, by the engine."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from windlull import locate
from windlull.progress import Quiet, meter
from windlull.run import Outcome, Request, run
from windlull.runner import plans
from windlull.runner.bundle import unpacked
from windlull.runner.options import RunOptions
from windlull.runner.problems import InvalidFilesError
from windlull.sweep.grid import Axis, Grid, Setting
from windlull.sweep.judge import Judge
from windlull.sweep.plan import editor_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from windlull.runner.bundle import Bundle
    from windlull.runner.plans import Planned

LIVE = "netns"
"""A live testbed whose plans need nothing but the files."""

NOT_OF_A_CHANGED_ONE = ("claim", "published")
"""What an experiment says of its paper's numbers, which are not those of other values."""


@dataclass(frozen=True)
class Source:
    """The name of an experiment or the path of its file, and what is set in it: keys and values as a sweep has them."""

    name: str
    settings: tuple[Setting, ...] = ()

    @property
    def grid(self) -> Grid:
        """What is set, as a grid with one point. Raises BadInputError if a key is set twice."""
        return Grid(tuple(Axis(setting.key, (setting.value,)) for setting in self.settings))

    def plan(self, options: RunOptions) -> Planned:
        """Return what a run with these options would be, without its runs one by one. Raises BadInputError."""
        with self._placed() as (name, profiles):
            return plans.plan(name, options, profiles=[profiles or locate.profiles()], brief=True)

    def attempt(
        self, out: Path, options: RunOptions, *, json: Path | None = None, report: bool = True, quiet: bool = False
    ) -> Outcome:
        """Run it, and return what came of it also if that is an error.

        Raises BadInputError before anything runs if the output cannot go where it is to, or a value cannot be set.
        """
        options.refuse_misfit()
        with self._placed() as (name, profiles):
            request = Request(name, out, json, options, profiles, report)
            if quiet:
                return run(request, Quiet())
            with meter() as progress:
                return run(request, progress)

    @contextmanager
    def _placed(self) -> Iterator[tuple[str, Path | None]]:
        """Yield the experiment as the engine finds it, and where its files lie if they are no longer as they were."""
        if not self.settings:
            yield self.name, None
            return
        with unpacked(self.bundle) as root:
            yield self.bundle.experiment, root

    @cached_property
    def bundle(self) -> Bundle:
        """The experiment's files with the values set. Raises BadInputError that names the value that cannot be."""
        grid, (options, base) = self.grid, self._base
        editor = editor_of(base, grid.axes, [locate.profiles()], leave_out=NOT_OF_A_CHANGED_ONE)
        Judge(grid, editor, options).refuse_wrong(0)
        return editor.bundle(self.settings)[0]

    @property
    def planned_as(self) -> RunOptions:
        """The options with which it can be planned: simulated, or live if it has commands, which nothing simulates.

        Raises InvalidFilesError with what is wrong with its files.
        """
        return self._base[0]

    @cached_property
    def _base(self) -> tuple[RunOptions, Planned]:
        """Those options, and what the experiment is by them, without what is set in it."""
        profiles = [locate.profiles()]
        simulated, live = RunOptions(), RunOptions(testbed=LIVE)
        try:
            return simulated, plans.plan(self.name, simulated, profiles=profiles, brief=True)
        except InvalidFilesError as error:
            with suppress(InvalidFilesError):
                return live, plans.plan(self.name, live, profiles=profiles, brief=True)
            raise error from None
