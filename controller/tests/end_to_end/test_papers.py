"""`windlull papers` with the real engine: a figure of single runs, and a table with few repetitions."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from tests.end_to_end.command import windlull
from windlull.papers.frame import Papers

if TYPE_CHECKING:
    from pathlib import Path

ASKED = ("--only", "sarolahti2003/figure-2", "--only", "sarolahti2003/table-1", "--repetitions", "3")


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished reproduction, with its JSON beside the report."""
    directory = tmp_path_factory.mktemp("papers")
    done = windlull("papers", *ASKED, "--out", directory, "--json", directory / "found.json")
    assert done.returncode == 0, done.stderr
    (directory / "said.txt").write_text(done.stdout, encoding="utf-8")
    return directory


@pytest.fixture(scope="module")
def found(out: Path) -> Any:
    return json.loads((out / "found.json").read_text(encoding="utf-8"))


def test_every_claim_has_its_criterion_and_what_was_measured(found: Any) -> None:
    assert {claim["experiment"] for claim in found["claims"]} == {
        "papers/sarolahti2003/figure-2", "papers/sarolahti2003/table-1",
    }  # fmt: skip
    assert all(claim["criterion"] and claim["measured"] for claim in found["claims"])
    assert sum(found["claim_counts"].values()) == len(found["claims"])
    assert sum(found["counts"].values()) == len(found["statements"])
    figure = {claim["id"]: claim["status"] for claim in found["claims"] if claim["experiment"].endswith("figure-2")}
    assert figure["frto-one"] == "reproduced"


def test_every_statement_has_its_place_and_its_checks(found: Any) -> None:
    by_id = {one["id"]: one for one in found["statements"]}
    assert by_id["frto-avoids"]["grade"] == "shown by one run"
    # Three repetitions are too few for an interval.
    assert by_id["delays-frto-faster"]["grade"] in {"within noise", "in part", "not reproduced"}
    for one in found["statements"]:
        assert one["place"]
        assert one["by_seed"] == [one["grade"]]
        assert {check["experiment"] for check in one["checks"]} <= {claim["experiment"] for claim in found["claims"]}
    (number, *_) = by_id["delays-frto-faster"]["numbers"]
    assert number["published"] == 76.23 / 94.13
    assert number["distance"] == number["ours"] / number["published"] - 1


def test_the_published_table_stands_beside_ours_with_intervals(found: Any) -> None:
    (table,) = found["tables"]
    assert table["statistic"] == "median"
    assert len(table["rows"]) == 6
    first = table["rows"][0]["values"][0]
    assert first["published"] == 77.94
    assert first["runs"] == 3
    # Three repetitions are too few for an interval.
    assert first["interval"] is None
    assert first["distance"] == first["ours"] / 77.94 - 1


def test_the_report_has_the_experiments_and_draws_the_first_runs_alone(out: Path) -> None:
    html = (out / "report.html").read_text(encoding="utf-8")
    drawn = re.findall(r'data-run="([^"]*)"', html)
    assert drawn == [
        f"sarolahti2003/figure-2/runs/{variant}/001" for variant in ("sack", "frto+sack")
    ]  # fmt: skip
    content = json.loads(re.search(r'id="windlull-report">(.*?)</script>', html, re.DOTALL)[1])  # type: ignore[index]
    msgspec.convert(content, Papers)
    (paper,) = content["papers"]
    assert [[figure["kind"] for figure in one["experiment"]["figures"]] for one in paper["experiments"]] == [
        ["time-sequence"], ["box-plot"],
    ]  # fmt: skip
    assert {run["key"] for one in paper["experiments"] for run in one["runs"]} == set(drawn)
    assert not list(out.rglob("*.pcapng"))


def test_the_terminal_has_every_statement_and_what_does_not_hold_of_it(out: Path, found: Any) -> None:
    said = (out / "said.txt").read_text(encoding="utf-8")
    for one in found["statements"]:
        assert f"{one['text']} ({one['place']})" in said
        for check in one["checks"]:
            assert (check["text"] in said) == (check["grade"] not in {"supported", "shown by one run"})
    assert f"{found['counts']['supported']} of {len(found['statements'])} statements supported" in said
    assert "depends on the seeds" in said


def test_further_seeds_show_how_grades_move(tmp_path: Path) -> None:
    done = windlull(
        "papers", "--only", "sarolahti2003/figure-2", "--only", "sarolahti2003/table-1", "--repetitions", "6",
        "--seeds", "3", "--out", tmp_path, "--json", tmp_path / "found.json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads((tmp_path / "found.json").read_text(encoding="utf-8"))
    assert len(found["seeds"]) == 3
    assert found["seeds"][0] == found["counts"]
    for one in found["statements"]:
        assert len(one["by_seed"]) == 3
        assert one["by_seed"][0] == one["grade"]
    for further in (1, 2):
        written = tmp_path / "seeds" / str(further) / "sarolahti2003" / "table-1" / "experiment.json"
        assert json.loads(written.read_text(encoding="utf-8"))["experiment"]["seed"] == str(2003 + further)
    moving = [one["id"] for one in found["statements"] if len(set(one["by_seed"])) > 1]
    assert f"The grade of {len(moving)} of {len(found['statements'])} statements moves with the seed" in done.stdout
    assert all(f"sarolahti2003 {name}: " in done.stdout for name in moving)


def test_a_name_that_is_not_there_is_bad_input(tmp_path: Path) -> None:
    done = windlull("papers", "--only", "sarolahti2003/figure-22", "--out", tmp_path / "out")
    assert done.returncode == 2
    assert 'did you mean "sarolahti2003/figure-2"?' in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_figure_of_bandwidth_is_of_all_flows(tmp_path: Path) -> None:
    done = windlull("papers", "--only", "jacobson1988/figure-10", "--out", tmp_path)
    assert done.returncode == 0, done.stderr
    html = (tmp_path / "report.html").read_text(encoding="utf-8")
    content = json.loads(re.search(r'id="windlull-report">(.*?)</script>', html, re.DOTALL)[1])  # type: ignore[index]
    msgspec.convert(content, Papers)
    (experiment,) = content["papers"][0]["experiments"]
    for run in experiment["runs"]:
        recorded = json.loads((tmp_path / run["key"] / "run.json").read_text(encoding="utf-8"))
        assert run["course"] == recorded["course"]
        # Four transfers of 1 MiB.
        assert sum(run["course"]["delivered"]) == 4 << 20
        assert sum(run["course"]["sent"]) > 4 << 20
