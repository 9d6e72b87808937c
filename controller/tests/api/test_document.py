"""The document is complete, and the one that is in docs/."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import windlull
from windlull.api.app import document
from windlull.api.settings import Settings

pytestmark = pytest.mark.long

ROOT = Path(windlull.__file__).parents[2]
KEPT = ROOT / "docs" / "openapi.json"
PAGE = ROOT / "docs" / "api.md"
METHODS = {"get", "post", "put", "patch", "delete"}


@pytest.fixture(scope="module")
def openapi() -> dict[str, Any]:
    return document(Settings(Path("nowhere"), token="any"))  # noqa: S106


def operations(openapi: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    return [(path, method, item[method]) for path, item in openapi["paths"].items() for method in METHODS & set(item)]


def test_the_document_in_docs_is_this_one(openapi: dict[str, Any]) -> None:
    kept = json.loads(KEPT.read_text(encoding="utf-8"))
    assert kept == json.loads(json.dumps(openapi)), "`make generate` writes it anew"


def test_every_endpoint_is_in_the_document(openapi: dict[str, Any], app: Any) -> None:
    there = {(path, method.upper()) for path, method, _ in operations(openapi)}
    for rule in app.url_map.iter_rules():
        if not rule.rule.startswith("/api/"):
            assert rule.rule == "/"
            continue
        path = re.sub(r"<(?:[^<:]+:)?(\w+)>", r"{\1}", rule.rule)
        for method in rule.methods - {"HEAD", "OPTIONS"}:
            assert (path, method) in there
            there.discard((path, method))
    assert there == set(), "in the document, but not served"


def test_every_operation_is_described(openapi: dict[str, Any]) -> None:
    for path, method, operation in operations(openapi):
        where = f"{method} {path}"
        assert re.fullmatch(r"[A-Z].*\.", operation["summary"]), where
        assert operation["description"], where
        assert operation["tags"], where
        assert any(status.startswith("2") for status in operation["responses"]), where
        for status, response in operation["responses"].items():
            assert response["description"], f"{where}: {status}"
        for name in re.findall(r"\{(\w+)\}", path):
            assert name in {parameter["name"] for parameter in operation["parameters"]}, where


def test_every_operation_has_a_name_of_its_own(openapi: dict[str, Any]) -> None:
    names = [operation["operationId"] for _, _, operation in operations(openapi)]
    assert len(set(names)) == len(names)


def test_every_error_has_the_one_shape(openapi: dict[str, Any]) -> None:
    for path, method, operation in operations(openapi):
        for status, response in operation["responses"].items():
            if status >= "400" and (method, path, status) != ("get", "/api/v1/health/ready", "503"):
                schema = response["content"]["application/json"]["schema"]
                assert schema == {"$ref": "#/components/schemas/ErrorAnswer"}, f"{method} {path}: {status}"


def test_what_creates_takes_an_idempotency_key(openapi: dict[str, Any]) -> None:
    for path, method, operation in operations(openapi):
        if "201" in operation["responses"]:
            names = {parameter["name"] for parameter in operation["parameters"]}
            assert "Idempotency-Key" in names, f"{method} {path}"


def test_json_that_is_read_has_an_etag(openapi: dict[str, Any]) -> None:
    for path, method, operation in operations(openapi):
        read = operation["responses"].get("200", {})
        if method == "get" and "application/json" in read.get("content", {}):
            assert "304" in operation["responses"], path


def test_every_reference_leads_somewhere(openapi: dict[str, Any]) -> None:
    for name in re.findall(r'"#/components/schemas/([^"]+)"', json.dumps(openapi)):
        assert name in openapi["components"]["schemas"], name


FREE = {
    "/paths//api/v1/openapi.json/get/responses/200/content/application/json/schema",
    "/paths//api/v1/hooks/{id}/post/requestBody/content/application/json/schema",
}
"""The document itself, whose form is that of OpenAPI, and what forges send, in forms of their own."""


def test_no_object_is_free_in_form(openapi: dict[str, Any]) -> None:
    def free(part: Any, place: str) -> set[str]:
        if isinstance(part, list):
            return {found for i, each in enumerate(part) for found in free(each, f"{place}/{i}")}
        if not isinstance(part, dict):
            return set()
        values = part.get("additionalProperties", True) not in (True, {})
        untyped = part == {} and not place.endswith("/links/read/parameters")
        open_ended = part.get("type") == "object" and not values and not part.get("properties")
        within = {found for key, each in part.items() for found in free(each, f"{place}/{key}")}
        return within | ({place} if untyped or open_ended else set())

    assert free(openapi, "") == FREE


def test_every_thing_is_named_in_the_page(openapi: dict[str, Any]) -> None:
    page = PAGE.read_text(encoding="utf-8")
    for path in openapi["paths"]:
        thing = path.removeprefix("/api/v1/").partition("/")[0]
        assert f"`{thing}" in page, thing


def test_the_service_is_as_its_document_says() -> None:
    """Schemathesis with few examples, the same each time; scripts/api_fuzz.py asks for longer."""
    command = [sys.executable, str(ROOT / "scripts" / "api_fuzz.py"), "--examples", "2", "--seed", "1"]
    fuzzed = subprocess.run(command, check=False, capture_output=True, text=True)
    assert fuzzed.returncode == 0, fuzzed.stdout[-8000:] + fuzzed.stderr[-2000:]
