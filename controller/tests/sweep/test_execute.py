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

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from windlull.sweep.plan import Sweep
    from windlull.sweep.work import Task

NOBODY: Any = None
LOST = KilledWorker("part", NOBODY, 1)


class Future:
    def __init__(self, key: str, come: Callable[[], bytes]) -> None:
        self.key = key
        self._come = come

    def add_done_callback(self, callback: Callable[[Future], None]) -> None:
        callback(self)

    def result(self) -> bytes:
        return self._come()

    def release(self) -> None:
        pass


class Cluster:
    """Workers that answer at once: with the next of `answers`, else with the part."""

    def __init__(self, made: Sweep, *, workers: int = 2, answers: list[Exception | None] | None = None) -> None:
        self._parts = {part.index: part for part in made.parts()}
        self._workers = workers
        self._answers: Iterator[Exception | None] = iter(answers or [])
        self.given: list[int] = []
        self.cancelled: list[str] = []

    def nthreads(self) -> dict[str, int]:
        return {f"worker-{number}": 1 for number in range(self._workers)}

    def submit(self, _function: object, task: Task, *, key: str, resources: dict[str, int]) -> Future:
        assert resources == {"sim": 1}
        self.given.append(task.index)
        answer = next(self._answers, None)

        def come() -> bytes:
            if answer is not None:
                raise answer
            return part_octets(self._parts[task.index], task.plan)

        return Future(key, come)

    def cancel(self, futures: list[Future], *, force: bool) -> None:
        assert force
        self.cancelled += [future.key for future in futures]


def several(parts: int) -> Sweep:
    """A sweep of so many parts: runs so large that there is one in each."""
    return sweep(repetitions=parts // 2, segments=2_000_000)


def executed(made: Sweep, cluster: Cluster) -> list[tuple[int, int]]:
    """What was kept, by part, and how many parts were under way or about to be kept at the time."""
    kept: list[tuple[int, int]] = []

    def keep(part: Any, octets: bytes) -> None:
        assert octets == part_octets(part, "plan")
        kept.append((part.index, len(cluster.given) - len(kept)))

    client: Any = cluster
    Execution(client, made, "plan", keep).run(made.parts())
    return kept


def test_every_part_is_kept_once_and_few_are_under_way() -> None:
    made = several(50)
    kept = executed(made, Cluster(made, workers=3))
    assert [index for index, _ in kept] == list(range(50))
    assert max(under_way for _, under_way in kept) == 6


def test_a_cluster_without_workers_is_given_something_to_wait_for_them() -> None:
    made = several(4)
    assert len(executed(made, Cluster(made, workers=0))) == 4


def test_who_waits_for_workers_is_told_so_once() -> None:
    made = several(4)
    for workers, told in ((0, [WAITING]), (2, [])):
        said: list[str] = []
        client: Any = Cluster(made, workers=workers)
        Execution(client, made, "plan", lambda _part, _octets: None, said.append).run(made.parts())
        assert said == told


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
    cluster = Cluster(made, answers=[None, loss, loss])
    kept = executed(made, cluster)
    assert sorted(index for index, _ in kept) == [0, 1, 2, 3]
    assert sorted(cluster.given) == [0, 1, 1, 2, 2, 3]


def test_what_is_lost_again_and_again_ends_the_sweep() -> None:
    made = sweep("tcp.initial_window=1,3", repetitions=1, segments=2_000_000)
    cluster = Cluster(made, answers=[LOST] * 100)
    with pytest.raises(LostError) as raised:
        executed(made, cluster)
    said = str(raised.value)
    assert said.startswith(f"part 0, tcp.initial_window=1: came to nothing {ATTEMPTS} times")
    assert "KilledWorker" in said
    assert cluster.given.count(0) == ATTEMPTS
    assert cluster.cancelled


@pytest.mark.parametrize(
    "error", [BadInputError("no such thing"), EngineMismatchError("this machine's engine is 0.2.0")]
)
def test_what_another_try_would_meet_again_is_told_at_once(error: Exception) -> None:
    made = sweep("tcp.initial_window=1,3", segments=100)
    cluster = Cluster(made, answers=[error])
    with pytest.raises(type(error)) as raised:
        executed(made, cluster)
    assert str(raised.value) == f"part 0, tcp.initial_window=1, and 1 points more: {error}"
    assert cluster.given == [0]


def test_without_any_worker_for_long_the_sweep_gives_up(monkeypatch: pytest.MonkeyPatch) -> None:
    made = several(2)
    cluster = Cluster(made, workers=0)
    monkeypatch.setattr(Future, "add_done_callback", lambda _future, _callback: None)
    monkeypatch.setattr(execute, "_LOOK_S", 0.001)
    monkeypatch.setattr(execute, "_PATIENCE_S", 0.003)
    with pytest.raises(LostError, match="has had no worker"):
        executed(made, cluster)
    assert len(cluster.cancelled) == 2
