"""`import windlull` with the real engine: the same runs, verdicts and words as the command's."""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest

import windlull as package
from tests.end_to_end.command import tree, windlull

if TYPE_CHECKING:
    from pathlib import Path

EXPERIMENT = "first-look"
REPETITIONS = 12
FRTO = ("frto+sack", "sack")


@pytest.fixture(scope="module")
def by_command(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("by-command") / "out"
    assert windlull("run", EXPERIMENT, "--reps", str(REPETITIONS), "--no-pcap", "--out", out).returncode == 0
    return out


@pytest.fixture(scope="module")
def batch() -> package.Batch:
    return package.load(EXPERIMENT).run(repetitions=REPETITIONS)


def test_an_experiment_says_what_it_is() -> None:
    experiment = package.load(EXPERIMENT)
    assert experiment.variants == ("sack", "frto+sack")
    assert experiment.links == ("mobile-with-holds",)
    assert experiment.resolved.repetitions == 5
    assert repr(experiment.set("tcp.initial_window", 3)) == "<Experiment first-look, tcp.initial_window=3>"
    assert repr(experiment) == "<Experiment first-look>"


def test_it_writes_what_the_command_writes(by_command: Path, tmp_path: Path) -> None:
    found = package.load(EXPERIMENT).run(repetitions=REPETITIONS, captures=False, out=tmp_path / "out")
    assert found.report == tmp_path / "out" / "report.html"
    assert tree(found.directory) == tree(by_command)


def test_a_temporary_one_has_the_same_runs_without_report_and_captures(by_command: Path, batch: package.Batch) -> None:
    theirs = tree(by_command)
    del theirs["report.html"]
    assert tree(batch.directory) == theirs
    assert batch.report is None
    assert batch.table().equals(package.read(by_command).table())
    directory = package.load(EXPERIMENT).run(repetitions=1).directory
    gc.collect()
    assert not directory.exists()


def test_verdicts_are_those_of_the_command(by_command: Path, batch: package.Batch, tmp_path: Path) -> None:
    done = windlull("compare", by_command, "--variants", ",".join(FRTO), "--json", tmp_path / "c.json")
    assert done.returncode == 0, done.stderr
    verdicts = batch.compare(*FRTO)
    assert verdicts.text == done.stdout.strip("\n")
    assert verdicts.json() == (tmp_path / "c.json").read_bytes()
    findings = {one.metric: one.verdict for one in verdicts}
    assert findings["unnecessary_retransmissions"] == "worse"
    run_for_it = package.load(EXPERIMENT).compare(*FRTO, repetitions=REPETITIONS)
    assert run_for_it.findings == verdicts.findings
    assert run_for_it.about.notes == ()


def test_a_gate_is_that_of_the_command(by_command: Path, batch: package.Batch) -> None:
    rule = "unnecessary_retransmissions.mean > 30"
    done = windlull("gate", by_command, "--variants", ",".join(FRTO), "--fail-if", rule)
    assert done.returncode == 3, done.stderr
    verdict = batch.gate(rule, baseline=FRTO[0])
    assert (verdict.failed, verdict.status) == (True, "fail")
    assert [line.split() for line in verdict.text.splitlines()][-1] == ["gate:", "fail"]
    assert " ".join(verdict.text.split()) == " ".join(done.stdout.split())


def test_repetitions_are_doubled_until_it_is_decided() -> None:
    rule = "unnecessary_retransmissions.mean > 10"
    verdict = package.load(EXPERIMENT).gate(rule, *FRTO, repetitions=5, until_decided=40)
    assert verdict.failed
    assert any(note.startswith("look ") for note in verdict.about.notes)
    with pytest.raises(package.BadInputError, match="the first 5 repetitions are more"):
        package.load(EXPERIMENT).gate(rule, *FRTO, until_decided=2)


def test_others_than_its_own_variants_meet_alone() -> None:
    verdicts = package.load(EXPERIMENT).compare("sack", "modern", repetitions=6, metrics="elapsed")
    assert {(one.baseline, one.candidate) for one in verdicts} == {("sack", "modern")}
    with pytest.raises(package.BadInputError, match="a comparison needs two variants"):
        package.load(EXPERIMENT).compare("sack")


def test_it_is_run_as_finished_results_were_and_held_against_them(by_command: Path, tmp_path: Path) -> None:
    verdict = package.load(EXPERIMENT).gate("elapsed.median > 1.05 * baseline", than=by_command)
    assert verdict.passed, verdict.text
    assert all(check.paired and check.runs == REPETITIONS for check in verdict.checks)
    assert verdict.about.candidate.startswith("first-look (")
    crossed = package.load(EXPERIMENT).compare("frto+sack", than=f"{by_command}:sack", metrics="elapsed")
    assert [(one.baseline, one.candidate, one.paired) for one in crossed] == [("sack", "frto+sack", True)]
    with pytest.raises(package.BadInputError, match=r"windlull run first-look --json .*none\.json makes them"):
        package.load(EXPERIMENT).gate("elapsed.median > baseline", than=tmp_path / "none.json")


def test_a_value_that_is_set_is_in_the_runs(tmp_path: Path) -> None:
    experiment = package.load(EXPERIMENT).set("link.down.rate", "2 Mbit/s").set("tcp.initial_window", 1)
    found = experiment.set("link.down.rate", "1 Mbit/s").run(repetitions=2, out=tmp_path / "out")
    resolved = json.loads((tmp_path / "out" / "experiment.json").read_bytes())["experiment"]
    assert resolved["links"][0]["resolved"]["down"]["rate"] == "1 Mbit/s"
    assert resolved["claims"] == []
    # 5 MB take more than 40 s at that rate.
    assert all(run.metrics["elapsed_s"] > 40 for run in found)
    assert package.load(EXPERIMENT).resolved.claims != ()


def test_another_variant_is_chosen_by_its_name() -> None:
    found = package.load(EXPERIMENT).set("variant", "modern").run(repetitions=1)
    assert found.variants == ("modern",)


def test_a_sweep_is_that_of_the_command(tmp_path: Path) -> None:
    grid = ("--grid", "tcp.initial_window=1,10")
    done = windlull("sweep", EXPERIMENT, *grid, "--reps", "6", "--jobs", "1", "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    swept = package.load(EXPERIMENT).sweep({"tcp.initial_window": [1, 10]}, repetitions=6, jobs=1)
    assert swept.table().equals(pq.read_table(tmp_path / "out" / "results.parquet"))
    assert done.stdout.strip("\n").startswith(f"{swept}\n")
    medians = swept.medians(["elapsed_s"]).to_pylist()
    assert [(row["point"], row["grid.tcp.initial_window"], row["variant"]) for row in medians] == [
        (0, "1", "sack"), (0, "1", "frto+sack"), (1, "10", "sack"), (1, "10", "frto+sack"),
    ]  # fmt: skip
    assert all(row["low"] <= row["median"] <= row["high"] for row in medians)
    assert (swept.points, len(swept.frame())) == (2, 24)
    # What is set in an experiment is set at every point.
    constant = package.load(EXPERIMENT).set("tcp.initial_window", 10).sweep({"seed": [1]}, repetitions=6, jobs=1)
    second = [row["elapsed_s"] for row in swept.table().to_pylist() if row["point"] == 1]
    assert constant.table().column("elapsed_s").to_pylist() == second


def test_a_diagram_is_of_the_run(batch: package.Batch) -> None:
    run = next(one for one in batch if one.metrics["unnecessary_retransmissions"] > 0)
    diagram = run.diagram()
    assert diagram._repr_svg_().startswith("<svg ")
    assert 'data-name="unnecessary"' in diagram.svg
    assert 'data-name="link-state"' in diagram.svg
    assert diagram.title == str(run)
    assert run.diagram(0, 0.1).svg != diagram.svg
    with pytest.raises(package.BadInputError, match="a diagram from 2 s to 1 s; it must end after it begins"):
        run.diagram(2, 1)
    with pytest.raises(package.BadInputError, match=r"has no flow-2\.series"):
        run.diagram(flow=2)


def test_a_story_is_that_of_the_command(batch: package.Batch) -> None:
    run = next(one for one in batch if one.metrics["spurious_timeouts"] > 0)
    told = windlull("explain", str(run.directory))
    assert told.returncode == 0
    assert " ".join(run.explain().split()) == " ".join(told.stdout.split())
    assert "Episode 1" in run.explain(1)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: package.load("first-loo"), 'there is no experiment "first-loo"; did you mean "first-look"?'),
        (lambda: package.load("results.json"), "results.json: is not a .toml file"),
        (
            lambda: package.load(EXPERIMENT).set("tcp.initial_windw", 3),
            'tcp.initial_windw=3: unknown key; did you mean "initial_window"?',
        ),
        (lambda: package.load(EXPERIMENT).run(repetitions=0), "repetitions=0: is not a whole number from 1 to 100000"),
        (lambda: package.load(EXPERIMENT).run(plane="netem"), "plane='netem': a simulated run has no link plane"),
        (
            lambda: package.load(EXPERIMENT).run(variants=["cubic"]),
            'variants[0]: there is no variant "cubic"; use one of',
        ),
        (
            lambda: package.load(EXPERIMENT).compare("sack", "cubic"),
            'variants[1]: there is no variant "cubic"; use one',
        ),
        (lambda: package.load(EXPERIMENT).sweep({"tcp.mss": "1 B"}, jobs=0), "jobs=0: is not a whole number from 1 on"),
        (lambda: package.load(EXPERIMENT).sweep({"tcp.mss": ""}), "grid: tcp.mss: an empty value"),
    ],
)
def test_what_is_wrong_is_said_before_anything_runs(call: object, words: str) -> None:
    assert callable(call)
    with pytest.raises(package.BadInputError) as raised:
        call()
    assert str(raised.value).startswith(words)


