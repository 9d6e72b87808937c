"""`windlull learn`: a link file from captures of both ends of a transfer, or of the data sender's."""

from __future__ import annotations

import tempfile
from pathlib import Path

import click

from windlull import locate
from windlull.errors import BadInputError
from windlull.learning.document import Events, link_text
from windlull.learning.learned import SEED, WINDOW_S, learn
from windlull.learning.matching import joined
from windlull.learning.page import page
from windlull.learning.played import played
from windlull.reports import files
from windlull.runner import engine

_FILE = click.Path(path_type=Path)


@click.command("learn")
@click.argument("server", type=_FILE)
@click.argument("client", type=_FILE, required=False)
@click.option("--out", type=_FILE, default=Path("link.toml"), show_default=True, help="Write the link here.")
@click.option("--report", type=_FILE,
              help="Write a page here that lays what was learned over what was captured.")  # fmt: skip
@click.option("--variant", metavar="NAME",
              help="Who sent, if a variant of ours: it plays the learned link once, for the report.")  # fmt: skip
@click.option("--between", nargs=2, metavar="ADDRESS ADDRESS",
              help="The connection between these, as 192.0.2.1:80.  [default: the one with the most data]")  # fmt: skip
@click.option("--end", type=click.Choice(["server", "client"]),
              help="Where the first capture was made.  [default: what the files tell, or a guess]")  # fmt: skip
@click.option("--window", "window_s", type=click.FloatRange(0.01, 3600), default=WINDOW_S, show_default=True,
              metavar="SECONDS", help="How finely the rate over time is measured.")  # fmt: skip
@click.option("--events", type=click.Choice(["random", "script"]), default="random", show_default=True,
              help="Holds and outages at random, as often and as long as was seen, or once each when they were "
                   "seen.")  # fmt: skip
@click.option(
    "--seed", type=click.IntRange(0, (1 << 64) - 1), default=SEED, show_default=True, help="Of the intervals."
)
@click.option("--title", help="The link's title.  [default: of the files' names]")
def command(
    server: Path,
    client: Path | None,
    out: Path,
    report: Path | None,
    variant: str | None,
    between: tuple[str, str] | None,
    end: str | None,
    window_s: float,
    events: Events,
    seed: int,
    title: str | None,
) -> None:
    """Learn a link from the captures of both ends of a TCP transfer, SERVER and CLIENT, and write it as a file.

    Beside each value the file has its interval, and what cannot be known. With one capture, which must be of the end
    that sends the data, more is unknown.
    """
    selection = [*(["--between", *between] if between else []), *(["--end", end] if end else [])]
    if variant is not None and report is None:
        raise BadInputError("--variant is for the report; write --report FILE as well")
    template = None if report is None else locate.report_page()
    captured = joined(server, client, selection)
    learned = learn(captured, window_s=window_s, seed=seed)
    names = [one.name for one in (server, client) if one is not None]
    text = link_text(learned, names, title=title, events=events)
    _check(text)
    again = None if variant is None else (variant, played(captured, text, variant, seed))
    files.write(out, text.encode())
    if report is not None and template is not None:
        # Statistics take a while to load, and only reports need them.
        from windlull.reports import html  # noqa: PLC0415

        made = page(captured, learned, names, text, window_s=window_s, engine=engine.version(), played=again)
        html.write_report(report, template, made, [])
    click.echo("\n".join(line for line in text.splitlines() if line.startswith(("#", "["))))
    click.echo(f"wrote {out}" + (f" and {report}" if report else ""))


def _check(text: str) -> None:
    """Let the engine read the link before anybody keeps it. Raises EngineError with its message."""
    with tempfile.TemporaryDirectory() as directory:
        draft = Path(directory) / "link.toml"
        draft.write_text(text, encoding="utf-8")
        engine.ask(["check", str(draft)])
