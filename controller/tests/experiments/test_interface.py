"""What `import windlull` offers: little is loaded for it, and all of it is documented."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path
from types import FunctionType

import pytest

import windlull

PAGE = Path(__file__).resolve().parents[3] / "docs" / "python.md"
CODE = re.compile(r"`([^`]+)`")
CLASSES = ("Batch", "Diagram", "Experiment", "GateVerdict", "Run", "Swept", "Verdicts")


def members(name: str) -> set[str]:
    """The public methods, properties and fields of a class of the interface."""
    of = getattr(windlull, name)
    found = {one for one in vars(of) if not one.startswith("_")}
    return found | {one for one in inspect.get_annotations(of) if not one.startswith("_")}


def documented() -> set[str]:
    """The names that the page has in its tables: `compare` of `compare(baseline, ...)`."""
    rows = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    return {code.partition("(")[0] for row in rows for code in CODE.findall(row)}


def test_to_import_it_loads_next_to_nothing() -> None:
    program = "import sys, windlull; print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "windlull" in loaded
    heavy = {"click", "distributed", "msgspec", "numpy", "pandas", "pyarrow", "pytest", "rich", "scipy"}
    assert not loaded & heavy


def test_every_name_is_there_when_it_is_asked_for() -> None:
    for name in windlull.__all__:
        assert getattr(windlull, name) is not None, name
        assert name in dir(windlull)
    with pytest.raises(AttributeError, match="has no attribute 'lod'"):
        _ = windlull.lod
    assert issubclass(windlull.BadInputError, windlull.WindlullError)
    assert issubclass(windlull.EngineError, windlull.WindlullError)
    assert issubclass(windlull.FailureError, windlull.WindlullError)


def test_what_has_a_name_has_its_words() -> None:
    for name in windlull.__all__:
        if name != "__version__":
            assert inspect.getdoc(getattr(windlull, name)), name
    for name in CLASSES:
        for member, of in vars(getattr(windlull, name)).items():
            if not member.startswith("_") and isinstance(of, FunctionType | property):
                assert inspect.getdoc(of), f"{name}.{member}"


@pytest.mark.parametrize("name", CLASSES)
def test_the_page_has_every_member(name: str) -> None:
    if name == "Experiment":
        assert members(name) - documented() == {"source"}
    else:
        assert members(name) - documented() == set()


def test_the_page_has_every_function() -> None:
    functions = {name for name in windlull.__all__ if inspect.isfunction(getattr(windlull, name))}
    assert functions == {"compare", "gate", "load", "read"}
    assert functions <= documented()
    text = PAGE.read_text(encoding="utf-8")
    others = set(windlull.__all__) - functions - {"__version__"}
    assert {name for name in others if f"`{name}`" not in text} == set()
