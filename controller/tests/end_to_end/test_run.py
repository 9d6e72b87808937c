"""One experiment from its name to its report, with the real engine."""

from __future__ import annotations

import base64
import gzip
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from tests.end_to_end.command import tree, windlull
from windlull.metrics import METRICS

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

EXPERIMENT = "papers/sarolahti2003/table-1"

# A script may rely on these names.
PROMISED = {
    "elapsed_s",
    "throughput_bps",
    "goodput_bps",
    "segments_sent",
    "packets_lost",
    "retransmissions",
    "unnecessary_retransmissions",
    "spurious_timeouts",
    "genuine_timeouts",
    "spurious_fast_retransmits",
}


@dataclass(frozen=True)
class Finished:
    out: Path
    process: subprocess.CompletedProcess[str]
    results: dict[str, Any]


def run(out: Path, *options: str, experiment: str = EXPERIMENT) -> Finished:
    process = windlull("run", experiment, "--out", out, *options)
    assert process.returncode == 0, process.stderr
    return Finished(out, process, json.loads((out / "results.json").read_bytes()))


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Finished:
    base = tmp_path_factory.mktemp("run")
    return run(base / "out", "--reps", "2", "--jobs", "1", "--json", str(base / "results.json"))


def test_both_results_are_the_same_file(finished: Finished) -> None:
    assert (finished.out / "results.json").read_bytes() == (finished.out.parent / "results.json").read_bytes()


def test_results_have_the_documented_form(finished: Finished) -> None:
    assert list(finished.results) == ["experiment", "seed", "version", "conditions", "cells"]
    assert finished.results["experiment"] == EXPERIMENT
    assert isinstance(finished.results["seed"], str)
    for cell in finished.results["cells"]:
        assert list(cell) == ["variant", "link", "testbed", "runs", "metrics"]
        assert cell["testbed"] == "sim"
        assert cell["runs"] == 2
        assert set(cell["metrics"]) >= PROMISED
        for summary in cell["metrics"].values():
            assert list(summary) == ["median", "mean", "q1", "q3", "min", "max", "values"]
            assert len(summary["values"]) <= 2


def test_every_metric_of_the_engine_is_one_we_know_and_the_other_way_round(finished: Finished) -> None:
    measured = {name for cell in finished.results["cells"] for name in cell["metrics"]}
    assert measured <= set(METRICS)
    of_several_flows = {"flow_fairness", "flow_elapsed_mean_s", "flow_goodput_mean_bps"}
    of_commands = {
        "exit_code", "packets_down", "packets_up", "arrived_down_bps", "arrived_up_bps",
        "delay_down_s", "delay_up_s", "delay_down_p95_s", "delay_up_p95_s",
    }  # fmt: skip
    of_kernels = {"limited_by_send_buffer"}
    of_quic = {
        "packets_declared_lost", "spurious_losses", "spurious_losses_by_packets", "spurious_losses_by_time",
        "spurious_losses_by_timeout", "loss_detection_s", "spurious_window_loss_bytes", "windows_restored",
    }  # fmt: skip
    of_replays = {"replayed_packets", "unrecorded_packets", "unrecorded_from_s", "resized_packets"}
    of_scripts = {"unmet_entries"}
    of_others = of_several_flows | of_commands | of_kernels | of_quic | of_replays | of_scripts
    of_requests = {name for name in METRICS if name.startswith("task_completion")}
    missing = set(METRICS) - measured - ({"detection_delay_s"} | of_requests | of_others)
    assert not missing, f"no run here has {sorted(missing)}; name above which runs have them, if others do"


def test_what_no_transfer_can_do(finished: Finished) -> None:
    for cell in finished.results["cells"]:
        of = {name: summary["values"] for name, summary in cell["metrics"].items()}
        for repetition in range(cell["runs"]):
            value = {name: values[repetition] for name, values in of.items() if len(values) == cell["runs"]}
            assert value["unnecessary_retransmissions"] <= value["retransmissions"] < value["segments_sent"]
            assert value["goodput_bps"] <= value["throughput_bps"]
            assert value["congestion_losses"] <= value["packets_lost"]
            assert value["spurious_fast_retransmits"] <= value["fast_retransmits"]
            answers = [
                value[f"detector_{sort}_{side}s"] for sort in ("true", "false") for side in ("positive", "negative")
            ]
            timeouts = value["spurious_timeouts"] + value["genuine_timeouts"]
            # A timeout that is repeated before any answer counts once.
            assert min(1, timeouts) <= sum(answers) <= timeouts


def test_every_run_has_its_files(finished: Finished) -> None:
    directories = sorted((finished.out / "runs").glob("*/*"))
    assert len(directories) == 2 * len(finished.results["cells"])
    for directory in directories:
        assert {file.name for file in directory.iterdir()} == {
            "run.json", "series.json.gz", "server.pcapng", "client.pcapng", "fates.csv", "events.jsonl",
        }  # fmt: skip
    assert sorted(path.name for path in finished.out.iterdir()) == [
        "experiment.json", "report.html", "results.json", "runs",
    ]  # fmt: skip


def test_the_results_are_those_of_the_runs(finished: Finished) -> None:
    for cell in finished.results["cells"]:
        for repetition in (1, 2):
            file = finished.out / "runs" / cell["variant"] / f"{repetition:03}" / "run.json"
            metrics = json.loads(file.read_bytes())["metrics"]
            assert metrics["elapsed_s"] == cell["metrics"]["elapsed_s"]["values"][repetition - 1]


def test_the_experiment_carries_its_provenance(finished: Finished) -> None:
    experiment = json.loads((finished.out / "experiment.json").read_bytes())["experiment"]
    assert experiment["name"] == EXPERIMENT
    assert experiment["version"] == finished.results["version"]
    assert re.fullmatch(r"([0-9a-f]{7,40}|unknown)(\+[0-9a-f]{12})?", experiment["commit"])


