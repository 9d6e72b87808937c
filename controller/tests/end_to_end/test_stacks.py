"""A stack from elsewhere, as the documents show it: aioquic, a process at each end, over our link in virtual time."""

from __future__ import annotations

import csv
import gzip
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests import qlog
from tests.end_to_end.command import windlull
from tests.qlog.valid import faults
from windlull import stacks
from windlull.errors import FailureError

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[3]
STACK = ROOT / "stacks" / "aioquic" / "aioquic_stack.py"
JUDGES_AGAIN = ROOT / "scripts" / "check_quic_verdicts.py"

LINK = """\
title = "A link that holds and loses"
down  = { rate = "4 Mbit/s", delay = "20 ms", queue = { kind = "droptail", limit = "60 packets" } }
up    = { rate = "2 Mbit/s", delay = "20 ms", queue = { kind = "droptail", limit = "60 packets" } }

[[impairment]]
name        = "loss"
on          = "down"
kind        = "loss"
probability = 0.01

[[script]]
at  = "700 ms"
do  = "hold"
on  = "both"
for = "900 ms"
"""


def variant(command: list[str]) -> str:
    return f'title = "A stack"\nstack = "transport"\n\n[transport]\ncommand = {json.dumps(command)}\n'


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("stacks")
    (place / "link.toml").write_text(LINK, encoding="utf-8")
    (place / "aioquic.toml").write_text(variant([sys.executable, str(STACK)]), encoding="utf-8")
    (place / "broken.toml").write_text(variant(["sh", "-c", "echo out of ideas >&2; exit 3"]), encoding="utf-8")
    (place / "quic.toml").write_text(
        'title = "aioquic beside a TCP of ours"\nlink = "link.toml"\nvariants = ["modern", "aioquic.toml"]\n'
        'workload = { kind = "bulk", direction = "down", size = "400 kB" }\nrepetitions = 2\nseed = 5\n',
        encoding="utf-8",
    )
    return place


@pytest.fixture(scope="module")
def out(place: Path) -> Path:
    out = place / "out"
    done = windlull("run", place / "quic.toml", "--out", out)
    assert done.returncode == 0, done.stderr
    assert "aioquic" in done.stdout
    return out


@pytest.fixture(scope="module")
def runs(out: Path) -> list[Path]:
    return [out / "runs" / "aioquic" / f"{repetition:03}" for repetition in (1, 2)]


def fields(file: Path, *names: str, only: str = "frame") -> list[list[str]]:
    """What tshark says of each packet: of several QUIC packets in one, all values, parted by commas."""
    asked = [word for name in names for word in ("-e", name)]
    done = subprocess.run(
        ["tshark", "-n", "-r", file, "-o", "udp.check_checksum:TRUE", "-Y", only, "-T", "fields", *asked],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    return [line.split("\t") for line in done.stdout.splitlines()]


def events(file: Path) -> Iterator[dict[str, Any]]:
    """The texts of a qlog sequence (RFC 7464)."""
    for text in file.read_text(encoding="utf-8").split("\x1e")[1:]:
        yield json.loads(text)


def packets(file: Path, event: str) -> list[tuple[str, int, list[dict[str, Any]]]]:
    """The type, number and frames of the packets of one event."""
    said = (one["data"] for one in events(file) if one.get("name") == event)
    heads = ((data["header"], data.get("frames", [])) for data in said)
    return [(head["packet_type"], head["packet_number"], frames) for head, frames in heads]


def sent_from(address: str) -> str:
    """What selects the packets from this address, as tshark has it."""
    return f"{'ipv6' if ':' in address else 'ip'}.src == {address}"


def shown(capture: Path, address: str) -> list[tuple[str, int]]:
    """The type and number of every QUIC packet from this address, as tshark decrypts them."""
    types = {"0": "initial", "2": "handshake"}
    found: list[tuple[str, int]] = []
    for long, all_numbers in fields(capture, "quic.long.packet_type", "quic.packet_number", only=sent_from(address)):
        # Packets with long headers come first in a datagram; what is left is of application data.
        kinds = [types[kind] for kind in long.split(",") if kind]
        of_packets = [int(number) for number in all_numbers.split(",")]
        kinds += ["1RTT"] * (len(of_packets) - len(kinds))
        found += zip(kinds, of_packets, strict=True)
    return found


def test_every_packet_is_decrypted_and_none_is_malformed(runs: list[Path]) -> None:
    for run in runs:
        with (run / "fates.csv").open(encoding="utf-8") as file:
            fates = list(csv.DictReader(line for line in file if not line.startswith("#")))
        for end, way, address in (("server", "down", "198.18.0.1"), ("client", "up", "198.18.0.2")):
            capture = run / f"{end}.pcapng"
            assert fields(capture, "frame.number", only="_ws.malformed || udp.checksum.status == 0") == []
            assert fields(capture, "frame.number", only="quic && !quic.frame_type") == []
            sent = sum(1 for fate in fates if fate["direction"] == way)
            assert len(fields(capture, "frame.number", only=f"ip.src == {address}")) == sent


def test_a_diagram_has_no_receive_window_where_none_is_told(runs: list[Path]) -> None:
    for run in runs:
        acks = json.loads(gzip.decompress((run / "series.json.gz").read_bytes()))["acks"]
        assert acks["ack"] == acks["edge"]
        assert len(acks["ack"]) > 10


def test_what_the_stack_says_is_what_the_captures_show(runs: list[Path]) -> None:
    for run in runs:
        for end, address in (("server", "198.18.0.1"), ("client", "198.18.0.2")):
            said = [(kind, number) for kind, number, _ in packets(run / f"{end}.sqlog", "quic:packet_sent")]
            assert shown(run / f"{end}.pcapng", address) == said


def judged_again(*options: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, JUDGES_AGAIN, *options], check=False, capture_output=True, text=True)


