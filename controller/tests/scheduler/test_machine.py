"""What the machine decides, one behaviour a test."""

from __future__ import annotations

import pytest

from tests.scheduler.world import World, waiting, worker
from windlull.runner.messages import SIMULATED
from windlull.scheduler.machine import CHUNK_RUNS, MOST_DEATHS, MOST_MISSED, Machine
from windlull.scheduler.placement import AHEAD
from windlull.scheduler.words import (
    Cause,
    Ending,
    GiveOut,
    Looked,
    Lost,
    Paused,
    Requeue,
    Resumed,
    Returned,
    Stop,
    Trouble,
)
from windlull.store.tables import State

DIED = Trouble(Cause.DIED, "the engine was ended by SIGKILL")
GONE = Trouble(Cause.MISSING, "no process answers for the emulator")
ERROR = Trouble(Cause.ERROR, "error: cannot")


def world(*workers_: object, runs: int = 0) -> World:
    made = World()
    made.join(*(workers_ or (worker("a"), worker("b"))))  # type: ignore[arg-type]
    made.submit(waiting(run_id) for run_id in range(1, runs + 1))
    return made


def given(made: World) -> dict[str, list[list[int]]]:
    """The runs of the tasks of each worker."""
    found: dict[str, list[list[int]]] = {}
    for task in made.working.values():
        found.setdefault(task.worker, []).append([run.id for run in task.runs])
    return found


def test_the_first_runs_of_a_batch_go_out_alone_to_the_worker_with_least() -> None:
    made = world(runs=9)
    made.poll()
    assert given(made) == {"a": [[1], [3]], "b": [[2], [4]]}
    made.poll()
    assert len(made.working) == 2 * AHEAD, "there is no room for more"


def test_tasks_grow_to_a_second_of_work_and_shrink_at_the_end() -> None:
    made = world(runs=1000)
    made.poll()
    made.come_back(1)  # 10 ms a run
    made.poll()
    assert [len(runs) for runs in given(made)["a"]] == [1, 100]
    short = world(runs=8)
    short.poll()
    short.come_back(1)
    short.poll()
    assert [len(runs) for runs in given(short)["a"]] == [1, 2], "half of the four that are left"


def test_a_task_has_no_more_than_its_runs_and_bytes() -> None:
    made = world(worker("a"), runs=2000)
    made.poll()
    made.machine.handle(Returned(1, frozenset([1]), 1e-9, 1))
    made.poll()
    assert len(made.working[3].runs) == CHUNK_RUNS
    big = world(worker("a"), runs=2000)
    big.poll()
    big.machine.handle(Returned(1, frozenset([1]), 1e-9, 10 << 20))
    big.poll()
    assert len(big.working[3].runs) == 3


def test_a_run_alone_says_little_of_how_long_it_takes() -> None:
    """Its time has the start of the engine in it, which may be all of it."""
    made = world(worker("a"), runs=2000)
    made.poll()
    made.machine.handle(Returned(1, frozenset([1]), 0.9, 10))
    made.poll()
    assert len(made.working[3].runs) == 2
    made.machine.handle(Returned(2, frozenset([2]), 0.9, 10))
    made.machine.handle(Returned(3, frozenset(run.id for run in made.working[3].runs), 0.01, 20))
    made.poll()
    assert len(made.working[5].runs) == 100
    long = world(worker("a"), runs=2000)
    long.poll()
    long.machine.handle(Returned(1, frozenset([1]), 30.0, 10))
    long.poll()
    assert len(long.working[3].runs) == 1


def test_higher_priority_goes_first_then_older() -> None:
    made = world(worker("a"))
    made.submit([waiting(1), waiting(2, batch=2, priority=5), waiting(3, batch=3, priority=5)])
    made.poll()
    assert given(made) == {"a": [[2], [3]]}


