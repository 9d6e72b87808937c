"""Runs in Linux kernels of their own, in virtual time: whole, exact, and the same each time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.end_to_end.command import faults, resets, said, windlull
from tests.kernel.making import record, run

if TYPE_CHECKING:
    from pathlib import Path

PAUSED = "papers/sarolahti2003/table-1"
"""Pauses that begin at a packet, link-layer buffers: the model plane alone has them."""
OURS, LINUX = "frto+newreno", "linux-newreno"
VARIANTS = f"{OURS},{LINUX}"
QUEUED = """
title     = "A queue, on either plane"
link      = "link.toml"
variants  = ["sack"]
workload  = "bulk-100-kib-down"

[live]
variants   = ["linux"]
time_limit = "5 min"
"""
PLAIN = f"""
title       = "Pauses"
link        = "sarolahti2003-sudden-delays"
variants    = ["{OURS}"]
workload    = "bulk-100-kib-down"
repetitions = 2
"""
REQUESTS = """
title       = "Pages"
link        = "link.toml"
variants    = ["sack"]
repetitions = 1

[workload]
kind      = "requests"
request   = "300 B"
size      = "20 kB"
count     = 4
direction = "down"

[live]
variants = ["linux"]
"""
BY_TIME = """
title       = "Eight seconds"
link        = "link.toml"
variants    = ["sack"]
repetitions = 1

[workload]
kind      = "bulk"
duration  = "8 s"
direction = "up"

[live]
variants = ["linux"]
"""
FLOWS = """
title       = "Two, and one that comes later and goes the other way"
link        = "link.toml"
variants    = ["sack"]
repetitions = 1

[workload]
kind      = "bulk"
size      = "300 kB"
direction = "down"
flows     = 2
gap       = "1.5 s"

[[workload.beside]]
kind      = "bulk"
duration  = "6 s"
direction = "up"
start     = "4 s"

[live]
variants = ["linux"]
"""
CONTROLS = """
title    = "Two congestion controls of one kernel"
link     = "link.toml"
variants = ["sack"]

[workload]
kind      = "bulk"
size      = "200 kB"
direction = "down"

[[workload.beside]]
kind      = "bulk"
size      = "200 kB"
direction = "down"
variant   = "linux-reno"

[live]
variants = ["linux"]
"""
PAUSING = """
title = "A pause"

[both]
rate  = "2 Mbit/s"
delay = "80 ms"
queue = { kind = "droptail", limit = "100 packets" }

[[script]]
on  = "down"
at  = "1500 ms"
for = "2 s"
do  = "hold"
"""
LOSING = """
title = "Two segments are lost"

[both]
rate  = "2 Mbit/s"
delay = "80 ms"
queue = { kind = "droptail", limit = "100 packets" }

[[script]]
on = "down"
at = "packet 20"
do = "drop"

[[script]]
on = "down"
at = "packet 60"
do = "drop"
"""
OVER_IPV6 = """
title    = "Over IPv6"
network  = "ipv6"
link     = "link.toml"
variants = ["sack"]

[workload]
kind      = "bulk"
size      = "600 kB"
direction = "down"

[live]
variants   = ["linux"]
time_limit = "5 min"
"""
SIDE_BY_SIDE = """
title       = "Ours, Linux, and ours the other way"
link        = "link.toml"
variants    = ["sack"]
repetitions = 1

[workload]
kind      = "bulk"
size      = "200 kB"
direction = "down"

[[workload.beside]]
kind      = "bulk"
size      = "200 kB"
direction = "down"
variant   = "linux"

[[workload.beside]]
kind      = "bulk"
size      = "50 kB"
direction = "up"
start     = "1 s"
"""
LINK = """
title = "A queue"

