"""The OpenAPI document: what the types and docstrings say, made exact."""

import json
from dataclasses import dataclass
from functools import cache
from typing import Any

import msgspec
from flask_openapi3.openapi import OpenAPI
from pydantic import WithJsonSchema

from windlull import locate
from windlull.papers import frame as papers
from windlull.reports import frame
from windlull.runner.needs import Needs
from windlull.scheduler.status import WorkerStatus
from windlull.stats.compare import Finding

DESCRIPTION = """\
How TCP recovers on links that misbehave: documents (links, variants, workloads, experiments), batches of runs, and what
the runs showed.

Errors have one shape. Lists come in pages: `next` is the `cursor` of the next one. Answers of JSON have a strong
`ETag`: send it back in `If-None-Match`. What creates takes an `Idempotency-Key`. Seeds are text, times are RFC 3339 in
UTC. Unknown keys and parameters are refused."""

SECURITY_SCHEMES: dict[str, Any] = {
    "token": {"type": "http", "scheme": "bearer", "description": "The token that the service was started with."},
    "session": {"type": "apiKey", "in": "cookie", "name": "windlull_session", "description": "Of POST session."},
}
OPEN_OPERATIONS = frozenset(
    {"health_live", "health_ready", "session_needed", "session_begin", "session_end", "hooks_receive"}
)
"""What needs no token."""

_METHODS = ("get", "post", "put", "patch", "delete")


_ENGINE = "schema/engine.json: "


def of_engine(name: str) -> WithJsonSchema:
    """Annotate a part of an answer that is as the engine said it, or as a type of ours has it, by the name of that."""
    # The library leaves out of schemas what it does not know, as `x-engine`, and pydantic refuses references.
    return WithJsonSchema({"const": _ENGINE + name})


@dataclass(frozen=True)
class Said:
    """An answer that is as the engine said it: one of these definitions of `schema/engine.json`."""

    names: tuple[str, ...]

    def response(self) -> dict[str, Any]:
        """Return it as the document has answers."""
        references = [{"$ref": _COMPONENTS + name} for name in self.names]
        schema = references[0] if len(references) == 1 else {"anyOf": references}
        return {"description": " or ".join(self.names), "content": {"application/json": {"schema": schema}}}


def said(*names: str) -> Any:  # noqa: ANN401 - more than the library knows
    """Return a documented answer that is as the engine said it."""
    return Said(names)


def operation_id(*, bp_name: str, name: str, path: str, method: str) -> str:  # noqa: ARG001 - as the library calls it
    """Return the name of an operation: `runs_one`."""
    return f"{bp_name}_{name}"


def complete(app: OpenAPI, *, token: bool) -> dict[str, Any]:
    """Return the application's document. `token`: whether the service wants one."""
    document: dict[str, Any] = _exact(app.api_doc)
    # The library's own order is that of its sets.
    document["tags"] = sorted(document.get("tags", []), key=lambda tag: str(tag["name"]))
    document["paths"] = dict(sorted(document["paths"].items()))
    schemas = document["components"]["schemas"]
    for name in _named(document):
        if schemas.setdefault(name, _engine()[name]) != _engine()[name]:
            raise AssertionError(f"the engine and the API have each a schema {name}")
    document["components"]["schemas"] = dict(sorted(schemas.items()))
    for path in document["paths"].values():
        for method in _METHODS:
            if method in path:
                _complete_operation(path[method], token=token)
    return document


def _complete_operation(operation: dict[str, Any], *, token: bool) -> None:
    if "description" in operation:
        operation["description"] = operation["description"].replace("<br/>", "\n").strip()
    for parameter in operation.get("parameters", []):
        parameter["schema"] = _not_null(parameter["schema"])
    operation["responses"] = dict(sorted(operation["responses"].items()))
    if token:
        operation["security"] = [] if operation["operationId"] in OPEN_OPERATIONS else [{"token": []}, {"session": []}]
    if not token or operation["operationId"] in OPEN_OPERATIONS:
        operation["responses"].pop("401", None)


def _not_null(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema without null: a parameter that is not given is left out."""
    options = [option for option in schema.get("anyOf", []) if option != {"type": "null"}]
    rest = {key: value for key, value in schema.items() if key != "anyOf" and (key, value) != ("default", None)}
    if len(options) == 1:
        only: dict[str, Any] = options[0]
        return only | rest
    return rest | ({"anyOf": options} if options else {})


@cache
def _engine() -> dict[str, Any]:
    """Return the definitions of all that the engine and statistics say, with references as components have them."""
    engine = json.loads(locate.schema().read_text(encoding="utf-8"))["$defs"]
    made = msgspec.json.schema_components((Finding, Needs, WorkerStatus), ref_template="#/$defs/{name}")[1]
    # Of these nothing is left out, also where it is as usual.
    ours = {name: one | {"required": list(one["properties"])} for name, one in made.items()}
    shapes = ours | engine | frame.definitions() | papers.definitions()
    text = json.dumps(shapes).replace("#/$defs/", _COMPONENTS)
    definitions: dict[str, Any] = json.loads(text, object_hook=_of_openapi)
    return definitions


def _of_openapi(part: dict[str, Any]) -> dict[str, Any]:
    """Leave out what means something else there: `duration` is that of ISO 8601, a discriminator's value a schema.

    A pair is a list, as whoever reads answers by their types has it.
    """
    if "prefixItems" in part:
        part["items"] = part.pop("prefixItems")[0]
    return {
        key: value
        for key, value in part.items()
        if not (key == "format" and isinstance(value, str)) and not (key == "discriminator" and "propertyName" in value)
    }


_COMPONENTS = "#/components/schemas/"


def _named(document: Any) -> set[str]:  # noqa: ANN401 - JSON
    """Return the engine's definitions that a document refers to, and those that they refer to in their turn."""
    found: set[str] = set()
    parts = [document]
    while parts:
        part = parts.pop()
        if isinstance(part, list):
            parts += part
        elif isinstance(part, dict):
            parts += part.values()
            name = str(part.get("$ref", "")).removeprefix(_COMPONENTS)
            if name in _engine() and name not in found:
                found.add(name)
                parts.append(_engine()[name])
    return found


def _exact(value: Any) -> Any:  # noqa: ANN401 - JSON
    """Leave out definitions within schemas: they stand in components as well; and titles that repeat a key's name."""
    if isinstance(value, dict):
        if str(value.get("const")).startswith(_ENGINE):
            rest = {key: part for key, part in value.items() if key not in {"const", "title"}}
            return {"$ref": _COMPONENTS + value["const"].removeprefix(_ENGINE)} | rest
        return {
            key: _exact(part)
            for key, part in value.items()
            if key != "$defs" and not (key == "title" and isinstance(part, str) and "type" in value)
        }
    return [_exact(part) for part in value] if isinstance(value, list) else value