def test_of_equal_keys_one_is_run() -> None:
    made = world()
    made.submit([waiting(1, key="k"), waiting(2, batch=2, key="k"), waiting(3, batch=2, key="other")])
    made.poll()
    assert given(made) == {"a": [[1]], "b": [[3]]}
    made.come_back(1)
    made.poll()
    assert 2 not in {run.id for task in made.working.values() for run in task.runs}, "not before it is written"
    made.record()
    made.poll()
    assert [[2]] in given(made).values(), "now, or the database has answered it"


def test_a_live_run_has_its_host_to_itself() -> None:
    made = world(worker("a"), worker("b"), worker("c", "there", [SIMULATED]), runs=2)
    made.submit(
        [waiting(3, batch=2, testbed="netns"), waiting(4, batch=2, testbed="netns"), *map(waiting, range(5, 20))]
    )
    made.poll()
    # 1 and 2 went before; the host is kept free for 3 then, and what is younger goes elsewhere.
    assert given(made) == {"a": [[1]], "b": [[2]], "c": [[5], [6]]}
    made.come_back(1)
    made.poll()
    assert given(made) == {"b": [[2]], "c": [[5], [6]]}
    made.come_back(2)
    made.poll()
    assert given(made) == {"a": [[3]], "c": [[5], [6]]}
    made.poll()
    assert given(made) == {"a": [[3]], "c": [[5], [6]]}, "neither 4 nor a simulation runs beside it"
    made.come_back(5)
    made.poll()
    assert given(made)["a"] == [[4]]


def test_runs_in_kernels_of_their_own_share_their_host() -> None:
    kernels = [SIMULATED, "netns", "kernel"]
    made = world(worker("a", testbeds=kernels), worker("b", testbeds=kernels), worker("c"), runs=1)
    made.submit(waiting(run_id, testbed="kernel") for run_id in (2, 3))
    made.poll()
    # Not in one task with what is simulated, nor with who has no kernels; beside it all the same.
    assert given(made) == {"a": [[1], [3]], "b": [[2]]}
    made.submit([waiting(4, batch=2, testbed="netns"), waiting(5, batch=2, testbed="kernel")])
    made.come_back(1)
    made.poll()
    assert [5] not in given(made)["a"], "the host is kept free for the run in real time, which is older"
    made.come_back(2)
    made.come_back(3)
    made.record()
    made.poll()
    assert given(made) == {"a": [[4]]}


def test_how_long_a_run_takes_is_known_by_its_testbed() -> None:
    made = world(worker("a", testbeds=[SIMULATED]), worker("b", testbeds=["kernel"]), runs=300)
    made.submit(waiting(run_id, testbed="kernel") for run_id in range(301, 400))
    made.poll()
    assert given(made) == {"a": [[1], [2]], "b": [[301], [302]]}
    made.come_back(1)  # 10 ms a run
    made.poll()
    assert [len(runs) for runs in given(made)["a"]] == [1, 100]
    made.machine.handle(Returned(3, frozenset([301]), 30.0, 10))
    made.poll()
    # Those in a kernel stay alone: theirs are long.
    assert [len(runs) for runs in given(made)["b"]] == [1, 1, 1]


def test_a_live_run_does_not_go_before_older_simulations() -> None:
    made = world(worker("a"), runs=3)
    made.submit([waiting(4, batch=2, testbed="netns")])
    made.poll()
    assert given(made) == {"a": [[1], [2]]}
    made.come_back(1)
    made.poll()
    assert given(made) == {"a": [[2], [3]]}
    made.come_back(2)
    made.poll()
    assert given(made) == {"a": [[3]]}
    made.come_back(3)
    made.poll()
    assert given(made) == {"a": [[4]]}


def test_a_host_for_live_runs_alone_does_not_wait_for_simulations() -> None:
    made = world(worker("a"), worker("live", "there", ["netns"]), runs=30)
    made.submit([waiting(31, batch=2, testbed="netns")])
    made.poll()
    assert given(made)["live"] == [[31]]


def test_a_worker_is_given_only_what_its_engine_planned() -> None:
    made = world(worker("a"), runs=1)
    other = waiting(2)
    made.submit([type(other)(2, 2, 2, SIMULATED, 9, None, ("0.2.0", "fedcba987654"))])
    made.poll()
    assert given(made) == {"a": [[1]]}


