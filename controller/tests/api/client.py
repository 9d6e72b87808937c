"""A client whose every answer must be one that the OpenAPI document promises: status, content type, body."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import jsonschema_rs

from windlull.api import openapi
from windlull.api.bounds import Bounds

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
        self.document: dict[str, Any] = openapi.complete(app, token=False)  # type: ignore[arg-type]

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
        operation = self._operation(method, path)
        if operation is None:
            assert response.status in {404, 405}, f"{method} {path} is not in the document"
            return
        documented = operation["responses"].get(str(response.status))
        assert documented is not None, f"{method} {path}: {response.status} is not in the document: {response.text}"
        content = documented.get("content", {})
        if not response.data or not content:
            return
        assert response.mimetype in content, f"{method} {path}: {response.mimetype}"
        if response.mimetype == "application/json":
            schema = content["application/json"]["schema"] | {"components": self.document["components"]}
            errors = [error.message for error in jsonschema_rs.validator_for(schema).iter_errors(response.json)]
            assert errors == [], f"{method} {path}: {errors}: {json.dumps(response.json)[:2000]}"

    def _operation(self, method: str, path: str) -> dict[str, Any] | None:
        """The operation at an address; one without variable parts goes before one with."""
        found = [
            item[method.lower()]
            for template, item in sorted(self.document["paths"].items(), key=lambda entry: "{" in entry[0])
            if method.lower() in item and _pattern(template).fullmatch(path)
        ]
        return found[0] if found else None


def _pattern(template: str) -> re.Pattern[str]:
    """A name may have slashes, a number may not."""
    parts = re.split(r"\{(\w+)\}", template)
    return re.compile(
        "".join(re.escape(part) if place % 2 == 0 else _VARIABLE.get(part, "[^/]+") for place, part in enumerate(parts))
    )


_VARIABLE = {"name": ".+"}
