"""Pages of a list. A cursor is the last item's number or name: pages stay right while things come and go."""

import re
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from windlull.api.errors import wrong
from windlull.api.schemas import LARGEST_ID, NAME_PATTERN

Row = TypeVar("Row")

_NUMBER = re.compile(r"[1-9][0-9]{0,18}")
_AFTER = "after:"
"""Before a name, so that a cursor is told from any other word."""
_NAME = re.compile(NAME_PATTERN)


def number(cursor: str | None) -> int | None:
    """Return the number of the last item of the page before. Raises ApiError if the cursor is none of ours."""
    if cursor is None:
        return None
    if not _NUMBER.fullmatch(cursor) or int(cursor) > LARGEST_ID:
        raise _none_of_ours()
    return int(cursor)


def name(cursor: str | None) -> str | None:
    """Return the name of the last item of the page before. Raises ApiError if the cursor is none of ours."""
    if cursor is None:
        return None
    last = cursor.removeprefix(_AFTER)
    if last == cursor or not _NAME.fullmatch(last):
        raise _none_of_ours()
    return last


def after(name: str) -> str:
    """Return the cursor of the page behind the item of that name."""
    return f"{_AFTER}{name}"


def page(
    rows: Sequence[Row], limit: int, place: Callable[[Row], int | str], view: Callable[[Row], Any]
) -> dict[str, Any]:
    """Return a page of rows, of which one more than `limit` was asked for: if it is there, there is a next page."""
    shown = rows[:limit]
    following = str(place(shown[-1])) if len(rows) > limit else None
    return {"items": [view(row) for row in shown], "next": following}


def _none_of_ours() -> Exception:
    return wrong("cursor", "is not a cursor of this service", "take it from `next` of the page before")
