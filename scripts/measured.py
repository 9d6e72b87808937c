"""The part of a page that a measurement writes: what stands between `<!-- measured: ... -->` and `<!-- end -->`."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def write(page: Path, text: str, what: str | None = None) -> None:
    """Replace that part, the only one of the page or the only one of the name `what`. Ends the process if it is not."""
    name = r"[^\n]*" if what is None else f"{re.escape(what)} "
    mark = rf"(<!-- measured: {name}-->\n).*?(<!-- end -->)"
    old = page.read_text(encoding="utf-8")
    new, times = re.subn(mark, lambda found: f"{found[1]}\n{text}\n\n{found[2]}", old, flags=re.DOTALL)
    if times != 1:
        sys.exit(f"{page}: wants one part between `<!-- measured: {what or '...'} -->` and `<!-- end -->`, has {times}")
    page.write_text(new, encoding="utf-8")
