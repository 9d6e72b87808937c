"""Small experiments and runs, as the engine would describe them, for tests of what comes after the engine."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

import msgspec

from windlull.contract.engine import PlannedRun
from windlull.runner.messages import Experiment, Plan, Run
from windlull.stats.summary import Cell, cells

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from windlull.runner.messages import Number

_TEXTS: dict[str, Any] = {"title": "", "description": "", "source": "", "summary": []}
_LINK = _TEXTS | {"resolved": {"title": "Of delays that vary", "both": {"delay": "uniform(100 ms, 300 ms)"}}}
_VARIANT = _TEXTS | {"resolved": {"title": "Any"}, "not_carried": [], "stack": "windlull", "testbeds": []}
_CLAIM = {"statistic": "median", "factor": 1.0}
_WORKLOAD = _TEXTS | {
    "name": "bulk-100k", "kind": "bulk", "size_bytes": 102400, "data_sender": "server", "sets": [], "crossing": [],
}  # fmt: skip


def experiment_dict(**changes: Any) -> dict[str, Any]:
    """A resolved experiment with two variants on one link, three repetitions.

    What changes leave out of links, variants, claims and published numbers is as the engine says it by default.
    """
    experiment: dict[str, Any] = {
        "name": "tests/two-variants",
        "title": "Two variants",
        "description": "",
        "source": "",
        "seed": "1",
        "repetitions": 3,
        "time_limit_s": 3600.0,
        "snaplen": "full",
        "live": None,
        "links": [{"name": "gprs", "title": "GPRS", "summary": ["28.8 kbit/s"]}],
        "access": None,
        "variants": [{"name": "sack", "title": "SACK"}, {"name": "frto+sack", "title": "F-RTO with SACK"}],
        "others": [],
        "workload": _WORKLOAD,
        "published": None,
        "claims": [],
        "assumptions": [],
        "version": "0.1.0",
        "commit": "0123456789ab",
    } | changes
    parts = {"links": _LINK, "variants": _VARIANT, "claims": _CLAIM}
    experiment |= {key: [default | one for one in experiment[key]] for key, default in parts.items()}
    if published := experiment["published"]:
        rows = [{"link": "gprs"} | row for row in published["rows"]]
        experiment["published"] = {"statistic": "median"} | published | {"rows": rows}
    return copy.deepcopy(experiment)


def experiment(**changes: Any) -> Experiment:
    return msgspec.convert(experiment_dict(**changes), Experiment)


def planned_run(place: int, testbed: str, key: str | None) -> PlannedRun:
    """A run of a plan."""
    run = {key: value for key, value in run_dict().items() if key not in {"event", "metrics"}}
    changes = {"place": place, "testbed": testbed, "key": key, "seed": "18446744073709551615"}
    return msgspec.convert(run | changes, PlannedRun)


def run_dict(variant: str = "sack", repetition: int = 1, **changes: Any) -> dict[str, Any]:
    run: dict[str, Any] = {
        "event": "run",
        "testbed": "sim",
        "place": repetition,
        "variant": variant,
        "link": "gprs",
        "repetition": repetition,
        "seed": str(1000 + repetition),
        "directory": f"runs/{variant}/{repetition:03}",
        "metrics": {"elapsed_s": 70.0 + repetition, "retransmissions": 10 * repetition},
    }
    return run | changes


def run(variant: str = "sack", repetition: int = 1, **changes: Any) -> Run:
    return msgspec.convert(run_dict(variant, repetition, **changes), Run)


CERTIFICATE: dict[str, Any] = {
    "valid": True, "reasons": [], "plane": "model",
    "release_error_us": {"p50": 21.0, "p99": 90.5, "max": 310.2, "count": 1180},
    "wire_error_us": {"p50": 25.1, "p99": 99.0, "max": 350.7, "count": 1180},
    "stalls": {"count": 2, "longest_us": 81000, "total_us": 99000}, "achieved_rate": {}, "packets": 1180,
    "capture_drops": 0, "plane_drops": 0, "super_packets": 0, "bad_checksums": 0, "clock_drift_us": 0.4,
    "host_drops": 0, "unmatched": 0,
}  # fmt: skip
INVALID = CERTIFICATE | {"valid": False, "reasons": ["the captures dropped 3 packets"]}


def live_dict(variant: str = "sack", repetition: int = 1, **changes: Any) -> dict[str, Any]:
    """A run in network namespaces, valid unless another certificate is given."""
    live: dict[str, Any] = {
        "testbed": "netns",
        "directory": f"runs/netns/{variant}/{repetition:03}",
        "attempts": 1,
        "certificate": CERTIFICATE,
    }
    return run_dict(variant, repetition, **(live | changes))


def live(variant: str = "sack", repetition: int = 1, **changes: Any) -> Run:
    return msgspec.convert(live_dict(variant, repetition, **changes), Run)


def simulated(variant: str = "sack", repetition: int = 1, **changes: Any) -> Run:
    """The same, simulated beside live runs."""
    return run(variant, repetition, **({"directory": f"runs/sim/{variant}/{repetition:03}"} | changes))


def failed_dict(variant: str = "sack", repetition: int = 1, **changes: Any) -> dict[str, Any]:
    failed: dict[str, Any] = {
        "event": "failed",
        "testbed": "netns",
        "place": repetition,
        "variant": variant,
        "link": "gprs",
        "repetition": repetition,
        "seed": str(1000 + repetition),
        "directory": f"runs/netns/{variant}/{repetition:03}",
        "attempts": 2,
        "reason": "the kernel refused a socket",
    }
    return failed | changes


def episode(number: int = 1, **changes: Any) -> dict[str, Any]:
    """An episode, as a run's record has it."""
    cost = {"packets_lost": 4, "octets_unnecessary": 2048, "silence_ns": 3_082_000_000, "duration_ns": 5_012_000_000}
    return {
        "number": number, "cause": "hold", "onset_ns": 15_378_900_000, "ended_ns": None,
        "recovered_ns": 20_391_100_000, "reaction": {"kind": "timeout", "at_ns": 16_778_000_000}, "cost": cost,
        "after": None, "before": None, "causes": [], "detector": [], "fast_retransmits": [], "responses": [],
        "outstanding": {"una": 0, "max": 0}, "story": [], "timeouts": [], "untold": 0,
        "retransmissions": {"segments": 0, "necessary": 0, "unnecessary": 0, "unknown": 0},
    } | changes  # fmt: skip


def line(message: Mapping[str, Any]) -> bytes:
    return json.dumps(message).encode() + b"\n"


def plan_line(runs: int = 6, testbeds: tuple[str, ...] = ("sim",), **changes: Any) -> bytes:
    said = {"event": "plan", "testbeds": testbeds, "experiment": experiment_dict(**changes), "runs": runs}
    return line(said | {"estimate": None})


def plan(runs: int = 6, **changes: Any) -> Plan:
    return msgspec.json.decode(plan_line(runs, **changes), type=Plan)


def cells_of(metric: str, by_variant: Mapping[str, Sequence[Number]], **changes: Any) -> tuple[Experiment, list[Cell]]:
    """The cells of an experiment in which the variants measured these values of one metric, by repetition."""
    repetitions = max((len(values) for values in by_variant.values()), default=1)
    about = experiment(repetitions=repetitions, **changes)
    runs = [
        run(variant, repetition, metrics={metric: value}, link=link.name, directory=f"runs/{link.name}/{variant}/1")
        for link in about.links
        for variant, values in by_variant.items()
        for repetition, value in enumerate(values, start=1)
    ]
    return about, cells(about, runs)
