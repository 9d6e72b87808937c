"""windlull diff: two variants on the same fates, the same run twice, and what cannot be compared."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

from tests.end_to_end.command import windlull

if TYPE_CHECKING:
    from pathlib import Path

EXPERIMENT = """\
title       = "One pause"
link        = "gprs-one-pause"
variants    = ["sack", "frto+sack"]
workload    = "bulk-100-kib-down"
repetitions = 2
"""


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("parted")
    (place / "pause.toml").write_text(EXPERIMENT, encoding="utf-8")
    done = windlull("run", place / "pause.toml", "--out", place / "out")
    assert done.returncode == 0, done.stderr
    return place / "out"


def test_two_variants_part_at_the_detector_s_first_decision(out: Path) -> None:
    done = windlull("diff", out / "runs" / "sack" / "001", out / "runs" / "frto+sack" / "001")
    assert done.returncode == 3, done.stderr
    text = " ".join(done.stdout.split())
    assert "The senders part by a decision of their own: both had heard the same." in text
    assert "F-RTO 1: timeout, retransmit the first segment and wait for two ACKs" in text
    assert "Going back after the timeout, in slow start (RFC 5681, section 3.1)." in text
    assert "F-RTO 2a: first ACK advances SND.UNA, send two new segments" in text
    assert "RFC 5682, section 2.1" in text
    assert "unnecessary retransmissions" in text


def test_json_is_the_engine_s_answer(out: Path) -> None:
    done = windlull("diff", out / "runs" / "sack" / "001", out / "runs" / "frto+sack" / "001", "--json")
    told = json.loads(done.stdout)
    assert told["parting"]["kind"] == {"a": "after-timeout", "b": "detector F-RTO 2a"}
    assert told["parting"]["window"]["a"]


def test_a_page_has_the_diagrams_of_both(out: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    done = windlull("diff", out / "runs" / "sack" / "001", out / "runs" / "frto+sack" / "001", "--report", page)
    assert done.returncode == 3, done.stderr
    text = page.read_text(encoding="utf-8")
    assert '"kind":"difference"' in text
    assert 'data-run="a"' in text
    assert 'data-run="b"' in text
    again = windlull("diff", out, "--variants", "sack,frto+sack", "--report", tmp_path / "none.html")
    assert again.returncode == 2
    assert "--report shows two runs; give a second run" in again.stderr
    assert not (tmp_path / "none.html").exists()


def test_the_same_run_does_not_part_from_itself(out: Path, tmp_path: Path) -> None:
    run = out / "runs" / "sack" / "001"
    shutil.copytree(run, tmp_path / "copy")
    done = windlull("diff", run, tmp_path / "copy")
    assert done.returncode == 0, done.stderr
    assert "They do not part: both senders sent the same" in done.stdout
    assert "Whether both have the same workload is not known" in done.stdout


def test_a_batch_is_counted_by_kinds(out: Path) -> None:
    done = windlull("diff", out, "--variants", "sack,frto+sack", "--json")
    assert done.returncode == 3, done.stderr
    told = json.loads(done.stdout)
    assert (told["pairs"], told["alike"]) == (2, 0)
    assert sum(kind["count"] for kind in told["kinds"]) == 2
    same = windlull("diff", out, "--variants", "sack,frto+sack")
    assert "after-timeout" in same.stdout
    assert "windlull diff " in same.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((".",), "give a second run; or, to compare two variants over a batch of runs, --variants A,B"),
        ((".", "--variants", "sack"), "--variants sack: give two variants"),
        ((".", "--variants", "sack,reno"), "no run of reno in it"),
        (("runs/sack", "runs/frto+sack/001"), "runs/sack: 2 runs; give the directory of one:\n  runs/sack/001"),
        (("runs/sack/001", "runs/frto+sack/001", "--variants", "a,b"), "two runs were given"),
        (("runs/sack/001", "nothing"), "nothing: no run.json in it; give the directory of a run"),
        (("runs/sack/001", "runs/sack/002", "--tolerance", "3"), "--tolerance"),
    ],
)
def test_what_cannot_be_compared_is_said(out: Path, arguments: tuple[str, ...], message: str) -> None:
    done = windlull("diff", *arguments, cwd=out)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stdout == ""
