"""`windlull compare` and `windlull gate` with the real engine, on experiments and on finished results."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest
from junitparser import JUnitXml

from tests.end_to_end.command import windlull

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

EXPERIMENT = "first-look"
SLOWER = "elapsed.median > 1.05 * baseline"
LINK = """\
title = "A plain link of {rate}"

[both]
rate  = "{rate}"
delay = "20 ms"
queue = {{ kind = "droptail", limit = "20 packets" }}

[[impairment]]
name        = "losses"
kind        = "loss"
on          = "down"
probability = "3 %"
"""
OF_LINK = """\
title       = "Plain"
link        = "{link}"
variants    = ["sack"]
workload    = "bulk-100-kib-down"
repetitions = 12
seed        = 7
"""


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Finished results of twenty repetitions."""
    out = tmp_path_factory.mktemp("finished") / "old"
    assert windlull("run", EXPERIMENT, "--reps", "20", "--no-pcap", "--out", out).returncode == 0
    return out


def changed(old: Path, new: Path, factor: float = 1, **keys: Any) -> Path:
    """A copy of finished results in which every run takes `factor` times as long, with other keys."""
    shutil.copytree(old, new)
    document = json.loads((new / "results.json").read_bytes()) | keys
    for cell in document["cells"]:
        of = cell["metrics"]["elapsed_s"]
        of["values"] = [factor * value for value in of["values"]]
    (new / "results.json").write_text(json.dumps(document), encoding="utf-8")
    return new


def gate(*arguments: str | Path, code: int) -> subprocess.CompletedProcess[str]:
    ended = windlull("gate", *arguments)
    assert ended.returncode == code, ended.stderr + ended.stdout
    return ended


def refused(*arguments: str | Path) -> str:
    ended = windlull(*arguments)
    assert ended.returncode == 2, ended.stdout
    assert ended.stdout == ""
    return ended.stderr