def test_the_verdicts_follow_from_qlogs_and_captures_alone(tmp_path: Path) -> None:
    again = judged_again("--runs", "12", "--seed", "7", "--keep", tmp_path)
    assert again.returncode == 0, again.stdout
    assert again.stdout.startswith("12 runs with ")
    assert again.stdout.endswith("no disagreements\n")
    assert " 0 " not in again.stdout, "verdicts of every kind"


def test_another_verdict_is_noticed(runs: list[Path], tmp_path: Path) -> None:
    other = tmp_path / "001"
    shutil.copytree(runs[0], other)
    told = json.loads((other / "run.json").read_bytes())
    told["metrics"]["spurious_losses"] += 1
    told["retransmissions"]["necessary"] -= 1
    (other / "run.json").write_text(json.dumps(told), encoding="utf-8")
    again = judged_again("--of", tmp_path)
    assert again.returncode == 1
    assert "losses: run.json says" in again.stdout
    assert again.stdout.endswith(": 2 disagreements\n")


def test_a_retransmission_has_its_verdict_in_the_capture(runs: list[Path]) -> None:
    for run in runs:
        told = json.loads((run / "run.json").read_bytes())
        comments = [row[0] for row in fields(run / "server.pcapng", "frame.comment", only="frame.comment")]
        assert 0 < len(comments) <= told["metrics"]["retransmissions"]
        assert any("necessary (data-lost): original lost" in comment for comment in comments)
        assert told["complete"]
        assert told["metrics"]["goodput_bps"] * told["metrics"]["elapsed_s"] / 8 == pytest.approx(400_000)


def test_a_qlog_begins_with_what_it_is(runs: list[Path]) -> None:
    head, *rest = events(runs[0] / "client.sqlog")
    assert head["file_schema"] == "urn:ietf:params:qlog:file:sequential"
    assert head["trace"]["vantage_point"] == {"type": "client"}
    assert "windlull" in head["description"]
    times = [event["time"] for event in rest]
    assert times == sorted(times)


def analyzed(*logs: Path) -> dict[str, Any]:
    done = windlull("analyze", *logs, "--json")
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def test_the_logs_of_both_ends_alone_give_the_verdicts_of_the_run(runs: list[Path]) -> None:
    for run in runs:
        told = json.loads((run / "run.json").read_bytes())
        found = analyzed(run / "server.sqlog", run / "client.sqlog")
        assert found["ends"] == "both"
        assert found["retransmissions"] == told["retransmissions"]
        for record in ("timeouts", "fast_retransmits"):
            of_both = [[(one["at_ns"], one["verdict"]) for one in of[record]] for of in (told, found)]
            assert of_both[0] == of_both[1]
        # Logs do not tell of the link's queues, nor when it lost what it lost.
        unsaid = {"packets_marked", "queue_delay_s", "loss_detection_s"}
        known = {name: value for name, value in told["metrics"].items() if name not in unsaid}
        assert {name: found["metrics"][name] for name in known} == known