def test_a_refused_worker_is_given_nothing_until_it_is_well() -> None:
    made = world(worker("a"), runs=3)
    made.poll()
    made.come_back(1, ended=0, trouble=Trouble(Cause.REFUSED, "there is no engine"))
    made.record()
    made.poll()
    assert given(made) == {"a": [[2]]}
    assert made.machine.wanted() == {}
    made.join(worker("a"))
    made.poll()
    assert given(made) == {"a": [[2], [1]]}


def live_world() -> World:
    made = world(worker("a", testbeds=(SIMULATED, "compose")))
    made.submit([waiting(run_id, testbed="compose") for run_id in (1, 2, 3)])
    made.submit([waiting(4, batch=4)])
    made.poll()
    assert given(made) == {"a": [[1]]}
    made.come_back(1, ended=0, trouble=GONE)
    made.record()
    made.poll()
    return made


def test_what_waits_for_a_missing_service_stays_queued_and_other_runs_go_on() -> None:
    made = live_world()
    assert given(made) == {"a": [[4]]}
    assert [made.rows[run_id].state for run_id in (1, 2, 3)] == [State.QUEUED] * 3
    assert set(made.machine.wanted()) == {SIMULATED}
    made.come_back(2)
    made.record()
    made.tell(Looked("compose", "no process answers for the server"))
    made.poll()
    assert given(made) == {}
    assert made.machine.missing["compose"].why == "no process answers for the server"


def test_what_waited_goes_on_once_the_service_is_there() -> None:
    made = live_world()
    made.come_back(2)
    made.record()
    made.tell(Looked("compose", None))
    made.drain()
    assert {row.state for row in made.rows.values()} == {State.DONE}
    assert made.rows[1].attempt == 2


def test_another_worker_is_tried_when_the_one_that_missed_a_service_is_gone() -> None:
    made = live_world()
    made.leave("a")
    made.join(worker("b", testbeds=("compose",)))
    made.poll()
    assert given(made) == {"b": [[1]]}


def test_a_run_that_always_takes_a_service_with_it_has_failed_in_the_end() -> None:
    made = world(worker("a", testbeds=("compose",)))
    made.submit([waiting(1, testbed="compose")])
    for task in range(1, MOST_MISSED + 1):
        assert made.rows[1].state is State.QUEUED
        made.poll()
        made.come_back(task, ended=0, trouble=GONE)
        made.record()
        made.tell(Looked("compose", None))
    assert made.rows[1].state is State.FAILED


def test_what_a_lost_worker_had_goes_to_others() -> None:
    made = world(worker("a"), runs=2)
    made.poll()
    made.leave("a")
    assert [[held.id for held, _ in record.again] for record in made.records] == [[2], [1]]
    made.record()
    made.record()
    made.join(worker("b"))
    made.poll()
    assert given(made) == {"b": [[1], [2]]}
    assert [made.rows[1].attempt, made.rows[2].attempt] == [2, 2]


@pytest.mark.parametrize("with_worker", [True, False])
def test_a_run_that_kills_fails_in_the_end_and_takes_no_other_with_it(with_worker: bool) -> None:  # noqa: FBT001
    """Run 50 kills its engine, or its worker."""
    made = world(worker("w0"), runs=100)
    for step in range(1000):
        made.poll()
        for task_id, task in list(made.working.items()):
            ids = [run.id for run in task.runs]
            if 50 not in ids:
                made.come_back(task_id)
            elif with_worker:
                made.leave(task.worker)
                made.join(worker(f"w{step + 1}"))
                break
            else:
                made.come_back(task_id, ids.index(50), DIED)
        while made.records:
            made.record()
        if all(row.state.ended for row in made.rows.values()):
            break
    assert made.rows[50].state is State.FAILED
    assert set(made.states([*range(1, 50), *range(51, 101)])) == {State.DONE}
    assert made.rows[50].attempt <= MOST_DEATHS + 1