[both]
rate  = "200 kbit/s"
delay = "80 ms"
queue = { kind = "droptail", limit = "20 packets" }
"""


@pytest.fixture(scope="module")
def paused(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("paused") / "out"
    run(out, PAUSED, "--variants", VARIANTS, "--reps", "2")
    return out


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same link without the settings of the paper, under which much happens at the very same time."""
    home = tmp_path_factory.mktemp("plain")
    (home / "plain.toml").write_text(PLAIN, encoding="utf-8")
    run(home / "out", home / "plain.toml")
    return home / "out"


def test_a_run_is_as_whole_as_any(paused: Path) -> None:
    for variant in (OURS, LINUX):
        place = paused / "runs" / "kernel" / variant / "001"
        files = {file.name for file in place.iterdir()}
        assert files == {"run.json", "server.pcapng", "client.pcapng", "fates.csv", "events.jsonl", "series.json.gz"}
        recorded = record(paused, variant, 1)
        assert recorded["provenance"]["testbed"] == "kernel"
        assert recorded["provenance"]["kernel"].startswith("6.")
        assert recorded["certificate"]["valid"], recorded["certificate"]["reasons"]
        assert recorded["received"]["octets"] == 100 * 1024
        # Linux leaves checksums to the device until offloads are off, as they must be.
        assert not faults(place / "client.pcapng")
    assert record(paused, LINUX, 1)["settings"]["server.net.ipv4.tcp_sack"] == "0"


@pytest.mark.parametrize("side", ["sender", "receiver"])
def test_an_episode_of_linux_becomes_a_script_that_is_read(paused: Path, side: str, tmp_path: Path) -> None:
    place = paused / "runs" / "kernel" / LINUX / "001"
    for episode in record(paused, LINUX, 1)["episodes"]:
        number = str(episode["number"])
        exported = windlull("export", place, "--format", "packetdrill", "--episode", number, "--side", side)
        assert exported.returncode == 0, exported.stderr
        assert f"// --- Episode {number} begins: {episode['cause']}." in exported.stdout
        assert "sysctl -q net.ipv4.tcp_sack=0" in exported.stdout
        script = tmp_path / "x.pkt"
        script.write_text(exported.stdout, encoding="utf-8")
        # Ours need not do what Linux does; 2 would say that this is no script.
        played = windlull("run", script, "--variant", "newreno")
        assert played.returncode in {0, 1}, played.stderr
        assert played.stdout.startswith("TAP version 14\n1..1\n")


def test_no_packet_is_late(paused: Path) -> None:
    certificate = record(paused, LINUX, 1)["certificate"]
    # Nobody waits for a processor, and the plane takes no time; the kernel puts a timer off by half a microsecond.
    assert certificate["release_error_us"]["max"] < 1
    assert certificate["wire_error_us"]["max"] < 1
    assert certificate["stalls"]["count"] == 0


@pytest.mark.parametrize("repetition", [1, 2])
def test_our_tcp_does_there_what_it_does_simulated(plain: Path, repetition: int) -> None:
    simulated, real = (record(plain, OURS, repetition, testbed)["metrics"] for testbed in ("sim", "kernel"))
    assert real["elapsed_s"] == pytest.approx(simulated["elapsed_s"], abs=0.0001)
    for count in ("segments_sent", "packets_lost", "retransmissions", "spurious_timeouts"):
        assert real[count] == simulated[count]


def test_the_same_seed_gives_the_same_run(paused: Path, tmp_path: Path) -> None:
    run(tmp_path / "out", PAUSED, "--variants", VARIANTS, "--reps", "2", "--jobs", "1")
    for repetition in (1, 2):
        first, again = (record(out, LINUX, repetition)["metrics"] for out in (paused, tmp_path / "out"))
        assert again["elapsed_s"] == pytest.approx(first["elapsed_s"], rel=0.001)
        assert again["retransmissions"] == first["retransmissions"]