def test_one_log_alone_says_what_it_cannot_know(runs: list[Path]) -> None:
    told = json.loads((runs[0] / "run.json").read_bytes())
    found = analyzed(runs[0] / "server.sqlog")
    assert found["ends"] == "sender"
    assert found["metrics"]["retransmissions"] == told["metrics"]["retransmissions"] > 0
    assert found["retransmissions"]["necessary"] == 0
    assert "packets_lost" not in found["metrics"]
    found = analyzed(runs[0] / "client.sqlog")
    assert found["ends"] == "receiver"
    listed = windlull("analyze", runs[0] / "server.sqlog", "--connections")
    assert "0.0.0.0:0" not in listed.stdout


def qlogs(runs: list[Path]) -> list[Path]:
    return [run / f"{end}.sqlog" for run in runs for end in ("server", "client")]


def test_qlogs_are_valid_by_their_drafts(runs: list[Path]) -> None:
    for file in qlogs(runs):
        assert list(faults(file)) == [], file


@pytest.mark.parametrize(
    ("written", "instead"),
    [
        ('"event_schemas"', '"schemas"'),
        ('"name":"quic:packet_lost"', '"name":"quic:packet_mislaid"'),
        ('"frame_type":"stream"', '"frame_type":"streem"'),
        ('"packet_type":"1RTT"', '"packet_type":"1rtt"'),
    ],
)
def test_what_the_drafts_do_not_have_is_a_fault(runs: list[Path], tmp_path: Path, written: str, instead: str) -> None:
    text = (runs[0] / "server.sqlog").read_text(encoding="utf-8")
    assert written in text
    other = tmp_path / "other.sqlog"
    other.write_text(text.replace(written, instead), encoding="utf-8")
    assert list(faults(other))


def test_a_reader_that_is_not_ours_knows_every_event(runs: list[Path]) -> None:
    reader = Path(qlog.__file__).parent / "reader" / "Cargo.toml"
    command = ["cargo", "run", "--quiet", "--locked", "--manifest-path", reader, "--target-dir", ROOT / "target/qlog"]
    read = subprocess.run([*map(str, [*command, "--", *qlogs(runs)])], check=True, capture_output=True, text=True)
    known = [tuple(map(int, line.split())) for line in read.stdout.splitlines()]
    names = [[event["name"] for event in events(file) if "name" in event] for file in qlogs(runs)]
    ours = [sum(1 for name in of_file if name.startswith("quic:")) for of_file in names]
    # What aioquic says beside, by older names, it takes as it is.
    assert known == [(count, len(of_file) - count) for count, of_file in zip(ours, names, strict=True)]


def test_the_same_seed_gives_the_same_sizes_and_fates(place: Path, runs: list[Path]) -> None:
    again = place / "again"
    done = windlull("run", place / "quic.toml", "--out", again, "--variants", str(place / "aioquic.toml"))
    assert done.returncode == 0, done.stderr
    for run in runs:
        of_both = [
            (root / "fates.csv").read_text(encoding="utf-8") for root in (run, again / "runs" / "aioquic" / run.name)
        ]
        assert of_both[0] == of_both[1]


def test_a_stack_that_dies_fails_its_runs_alone(place: Path) -> None:
    out = place / "broken"
    both = ",".join(str(place / name) for name in ("aioquic.toml", "broken.toml"))
    done = windlull("run", place / "quic.toml", "--out", out, "--reps", "1", "--variants", both)
    assert done.returncode == 1
    assert "ended at `start` (exit status: 3); it wrote: out of ideas" in done.stderr
    assert (out / "runs" / "aioquic" / "001" / "run.json").is_file()
    kept = {file.name for file in (out / "runs" / "broken" / "001").iterdir()}
    assert {"run.json", "server.sqlog", "client.pcapng"} <= kept


def test_a_stack_that_hides_its_acknowledgements_is_told_so(place: Path, tmp_path: Path) -> None:
    copied = tmp_path / "silent"
    shutil.copytree(STACK.parent, copied)
    text = STACK.read_text(encoding="utf-8")
    hides = """    if "frames" in (data := more.get("data") or {}):
        data["frames"] = [frame for frame in data["frames"] if frame["frame_type"] != "ack"]
    stdout.write("""
    (copied / STACK.name).write_text(text.replace("    stdout.write(", hides, 1), encoding="utf-8")
    silent = tmp_path / "silent.toml"
    silent.write_text(variant([sys.executable, str(copied / STACK.name)]), encoding="utf-8")
    out = tmp_path / "out"
    done = windlull("run", place / "quic.toml", "--out", out, "--reps", "1", "--variants", silent)
    assert done.returncode == 0, done.stderr
    run = json.loads((out / "runs" / "silent" / "001" / "run.json").read_text(encoding="utf-8"))
    assert any("told of no acknowledgement" in note for note in run["notes"])