def test_the_report_carries_every_run(finished: Finished) -> None:
    html = (finished.out / "report.html").read_text(encoding="utf-8")
    (report,) = re.findall(r'<script type="application/json" id="windlull-report">(.*?)</script>', html, re.DOTALL)
    runs = json.loads(report)["runs"]
    series = dict(re.findall(r'<script type="text/plain" data-run="(.*?)">(.*?)</script>', html))
    assert [one["key"] for one in runs] == list(series)
    for one in runs:
        drawn = json.loads(gzip.decompress(base64.b64decode(series[one["key"]])))
        assert drawn["run"]["variant"] == one["variant"]
        assert drawn["run"]["seed"] == one["seed"]
        for file in one["files"]:
            assert (finished.out / file).is_file()
    assert "http://" not in report


def test_the_terminal_shows_every_variant_and_the_report(finished: Finished) -> None:
    out = finished.process.stdout
    for cell in finished.results["cells"]:
        assert re.search(rf"^{re.escape(cell['variant'])} ", out, re.MULTILINE)
    assert out.rstrip().endswith(f"report: {finished.out / 'report.html'}")
    # A pipe has no width: nothing is cut for it.
    assert "…" not in out
    assert "\x1b" not in out + finished.process.stderr
    total = 2 * len(finished.results["cells"])
    assert f"{total} of {total} runs finished" in finished.process.stderr
    lines = finished.process.stderr.splitlines()
    first = next(place for place, line in enumerate(lines) if "runs finished" in line)
    assert any(line.startswith("estimate: ") and "of disk" in line for line in lines[:first])
    assert any(line.startswith("limits: a run may use ") and "of memory" in line for line in lines[:first])


def test_the_same_seed_gives_the_same_bytes_whatever_the_jobs(finished: Finished, tmp_path: Path) -> None:
    again = run(tmp_path / "again", "--reps", "2", "--jobs", "4")
    assert tree(again.out) == tree(finished.out)


def test_another_seed_gives_other_bytes(finished: Finished, tmp_path: Path) -> None:
    other = run(tmp_path / "other", "--reps", "2", "--seed", "18446744073709551615")
    assert other.results["seed"] == "18446744073709551615"
    assert tree(other.out)["experiment.json"] != tree(finished.out)["experiment.json"]
    assert tree(other.out) != tree(finished.out)


def test_no_file_says_where_it_lies(finished: Finished) -> None:
    place = str(finished.out.parent).encode()
    for file in finished.out.rglob("*"):
        if file.is_file():
            content = file.read_bytes()
            assert place not in content, file
            if file.suffix == ".gz":
                assert place not in gzip.decompress(content), file


def test_without_captures_the_numbers_are_the_same(finished: Finished, tmp_path: Path) -> None:
    bare = run(tmp_path / "bare", "--reps", "2", "--no-pcap")
    assert bare.results == finished.results
    assert list(bare.out.rglob("*.pcapng")) == []


def test_the_directory_has_the_name_of_the_experiment_unless_given(tmp_path: Path) -> None:
    done = windlull("run", EXPERIMENT, "--reps", "1", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["papers-sarolahti2003-table-1"]
    assert "report: out/papers-sarolahti2003-table-1/report.html" in done.stdout


def test_a_second_run_replaces_the_first(tmp_path: Path) -> None:
    run(tmp_path / "out", "--reps", "3")
    second = run(tmp_path / "out", "--reps", "1")
    assert {path.name for path in (second.out / "runs").glob("*/*")} == {"001"}
    assert sorted(path.name for path in second.out.iterdir()) == [
        "experiment.json", "report.html", "results.json", "runs",
    ]  # fmt: skip


def test_a_table_of_the_paper_shows_its_numbers_and_judges_its_claims(tmp_path: Path) -> None:
    # Six pairs are the fewest of which a median has an interval.
    table = run(tmp_path / "table", "--reps", "6", "--no-pcap", experiment="papers/sarolahti2003/table-1")
    (row,) = [line for line in table.process.stdout.splitlines() if line.startswith("frto+sack ")]
    assert {"76.23", "4", "12"} <= set(row.split())
    assert re.search(r"^(reproduced|not reproduced)  ", table.process.stdout, re.MULTILINE)
    assert "95 % interval" in table.process.stdout
    single = run(tmp_path / "single", "--reps", "1", "--no-pcap", experiment="papers/sarolahti2003/table-1")
    assert "cannot be decided" in single.process.stdout


def test_two_links_have_a_table_each(tmp_path: Path) -> None:
    file = tmp_path / "two-links.toml"
    file.write_text(
        'title = "Two links"\n'
        'links = ["gprs", "umts-3g"]\n'
        'variants = ["sack", "frto+sack"]\n'
        'workload = "bulk-100-kib-down"\n'
        "repetitions = 2\n"
        'claim = [{ id = "a", text = "F-RTO is not slower", metric = "elapsed_s", left = "frto+sack", '
        'relation = "<=", right = "sack" }]\n',
        encoding="utf-8",
    )
    both = run(tmp_path / "out", "--no-pcap", experiment=str(file))
    assert [(cell["link"], cell["variant"]) for cell in both.results["cells"]] == [
        (link, variant) for link in ("gprs", "umts-3g") for variant in ("sack", "frto+sack")
    ]
    assert (both.out / "runs" / "umts-3g" / "frto+sack" / "002" / "run.json").is_file()
    assert both.process.stdout.count("medians of 2 runs") == 2
    assert "gprs: " in both.process.stdout
    assert "umts-3g: " in both.process.stdout
