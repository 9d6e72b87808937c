"""An experiment as a program has it: what it is, with other values, run, compared, gated, swept."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace as replaced

from windlull.errors import BadInputError, ExitCode, FailureError
from windlull.experiments import own_files
from windlull.experiments.batch import Batch, named
from windlull.experiments.guard import refuse_without_guard
from windlull.experiments.judging import Comparing, Gating, compared, gated, rules_of
from windlull.experiments.place import Place
from windlull.experiments.sides import Known, Runner, of_two, refuse_what_differs, split
from windlull.experiments.source import Source
from windlull.experiments.swept import axes_of, swept
from windlull.reports.finished import read as read_results
from windlull.runner.options import OPTIONS, Given, RunOptions
from windlull.runner.problems import InvalidFilesError
from windlull.runner.setting import conditions
from windlull.sweep import values
from windlull.sweep.directory import Target
from windlull.sweep.grid import Grid, Setting
from windlull.sweep.plan import Request

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Unpack

    from windlull.experiments.judging import GateVerdict, Verdicts
    from windlull.experiments.sides import Contests
    from windlull.experiments.swept import Swept
    from windlull.runner.messages import Experiment as Resolved
    from windlull.runner.options import GivenToRun
    from windlull.runner.plans import Planned


class RunAndCompare(Given, Comparing, total=False):
    """The options of runs, and of what is compared of them."""


class RunAndGate(Given, Gating, total=False):
    """The options of runs, and of the gate that they go through."""


@dataclass(frozen=True)
class Experiment:
    """An experiment by its name or the path of its file. It never changes: `set` returns another one."""

    source: Source

    @property
    def name(self) -> str:
        """Its name, or that of its file."""
        return self.source.name

    @property
    def resolved(self) -> Resolved:
        """What it resolves to: links, variants, workload, repetitions, seed, claims. The engine is asked each time."""
        return self.source.plan(self.source.planned_as).read()

    @property
    def variants(self) -> tuple[str, ...]:
        """Its variants, by name."""
        return tuple(variant.name for variant in self.resolved.variants)

    @property
    def links(self) -> tuple[str, ...]:
        """Its links, by name."""
        return tuple(link.name for link in self.resolved.links)

    def set(self, key: str, value: Any) -> Experiment:  # noqa: ANN401 - whatever TOML has
        """Return the same experiment with another value of a key, in the place of one set before.

        Keys are those of a sweep: `link`, `variant`, `workload` choose another one by name; `link.both.rate` and
        `workload.size` are keys of their files; any other, as `tcp.initial_window`, is one of the experiment's own. The
        value is what a file would have: text with its unit, a number, True, a list, a dict. A changed experiment has
        neither the claims nor the published numbers of its paper. Raises BadInputError if there is no such key or the
        value cannot be.
        """
        others = tuple(setting for setting in self.source.settings if setting.key != key)
        changed = replace(self.source, settings=(*others, Setting(key, values.of_toml(value))))
        # Now, and not when it is run: what is wrong is told where it was written.
        _ = changed.bundle
        return Experiment(changed)

    def run(self, *, out: str | Path | None = None, progress: bool = False, **options: Unpack[GivenToRun]) -> Batch:
        """Run it, and return the finished results.

        They go to the directory `out`, with a report; what `windlull run` left there is replaced. Without it they go to
        a temporary one that is removed with the last object that reads it, without report and, unless `captures` is
        given, without captures. The options are those of `windlull run`; `progress` says on standard error how far it
        is.

        Raises BadInputError before anything runs; FailureError or EngineError if something fails, and KeyboardInterrupt
        after an interrupt: then `read(out)` returns what was finished before.
        """
        place = Place(Path(out) if out is not None else None)
        chosen = _chosen(options, place)
        if chosen.variants:
            self._plan(chosen)
        return self._run(chosen, place, progress=progress)

    def _plan(self, chosen: RunOptions) -> Planned:
        """Return what runs with these options would be. Raises BadInputError, in the words of programs."""
        with _in_pythons_words():
            return self.source.plan(chosen)

    def _run(self, chosen: RunOptions, place: Place, *, progress: bool) -> Batch:
        outcome = self.source.attempt(place.path, chosen, report=place.named, quiet=not progress)
        if outcome.exit_code == ExitCode.INTERRUPTED:
            raise KeyboardInterrupt
        if outcome.error is not None:
            raise outcome.error
        if outcome.exit_code != ExitCode.OK:
            raise FailureError(f"{self.name}: the engine ended with code {outcome.exit_code}")
        return Batch(read_results(place.path), place)

    def compare(
        self,
        *variants: str,
        than: str | Path | Batch | None = None,
        out: str | Path | None = None,
        progress: bool = False,
        **options: Unpack[RunAndCompare],
    ) -> Verdicts:
        """Run it, and compare its variants, or these, of which others than its own are run alone.

        The first is the baseline. With `than`, finished results as `compare` takes them, it is run with their seed and
        as often as they were, and each variant is compared with theirs. Files go as with `run`. The options are those
        of `run` and of `Batch.compare`. Raises as `run` does.
        """
        runs, how = _apart(options)
        found = compared(self._contests(variants, than, out, runs, progress=progress), **how)
        found.contest.ended()
        return found

    def gate(
        self,
        fail_if: str | Iterable[str],
        *variants: str,
        than: str | Path | Batch | None = None,
        until_decided: int | None = None,
        out: str | Path | None = None,
        progress: bool = False,
        **options: Unpack[RunAndGate],
    ) -> GateVerdict:
        """Run it, and hold its variants, or these, against rules as `elapsed.median > 1.05 * baseline`.

        Baseline, files and `than` are as with `compare`. Without `than`, `until_decided` doubles the repetitions until
        the gate is decided, or there are so many. The options are those of `run` and of `Batch.gate`. Raises as `run`
        does.
        """
        rules, (runs, how) = rules_of(fail_if), _apart(options)
        contests = self._contests(variants, than, out, runs, progress=progress)
        found = gated(contests, rules, most=until_decided, **how)
        found.contest.ended()
        return found

    def sweep(
        self,
        grid: Mapping[str, object],
        *,
        out: str | Path | None = None,
        repetitions: int | None = None,
        seed: int | None = None,
        jobs: int | None = None,
        progress: bool = False,
    ) -> Swept:
        """Run it, simulated, at every point of a grid, and return the results.

        The grid has for each key its values, a list or a text as `windlull sweep --grid` takes it: `1..10`,
        `28.8 kbit/s, 64 kbit/s`. What was set is set at every point. Parts and results go to the directory `out`, where
        an unfinished sweep is continued; without it to a temporary one. Workers are processes of this machine, one a
        core unless `jobs` says otherwise: a script that starts them does so under `if __name__ == "__main__":`.

        Raises BadInputError before anything runs, FailureError if something fails, KeyboardInterrupt after an
        interrupt.
        """
        options: Given = {"repetitions": repetitions, "seed": seed, "jobs": jobs}
        RunOptions.of(options)
        refuse_without_guard()
        axes = (*self.source.grid.axes, *axes_of(grid))
        place = Place(Path(out) if out is not None else None)
        request = Request(self.source.name, Grid(axes), repetitions, seed)
        return swept(request, Target(place.path, jobs=jobs), place, quiet=not progress)

    def _contests(
        self,
        variants: tuple[str, ...],
        than: str | Path | Batch | None,
        out: str | Path | None,
        options: Given,
        *,
        progress: bool,
    ) -> Contests:
        if "variants" in options:
            raise BadInputError("variants: name them one by one, the baseline first: compare('sack', 'frto+sack')")
        if than is not None:
            return self._against(named(than), variants, out, options, progress=progress)
        if len(variants) == 1:
            raise BadInputError(f"{variants[0]}: a comparison needs two variants, the baseline first")
        place = Place(Path(out) if out is not None else None)
        with _in_pythons_words():
            return Runner.of(self.source, variants, _chosen(options, place), place, quiet=not progress)

    def _against(
        self, baseline: str, variants: tuple[str, ...], out: str | Path | None, options: Given, *, progress: bool
    ) -> Contests:
        """Run it as finished results were run, and set the one against the other."""
        file, _ = split(baseline)
        if not file.exists():
            raise BadInputError(f"{file}: there are no such results; windlull run {self.name} --json {file} makes them")
        old = read_results(file)
        as_they: Given = {"seed": old.seed, "repetitions": old.repetitions}
        as_they.update(options)
        place = Place(Path(out) if out is not None else None)
        chosen = _chosen({**as_they, "variants": variants}, place)
        refuse_what_differs(old, conditions(self._plan(chosen).experiment), self.name)
        batch = self._run(chosen, place, progress=progress)
        called = str(out) if out is not None else self.name
        return Known(of_two(baseline, str(batch.directory), called=called))

    def __repr__(self) -> str:
        changes = "".join(f", {setting}" for setting in self.source.settings)
        return f"<Experiment {self.name}{changes}>"


def load(experiment: str | Path) -> Experiment:
    """Return an experiment by its name (of `windlull list experiments`) or the path of its .toml file.

    Raises BadInputError if there is none, or with everything that is wrong with its files.
    """
    name = str(experiment)
    own_files.refuse_others(name)
    found = Experiment(Source(name))
    _ = found.resolved
    return found


def _apart(options: Mapping[str, Any]) -> tuple[Given, Any]:
    """Return the options of runs, and the others."""
    runs: Any = {name: value for name, value in options.items() if name in OPTIONS}
    return runs, {name: value for name, value in options.items() if name not in OPTIONS}


def _chosen(options: Mapping[str, object], place: Place) -> RunOptions:
    """Return the options of runs that go to a place: in one that will be removed nobody looks for captures."""
    chosen = RunOptions.of(options)
    if (misfit := chosen.misfit()) is not None:
        option, name, value = misfit
        raise BadInputError(
            f"{name}={value!r}: a simulated run has no {option.misfit}; it goes with testbed netns, kernel or compose"
        )
    return chosen if place.named or "captures" in options else replace(chosen, captures=False)


@contextmanager
def _in_pythons_words() -> Iterator[None]:
    """Name the variants that are wrong as a program gave them, and not as the engine's command line did."""
    try:
        yield
    except InvalidFilesError as error:
        told = [replaced(one, key=one.key and one.key.removeprefix("--")) for one in error.problems]
        raise InvalidFilesError(told) from None
