"""The notebook of the documentation runs to its end, and shows what it says that it shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import nbformat
import pytest
from nbclient import NotebookClient

from tests.end_to_end.pages import DOCS

if TYPE_CHECKING:
    from pathlib import Path

NOTEBOOK = DOCS / "notebook.ipynb"


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """The cells, after a reader has run them from the first to the last. Raises what a cell raises."""
    home: Path = tmp_path_factory.mktemp("reader")
    with pytest.MonkeyPatch.context() as patch:
        # Nothing of the tester's own Jupyter, nor left in it.
        for variable in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR"):
            patch.setenv(variable, str(home / variable.lower()))
        patch.setenv("JUPYTER_PLATFORM_DIRS", "1")
        notebook: Any = nbformat.read(NOTEBOOK, as_version=4)  # type: ignore[no-untyped-call]
        place = {"metadata": {"path": str(home)}}
        NotebookClient(notebook, timeout=None, kernel_name="python3", resources=place).execute()
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def shown(cell: Any) -> dict[str, str]:
    """What a cell shows in the end, by the kind of it."""
    return dict(cell.outputs[-1].get("data", {})) if cell.outputs else {}


def of(cells: list[Any], source: str) -> Any:
    """The one cell that has this in it."""
    (found,) = [cell for cell in cells if source in cell.source]
    return found


def test_it_is_kept_without_what_it_shows() -> None:
    notebook: Any = nbformat.read(NOTEBOOK, as_version=4)  # type: ignore[no-untyped-call]
    for cell in notebook.cells:
        assert not cell.get("outputs"), cell.id
        assert cell.get("execution_count") is None, cell.id


def test_diagrams_are_pictures(done: list[Any]) -> None:
    pictures = [shown(cell)["image/svg+xml"] for cell in done if ".diagram(" in cell.source]
    assert len(pictures) == 3
    assert all(picture.startswith("<svg ") for picture in pictures)
    sack, frto, part = pictures
    assert 'data-name="unnecessary"' in sack
    assert len({sack, frto, part}) == 3


def test_verdicts_and_frames_are_tables(done: list[Any]) -> None:
    assert "| unnecessary retransmissions |" in shown(of(done, 'batch.compare("sack")'))["text/markdown"]
    assert "<table" in shown(of(done, "groupby"))["text/html"]


def test_words_are_printed_and_nothing_is_complained_of(done: list[Any]) -> None:
    assert "Episode 1: " in of(done, "explain").outputs[0].text
    assert "gate: pass" in of(done, "verdict = ").outputs[0].text
    # A worker of a sweep that takes long to end on a busy machine is told of.
    others = [cell for cell in done if ".sweep(" not in cell.source]
    assert {output.name for cell in others for output in cell.outputs if output.output_type == "stream"} == {"stdout"}


def test_a_grid_is_swept(done: list[Any]) -> None:
    said = "".join(output.text for output in of(done, ".sweep(").outputs if output.name == "stdout")
    assert "first-look, medians of 40 runs at 2 points" in said
