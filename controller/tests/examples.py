"""Small experiments and runs, as the engine would describe them, for tests of what comes after the engine."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec

from windlull.runner.messages import Experiment, Run
from windlull.stats.summary import Cell, cells

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from windlull.runner.messages import Number


def experiment_dict(**changes: Any) -> dict[str, Any]:
    """A resolved experiment with two variants on one link, three repetitions."""
    experiment: dict[str, Any] = {
        "name": "tests/two-variants",
        "title": "Two variants",
        "description": "",
        "source": "",
        "seed": "1",
        "repetitions": 3,
        "links": [{"name": "gprs", "title": "GPRS", "summary": ["28.8 kbit/s"]}],
        "variants": [
            {"name": "sack", "title": "SACK", "summary": []},
            {"name": "frto+sack", "title": "F-RTO with SACK", "summary": []},
        ],
        "workload": {"name": "bulk-100k"},
        "published": None,
        "claims": [],
        "assumptions": [],
        "version": "0.1.0",
        "commit": "0123456789ab",
    }
    return experiment | changes


def experiment(**changes: Any) -> Experiment:
    return msgspec.convert(experiment_dict(**changes), Experiment)


def run_dict(variant: str = "sack", repetition: int = 1, **changes: Any) -> dict[str, Any]:
    run: dict[str, Any] = {
        "event": "run",
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
    "wire_error_us": {"p50": 25.1, "p99": 99.0, "max": 350.7},
    "stalls": {"count": 2, "longest_us": 81000.0, "total_us": 99000.0},
    "capture_drops": 0, "plane_drops": 0, "super_packets": 0, "bad_checksums": 0, "clock_drift_us": 0.4,
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
        "variant": variant,
        "link": "gprs",
        "repetition": repetition,
        "seed": str(1000 + repetition),
        "directory": f"runs/netns/{variant}/{repetition:03}",
        "attempts": 2,
        "reason": "the kernel refused a socket",
    }
    return failed | changes


def line(message: Mapping[str, Any]) -> bytes:
    return json.dumps(message).encode() + b"\n"


def plan_line(runs: int = 6, testbeds: tuple[str, ...] = ("sim",), **changes: Any) -> bytes:
    return line({"event": "plan", "testbeds": testbeds, "experiment": experiment_dict(**changes), "runs": runs})


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
