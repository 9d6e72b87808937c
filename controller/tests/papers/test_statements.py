from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from windlull import locate
from windlull.papers.shipped import papers
from windlull.papers.statements import InvalidStatementsError, Statements, short, statements
from windlull.runner import plans

if TYPE_CHECKING:
    from pathlib import Path

CLAIMS = {"table-1": ["faster", "fewer"], "figure-2": ["one"]}
GOOD = """
[[statement]]
id     = "faster"
place  = "section 5, table 1"
text   = "It is faster."
checks = ["table-1: faster"]
published = [{ check = "table-1: faster", value = 0.9, printed = "10 % less" }]

[[statement]]
id        = "burst"
place     = "section 6"
text      = "It makes no bursts."
unchecked = "no metric measures bursts"

[[own]]
checks = ["table-1: fewer", "figure-2: one"]
why    = "The paper prints no number."
"""


def read(folder: Path, text: str) -> Statements:
    file = folder / "statements" / "a2001.toml"
    file.parent.mkdir(exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return statements(folder, "a2001", CLAIMS)


def test_a_good_file_is_read(tmp_path: Path) -> None:
    stated = read(tmp_path, GOOD)
    assert [one.id for one in stated.statement] == ["faster", "burst"]
    assert stated.statement[0].published[0].printed == "10 % less"
    assert stated.own[0].checks == ("table-1: fewer", "figure-2: one")


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("place  =", "plaec  =", r'statement 1 \("faster"\): plaec: unknown key; did you mean "place"\?'),
        (
            "printed =",
            "prints =",
            r'statement 1 \("faster"\): published: prints: unknown key; did you mean "printed"\?',
        ),
        ("[[own]]", "[[ours]]", "ours: unknown key; the keys are statement, own"),
        ("value = 0.9", 'value = "0.9"', r'statement 1 \("faster"\): published.*: Expected `float`, got `str`'),
        ('text   = "It is faster."\n', "", r'statement 1 \("faster"\): .*missing required field `text`'),
        (
            '"table-1: faster"]',
            '"table-1: fastr"]',
            r'there is no claim "table-1: fastr"; did you mean "table-1: faster"\?',
        ),
        ('"burst"', '"faster"', r'statement 2 \("faster"\): id: an earlier statement has it too'),
        ('"burst"', '"No bursts"', r"id: lower-case letters, digits and hyphens alone"),
        ('"section 6"', '""', r'statement 2 \("burst"\): place: it is empty'),
        ("unchecked =", "checks = []\n#", "give checks, or say in unchecked why there are none"),
        ('"figure-2: one"]', '"table-1: faster"]', r'"table-1: faster" is under statement 1 \("faster"\) already'),
        (', "figure-2: one"', "", r'the claim "figure-2: one" is under no statement: add it'),
        ('check = "table-1: faster"', 'check = "figure-2: one"', r'"figure-2: one" is not among its checks'),
        ("[[own]]", "[[own]", "Expected"),
        (
            "published =",
            'sides = [["table-1: faster", "table-1: slower"]]\npublished =',
            r'sides: "table-1: slower" is not among its checks',
        ),
        (
            "published =",
            'sides = [["table-1: faster", "table-1: faster"]]\npublished =',
            r'sides: "table-1: faster" is given twice',
        ),
    ],
)
def test_what_is_wrong_is_named_with_what_would_be_right(tmp_path: Path, before: str, after: str, said: str) -> None:
    assert before in GOOD
    with pytest.raises(InvalidStatementsError, match=said) as raised:
        read(tmp_path, GOOD.replace(before, after))
    assert str(raised.value).startswith(str(tmp_path / "statements" / "a2001.toml"))


def test_a_paper_without_a_file_states_what_its_claims_say(tmp_path: Path) -> None:
    stated = statements(tmp_path, "a2001", CLAIMS)
    assert [one.checks for one in stated.statement] == [("table-1: faster",), ("table-1: fewer",), ("figure-2: one",)]


def shipped_claims(paper: str) -> dict[str, list[str]]:
    names = papers(locate.profiles())[paper]
    planned = {short(name): plans.plan(name, profiles=[locate.profiles()], brief=True) for name in names}
    return {name: [claim["id"] for claim in one.experiment["claims"]] for name, one in planned.items()}


@pytest.mark.parametrize("paper", sorted(papers(locate.profiles())))
def test_every_shipped_claim_stands_under_one_statement_or_is_our_own(paper: str) -> None:
    assert (locate.profiles() / "statements" / f"{paper}.toml").exists()
    claims = shipped_claims(paper)
    stated = statements(locate.profiles(), paper, claims)
    under = [check for one in stated.statement for check in one.checks]
    under += [check for own in stated.own for check in own.checks]
    assert sorted(under) == sorted(f"{name}: {claim}" for name, of_it in claims.items() for claim in of_it)


def test_a_claim_that_is_taken_out_of_a_shipped_file_is_missed() -> None:
    claims = shipped_claims("wen2010")
    claims["figure-3"] = [*claims["figure-3"], "a-new-one"]
    with pytest.raises(InvalidStatementsError, match='"figure-3: a-new-one" is under no statement'):
        statements(locate.profiles(), "wen2010", claims)


def test_the_shipped_statements_cover_the_papers() -> None:
    counted = {
        paper: len(statements(locate.profiles(), paper, shipped_claims(paper)).statement)
        for paper in papers(locate.profiles())
    }
    # As many as an audit of the papers' texts found, and those that it missed in the experiments.
    assert {paper: counted[paper] >= least for paper, least in LEAST.items()} == dict.fromkeys(LEAST, True)


LEAST = {"gurtov2003": 33, "jacobson1988": 20, "psaras2007": 25, "sarolahti2003": 26, "wen2010": 16}
