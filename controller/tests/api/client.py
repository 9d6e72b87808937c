"""A client whose every answer must be one that the OpenAPI document promises: status, content type, body."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema_rs

from windlull.api import app as application
from windlull.api.settings import Settings
from windlull.bounds import Bounds

if TYPE_CHECKING:
    from flask import Flask
    from werkzeug.test import TestResponse

ROOT = "/api/v1"
UNHURRIED = Bounds(requests_per_s=1_000_000, posts_per_s=1_000_000)
"""Bounds for tests that ask more often than people do."""


class Reply:
    """An answer, read to its end."""

    def __init__(self, response: TestResponse) -> None:
        self.status = response.status_code
        self.headers = response.headers
        self.mimetype = response.mimetype
        self.data = response.get_data()
        response.close()
        response.close()

    @property
    def json(self) -> Any:
        return json.loads(self.data)

    @property
    def text(self) -> str:
        return self.data.decode()


class Client:
    """Asks an application. Addresses are below `/api/v1`; `json` is the body."""

    def __init__(self, app: Flask) -> None:
        self._client = app.test_client()
        self.app = app

    def get(self, address: str, **options: Any) -> Reply:
        return self.ask("GET", address, **options)

    def post(self, address: str, **options: Any) -> Reply:
        return self.ask("POST", address, **options)

    def put(self, address: str, **options: Any) -> Reply:
        return self.ask("PUT", address, **options)

    def patch(self, address: str, **options: Any) -> Reply:
        return self.ask("PATCH", address, **options)

    def delete(self, address: str, **options: Any) -> Reply:
        return self.ask("DELETE", address, **options)

    def ask(self, method: str, address: str, **options: Any) -> Reply:
        response = Reply(self._client.open(ROOT + address, method=method, **options))
        self._hold(method, ROOT + address.partition("?")[0], response)
        return response

    def bare(self, method: str, address: str, **options: Any) -> Reply:
        """Ask anything, at any address, and hold the answer against nothing."""
        return Reply(self._client.open(address, method=method, **options))

    def _hold(self, method: str, path: str, response: Reply) -> None:
        template = _template(method, path)
        if template is None:
            assert response.status in {404, 405}, f"{method} {path} is not in the document"
            return
        documented = _responses(method, template).get(str(response.status))
        assert documented is not None, f"{method} {path}: {response.status} is not in the document: {response.text}"
        content = documented.get("content", {})
        if not response.data or not content:
            return
        assert response.mimetype in content, f"{method} {path}: {response.mimetype}"
        if response.mimetype == "application/json":
            validator = _validator(method, template, response.status)
            errors = [error.message for error in validator.iter_errors(response.json)]
            assert errors == [], f"{method} {path}: {errors}: {json.dumps(response.json)[:2000]}"


# The document is the same for every application of these tests, and to make it takes longer than an answer.


@cache
def _document() -> dict[str, Any]:
    return application.document(Settings(Path("nowhere")))


@cache
def _templates() -> list[tuple[str, re.Pattern[str]]]:
    """Addresses of the document; one without variable parts goes before one with."""
    templates = sorted(_document()["paths"], key=lambda template: "{" in template)
    return [(template, _pattern(template)) for template in templates]


def _template(method: str, path: str) -> str | None:
    """The address of the document that an operation is at."""
    for template, pattern in _templates():
        if method.lower() in _document()["paths"][template] and pattern.fullmatch(path):
            return template
    return None


def _responses(method: str, template: str) -> dict[str, Any]:
    responses: dict[str, Any] = _document()["paths"][template][method.lower()]["responses"]
    return responses


@cache
def _validator(method: str, template: str, status: int) -> jsonschema_rs.Validator:
    schema = _responses(method, template)[str(status)]["content"]["application/json"]["schema"]
    return jsonschema_rs.validator_for(schema | {"components": _document()["components"]})


def _pattern(template: str) -> re.Pattern[str]:
    """A name may have slashes, a number may not."""
    parts = re.split(r"\{(\w+)\}", template)
    return re.compile(
        "".join(re.escape(part) if place % 2 == 0 else _VARIABLE.get(part, "[^/]+") for place, part in enumerate(parts))
    )


_VARIABLE = {"name": ".+"}