def test_the_planes_agree(tmp_path: Path) -> None:
    (tmp_path / "link.toml").write_text(LINK, encoding="utf-8")
    (tmp_path / "queued.toml").write_text(QUEUED, encoding="utf-8")
    elapsed = {}
    for plane in ("model", "netem"):
        out = tmp_path / plane
        run(out, tmp_path / "queued.toml", "--plane", plane)
        for variant in ("sack", "linux"):
            elapsed[variant, plane] = record(out, variant, 1)["metrics"]["elapsed_s"]
            assert record(out, variant, 1)["certificate"]["valid"]
    simulated = record(tmp_path / "model", "sack", 1, "sim")["metrics"]["elapsed_s"]
    for variant in ("sack", "linux"):
        assert elapsed[variant, "netem"] == pytest.approx(elapsed[variant, "model"], rel=0.01)
    assert elapsed["sack", "model"] == pytest.approx(simulated, rel=0.001)


@pytest.mark.parametrize("workload", [REQUESTS, BY_TIME])
def test_a_connection_is_used_as_simulated(tmp_path: Path, workload: str) -> None:
    (tmp_path / "link.toml").write_text(LINK, encoding="utf-8")
    (tmp_path / "experiment.toml").write_text(workload, encoding="utf-8")
    run(tmp_path / "out", tmp_path / "experiment.toml")
    simulated, real, linux = (
        record(tmp_path / "out", variant, 1, testbed)
        for variant, testbed in (("sack", "sim"), ("sack", "kernel"), ("linux", "kernel"))
    )
    ending = "closed" if workload == REQUESTS else "elapsed"
    assert {run["ending"]["end"] for run in (simulated, real, linux)} == {ending}
    for metric in ("elapsed_s", "task_completion_s", "task_completion_max_s", "goodput_bps"):
        if metric in simulated["metrics"]:
            assert real["metrics"][metric] == pytest.approx(simulated["metrics"][metric], rel=0.001)
            assert linux["metrics"][metric] == pytest.approx(simulated["metrics"][metric], rel=0.05)
    assert ("task_completion_s" in simulated["metrics"]) == (workload == REQUESTS)
    assert linux["certificate"]["valid"]
    assert linux["received"]["octets"] > 0
    assert "first_wrong" not in linux["received"]


def test_several_flows_do_there_what_they_do_simulated(tmp_path: Path) -> None:
    (tmp_path / "link.toml").write_text(LINK, encoding="utf-8")
    (tmp_path / "experiment.toml").write_text(FLOWS, encoding="utf-8")
    run(tmp_path / "out", tmp_path / "experiment.toml")
    simulated, real, linux = (
        record(tmp_path / "out", variant, 1, testbed)
        for variant, testbed in (("sack", "sim"), ("sack", "kernel"), ("linux", "kernel"))
    )
    assert {one["ending"]["end"] for one in (simulated, real, linux)} == {"closed"}
    assert [len(one["flows"]) for one in (simulated, real, linux)] == [3, 3, 3]
    for one, same in zip(simulated["flows"], real["flows"], strict=True):
        for metric in ("elapsed_s", "goodput_bps"):
            assert same[metric] == pytest.approx(one[metric], rel=0.001), metric
        for count in ("segments_sent", "retransmissions", "genuine_timeouts", "packets_lost"):
            assert same[count] == one[count], count
    assert linux["certificate"]["valid"]
    # What the link carries is shared, whoever sends.
    assert linux["metrics"]["flow_fairness"] > 0.5
    assert linux["flows"][2]["elapsed_s"] == pytest.approx(6, abs=0.5)


def test_flows_of_one_kernel_may_have_congestion_controls_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "link.toml").write_text(LINK, encoding="utf-8")
    (tmp_path / "experiment.toml").write_text(CONTROLS, encoding="utf-8")
    seen = []
    for name in ("first", "again"):
        run(tmp_path / name, tmp_path / "experiment.toml", "--variants", "linux")
        recorded = record(tmp_path / name, "linux", 1)
        assert recorded["settings"]["server.socket.TCP_CONGESTION"] == "cubic"
        assert recorded["settings"]["server.flow_2.socket.TCP_CONGESTION"] == "reno"
        assert "first_wrong" not in recorded["received"]
        seen.append([(flow["elapsed_s"], flow["segments_sent"]) for flow in recorded["flows"]])
    first, again = seen
    for (elapsed, segments), (elapsed_again, segments_again) in zip(first, again, strict=True):
        assert elapsed_again == pytest.approx(elapsed, rel=0.001)
        assert segments_again == segments


