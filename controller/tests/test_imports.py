"""Imports run one way: a room imports what docs/architecture.md grants it, and no modules import in a ring."""

from __future__ import annotations

import ast
import re
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import windlull

PACKAGE = Path(windlull.__file__).parent
ARCHITECTURE = PACKAGE.parent.parent / "docs" / "architecture.md"
ROW = re.compile(r"^\| `windlull/([a-z]+)(?:\.py)?` \|[^|]*\| ([^|]*) \|$", re.MULTILINE)
ENTRIES = {"__main__"}
"""Files that only start what stands elsewhere."""


def grants() -> dict[str, set[str]]:
    """Room to the rooms it may import, from the architecture's table."""
    rows = ROW.findall(ARCHITECTURE.read_text(encoding="utf-8"))
    rooms = {room for room, _ in rows}
    granted: dict[str, set[str]] = {}
    for room, cell in rows:
        words = {word.strip() for word in cell.split(",")} - {"-"}
        granted[room] = set(granted) if words == {"all above"} else words
        assert granted[room] <= rooms, f"{room} is granted {granted[room] - rooms}, which no row names"
    return granted


def modules() -> dict[str, str]:
    """Every module that has code, `store.tables`, and its source; a package by its own name."""
    found = {}
    for file in PACKAGE.rglob("*.py"):
        name = file.relative_to(PACKAGE).with_suffix("").as_posix().replace("/", ".").removesuffix(".__init__")
        if name != "__init__" and name.rpartition(".")[2] not in ENTRIES:
            found[name] = file.read_text(encoding="utf-8")
    return found


def imports(source: str, known: set[str]) -> set[str]:
    """The modules of the package that a source text imports, also for its types alone."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "windlull":
            module = node.module.removeprefix("windlull").removeprefix(".")
            names = {f"{module}.{alias.name}".strip(".") for alias in node.names}
            found |= names & known or ({module} & known)
    return found


def room(module: str) -> str:
    return module.split(".", maxsplit=1)[0]


def violations(module: str, source: str, known: set[str], granted: dict[str, set[str]]) -> set[str]:
    allowed = granted[room(module)] | {room(module)}
    return {other for other in imports(source, known) if room(other) not in allowed}


def ring(graph: dict[str, set[str]]) -> list[str]:
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_every_room_has_its_row_and_every_row_its_room() -> None:
    assert {room(module) for module in modules()} == set(grants())


def test_a_room_imports_what_it_is_granted() -> None:
    every = modules()
    granted = grants()
    wrong = {
        module: found for module, text in every.items() if (found := violations(module, text, set(every), granted))
    }
    assert wrong == {}


def test_no_modules_import_in_a_ring() -> None:
    every = modules()
    assert ring({module: imports(text, set(every)) - {module} for module, text in every.items()}) == []


def test_grants_run_one_way() -> None:
    assert ring(grants()) == []


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("errors", "from windlull.stats import claims"),
        ("metrics", "from windlull.run import Request"),
        ("stats.claims", "from windlull.reports.html import write_report"),
    ],
)
def test_the_check_can_fail(module: str, source: str) -> None:
    assert violations(module, source, set(modules()), grants())


def test_a_ring_is_found() -> None:
    assert set(ring({"a": {"b"}, "b": {"a"}})) == {"a", "b"}
