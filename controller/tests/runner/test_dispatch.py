"""Calls to workers of our own: their answers, and what is known of workers that die or leave."""

from __future__ import annotations

import os
import queue
import signal
from typing import TYPE_CHECKING, Any

import pytest
from distributed import KilledWorker, get_worker

from windlull.runner.cluster import connect
from windlull.runner.dispatch import Dispatch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from distributed import Client

PATIENCE_S = 60

Heard = queue.SimpleQueue[tuple[Any, BaseException | None]]


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    with connect(None, 2, testbeds=("sim", "netns"), scratch=tmp_path) as client:
        client.wait_for_workers(2, PATIENCE_S)
        yield client


def heard_by(heard: Heard) -> Callable[[Any, BaseException | None], None]:
    return lambda answer, error: heard.put((answer, error))


def where() -> str:
    return str(get_worker().address)


def fail() -> None:
    raise ValueError("of the function")


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def say(topic: str) -> None:
    get_worker().log_event(topic, "something")


def test_the_worker_that_was_chosen_answers(client: Client) -> None:
    dispatch, heard = Dispatch(client), Heard()
    there = dispatch.there()
    assert list(there.values()) == [{"sim", "netns"}] * 2
    for address in there:
        dispatch.call(address, where, answered=heard_by(heard))
        assert heard.get(timeout=PATIENCE_S) == (address, None)


def test_what_a_function_raises_is_its_answer(client: Client) -> None:
    dispatch, heard = Dispatch(client), Heard()
    dispatch.call(next(iter(dispatch.there())), fail, answered=heard_by(heard))
    _, error = heard.get(timeout=PATIENCE_S)
    assert isinstance(error, ValueError)


def test_a_killed_worker_takes_all_its_calls_with_it_and_no_other(client: Client) -> None:
    dispatch, lost, kept = Dispatch(client), Heard(), Heard()
    first, second = dispatch.there()
    for function in (die, where):
        dispatch.call(first, function, answered=heard_by(lost))
    dispatch.call(second, where, answered=heard_by(kept))
    assert kept.get(timeout=PATIENCE_S) == (second, None)
    for _ in range(2):
        _, error = lost.get(timeout=PATIENCE_S)
        assert isinstance(error, KilledWorker)
    assert first not in dispatch.there(now=True)


def test_a_worker_that_leaves_in_order_is_not_there(client: Client) -> None:
    dispatch = Dispatch(client)
    first, second = dispatch.there()
    client.retire_workers([first])
    there = dispatch.there(now=True)
    assert first not in there
    assert second in there


def test_who_lets_go_of_a_call_hears_no_answer(client: Client) -> None:
    dispatch, heard = Dispatch(client), Heard()
    address = next(iter(dispatch.there()))
    dispatch.call(address, where, answered=lambda *_: heard.put(("let go", None))).cancel()
    dispatch.call(address, where, answered=heard_by(heard))
    assert heard.get(timeout=PATIENCE_S) == (address, None)
    assert heard.empty()


def test_what_a_worker_says_under_a_topic_is_heard(client: Client) -> None:
    dispatch = Dispatch(client)
    heard, answers = queue.SimpleQueue[str](), Heard()
    dispatch.hear("topic", heard.put)
    dispatch.call(next(iter(dispatch.there())), say, "topic", answered=heard_by(answers))
    assert heard.get(timeout=PATIENCE_S) == "something"
    assert answers.get(timeout=PATIENCE_S) == (None, None)


def test_nobody_is_there_when_the_scheduler_has_gone(tmp_path: Path) -> None:
    with connect(None, 1, scratch=tmp_path) as client:
        client.wait_for_workers(1, PATIENCE_S)
        dispatch = Dispatch(client)
        assert len(dispatch.there()) == 1
    assert dispatch.there(now=True) == {}
