"""`windlull search`: the links on which a variant is worst."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from windlull import signals
from windlull.commands.run_options import run_options
from windlull.commands.workers import worker_options
from windlull.errors import BadInputError
from windlull.search.options import CONFIRM, KINDS, LINKS, SHRINK

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from windlull.commands.workers import Workers
    from windlull.errors import ExitCode
    from windlull.runner.options import RunOptions
    from windlull.search.options import Number

_FILE = click.Path(path_type=Path)


def _number(flag: str, number: Number, *name: str) -> Callable[[Any], Any]:
    return click.option(
        flag, *name, type=click.IntRange(*number.of), default=number.usual, show_default=True, help=number.help
    )


@click.command("search")
@click.argument("experiment")
@click.option("--worst", "metric", required=True, metavar="METRIC",
              help="The metric that is to be as bad as possible, as elapsed or detector_false_positives.")  # fmt: skip
@click.option("--variant", help="Whose metric.  [default: the experiment's only one, or the one beside BASELINE]")
@click.option("--against", "baseline", metavar="BASELINE", help="Search for where it is worst against this variant.")
@click.option("--by", type=click.Choice(["difference", "ratio"]),
              help="How the two are compared.  [default: ratio for times and rates, else difference]")  # fmt: skip
@click.option("--worse", type=click.Choice(["high", "low"]), help="Which way is worse.  [default: as the metric says]")
@click.option("--budget", type=click.IntRange(*LINKS), required=True, help="How many links are tried.")
@click.option("--out", type=_FILE, required=True, help="Where the results go; an unfinished search there is continued.")
@click.option(
    "--space", type=_FILE, help="A TOML file that says what may vary.  [default: around the link's own values]"
)
@click.option("--link", help="Of several links of the experiment, the one that is varied.")
@click.option("--fail-if", "rule", metavar="RULE",
              help="What counts as a failure, as for `windlull gate`.  [default: half-way from the base link's value "
                   "to the one found]")  # fmt: skip
@_number("--kinds", KINDS)
@_number("--shrink", SHRINK, "shrink_most")
@_number("--confirm", CONFIRM)
@click.option("--at-random", is_flag=True,
              help="Draw every link independently, without an optimiser: what a search is compared with.")  # fmt: skip
@run_options("testbed", "repetitions", "seed")
@click.option("--json", "json_file", type=_FILE, help="Also write the result to this file.")
@worker_options
def command(
    experiment: str,
    metric: str,
    variant: str | None,
    baseline: str | None,
    by: Literal["difference", "ratio"] | None,
    worse: Literal["high", "low"] | None,
    budget: int,
    out: Path,
    space: Path | None,
    link: str | None,
    rule: str | None,
    kinds: int,
    shrink_most: int,
    confirm: int,
    at_random: bool,  # noqa: FBT001 - click passes options by name
    options: RunOptions,
    json_file: Path | None,
    workers: Workers,
) -> ExitCode:
    """Search for the links on which a variant of EXPERIMENT is worst, and shrink what is found.

    Runs are simulated, or with --testbed kernel made in Linux kernels, where --variant linux@mine --against
    linux@stock asks where two of them differ most. Each link is the experiment's own with events (holds, outages,
    changes of the rate) and other values. What is found is made as small as it can be and still fails, confirmed on
    seeds that had no part, and written to OUT/found as an experiment. If it was interrupted or killed, the same command
    continues it.
    """
    if json_file is not None and json_file.is_dir():
        raise BadInputError(f"--json {json_file}: is a directory")
    if json_file is not None and not json_file.absolute().parent.is_dir():
        raise BadInputError(f"--json {json_file}: there is no directory {json_file.parent}")
    # The optimiser, statistics and clusters take a while to load, and no other command needs them all.
    from windlull.search.plan import Request  # noqa: PLC0415
    from windlull.search.run import run  # noqa: PLC0415
    from windlull.stats.rules import RuleError, parse  # noqa: PLC0415
    from windlull.sweep.directory import Target  # noqa: PLC0415

    try:
        parsed = parse(rule) if rule is not None else None
    except RuleError as error:
        raise BadInputError(f"--fail-if: {error}") from error
    request = Request(
        experiment=experiment,
        metric=metric,
        budget=budget,
        variant=variant,
        baseline=baseline,
        by=by,
        worse=worse,
        link=link,
        space=space,
        repetitions=options.repetitions,
        seed=options.seed,
        rule=parsed,
        kinds=kinds,
        confirm=confirm,
        shrink_most=shrink_most,
        at_random=at_random,
        testbed=options.testbed,
    )
    with signals.as_interrupt():
        return run(request, Target(out, json_file, workers.jobs, workers.cluster))
