"""A sweep as a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from windlull.errors import BadInputError, FailureError
from windlull.sweep.file import SweepFile, read

if TYPE_CHECKING:
    from pathlib import Path


def file(directory: Path, text: str) -> Path:
    path = directory / "grid.toml"
    path.write_text(text, encoding="utf-8")
    return path


def axes(found: SweepFile | None) -> dict[str, list[object]]:
    assert found is not None
    return {axis.key: [value.toml for value in axis.values] for axis in found.axes}


def test_a_seed_may_be_the_text_of_one(tmp_path: Path) -> None:
    """As in an experiment's file, where TOML's numbers end before seeds do."""
    found = read(file(tmp_path, 'experiment = "first-look"\nseed = "18446744073709551615"\n'))
    assert found is not None
    assert found.seed == 18446744073709551615
    with pytest.raises(BadInputError, match="seed: `18446744073709551616` is no whole number"):
        read(file(tmp_path, 'experiment = "first-look"\nseed = "18446744073709551616"\n'))


def test_lists_texts_and_single_values(tmp_path: Path) -> None:
    found = read(
        file(
            tmp_path,
            'experiment = "first-look"\nrepetitions = 7\nseed = 18446744073709551615\n[grid]\n'
            '"link.both.rate" = ["28.8 kbit/s", "64 kbit/s"]\n"tcp.initial_window" = "1..3"\ntcp.sack = true\n',
        )
    )
    assert found is not None
    assert (found.experiment, found.repetitions, found.seed) == ("first-look", 7, 18446744073709551615)
    assert axes(found) == {
        "link.both.rate": ["28.8 kbit/s", "64 kbit/s"],
        "tcp.initial_window": [1, 2, 3],
        "tcp.sack": [True],
    }


def test_keys_may_be_tables(tmp_path: Path) -> None:
    text = 'experiment = "a"\n[grid.link.both]\nrate = ["1 Mbit/s"]\nqueue = [{ kind = "droptail" }]\n'
    assert axes(read(file(tmp_path, text))) == {
        "link.both.rate": ["1 Mbit/s"],
        "link.both.queue": [{"kind": "droptail"}],
    }


def test_a_path_is_relative_to_the_file(tmp_path: Path) -> None:
    found = read(file(tmp_path, 'experiment = "mine/x.toml"\n'))
    assert found is not None
    assert found.experiment == str(tmp_path / "mine" / "x.toml")


def test_an_experiments_own_file_is_none(tmp_path: Path) -> None:
    assert read(file(tmp_path, 'title = "x"\nlink = "gprs"\n')) is None


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('experiment = "a"\nrepetition = 3\n', 'repetition: unknown key; did you mean "repetitions"?'),
        ('experiment = "a"\nxyz = 3\n', "xyz: unknown key; there are experiment, repetitions, seed, grid"),
        ("[grid]\na = [1]\n", "experiment: say which"),
        ("experiment = 3\n", "experiment: say which"),
        ('experiment = "a"\nrepetitions = 0\n', "repetitions: `0` is no whole number from 1 to 100000"),
        ('experiment = "a"\nrepetitions = true\n', "repetitions: `True` is no whole number"),
        ('experiment = "a"\nseed = -1\n', "seed: `-1` is no whole number from 0 to 18446744073709551615"),
        ('experiment = "a"\ngrid = 3\n', "grid: is no table"),
        ('experiment = "a"\n[grid]\nb = []\n', "grid: b: no value"),
        ('experiment = "a"\n[grid]\nb = "3..1"\n', "grid: 3..1: ends before it begins"),
        ("experiment = \n", "grid.toml: Invalid value"),
    ],
)
def test_what_is_wrong_names_the_file_and_the_key(tmp_path: Path, text: str, complaint: str) -> None:
    path = file(tmp_path, text)
    with pytest.raises(BadInputError) as raised:
        read(path)
    assert complaint in str(raised.value)
    assert str(raised.value).startswith(f"{path}: ")


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(FailureError, match="No such file"):
        read(tmp_path / "none.toml")
    path = tmp_path / "latin.toml"
    path.write_bytes(b'experiment = "\xe9"')
    with pytest.raises(BadInputError, match="is not UTF-8"):
        read(path)
