"""Candidates go out in pieces, and their runs come back as outcomes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from tests.search.fakes import hold
from windlull.errors import EngineDiedError, EngineError, ExitCode
from windlull.runner.messages import ProtocolError
from windlull.runner.work import Chunk, EngineId
from windlull.search import work
from windlull.search.candidate import Candidate, candidate
from windlull.search.evaluate import Evaluator, Piece, Runs, gathered
from windlull.search.layout import LINK
from windlull.search.outcome import WRONG, Outcome
from windlull.search.template import Template
from windlull.search.work import Answer, MeasuredRun
from windlull.sweep.work import Task

if TYPE_CHECKING:
    from collections.abc import Callable

TEMPLATE = Template(
    ("sack", "newreno"), "gprs", "gprs", {"title": "x", "variants": ["sack", "newreno"]}, {"links/gprs.toml": ""}
)


def runs(repetitions: int) -> Runs:
    return Runs(TEMPLATE, EngineId("0.1.0", "0123456789ab"), 7, repetitions, 60.0, ("elapsed_s",))


def measured(variant: str, repetition: int, *, unfinished: bool = False, **metrics: float) -> MeasuredRun:
    return MeasuredRun(variant, repetition, metrics, unfinished)


def chunk() -> Chunk:
    ((_, made),) = runs(1).chunks(Piece(0, 0, Candidate(), 0, 2))
    return made


class Workers:
    """One worker that answers at once, with each run's place as its time; another has no kernel."""

    def __init__(self, testbed: str = "sim", first: int = 0) -> None:
        """`first` is the first place of the plan that is on the testbed."""
        self.tasks: list[Task] = []
        self._testbed = testbed
        self._first = first

    def there(self, *, now: bool = False) -> dict[str, frozenset[str]]:
        del now
        return {"worker": frozenset({"sim", self._testbed}), "other": frozenset({"netns"})}

    def call(
        self,
        address: str,
        function: object,
        task: Task,
        *,
        answered: Callable[[bytes | None, BaseException | None], None],
    ) -> None:
        assert address == "worker"
        assert function is work.perform
        self.tasks.append(task)
        ((_, made),) = task.chunks
        done = [
            measured(("sack", "newreno")[place % 2], place // 2 + 1, elapsed_s=float(place))
            for place in (place - self._first for place in made.places)
        ]
        answered(msgspec.json.encode(Answer(tuple(done))), None)


def test_every_run_comes_back_to_its_candidate() -> None:
    workers: Any = Workers()
    kept: dict[int, Outcome] = {}
    Evaluator(workers, runs(10))({3: Candidate(), 4: candidate((hold(1, 2),))}, kept.__setitem__)
    assert list(kept) == [3, 4]
    assert kept[3].of("sack", "elapsed_s") == tuple(map(float, range(0, 20, 2)))
    assert kept[4].of("newreno", "elapsed_s") == tuple(map(float, range(1, 20, 2)))
    # 20 runs of each, 8 to a piece.
    assert [len(task.chunks[0][1].places) for task in workers.tasks] == [8, 8, 4] * 2
    made = workers.tasks[3].chunks[0][1]
    assert (made.seed, made.repetitions, made.captures, made.series) == ("7", 10, False, False)
    assert made.bundle.files[LINK].endswith('[[script]]\non = "down"\nat = "1 ms"\nfor = "2 ms"\ndo = "hold"\n')


def test_runs_in_kernels_come_after_those_simulated_beside_them() -> None:
    of = Runs(TEMPLATE, EngineId("0.1.0", "0123456789ab"), 7, 10, 60.0, ("elapsed_s",), "kernel", beside=1)
    workers: Any = Workers("kernel", first=10)
    kept: dict[int, Outcome] = {}
    Evaluator(workers, of)({0: Candidate()}, kept.__setitem__)
    made = [task.chunks[0][1] for task in workers.tasks]
    assert [place for chunk in made for place in chunk.places] == list(range(10, 30))
    assert {(chunk.testbed, chunk.attempts) for chunk in made} == {("kernel", 1)}
    assert kept[0].of("sack", "elapsed_s") == tuple(map(float, range(0, 20, 2)))


def test_a_run_that_did_not_end_took_as_long_as_any_may() -> None:
    one = Answer((measured("newreno", 1, elapsed_s=2.0, spurious_timeouts=1),))
    other = Answer((measured("sack", 1, unfinished=True, elapsed_s=3.0),))
    found = gathered(runs(1), [one, other])
    assert found.of("sack", "elapsed_s") == (60.0,)
    assert found.of("newreno", "elapsed_s") == (2.0,)
    assert found.of("newreno", "spurious_timeouts") == (1.0,)
    assert found.unfinished == {"sack": 1, "newreno": 0}
    assert set(found.values["sack"]) == {"elapsed_s", *WRONG}


def test_a_problem_of_one_piece_is_the_candidates() -> None:
    fine = Answer((measured("sack", 1), measured("newreno", 1)))
    assert gathered(runs(1), [fine, Answer(problem="too much")]) == Outcome(problem="too much")


def test_a_run_that_nobody_made_is_an_error() -> None:
    with pytest.raises(ProtocolError, match="no worker answered for the run"):
        gathered(runs(2), [Answer((measured("sack", 1), measured("newreno", 1)))])


def test_an_answer_that_is_none_is_an_error() -> None:
    with pytest.raises(ProtocolError, match="cannot be understood"):
        work.read(b"{}}")


def test_what_another_try_would_meet_again_is_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def ends(error: EngineError) -> Callable[[Chunk], None]:
        def metrics_only(_chunk: Chunk) -> None:
            raise error

        return metrics_only

    task = Task("plan", 0, ((0, chunk()),))
    monkeypatch.setattr(work, "metrics_only", ends(EngineError("error: a limit", ExitCode.FAILURE)))
    assert work.read(work.perform(task)) == Answer(problem="error: a limit")
    monkeypatch.setattr(work, "metrics_only", ends(EngineDiedError("killed", ExitCode.FAILURE)))
    with pytest.raises(EngineDiedError):
        work.perform(task)
