"""A capsule for tests: small, whole, and with every file that a capsule may have."""

from __future__ import annotations

import io
import json
from typing import Any

from tests.examples import experiment_dict
from windlull.capsule.capsule import Content, Packing
from windlull.capsule.manifest import Ending, Engine, Plan, RunOfPlan
from windlull.runner.bundle import Bundle

ENGINE = Engine("0.1.0", "815e3d3639e7")
PLAN = Plan("sim", "1", 3)
PLACE = RunOfPlan(1, "sim", "sack", "edge", 2, "2306252288374112797", "runs/sack/002")
BUNDLE = Bundle("tiny", {"experiments/tiny.toml": 'link = "edge"\n', "links/edge.toml": "rate = 1\n"})


def experiment(**changes: Any) -> dict[str, Any]:
    tiny: dict[str, Any] = {
        "name": "tiny", "title": "A tiny one", "version": ENGINE.version, "commit": ENGINE.commit,
        "links": [{"name": "edge"}], "variants": [{"name": "sack"}],
    }  # fmt: skip
    return experiment_dict(**(tiny | changes))


def run_json(**changes: Any) -> dict[str, Any]:
    return {
        "provenance": {
            "version": ENGINE.version, "commit": ENGINE.commit, "testbed": "sim", "experiment": "tiny",
            "variant": "sack", "link": "edge", "repetition": 2, "seed": PLACE.seed,
        },
        "metrics": {"elapsed_s": 1.5, "segments_sent": 400},
        "timeouts": [],
    } | changes  # fmt: skip


def packing(**changes: Any) -> Packing:
    files: dict[str, bytes] = {"run.json": octets(changes.get("run", run_json()))}
    files |= changes.get("files", {"fates.csv": b"id\n1\n" * 50, "server.pcapng": bytes(range(256)) * 3})
    return Packing.of(
        changes.get("engine", ENGINE),
        changes.get("plan", PLAN),
        changes.get("place", PLACE),
        changes.get("ending", Ending("done")),
        Content.of(changes.get("bundle", BUNDLE.json())),
        Content.of(octets(changes.get("experiment", experiment()))),
        {name: Content.of(content) for name, content in files.items()},
    )


def packed(**changes: Any) -> bytes:
    target = io.BytesIO()
    packing(**changes).write(target)
    return target.getvalue()


def octets(value: object) -> bytes:
    return value if isinstance(value, bytes) else json.dumps(value).encode()
