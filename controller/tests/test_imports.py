"""Imports run one way: a module imports only what stands below it."""

from __future__ import annotations

import ast
from pathlib import Path

import windlull

PACKAGE = Path(windlull.__file__).parent
LAYERS = (
    {"errors", "metrics"},
    {"locate"},
    {"runner.messages", "runner.directory", "reports.files"},
    {"runner.engine", "stats.summary", "stats.bootstrap"},
    {"stats.claims", "stats.differences", "reports.results", "reports.settings"},
    {"reports.html", "reports.terminal", "reports.analysis", "reports.machine"},
    {"progress", "run"},
    {"cli"},
)


def imports(source: str) -> set[str]:
    """The modules of the package that a source text imports, without the package's name."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "windlull":
            module = node.module.removeprefix("windlull").removeprefix(".")
            known = set.union(*LAYERS)
            names = {f"{module}.{alias.name}".strip(".") for alias in node.names}
            found |= names & known or ({module} if module else set())
    return found


def layer(module: str) -> int:
    return next(place for place, modules in enumerate(LAYERS) if module in modules)


def violations(module: str, source: str) -> set[str]:
    return {other for other in imports(source) if layer(other) > layer(module) and other != module}


def modules() -> dict[str, str]:
    return {
        file.relative_to(PACKAGE).with_suffix("").as_posix().replace("/", "."): file.read_text(encoding="utf-8")
        for file in PACKAGE.rglob("*.py")
        if file.name not in {"__init__.py", "__main__.py"}
    }


def test_every_module_has_its_layer() -> None:
    assert set(modules()) == set.union(*LAYERS)


def test_no_module_imports_one_above_it() -> None:
    assert {module: found for module, source in modules().items() if (found := violations(module, source))} == {}


def test_the_check_can_fail() -> None:
    assert violations("errors", "from windlull.stats import claims") == {"stats.claims"}
    assert violations("metrics", "from windlull.run import Request") == {"run"}
