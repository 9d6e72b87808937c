"""A blueprint whose endpoints parse strictly, and document every status they can answer with.

    blueprint = Blueprint("runs", __name__, tag="runs", about="Single cells of batches.")

    @blueprint.get("/runs/<int:id>", responses={200: RunView, 404: None})
    def one(path: IdPath) -> Response:
        '''One run.

        The rest of the docstring is the description.
        '''

A handler takes what it needs by these names: `path` (Path), `query` (Query), `header` (Headers), `body` (Given), `raw`
(a RawModel: it is given the request, and reads a body that is no JSON for itself). Errors
are given as None and get the one error shape; what every request may meet (EVERYWHERE), and what comes
with a body or a path (WITH_BODY; 404), is added by itself, and so are 304 and the `ETag` of JSON that is read.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from http import HTTPStatus
from typing import Any

from flask import Response, request
from flask_openapi3.blueprint import APIBlueprint
from flask_openapi3.models.header import Header
from flask_openapi3.models.link import Link
from flask_openapi3.models.tag import Tag
from flask_openapi3.utils import parse_rule
from pydantic import BaseModel

from windlull.api import openapi, parsing
from windlull.api.openapi import Said
from windlull.api.schemas import ErrorAnswer

EVERYWHERE = (400, 401, 408, 414, 421, 422, 429, 431, 500, 503)
"""What any request may be answered with. 422: at least for a query parameter that does not exist."""

WITH_BODY = (413, 415)

_WITHOUT_BODY = frozenset({"GET", "HEAD", "OPTIONS"})
"""Methods in which a body means nothing (RFC 9110, section 9.3.1), so that it does no harm."""

ETAG: dict[str, Any] = {
    "ETag": {"description": "Strong; send it back in `If-None-Match`.", "schema": {"type": "string"}, "required": True}
}


NOT_MODIFIED: dict[str, Any] = {"description": "Not changed since the `ETag` in `If-None-Match`.", "headers": ETAG}

CREATED: dict[str, Any] = {
    "Location": {"description": "Its address.", "schema": {"type": "string"}, "required": True},
    "Idempotency-Replayed": {
        "description": "`true` if the request had been answered before.",
        "schema": {"type": "string", "enum": ["true"]},
    },
}


class Blueprint(APIBlueprint):
    """The endpoints of one thing."""

    def __init__(self, name: str, import_name: str, *, tag: str, about: str) -> None:
        super().__init__(
            name,
            import_name,
            abp_tags=[Tag(name=tag, description=about)],
            operation_id_callback=openapi.operation_id,
        )

    def _collect_openapi_info(self, rule: str, func: Callable[..., Any], **options: Any) -> Any:  # noqa: ANN401
        """Complete the documented answers before the library reads them, and with what it cannot be told after."""
        takes = func.__annotations__
        errors = {
            *EVERYWHERE,
            *(WITH_BODY if {"body", "raw"} & set(takes) else ()),
            *((404,) if "path" in takes else ()),
        }
        declared: dict[int, Any] = options.get("responses") or {}
        reads = str(options["method"]) == "GET" and isinstance(declared.get(HTTPStatus.OK), type | Said)
        every: dict[int, Any] = dict.fromkeys(errors) | declared | ({304: NOT_MODIFIED} if reads else {})
        options["responses"] = {str(status): _plain(status, every[status]) for status in sorted(every)}
        parameters = super()._collect_openapi_info(rule, func, **options)
        operation = getattr(self.paths[parse_rule(rule, url_prefix=self.url_prefix)], str(options["method"]).lower())
        if operation.requestBody is not None:
            operation.requestBody.required = True
        if reads:
            operation.responses["200"].headers = {"ETag": Header(**ETAG["ETag"])}
        for status, answer in declared.items():
            if isinstance(answer, Creation):
                response = operation.responses[str(status)]
                response.headers = {name: Header(**header) for name, header in CREATED.items()}
                response.links = {"read": Link(operationId=answer.reads, parameters=answer.parameters)}
        return parameters

    @staticmethod
    def create_view_func(
        func: Callable[..., Response],
        header: type[BaseModel] | None,
        cookie: type[BaseModel] | None,  # noqa: ARG004
        path: type[BaseModel] | None,
        query: type[BaseModel] | None,
        form: type[BaseModel] | None,  # noqa: ARG004
        body: type[BaseModel] | None,
        raw: type[BaseModel] | None,
        *_unused: Any,  # noqa: ANN401
        **_options: Any,  # noqa: ANN401
    ) -> Callable[..., Response]:
        """Return the view: it parses in the order in which a refusal is most useful, then asks the handler."""
        query_parser = parsing.QueryParser(query) if query else None

        @wraps(func)
        def view(**values: Any) -> Response:  # noqa: ANN401
            parsed: dict[str, Any] = {}
            if path:
                parsed["path"] = parsing.path(path, values)
            if query_parser:
                parsed["query"] = query_parser.parse()
            else:
                parsing.no_query()
            if header:
                parsed["header"] = parsing.headers(header)
            if body:
                parsed["body"] = parsing.body(body)
            elif raw:
                parsed["raw"] = request
            elif request.method not in _WITHOUT_BODY:
                parsing.no_body()
            return func(**parsed)

        return view


def _plain(status: int, body: Any) -> Any:  # noqa: ANN401 - as the library takes it
    """Return what the library understands: a model, a dict, or None for an answer without a body."""
    if isinstance(body, Creation):
        body = body.model
    if isinstance(body, Said):
        return body.response()
    return ErrorAnswer if body is None and status >= HTTPStatus.BAD_REQUEST else body


def file_response(media: str, description: str) -> dict[str, Any]:
    """Return a documented response that is a file, not JSON."""
    return {
        "description": description,
        "content": {media: {"schema": {"type": "string", "format": "binary"}}},
        "headers": ETAG,
    }


@dataclass(frozen=True)
class Creation:
    """A 201: JSON of `model`, its address, and the operation that reads it, with its parameters as links have them."""

    model: type[BaseModel] | Said
    reads: str
    parameters: dict[str, str]


def created(model: type[BaseModel] | Said, reads: str, **parameters: str) -> Any:  # noqa: ANN401 - more than the library knows
    """Return a documented 201."""
    return Creation(model, reads, parameters)
