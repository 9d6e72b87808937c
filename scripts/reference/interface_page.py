"""The page of the HTTP interface: docs/openapi.json, which the service says of itself, for people to read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tables import plain, table

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "openapi.json"
PREFIX = "/api/v1"

HEAD = """# The HTTP interface

Every address below `/api/v1`, made from [openapi.json](../openapi.json), which the service says of itself and programs
may read. What holds everywhere (errors, pages, ETags, events, tokens) is in [api.md](../api.md); statuses from 400 on
have one shape of errors and are not repeated here. Under [Shapes](#shapes) stand the objects that come and go.

"""


def page() -> str:
    """The page."""
    document = json.loads(DOCUMENT.read_text(encoding="utf-8"))
    operations = [
        (method, address, operation)
        for address, methods in document["paths"].items()
        for method, operation in methods.items()
    ]
    sections = [
        _section(tag, [each for each in operations if tag["name"] in each[2]["tags"]]) for tag in document["tags"]
    ]
    shapes = document["components"]["schemas"]
    return (
        HEAD
        + "".join(sections)
        + "## Shapes\n\n"
        + "".join(_shape(name, shape) for name, shape in sorted(shapes.items()))
    )


def _section(tag: dict[str, Any], operations: list[tuple[str, str, dict[str, Any]]]) -> str:
    body = "".join(_operation(method, address, operation) for method, address, operation in operations)
    return f"## {tag['name'].capitalize()}\n\n{plain(tag.get('description', ''))}\n\n{body}"


def _operation(method: str, address: str, operation: dict[str, Any]) -> str:
    parameters = [
        (
            f"`{each['name']}`",
            each["in"],
            _type(each["schema"]) + (", **required**" if each.get("required") and each["in"] != "path" else ""),
            _about(each.get("schema", {}) | ({"description": each["description"]} if each.get("description") else {})),
        )
        for each in operation.get("parameters", [])
    ]
    answers = [
        (status, plain(answer.get("description") or ""), _content(answer.get("content", {})))
        for status, answer in sorted(operation["responses"].items())
        if status < "400"
    ]
    body = operation.get("requestBody", {}).get("content", {})
    return (
        f"### `{method.upper()} {address.removeprefix(PREFIX)}`\n\n"
        f"{plain(operation['summary'])} {plain(operation.get('description', ''))}\n\n"
        + table(("parameter", "in", "type", "meaning"), parameters)
        + (f"Takes {_content(body)}.\n\n" if body else "")
        + table(("status", "meaning", "answer"), answers)
    )


def _content(content: dict[str, Any]) -> str:
    """What a body is: its shape if it is JSON, else its media type."""
    return ", ".join(
        _type(each["schema"]) if media == "application/json" and each.get("schema") else f"`{media}`"
        for media, each in content.items()
    )


def _shape(name: str, shape: dict[str, Any]) -> str:
    required = set(shape.get("required", []))
    rows = [
        (f"`{key}`", _type(each) + (", **required**" if key in required else ""), _about(each))
        for key, each in shape.get("properties", {}).items()
    ]
    body = table(("key", "type", "meaning"), rows) if rows else f"{_type(shape)}\n\n"
    return f"### `{name}`\n\n{plain(shape.get('description', ''))}\n\n{body}"


def _type(schema: dict[str, Any]) -> str:  # noqa: PLR0911 - a case for each form of JSON Schema
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[`{name}`](#{name.lower()})"
    for key, word in (("anyOf", " or "), ("oneOf", " or "), ("allOf", " and ")):
        if key in schema:
            return word.join(dict.fromkeys(_type(each) for each in schema[key]))
    if "enum" in schema:
        return " or ".join(f"`{json.dumps(value)}`" for value in schema["enum"])
    if "const" in schema:
        return f"`{json.dumps(schema['const'])}`"
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {}))}"
    if isinstance(schema.get("additionalProperties"), dict):
        return f"object of {_type(schema['additionalProperties'])}"
    return _bounded(schema)


def _bounded(schema: dict[str, Any]) -> str:
    """A plain type with its bounds."""
    kind = str(schema.get("format") or schema.get("type") or "anything")
    lower, upper = (schema.get(key) for key in ("minimum", "maximum"))
    if lower is not None and upper is not None and upper < 2**53:
        return f"{kind} from {lower:g} to {upper:g}"
    return f"{kind}, at least {lower:g}" if lower is not None and lower > 0 else kind


def _about(schema: dict[str, Any]) -> str:
    text = plain(schema.get("description") or "")
    default = schema.get("default")
    return text if default is None else f"{text} Default: `{json.dumps(default)}`."
