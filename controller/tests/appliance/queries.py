"""Every query that the dashboards and the alerts make, as they stand in their files."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[3]
DASHBOARDS = ROOT / "controller" / "grafana" / "dashboards"
RULES = ROOT / "controller" / "prometheus" / "alerts.yml"

CHOSEN = {"testbed": ".*", "link": ".*", "variant": ".*", "window": "15m", "__rate_interval": "20s"}
"""What Grafana puts in for variables when nothing is chosen, and for a scrape every five seconds."""

METRIC = re.compile(r"\b(windlull_[a-z_]+)\b")
_APPLIANCE = re.compile(r'windlull_(link|emulator)_|job="emulator"|testbed!="sim"')
_VARIABLE = re.compile(r"\$(\w+)")
_VALUES = re.compile(r"label_values\((\w+), *(\w+)\)")


@dataclass(frozen=True)
class Query:
    """One query. `where` names it; `says_nothing` may be all that it says when all is well."""

    where: str
    expression: str
    says_nothing: bool = False

    @property
    def of_the_appliance(self) -> bool:
        """Whether only containers with a live run in them answer it."""
        return _APPLIANCE.search(self.expression) is not None


def boards() -> dict[str, Any]:
    """Return the dashboards by the names of their files."""
    found = {file.stem: json.loads(file.read_bytes()) for file in sorted(DASHBOARDS.glob("*.json"))}
    assert set(found) == {"link", "runs", "variants"}
    return found


def all_queries() -> list[Query]:
    """Return those of panels, annotations, variables and alerts."""
    return [*_of_boards(), *_of_alerts()]


def chosen(expression: str) -> str:
    """Return the expression with a value for each variable. Raises KeyError for one that the dashboards have not."""
    return _VARIABLE.sub(lambda found: CHOSEN[found[1]], expression)


def _of_boards() -> Iterator[Query]:
    for name, board in boards().items():
        for panel in board["panels"]:
            for target in panel["targets"]:
                yield Query(f"{name}: {panel['title']} {target['refId']}", chosen(target["expr"]))
        for one in board["annotations"]["list"]:
            quiet = one["expr"].startswith("ALERTS")
            yield Query(f"{name}: annotations of {one['name']}", one["expr"], says_nothing=quiet)
        for variable in board["templating"]["list"]:
            if variable["type"] == "query":
                values = _VALUES.fullmatch(variable["definition"])
                assert values, variable
                yield Query(f"{name}: values of {variable['name']}", f"group by ({values[2]}) ({values[1]})")


def _of_alerts() -> Iterator[Query]:
    for group in yaml.safe_load(RULES.read_text(encoding="utf-8"))["groups"]:
        for rule in group["rules"]:
            yield Query(f"alert {rule['alert']}", rule["expr"], says_nothing=True)
