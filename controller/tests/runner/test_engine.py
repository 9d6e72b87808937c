"""The process around the messages, with small programs that say what an engine could say."""

from __future__ import annotations

import os
import signal
import sys
from typing import TYPE_CHECKING

import pytest

from tests.examples import failed_dict, line, plan_line, run_dict
from windlull.errors import EngineError, ExitCode, FailureError
from windlull.runner import engine
from windlull.runner.messages import Conversation, ProtocolError
from windlull.runner.options import RunOptions

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from windlull.runner.messages import Failed, Plan, Run

SAY = "import os, signal, sys, time\nsay = lambda octets: os.write(1, octets)\n"
ONE_RUN = f"say({plan_line(runs=1)!r}); say({line(run_dict())!r})\n"
DONE = f"say({line({'event': 'done', 'runs': 1})!r})\n"
# An interrupt that comes before it is waited for is kept until then. signal.pause would miss it, and wait for ever.
KEPT = "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])\n"
AWAITED = "signal.sigwait([signal.SIGINT])\n"


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Puts a Python program in the place of the engine."""
    (tmp_path / "profiles").mkdir()
    monkeypatch.setenv("WINDLULL_PROFILES", str(tmp_path / "profiles"))

    def put(text: str) -> None:
        file = tmp_path / "engine"
        file.write_text(f"#!{sys.executable}\n{SAY}{text}", encoding="utf-8")
        file.chmod(0o755)
        monkeypatch.setenv("WINDLULL_ENGINE", str(file))

    return put


def nothing(_: Plan | Run | Failed) -> None:
    pass


def run(
    conversation: Conversation,
    on_plan: Callable[[Plan], None] = nothing,
    on_run: Callable[[Run | Failed], None] = nothing,
) -> ExitCode:
    return engine.run(["run", "x"], on_plan=on_plan, on_run=on_run, conversation=conversation)


def test_messages_are_heard_as_they_come(program: Callable[[str], None]) -> None:
    program(ONE_RUN + DONE)
    heard: list[str] = []
    code = run(
        Conversation(),
        on_plan=lambda plan: heard.append(f"plan of {plan.runs}"),
        on_run=lambda finished: heard.append(finished.key),
    )
    assert (code, heard) == (ExitCode.OK, ["plan of 1", "sack/001"])


def test_bad_input_passes_the_engines_words_on(program: Callable[[str], None]) -> None:
    program("sys.stderr.write('error: a.toml:3: lniks: unknown key; did you mean links?\\n'); sys.exit(2)")
    with pytest.raises(EngineError) as error:
        run(Conversation())
    assert str(error.value) == "error: a.toml:3: lniks: unknown key; did you mean links?"
    assert error.value.exit_code == ExitCode.BAD_INPUT


def test_a_flood_of_complaints_does_not_stop_the_engine(program: Callable[[str], None]) -> None:
    program("sys.stderr.write('x' * 3_000_000)\n" + ONE_RUN + DONE)
    assert run(Conversation()) == ExitCode.OK


@pytest.mark.parametrize(
    ("ending", "what"),
    [
        ("sys.exit(1)", "the engine ended with code 1 and no message"),
        ("sys.exit(101)", "the engine ended with code 101 and no message"),
        ("os.kill(os.getpid(), signal.SIGKILL)", "the engine was ended by SIGKILL"),
    ],
)
def test_an_engine_that_breaks_is_a_failure_and_its_finished_runs_are_known(
    program: Callable[[str], None], ending: str, what: str
) -> None:
    program(ONE_RUN + ending)
    conversation = Conversation()
    with pytest.raises(EngineError, match=what) as error:
        run(conversation)
    assert error.value.exit_code == ExitCode.FAILURE
    assert [finished.key for finished in conversation.finished()] == ["sack/001"]


def test_a_line_cut_short_by_a_kill_is_not_a_message(program: Callable[[str], None]) -> None:
    program(ONE_RUN + 'say(b\'{"event":"ru\'); os.kill(os.getpid(), signal.SIGKILL)')
    with pytest.raises(EngineError, match="SIGKILL"):
        run(Conversation())


def test_an_engine_that_ends_early_without_a_word_is_a_failure(program: Callable[[str], None]) -> None:
    program(ONE_RUN)
    with pytest.raises(ProtocolError, match="ended before it was done"):
        run(Conversation())


def test_nonsense_stops_the_engine(program: Callable[[str], None]) -> None:
    program(KEPT + "say(b'nonsense\\n')\n" + AWAITED + "sys.exit(130)")
    with pytest.raises(ProtocolError, match="message 1"):
        run(Conversation())


def test_what_goes_wrong_here_stops_the_engine(program: Callable[[str], None]) -> None:
    program(KEPT + ONE_RUN + AWAITED + "sys.exit(130)")

    def fail(_plan: Plan) -> None:
        raise FailureError("the disk is full")

    with pytest.raises(FailureError, match="the disk is full"):
        run(Conversation(), on_plan=fail)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_lets_the_engine_finish_its_run(program: Callable[[str], None], number: signal.Signals) -> None:
    last = line(run_dict(repetition=2))
    program(KEPT + ONE_RUN + AWAITED + f"say({last!r})\nsys.exit(130)")
    conversation = Conversation()
    before = signal.getsignal(number)
    code = run(conversation, on_run=lambda done: os.kill(os.getpid(), number) if done.repetition == 1 else None)
    assert code == ExitCode.INTERRUPTED
    assert [finished.repetition for finished in conversation.finished()] == [1, 2]
    assert signal.getsignal(number) == before


def test_a_second_interrupt_kills_an_engine_that_does_not_listen(program: Callable[[str], None]) -> None:
    # The engine says that the first interrupt came by finishing a run; that triggers the second.
    last = line(run_dict(repetition=2))
    program(KEPT + ONE_RUN + AWAITED + f"say({last!r})\nwhile True: " + AWAITED)
    code = run(Conversation(), on_run=lambda _: os.kill(os.getpid(), signal.SIGINT))
    assert code == ExitCode.INTERRUPTED


def test_an_interrupt_after_the_last_message_changes_nothing(program: Callable[[str], None]) -> None:
    program("signal.signal(signal.SIGINT, signal.SIG_IGN)\n" + ONE_RUN + DONE)
    code = run(Conversation(), on_run=lambda _: os.kill(os.getpid(), signal.SIGINT))
    assert code == ExitCode.OK


def test_a_program_that_cannot_be_started_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "engine").touch()
    monkeypatch.setenv("WINDLULL_ENGINE", str(tmp_path / "engine"))
    monkeypatch.setenv("WINDLULL_PROFILES", str(tmp_path))
    with pytest.raises(FailureError, match="cannot start the engine"):
        run(Conversation())
    with pytest.raises(FailureError, match="cannot start the engine"):
        engine.ask(["list", "links"])


def test_an_answer_that_is_not_json_is_a_failure(program: Callable[[str], None]) -> None:
    program("say(b'hello')")
    with pytest.raises(ProtocolError, match="answer to list"):
        engine.ask(["list", "links"])
    with pytest.raises(ProtocolError, match="answer to version"):
        engine.version()


def test_options_that_were_not_given_are_left_to_the_engine() -> None:
    assert RunOptions().arguments() == []
    full = RunOptions(repetitions=2, seed=0, jobs=1, captures=False)
    assert full.arguments() == ["--reps", "2", "--seed", "0", "--jobs", "1", "--no-pcap"]
    live = RunOptions(testbed="netns", plane="netem", attempts=3)
    assert live.arguments() == ["--testbed", "netns", "--plane", "netem", "--attempts", "3"]


def test_an_answer_that_is_a_text_comes_as_it_is(program: Callable[[str], None]) -> None:
    program("say(b'#!/bin/sh\\ntc qdisc add\\n')")
    assert engine.text(["export", "x"]) == b"#!/bin/sh\ntc qdisc add\n"


def test_a_run_that_failed_is_heard_like_one_that_did_not(program: Callable[[str], None]) -> None:
    say = f"say({plan_line(runs=1, testbeds=('netns', 'sim'))!r}); say({line(failed_dict())!r})\n"
    program(say + "sys.stderr.write('error: 1 of 1 runs failed\\n'); sys.exit(1)")
    heard: list[str] = []
    conversation = Conversation()
    with pytest.raises(EngineError, match="1 of 1 runs failed"):
        run(conversation, on_run=lambda ended: heard.append(ended.key))
    assert heard == ["netns/sack/001"]
    assert conversation.finished() == []
