"""What is said of changed lines leads from one text to the other, however it was found."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windlull.store import text_changes
from windlull.store.text_changes import counted, hunks

TEXTS = st.lists(st.sampled_from(["a", "b", "c", ""]), max_size=30).map("\n".join)


def applied(before: str, after: str) -> str:
    """Make the later text of the earlier one and of what is said to have changed."""
    lines, position = [], 0
    old = before.split("\n")
    for hunk in hunks(before, after):
        lines += old[position : hunk.before - 1]
        position = hunk.before - 1
        assert hunk.after == len(lines) + 1
        for change, text in hunk.lines:
            if change != "added":
                assert old[position] == text
                position += 1
            if change != "removed":
                lines.append(text)
    return "\n".join(lines + old[position:])


@given(TEXTS, TEXTS)
def test_the_changes_lead_from_one_text_to_the_other(before: str, after: str) -> None:
    assert applied(before, after) == after
    assert (hunks(before, after) == []) == (before == after)


@given(TEXTS, TEXTS)
def test_so_do_those_of_texts_too_long_to_be_compared(before: str, after: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_changes, "MOST_COMPARED", 2)
        assert applied(before, after) == after


def test_lines_around_a_change_are_shown_with_it() -> None:
    before = "".join(f"line {i}\n" for i in range(1, 101))
    (first, second) = hunks(before, before.replace("line 10\n", "").replace("line 60\n", "other\nmore\n"))
    assert (first.before, first.after) == (7, 7)
    assert [change for change, _ in first.lines] == [*["same"] * 3, "removed", *["same"] * 3]
    assert (second.before, second.after) == (57, 56)
    assert second.lines[3:6] == (("removed", "line 60"), ("added", "other"), ("added", "more"))


def test_changed_lines_are_counted() -> None:
    assert counted("a\nb\nc\n", "a\nx\ny\nc\n") == (2, 1)
    assert counted("a\n", "a\n") == (0, 0)


def test_a_change_in_a_long_text_is_found_without_comparing_all_of_it() -> None:
    long = "".join(f"{i} ms\n" for i in range(200_000))
    assert counted(long, long.replace("\n77777 ms", "\n1 s")) == (1, 1)
    assert counted(long, "\n".join(reversed(long.split("\n")))) == (200_001, 200_001)
