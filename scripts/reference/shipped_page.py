"""The page of what is shipped: the engine's own list of links, variants, workloads and experiments."""

from __future__ import annotations

from typing import Any

from tables import plain, table
from windlull.runner import engine

HEAD = """# What is shipped

Every link, variant, workload and experiment that comes with Windlull, as the engine lists them. `windlull show NAME`
prints each with all its values; [files.md](../files.md) says how to write one's own, [variants.md](../variants.md) what
the mechanisms of a variant are.

"""

ABOUT = {
    "links": "How a path behaves. Names that begin with a paper's are that paper's set-up.",
    "variants": "A TCP to test. Ours run on every testbed; those of the kernel where there is a kernel.",
    "workloads": "What is transferred.",
    "experiments": "Links, variants and a workload. `windlull run NAME` runs one; those under `papers/` have the "
    "published numbers beside ours.",
}


def page() -> str:
    """The page."""
    return HEAD + "".join(f"## {kind.capitalize()}\n\n{about}\n\n{_listed(kind)}" for kind, about in ABOUT.items())


def _listed(kind: str) -> str:
    entries = [entry for entry in engine.ask(["list", kind]) if not _internal(entry)]
    if kind == "variants":
        return table(("variant", "title", "made of", "source"), [_variant(entry) for entry in entries])
    rows = [(_name(entry), plain(entry["title"]), _source(entry)) for entry in entries]
    return table((kind.removesuffix("s"), "title", "source"), rows)


def _variant(entry: dict[str, Any]) -> tuple[str, str, str, str]:
    return _name(entry), plain(entry["title"]), plain(_made_of(entry["name"])), _source(entry)


def _internal(entry: dict[str, Any]) -> bool:
    """The benchmark's own are of use to the benchmark alone."""
    return str(entry["name"]).startswith("bench")


def _name(entry: dict[str, Any]) -> str:
    return f"`{entry['name']}`"


def _source(entry: dict[str, Any]) -> str:
    return plain(entry["source"] or "")


def _made_of(name: str) -> str:
    """The mechanisms of a variant of ours, or the settings of the kernel's."""
    summary = engine.ask(["show", name])["resolved"]["summary"]
    sentence = summary[0] if "recovery" in summary[0] or len(summary) == 1 else summary[1]
    return str(sentence)
