"""`windlull analyze`: a transfer from its captures or logs."""

from __future__ import annotations

from pathlib import Path

import click

from windlull.commands import structured
from windlull.errors import BadInputError
from windlull.reports import analysis, terminal
from windlull.runner import engine

_FILE = click.Path(path_type=Path)


@click.command("analyze")
@click.argument("a", type=_FILE)
@click.argument("b", type=_FILE, required=False)
@click.option("--between", nargs=2, metavar="ADDRESS ADDRESS",
              help="The connection between these, as 192.0.2.1:80.  [default: the one with the most data]")  # fmt: skip
@click.option("--connection", type=click.IntRange(min=1), metavar="N",
              help="The connection of this number in the list that --connections gives.")  # fmt: skip
@click.option("--end", type=click.Choice(["server", "client"]),
              help="The end at which A was captured; the server is who sends the data, unless the captures are of a "
                   "run.  [default: what the files tell, or a guess]")  # fmt: skip
@click.option("--connections", is_flag=True, help="List the connections with data instead.")
@click.option("--json", "as_json", is_flag=True, help="Print the analysis, or the list, as JSON.")
def command(
    a: Path,
    b: Path | None,
    between: tuple[str, str] | None,
    connection: int | None,
    end: str | None,
    connections: bool,  # noqa: FBT001 - click passes by name
    as_json: bool,  # noqa: FBT001
) -> None:
    """Analyse a packet capture of a TCP transfer, A, or the captures of both its ends, A and B.

    Or qlog files of a connection of QUIC, of any implementation. With both ends every timeout and retransmission gets
    its verdict; with one, what can be known.
    """
    captures = [str(capture) for capture in (a, b) if capture]
    if connections and (between or connection or end):
        raise BadInputError("--connections lists all; leave --between, --connection and --end out")
    if between and connection:
        raise BadInputError("--between and --connection both choose a connection; give one of them")
    selection = ["--between", *between] if between else []
    selection += ["--connection", str(connection)] if connection else []
    selection += ["--end", end] if end else []
    selection += ["--connections"] if connections else []
    answer = engine.ask(["analyze", *captures, *selection], with_profiles=False)
    if as_json:
        structured.write(answer)
    elif connections:
        click.echo("\n".join(analysis.connection_lines(answer)))
    else:
        analysis.print_analysis(terminal.console(), answer)
