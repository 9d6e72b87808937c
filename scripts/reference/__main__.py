"""Write the pages of the reference that nobody writes by hand, from what the programs say of themselves.

`python scripts/reference DIRECTORY` writes them into DIRECTORY; `make docs` does so each time, so that none is old.
The pages of all files (docs/files.md) and of the mechanisms (docs/variants.md) are kept in the repository, and tests
hold them to the engine's types and registry.
"""

from __future__ import annotations

import sys
from pathlib import Path

import claims_page
import commands_page
import interface_page
import shipped_page

PAGES = {
    "claims.md": claims_page.page,
    "commands.md": commands_page.page,
    "interface.md": interface_page.page,
    "shipped.md": shipped_page.page,
}


def main(directory: Path) -> None:
    """Write every page; one that has not changed keeps its time, so that the site's builder need not read it again."""
    directory.mkdir(parents=True, exist_ok=True)
    for name, make in PAGES.items():
        text, file = make(), directory / name
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")
    for file in directory.glob("*.md"):
        if file.name not in PAGES:
            file.unlink()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
