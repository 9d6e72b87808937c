from __future__ import annotations

import json
from typing import Any

import pytest

from tests.examples import CERTIFICATE, INVALID, experiment_dict, failed_dict, line, live_dict, plan_line, run_dict
from windlull.errors import ExitCode
from windlull.runner.messages import Conversation, Progress, ProtocolError

UNSAID = {key: value for key, value in CERTIFICATE.items() if key != "valid"}
DONE = {"event": "done", "runs": 1}
BOTH = ("netns", "sim")


def heard(*lines: bytes) -> Conversation:
    conversation = Conversation()
    for one in lines:
        conversation.hear(one)
    return conversation


def test_a_whole_conversation() -> None:
    conversation = heard(plan_line(runs=1), line(run_dict()), line(DONE))
    assert conversation.done
    assert conversation.experiment is not None
    assert conversation.experiment.name == "tests/two-variants"
    assert [run.key for run in conversation.finished()] == ["sack/001"]


def test_finished_runs_stand_in_the_order_of_the_experiment() -> None:
    said = [run_dict("frto+sack", 2), run_dict("sack", 3), run_dict("frto+sack", 1), run_dict("sack", 1)]
    conversation = heard(plan_line(), *(line(one) for one in said))
    assert [run.key for run in conversation.finished()] == ["sack/001", "sack/003", "frto+sack/001", "frto+sack/002"]


def test_a_run_can_be_live_and_simulated_and_the_simulated_one_stands_first() -> None:
    simulated = run_dict("frto+sack", 1, directory="runs/sim/frto+sack/001")
    said = [live_dict("frto+sack"), live_dict("sack", certificate=INVALID), simulated]
    conversation = heard(plan_line(runs=4, testbeds=BOTH), *(line(one) for one in said), line(failed_dict("sack", 2)))
    assert [run.key for run in conversation.finished()] == [
        "netns/sack/001",
        "sim/frto+sack/001",
        "netns/frto+sack/001",
    ]
    assert [run.invalid for run in conversation.finished()] == [("the captures dropped 3 packets",), None, None]
    assert [failed.reason for failed in conversation.failed.values()] == ["the kernel refused a socket"]
    conversation.hear(line(DONE | {"runs": 4}))
    assert conversation.done


def far_dict(**changes: Any) -> dict[str, Any]:
    names = ("testbed", "variant", "link", "repetition", "seed", "directory", "place")
    far = {key: value for key, value in live_dict().items() if key in names}
    return far | {"event": "progress", "at_s": 2.5, "octets": 300, "of": 1200} | changes


def test_a_live_run_says_how_far_it_is_until_it_is_finished() -> None:
    conversation = heard(plan_line(runs=1, testbeds=BOTH), line(far_dict()))
    progress = conversation.hear(line(far_dict(at_s=3.5, octets=600)))
    assert isinstance(progress, Progress)
    assert (progress.octets, conversation.finished()) == (600, [])
    conversation.hear(line(live_dict()))
    conversation.hear(line(DONE))
    assert conversation.done
    with pytest.raises(ProtocolError, match="not in the plan"):
        heard(plan_line(runs=1, testbeds=BOTH), line(far_dict(variant="reno")))


def test_before_the_plan_nothing_is_finished() -> None:
    assert Conversation().finished() == []


