"""The documentation as it was built: nothing is loaded from elsewhere, and every link within it leads somewhere.

`python scripts/check_site.py DIRECTORY`. Links to other sites are not visited. Fails with one line per fault.
"""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {("link", "href"), ("script", "src"), ("img", "src"), ("source", "src"), ("iframe", "src"), ("object", "data")}
IN_STYLE = re.compile(r"""(?:url\(\s*|@import\s+(?!url))["']?([^"')\s]+)""")
# The addresses that a page may name and not load: where it itself lies, of which relations there are.
NOT_LOADED = {"canonical", "next", "prev", "index", "search"}


class Page(HTMLParser):
    """What a page loads, where it leads, and which anchors it has."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.leads: list[str] = []
        self.anchors: set[str] = set()
        self._in_style = False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take in an element."""
        self._in_style = tag == "style"
        given = {name: value or "" for name, value in attrs}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        for name, value in given.items():
            if (tag, name) in LOADED and given.get("rel") not in NOT_LOADED:
                self.loads.append(value)
            elif (tag, name) == ("a", "href"):
                self.leads.append(value)

    def handle_data(self, data: str) -> None:
        """Take in a style sheet that stands in the page."""
        if self._in_style:
            self.loads += IN_STYLE.findall(data)

    def handle_endtag(self, tag: str) -> None:
        """Leave an element."""
        if tag == "style":
            self._in_style = False


def foreign(address: str) -> bool:
    """Whether an address is of another origin. What carries its data in itself is not."""
    parts = urlsplit(address)
    return bool(parts.netloc) or parts.scheme not in {"", "data"}


def faults(site: Path) -> list[str]:
    """What is wrong with the site."""
    pages = {file: Page(file.read_text(encoding="utf-8")) for file in sorted(site.rglob("*.html"))}
    wrong = []
    for file, page in pages.items():
        where = file.relative_to(site)
        wrong += [f"{where}: loads {address} from elsewhere" for address in page.loads if foreign(address)]
        within = [address for address in (*page.loads, *page.leads) if not urlsplit(address).scheme]
        wrong += [f"{where}: {address}: {fault}" for address in within if (fault := _dead(file, address, pages))]
    for sheet in sorted(site.rglob("*.css")):
        loads = IN_STYLE.findall(sheet.read_text(encoding="utf-8"))
        wrong += [f"{sheet.relative_to(site)}: loads {address} from elsewhere" for address in loads if foreign(address)]
    return wrong


def _dead(file: Path, address: str, pages: dict[Path, Page]) -> str | None:
    """Why a link within the site leads nowhere; None if it leads somewhere."""
    parts = urlsplit(address)
    there = (file.parent / unquote(parts.path)).resolve() if parts.path else file
    if there.is_dir():
        there /= "index.html"
    if not there.exists():
        return "no such file"
    if parts.fragment and there in pages and unquote(parts.fragment) not in pages[there].anchors:
        return "no such anchor"
    return None


def prove() -> None:
    """Show that the checks can fail."""
    page = Page('<link href="//a.b/c.css"><style>@import url(https://a.b/d.css)</style><a href="https://a.b/">x</a>')
    if [foreign(address) for address in page.loads] != [True, True] or page.leads != ["https://a.b/"]:
        raise SystemExit("error: scripts/check_site.py is broken: it accepts what is loaded from elsewhere")
    if not _dead(Path("/nowhere/page.html"), "none.html", {}):
        raise SystemExit("error: scripts/check_site.py is broken: it accepts a dead link")


def main() -> int:
    """Exit code 0 when nothing is wrong."""
    prove()
    wrong = faults(Path(sys.argv[1]).resolve())
    for line in wrong:
        print(f"error: {line}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
