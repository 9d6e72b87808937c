"""The `windlull` command: options in, a sentence and an exit code out. The work is done elsewhere."""

from __future__ import annotations

import gc
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from windlull import about, locate
from windlull.commands import COMMANDS
from windlull.commands.run_options import run_options
from windlull.errors import BadInputError, EngineError, ExitCode, WindlullError
from windlull.progress import meter
from windlull.reports import analysis, files, machine, terminal
from windlull.run import Outcome, Request, run
from windlull.runner import engine
from windlull.runner.directory import default_directory

if TYPE_CHECKING:
    from windlull.runner.options import RunOptions

_FILE = click.Path(path_type=Path)


def main() -> NoReturn:
    """Run the command and leave with one of the documented exit codes."""
    # What is loaded stays for good: the collector need not look through it, least of all when the process ends.
    gc.freeze()
    try:
        code = group.main(standalone_mode=False)
    except click.ClickException as error:
        error.show()
        code = ExitCode.BAD_INPUT
    except WindlullError as error:
        _say_error(error)
        code = error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        code = ExitCode.INTERRUPTED
    except BrokenPipeError:
        # The reader of our output has gone, as in `windlull list links | head -1`.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = ExitCode.FAILURE
    except OSError as error:
        click.echo(f"error: {error}", err=True)
        code = ExitCode.FAILURE
    sys.exit(code or ExitCode.OK)


@click.group(name="windlull", context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
             invoke_without_command=True, no_args_is_help=True)  # fmt: skip
