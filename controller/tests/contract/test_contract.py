"""The types of Python are those of the engine's schema, and the engine keeps to it."""

from __future__ import annotations

import gzip
import importlib.util
import json
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs
import msgspec
import pytest

from windlull import locate
from windlull.contract import engine as contract
from windlull.runner import engine

pytestmark = pytest.mark.long

ROOT = Path(__file__).resolve().parents[3]


def script() -> Any:
    """What makes both."""
    spec = importlib.util.spec_from_file_location("contract", ROOT / "scripts" / "contract.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


HINT = "run `make generate`"


def test_the_schema_is_the_engine_s() -> None:
    assert script().schema(locate.engine()) == locate.schema().read_text(encoding="utf-8"), HINT


def test_the_schema_of_stacks_is_the_engine_s() -> None:
    assert script().schema(locate.engine(), "stack") == script().STACK.read_text(encoding="utf-8"), HINT


def test_the_types_are_made_of_the_schema() -> None:
    made = script().types(locate.schema().read_text(encoding="utf-8"))
    assert made == script().TYPES.read_text(encoding="utf-8"), HINT


def test_the_values_of_impairments_are_those_of_links() -> None:
    made = script().impairments(script().LINK.read_text(encoding="utf-8"))
    assert made == script().IMPAIRMENTS.read_text(encoding="utf-8"), HINT


def test_no_object_is_free_in_form() -> None:
    def free(part: Any, place: str) -> list[str]:
        if isinstance(part, list):
            return [found for i, each in enumerate(part) for found in free(each, f"{place}/{i}")]
        if not isinstance(part, dict):
            return []
        open_ended = part.get("type") == "object" and not (
            part.get("additionalProperties") is False or isinstance(part.get("additionalProperties"), dict)
        )
        return [place] * open_ended + [found for key, each in part.items() for found in free(each, f"{place}/{key}")]

    assert free(json.loads(locate.schema().read_text(encoding="utf-8"))["$defs"], "") == []


DEFINITIONS = json.loads(locate.schema().read_text(encoding="utf-8"))


def hold(kind: str, value: object) -> None:
    """Hold a value against the schema of its kind, and read it as Python's type of it."""
    assert [error.message for error in validator(kind).iter_errors(value)] == []
    if kind not in WITHOUT_A_TAG:
        msgspec.convert(value, getattr(contract, kind))


@cache
def validator(kind: str) -> jsonschema_rs.Validator:
    return jsonschema_rs.validator_for(DEFINITIONS | {"$ref": f"#/$defs/{kind}"})


WITHOUT_A_TAG = {"Document", "EventLine"}
"""Unions whose parts are told apart by their keys alone, which msgspec does not do."""


@pytest.mark.parametrize(
    ("kind", "question"),
    [
        ("Version", ["version"]),
        ("Plan", ["plan", "detectors"]),
        ("Plan", ["plan", "--testbed", "netns", "first-look-live"]),
        ("Preview", ["preview", "gprs"]),
        ("Preview", ["preview", "umts-3g"]),
        ("Document", ["show", "gprs"]),
        ("Document", ["show", "sack"]),
        ("Document", ["show", "bulk-100-kib-down"]),
        ("Document", ["show", "detectors"]),
        ("Doctor", ["doctor"]),
    ],
)
def test_an_answer_is_of_its_schema(kind: str, question: list[str]) -> None:
    hold(kind, engine.ask(question))


@pytest.mark.parametrize("folder", ["links", "variants", "workloads", "experiments"])
def test_all_that_is_shipped_is_shown_by_the_schema(folder: str) -> None:
    for line in engine.ask(["list", folder]):
        hold("ListedDocument", line)
        hold("Document", engine.ask(["show", f"{folder}/{line['name']}"]))


def test_what_a_run_says_and_writes_is_of_its_schema(tmp_path: Path) -> None:
    said = engine.text(["run", "first-look", "--reps", "1", "--out", str(tmp_path)])
    messages = [json.loads(line) for line in said.splitlines()]
    for message in messages:
        hold("Message", message)
    place = tmp_path / messages[1]["directory"]
    hold("RunFile", json.loads((place / "run.json").read_text(encoding="utf-8")))
    hold("Series", json.loads(gzip.decompress((place / "series.json.gz").read_bytes())))
    for line in (place / "events.jsonl").read_text(encoding="utf-8").splitlines():
        hold("EventLine", json.loads(line))
    captures = [str(place / "server.pcapng"), str(place / "client.pcapng")]
    hold("CaptureAnalysis", engine.ask(["analyze", *captures], with_profiles=False))
    hold("Transits", engine.ask(["analyze", "--packets", *captures], with_profiles=False))
    hold("ConnectionList", engine.ask(["analyze", "--connections", *captures], with_profiles=False))


def test_what_is_wrong_is_of_its_schema(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.toml"
    wrong.write_text('title = "Wrong"\n[both]\nrat = "1 kbit/s"\n', encoding="utf-8")
    command = [str(locate.engine()), "--errors", "json", "check", str(wrong)]
    hold("BadInput", json.loads(subprocess.run(command, check=False, capture_output=True).stderr))


def test_a_schema_refuses_what_it_does_not_have() -> None:
    preview = engine.ask(["preview", "gprs"])
    with pytest.raises(AssertionError):
        hold("Preview", preview | {"colour": "red"})
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(preview | {"colour": "red"}, contract.Preview)