def test_an_experiment_is_run_and_its_variants_are_compared(tmp_path: Path) -> None:
    out, file, page = tmp_path / "out", tmp_path / "c.json", tmp_path / "c.md"
    ended = windlull(
        "compare", EXPERIMENT, "--variants", "frto+sack,sack", "--reps", "12", "--no-pcap", "--out", out,
        "--json", file, "--markdown", page,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    assert "sack against frto+sack, mobile-with-holds, sim, 12 pairs" in ended.stdout
    findings = json.loads(file.read_bytes())["comparison"]["findings"]
    assert {one["metric"]: one["verdict"] for one in findings}["unnecessary_retransmissions"] == "worse"
    assert "worse" in page.read_text(encoding="utf-8")
    assert (out / "report.html").exists()
    again = windlull("compare", out, "--variants", "frto+sack,sack", "--json", tmp_path / "again.json")
    assert again.returncode == 0, again.stderr
    assert (
        json.loads((tmp_path / "again.json").read_bytes())["comparison"] == json.loads(file.read_bytes())["comparison"]
    )


def test_a_candidate_that_is_better_passes_and_one_that_is_worse_fails(old: Path, tmp_path: Path) -> None:
    gate(old, "--variants", "sack,frto+sack", "--fail-if", SLOWER, code=0)
    ended = gate(
        old, "--variants", "frto+sack,sack", "--fail-if", "elapsed.median > baseline",
        "--fail-if", "unnecessary_retransmissions.mean > 30",
        "--junit", tmp_path / "g.xml", "--json", tmp_path / "g.json", "--markdown", tmp_path / "g.md", code=3,
    )  # fmt: skip
    assert "gate: fail" in ended.stdout
    suites = JUnitXml.fromfile(str(tmp_path / "g.xml"))
    assert (suites.tests, suites.failures) == (2, 2)
    assert json.loads((tmp_path / "g.json").read_bytes())["gate"]["status"] == "fail"
    assert "gate: fail" in (tmp_path / "g.md").read_text(encoding="utf-8")


def test_the_same_results_are_equal_and_pass_a_limit(old: Path) -> None:
    ended = gate("--baseline", old / "results.json", "--candidate", old, "--fail-if", SLOWER, "--strict", code=0)
    assert "gate: pass" in ended.stdout
    compared = windlull("compare", "--baseline", old, "--candidate", old)
    # Twenty pairs that are the same do not show what is rare; all are the same, but nothing is called equal.
    assert compared.stdout.count(" inconclusive") >= 12


def test_a_slower_build_fails_in_pairs(old: Path, tmp_path: Path) -> None:
    new = changed(old, tmp_path / "new", 1.1, version="0.2.0")
    ended = gate("--baseline", old, "--candidate", new, "--fail-if", SLOWER, code=3)
    assert "candidate's sack against baseline's sack" in ended.stdout
    assert f"{new} (0.2.0, commit" in ended.stdout
    only = gate("--baseline", f"{old}:sack", "--candidate", f"{new}:sack", "--fail-if", SLOWER, code=3)
    assert "frto+sack" not in only.stdout


def test_what_is_not_decided_passes_unless_strict(old: Path, tmp_path: Path) -> None:
    rule = ("--fail-if", "elapsed.p99 > baseline")
    ended = gate(old, *rule, "--junit", tmp_path / "g.xml", code=0)
    assert "gate: inconclusive; run again with --reps " in ended.stdout
    gate(old, *rule, "--strict", code=4)
    assert JUnitXml.fromfile(str(tmp_path / "g.xml")).skipped == 1


def test_other_seeds_are_compared_without_pairs(old: Path, tmp_path: Path) -> None:
    new = changed(old, tmp_path / "new", seed="99")
    ended = windlull("compare", "--baseline", old, "--candidate", new)
    assert "note: seeds differ (1, 99): runs are compared as they are, not in pairs" in ended.stdout
    assert "20 runs of each side, not in pairs" in " ".join(ended.stdout.split())


def test_incomplete_results_are_told_and_never_pass(old: Path, tmp_path: Path) -> None:
    new = changed(old, tmp_path / "new", incomplete={"finished": 39, "planned": 40})
    ended = gate(
        "--baseline", old, "--candidate", new, "--fail-if", "elapsed.median > 2 * baseline", "--strict", code=4
    )
    assert "39 of 40 runs" in ended.stdout
    assert "runs are missing, and they may be those that failed" in " ".join(ended.stdout.split())


def test_results_of_older_versions_alone_are_compared_by_name(old: Path, tmp_path: Path) -> None:
    document = json.loads((old / "results.json").read_bytes())
    del document["conditions"]
    alone = tmp_path / "alone.json"
    alone.write_text(json.dumps(document), encoding="utf-8")
    ended = windlull("compare", "--baseline", old, "--candidate", alone)
    assert f"{alone} does not say what its runs were given" in " ".join(ended.stdout.split())


def test_other_links_and_workloads_are_refused(old: Path, tmp_path: Path) -> None:
    for what in ("link mobile-with-holds", "workload"):
        new = tmp_path / what.split()[0]
        shutil.copytree(old, new)
        document = json.loads((new / "experiment.json").read_bytes())
        resolved = document["experiment"]
        if what == "workload":
            resolved["workload"]["size_bytes"] = 5
        else:
            resolved["links"][0]["resolved"]["down"]["delay"] = "1 s"
        (new / "experiment.json").write_text(json.dumps(document), encoding="utf-8")
        results = json.loads((new / "results.json").read_bytes())
        del results["conditions"]
        (new / "results.json").write_text(json.dumps(results), encoding="utf-8")
        said = refused("gate", "--baseline", old, "--candidate", new, "--fail-if", SLOWER)
        assert f"nothing to compare: the {what} is not the same in " in said


def test_results_alone_say_which_workload_they_are_of(old: Path, tmp_path: Path) -> None:
    document = json.loads((old / "results.json").read_bytes())
    (conditions,) = document["conditions"]["links"].values()
    conditions["workload"] = "0123456789abcdef"
    alone = tmp_path / "alone.json"
    alone.write_text(json.dumps(document), encoding="utf-8")
    said = refused("compare", "--baseline", alone, "--candidate", old)
    assert f"nothing to compare: the workload is not the same in {alone} and {old}" in said


def test_other_settings_of_a_variant_are_told(old: Path, tmp_path: Path) -> None:
    document = json.loads((old / "results.json").read_bytes())
    document["conditions"]["variants"]["sack"] = "0123456789abcdef"
    alone = tmp_path / "alone.json"
    alone.write_text(json.dumps(document), encoding="utf-8")
    ended = windlull("compare", "--baseline", alone, "--candidate", old)
    assert "note: the settings of sack are not the same in both" in ended.stdout


def test_words_about_a_link_do_not_matter(old: Path, tmp_path: Path) -> None:
    new = tmp_path / "new"
    shutil.copytree(old, new)
    text = (new / "experiment.json").read_text(encoding="utf-8")
    (new / "experiment.json").write_text(text.replace("A mobile link of 10 Mbit/s", "Another one"), encoding="utf-8")
    gate("--baseline", old, "--candidate", new, "--fail-if", SLOWER, code=0)


def test_a_variant_may_be_given_as_a_file(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('title = "mine"\nextends = "sack"\n', encoding="utf-8")
    ended = windlull("compare", EXPERIMENT, "--variants", "sack,mine.toml", "--reps", "5", "--no-pcap", cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert "mine" in ended.stdout


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (["compare"], "give an experiment or results, or both --baseline and --candidate"),
        (["compare", "--baseline", "x.json"], "give an experiment or results, or both"),
        (["gate", EXPERIMENT], "Missing option '--fail-if'"),
        (["gate", EXPERIMENT, "--fail-if", "elapsd.median > 1 s"], "there is no metric elapsd; do you mean elapsed?"),
        (["compare", EXPERIMENT, "--variants", "sack,newrenno"], 'no variant "newrenno"; did you mean "newreno"?'),
        (["compare", EXPERIMENT, "--variants", "sack"], "a comparison needs two"),
        (["compare", EXPERIMENT, "--variants", "sack,,x"], "a name is missing beside a comma"),
        (["compare", EXPERIMENT, "--variants", "sack,sack"], "sack is given twice"),
        (["compare", EXPERIMENT, "--baseline", "x"], "--baseline x: cannot go with SOURCE"),
        (["compare", "no-such-experiment"], "no-such-experiment"),
        (["compare", "none/results.json"], "cannot read none/results.json"),
        (["compare", EXPERIMENT, "--metrics", "cows"], "there is no metric cows; there are elapsed_s, "),
        (["compare", EXPERIMENT, "--metrics", "elapsd"], "there is no metric elapsd; do you mean elapsed?"),
        (["compare", EXPERIMENT, "--margin", "wide"], "'wide' is not a share; write it as 5 % or 0.05"),
        (["compare", EXPERIMENT, "--margin", "120 %"], "120 % is not from 0 % to below 100 %"),
        (["compare", EXPERIMENT, "--json", "none/c.json"], "there is no directory none"),
        (["gate", EXPERIMENT, "--fail-if", SLOWER, "--until-decided", "3"], "the first 5 repetitions are more"),
        (["gate", EXPERIMENT, "--fail-if", SLOWER, "--until-decided", "9", "--testbed", "netns"],
         "live runs that are made again are other runs"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_bad_input(arguments: list[str], what: str, tmp_path: Path) -> None:
    ended = windlull(*arguments, cwd=tmp_path)
    assert ended.returncode == 2, ended.stderr
    assert what in ended.stderr
    assert list(tmp_path.iterdir()) == []


def test_options_of_runs_do_not_go_with_finished_results(old: Path) -> None:
    assert "--reps 5: these results are finished; nothing is run" in refused("compare", old, "--reps", "5")
    assert "nothing is run" in refused("gate", old, "--fail-if", SLOWER, "--until-decided", "50")
    assert "has no variant cow; it has sack, frto+sack" in refused(
        "compare", "--baseline", f"{old}:cow", "--candidate", old
    )


def test_what_is_no_results_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('{"cells": 5}', encoding="utf-8")
    assert "is not what `windlull run` writes" in refused("compare", tmp_path / "x.json")


def test_rounds_stop_as_soon_as_it_is_decided_and_say_what_each_look_costs(tmp_path: Path) -> None:
    ended = gate(
        EXPERIMENT, "--variants", "frto+sack,sack", "--reps", "10", "--until-decided", "80", "--no-pcap",
        "--out", tmp_path / "out", "--fail-if", "unnecessary_retransmissions.median > 2 * baseline", code=3,
    )  # fmt: skip
    assert "look 3 of at most 4, with 40 of at most 80 repetitions" in ended.stdout
    assert json.loads((tmp_path / "out" / "results.json").read_bytes())["cells"][0]["runs"] == 40


def test_a_planted_slowdown_of_five_per_cent_is_found_with_the_runs_asked_for(tmp_path: Path) -> None:
    """The whole way of somebody in CI: a gate that cannot tell, the number it asks for, a gate that can."""
    paths = {}
    for name, rate in (("fast", "400 kbit/s"), ("slow", "378 kbit/s")):
        (tmp_path / f"{name}.toml").write_text(LINK.format(rate=rate), encoding="utf-8")
        (tmp_path / f"{name}-run.toml").write_text(OF_LINK.format(link=f"{name}.toml"), encoding="utf-8")

    def results(reps: str) -> tuple[Path, Path]:
        for place, name in enumerate(("fast", "slow")):
            out = tmp_path / f"{name}-{reps}"
            ended = windlull("run", tmp_path / f"{name}-run.toml", "--reps", reps, "--seed", str(place + 1),
                             "--no-pcap", "--out", out)  # fmt: skip
            assert ended.returncode == 0, ended.stderr
            # As if it were the same link by another build.
            document = json.loads((out / "results.json").read_bytes())
            for cell in document["cells"]:
                cell["link"] = "plain"
            (out / "alone.json").write_text(json.dumps(document), encoding="utf-8")
            (out / "experiment.json").unlink()
            paths[name] = out / "alone.json"
        return paths["fast"], paths["slow"]

    rule = ("--fail-if", "elapsed.median > baseline", "--json", tmp_path / "g.json")
    fast, slow = results("12")
    gate("--baseline", fast, "--candidate", slow, *rule, "--strict", code=4)
    asked = json.loads((tmp_path / "g.json").read_bytes())["gate"]["asked"]
    assert 12 < asked < 2000
    fast, slow = results(str(asked))
    gate("--baseline", fast, "--candidate", slow, *rule, code=3)