def test_a_script_that_sweeps_without_a_guard_is_told_so_in_one_line(tmp_path: Path) -> None:
    call = 'windlull.load("first-look").sweep({"tcp.initial_window": "1,10"}, repetitions=1)'
    script = tmp_path / "grid.py"
    script.write_text(f"import windlull\n\ndef main():\n    {call}\n\nmain()\n", encoding="utf-8")
    ended = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    last = ended.stderr.splitlines()[-1]
    assert f"{script}:6: a sweep starts processes that import this file again" in last
    assert last.endswith('put the call under `if __name__ == "__main__":`')
    assert "asyncio" not in ended.stderr
    script.write_text(f'import windlull\n\nif __name__ == "__main__":\n    {call}\n', encoding="utf-8")
    ended = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr


def test_a_file_of_ones_own_is_told_line_by_line(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(
        'title = "x"\nlink = "gprs"\nvariant = ["sack"]\nworkload = "bulk-100-kib-down"\n', encoding="utf-8"
    )
    with pytest.raises(package.BadInputError, match=r"mine\.toml:3"):
        package.load(file)


def test_commands_are_an_experiment_too_though_nothing_simulates_them(tmp_path: Path) -> None:
    file = tmp_path / "commands.toml"
    workload = '{ kind = "command", client = ["/usr/bin/true"], server = ["/usr/bin/true"], port = 7000 }'
    text = f'title = "x"\nlink = "gprs"\nvariants = ["linux"]\ntime_limit = "60 s"\nworkload = {workload}\n'
    file.write_text(text, encoding="utf-8")
    assert package.load(file).set("link.both.delay", "1 s").variants == ("linux",)
    with pytest.raises(package.WindlullError, match="which the testbed sim cannot"):
        package.load(file).run()


def test_any_thread_can_run_it() -> None:
    found: list[int] = []
    thread = threading.Thread(target=lambda: found.append(len(package.load(EXPERIMENT).run(repetitions=1))))
    thread.start()
    thread.join()
    assert found == [2]


def test_how_far_it_is_is_said_if_that_is_wanted(capfd: pytest.CaptureFixture[str]) -> None:
    package.load(EXPERIMENT).run(repetitions=1)
    assert capfd.readouterr() == ("", "")
    package.load(EXPERIMENT).run(repetitions=1, progress=True)
    assert "first-look: 2 runs" in capfd.readouterr().err
