"""The dashboards and alerts, held against a real Prometheus that scrapes a real service after a small experiment.

What only the containers of the appliance can answer, `test_compose.py` asks of theirs.
"""

from __future__ import annotations

import re
import subprocess
from typing import TYPE_CHECKING

import pytest
import yaml

from tests.appliance import prometheus
from tests.appliance.queries import METRIC, ROOT, RULES, Query, all_queries, boards
from tests.end_to_end.serving import Service, serving

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.appliance.prometheus import Prometheus

FIRST_IS_MISSED = re.compile(r"increase\(\s*windlull_(runs_ended|run_attempts|variant_score)_total")


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Prometheus]:
    """A Prometheus that has seen an experiment begin and end."""
    directory = tmp_path_factory.mktemp("dashboards")
    token = directory / "token"
    token.write_text("asked for by nobody on this machine's loopback", encoding="ascii")
    with serving(directory / "data") as service:
        settings = prometheus.configuration(service.url.removeprefix("http://").rstrip("/"), token)
        with prometheus.running(directory, settings) as found:
            _until_scraped(service, found, "windlull_run_seconds_count")
            service.until_ended(service.submit("papers/sarolahti2003/table-1", repetitions=1))
            _until_scraped(service, found, "sum(windlull_runs_ended_total) >= 6")
            # A rate is of two scrapes.
            (requests,) = found.now("sum(windlull_requests_total)").values()
            _until_scraped(service, found, f"sum(windlull_requests_total) > {requests} + 1")
            yield found


def _until_scraped(service: Service, found: Prometheus, expression: str) -> None:
    service.until(bool, lambda: found.now(expression))


@pytest.mark.parametrize("query", all_queries(), ids=lambda query: query.where)
def test_the_query_is_valid_and_has_data(asked: Prometheus, query: Query) -> None:
    series = asked.series(query.expression)
    assert series or query.says_nothing or query.of_the_appliance, query.expression


@pytest.mark.parametrize("name", sorted({name for query in all_queries() for name in METRIC.findall(query.expression)}))
def test_the_metric_exists(asked: Prometheus, name: str) -> None:
    # A rule that names what nobody tells would never fire, and look well.
    if not Query("", name).of_the_appliance:
        assert asked.series(name), name


def test_a_query_without_data_and_a_wrong_one_are_noticed(asked: Prometheus) -> None:
    assert not asked.series("windlull_no_such_metric")
    with pytest.raises(ValueError, match="parse error"):
        asked.series("sum(rate(windlull_runs")


def test_the_alerts_fire_when_they_should() -> None:
    test = RULES.with_name("alerts.test.yml")
    done = subprocess.run(
        ["promtool", "test", "rules", test.name], cwd=test.parent, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_alert_is_seen_to_fire_and_not_to_fire() -> None:
    tests = yaml.safe_load(RULES.with_name("alerts.test.yml").read_text(encoding="utf-8"))["tests"]
    tried = [one for test in tests for one in test["alert_rule_test"]]
    alerts = {query.where.removeprefix("alert ") for query in all_queries() if query.where.startswith("alert ")}
    assert {one["alertname"] for one in tried if one["exp_alerts"]} == alerts
    assert {one["alertname"] for one in tried if not one["exp_alerts"]} == alerts


def test_no_query_misses_the_first_run_of_a_variant() -> None:
    # A series of ended runs appears with the value 1, which increase() does not count.
    wrong = [query.where for query in all_queries() if FIRST_IS_MISSED.search(query.expression)]
    assert not wrong


def test_the_link_dashboard_shows_every_metric_of_the_link() -> None:
    exposed = set(
        re.findall(r"^\| `(windlull_link_\w+)`", (ROOT / "docs" / "emulator.md").read_text("utf-8"), re.MULTILINE)
    )
    assert "windlull_link_rate_bits_per_second" in exposed
    shown = " ".join(target["expr"] for panel in boards()["link"]["panels"] for target in panel["targets"])
    # How many packets a queue has marked is the experiments' business.
    assert {name for name in exposed if name not in shown} == {"windlull_link_marks_total"}


def test_dashboards_have_what_grafana_needs() -> None:
    numbers = [board["uid"] for board in boards().values()]
    assert len(set(numbers)) == len(numbers)
    for name, board in boards().items():
        assert board["uid"] == f"windlull-{name}"
        assert not board["editable"]
        panels = board["panels"]
        assert len({panel["id"] for panel in panels}) == len(panels)
        for panel in panels:
            place = panel["gridPos"]
            assert place["x"] + place["w"] <= 24, panel["title"]
            assert {target["datasource"]["uid"] for target in panel["targets"]} == {"prometheus"}
