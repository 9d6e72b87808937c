"""What `compare` and `gate` set against each other: an experiment that is run for it, or finished results."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from windlull import locate
from windlull.errors import BadInputError, ExitCode
from windlull.experiments.place import Place
from windlull.experiments.source import Source
from windlull.reports.finished import Finished, read
from windlull.reports.verdicts import About
from windlull.runner import directory
from windlull.runner.messages import SIMULATED
from windlull.runner.options import from_here
from windlull.runner.setting import Conditions, Setting, differing, setting
from windlull.stats.matches import UNKNOWN, Match, Side, matches, on_copies

if TYPE_CHECKING:
    from collections.abc import Sequence

    from windlull.errors import WindlullError
    from windlull.reports.finished import Cell
    from windlull.runner.options import RunOptions


def _refuse(options: RunOptions, out: Path | None) -> None:
    """Raise BadInputError if something is asked of the runs, as nothing is run."""
    asked = [(option.flag, value) for _, option, value in options.given() if option.of != "no"]
    for flag, value in [*asked, *([("--out", out)] if out is not None else [])]:
        raise BadInputError(f"{flag} {value}: these results are finished; nothing is run")


@dataclass(frozen=True, slots=True)
class Contest:
    """Who meets whom. `whole`: no run is missing. `error` is what stopped the runs, if something did."""

    about: About
    matches: tuple[Match, ...]
    whole: bool = True
    error: WindlullError | None = None
    exit_code: ExitCode = ExitCode.OK

    def noted(self, note: str) -> Contest:
        """Return the same with one more note."""
        return replace(self, about=replace(self.about, notes=(*self.about.notes, note)))

    def ended(self) -> ExitCode:
        """Return the exit code, or raise what stopped the runs, now that the verdicts on the others are out."""
        if self.error:
            raise self.error
        return self.exit_code


class Contests(Protocol):
    """Where contests come from."""

    @property
    def repetitions(self) -> int | None:
        """How many a contest has unless told; None if nothing is run."""

    @property
    def live(self) -> bool:
        """Whether its runs take real time, and are others each time."""

    def contest(self, reps: int | None = None) -> Contest:
        """Return the contest, with so many repetitions if it is said."""


def find(
    source: str | None,
    *,
    variants: str | None,
    baseline: str | None,
    candidate: str | None,
    options: RunOptions,
    out: Path | None,
) -> Contests:
    """Return what the options say. Raises BadInputError if they do not fit."""
    names = _listed(variants)
    if source is None:
        if baseline is None or candidate is None:
            raise BadInputError("give an experiment or results, or both --baseline and --candidate")
        if variants is not None:
            raise BadInputError(f"--variants {variants}: needs one SOURCE; of two results, write RESULTS:VARIANT")
        _refuse(options, out)
        return Known(of_two(baseline, candidate))
    for name, value in (("baseline", baseline), ("candidate", candidate)):
        if value is not None:
            raise BadInputError(
                f"--{name} {value}: cannot go with SOURCE; for one SOURCE, write --variants BASELINE,CANDIDATE"
            )
    if Path(source).suffix == ".json" or Path(source).is_dir():
        _refuse(options, out)
        return Known(of_results(Path(source), names))
    place = out or directory.default_directory(source, locate.profiles(), Path())
    return Runner.of(Source(source), names, options, Place(place))


def _listed(text: str | None) -> list[str]:
    names = [name.strip() for name in text.split(",")] if text is not None else []
    if any(not name for name in names):
        raise BadInputError(f"--variants {text}: a name is missing beside a comma")
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice:
        raise BadInputError(f"--variants {text}: {twice} is given twice")
    if len(names) == 1:
        raise BadInputError(f"--variants {text}: a comparison needs two, such as {text},frto+sack")
    return names


@dataclass(frozen=True, slots=True)
class Known:
    """A contest of finished results."""

    of: Contest
    repetitions: None = None
    live: bool = False

    def contest(self, reps: int | None = None) -> Contest:
        """Return it."""
        assert reps is None  # noqa: S101 - nobody asks results for more
        return self.of


@dataclass(frozen=True, slots=True)
class Runner:
    """An experiment whose variants, the first of them the baseline, can be run as often as it takes.

    `quiet`: nothing is said of how far a run is.
    """

    experiment: Source
    variants: tuple[str, ...]
    repetitions: int
    options: RunOptions
    place: Place
    setting: Setting
    quiet: bool

    @property
    def live(self) -> bool:
        """Whether its runs take real time, and are others each time."""
        return self.options.testbed != SIMULATED

    @classmethod
    def of(
        cls,
        experiment: Source,
        variants: Sequence[str],
        options: RunOptions,
        place: Place,
        *,
        quiet: bool = False,
    ) -> Runner:
        """Ask the engine what the experiment is. Raises BadInputError if it lacks a variant."""
        plan = experiment.plan(options)
        there = [variant.name for variant in plan.read().variants]
        if not set(variants) <= set(there):
            # Others than its own: then it is run with these alone, and they may have been given as files.
            options = replace(options, variants=tuple(map(from_here, variants)))
            plan = experiment.plan(options)
            variants = [variant.name for variant in plan.read().variants]
        chosen = tuple(variants or there)
        if len(chosen) < 2:
            raise BadInputError(f"{experiment.name} has one variant, {chosen[0]}; a comparison needs two")
        return cls(experiment, chosen, plan.read().repetitions, options, place, setting(plan.experiment), quiet)

    def contest(self, reps: int | None = None) -> Contest:
        """Run it, with so many repetitions if it is said. Raises KeyboardInterrupt if it was interrupted."""
        options = replace(self.options, repetitions=reps or self.options.repetitions)
        outcome = self.experiment.attempt(self.place.path, options, report=self.place.named, quiet=self.quiet)
        if outcome.exit_code == ExitCode.INTERRUPTED:
            raise KeyboardInterrupt
        if outcome.experiment is None or not outcome.runs:
            raise outcome.error or BadInputError(f"{self.experiment.name}: no run was finished")
        found = matches(outcome.cells, self.variants, self.setting)
        if not found:
            why = f"; {outcome.failed[0].variant} failed: {outcome.failed[0].reason}" if outcome.failed else ""
            raise BadInputError(
                f"no link and testbed has finished runs of {self.variants[0]} and of another variant{why}"
            )
        notes = [f"the runs and their report are in {self.place.path}"] if self.place.named else []
        notes += on_copies(found)
        if len(outcome.runs) < outcome.planned:
            notes.append(f"only {len(outcome.runs)} of {outcome.planned} runs finished; only those are compared")
        notes += _invalid(sum(run.invalid is not None for run in outcome.runs))
        about = About(
            outcome.experiment.title or outcome.experiment.name,
            f"{self.variants[0]}",
            ", ".join(self.variants[1:]),
            tuple(notes),
        )
        return Contest(
            about, tuple(found), len(outcome.runs) == outcome.planned, outcome.error,
            outcome.exit_code,
        )  # fmt: skip


def of_results(source: Path, variants: Sequence[str]) -> Contest:
    """Set the variants of one run's results against each other; all of them, if none is named.

    Raises BadInputError if they lack one, or have but one.
    """
    results = read(source)
    there = list(dict.fromkeys(cell.variant for cell in results.cells))
    _require(variants, there, str(results.path))
    first, *others = variants or there
    if not others:
        raise BadInputError(f"{results.path} has one variant, {first}; a comparison needs two")
    about = _Notes(results, results)
    found = about.pairs([(first, other) for other in others])
    return about.contest(found, first, ", ".join(others), f"{results.experiment}, {results.engine}")


def of_two(baseline: str, candidate: str, *, called: str | None = None) -> Contest:
    """Set two runs' results against each other: variant by variant, or those named behind a colon.

    `called` is what the candidate is called, if its path is not to be told. Raises BadInputError if the two are not of
    the same links and workload.
    """
    old_file, old_variant = split(baseline)
    new_file, new_variant = split(candidate)
    old, new = read(old_file), read(new_file)
    there, here = (list(dict.fromkeys(cell.variant for cell in of.cells)) for of in (old, new))
    _require([old_variant] if old_variant else [], there, str(old.path))
    _require([new_variant] if new_variant else [], here, str(new.path))
    if old_variant or new_variant:
        pairs = [
            (old_variant or _only(new_variant, there, old.path), new_variant or _only(old_variant, here, new.path))
        ]
    else:
        pairs = [(name, name) for name in there if name in here]
        if not pairs:
            pairs = [(there[0], here[0])] if len(there) == len(here) == 1 else []
        if not pairs:
            raise BadInputError(
                f"no variant is in both: {old.path} has {', '.join(there)}, {new.path} {', '.join(here)}"
            )
    about = _Notes(old, new)
    refuse_what_differs(old, new.conditions, called or str(new.path))
    about.note_what_differs(pairs)
    found = about.pairs(pairs)
    return about.contest(
        found, f"{baseline} ({old.engine})", f"{called or candidate} ({new.engine})",
        old.experiment if old.experiment == new.experiment else f"{old.experiment} and {new.experiment}",
    )  # fmt: skip


def refuse_what_differs(old: Finished, new: Conditions | None, called: str) -> None:
    """Raise BadInputError if links or workload of results and of others, called so, are known not to be the same."""
    if old.conditions is None or new is None:
        return
    if (what := differing(old.conditions, new)) is not None:
        raise BadInputError(f"nothing to compare: {what} is not the same in {old.path} and {called}")


@dataclass
class _Notes:
    """Two results on their way to a contest, and what there is to say about it."""

    old: Finished
    new: Finished
    said: list[str] = field(default_factory=list)

    @property
    def same_seed(self) -> bool:
        return self.old.seed == self.new.seed

    def pairs(self, pairs: Sequence[tuple[str, str]]) -> list[Match]:
        """Return the matches of these variants on all links and testbeds that both have."""
        if not self.same_seed:
            self.said.append(
                f"seeds differ ({self.old.seed}, {self.new.seed}): runs are compared as they are, not in pairs"
            )
        found = []
        places: dict[tuple[str, str], None] = {(cell.link, cell.testbed): None for cell in self.old.cells}
        for link, testbed in places:
            for left, right in pairs:
                cells = (_cell(self.old, left, link, testbed), _cell(self.new, right, link, testbed))
                if cells[0] and cells[1]:
                    found.append(self._match(cells[0], cells[1], same_name=left == right))
        if not found:
            raise BadInputError(
                f"nothing to compare: {self.old.path} has {_places(self.old)}, {self.new.path} has {_places(self.new)}"
            )
        return found

    def contest(self, found: list[Match], baseline: str, candidate: str, title: str) -> Contest:
        for of in {id(self.old): self.old, id(self.new): self.new}.values():
            if of.incomplete:
                runs = f"{of.incomplete.finished} of {of.incomplete.planned} runs"
                self.said.append(f"{of.path} has {runs}; only those are compared")
            self.said += _invalid(sum(cell.invalid for cell in of.cells))
        about = About(title, baseline, candidate, tuple(dict.fromkeys([*self.said, *on_copies(found)])))
        return Contest(about, tuple(found), self.old.whole and self.new.whole)

    def note_what_differs(self, pairs: Sequence[tuple[str, str]]) -> None:
        """Note what differs and may be what is compared, and what cannot be known."""
        for of in (self.old, self.new):
            if of.conditions is None:
                self.said.append(
                    f"{of.path} does not say what its runs were given, and has no experiment.json beside it: links and "
                    "workload are compared by name alone"
                )
        if self.old.conditions is not None and self.new.conditions is not None:
            old, new = self.old.conditions.variants, self.new.conditions.variants
            for left, right in pairs:
                if left == right and old.get(left) != new.get(right):
                    self.said.append(f"the settings of {left} are not the same in both")
        if self.old.resolved is None or self.new.resolved is None:
            return
        if self.old.resolved.time_limit_s != self.new.resolved.time_limit_s:
            self.said.append("the time limit of a run is not the same in both")

    def _match(self, left: Cell, right: Cell, *, same_name: bool) -> Match:
        names = [left.variant, right.variant]
        if same_name:
            names = [f"baseline's {left.variant}", f"candidate's {right.variant}"]
        old, new = (
            Side(name, {metric: values.by_repetition() for metric, values in cell.metrics.items()})
            for name, cell in zip(names, (left, right), strict=True)
        )
        if self.same_seed:
            self._note_alone(old, new)
        return Match.of(left.link, left.testbed, old, new, paired=self.same_seed, setting=self._setting())

    def _setting(self) -> Setting:
        """Return what both sides' files say, as far as they are there."""
        if self.old.resolved is None or self.new.resolved is None:
            return UNKNOWN
        return setting(self.old.resolved.comparable()) & setting(self.new.resolved.comparable())

    def _note_alone(self, old: Side, new: Side) -> None:
        """Say which runs have no partner."""
        have = {side.name: {one for values in side.values.values() for one in values} for side in (old, new)}
        for name, other in ((old.name, new.name), (new.name, old.name)):
            if alone := len(have[name] - have[other]):
                runs = "1 run has" if alone == 1 else f"{alone} runs have"
                self.said.append(f"{name}: {runs} no partner of the same repetition, and are left out")


