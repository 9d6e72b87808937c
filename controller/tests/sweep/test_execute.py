"""Parts go out, are lost, and come back: with a cluster that does what the test says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from distributed.comm.core import CommClosedError
from distributed.scheduler import KilledWorker

from tests.sweep.example import part_octets, sweep
from windlull.errors import BadInputError, EngineError, ExitCode
from windlull.runner.work import EngineMismatchError
from windlull.sweep import execute
from windlull.sweep.execute import ATTEMPTS, WAITING, Execution, LostError
from windlull.sweep.work import perform

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from windlull.sweep.plan import Sweep
    from windlull.sweep.work import Task

NOBODY: Any = None
LOST = KilledWorker("part", NOBODY, 1)


class Call:
    def __init__(self) -> None:
        self.cancelled = False

    def cancel(self) -> None:
        self.cancelled = True


class Workers:
    """Workers that answer at once, unless they are `silent`: with the next of `answers`, else with the part.

    `there` says how many there are at each look, the last of them from then on.
    """

    def __init__(
        self,
        made: Sweep,
        *,
        there: tuple[int, ...] = (2,),
        answers: list[Exception | None] | None = None,
        silent: tuple[int, ...] = (),
    ) -> None:
        self._parts = {part.index: part for part in made.parts()}
        self._numbers = list(there)
        self._answers: Iterator[Exception | None] = iter(answers or [])
        self._silent = silent
        self.given: list[int] = []
        self.addresses: list[str] = []
        self.calls: list[Call] = []

    def there(self, *, now: bool = False) -> dict[str, frozenset[str]]:
        del now
        number = self._numbers.pop(0) if len(self._numbers) > 1 else self._numbers[0]
        others = {"live-alone": frozenset({"netns"})}
        return {f"worker-{place}": frozenset({"sim"}) for place in range(number)} | others

    def call(
        self,
        address: str,
        function: object,
        task: Task,
        *,
        answered: Callable[[bytes | None, BaseException | None], None],
    ) -> Call:
        assert function is perform
        self.given.append(task.index)
        self.addresses.append(address)
        self.calls.append(Call())
        answer = next(self._answers, None)
        if len(self.given) - 1 not in self._silent:
            octets = part_octets(self._parts[task.index], task.plan)
            answered(None if answer else octets, answer)
        return self.calls[-1]


def several(parts: int) -> Sweep:
    """A sweep of so many parts: runs so large that there is one in each."""
    return sweep(repetitions=parts // 2, segments=2_000_000)


def executed(made: Sweep, workers: Workers, say: Callable[[str], None] = lambda _: None) -> list[tuple[int, int]]:
    """What was kept, by part, and how many parts were under way or about to be kept at the time."""
    kept: list[tuple[int, int]] = []

    def keep(part: Any, octets: bytes) -> None:
        assert octets == part_octets(part, "plan")
        kept.append((part.index, len(workers.given) - len(kept)))

    dispatch: Any = workers
    Execution(dispatch, made, "plan", keep, say).run(made.parts())
    return kept


def test_every_part_is_kept_once_and_few_are_under_way() -> None:
    made = several(50)
    workers = Workers(made, there=(3,))
    kept = executed(made, workers)
    assert [index for index, _ in kept] == list(range(50))
    assert max(under_way for _, under_way in kept) == 6
    assert set(workers.addresses) == {"worker-0", "worker-1", "worker-2"}


def test_an_interrupt_keeps_what_has_come_and_lets_go_of_the_rest() -> None:
    made = several(50)
    workers: Any = Workers(made, there=(3,))
    kept: list[int] = []
    Execution(workers, made, "plan", lambda part, _: kept.append(part.index), interrupted=lambda: len(kept) == 4).run(
        made.parts()
    )
    assert kept == [0, 1, 2, 3]
    assert [call.cancelled for call in workers.calls] == [False] * 4 + [True] * (len(workers.calls) - 4)
    assert len(workers.calls) > 4


def test_parts_wait_for_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(execute, "_LOOK_S", 0.001)
    made = several(4)
    assert len(executed(made, Workers(made, there=(0, 0, 2)))) == 4


def test_who_waits_for_workers_is_told_so_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(execute, "_LOOK_S", 0.001)
    made = several(4)
    for there, expected in (((0, 0, 0, 2), [WAITING]), ((2,), [])):
        said: list[str] = []
        executed(made, Workers(made, there=there), said.append)
        assert said == expected


@pytest.mark.parametrize(
    "loss",
    [
        LOST,
        CommClosedError("gone"),
        EngineError("error: the engine was ended by SIGKILL", ExitCode.FAILURE),
    ],
)
def test_what_was_lost_is_made_again(loss: Exception) -> None:
    made = several(4)
    workers = Workers(made, answers=[None, loss, loss])
    kept = executed(made, workers)
    assert sorted(index for index, _ in kept) == [0, 1, 2, 3]
    assert sorted(workers.given) == [0, 1, 1, 2, 2, 3]


def test_what_a_worker_took_with_it_without_a_word_is_made_by_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(execute, "_LOOK_S", 0.001)
    made = several(4)
    workers = Workers(made, there=(2, 2, 2, 2, 1), silent=(1,))
    kept = executed(made, workers)
    assert sorted(index for index, _ in kept) == [0, 1, 2, 3]
    assert workers.given == [0, 1, 2, 3, 1]
    assert workers.addresses[1] == "worker-1"
    assert workers.addresses[4] == "worker-0"
    assert workers.calls[1].cancelled


def test_the_answer_of_a_worker_that_was_thought_to_be_gone_is_not_kept_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(execute, "_LOOK_S", 0.001)
    made = several(2)
    workers = Workers(made, there=(1, 0, 1), silent=(0, 1))
    late: list[Callable[[], None]] = []
    call = workers.call

    def answering(address: str, function: object, task: Task, *, answered: Any) -> Call:
        late.append(lambda: answered(part_octets(list(made.parts())[task.index], task.plan), None))
        if len(late) == 3:
            late[0]()
        return call(address, function, task, answered=answered)

    monkeypatch.setattr(workers, "call", answering)
    assert sorted(index for index, _ in executed(made, workers)) == [0, 1]
    assert sorted(workers.given) == [0, 0, 1, 1]


def test_what_is_lost_again_and_again_ends_the_sweep() -> None:
    made = sweep("tcp.initial_window=1,3", repetitions=1, segments=2_000_000)
    workers = Workers(made, answers=[LOST] * 100)
    with pytest.raises(LostError) as raised:
        executed(made, workers)
    said = str(raised.value)
    assert said.startswith(f"part 0, tcp.initial_window=1: came to nothing {ATTEMPTS} times")
    assert "KilledWorker" in said
    assert workers.given.count(0) == ATTEMPTS
    assert any(call.cancelled for call in workers.calls)


@pytest.mark.parametrize(
    "error", [BadInputError("no such thing"), EngineMismatchError("this machine's engine is 0.2.0")]
)
def test_what_another_try_would_meet_again_is_told_at_once(error: Exception) -> None:
    made = sweep("tcp.initial_window=1,3", segments=100)
    workers = Workers(made, answers=[error])
    with pytest.raises(type(error)) as raised:
        executed(made, workers)
    assert str(raised.value) == f"part 0, tcp.initial_window=1, and 1 points more: {error}"
    assert workers.given == [0]


def test_without_any_worker_for_long_the_sweep_gives_up(monkeypatch: pytest.MonkeyPatch) -> None:
    made = several(2)
    workers = Workers(made, there=(1, 0), silent=(0, 1))
    monkeypatch.setattr(execute, "_LOOK_S", 0.001)
    monkeypatch.setattr(execute, "_PATIENCE_S", 0.003)
    with pytest.raises(LostError, match="has had no worker"):
        executed(made, workers)
    assert sum(call.cancelled for call in workers.calls) == 2
