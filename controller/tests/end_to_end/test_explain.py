"""windlull explain: what each detector saw and decided, on a shipped experiment that has them all."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.end_to_end.command import windlull

if TYPE_CHECKING:
    from pathlib import Path

DECISIONS = {
    "frto+sack": "F-RTO 3a: second ACK advances SND.UNA, the timeout was spurious. Its answer: spurious, which was",
    "frto-sack+sack": "F-RTO-SACK 3b: ACK covers data sent before the timeout, it was spurious. Its answer: spurious",
    "eifel+sack": "RFC 3522 step 6: the ACK echoes a segment older than the retransmission, the timeout was spurious.",
    "dsack+sack": "RFC 3708: another loss, cannot tell which retransmissions. Its answer: undecided.",
    "stoder+newreno": "STODER: first ACK covers more than was retransmitted, the original arrived",
    "snr+newreno": "SnR: first ACK covers the whole segment, the original arrived, the timeout was spurious.",
    "ecn-nonce+newreno": "ECN nonce: the sum on the first ACK has the original's nonce, the timeout was spurious.",
}


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("explained") / "out"
    done = windlull("run", "detectors", "--no-pcap", "--out", place)
    assert done.returncode == 0, done.stderr
    return place


@pytest.mark.parametrize("variant", DECISIONS)
def test_each_detector_says_what_it_saw_and_by_which_rule_it_decided(out: Path, variant: str) -> None:
    done = windlull("explain", out, "--variant", variant)
    assert done.returncode == 0, done.stderr
    text = " ".join(done.stdout.split())
    assert DECISIONS[variant] in text
    assert "The link held packets back down-link, for 3.000 s (script 1)" in text
    assert "(RFC 6298 (2.3), SRTT + max(G, 4 RTTVAR); smoothed round trip " in text
    assert "It was spurious: what it waited for was only late." in text
    assert "octets sent unnecessarily: " in text


def test_without_a_detector_the_window_goes_again_in_vain(out: Path) -> None:
    done = windlull("explain", out / "runs" / "sack" / "001", "--episode", "3")
    text = " ".join(done.stdout.split())
    assert "between octets 41216 and 42496: unnecessary." in text
    assert "the detector: " not in text
    assert "octets sent unnecessarily: 2048" in text


def test_json_is_the_episodes_of_the_record(out: Path) -> None:
    record = json.loads((out / "runs" / "sack" / "001" / "run.json").read_bytes())
    done = windlull("explain", out, "--variant", "sack", "--json")
    assert json.loads(done.stdout) == record["episodes"]
    one = windlull("explain", out, "--variant", "sack", "--episode", "2", "--json")
    assert json.loads(one.stdout) == record["episodes"][1:2]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "8 runs; choose one with --variant, --link or --repetition, or give its directory:\n  dsack+sack over"),
        (("--variant", "reno"), "none of its 8 runs is of variant reno"),
        (("--variant", "sack", "--episode", "99"), "there is no episode 99; the run has "),
    ],
)
def test_what_cannot_be_chosen_is_said(out: Path, arguments: tuple[str, ...], message: str) -> None:
    done = windlull("explain", out, *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stdout == ""


def test_what_is_no_run_is_bad_input(tmp_path: Path) -> None:
    missing = windlull("explain", tmp_path / "nothing")
    empty = windlull("explain", tmp_path)
    (tmp_path / "run.json").write_text('{"episodes": 3}')
    other = windlull("explain", tmp_path)
    assert (missing.returncode, empty.returncode, other.returncode) == (2, 2, 2)
    assert "does not exist" in missing.stderr
    assert "no run.json in it" in empty.stderr
    assert "is not a record of a run" in other.stderr
