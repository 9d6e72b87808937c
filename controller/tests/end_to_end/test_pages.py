"""What the documentation tells a reader to type works, word for word, and prints what it says."""

from __future__ import annotations

import itertools
import re
import shlex
from typing import TYPE_CHECKING

import click
import pytest

from tests.end_to_end.pages import DOCS, ROOT, Command, File, Reader, steps
from windlull import cli

if TYPE_CHECKING:
    from pathlib import Path

PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]
WITH_CONSOLES = [page for page in PAGES if any(isinstance(step, Command) for step in steps(page))]
MAKE = re.compile(r"(?:`|^    (?:\$ )?|^\$ )make ([a-z][a-z-]*)", re.MULTILINE)
CALL = re.compile(r"^(?:    |\$ )(?:\.venv/bin/)?windlull (?P<rest>\S.*?)(?: {3,}.*)?$", re.MULTILINE)


def calls(page: Path) -> list[list[str]]:
    """The words behind `windlull` where a page shows a call of it, lines that go on joined, to the end of the call."""
    text = page.read_text(encoding="utf-8").replace("\\\n", " ")
    return [_words(call["rest"]) for call in CALL.finditer(text) if not call["rest"].startswith("is ")]


def _words(line: str) -> list[str]:
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    return list(itertools.takewhile(lambda word: word[0] not in ";|<>&", lexer))


@pytest.mark.parametrize("page", WITH_CONSOLES, ids=lambda page: page.stem)
def test_a_reader_gets_what_the_page_says(page: Path, tmp_path: Path) -> None:
    reader = Reader(tmp_path)
    for step in steps(page):
        reader.does(step)


def test_there_are_pages_to_read() -> None:
    assert {"tutorial", "own-link", "reproduce-a-paper"} <= {page.stem for page in WITH_CONSOLES}


def test_a_page_that_says_something_else_is_found_out(tmp_path: Path) -> None:
    reader = Reader(tmp_path)
    reader.does(File("a.txt", "one\n"))
    reader.does(Command("cat a.txt", "one\n"))
    with pytest.raises(AssertionError, match="two"):
        reader.does(Command("cat a.txt", "two\n"))


@pytest.mark.parametrize("page", [page for page in PAGES if calls(page)], ids=lambda page: page.stem)
def test_every_option_that_is_shown_is_there(page: Path) -> None:
    for words in calls(page):
        _parse(words)


@pytest.mark.parametrize(
    "page", [page for page in PAGES if MAKE.search(page.read_text("utf-8"))], ids=lambda page: page.stem
)
def test_every_target_that_is_shown_is_there(page: Path) -> None:
    targets = re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert set(MAKE.findall(page.read_text(encoding="utf-8"))) <= set(targets)


def test_the_mechanism_of_the_example_is_one() -> None:
    """Its Rust is not compiled here, as that takes a minute; what it must fit is held against what stands there."""
    page = (DOCS / "own-variant.md").read_text(encoding="utf-8")
    room = ROOT / "testbed" / "tcp"
    interface, responses = (
        (room / "src" / "response" / name).read_text(encoding="utf-8") for name in ("interface.rs", "mod.rs")
    )
    (method,) = re.findall(r"fn respond\(&self, view: .+?\) -> Windows", page)
    assert f"{method};" in interface
    assert "pub(crate) mod eifel_1;" in responses
    line = 'Eifel1 = "eifel-1" => eifel_1::Eifel1, eifel_1::Eifel1;'
    assert line in responses
    assert line.replace("Eifel1", "Threshold").replace("eifel_1", "threshold").replace("eifel-1", "threshold") in page
    assert (room / "tests" / "scripts" / "response" / "eifel-1").is_dir()


@pytest.mark.parametrize("call", ["fly", "run first-look --sideways", "list experiments --grid x"])
def test_an_option_that_is_not_there_is_found_out(call: str) -> None:
    with pytest.raises((click.UsageError, KeyError)):
        _parse(call.split())


def _parse(words: list[str]) -> None:
    """Take a call apart as the command would; what its values mean is not looked at."""
    command: click.Command = cli.group
    context = click.Context(command, info_name="windlull")
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        if (found := command.get_command(context, words[0])) is None:
            raise KeyError(words[0])
        command = found
        context = click.Context(command, parent=context, info_name=words[0])
        words = words[1:]
    command.make_parser(context).parse_args(list(words))
