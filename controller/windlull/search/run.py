"""`windlull search`, from the request to what was found.

OUT/
  search-plan.json   what the search is of: another one is refused here
  trials.jsonl       every candidate that was run, a line each, as it ended
  found/1/ ...       what was found, by kind
  search.json        the result
  tried.svg          a picture of what was tried
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from windlull import locate, signals
from windlull.errors import ExitCode, FailureError
from windlull.reports import files
from windlull.reports.indented import readable
from windlull.reports.terminal import console
from windlull.runner.cluster import connect
from windlull.runner.dispatch import Dispatch
from windlull.runner.messages import SIMULATED
from windlull.search import found, picture, results, terminal
from windlull.search.best import Best
from windlull.search.evaluate import Evaluator
from windlull.search.explore import base_trial, explore, made
from windlull.search.extend import extension, first_budget
from windlull.search.findings import GUARDS, findings
from windlull.search.journal import Journal
from windlull.search.layout import PICTURE, PLAN, RESULT, TRIALS
from windlull.search.outcome import TIME
from windlull.search.plan import Request, Search, prepare
from windlull.search.progress import meter
from windlull.search.results import Result
from windlull.search.steady import BATCH
from windlull.sweep.directory import claimed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from windlull.search.candidate import Candidate
    from windlull.search.explore import Evaluate
    from windlull.search.journal import Trial
    from windlull.search.outcome import Outcome
    from windlull.search.progress import Meter
    from windlull.sweep.directory import Target

_BEYOND_BASE = 1.2
"""Events begin until the base link's run would have ended, and somewhat later: events make runs longer."""


class InterruptedSearchError(FailureError):
    """The person has ended the search."""

    exit_code = ExitCode.INTERRUPTED


def run(
    request: Request, target: Target, *, profiles: Sequence[Path] | None = None, own: bool = True, best: bool = False
) -> ExitCode:  # fmt: skip
    """Search, shrink, confirm, write and print.

    The experiment is looked for in `profiles`, by default the shipped ones; `own` as in Search. With `best`, the worst
    link so far is run once more each time, for its diagram, while the search goes on. Raises BadInputError before
    anything is written or started. After an interrupt the trials stay, and the same request goes on with them.
    """
    search = prepare(request, [locate.profiles()] if profiles is None else profiles, own=own)
    plan = search.manifest()
    with (
        claimed(target.out, PLAN, plan, "search", extension(target.out, plan)) as begun,
        Journal(target.out / TRIALS) as journal,
        signals.noted() as interrupted,
        connect(target.cluster, target.jobs, testbeds=(SIMULATED, search.testbed)) as client,
        meter(search.experiment, request.budget) as progress,
    ):
        dispatch = Dispatch(client)

        def evaluator(seed: int, repetitions: int) -> Evaluate:
            return Evaluator(dispatch, search.runs(seed, repetitions), _say, interrupted)

        try:
            kept = Best(search, target.out) if best else None
            result = searched(search, first_budget(begun), evaluator, journal, progress, target.out, kept)
        except InterruptedSearchError as error:
            _say(f"interrupted; {len(journal):,} trials are in {target.out}; the same command goes on")
            return error.exit_code
    document = readable(results.document(search, result), depth=3)
    for path in (target.out / RESULT, *([target.json] if target.json else [])):
        files.write(path, document)
    title = f"{search.experiment}: {len(result.explored.trials) - 1:,} links tried, worst for {search.aim.variant}"
    numbers = [one.finding.number for one in result.found]
    files.write(target.out / PICTURE, picture.draw(title, search.aim, result.explored.trials, numbers).encode())
    out = console()
    terminal.print_result(out, search, result, target.out)
    out.print()
    out.print(f"results: {target.out / RESULT}", soft_wrap=True)
    out.print(f"what was tried: {target.out / PICTURE}", soft_wrap=True)
    return ExitCode.OK


def searched(
    search: Search,
    began_with: int,
    evaluator: Callable[[int, int], Evaluate],
    journal: Journal,
    progress: Meter,
    out: Path,
    best: Best | None = None,
) -> Result:
    """Make what is missing of the search, whose budget was `began_with` at first. Raises InterruptedSearchError."""
    request = search.request
    evaluate = evaluator(search.seed, search.repetitions)
    base = base_trial(journal, evaluate)
    if base is None:
        raise InterruptedSearchError("interrupted")
    if base.outcome.problem is not None:
        raise FailureError(f"the base link's runs came to nothing: {base.outcome.problem}")
    lasts_s = base.outcome.median(search.aim.variant, TIME) or search.time_limit_s
    space = search.space.within(int(lasts_s * _BEYOND_BASE * 1e6))

    def advance(batch: Sequence[Trial]) -> None:
        progress.tried(len(batch), [search.aim.badness(trial.outcome) for trial in batch], search.aim)
        if best is not None:
            best.heard(batch)

    explored = explore(
        space, search.aim, base, evaluate, journal, seed=search.seed, budget=request.budget,
        first_budget=began_with, advance=advance, at_random=request.at_random,
    )  # fmt: skip
    if not explored.whole:
        raise InterruptedSearchError("interrupted")
    tries = JournaledTries(journal, evaluator, search, len(explored.trials))
    written: list[results.Reported] = []
    for finding in findings(
        explored, search.aim, request.rule, tries, seed=search.seed, kinds=request.kinds,
        shrink_most=request.shrink_most, step=progress.step,
    ):  # fmt: skip
        place = len(written) + 1
        sentence = results.sentence(search, base, finding)
        files_of = found.write(search, finding, place, out, f"Worst for {search.aim.variant}: {finding.kind}")
        written.append(results.Reported(finding, sentence, files_of))
        progress.found(place, sentence)
    return Result(explored, tuple(written))


class JournaledTries:
    """Runs candidates under the numbers that follow the search's, in the order in which they are asked for.

    That order follows from what came of those before, so that a search that goes on finds them in its journal.
    """

    def __init__(
        self,
        journal: Journal,
        evaluator: Callable[[int, int], Evaluate],
        search: Search,
        following: int,
    ) -> None:
        """`following` is the first number."""
        self._journal = journal
        self._evaluator = evaluator
        self._search = search
        self._following = following

    @property
    def random(self) -> bool:
        """Whether other seeds are other runs."""
        return self._search.random

    def search_seeds(self, candidates: Sequence[Candidate]) -> list[Outcome]:
        """Run them on the seeds of the search."""
        return self._made(candidates, self._search.seed, self._search.repetitions)

    def guard_seeds(self, candidates: Sequence[Candidate], seed: int) -> list[Outcome]:
        """Run them on the seeds of another master seed, none of which confirms what is found."""
        return self._made(candidates, seed, GUARDS)

    def steady_seeds(self, candidate: Candidate, seed: int) -> Outcome:
        """Run one on a batch of seeds of another master seed, which have no other part."""
        (outcome,) = self._made([candidate], seed, BATCH)
        return outcome

    def fresh_seeds(self, candidate: Candidate, seed: int) -> Outcome:
        """Run one on the seeds of another master seed."""
        (outcome,) = self._made([candidate], seed, self._search.confirm)
        return outcome

    def _made(self, candidates: Sequence[Candidate], seed: int, repetitions: int) -> list[Outcome]:
        asked = dict(enumerate(candidates, self._following))
        self._following += len(candidates)
        trials = made(self._journal, self._evaluator(seed, repetitions), asked)
        if trials is None:
            raise InterruptedSearchError("interrupted")
        return [trials[number].outcome for number in asked]


def _say(sentence: str) -> None:
    console(to_stderr=True).print(sentence, soft_wrap=True)
