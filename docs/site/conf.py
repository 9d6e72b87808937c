"""How the documentation becomes a site: `make docs`. The pages are the Markdown files of docs/, as they lie."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx

ROOT = Path(__file__).resolve().parents[2]

project = "Windlull"
author = "the authors of Windlull"
version = release = re.findall(
    r'^__version__ = "(.+)"',
    (ROOT / "controller" / "windlull" / "__init__.py").read_text(encoding="utf-8"),
    re.MULTILINE,
)[0]

extensions = ["myst_parser", "sphinx_copybutton"]
exclude_patterns = ["site"]
nitpicky = True

# Anchors are those of the forges, so that a link works in both places.
myst_heading_anchors = 4
myst_links_external_new_tab = False

# A prompt is not part of a command, nor is what it prints.
copybutton_prompt_text = "$ "
copybutton_exclude = ".linenos, .gp, .go"

html_theme = "furo"
html_title = f"Windlull {release}"
html_static_path = ["style.css"]
html_css_files = ["style.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
html_show_sphinx = False
pygments_style = "friendly"
pygments_dark_style = "native"
html_theme_options = {
    "light_css_variables": {
        "color-brand-primary": "#1864ab",
        "color-brand-content": "#1864ab",
        "color-brand-visited": "#5f3dc4",
    },
    "dark_css_variables": {
        "color-brand-primary": "#74c0fc",
        "color-brand-content": "#74c0fc",
        "color-brand-visited": "#b197fc",
    },
    "navigation_with_keys": True,
    "top_of_page_buttons": [],
}


LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)#\s]+)\)")


def name_what_is_elsewhere(app: Sphinx, page: str, text: list[str]) -> None:
    """Make text of links that lead out of docs/ into the repository, of which the site has no copy."""
    here = Path(app.srcdir, page).parent

    def named(link: re.Match[str]) -> str:
        there = (here / link[2]).resolve()
        outside = there.is_relative_to(ROOT) and not there.is_relative_to(app.srcdir)
        return f"{link[1]} (`{there.relative_to(ROOT)}`)" if outside else link[0]

    text[0] = LINK.sub(named, text[0])


def setup(app: Sphinx) -> None:
    """Say what is done when; Sphinx calls this."""
    app.connect("source-read", name_what_is_elsewhere)
