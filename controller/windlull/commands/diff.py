"""`windlull diff`: where two runs part, and by which decisions."""

from __future__ import annotations

from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from windlull import locate
from windlull.commands import structured
from windlull.contract.engine import DifferenceOfRuns, Provenance
from windlull.errors import BadInputError, ExitCode, FailureError
from windlull.reports import terminal
from windlull.reports.partings import print_difference, print_partings
from windlull.runner import engine
from windlull.runner.messages import understood
from windlull.stats.partings import partings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

RUN = "run.json"
LISTED = 12
"""How many runs are named where one must be given."""

_PLACE = click.Path(path_type=Path)


class DiffCode(IntEnum):
    """The exit code that the command has beside those of every command."""

    PARTED = 3


class _Run(msgspec.Struct, frozen=True):
    """What of a run's record says which run it is."""

    provenance: Provenance


@click.command("diff")
@click.argument("a", type=_PLACE, metavar="RUN_A|BATCH")
@click.argument("b", type=_PLACE, required=False, metavar="[RUN_B]")
@click.option("--variants", metavar="A,B", help="Compare the runs of these two variants in BATCH, pair by pair.")
@click.option("--link", help="Of a batch, the runs over this link alone.")
@click.option("--tolerance", metavar="SPAN", help="Instants that are no farther apart count as the same, as 2ms.  "
              "[default: 0 in sim, 1 us where a run is of a kernel, 2 ms where one is live]")  # fmt: skip
@click.option("--around", metavar="SPAN", help="How much of both runs --json and --report show before and after.  "
              "[default: 1 s]")  # fmt: skip
@click.option("--report", metavar="FILE", type=_PLACE,
              help="Write a page with the diagrams of both runs about the instant at which they part.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON.")
def command(
    a: Path,
    b: Path | None,
    variants: str | None,
    link: str | None,
    tolerance: str | None,
    around: str | None,
    report: Path | None,
    as_json: bool,  # noqa: FBT001 - click passes options by name
) -> int:
    """Say in which decision two runs part first, by which rule, and what it cost.

    RUN_A and RUN_B are directories of runs of the same workload, best on the same fates: of two variants, kernels or
    versions. With --variants, BATCH is a directory of runs, and the kinds of first differences are counted over its
    pairs.

    Exit codes: 0 the senders sent the same; 3 they part; 1 failure, 2 bad input, 130 interrupted, as ever.
    """
    # In one word each: a value that begins with a dash is no option.
    given = (("--tolerance", tolerance), ("--around", around))
    options = [f"{name}={value}" for name, value in given if value is not None]
    if b is None:
        if report is not None:
            raise BadInputError("--report shows two runs; give a second run")
        return _batch(a, variants, link, options, as_json=as_json)
    if variants or link:
        raise BadInputError("--variants and --link choose among the runs of one batch; two runs were given")
    template = None if report is None else locate.two_runs_page()
    answer = _ask(_one(a), _one(b), options)
    found = _understood(answer)
    if report is not None and template is not None:
        # Statistics take a while to load, and only pages need them.
        from windlull.reports import parting_page  # noqa: PLC0415

        parting_page.write_page(report, template, answer, found, engine.version())
    if as_json:
        structured.write(answer)
    else:
        print_difference(terminal.console(), found)
    return ExitCode.OK if found.parting is None else DiffCode.PARTED


def _batch(batch: Path, variants: str | None, link: str | None, options: Sequence[str], *, as_json: bool) -> int:
    if variants is None:
        raise BadInputError("give a second run; or, to compare two variants over a batch of runs, --variants A,B")
    names = [name.strip() for name in variants.split(",")]
    if len(names) != 2 or not all(names) or names[0] == names[1]:
        raise BadInputError(f"--variants {variants}: give two variants, as --variants sack,frto+sack")
    a, b = names
    pairs = _pairs(batch, a, b, link)
    found = partings((a, b), (_understood(_ask(one, other, options)) for one, other in pairs))
    if as_json:
        structured.write(found)
    else:
        print_partings(terminal.console(), found)
    return DiffCode.PARTED if found.kinds else ExitCode.OK


def _ask(a: Path, b: Path, options: Sequence[str]) -> object:
    return engine.ask(["diff", *options, "--", str(a), str(b)], with_profiles=False)


def _understood(answer: object) -> DifferenceOfRuns:
    return understood(answer, DifferenceOfRuns, "diff")


def _one(place: Path) -> Path:
    """Return the directory of the one run there. The engine says what is wrong with a place that has none."""
    if place.name == RUN and place.is_file():
        return place.parent
    if (place / RUN).exists() or not place.is_dir():
        return place
    files = sorted(place.rglob(RUN))
    if len(files) <= 1:
        return files[0].parent if files else place
    named = "".join(f"\n  {file.parent}" for file in files[:LISTED])
    more = f"\n  and {len(files) - LISTED} more" if len(files) > LISTED else ""
    raise BadInputError(f"{place}: {len(files)} runs; give the directory of one:{named}{more}")


def _pairs(batch: Path, a: str, b: str, link: str | None) -> list[tuple[Path, Path]]:
    """Return the directories of runs of both variants with the same link, testbed and repetition.

    Raises BadInputError if there are none, or if a variant has two runs of the same place.
    """
    if not batch.is_dir():
        raise BadInputError(f"{batch}: no directory; give what `windlull run --out` wrote, or two runs")
    runs: dict[str, dict[tuple[str, str, int], Path]] = {a: {}, b: {}}
    for directory, of in _runs(batch):
        if of.variant not in runs or link not in (None, of.link):
            continue
        place = (of.testbed, of.link, of.repetition)
        if other := runs[of.variant].get(place):
            raise BadInputError(
                f"{batch}: {directory} and {other} are both {of.variant} over {of.link}, repetition {of.repetition}; "
                f"give a directory with one batch"
            )
        runs[of.variant][place] = directory
    for name, found in runs.items():
        if not found:
            over = "" if link is None else f" over {link}"
            raise BadInputError(f"{batch}: no run of {name}{over} in it")
    pairs = [(directory, runs[b][place]) for place, directory in runs[a].items() if place in runs[b]]
    if not pairs:
        raise BadInputError(f"{batch}: no repetition that both {a} and {b} have on one link")
    return pairs


def _runs(batch: Path) -> Iterator[tuple[Path, Provenance]]:
    for file in sorted(batch.rglob(RUN)):
        try:
            yield file.parent, msgspec.json.decode(file.read_bytes(), type=_Run).provenance
        except OSError as error:
            raise FailureError(f"cannot read {file}: {error.strerror}") from error
        except msgspec.MsgspecError as error:
            raise BadInputError(f"{file} is not a record of a run: {error}") from error
