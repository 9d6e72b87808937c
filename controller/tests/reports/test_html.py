from __future__ import annotations

import base64
import gzip
import json
import re
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from tests.examples import experiment_dict, failed_dict, live, plan_line, run, simulated
from windlull import locate
from windlull.errors import FailureError
from windlull.learning import frame as learned
from windlull.metrics import METRICS
from windlull.papers import frame as papers
from windlull.reports import frame as reports
from windlull.reports.frame import Report
from windlull.reports.html import Embedded, choose_embedded, report_of, write_report
from windlull.runner.messages import Failed, Plan
from windlull.stats.claims import judge
from windlull.stats.differences import differences
from windlull.stats.summary import cells

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

    from windlull.runner.messages import Run

PAGE = """<!doctype html>
<title>report</title>
<script type="application/json" id="windlull-report">null</script>
<!--windlull-runs-->
<script>start()</script>
"""


def plan(testbeds: tuple[str, ...] = ("sim",), **changes: Any) -> Plan:
    return msgspec.json.decode(plan_line(2, testbeds, **changes), type=Plan)


def with_series(directory: Path, runs: list[Run], size: int = 0) -> None:
    for one in runs:
        place = directory / one.directory
        place.mkdir(parents=True)
        (place / "series.json.gz").write_bytes(gzip.compress(f'"{one.key}"'.encode(), mtime=0) + bytes(size))
        (place / "run.json").write_text("{}", encoding="utf-8")


def written(directory: Path, about: Plan, runs: list[Run], page: str = PAGE) -> str:
    template = directory / "page.html"
    template.write_text(page, encoding="utf-8")
    experiment = about.read()
    summed = cells(experiment, runs)
    report = report_of(about, summed, [], judge(experiment, summed), runs, directory, None)
    write_report(directory / "report.html", template, report, map(Embedded.of, runs))
    return (directory / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(("name", "frame"), [("report", reports), ("papers", papers), ("learned", learned)])
def test_the_schemas_are_those_of_the_types(name: str, frame: ModuleType) -> None:
    kept = json.loads((locate.schema().with_name(f"{name}.json")).read_text(encoding="utf-8"))
    assert kept == {"$defs": json.loads(json.dumps(frame.definitions()))}, "`make generate` writes it anew"


def report_in(html: str) -> dict[str, Any]:
    found = re.findall(r'<script type="application/json" id="windlull-report">(.*?)</script>', html, re.DOTALL)
    assert len(found) == 1
    report: dict[str, Any] = json.loads(found[0])
    msgspec.convert(report, Report)
    return report


@pytest.mark.parametrize("runs_first", [False, True])
def test_report_and_series_stand_where_the_markers_were(tmp_path: Path, runs_first: bool) -> None:  # noqa: FBT001
    runs = [run("sack", 1), run("frto+sack", 1)]
    with_series(tmp_path, runs)
    lines = PAGE.splitlines(keepends=True)
    page = "".join([*lines[:2], lines[3], lines[2], *lines[4:]]) if runs_first else PAGE
    html = written(tmp_path, plan(), runs, page)
    report = report_in(html)
    assert report["experiment"] == experiment_dict()
    assert [one["key"] for one in report["runs"]] == ["sack/001", "frto+sack/001"]
    assert report["runs"][0]["files"] == ["runs/sack/001/run.json", "runs/sack/001/series.json.gz"]
    assert list(report["labels"]) == list(METRICS)
    series = dict(re.findall(r'<script type="text/plain" data-run="(.*?)">(.*?)</script>', html))
    assert gzip.decompress(base64.b64decode(series["frto+sack/001"])) == b'"frto+sack/001"'
    assert series.keys() == {"sack/001", "frto+sack/001"}
    assert html.startswith("<!doctype html>")
    assert html.endswith("<script>start()</script>\n")


def test_no_text_can_end_the_script(tmp_path: Path) -> None:
    bad = "</script><script>alert(1)</script><!-- \u2028 & \" '"
    html = written(tmp_path, plan(title=bad, description=bad), [])
    assert report_in(html)["experiment"]["title"] == bad
    assert "alert(1)</script>" not in html.replace("\\u003c", "")
    assert html.count("<script") == PAGE.count("<script")
    assert "<!-- " not in html


@pytest.mark.parametrize("page", ["<html></html>", PAGE + PAGE])
def test_another_page_is_refused_and_nothing_written(tmp_path: Path, page: str) -> None:
    with pytest.raises(FailureError, match="is not Windlull's report page"):
        written(tmp_path, plan(), [], page)
    assert not (tmp_path / "report.html").exists()


def test_a_missing_page_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FailureError, match="cannot read the report's page"):
        write_report(tmp_path / "report.html", tmp_path / "none.html", msgspec.Struct(), [])


