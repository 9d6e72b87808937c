"""Whatever happens in whatever order: every run ends exactly once, nothing is lost, a live run is alone on its host."""

from __future__ import annotations

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.scheduler.world import World, waiting, worker
from windlull.runner.messages import SIMULATED, VIRTUAL
from windlull.scheduler.machine import MOST_DEATHS, Machine
from windlull.scheduler.words import Cause, Looked, Lost, Paused, Resumed, Trouble
from windlull.store.tables import State

TROUBLE = st.sampled_from([Cause.DIED, Cause.REFUSED, Cause.STOPPED, Cause.MISSING]).map(
    lambda cause: Trouble(cause, cause.value)
)


class AnyOrder(RuleBasedStateMachine):
    """The world, in which anything may happen next."""

    def __init__(self) -> None:
        super().__init__()
        self.world = World()
        self.next_id = 1
        self.next_worker = 3
        self.kills = 0

    @initialize(hosts=st.sampled_from([("here", "here"), ("here", "there")]))
    def begin(self, hosts: tuple[str, str]) -> None:
        self.world.join(worker("w1", hosts[0]), worker("w2", hosts[1]))

    @rule(
        count=st.integers(1, 12),
        testbed=st.sampled_from([SIMULATED, SIMULATED, "netns", "kernel"]),
        priority=st.integers(-1, 1),
        keyed=st.booleans(),
    )
    def submit(self, count: int, testbed: str, priority: int, keyed: bool) -> None:  # noqa: FBT001
        batch = self.next_id
        self.world.submit(
            waiting(
                batch + n,
                batch=batch,
                testbed=testbed,
                priority=priority,
                key=f"k{n}" if keyed and testbed == SIMULATED else None,
            )
            for n in range(count)
        )
        self.next_id += count

    @rule(limit=st.integers(1, 20), fails=st.lists(st.sampled_from(["before", "after"]), max_size=2))
    def poll(self, limit: int, fails: list[str]) -> None:
        self.world.failing_claims = fails
        self.world.poll(limit)

    @precondition(lambda self: self.world.working)
    @rule(data=st.data())
    def a_task_comes_back(self, data: st.DataObject) -> None:
        self.world.come_back(data.draw(st.sampled_from(sorted(self.world.working))))

    @precondition(lambda self: self.world.working)
    @rule(data=st.data(), ended=st.integers(0, 3), trouble=TROUBLE)
    def a_task_comes_back_in_part(self, data: st.DataObject, ended: int, trouble: Trouble) -> None:
        self.kills += 1
        self.world.come_back(data.draw(st.sampled_from(sorted(self.world.working))), ended, trouble)

    @precondition(lambda self: self.world.working)
    @rule(data=st.data())
    def a_task_is_lost(self, data: st.DataObject) -> None:
        self.kills += 1
        task = data.draw(st.sampled_from(sorted(self.world.working)))
        del self.world.working[task]
        self.world.tell(Lost(task, "lost"))

    @precondition(lambda self: self.world.workers)
    @rule(data=st.data())
    def a_worker_dies(self, data: st.DataObject) -> None:
        self.kills += 1
        self.world.leave(data.draw(st.sampled_from(sorted(self.world.workers))))

    @precondition(lambda self: len(self.world.workers) < 4)
    @rule(host=st.sampled_from(["here", "there"]), live=st.booleans())
    def a_worker_joins(self, host: str, live: bool) -> None:  # noqa: FBT001
        testbeds = [SIMULATED, "netns", "kernel"] if live else [SIMULATED]
        self.world.join(worker(f"w{self.next_worker}", host, testbeds))
        self.next_worker += 1

    @precondition(lambda self: self.world.records)
    @rule(fails=st.sampled_from([None, None, "before", "after"]))
    def record(self, fails: str | None) -> None:
        self.world.record(fails)

    @rule()
    def the_scheduler_is_killed(self) -> None:
        self.world.killed()

    @precondition(lambda self: self.world.rows)
    @rule(data=st.data())
    def cancel(self, data: st.DataObject) -> None:
        self.world.cancel(data.draw(st.sampled_from(sorted(self.world.rows))))

    @precondition(lambda self: self.world.rows)
    @rule(data=st.data())
    def retry(self, data: st.DataObject) -> None:
        self.world.retry(data.draw(st.sampled_from(sorted(self.world.rows))))

    @rule(about=st.sampled_from(["disk", "database"]), over=st.booleans())
    def pause(self, about: str, over: bool) -> None:  # noqa: FBT001
        self.world.tell(Resumed(about) if over else Paused(about, "a reason"))

    @rule(testbed=st.sampled_from([SIMULATED, "netns", "kernel"]), why=st.sampled_from([None, "it is not there"]))
    def look(self, testbed: str, why: str | None) -> None:
        self.world.tell(Looked(testbed, why))

    @invariant()
    def a_run_ends_at_most_once(self) -> None:
        assert all(row.ends <= 1 for row in self.world.rows.values())
        assert all(row.state.ended for row in self.world.rows.values() if row.ends)

    @invariant()
    def a_live_run_is_alone_on_its_host(self) -> None:
        for host in ("here", "there"):
            tasks = self.world.on_host(host)
            assert len(tasks) <= 1 or all(run.testbed in VIRTUAL for task in tasks for run in task.runs)

    @invariant()
    def no_run_is_with_two_workers(self) -> None:
        runs = [run.id for task in self.world.working.values() for run in task.runs]
        # A cancelled run that was queued again may run again while the first is being stopped.
        held = [one for task in self.world.machine.tasks.values() for one in task.held]
        assert len(set(held)) == len(held)
        assert len(runs) <= len(held)

    @invariant()
    def the_same_events_give_the_same_instructions(self) -> None:
        if len(self.world.history) % 16 == 0:
            again = Machine()
            assert [again.handle(event) for event, _ in self.world.history] == [said for _, said in self.world.history]

    def teardown(self) -> None:
        """Once the trouble is over, everything ends, and only what was too often with the dead has failed."""
        for about in ("disk", "database"):
            self.world.tell(Resumed(about))
        for testbed in (SIMULATED, "netns", "kernel"):
            self.world.tell(Looked(testbed, None))
        self.world.join(worker("well", testbeds=(SIMULATED, "netns", "kernel")))
        self.world.join(*self.world.workers.values())
        self.world.drain()
        for row in self.world.rows.values():
            assert (row.state, row.ends) in {(State.DONE, 1), (State.CANCELLED, 0), (State.FAILED, 1)}
            assert row.state is not State.FAILED or self.kills >= MOST_DEATHS
        assert not self.world.machine.tasks


AnyOrder.TestCase.settings = settings(
    max_examples=150, stateful_step_count=50, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
TestAnyOrder = AnyOrder.TestCase
