"""Series for tests: drawn by Hypothesis, or made of a few words, and as the engine would pack them."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import numpy as np
from hypothesis import strategies as st

from windlull.series.tables import NAMES, OPTIONAL_NAMES, TABLES, Drawing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hypothesis.strategies import DrawFn

WORDS = {name: [f"{name}-{place}" for place in range(4)] for name in (*NAMES, *OPTIONAL_NAMES)}
END = 10_000
Tables = dict[str, dict[str, list[Any]]]


def document(tables: Mapping[str, Mapping[str, list[Any]]]) -> dict[str, Any]:
    """The object that series.json has; tables that are not given are empty."""
    answer: dict[str, Any] = {
        "version": 1,
        "run": {"experiment": "e", "variant": "v", "link": "l", "repetition": 1, "seed": "18446744073709551615"},
        "data_sender": "server",
        "duration_ns": END,
        "names": dict(WORDS),
    }
    for table in TABLES:
        place = answer
        *parents, name = table.path.split(".")
        for parent in parents:
            place = place.setdefault(parent, {})
        given = tables.get(table.path, {})
        coded = {one: np.diff(np.array(given.get(one, []), dtype=np.int64), prepend=0) for one in table.columns}
        place[name] = {one: steps.tolist() for one, steps in coded.items()}
        place[name] |= {one: list(given.get(one, [])) for one in table.strings}
    return answer


def packed(value: object) -> bytes:
    return gzip.compress(json.dumps(value).encode(), mtime=0)


def uncoded(answer: dict[str, Any]) -> tuple[Tables, dict[str, dict[str, Any]]]:
    """The tables of an answer with their delta coding undone, and what each says of itself."""
    tables: Tables = {}
    heads = {}
    for table in TABLES:
        part = answer
        for name in table.path.split("."):
            part = part[name]
        tables[table.path] = {one: np.cumsum(np.array(part[one], dtype=np.int64)).tolist() for one in table.columns}
        tables[table.path] |= {one: part[one] for one in table.strings}
        heads[table.path] = {key: value for key, value in part.items() if not isinstance(value, list)}
    return tables, heads


@st.composite
def series(draw: DrawFn, most: int = 48) -> Tables:
    """Tables of any content that a series may have, many rows at equal times."""
    tables: Tables = {}
    for table in TABLES:
        size = draw(st.integers(0, most))
        times = draw(st.lists(st.integers(0, END), min_size=size, max_size=size))
        if table.drawing is not Drawing.SPELLS:
            times.sort()
        columns: dict[str, list[Any]] = {table.time: times}
        for name in table.columns[1:]:
            if name in table.codes:
                known = table.codes[name]
                values = st.integers(-1, (known if isinstance(known, int) else len(WORDS[known])) - 1)
            elif name == "len":
                values = st.integers(1, 50)
            else:
                values = st.integers(0, 5000)
            columns[name] = draw(st.lists(values, min_size=size, max_size=size))
        for name in table.strings:
            columns[name] = draw(st.lists(st.sampled_from(["a", "b"]), min_size=size, max_size=size))
        if table.path == "data":
            passage = draw(st.lists(st.integers(-1, 3000), min_size=size, max_size=size))
            columns["arrived"] = [t + d if d >= 0 else -1 for t, d in zip(times, passage, strict=True)]
            # Most segments are usual ones.
            for name, usual in (("verdict", 0), ("drop", -1)):
                rare = draw(st.lists(st.booleans(), min_size=size, max_size=size))
                columns[name] = [v if r else usual for v, r in zip(columns[name], rare, strict=True)]
        if table.drawing is Drawing.SPELLS:
            columns["to"] = [f + d for f, d in zip(times, columns["to"], strict=True)]
        tables[table.path] = columns
    return tables