@click.option("--version", is_flag=True, help="Say which Windlull this is: versions and commits of command and engine, "
              "profiles, Python, libraries.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="With --version: as JSON.")
@click.pass_context
def group(context: click.Context, version: bool, as_json: bool) -> None:  # noqa: FBT001 - click passes options by name
    """Windlull: how TCP recovers on links that misbehave.

    Exit codes: 0 done, 1 failure, 2 bad input, 130 interrupted.
    After a failure or an interrupt the finished runs can be read.
    """
    if version:
        _say_version(context, as_json=as_json)
    if as_json:
        raise click.UsageError("--json needs --version, or a command that has it before it")
    if context.invoked_subcommand is None:
        raise click.UsageError("Missing command.")


def _say_version(context: click.Context, *, as_json: bool) -> NoReturn:
    known = about.collect()
    if as_json:
        _print_json(known)
    else:
        click.echo("\n".join(about.lines(known)))
    for why in about.missing(known):
        click.echo(f"error: {why}", err=True)
    context.exit(ExitCode.FAILURE if about.missing(known) else ExitCode.OK)


@group.command("run")
@click.argument("experiment")
@click.option("--out", type=_FILE, help="Where runs, results and report go.  [default: out/EXPERIMENT]")
@click.option("--json", "json_file", type=_FILE, help="Also write the results to this file.")
@run_options("repetitions", "seed", "jobs", "captures", "testbed", "variants", "plane", "attempts")
def _run(experiment: str, out: Path | None, json_file: Path | None, options: RunOptions) -> ExitCode:
    """Run EXPERIMENT (a name of `windlull list experiments`, or a .toml file), sum it up and write a report."""
    _refuse_other_files(experiment)
    if (misfit := options.misfit()) is not None:
        option, _, value = misfit
        raise BadInputError(
            f"{option.flag} {value}: a simulated run has no {option.misfit}; "
            f"it goes with --testbed netns, kernel or compose"
        )
    target = out or default_directory(experiment, locate.profiles(), Path())
    with meter() as progress:
        outcome = run(Request(experiment, target, json_file, options), progress)
    _print_outcome(outcome, target)
    return outcome.exit_code


@group.command("list")
@click.argument("kind", type=click.Choice(about.KINDS))
def _list(kind: str) -> None:
    """List what there is: name, title, source."""
    terminal.print_list(terminal.console(), engine.ask(["list", kind]))


@group.command("show")
@click.argument("name")
@click.option("--json", "as_json", is_flag=True, help="Print the engine's answer as JSON.")
def _show(name: str, as_json: bool) -> None:  # noqa: FBT001
    """Show a link, variant, workload or experiment: its file, and what it resolves to."""
    _refuse_other_files(name)
    shown = engine.ask(["show", name])
    if as_json:
        _print_json(shown)
    else:
        terminal.print_shown(terminal.console(), shown)


@group.command("check")
@click.argument("file")
def _check(file: str) -> None:
    """Check a link, variant, workload or experiment file."""
    _refuse_other_files(file)
    engine.ask(["check", file])
    click.echo(f"{file}: ok")


@group.command("analyze")
@click.argument("a", type=_FILE)
@click.argument("b", type=_FILE, required=False)
@click.option("--between", nargs=2, metavar="ADDRESS ADDRESS",
              help="The connection between these, as 192.0.2.1:80.  [default: the one with the most data]")  # fmt: skip
@click.option("--connection", type=click.IntRange(min=1), metavar="N",
              help="The connection of this number in the list that --connections gives.")  # fmt: skip
@click.option("--end", type=click.Choice(["server", "client"]),
              help="The end at which A was captured; the server is who sends the data, unless the captures are of a "
                   "run.  [default: what the files tell, or a guess]")  # fmt: skip
@click.option("--connections", is_flag=True, help="List the TCP connections with data instead.")
@click.option("--json", "as_json", is_flag=True, help="Print the analysis, or the list, as JSON.")
def _analyze(
    a: Path,
    b: Path | None,
    between: tuple[str, str] | None,
    connection: int | None,
    end: str | None,
    connections: bool,  # noqa: FBT001 - click passes by name
    as_json: bool,  # noqa: FBT001
) -> None:
    """Analyse a packet capture of a TCP transfer, A, or the captures of both its ends, A and B.

    With both ends every timeout and retransmission gets its verdict; with one, what can be known.
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
        _print_json(answer)
    elif connections:
        click.echo("\n".join(analysis.connection_lines(answer)))
    else:
        analysis.print_analysis(terminal.console(), answer)


@group.command("doctor")
@click.option("--clean", is_flag=True, help="First remove what killed runs left on the machine.")
@click.option("--json", "as_json", is_flag=True, help="Print the engine's answer as JSON.")
def _doctor(clean: bool, as_json: bool) -> ExitCode:  # noqa: FBT001
    """Say which testbeds and link planes work on this machine, what is missing, and how to get it.

    Exit codes: 0 if sim and a live testbed in real time work (netns, or compose in the appliance); 1 otherwise.
    """
    answer = engine.doctor(*(["--clean"] if clean else []))
    health = machine.read_health(answer)
    if as_json:
        _print_json(answer)
    else:
        machine.print_health(terminal.console(), health, cleaned=clean)
    return ExitCode.OK if health.works else ExitCode.FAILURE


@group.command("export")
@click.argument("link")
@click.option("--format", "form", type=click.Choice(["tc"]), required=True,
              help="tc: a shell script of tc and nft commands, to run and to undo.")  # fmt: skip
@click.option("--seed", type=click.IntRange(0, (1 << 64) - 1), help="Seed of the link's random events.  [default: 1]")
@click.option("--for", "span", metavar="SPAN", help="How long the link's events last, as 60 s or 10 min.")
@click.option("--exact", is_flag=True, help="Refuse what tc and nft cannot express, instead of taking the nearest.")
@click.option("--packet-size", metavar="SIZE",
              help="Packets that are assumed where the nearest depends on them.  [default: 1500 B]")  # fmt: skip
@click.option("--out", type=_FILE, help="Write to this file.  [default: standard output]")
def _export(
    link: str,
    form: str,
    seed: int | None,
    span: str | None,
    exact: bool,  # noqa: FBT001 - click passes options by name
    packet_size: str | None,
    out: Path | None,
) -> None:
    """Write LINK (a name of `windlull list links`, or a .toml file) in another program's form."""
    _refuse_other_files(link)
    options = (("--seed", seed), ("--for", span), ("--packet-size", packet_size))
    given = [word for option, value in options if value is not None for word in (option, str(value))]
    given += ["--exact"] if exact else []
    script = engine.text(["export", link, "--format", form, *given])
    if out is None:
        click.echo(script, nl=False)
    else:
        files.write(out, script)


@group.command("calibrate")
@click.option("--plane", type=click.Choice(["model", "netem"]), help="The link plane to measure.  [default: model]")
@click.option("--pace", type=click.Choice(["precise", "frugal"]),
              help="Wait by polling the clock at the end, or by timers alone.  [default: precise]")  # fmt: skip
@click.option("--thorough", is_flag=True, help="Measure for several minutes instead of one.")
@click.option("--json", "as_json", is_flag=True, help="Print the engine's answer as JSON.")
def _calibrate(plane: str | None, pace: str | None, thorough: bool, as_json: bool) -> None:  # noqa: FBT001
    """Measure how exact the live testbed is on this machine: delays, rates, losses, and up to what rate.

    Leave the machine alone meanwhile: what else runs on it is measured as well.
    """
    options = [word for option, value in (("--plane", plane), ("--pace", pace)) if value for word in (option, value)]
    answer = engine.ask(["calibrate", *options, *(["--thorough"] if thorough else [])], with_profiles=False)
    if as_json:
        _print_json(answer)
    else:
        machine.print_calibration(terminal.console(), answer)


for _command in COMMANDS:
    group.add_command(_command)


def _refuse_other_files(name: str) -> None:
    """Say of a file of another kind that it is one, where the engine would look for a name.

    Raises BadInputError. A name has no suffix of letters alone.
    """
    suffix = Path(name).suffix
    if suffix != ".toml" and suffix[1:].isalpha():
        raise BadInputError(f"{name}: is not a .toml file, as links, variants, workloads and experiments are")


def _print_outcome(outcome: Outcome, target: Path) -> None:
    out = terminal.console()
    if outcome.experiment is not None and outcome.runs:
        terminal.print_summary(
            out, outcome.experiment, outcome.cells, outcome.differences, outcome.judgements, copied=outcome.copied
        )
    terminal.print_left_out(out, outcome.runs, outcome.failed)
    if outcome.experiment is not None and outcome.runs:
        click.echo()
        if outcome.report:
            click.echo(f"report: {outcome.report}")
    if outcome.error:
        _say_error(outcome.error)
    if outcome.exit_code == ExitCode.INTERRUPTED:
        click.echo("interrupted", err=True)
    finished = len(outcome.runs)
    if outcome.experiment is not None and 0 < finished < outcome.planned:
        click.echo(f"{finished} of {outcome.planned} runs are finished and can be read in {target}", err=True)


def _say_error(error: WindlullError) -> None:
    """Say what went wrong: the engine's words as they are, ours in its form."""
    click.echo(str(error) if isinstance(error, EngineError) else f"error: {error}", err=True)


def _print_json(value: Any) -> None:  # noqa: ANN401
    click.echo(json.dumps(value, indent=2, ensure_ascii=False))
