from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from windlull.errors import BadInputError
from windlull.papers.shipped import chosen, papers

if TYPE_CHECKING:
    from pathlib import Path

KNOWN = {"a2001": ["papers/a2001/figure-1", "papers/a2001/table-2"], "b2002": ["papers/b2002/table-1"]}


def test_experiments_are_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    folder = tmp_path / "experiments" / "papers" / "a2001"
    folder.mkdir(parents=True)
    for name in ("figure-10", "figure-9", "table-1", "figure-2"):
        (folder / f"{name}.toml").touch()
    # What they have in common is none of them.
    (folder / "base.toml").write_text("base = true\n")
    assert papers(tmp_path) == {
        "a2001": [f"papers/a2001/{n}" for n in ("figure-2", "figure-9", "figure-10", "table-1")]
    }


def test_all_are_chosen_if_none_is_named() -> None:
    assert chosen(KNOWN, ()) == KNOWN


@pytest.mark.parametrize("name", ["a2001/table-2", "papers/a2001/table-2"])
def test_a_paper_or_an_experiment_is_chosen_by_its_name(name: str) -> None:
    assert chosen(KNOWN, ("b2002",)) == {"b2002": KNOWN["b2002"]}
    assert chosen(KNOWN, (name,)) == {"a2001": ["papers/a2001/table-2"]}


def test_another_name_is_refused_with_the_one_that_was_meant() -> None:
    with pytest.raises(BadInputError, match=r'--only a2001/table-3: .*; did you mean "a2001/table-2"\?'):
        chosen(KNOWN, ("a2001/table-3",))
