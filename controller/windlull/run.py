"""`windlull run`: one experiment, from its name to its results and its report."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from windlull import locate
from windlull.errors import BadInputError, ExitCode, FailureError, WindlullError
from windlull.reports import files, html, needs, results
from windlull.runner import directory as directories
from windlull.runner import engine
from windlull.runner.limits import limits
from windlull.runner.messages import Conversation
from windlull.runner.options import RunOptions
from windlull.runner.setting import setting
from windlull.stats.claims import judge
from windlull.stats.differences import differences
from windlull.stats.summary import cells, copied

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from windlull.progress import Meter
    from windlull.reports.frame import Report
    from windlull.runner.messages import Experiment, Failed, Plan, Run
    from windlull.stats.claims import Judgement
    from windlull.stats.differences import Difference
    from windlull.stats.summary import Cell


@dataclass(frozen=True, slots=True)
class Request:
    """What the person asked for.

    `profiles` is where the experiment and its files lie, the shipped ones if None. `report` says whether there shall be
    the report's page: who reads results by a program has no use for it.
    """

    experiment: str
    out: Path
    json: Path | None = None
    options: RunOptions = field(default_factory=RunOptions)
    profiles: Path | None = None
    report: bool = True


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of it.

    `experiment` is None if the engine ended before its plan; `report` is the report's path, if it could be written, and
    `content` what its page shows. `runs` are the finished ones, `failed` those that came to nothing. `error` is what
    went wrong, if something did; the rest then describes the runs that were finished before. `copied` are the links of
    which all repetitions are copies of one run.
    """

    exit_code: ExitCode
    experiment: Experiment | None = None
    planned: int = 0
    runs: tuple[Run, ...] = ()
    failed: tuple[Failed, ...] = ()
    cells: tuple[Cell, ...] = ()
    differences: tuple[Difference, ...] = ()
    judgements: tuple[Judgement, ...] = ()
    content: Report | None = None
    report: Path | None = None
    error: WindlullError | None = None
    copied: tuple[str, ...] = ()


def run(request: Request, meter: Meter) -> Outcome:
    """Run the experiment, and write what can be written of its finished runs, also if it was interrupted or failed.

    Raises BadInputError before anything is started if the output cannot go where it was asked to.
    """
    if request.json is not None:
        _check_json(request.json)
    out = directories.OutputDirectory(request.out)
    conversation = Conversation()

    def on_plan(plan: Plan) -> None:
        assert conversation.experiment is not None  # noqa: S101 - it has just been heard
        files.make_out(request.out)
        out.discard_old()
        files.write(request.out / directories.EXPERIMENT, results.experiment_json(plan))
        estimate = plan.estimate and plan.estimate.within(limits(None))
        said = needs.before_the_start(estimate, captures=request.options.captures)
        meter.start(conversation.experiment.name, plan.runs, live=plan.live, needs=said)

    def on_run(run: Run | Failed) -> None:
        meter.advance(run)

    error: WindlullError | None = None
    with out.replacing():
        try:
            exit_code = engine.run(
                [
                    "run",
                    request.experiment,
                    "--out",
                    str(request.out),
                    "--stacks",
                    str(locate.stacks()),
                    *request.options.arguments(),
                ],
                on_plan=on_plan,
                on_run=on_run,
                on_progress=meter.move,
                conversation=conversation,
                profiles=request.profiles,
            )
        except WindlullError as raised:
            error, exit_code = raised, raised.exit_code
    if conversation.plan is None or conversation.experiment is None:
        return Outcome(exit_code, error=error)
    return _write_up(request, conversation, conversation.plan, conversation.experiment, exit_code, error)


def _write_up(
    request: Request,
    conversation: Conversation,
    plan: Plan,
    experiment: Experiment,
    exit_code: ExitCode,
    error: WindlullError | None,
) -> Outcome:
    """Write results and report of the finished runs.

    An error that stopped the runs goes before one that comes up here, which is likely its consequence.
    """
    runs, failed = tuple(conversation.finished()), tuple(conversation.failed.values())
    summed = tuple(cells(experiment, runs))
    apart = tuple(differences(summed))
    judgements = tuple(judge(experiment, summed))
    document = results.results_json(plan, experiment, summed, runs)
    report = request.out / directories.REPORT

    content: Report | None = None

    def write_report() -> None:
        nonlocal content
        embedded, note = html.choose_embedded(runs, request.out)
        content = html.report_of(plan, summed, apart, judgements, runs, request.out, note, failed=failed)
        html.write_report(report, locate.report_page(), content, map(html.Embedded.of, embedded))

    # Each for itself: a missing page or a full disk under --json shall not cost the other files.
    targets = [request.out / directories.RESULTS, *([request.json] if request.json else [])]
    failures = [_failure_of(partial(files.write, target, document)) for target in targets]
    if request.report:
        failures.append(_failure_of(write_report))
    first = next((failure for failure in (error, *failures, _none_counts(runs)) if failure), None)
    if exit_code == ExitCode.OK and first:
        exit_code = first.exit_code
    written = report if request.report and failures[-1] is None else None
    return Outcome(
        exit_code, experiment, plan.runs, runs, failed, summed, apart, judgements, content, written, first,
        tuple(copied(summed, setting(plan.experiment))),
    )  # fmt: skip


def _none_counts(runs: Sequence[Run]) -> FailureError | None:
    """Return what is wrong if live runs were made and not one of them was as planned: whoever gates must not pass."""
    live = [run for run in runs if run.certificate is not None]
    if not live or any(run.invalid is None for run in live):
        return None
    return FailureError(f"of {len(live)} live {'run' if len(live) == 1 else 'runs'} none is valid by its certificate")


def _failure_of(write: Callable[[], None]) -> FailureError | None:
    try:
        write()
    except FailureError as failure:
        return failure
    return None


def _check_json(path: Path) -> None:
    """Find out before the runs, not after them, that there is no place for `--json`."""
    if path.is_dir():
        raise BadInputError(f"--json {path}: is a directory")
    if not path.absolute().parent.is_dir():
        raise BadInputError(f"--json {path}: there is no directory {path.parent}")
