"""Types that several endpoints share: what is given is strict, what is told is exact.

A body is a `Given`, a query a `Query`, the parameters of a path a `Path`, headers a `Headers`; what is answered is a
`View`. Unknown keys are refused in all but headers.
"""

from datetime import datetime
from functools import cache
from typing import Annotated, Any, Generic, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from windlull.api.openapi import of_engine
from windlull.store import documents

LARGEST_ID = (1 << 63) - 1
_PART = "[a-z0-9]([a-z0-9+._-]*[a-z0-9+_-])?"
NAME_PATTERN = f"^{_PART}(/{_PART}){{0,7}}$"
"""As `store.documents.NAME` has it, but that no part may end in `.toml`, which a JSON Schema cannot say simply."""

SEED_PATTERN = r"^(0|[1-9][0-9]{0,19})$"
TAG_PATTERN = r"^[A-Za-z0-9]([A-Za-z0-9 ._+:/-]*[A-Za-z0-9._+-])?$"
VISIBLE_PATTERN = r"^[\x21-\x7e]+$"
ETAG_PATTERN = r'^(\*|(W/)?"[\x21\x23-\x7e]*"(, *(W/)?"[\x21\x23-\x7e]*")*)$'

SPELLED = {
    NAME_PATTERN: "lower-case letters, digits and `._+-`, in at most 8 parts with a slash between them; each begins "
    "with a letter or a digit and does not end in a dot",
    SEED_PATTERN: "a whole number from 0 to 18446744073709551615",
    TAG_PATTERN: "letters, digits, spaces and `._+:/-`; begins with a letter or a digit, and does not end in a space, "
    "a colon or a slash",
    VISIBLE_PATTERN: "letters, digits and punctuation of ASCII, without spaces",
}
"""What a text of each of these patterns is, in words."""
LARGEST_EXACT = (1 << 53) - 1
"""Up to here every program reads a number of JSON as it was written."""


def _is_no_file(name: str) -> str:
    if documents.NAME.fullmatch(name) is None:
        raise ValueError("a name has no part that ends in .toml")
    return name


Name = Annotated[str, Field(min_length=1, max_length=200, pattern=NAME_PATTERN), AfterValidator(_is_no_file)]
_SCENARIO_PATTERN = "^[a-z][a-z0-9-]*( --[a-z_-]+(=[A-Za-z0-9.,_-]*)?)+$"


def _is_no_file_if_a_name(name: str) -> str:
    return name if " " in name else _is_no_file(name)


LinkName = Annotated[
    str,
    Field(
        min_length=1,
        max_length=400,
        pattern=f"{NAME_PATTERN}|{_SCENARIO_PATTERN}",
        description="Of a link, or a scenario of the QUIC network simulator (docs/shell.md) in its place.",
    ),
    AfterValidator(_is_no_file_if_a_name),
]
Id = Annotated[int, Field(ge=1, le=LARGEST_ID)]
Seed = Annotated[
    str,
    Field(pattern=SEED_PATTERN, description="Unsigned, 64 bits, in decimal: a JSON number would lose its low bits."),
]


def _in_quotes(given: object) -> object:
    """Return a whole number as the text that a seed is, if no program reads it as another one."""
    if not isinstance(given, int) or isinstance(given, bool):
        return given
    if given > LARGEST_EXACT:
        raise ValueError(f'a number above {LARGEST_EXACT} loses digits in some programs: write it as text, "{given}"')
    return str(given)


SeedGiven = Annotated[
    Seed,
    BeforeValidator(_in_quotes),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string", "pattern": SEED_PATTERN},
                {"type": "integer", "minimum": 0, "maximum": LARGEST_EXACT},
            ],
            "description": "Unsigned, 64 bits, in decimal. As a number only up to 2^53 - 1: a greater one would lose "
            "its low bits.",
        }
    ),
]
Moment = Annotated[datetime, Field(description="UTC, RFC 3339.")]
Kind = Literal["link", "variant", "workload", "experiment"]
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Cursor = Annotated[str, Field(max_length=220, description="`next` of the page before this one.")]


def example(**values: Any) -> ConfigDict:  # noqa: ANN401 - JSON
    """Return the configuration of a model whose schema has an example."""
    return ConfigDict(json_schema_extra={"examples": [values]})


class Given(BaseModel):
    """A body."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


class Query(BaseModel):
    """The part of an address after the question mark."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


class Path(BaseModel):
    """The variable parts of an address."""

    model_config = ConfigDict(extra="forbid")


class Headers(BaseModel):
    """Headers that matter to an endpoint; give each an alias, which is its name."""

    model_config = ConfigDict(extra="ignore")


class View(BaseModel):
    """A body of an answer, or a part of it."""

    model_config = ConfigDict(extra="forbid")

    @classmethod
    def of(cls, one: object, **others: Any) -> dict[str, Any]:  # noqa: ANN401 - whatever fields there are
        """Return what is told of one: the `others`, and its own attributes of the names of the other fields."""
        return {name: others[name] if name in others else getattr(one, name) for name in cls.model_fields}


Item = TypeVar("Item")


class Page(View, Generic[Item]):
    """A part of a list: what stands on this page, and where the next one begins."""

    items: list[Item]
    next: str | None = Field(description="The `cursor` of the next page; null on the last one.")


class Paging(Query):
    """Which page of a list, and how long it may be."""

    limit: int = Field(50, ge=1, le=500, description="How many items at most.")
    cursor: Cursor | None = None


class IdPath(Path):
    """The number of a thing in its address."""

    id: Id


class NamePath(Path):
    """The name of a thing in its address; it may have slashes."""

    name: Name


class Creating(Headers):
    """The headers of a request that creates something."""

    key: str | None = Field(
        None,
        alias="Idempotency-Key",
        pattern=r"^[\x21-\x7e]{1,200}$",
        description="Any text of the client's. The same request with the same key, sent again, creates nothing more.",
    )


class Changing(Headers):
    """The headers of a request that changes or removes a document."""

    match: str | None = Field(
        None,
        alias="If-Match",
        pattern=ETAG_PATTERN,
        max_length=400,
        description="The `ETag` of the document as it was read. Required; `*` stands for any.",
    )


ProblemView = Annotated[Any, of_engine("Problem")]


class ErrorView(View):
    """What went wrong: a code for programs, a message for people."""

    code: str = Field(pattern=r"^[a-z]+(-[a-z]+)*$")
    message: str
    problems: list[ProblemView] | None = None


class ErrorAnswer(View):
    """Every error has this shape."""

    error: ErrorView

    @classmethod
    def model_json_schema(cls, *arguments: Any, **options: Any) -> dict[str, Any]:  # noqa: ANN401 - handed on
        """Return its schema, for which the library asks a thousand times: for each error of each endpoint."""
        return _schema_of_errors(*arguments, **options)


@cache
def _schema_of_errors(*arguments: Any, **options: Any) -> dict[str, Any]:  # noqa: ANN401 - handed on
    return super(ErrorAnswer, ErrorAnswer).model_json_schema(*arguments, **options)