def test_repetitions_that_are_copies_count_as_one(tmp_path: Path) -> None:
    """The link draws nothing; where it may, or the runs are not the same, each counts."""
    runs = [run("sack", repetition, metrics={"elapsed_s": 1.5}) for repetition in (1, 2, 3)]
    with_series(tmp_path, runs)
    settled = [
        {"name": "gprs", "title": "GPRS", "summary": [], "resolved": {"title": "GPRS", "down": {"rate": "1 Mbit/s"}}}
    ]
    report = report_in(written(tmp_path, plan(links=settled), runs))
    assert (report["copied"], [cell["runs"] for cell in report["cells"]]) == (["gprs"], [1])
    assert len(report["runs"]) == 3
    drawn = report_in(written(tmp_path, plan(), runs))
    assert ("copied" in drawn, [cell["runs"] for cell in drawn["cells"]]) == (False, [3])


def test_all_runs_are_embedded_when_they_fit(tmp_path: Path) -> None:
    runs = [run(variant, repetition) for variant in ("sack", "frto+sack") for repetition in (1, 2, 3)]
    with_series(tmp_path, runs)
    assert choose_embedded(runs, tmp_path) == (runs, None)


def test_only_the_first_repetitions_of_every_variant_are_embedded_when_not_all_fit(tmp_path: Path) -> None:
    runs = [run(variant, repetition) for variant in ("sack", "frto+sack") for repetition in (1, 2, 3)]
    with_series(tmp_path, runs, size=1000)
    size = (tmp_path / runs[0].directory / "series.json.gz").stat().st_size + 10
    embedded, note = choose_embedded(runs, tmp_path, limit=5 * size)
    assert [one.key for one in embedded] == ["sack/001", "sack/002", "frto+sack/001", "frto+sack/002"]
    assert note is not None
    assert "4 of 6 runs" in note


def test_a_run_without_series_is_not_embedded(tmp_path: Path) -> None:
    runs = [run("sack", 1), run("sack", 2)]
    with_series(tmp_path, runs[:1])
    assert choose_embedded(runs, tmp_path) == (runs[:1], None)


def test_the_report_says_what_it_lacks(tmp_path: Path) -> None:
    runs = [run("sack", 1)]
    with_series(tmp_path, runs)
    about = plan()
    made = report_of(about, cells(about.read(), runs), [], [], runs, tmp_path, "some")
    report = json.loads(msgspec.json.encode(made))
    assert report["incomplete"] == {"finished": 1, "planned": 2}
    assert report["embedded_note"] == "some"
    assert report["testbeds"] == ["sim"]
    assert not report.keys() & {"differences", "settings", "failed"}


def test_live_runs_bring_their_certificates_settings_and_differences(tmp_path: Path) -> None:
    runs = [simulated("sack", 1), live("sack", 1), live("sack", 2)]
    with_series(tmp_path, runs)
    for n, sack in ((1, "1"), (2, "0")):
        record = {"provenance": {"kernel": "6.1.0"}, "settings": {"server.net.ipv4.tcp_sack": sack}}
        (tmp_path / f"runs/netns/sack/00{n}/run.json").write_text(json.dumps(record), encoding="utf-8")
    about = plan(testbeds=("netns", "sim"))
    summed = cells(about.read(), runs)
    failed = msgspec.convert(failed_dict("sack", 3), Failed)
    apart = differences(summed)
    made = report_of(about, summed, apart, [], runs, tmp_path, None, failed=[failed])
    report = json.loads(msgspec.json.encode(made))
    msgspec.convert(report, Report)
    assert report["testbeds"] == ["sim", "netns"]
    assert [one.get("certificate", {}).get("plane") for one in report["runs"]] == [None, "model", "model"]
    assert report["settings"] == [
        {"variant": "sack", "testbed": "netns", "runs": 2,
         "values": {"kernel.release": ["6.1.0"], "server.net.ipv4.tcp_sack": ["1", "0"]}},
    ]  # fmt: skip
    assert report["failed"] == [{"key": "netns/sack/003", "attempts": 2, "reason": "the kernel refused a socket"}]
    assert {one["metric"]: one["telling"] for one in report["differences"]}["elapsed_s"] == "too few"
