"""Requests into types. Nothing is guessed: an unknown parameter, a repeated one, a number in quotes are refused.

Every refusal names the key. What is not JSON is 400; what is JSON, or a query, but not what it should be, is 422; what
cannot be a name or a number in a path names nothing: 404.
"""

import re
import types
import typing
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, TypeVar

from flask import request
from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from windlull.api.errors import ApiError, invalid
from windlull.api.schemas import SPELLED
from windlull.contract.engine import Problem

Model = TypeVar("Model", bound=BaseModel)

JSON = "application/json"

_SPELLINGS: dict[Any, tuple[re.Pattern[str], str]] = {
    int: (re.compile(r"-?(0|[1-9][0-9]{0,18})"), "a whole number"),
    float: (re.compile(r"-?(0|[1-9][0-9]{0,30})(\.[0-9]{1,30})?([eE][+-]?[0-9]{1,3})?"), "a number"),
    bool: (re.compile(r"true|false"), "true or false"),
}
"""How a query writes what is not text: as JSON does."""


class QueryParser:
    """Reads the query of a request into a model; made once for each endpoint."""

    def __init__(self, model: type[BaseModel]) -> None:
        self._model = model
        self._fields = {field.alias or name: _Field(field) for name, field in model.model_fields.items()}

    def parse(self) -> BaseModel:
        """Return the query. Raises ApiError."""
        problems: list[Problem] = []
        found: dict[str, Any] = {}
        for key, values in request.args.lists():
            field = self._fields.get(key)
            if field is None:
                known = ", ".join(sorted(self._fields)) or "none"
                problems.append(Problem(message="unknown parameter", key=key, suggestion=f"there are: {known}"))
            elif len(values) > 1 and not field.many:
                problems.append(Problem(message="is given more than once", key=key))
            elif field.spelling and not all(field.spelling[0].fullmatch(value) for value in values):
                problems.append(Problem(message=f"is not {field.spelling[1]}", key=key))
            else:
                found[key] = values if field.many else values[0]
        try:
            parsed = self._model.model_validate(found)
        except ValidationError as error:
            reported = {problem.key for problem in problems}
            problems += [problem for problem in problems_of(error) if problem.key not in reported]
        else:
            if not problems:
                return parsed
        raise refusal(problems)


class _Field:
    """How one parameter is written: its spelling if it is not text, and whether it may be repeated."""

    def __init__(self, field: FieldInfo) -> None:
        inner = _without_none(field.annotation)
        self.many = typing.get_origin(inner) is list
        if self.many:
            (inner,) = typing.get_args(inner)
        while typing.get_origin(inner) is typing.Annotated:
            inner = typing.get_args(inner)[0]
        self.spelling = _SPELLINGS.get(inner)


def _without_none(annotation: Any) -> Any:  # noqa: ANN401 - a type
    while typing.get_origin(annotation) is typing.Annotated:
        annotation = typing.get_args(annotation)[0]
    if typing.get_origin(annotation) in {typing.Union, types.UnionType}:
        rest = [part for part in typing.get_args(annotation) if part is not types.NoneType]
        if len(rest) == 1:
            return _without_none(rest[0])
    return annotation


def path(model: type[Model], values: Mapping[str, Any]) -> Model:
    """Return the variable parts of the address. Raises ApiError 404: what is not right there names nothing."""
    try:
        return model.model_validate(dict(values))
    except ValidationError as error:
        raise ApiError(HTTPStatus.NOT_FOUND, "there is nothing of that name", problems=problems_of(error)) from error


def headers(model: type[Model]) -> Model:
    """Return the headers that the model names by their aliases. Raises ApiError."""
    aliases = [field.alias or name for name, field in model.model_fields.items()]
    given = {alias: request.headers[alias] for alias in aliases if alias in request.headers}
    try:
        return model.model_validate(given)
    except ValidationError as error:
        raise refusal(problems_of(error)) from error


def require_type(*taken: str) -> None:
    """Raise ApiError unless the body is of one of these types."""
    if request.mimetype not in taken:
        sent = f"this one is {request.mimetype}" if request.mimetype else "this one has none"
        must = f"must be {'one of ' if len(taken) > 1 else ''}{', '.join(taken)}"
        raise ApiError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"the body's Content-Type {must}; {sent}")


def body(model: type[Model]) -> Model:
    """Return the body, which must be JSON. Raises ApiError."""
    require_type(JSON)
    try:
        return model.model_validate_json(request.get_data(cache=True))
    except ValidationError as error:
        if any(problem["type"] == "json_invalid" for problem in error.errors(include_url=False, include_context=False)):
            message = f"the body is not JSON: {error.errors(include_url=False)[0]['ctx']['error']}"
            raise ApiError(HTTPStatus.BAD_REQUEST, message, code="bad-json") from error
        raise refusal(problems_of(error)) from error


def no_body() -> None:
    """Refuse a body, at an endpoint that takes none: what is ignored is not what was meant. Raises ApiError."""
    if request.content_length or "Transfer-Encoding" in request.headers:
        raise ApiError(HTTPStatus.BAD_REQUEST, "this address takes no body")


def no_query() -> None:
    """Refuse any query parameter, at an endpoint that has none. Raises ApiError."""
    if request.args:
        none = "there are: none"
        raise refusal([Problem(message="unknown parameter", key=key, suggestion=none) for key in request.args])


def problems_of(error: ValidationError) -> list[Problem]:
    """Return what pydantic says, with keys as they are written: `metrics[2].name`."""
    problems = []
    for fault in error.errors(include_url=False, include_input=False):
        key = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in fault["loc"]).lstrip(".")
        message = _message(fault)
        problems.append(Problem(message=message[:1].lower() + message[1:], key=key or None))
    return problems


def _message(fault: ErrorDetails) -> str:
    pattern = fault.get("ctx", {}).get("pattern")
    if fault["type"] == "extra_forbidden":
        return "unknown key"
    if fault["type"] == "string_pattern_mismatch" and pattern in SPELLED:
        return f"has the wrong form; it takes {SPELLED[pattern]}"
    # Of our own validators pydantic tells the exception's kind first.
    return fault["msg"].removeprefix("Value error, ")


def refusal(problems: list[Problem]) -> ApiError:
    """Return 422 with all that is wrong; the message is the first of it."""
    first = problems[0]
    message = f"{first.key}: {first.message}" if first.key else first.message
    rest = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    return invalid(message + rest, problems)