def _cell(of: Finished, variant: str, link: str, testbed: str) -> Cell | None:
    return next((c for c in of.cells if (c.variant, c.link, c.testbed) == (variant, link, testbed)), None)


def _places(of: Finished) -> str:
    return ", ".join(dict.fromkeys(f"{cell.link} on {cell.testbed}" for cell in of.cells)) or "no finished run"


def split(text: str) -> tuple[Path, str | None]:
    """Return path and variant of `PATH:VARIANT`; a file whose own name has a colon is taken as it is."""
    path, colon, variant = text.rpartition(":")
    if not colon or Path(text).exists():
        return Path(text), None
    if not path or not variant:
        raise BadInputError(f"{text}: a path, or a path and a variant, as out/old:sack")
    return Path(path), variant


def _only(wanted: str | None, there: list[str], path: Path) -> str:
    """Return which variant meets one that was named: the one of that name, or the only one."""
    if wanted in there:
        return str(wanted)
    if len(there) == 1:
        return there[0]
    raise BadInputError(f"{path} has no {wanted}; say which of {', '.join(there)} is meant, as {path}:{there[0]}")


def _require(wanted: Sequence[str], there: Sequence[str], where: str) -> None:
    for name in wanted:
        if name not in there:
            raise BadInputError(f"{where} has no variant {name}; it has {', '.join(there)}")


def _invalid(count: int) -> list[str]:
    runs = "1 run is" if count == 1 else f"{count} runs are"
    return [f"{runs} not valid by certificate and left out"] if count else []