def test_an_error_of_the_engine_is_of_the_run_that_was_alone() -> None:
    made = world(worker("a"), runs=40)
    made.poll()
    made.come_back(1)
    made.come_back(2)
    made.poll()
    made.come_back(3, ended=5, trouble=ERROR)
    assert (len(made.records[-1].failed), len(made.records[-1].again)) == (0, len(made.machine.tasks[3].held) - 5)
    made.record()
    made.record()
    made.record()
    made.poll()
    alone = made.working[5]
    assert len(alone.runs) == 1
    made.come_back(5, ended=0, trouble=ERROR)
    assert [reason for _, reason in made.records[-1].failed] == ["error: cannot"]


def test_bad_input_fails_all_runs_of_the_task() -> None:
    made = world(worker("a"), runs=40)
    made.poll()
    made.come_back(1)
    made.poll()
    made.come_back(3, ended=0, trouble=Trouble(Cause.BAD, "error: no such key"))
    assert len(made.records[-1].failed) > 1
    assert not made.records[-1].again


def test_a_task_is_stopped_when_all_its_runs_are_cancelled() -> None:
    made = world(worker("a"), runs=20)
    made.poll()
    made.come_back(1)
    made.poll()
    first, *others = [run.id for run in made.working[3].runs]
    made.cancel(first)
    made.poll()
    assert made.stopped == set()
    for run_id in others:
        made.cancel(run_id)
    made.poll()
    assert made.stopped == {3}
    made.poll()
    assert [i for _, said in made.history for i in said if isinstance(i, Stop)] == [Stop(3)], "once"


def test_a_run_that_is_retried_while_its_engine_ends_runs_again() -> None:
    made = world(worker("a"))
    made.submit([waiting(1, testbed="netns")])
    made.poll()
    made.cancel(1)
    made.poll()
    made.retry(1)
    made.poll()
    assert list(made.working) == [1], "its host is not free yet"
    made.come_back(1)
    made.record()
    made.poll()
    made.drain()
    assert made.states() == [State.DONE]


def test_what_another_scheduler_left_running_is_queued_again() -> None:
    made = world(runs=4)
    made.poll()
    made.killed()
    made.poll()
    (requeued,) = (one for one in made.history[-1][1] if isinstance(one, Requeue))
    assert [held.id for held in requeued.held] == [1, 2, 3, 4]
    made.drain()
    assert set(made.states()) == {State.DONE}


def test_nothing_goes_out_while_there_is_a_reason_to_pause() -> None:
    made = world(runs=4)
    made.tell(Paused("disk", "the disk is full"))
    made.tell(Paused("database", "it is gone"))
    made.poll()
    assert not made.working
    assert made.machine.wanted() == {}
    made.tell(Resumed("disk"))
    made.poll()
    assert not made.working
    made.tell(Resumed("database"))
    made.poll()
    assert made.working


def test_at_the_end_what_is_live_is_stopped_and_what_is_simulated_may_finish() -> None:
    made = world(worker("a"), worker("b", "there"), runs=1)
    made.submit([waiting(2, batch=2, testbed="netns")])
    made.poll()
    made.tell(Ending())
    assert made.stopped == {2}
    made.submit([waiting(3)])
    made.poll()
    assert set(made.working) == {1, 2}


def test_what_comes_twice_or_from_the_dead_changes_nothing() -> None:
    made = world(worker("a"), runs=1)
    made.poll()
    late = Returned(1, frozenset([1]))
    assert len(made.machine.handle(late)) == 1
    assert made.machine.handle(late) == []
    assert made.machine.handle(Lost(1, "gone")) == []
    assert made.machine.handle(Returned(77, frozenset())) == []
    assert made.machine.handle(Lost(77, "gone")) == []


def test_the_same_events_give_the_same_instructions() -> None:
    made = world(runs=50)
    for _ in range(10):
        made.poll()
        made.come_back(next(iter(made.working)))
        made.record()
    again = Machine()
    assert [again.handle(event) for event, _ in made.history] == [said for _, said in made.history]
    assert any(isinstance(one, GiveOut) for _, said in made.history for one in said)