@pytest.mark.parametrize(
    ("lines", "what"),
    [
        ([b"thread 'main' panicked\n"], "message 1 cannot be understood"),
        ([b"\n"], "message 1 cannot be understood"),
        ([b'{"event":"pl'], "message 1 cannot be understood"),
        ([b"\xff\n"], "message 1 cannot be understood"),
        ([b'{"event":"surprise"}\n'], "surprise"),
        ([b'{"runs":3}\n'], "event"),
        ([line(run_dict())], "a run before the plan"),
        ([plan_line(), plan_line()], "a second plan"),
        ([plan_line(), line(run_dict(variant="bbr"))], "variant 'bbr', which is not in the plan"),
        ([plan_line(), line(run_dict(link="edge"))], "link 'edge', which is not in the plan"),
        ([plan_line(), line(run_dict(repetition=4))], "repetition 4 of 3"),
        ([plan_line(), line(run_dict(repetition=0))], "repetition 0 of 3"),
        ([plan_line(), line(run_dict()), line(run_dict())], "the run sack/001 a second time"),
        ([plan_line(), line(run_dict(directory="/etc/sack/001"))], "not under runs/"),
        ([plan_line(), line(run_dict(directory="runs/../../sack"))], "not under runs/"),
        ([plan_line(), line(run_dict(metrics={"elapsed_s": "fast"}))], "metrics"),
        ([plan_line(), line(run_dict(metrics={"elapsed_s": None}))], "metrics"),
        ([plan_line(), line(run_dict(surprise=1))], "surprise"),
        ([plan_line(), line({key: value for key, value in run_dict().items() if key != "seed"})], "seed"),
        ([plan_line(), line(live_dict())], "testbed 'netns', which is not in the plan"),
        ([plan_line(testbeds=BOTH), line(live_dict(certificate=None))], "without a certificate"),
        ([plan_line(testbeds=BOTH), line(live_dict(certificate=UNSAID))], "valid"),
        ([plan_line(testbeds=BOTH), line(live_dict()), line(live_dict())], "the run netns/sack/001 a second time"),
        ([plan_line(testbeds=BOTH), line(failed_dict()), line(live_dict())], "the run netns/sack/001 a second time"),
        ([plan_line(), line(DONE)], "done after 0 runs, but it counts 1"),
        ([plan_line(), line(run_dict()), line(DONE), line(run_dict(repetition=2))], "after the last one"),
    ],
)
def test_what_the_engine_cannot_say(lines: list[bytes], what: str) -> None:
    with pytest.raises(ProtocolError) as error:
        heard(*lines)
    assert what in str(error.value)
    assert f"message {len(lines)} " in str(error.value)
    assert error.value.exit_code == ExitCode.FAILURE


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"seed": 1}, "seed"),
        ({"seed": "-1"}, "unsigned 64-bit"),
        ({"seed": "18446744073709551616"}, "unsigned 64-bit"),
        ({"variants": [{"title": "nameless"}]}, "name"),
        ({"published": {"source": "s", "columns": [], "rows": [{"variant": "a", "label": "b", "values": [1]}]}}, "'b'"),
        ({"claims": [{"id": "x", "text": "", "metric": "m", "left": "a", "relation": "==", "right": "b"}]}, "=="),
    ],
)
def test_a_plan_that_is_none(changes: dict[str, Any], what: str) -> None:
    with pytest.raises(ProtocolError) as error:
        heard(plan_line(**changes))
    assert what in str(error.value)


def test_the_largest_seed_is_kept_to_the_last_digit() -> None:
    conversation = heard(plan_line(seed="18446744073709551615"))
    assert conversation.experiment is not None
    assert conversation.experiment.seed == "18446744073709551615"


def test_the_plan_keeps_what_only_the_report_reads() -> None:
    conversation = heard(plan_line())
    assert conversation.plan is not None
    assert json.dumps(conversation.plan.experiment) == json.dumps(experiment_dict())


def test_a_published_value_is_found_by_variant_and_metric() -> None:
    published = {
        "source": "s",
        "columns": [{"metric": "elapsed_s", "label": "time"}],
        "rows": [{"variant": "sack", "label": "Regular SACK", "values": [94.13]}],
    }
    conversation = heard(plan_line(published=published))
    assert conversation.experiment is not None
    found = conversation.experiment.published
    assert found is not None
    assert found.value("sack", "elapsed_s") == 94.13
    assert found.value("sack", "packets_lost") is None
    assert found.value("sack", "retransmissions") is None
    assert found.value("newreno", "elapsed_s") is None
