"""The page of two runs: what it is given, and what it cannot be made of."""

from __future__ import annotations

import base64
import gzip
import json
import re
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from tests.partings import difference
from windlull.contract.engine import DifferenceOfRuns
from windlull.errors import BadInputError
from windlull.reports.parting_page import write_page

if TYPE_CHECKING:
    from pathlib import Path

PAGE = '<script type="application/json" id="windlull-report">null</script>\n<!--windlull-runs-->\n'
ENGINE = {"version": "0.1.0", "commit": "c", "sources": "s"}


def asked(place: Path) -> tuple[dict[str, Any], DifferenceOfRuns]:
    """Return what the engine said of two runs in a directory, and the same in types."""
    answer = msgspec.json.decode(msgspec.json.encode(difference("after-timeout", "detector F-RTO 2a")))
    for run in "ab":
        answer[run]["directory"] = str(place / run)
    return answer, msgspec.convert(answer, DifferenceOfRuns)


def with_columns(place: Path, *runs: str) -> None:
    for run in runs:
        (place / run).mkdir()
        (place / run / "series.json.gz").write_bytes(gzip.compress(run.encode(), mtime=0))


def test_the_page_has_the_answer_both_runs_columns_and_the_words(tmp_path: Path) -> None:
    with_columns(tmp_path, "a", "b")
    template, target = tmp_path / "template.html", tmp_path / "elsewhere" / "page.html"
    template.write_text(PAGE, encoding="utf-8")
    target.parent.mkdir()
    answer, found = asked(tmp_path)
    write_page(target, template, answer, found, ENGINE)
    text = target.read_text(encoding="utf-8")
    said = re.search(r'id="windlull-report">(.*?)</script>', text)
    assert said is not None
    page = json.loads(said[1])
    assert (page["kind"], page["difference"]) == ("difference", answer)
    assert page["lead"][0] == "They part at 7.250000 s: both sent then, and not the same octets."
    assert page["about"] == ["On the same fates: 61 packets until then."]
    assert page["titles"][1].startswith("frto+sack over gprs, repetition 1; mine, sim")
    assert page["labels"]["elapsed_s"]["digits"] == 3
    columns = re.findall(r'data-run="(.)">(.*?)</script>', text)
    assert [(key, gzip.decompress(base64.b64decode(data))) for key, data in columns] == [("a", b"a"), ("b", b"b")]


def test_a_run_without_columns_is_named_and_no_page_is_written(tmp_path: Path) -> None:
    with_columns(tmp_path, "a")
    template, target = tmp_path / "template.html", tmp_path / "page.html"
    template.write_text(PAGE, encoding="utf-8")
    answer, found = asked(tmp_path)
    with pytest.raises(BadInputError, match=r"b: no series\.json\.gz; make the run again without --no-series"):
        write_page(target, template, answer, found, ENGINE)
    assert not target.exists()
