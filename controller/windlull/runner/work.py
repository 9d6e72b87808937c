"""What a worker does: runs of one experiment by its machine's engine, without any store. All of it can be pickled."""

from __future__ import annotations

import shutil
import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from windlull import locate
from windlull.errors import EngineError, ExitCode, FailureError
from windlull.runner.bundle import Bundle, unpack
from windlull.runner.limits import limits_of_a_worker
from windlull.runner.messages import SIMULATED, Conversation, Done, Failed, Plan, Progress, ProtocolError, Run
from windlull.runner.options import RunOptions
from windlull.runner.process import EngineProcess
from windlull.runner.workplace import workplace

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

PATIENCE_S = 10.0
"""How long the engine has to finish simulations under way when somebody asked to stop; then it is killed."""


class EngineMismatchError(FailureError):
    """The engine of this machine is not the one that the experiment was planned with: results would not compare."""


@dataclass(frozen=True, slots=True)
class EngineId:
    """Which engine."""

    version: str
    commit: str


@dataclass(frozen=True, slots=True)
class Chunk:
    """Runs of one experiment that a worker makes one after the other.

    `seed` and `repetitions` are those of the whole experiment, `places` those of its plan. `captures` and `series` say
    which files are wanted. `plane` and `attempts` are for live runs; None leaves them to the experiment and the engine.
    `programs` says that the experiment is the person's own, whose variants may be programs.
    """

    bundle: Bundle
    seed: str
    repetitions: int
    places: tuple[int, ...]
    engine: EngineId
    testbed: str = SIMULATED
    plane: str | None = None
    captures: bool = True
    series: bool = True
    attempts: int | None = None
    jobs: int = 1
    programs: bool = False

    @property
    def options(self) -> RunOptions:
        """The options that each of its runs has."""
        return RunOptions(
            testbed=self.testbed, plane=self.plane, attempts=self.attempts, repetitions=self.repetitions,
            seed=int(self.seed), jobs=self.jobs, captures=self.captures, series=self.series,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A run whose transfer did not end in order, but at its time limit say; its files and metrics are kept."""

    run: Run
    reason: str


@dataclass(frozen=True, slots=True)
class Left:
    """A file that lies where both the worker that made it and whoever gave it the work can read it."""

    path: Path
    size: int

    def __len__(self) -> int:
        return self.size


def octets_of(file: bytes | Left) -> bytes:
    """Return the content of a run's file."""
    return file if isinstance(file, bytes) else file.path.read_bytes()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of the run at `place` of the plan, and the files of its directory by name; a Failed one has none."""

    place: int
    run: Run | Failed | Unfinished
    files: Mapping[str, bytes | Left]


def perform(
    chunk: Chunk,
    *,
    leave: Path | None = None,
    on_outcome: Callable[[Outcome], None] | None = None,
    on_progress: Callable[[Progress], None] | None = None,
    stop: threading.Event | None = None,
) -> list[Outcome]:
    """Make the runs and return what became of each, in the order in which they ended.

    Files are returned as they are, or left in the directory `leave`, which must be on the file system of temporary
    files. Can be called in any thread. `on_outcome` and `on_progress` are called in this thread, as things come. After
    `stop` is set, no further run begins and a live one under way is ended: fewer outcomes than places are returned
    then, and never otherwise.

    Raises EngineMismatchError before anything runs. Raises EngineDiedError if something kills the engine, EngineError
    if it ends with an error that no outcome tells; outcomes that were whole have been handed to `on_outcome` before.
    """
    outcomes: list[Outcome] = []

    def tell(outcome: Outcome) -> None:
        outcomes.append(outcome)
        if on_outcome is not None:
            on_outcome(outcome)

    with workplace() as place:
        out = place / "out" if chunk.captures or chunk.series else None
        patience = _Patience(stop)
        conversation = Conversation()
        with _started(chunk, place, out) as process:
            for line in process.lines(partial(patience.look, process)):
                match conversation.hear(line):
                    case Plan():
                        _check_engine(chunk, conversation)
                    case Run() as run:
                        what = run if run.unfinished is None else Unfinished(run, run.unfinished)
                        tell(Outcome(run.place, what, _taken(out, run, leave)))
                    case Failed() as failed:
                        tell(Outcome(failed.place, failed, {}))
                    case Progress() as progress if on_progress is not None:
                        on_progress(progress)
                    case Progress() | Done():
                        pass
            returned = process.wait()
        if returned != 0 and not patience.stopped and not _explained(chunk, outcomes):
            raise process.error()
        if returned == 0 and not conversation.done:
            raise ProtocolError("the engine ended before it was done")
    return outcomes


def metrics_only(chunk: Chunk) -> list[Run]:
    """Make runs in virtual time and return their metrics in the order of `places`; no files are written.

    Raises as `perform` does, and EngineError if a limit ended a run, once the others are made. A run that did
    not end in order is among them, and its `unfinished` says why.
    """
    runs: dict[int, Run] = {}
    ended: list[Failed] = []
    conversation = Conversation()
    with workplace() as place, _started(chunk, place, None) as process:
        lines = process.lines()
        plan = next(lines, None)
        if plan is None:
            raise process.error()
        conversation.hear(plan)
        _check_engine(chunk, conversation)
        # The engine's own order, and nobody to show it to: what is said of each run is only taken in.
        for line in lines:
            match _decoded(line):
                case Run() as run:
                    runs[run.place] = run
                case Failed() as failed:
                    ended.append(failed)
                case Progress() | Done():
                    pass
        returned = process.wait()
    if ended:
        raise EngineError(f"error: {ended[0].key}: {ended[0].reason}", ExitCode.FAILURE)
    if returned != 0 and len(runs) < len(chunk.places):
        raise process.error()
    try:
        return [runs[place] for place in chunk.places]
    except KeyError as error:
        raise ProtocolError(f"the engine did not report run {error.args[0]} of its plan") from error


def _decoded(line: bytes) -> Run | Failed | Progress | Done:
    try:
        return _DECODER.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ProtocolError(f"the engine's line {line[:200]!r} cannot be understood: {error}") from error


_DECODER: msgspec.json.Decoder[Run | Failed | Progress | Done] = msgspec.json.Decoder(Run | Failed | Progress | Done)


class _Patience:
    """Hands a wish to stop on to the engine, and ends it if it does not follow."""

    def __init__(self, stop: threading.Event | None) -> None:
        self._stop = stop
        self._asked_at: float | None = None

    @property
    def stopped(self) -> bool:
        """Whether the engine was asked to stop."""
        return self._asked_at is not None

    def look(self, process: EngineProcess) -> None:
        """Do what is due. Is called now and then."""
        if self._stop is None or not self._stop.is_set():
            return
        now = time.monotonic()
        if self._asked_at is None:
            self._asked_at = now
            process.interrupt()
        elif now - self._asked_at > PATIENCE_S:
            process.kill()


def _started(chunk: Chunk, place: Path, out: Path | None) -> EngineProcess:
    """Start the engine on the chunk, with its files in the directory `place`."""
    profiles = place / "profiles"
    unpack(chunk.bundle, profiles)
    arguments = [
        "run", "--lifeline", "--profiles", str(profiles), "--confined", "--runs", _stretches(chunk.places),
        "--stacks", str(locate.stacks()), *(["--programs"] if chunk.programs else []), *chunk.options.arguments(),
    ]  # fmt: skip
    if out is not None:
        arguments += ["--out", str(out)]
    return EngineProcess([*arguments, "--", chunk.bundle.experiment], lifeline=True, most=limits_of_a_worker())


def _stretches(places: Iterable[int]) -> str:
    """Return places as the engine takes them: `0-499,600`."""
    stretches: list[list[int]] = []
    for place in sorted(places):
        if stretches and place <= stretches[-1][1] + 1:
            stretches[-1][1] = place
        else:
            stretches.append([place, place])
    return ",".join(f"{first}-{last}" for first, last in stretches)


def _check_engine(chunk: Chunk, conversation: Conversation) -> None:
    """Raise EngineMismatchError if the engine, which has said its plan, is not the chunk's."""
    if conversation.experiment is None:
        return  # it ended before its plan, and says why
    here = EngineId(conversation.experiment.version, conversation.experiment.commit)
    if here != chunk.engine:
        raise EngineMismatchError(
            f"the engine of this machine is {here.version} ({here.commit}), and the experiment was planned by "
            f"{chunk.engine.version} ({chunk.engine.commit}): install the same on all machines"
        )


def _taken(out: Path | None, run: Run, leave: Path | None) -> Mapping[str, bytes | Left]:
    """Return the files of a run's directory by name, and take it away: a chunk's files need not all have room there."""
    if out is None:
        return {}
    directory = out / run.directory
    try:
        if leave is not None:
            leave.mkdir(parents=True, exist_ok=True)
            left = directory.rename(leave / str(run.place))
            return {file.name: Left(file, file.stat().st_size) for file in sorted(left.iterdir())}
        files = {file.name: file.read_bytes() for file in sorted(directory.iterdir())}
        shutil.rmtree(directory)
    except OSError as error:
        raise FailureError(f"cannot read the files of run {run.key}: {error.strerror}") from error
    return files


def _explained(chunk: Chunk, outcomes: Sequence[Outcome]) -> bool:
    """Say whether the outcomes tell all that an engine which ended with an error can have met with."""
    troubled = any(not isinstance(outcome.run, Run) for outcome in outcomes)
    return troubled and len(outcomes) == len(set(chunk.places))
