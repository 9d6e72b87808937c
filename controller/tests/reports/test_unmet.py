"""Entries of a script that never began are told by the variant, the entry and its condition."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from windlull.errors import FailureError
from windlull.reports.terminal import console
from windlull.reports.unmet import print_unmet
from windlull.runner.messages import Run

if TYPE_CHECKING:
    from pathlib import Path


def run(place: Path, repetition: int, *entries: int, variant: str = "sack", link: str = "gprs") -> Run:
    """A run over a link whose script has these entries that never began."""
    directory = f"runs/{link}/{variant}/{repetition:03}"
    (place / directory).mkdir(parents=True)
    record: dict[str, object] = {"metrics": {}}
    if entries:
        record["unmet"] = [{"entry": one, "condition": "on entering recovery"} for one in entries]
    (place / directory / "run.json").write_text(json.dumps(record), encoding="utf-8")
    return Run(
        directory=directory, link=link, metrics={"unmet_entries": len(entries)}, place=0, repetition=repetition,
        seed="1", testbed="sim", variant=variant,
    )  # fmt: skip


def said(place: Path, runs: list[Run], capsys: pytest.CaptureFixture[str]) -> list[str]:
    print_unmet(console(), place, runs)
    return capsys.readouterr().out.split("\n")[1:-1]


def test_each_entry_is_named_with_what_it_waited_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs = [run(tmp_path, 1, 2, 3), run(tmp_path, 2), run(tmp_path, 1, variant="frto+sack")]
    assert said(tmp_path, runs, capsys) == [
        "sack: script 2 never began in 1 of 2 runs: it waited for “on entering recovery”",
        "sack: script 3 never began in 1 of 2 runs: it waited for “on entering recovery”",
    ]


def test_of_several_links_the_one_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs = [run(tmp_path, 1, 2), run(tmp_path, 1, link="lte")]
    assert said(tmp_path, runs, capsys) == ["sack, gprs: script 2 never began: it waited for “on entering recovery”"]


def test_where_all_began_nothing_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert said(tmp_path, [run(tmp_path, 1)], capsys) == []


def test_a_record_that_is_gone_is_told(tmp_path: Path) -> None:
    one = run(tmp_path, 1, 2)
    (tmp_path / one.directory / "run.json").unlink()
    with pytest.raises(FailureError, match=r"run\.json"):
        print_unmet(console(), tmp_path, [one])
