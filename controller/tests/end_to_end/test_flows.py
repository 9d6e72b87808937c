"""Several flows, from the file to the results."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.end_to_end.command import windlull
from windlull.metrics import METRICS

if TYPE_CHECKING:
    from pathlib import Path

WORKLOAD = """
title = "two and one"
kind = "requests"
size = "20 kB"
request = "200 B"
every = "4 s"
count = 3
direction = "down"
flows = 2
[[beside]]
kind = "bulk"
duration = "9 s"
direction = "down"
variant = "newreno"
[[beside]]
kind = "constant-rate"
rate = "5 kbit/s"
packet = "200 B"
direction = "down"
"""
UP = """
[[beside]]
kind = "bulk"
size = "50 kB"
direction = "up"
start = "2 s"
"""
EXPERIMENT = """
title = "two and one"
link = "edge"
variants = ["sack", "frto+sack"]
workload = "workload.toml"
repetitions = 2
[tcp]
era = "2003"
[[claim]]
id = "slowest"
text = "The slower page does as well"
metric = "set_1_slowest_bps"
left = "frto+sack"
relation = ">="
right = "sack"
"""


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "workload.toml").write_text(WORKLOAD, encoding="utf-8")
    (tmp_path / "experiment.toml").write_text(EXPERIMENT, encoding="utf-8")
    return tmp_path


def test_all_flows_are_measured_and_the_first_is_shown(files: Path) -> None:
    ended = windlull("run", "experiment.toml", "--out", "out", cwd=files)
    assert ended.returncode == 0, ended.stderr
    (run,) = sorted(files.glob("out/**/sack/001/run.json"))[:1]
    record = json.loads(run.read_text(encoding="utf-8"))
    metrics, flows = record["metrics"], record["flows"]
    assert len(flows) == 3
    assert metrics["segments_sent"] == sum(flow["segments_sent"] for flow in flows)
    assert metrics["flow_3_goodput_bps"] == flows[2]["goodput_bps"]
    # What follows a spurious timeout is known where there was one.
    of_commands = {name for name in METRICS if name.endswith(("_up", "_down")) or "_up_" in name or "_down_" in name}
    of_kernels = {"limited_by_send_buffer"}
    of_quic = {
        "packets_declared_lost", "spurious_losses", "spurious_losses_by_packets", "spurious_losses_by_time",
        "spurious_losses_by_timeout", "loss_detection_s", "spurious_window_loss_bytes", "windows_restored",
    }  # fmt: skip
    of_scripts = {"unmet_entries"}
    of_replays = {"replayed_packets", "unrecorded_packets", "unrecorded_from_s", "resized_packets"}
    without = (
        {"detection_delay_s", "rto_settling_s", "exit_code"}
        | of_kernels
        | of_quic
        | of_replays
        | of_scripts
        | of_commands
        | {name for name in METRICS if "_spurious_s" in name}
    )
    promised = {"flow_1_task_completion_s", "set_1_slowest_bps", "set_2_fastest_bps", *METRICS}
    missing = promised - set(metrics) - without
    assert not missing, f"this run lacks {sorted(missing)}; name them above, if its flows cannot have them"
    # Two times three pages; the third flow's octets come on top.
    delivered = sum(record["course"]["delivered"])
    assert delivered > 2 * 3 * 20_000
    assert sum(record["course"]["sent"]) >= delivered
    assert record["ending"]["end"] == "closed"
    assert "The slower page does as well" in ended.stdout


def test_live_testbeds_say_what_of_flows_they_do_not_carry(files: Path) -> None:
    ended = windlull("run", "experiment.toml", "--testbed", "netns", "--plane", "netem", cwd=files)
    assert ended.returncode == 2
    assert "the netem plane carries the hosts' packets alone; the model plane can (--plane model)" in ended.stderr
    mixed = WORKLOAD.partition('[[beside]]\nkind = "constant-rate"')[0]
    (files / "workload.toml").write_text(mixed, encoding="utf-8")
    for name in ("linux-newreno", "linux-no-timestamps"):
        (files / "workload.toml").write_text(mixed.replace('"newreno"', f'"{name}"'), encoding="utf-8")
        ended = windlull("run", "experiment.toml", "--testbed", "netns", "--variants", "linux", cwd=files)
        assert ended.returncode == 2
        assert "whose kernel has one set of settings for all" in ended.stderr


@pytest.fixture
def crowds(files: Path) -> Path:
    """An experiment of more and more flows: the same link under two names."""
    for name in ("a", "b"):
        (files / f"{name}.toml").write_text(f'title = "{name}"\nextends = "edge"\n', encoding="utf-8")
    (files / "crowd.toml").write_text(
        'title = "t"\nkind = "bulk"\nsize = "9 kB"\ndirection = "down"\n', encoding="utf-8"
    )
    (files / "crowds.toml").write_text(
        'title = "t"\nlinks = ["a.toml", "b.toml"]\nflows = [1, 3]\nvariants = ["sack"]\nworkload = "crowd.toml"\n',
        encoding="utf-8",
    )
    return files


def test_each_link_has_its_own_number_of_flows(crowds: Path) -> None:
    ended = windlull("run", "crowds.toml", "--out", "out", "--no-pcap", cwd=crowds)
    assert ended.returncode == 0, ended.stderr
    runs = [json.loads(run.read_text(encoding="utf-8")) for run in sorted(crowds.glob("out/**/run.json"))]
    assert [len(run.get("flows", [])) for run in runs] == [0, 3]
    assert [sum(run["course"]["delivered"]) for run in runs] == [9000, 27000]


def test_live_testbeds_say_how_many_flows_they_carry(crowds: Path) -> None:
    text = (crowds / "crowds.toml").read_text(encoding="utf-8").replace("[1, 3]", "[100, 101]")
    (crowds / "crowds.toml").write_text(text, encoding="utf-8")
    ended = windlull("run", "crowds.toml", "--testbed", "netns", cwd=crowds)
    assert ended.returncode == 2
    assert '101 flows on link "b": live testbeds carry 100; --testbed sim has more' in ended.stderr
    assert "100 flows on" not in ended.stderr


@pytest.mark.live
@pytest.mark.long
def test_several_flows_run_live(files: Path) -> None:
    """Whether it was late is not asked: what came of it is as whole."""
    (files / "workload.toml").write_text(WORKLOAD.partition("[[beside]]")[0] + UP, encoding="utf-8")
    options = ("--testbed", "netns", "--variants", "sack,linux", "--reps", "1", "--attempts", "1", "--out", "out")
    ended = windlull("run", "experiment.toml", *options, cwd=files)
    assert ended.returncode == 0 or "none is valid by its certificate" in ended.stderr, ended.stderr
    for variant in ("sack", "linux"):
        run = files / "out" / "runs" / "netns" / variant / "001" / "run.json"
        record = json.loads(run.read_text(encoding="utf-8"))
        assert record["ending"]["end"] == "closed", variant
        first, second, up = record["flows"]
        assert first["task_completion_s"] > 0, variant
        assert second["task_completion_s"] > 0, variant
        assert up["goodput_bps"] > 0, variant
        # Both pages, three times each, and what went up besides.
        assert sum(record["course"]["delivered"]) == 2 * 3 * 20_000 + 50_000, variant
        assert record["received"]["octets"] == 3 * 20_000, variant


def test_each_link_is_run_with_each_of_several_workloads(tmp_path: Path) -> None:
    (tmp_path / "little.toml").write_text(
        'title = "Little"\nkind = "bulk"\nsize = "10 kB"\ndirection = "down"\n', encoding="utf-8"
    )
    (tmp_path / "experiment.toml").write_text(
        'title = "two of each"\nlinks = ["gprs", "edge"]\nvariants = ["sack"]\n'
        'workloads = ["bulk-100-kib-down", "little.toml"]\n',
        encoding="utf-8",
    )
    ended = windlull("run", "experiment.toml", "--out", "out", cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    delivered = {
        file.parents[2].name: sum(json.loads(file.read_text(encoding="utf-8"))["course"]["delivered"])
        for file in (tmp_path / "out" / "runs").glob("*/sack/001/run.json")
    }
    assert delivered == {
        "gprs+bulk-100-kib-down": 102_400,
        "gprs+little": 10_000,
        "edge+bulk-100-kib-down": 102_400,
        "edge+little": 10_000,
    }
    # What a link carries is a part of what is compared.
    other = tmp_path / "other"
    other.mkdir()
    for file in ("little.toml", "experiment.toml"):
        text = (tmp_path / file).read_text(encoding="utf-8")
        (other / file).write_text(text.replace("10 kB", "12 kB"), encoding="utf-8")
    assert windlull("run", "experiment.toml", "--out", "out", cwd=other).returncode == 0
    compared = windlull("compare", "--baseline", "out", "--candidate", str(other / "out"), cwd=tmp_path)
    assert compared.returncode == 2
    assert "the workload is not the same in" in compared.stderr
