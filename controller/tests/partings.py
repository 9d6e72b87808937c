"""Two runs that part, as the engine would say it, for tests of what comes after the engine."""

from __future__ import annotations

from typing import Any

import msgspec

from windlull.contract.engine import DifferenceOfRuns

AT_NS = 7_250_000_000


def run(variant: str, *, repetition: int = 1, link: str = "gprs") -> dict[str, Any]:
    """Return a run that is compared."""
    provenance = {
        "testbed": "sim", "experiment": "mine", "variant": variant, "link": link, "repetition": repetition, "seed": "7",
        "version": "0.1.0", "commit": "0123456789ab",
    }  # fmt: skip
    return {"directory": f"runs/{variant}/{repetition:03}", "provenance": provenance, "data_sender": "server"}


def deed(name: str, rule: str | None, *, untold: int = 0) -> dict[str, Any]:
    """Return what a sender did when the two parted."""
    return {
        "did": "sent",
        "packet": None,
        "decision": {"name": name, "text": "", "rule": rule},
        "decided": [],
        "untold": untold,
        "state": None,
    }


def difference(*kind: str, repetition: int = 1, origin: str = "sender", longer_s: float = -1.5) -> DifferenceOfRuns:
    """Return two runs that part by two decisions, or, without any, that do not part."""
    parting = None
    if kind:
        a, b = kind
        parting = {
            "at_ns": AT_NS,
            "how": "octets",
            "origin": origin,
            "kind": {"a": a, "b": b},
            "a": deed(a, "RFC 5681, section 3.1"),
            "b": deed(b, None, untold=3),
            "window": {"from_ns": 0, "to_ns": 2 * AT_NS, "a": [], "b": [], "left_out": 0},
        }
    answer = {
        "a": run("sack", repetition=repetition),
        "b": run("frto+sack", repetition=repetition),
        "settings": [{"key": "detection", "a": None, "b": '"frto"'}],
        "tolerance_ns": 0,
        "sent_alike": 40,
        "parting": parting,
        "fates": {"compared": 61, "first": None},
        "heard": None,
        "story": [{"at_ns": AT_NS, "of": "a", "text": "It sent octets 0 to 9 again."}],
        "costs": [{"metric": "elapsed_s", "a": 30.0, "b": 30.0 + longer_s, "difference": longer_s}],
        "notes": [],
    }
    return msgspec.convert(answer, DifferenceOfRuns)
