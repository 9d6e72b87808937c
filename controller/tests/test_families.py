"""Each family of links of today has a page, and the page has every link of the family."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs" / "links"
NOT_OF_TODAY = {"laboratory", "paper"}


def family(name: str) -> str:
    """The family of a link, its own or that of the link it extends."""
    link = tomllib.loads((ROOT / "profiles" / "links" / f"{name}.toml").read_text(encoding="utf-8"))
    return str(link["family"]) if "family" in link else family(link["extends"])


FAMILIES = {name: family(name) for name in sorted(path.stem for path in (ROOT / "profiles" / "links").glob("*.toml"))}


def test_each_family_has_its_page() -> None:
    assert {page.stem for page in PAGES.glob("*.md")} == set(FAMILIES.values()) - NOT_OF_TODAY


@pytest.mark.parametrize("page", sorted(PAGES.glob("*.md")), ids=lambda page: page.stem)
def test_a_page_describes_and_measures_each_link_of_its_family(page: Path) -> None:
    described, measured = page.read_text(encoding="utf-8").split("<!-- one flow -->")
    of_family = {name for name, family in FAMILIES.items() if family == page.stem}
    for part in (described, measured):
        assert set(re.findall(r"^\| `([^`]+)` \|", part, re.MULTILINE)) == of_family