@pytest.mark.parametrize(
    ("transport", "told"),
    [
        ('name = "quin"', 'there is no stack "quin" in'),
        ('name = "quin"', "do you mean quinn?"),
        ('command = ["./nobody-has-this"]', 'variant "wrong": there is no program ./nobody-has-this'),
        ('command = ["nobody-has-this"]', 'variant "wrong": there is no program nobody-has-this in PATH'),
    ],
)
def test_what_cannot_run_is_refused_before_it_does(tmp_path: Path, transport: str, told: str) -> None:
    wrong = tmp_path / "wrong.toml"
    wrong.write_text(f'title = "x"\nstack = "transport"\n\n[transport]\n{transport}\n', encoding="utf-8")
    checked = windlull("check", wrong)
    run = windlull("run", "quic/first-look", "--variants", wrong, "--out", tmp_path / "out")
    for done in (checked, run):
        assert done.returncode == 2
        assert told in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_sweep_has_stacks_as_other_variants(place: Path) -> None:
    medians = place / "medians.json"
    grid = ("--grid", "link.down.rate=2 Mbit/s,4 Mbit/s", "--reps", "1")
    done = windlull("sweep", place / "quic.toml", *grid, "--out", place / "sweep", "--json", medians)
    assert done.returncode == 0, done.stderr
    assert medians.read_text(encoding="utf-8").count('"aioquic"') == 2


def test_a_stack_that_is_not_built_is_named(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WINDLULL_STACKS", str(place / "nowhere"))
    done = windlull("run", "quic/first-look", "--out", place / "missing", "--variants", "quinn")
    assert done.returncode == 2
    assert 'there is no stack "quinn" in ' in done.stderr
    assert "`windlull stacks build quinn` builds it" in done.stderr
    assert not (place / "missing").exists()
    listed = windlull("stacks", "list")
    assert listed.returncode == 0
    assert "not built: noq, quiche, quinn, smoltcp; `windlull stacks build NAME` builds one" in listed.stdout
    unknown = windlull("stacks", "build", "quin")
    assert unknown.returncode == 2
    assert 'there is no stack "quin"' in unknown.stderr


def test_what_is_built_is_listed_without_the_adapters(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WINDLULL_STACK_SOURCES", str(place / "nowhere"))
    monkeypatch.setenv("WINDLULL_STACKS", str(place / "installed"))
    assert windlull("stacks", "list").returncode == 1
    engine = place / "installed" / "mine" / "engine"
    engine.parent.mkdir(parents=True)
    engine.write_text('#!/bin/sh\necho \'[{"name": "mine", "version": "mine 7", "options": {}}]\'\n', encoding="utf-8")
    engine.chmod(0o755)
    listed = windlull("stacks", "list")
    assert (listed.returncode, "mine 7" in listed.stdout, "not built" in listed.stdout) == (0, True, False)


def test_a_stack_that_does_not_build_says_what_it_needs(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commands = place / "commands"
    commands.mkdir()
    (commands / "cargo").write_text("#!/bin/sh\nexit 101\n", encoding="utf-8")
    (commands / "cargo").chmod(0o755)
    monkeypatch.setenv("PATH", f"{commands}:{os.environ['PATH']}")
    for name, needs in (("quinn", "Rust 1.85 or newer"), ("quiche", "what Debian has as cmake, g++, libclang-dev")):
        with pytest.raises(FailureError, match="cargo ended with exit code 101; it needs") as failure:
            stacks.build(STACK.parents[1], name, place / "built")
        assert str(failure.value).endswith(needs)


def test_the_example_is_as_long_as_the_page_says() -> None:
    lines = [line.strip() for line in STACK.read_text(encoding="utf-8").splitlines()]
    others = ("#", '"""', "import ", "from ")
    code = [line for line in lines if line and not line.startswith(others)]
    assert 45 <= len(code) <= 62
    assert stacks.adapters(STACK.parents[1]) == ["noq", "quiche", "quinn", "smoltcp"]