def test_ours_and_linux_send_side_by_side(tmp_path: Path) -> None:
    (tmp_path / "link.toml").write_text(LINK, encoding="utf-8")
    (tmp_path / "experiment.toml").write_text(SIDE_BY_SIDE, encoding="utf-8")
    run(tmp_path / "out", tmp_path / "experiment.toml")
    recorded = record(tmp_path / "out", "sack", 1)
    assert recorded["ending"]["end"] == "closed"
    assert recorded["certificate"]["valid"], recorded["certificate"]["reasons"]
    for host in ("server", "client"):
        assert recorded["settings"][f"{host}.stack"] == "windlull"
        assert recorded["settings"][f"{host}.flow_2.stack"] == "linux"
        assert f"{host}.flow_3.stack" not in recorded["settings"]
    assert recorded["settings"]["server.flow_2.socket.TCP_CONGESTION"] == "cubic"
    ours, linux, up = recorded["flows"]
    # 400 kB take 16 s of the link; a connection that a kernel had reset would have none.
    assert ours["elapsed_s"] + linux["elapsed_s"] > 16
    assert min(flow["goodput_bps"] for flow in (ours, linux, up)) > 30_000
    assert "first_wrong" not in recorded["received"]
    place = tmp_path / "out" / "runs" / "kernel" / "sack" / "001"
    for end in ("server", "client"):
        assert resets(place / f"{end}.pcapng") == ""


def test_linux_has_its_word_beside_ours_and_not_beside_itself(tmp_path: Path) -> None:
    (tmp_path / "link.toml").write_text(PAUSING, encoding="utf-8")
    beside = SIDE_BY_SIDE.partition('\n[[workload.beside]]\nkind      = "bulk"\nsize      = "50 kB"')[0]
    beside = beside.replace("200 kB", "600 kB")
    heard = []
    for name, flows in (("one", 1), ("two", 2)):
        (tmp_path / "experiment.toml").write_text(f"{beside}flows = {flows}\n", encoding="utf-8")
        run(tmp_path / name, tmp_path / "experiment.toml")
        linux = record(tmp_path / name, "sack", 1)["flows"][1]
        assert linux["spurious_timeouts"] == 1
        heard.append(linux["detector_true_positives"])
    assert heard == [1, 0]


@pytest.mark.parametrize("plane", ["model", "netem"])
def test_runs_over_ipv6_are_as_whole_as_any(tmp_path: Path, plane: str) -> None:
    # Its queue has room for all that is sent again.
    (tmp_path / "link.toml").write_text(PAUSING.replace("100 packets", "400 packets"), encoding="utf-8")
    (tmp_path / "over.toml").write_text(OVER_IPV6, encoding="utf-8")
    run(tmp_path / "out", tmp_path / "over.toml", "--plane", plane)
    simulated = record(tmp_path / "out", "sack", 1, "sim")["metrics"]
    for variant in ("sack", "linux"):
        recorded = record(tmp_path / "out", variant, 1)
        certificate, metrics = recorded["certificate"], recorded["metrics"]
        assert certificate["valid"], certificate["reasons"]
        assert (certificate["plane_drops"], certificate["unmatched"]) == (0, 0)
        assert (certificate["super_packets"], certificate["bad_checksums"]) == (0, 0)
        assert recorded["received"]["octets"] == 600_000
        assert "first_wrong" not in recorded["received"]
        # Nothing was lost: a pause is all that happened, and whoever took it for a loss was wrong.
        assert (metrics["packets_lost"], metrics["genuine_timeouts"]) == (0, 0)
        assert metrics["spurious_timeouts"] > 0
        assert recorded["settings"]["server.address"] == "2001:2::1"
        place = tmp_path / "out" / "runs" / "kernel" / variant / "001"
        for end in ("server", "client"):
            capture = place / f"{end}.pcapng"
            assert faults(capture) == ""
            assert resets(capture) == ""
            addresses = said(["tshark", "-n", "-r", str(capture), "-T", "fields", "-e", "ipv6.addr"]).split()
            assert set(addresses) == {"2001:2::1,2001:2::2", "2001:2::2,2001:2::1"}
            lengths = said(["tshark", "-n", "-r", str(capture), "-T", "fields", "-e", "frame.len"]).split()
            assert max(map(int, lengths)) == 14 + 1_500
    ours = record(tmp_path / "out", "sack", 1)["metrics"]
    for count in ("segments_sent", "retransmissions", "spurious_timeouts"):
        assert ours[count] == simulated[count], count
    assert ours["elapsed_s"] == pytest.approx(simulated["elapsed_s"], rel=0.001 if plane == "model" else 0.002)


