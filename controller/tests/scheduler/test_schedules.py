"""Schedules, on both databases, with a clock that a test sets, the engine's plans, and runs that bring what it says."""

from __future__ import annotations

import json
from concurrent.futures import Executor, Future
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from sqlalchemy import select

from windlull.bounds import Bounds
from windlull.scheduler.schedules import Schedules, Threads
from windlull.schedules import messages, times
from windlull.schedules.asked import Asked, GateAsked
from windlull.schedules.posting import Answer
from windlull.store import documents, notices, runs, tags
from windlull.store import schedules as store
from windlull.store.runs import Ended
from windlull.store.tables import Batch, Cause, Notice, Round, RoundState, Run, Schedule, State

if TYPE_CHECKING:
    from collections.abc import Callable

    from windlull.store.database import Database
    from windlull.store.home import Home

START = datetime(2026, 1, 5, 12, tzinfo=UTC)
NIGHTLY = "30 2 * * *"
SECRET = "0123456789abcdef"  # noqa: S105 - a test's
EXPERIMENT = """
title = "Mine"
links = ["mobile-with-holds"]
variants = ["sack", "frto+sack"]
workload = "bulk-100-kib-down"
repetitions = 8
seed = 1
"""


class _AtOnce(Executor):
    """Does it where it is asked to, so that nothing is waited for."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except BaseException as error:  # noqa: BLE001 - as executors do
            future.set_exception(error)
        return future


class Service:
    """The schedules of a database, a clock, workers that bring what is said, and a receiver that answers so."""

    def __init__(self, database: Database, home: Home) -> None:
        self.database, self.home = database, home
        self.now = START
        self.posted: list[tuple[str, bytes, dict[str, str]]] = []
        self.answers: list[Answer] = []
        self.schedules = self.started()

    def started(self, bounds: Bounds | None = None) -> Schedules:
        """As a scheduler that has just been started."""
        return Schedules(
            self.database, self.home, bounds=bounds, clock=lambda: self.now, threads=Threads(_AtOnce(), _AtOnce()),
            post=self._post,
        )  # fmt: skip

    def _post(self, url: str, octets: bytes, headers: dict[str, str]) -> Answer:
        self.posted.append((url, octets, headers))
        return self.answers.pop(0) if self.answers else Answer(taken=True, words="200 OK")

    def go_on(self, after: timedelta = timedelta(), *, room: bool = True) -> None:
        """Let time pass, and the scheduler do what follows of it."""
        self.now += after
        for _ in range(4):
            self.now += timedelta(seconds=1)
            self.schedules.step(room=room)

    def make(self, *, cron: str | None = NIGHTLY, gate: GateAsked | None = None, **asked: Any) -> int:
        """Keep a schedule, which has a receiver."""
        made = Schedule(
            name="nightly", asked=msgspec.to_builtins(Asked(**{"experiment": "mine", **asked})),
            gate=msgspec.to_builtins(gate), cron=cron, zone="UTC", paused=False,
            next_at=None if cron is None else times.next_after(cron, "UTC", self.now),
            notice_url="http://example.org/hook", notice_secret=SECRET, address="http://here/", created_at=self.now,
        )  # fmt: skip
        with self.database.session() as session:
            store.add(session, made)
        return made.id

    def ask(self, number: int, commit: str | None = None) -> int:
        with self.database.session() as session:
            return store.ask(session, number, Cause.TRIGGER, commit, now=self.now).id

    def rounds(self, number: int) -> list[Round]:
        """All rounds, the oldest first."""
        with self.database.reader() as session:
            return list(reversed(store.rounds_of(session, number, before=None, limit=100)))

    def states(self, number: int) -> list[str]:
        return [one.state.value for one in self.rounds(number)]

    def finish(self, number: int, elapsed_s: Callable[[str, int], float | None]) -> int:
        """Let the batch of the newest round end: each run brings what it took, or fails; return the batch."""
        batch = self.rounds(number)[-1].batch_id
        assert batch is not None
        with self.database.session() as session:
            all_ = session.scalars(select(Run).where(Run.batch_id == batch, Run.state == State.QUEUED)).all()
            took = {one.id: elapsed_s(one.variant, one.repetition) for one in all_}
            held = runs.claim(session, sorted(took), "a worker", now=self.now)
            runs.record(
                session,
                [
                    Ended(one, State.FAILED, "no reason") if took[one.id] is None
                    else Ended(one, State.DONE, metrics={"elapsed_s": took[one.id]}, shared=False)
                    for one in held
                ],
                now=self.now,
            )  # fmt: skip
        return batch


@pytest.fixture
def service(database: Database, home: Home) -> Service:
    """One that has an experiment."""
    with database.session() as session:
        documents.create(session, "experiment", "mine", EXPERIMENT)
    return Service(database, home)


def usual(variant: str, repetition: int) -> float:
    return 10 + repetition / 10 + (variant == "sack")


def slow(variant: str, repetition: int) -> float:
    return usual(variant, repetition) * (1.2 if variant == "frto+sack" else 1)


GATE = GateAsked(fail_if=("elapsed.median > 1.05 * baseline",))


def test_a_batch_is_made_when_its_time_comes_and_not_before(service: Service) -> None:
    number = service.make(tags=("thesis",), fresh_seed=True)
    service.go_on(timedelta(hours=14, minutes=29))
    assert service.rounds(number) == []
    service.go_on(timedelta(minutes=1))
    assert service.states(number) == ["running"]
    service.finish(number, usual)
    service.go_on()
    service.go_on(timedelta(days=1))
    first, second = service.rounds(number)
    assert (first.state, first.verdict, second.state) == (RoundState.ENDED, None, RoundState.RUNNING)
    with service.database.reader() as session:
        assert tags.of(session, [first.batch_id or 0]) == {first.batch_id: ["nightly", "thesis"]}
        batches = [session.get_one(Batch, one.batch_id) for one in (first, second)]
        next_at = session.get_one(Schedule, number).next_at
    assert batches[0].seed != batches[1].seed
    assert next_at == datetime(2026, 1, 8, 2, 30, tzinfo=UTC)
    assert service.posted == []


def test_the_same_seed_each_time_unless_it_is_to_be_new(service: Service) -> None:
    number = service.make(cron=None, seed="77")
    for _ in range(2):
        service.ask(number)
        service.go_on()
        service.finish(number, usual)
        service.go_on()
    with service.database.reader() as session:
        assert [session.get_one(Batch, one.batch_id).seed for one in service.rounds(number)] == ["77", "77"]


def test_missed_times_run_once(service: Service) -> None:
    number = service.make()
    service.schedules = service.started()
    service.go_on(timedelta(days=9))
    assert service.states(number) == ["running"]
    with service.database.reader() as session:
        assert session.get_one(Schedule, number).next_at == datetime(2026, 1, 15, 2, 30, tzinfo=UTC)


def test_one_at_a_time_and_what_is_due_meanwhile_is_told(service: Service) -> None:
    number = service.make()
    service.go_on(timedelta(days=1))
    service.go_on(timedelta(days=1))
    assert service.states(number) == ["running", "skipped"]
    assert service.rounds(number)[1].reason == store.SKIPPED
    # What somebody asks for waits: it may be of a commit that is to be measured.
    service.ask(number, "abc1234")
    service.go_on()
    assert service.states(number) == ["running", "skipped", "waiting"]
    # The running batch is the first round's, not the newest's.
    with service.database.session() as session:
        runs.cancel_batch(session, service.rounds(number)[0].batch_id or 0, now=service.now)
    service.go_on()
    assert service.states(number) == ["ended", "skipped", "running"]
    assert "were cancelled" in (service.rounds(number)[0].reason or "")
    # Who cancelled it knows.
    assert service.posted == []
    with service.database.reader() as session:
        batch = session.get_one(Batch, service.rounds(number)[2].batch_id)
    assert (batch.commit, batch.note) == ("abc1234", "commit abc1234")


def test_it_waits_while_there_is_no_room(service: Service) -> None:
    number = service.make(cron=None)
    service.ask(number)
    service.go_on(room=False)
    assert service.states(number) == ["waiting"]
    service.schedules = service.started(Bounds(queued_runs=1))
    service.go_on()
    assert service.states(number) == ["waiting"]
    service.schedules = service.started()
    service.go_on()
    assert service.states(number) == ["running"]


def test_a_regression_is_told_once_and_compared_with_what_was_good(service: Service) -> None:
    number = service.make(gate=GATE)
    for took, verdict in ((usual, None), (usual, "pass"), (slow, "fail"), (slow, "fail"), (usual, "pass")):
        service.go_on(timedelta(days=1))
        service.finish(number, took)
        service.go_on()
        assert service.rounds(number)[-1].verdict == verdict
    made = service.rounds(number)
    assert [one.judged and one.judged["baseline"] for one in made] == [
        None, made[0].batch_id, made[1].batch_id, made[1].batch_id, made[1].batch_id,
    ]  # fmt: skip
    assert len(service.posted) == 2
    url, octets, headers = service.posted[0]
    said = json.loads(octets)
    assert url == "http://example.org/hook"
    assert headers[messages.SIGNATURE] == messages.signature(SECRET, octets)
    assert (said["event"], said["id"]) == ("gate-failed", headers[messages.DELIVERY])
    assert said["batch"] == {"id": made[2].batch_id, "address": f"http://here/batches/{made[2].batch_id}"}
    assert said["schedule"] == {"id": number, "name": "nightly", "experiment": "mine"}
    assert "elapsed.median &gt; 1.05 * baseline" in said["text"]
    assert said["text"].endswith(said["batch"]["address"])
    assert [check["status"] for check in said["gate"]["checks"]] == ["pass", "fail"]
    assert f"frto+sack of batch {made[2].batch_id}" in said["reason"]


def test_the_variants_of_a_batch_are_held_against_the_first(service: Service) -> None:
    number = service.make(cron=None, gate=GateAsked(GATE.fail_if, against="variants"))
    service.ask(number)
    service.go_on()
    service.finish(number, lambda variant, repetition: usual(variant, repetition) * (1 + (variant == "frto+sack")))
    service.go_on()
    assert service.rounds(number)[0].verdict == "fail"


def test_a_named_batch_is_the_baseline_until_it_is_gone(service: Service) -> None:
    first = service.make(cron=None)
    service.ask(first)
    service.go_on()
    baseline = service.finish(first, usual)
    with service.database.session() as session:
        session.get_one(Schedule, first).gate = msgspec.to_builtins(
            GateAsked(GATE.fail_if, against="batch", batch=baseline)
        )
    verdicts = []
    for took in (slow, usual):
        service.go_on()
        service.ask(first)
        service.go_on()
        service.finish(first, took)
        service.go_on()
        verdicts.append(service.rounds(first)[-1].verdict)
    with service.database.session() as session:
        runs.delete_batch(session, baseline)
    service.ask(first)
    service.go_on()
    service.finish(first, usual)
    service.go_on()
    last = service.rounds(first)[-1]
    assert [*verdicts, last.verdict] == ["fail", "pass", "unjudged"]
    assert last.judged
    assert f"batch {baseline} was deleted" in last.judged["words"]
    assert [json.loads(octets)["event"] for _, octets, _ in service.posted] == ["gate-failed", "gate-unjudged"]


def test_another_link_is_another_question(service: Service) -> None:
    number = service.make(cron=None, gate=GATE)
    for experiment in (EXPERIMENT, EXPERIMENT.replace("bulk-100-kib-down", "bulk-30-kb-down")):
        with service.database.session() as session:
            found = documents.find(session, "experiment", "mine")
            assert found is not None
            documents.update(session, "experiment", "mine", experiment, revision=found.revision)
        service.ask(number)
        service.go_on()
        service.finish(number, usual)
        service.go_on()
    last = service.rounds(number)[-1]
    assert last.verdict == "unjudged"
    assert last.judged
    assert "the workload is not the same in batches" in last.judged["words"]


def test_a_batch_with_failed_runs_is_told_and_no_baseline(service: Service) -> None:
    number = service.make(cron=None, gate=GATE)
    for took in (usual, lambda variant, repetition: None if repetition < 3 else usual(variant, repetition), usual):
        service.ask(number)
        service.go_on()
        service.finish(number, took)
        service.go_on()
    first, second, third = service.rounds(number)
    assert second.reason == "of 16 runs 4 failed"
    # What is missing may be what failed: nothing passes.
    assert second.verdict == "inconclusive"
    assert third.judged
    assert third.judged["baseline"] == first.batch_id
    ((_, octets, _),) = service.posted
    assert json.loads(octets)["event"] == "batch-failed"


def test_what_is_not_decided_is_told_to_the_strict_alone(service: Service) -> None:
    for strict, posts in ((False, 0), (True, 1)):
        number = service.make(cron=None, gate=GateAsked(("elapsed.p99 > 1.05 * baseline",), strict=strict))
        for _ in range(2):
            service.ask(number)
            service.go_on()
            service.finish(number, usual)
            service.go_on()
        assert service.rounds(number)[-1].verdict == "inconclusive"
        assert len(service.posted) == posts
        with service.database.session() as session:
            assert store.delete(session, number)


def test_what_cannot_be_made_is_told(service: Service) -> None:
    number = service.make(experiment="gone")
    service.go_on(timedelta(days=1))
    (made,) = service.rounds(number)
    assert (made.state, made.reason) == (RoundState.FAILED, "there is no experiment called gone")
    ((_, octets, _),) = service.posted
    said = json.loads(octets)
    assert (said["event"], said["batch"], said["gate"]) == ("not-started", None, None)
    assert said["text"] == "nightly: It was not started: there is no experiment called gone"


def test_a_batch_that_is_deleted_ends_its_round(service: Service) -> None:
    number = service.make(cron=None)
    service.ask(number)
    service.go_on()
    with service.database.session() as session:
        runs.delete_batch(session, service.rounds(number)[0].batch_id or 0)
    service.go_on()
    (made,) = service.rounds(number)
    assert (made.state, made.reason) == (RoundState.FAILED, "its batch was deleted")


def test_a_schedule_that_is_deleted_while_it_is_planned_leaves_no_batch(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = service.make(cron=None)
    service.ask(number)
    from windlull.schedules import making  # noqa: PLC0415

    real = making.order

    def delete_meanwhile(*arguments: Any) -> Any:
        with service.database.session() as session:
            store.delete(session, number)
        return real(*arguments)

    monkeypatch.setattr(making, "order", delete_meanwhile)
    service.go_on()
    with service.database.reader() as session:
        assert session.scalars(select(Batch)).all() == []
        assert session.scalars(select(Round)).all() == []


def test_a_notice_is_sent_again_later_and_later_and_then_given_up(service: Service) -> None:
    service.make(experiment="gone")
    service.answers = [Answer(taken=False, words="503 Service Unavailable")] * 100
    service.go_on(timedelta(days=1))
    assert len(service.posted) == 1
    for place, pause in enumerate(notices.AGAIN_AFTER, 2):
        # The service may be another one by then.
        service.schedules = service.started()
        service.go_on(pause - timedelta(seconds=10))
        assert len(service.posted) == place - 1
        service.go_on(timedelta(seconds=10))
        assert len(service.posted) == place
    assert {octets for _, octets, _ in service.posted} == {service.posted[0][1]}
    with service.database.reader() as session:
        (notice,) = session.scalars(select(Notice))
    assert (notice.state.value, notice.attempts) == ("given-up", len(notices.AGAIN_AFTER) + 1)
    assert notice.answer == "503 Service Unavailable"
    sent = len(service.posted)
    service.go_on(timedelta(hours=12))
    assert sum(octets == service.posted[0][1] for _, octets, _ in service.posted) == sent


def test_what_was_sent_and_not_written_down_is_sent_again(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    service.make(experiment="gone")

    class KilledError(BaseException):
        pass

    def killed(*_: object, **__: object) -> None:
        raise KilledError

    with monkeypatch.context() as patched:
        patched.setattr(notices, "answered", killed)
        with pytest.raises(KilledError):
            service.go_on(timedelta(days=1))
    service.schedules = service.started()
    service.go_on()
    assert len(service.posted) == 2
    first, again = service.posted
    assert first == again
    service.go_on(timedelta(minutes=1))
    assert len(service.posted) == 2


def test_neither_address_nor_secret_is_logged(service: Service, capsys: pytest.CaptureFixture[str]) -> None:
    service.make(experiment="gone")
    service.answers = [Answer(taken=False, words="no answer")]
    service.go_on(timedelta(days=1))
    said = "".join(capsys.readouterr())
    assert "notice sent" in said
    assert "example.org" not in said
    assert SECRET not in said


def test_only_so_many_rounds_wait(service: Service) -> None:
    number = service.make(cron=None)
    for _ in range(store.MOST_WAITING):
        service.ask(number)
    with pytest.raises(store.TooManyWaitError, match="20 rounds"):
        service.ask(number)
