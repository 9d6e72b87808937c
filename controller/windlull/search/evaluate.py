"""Candidates run by the workers of a sweep, and their runs gathered into outcomes."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from windlull.runner.messages import SIMULATED, ProtocolError
from windlull.runner.work import Chunk
from windlull.search import work
from windlull.search.outcome import TIME, WRONG, Outcome
from windlull.sweep.execute import Execution

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from windlull.runner.dispatch import Dispatch
    from windlull.runner.work import EngineId
    from windlull.search.candidate import Candidate
    from windlull.search.template import Template

_RUNS_OF_A_PIECE = 8
"""Runs that a worker makes in one task: the few of a trial together, those of a confirmation on several workers."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Some runs of one candidate, for one worker: of all its runs on the testbed those from `first` to before `end`."""

    index: int
    number: int
    candidate: Candidate
    first: int
    end: int


@dataclass(frozen=True, slots=True)
class Runs:
    """How candidates are run: so many repetitions of each variant from a master seed, on a testbed in virtual time.

    `beside` counts the variants that the engine's plan also simulates beside the runs on `testbed`. Those runs come
    first in its plan; nobody asks for them. `programs` as in a chunk.
    """

    template: Template
    engine: EngineId
    seed: int
    repetitions: int
    time_limit_s: float
    metrics: tuple[str, ...]
    testbed: str = SIMULATED
    beside: int = 0
    programs: bool = True

    def chunks(self, piece: Piece) -> tuple[tuple[int, Chunk], ...]:
        """Return what a worker is told of a piece."""
        start = self.beside * self.repetitions
        chunk = Chunk(
            bundle=self.template.bundle(piece.candidate, seed=self.seed, repetitions=self.repetitions),
            seed=str(self.seed),
            repetitions=self.repetitions,
            places=tuple(range(start + piece.first, start + piece.end)),
            engine=self.engine,
            testbed=self.testbed,
            # A kernel that fails once fails again: its time is virtual.
            attempts=None if self.testbed == SIMULATED else 1,
            captures=False,
            series=False,
            programs=self.programs,
        )
        return ((piece.index, chunk),)

    def about(self, piece: Piece) -> str:
        """Say which piece it is."""
        return f"trial {piece.number}, {piece.candidate.words()}"

    @property
    def places(self) -> int:
        """How many runs a candidate has."""
        return self.repetitions * len(self.template.variants)


class Evaluator:
    """Runs candidates on the workers of a cluster, until it is interrupted."""

    def __init__(
        self,
        dispatch: Dispatch,
        runs: Runs,
        say: Callable[[str], None] = lambda _: None,
        interrupted: Callable[[], bool] = lambda: False,
    ) -> None:
        self._dispatch = dispatch
        self._runs = runs
        self._say = say
        self._interrupted = interrupted

    def __call__(self, candidates: Mapping[int, Candidate], keep: Callable[[int, Outcome], None]) -> None:
        """Run candidates, and call `keep` with the outcome of each when its last run has ended."""
        pieces = list(_pieces(candidates, self._runs.places))
        missing = defaultdict[int, int](int)
        for piece in pieces:
            missing[piece.number] += 1
        came: dict[int, list[work.Answer]] = defaultdict(list)

        def take(piece: Piece, octets: bytes) -> None:
            came[piece.number].append(work.read(octets))
            missing[piece.number] -= 1
            if not missing[piece.number]:
                keep(piece.number, gathered(self._runs, came.pop(piece.number)))

        plan = hashlib.sha256(repr(sorted(candidates)).encode()).hexdigest()
        Execution(
            self._dispatch, self._runs, plan, take, self._say, self._interrupted, perform=work.perform,
            testbed=self._runs.testbed,
        ).run(pieces)  # fmt: skip


def gathered(of: Runs, answers: Iterable[work.Answer]) -> Outcome:
    """Return the outcome of a candidate from the answers about all its pieces, in whichever order they came.

    A run that did not end in order took as long as any run may, whatever it measured until then.
    """
    found = list(answers)
    problem = next((answer.problem for answer in found if answer.problem is not None), None)
    if problem is not None:
        return Outcome(problem=problem)
    runs = {(run.variant, run.repetition): run for answer in found for run in answer.runs}
    values: dict[str, dict[str, tuple[float | None, ...]]] = {}
    unfinished: dict[str, int] = {}
    for variant in of.template.variants:
        try:
            ours = [runs[variant, repetition] for repetition in range(1, of.repetitions + 1)]
        except KeyError as error:
            raise ProtocolError(
                f"no worker answered for the run {error.args[0]}; is it of the same version?"
            ) from error
        values[variant] = {
            name: tuple(of.time_limit_s if name == TIME and run.unfinished else run.metrics.get(name) for run in ours)
            for name in dict.fromkeys((*of.metrics, *WRONG))
        }
        unfinished[variant] = sum(run.unfinished for run in ours)
    return Outcome(values, unfinished)


def _pieces(candidates: Mapping[int, Candidate], places: int) -> Iterable[Piece]:
    index = 0
    for number, candidate in candidates.items():
        for first in range(0, places, _RUNS_OF_A_PIECE):
            yield Piece(index, number, candidate, first, min(places, first + _RUNS_OF_A_PIECE))
            index += 1