@pytest.mark.parametrize("plane", ["model", "netem"])
def test_over_ipv6_losses_are_told_apart_without_numbers(tmp_path: Path, plane: str) -> None:
    # Without timestamps a segment that is sent again is the same octets; captures alone tell which was lost.
    (tmp_path / "link.toml").write_text(LOSING, encoding="utf-8")
    (tmp_path / "over.toml").write_text(OVER_IPV6, encoding="utf-8")
    run(tmp_path / "out", tmp_path / "over.toml", "--plane", plane, "--variants", "sack,linux-no-timestamps")
    for variant in ("sack", "linux-no-timestamps"):
        recorded = record(tmp_path / "out", variant, 1)
        assert recorded["certificate"]["valid"], recorded["certificate"]["reasons"]
        metrics = recorded["metrics"]
        assert metrics["packets_lost"] == 2, variant
        assert metrics["spurious_timeouts"] == 0, variant
        assert recorded["retransmissions"]["necessary"] == 2, variant


def test_side_by_side_over_ipv6_no_kernel_resets_ours(tmp_path: Path) -> None:
    (tmp_path / "link.toml").write_text(LINK, encoding="utf-8")
    (tmp_path / "experiment.toml").write_text(f'network = "ipv6"\n{SIDE_BY_SIDE}', encoding="utf-8")
    run(tmp_path / "out", tmp_path / "experiment.toml")
    recorded = record(tmp_path / "out", "sack", 1)
    assert recorded["ending"]["end"] == "closed"
    assert recorded["certificate"]["valid"], recorded["certificate"]["reasons"]
    assert recorded["settings"]["server.flow_2.stack"] == "linux"
    assert min(flow["goodput_bps"] for flow in recorded["flows"]) > 30_000
    for end in ("server", "client"):
        assert resets(tmp_path / "out" / "runs" / "kernel" / "sack" / "001" / f"{end}.pcapng") == ""


def test_a_kernel_that_is_not_there_is_named(tmp_path: Path) -> None:
    process = windlull("run", PAUSED, "--testbed", "kernel", "--variants", "linux@nobody", cwd=tmp_path)
    assert process.returncode == 2
    assert "nobody" in process.stderr
    assert "windlull kernel build --name nobody" in process.stderr


def test_variants_on_two_kernels_are_compared(tmp_path: Path) -> None:
    # The same kernel twice: nothing may differ.
    process = windlull("compare", PAUSED, "--testbed", "kernel", "--variants", f"{LINUX},{LINUX}@stock", "--reps", "3",
                       "--metrics", "elapsed", "--out", tmp_path / "out", cwd=tmp_path)  # fmt: skip
    assert process.returncode == 0, process.stderr
    for repetition in (1, 2, 3):
        one, other = (record(tmp_path / "out", name, repetition)["metrics"] for name in (LINUX, f"{LINUX}@stock"))
        assert one["elapsed_s"] == pytest.approx(other["elapsed_s"], rel=0.001)


