"""Links in the documentation lead somewhere: every relative link of every Markdown file, anchors included.

Addresses on the network are not visited. Fails with one line per dead link.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

ROOT = Path(__file__).resolve().parent.parent
FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]*`")
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#{1,6} +(.+?) *#*$", re.MULTILINE)


def slug(heading: str) -> str:
    """The anchor that a heading gets: lower case, punctuation gone, spaces to hyphens."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def anchors(text: str) -> set[str]:
    """All anchors of a Markdown file."""
    return {slug(heading.replace("`", "")) for heading in HEADING.findall(FENCE.sub("", text))}


def dead_links(file: Path, text: str) -> list[str]:
    """The links in `text`, the content of `file`, that lead nowhere."""
    dead = []
    for target in LINK.findall(CODE.sub("", FENCE.sub("", text))):
        if re.match(r"[a-z][a-z0-9+.-]*:", target):
            continue
        path, _, anchor = unquote(target).partition("#")
        there = (file.parent / path).resolve() if path else file
        if not there.exists():
            missing = "`make docs` writes it" if "generated" in there.parts else "no such file"
            dead.append(f"{file.relative_to(ROOT)}: {target}: {missing}")
        elif anchor and there.suffix == ".md" and anchor not in anchors(there.read_text(encoding="utf-8")):
            dead.append(f"{file.relative_to(ROOT)}: {target}: no such heading")
    return dead


def main() -> int:
    """Exit code 0 when no link is dead."""
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.md"]
    names = subprocess.run(listing, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout.decode().split("\0")
    files = [ROOT / name for name in names if name and (ROOT / name).exists()]
    dead = [line for file in files for line in dead_links(file, file.read_text(encoding="utf-8"))]
    # The check must be able to fail.
    if not dead_links(ROOT / "README.md", "[x](no/such/file.md)"):
        dead.append("the check itself is broken: it accepts a dead link")
    for line in dead:
        print(f"error: {line}", file=sys.stderr)
    return 1 if dead else 0


if __name__ == "__main__":
    raise SystemExit(main())