HELD = """
title = "Packets late for three seconds, then lost for six"

[both]
rate  = "1 Mbit/s"
delay = "50 ms"
queue = { kind = "droptail", limit = "100 packets" }

[[script]]
at  = "2 s"
for = "3 s"
do  = "hold"
on  = "down"

[[script]]
at  = "9 s"
for = "6 s"
do  = "drop"
on  = "down"
"""
DETECTED = """
title    = "Linux's word"
link     = "link.toml"
variants = ["sack"]
workload = "bulk-2-mb-down"

[live]
variants   = ["linux", "linux-no-timestamps"]
time_limit = "5 min"
"""


def test_linux_says_which_timeouts_were_spurious(tmp_path: Path) -> None:
    (tmp_path / "link.toml").write_text(HELD, encoding="utf-8")
    (tmp_path / "detected.toml").write_text(DETECTED, encoding="utf-8")
    run(tmp_path / "out", tmp_path / "detected.toml", "--variants", "linux,linux-no-timestamps")
    for variant, rule in (("linux", "timestamps (RFC 3522)"), ("linux-no-timestamps", "F-RTO (RFC 5682)")):
        recorded = record(tmp_path / "out", variant, 1)
        held = [one for one in recorded["timeouts"] if one["verdict"] == "spurious"]
        lost = [one for one in recorded["timeouts"] if one["verdict"] == "genuine"]
        assert [one["answer"] for one in held] == ["spurious"], variant
        assert lost, variant
        assert all(one["answer"] is None for one in lost), variant
        # On the first acknowledgement after the pause.
        assert 5.0 < held[0]["answered_ns"] / 1e9 < 5.3, variant
        metrics = recorded["metrics"]
        assert (metrics["detector_true_positives"], metrics["detector_false_positives"]) == (1, 0), variant
        assert metrics["detector_true_negatives"] > 0, variant
        rules = [step["rule"] for episode in recorded["episodes"] for step in episode["detector"] if step["answer"]]
        assert len(rules) == 1, variant
        assert rules[0].startswith(rule), rules
        assert "by the kernel's counter TCP" in rules[0]
    explained = windlull("explain", tmp_path / "out" / "runs" / "kernel" / "linux" / "001", cwd=tmp_path).stdout
    assert "Its answer: spurious, which was right." in " ".join(explained.split())
    assert "the recovery is over, and the kernel took nothing back" in " ".join(explained.split())


AT_THE_END = """
title = "The only segment is three seconds late, and what answers it first is lost"

[both]
rate  = "1 Mbit/s"
delay = "50 ms"
queue = { kind = "droptail", limit = "100 packets" }

[[script]]
at  = "90 ms"
for = "3 s"
do  = "hold"
on  = "down"

[[script]]
at  = "3.08 s"
for = "10.6 ms"
do  = "drop"
on  = "up"
"""


def test_the_last_acknowledgement_may_have_the_answer(tmp_path: Path) -> None:
    (tmp_path / "link.toml").write_text(AT_THE_END, encoding="utf-8")
    workload = 'title = "A segment"\nkind = "bulk"\nsize = "1000 B"\ndirection = "down"\n'
    (tmp_path / "short.toml").write_text(workload, encoding="utf-8")
    experiment = DETECTED.replace('"bulk-2-mb-down"', '"short.toml"')
    (tmp_path / "detected.toml").write_text(experiment, encoding="utf-8")
    run(tmp_path / "out", tmp_path / "detected.toml", "--variants", "linux")
    *_, last = record(tmp_path / "out", "linux", 1)["timeouts"]
    # The one that arrives acknowledges the FIN, too, after which the connection is no sender's any more.
    assert (last["verdict"], last["answer"]) == ("spurious", "spurious")
