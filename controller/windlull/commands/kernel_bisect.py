"""`windlull kernel bisect`: which commit of a tree of Linux first breaks a rule."""

from __future__ import annotations

from dataclasses import replace
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING

import click

from windlull import locate
from windlull.commands.gate import GateCode
from windlull.errors import BadInputError, ExitCode, WindlullError
from windlull.runner.messages import MOST_REPETITIONS
from windlull.runner.options import OPTIONS, SEEDS

if TYPE_CHECKING:
    from windlull.patches.bisection import Answer
    from windlull.patches.judging import Judge, Judged
    from windlull.patches.scenarios import Scenario
    from windlull.patches.trees import Source
    from windlull.stats.rules import Rule

ALPHA = 0.025
"""The chance of a wrong answer on each side, over all commits that are judged."""


class StepCode(IntEnum):
    """What `git bisect run` understands; it stops at codes above 127."""

    GOOD = 0
    BAD = 1
    UNTOLD = 125
    STOP = 128


_WORDS: dict[Answer, str] = {"good": "is good by this rule", "bad": "is bad by this rule", "untold": "cannot be judged"}


class _StepUsageError(click.UsageError):
    exit_code = StepCode.STOP


class _Step(click.Command):
    """A command of which a wrong option stops `git bisect run`: the usual exit code would mean a bad commit to it."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments, as click does."""
        is_step = not any(given.partition("=")[0] == "--bad" for given in args)
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            if is_step:
                raise _StepUsageError(error.format_message(), error.ctx) from error
            raise


@click.command("bisect", cls=_Step)
@click.argument("tree", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--good", required=True, metavar="REF", help="A commit that keeps the rule; `baseline` is this one.")
@click.option("--bad", metavar="REF", help="A commit that breaks it. Without it TREE is judged as it stands, once, and "
              "the exit code is what `git bisect run` understands.")  # fmt: skip
@click.option("--fail-if", "text", required=True, metavar="RULE",
              help="What is bad, as in `windlull gate`: 'elapsed.median > 1.05 * baseline'.")  # fmt: skip
@click.option("--scenario", "chosen", multiple=True, metavar="EXPERIMENT",
              help="Where the rule must hold; give it once for each.  [default: the suite quick]")  # fmt: skip
@click.option("--reps", "first", type=click.IntRange(6, MOST_REPETITIONS), default=20, show_default=True,
              help="Repetitions with which a commit is judged at first.")  # fmt: skip
@click.option("--until-decided", "most", type=click.IntRange(6, MOST_REPETITIONS), metavar="MAX", default=80,
              show_default=True, help="Double them until they decide, or until there are MAX.")  # fmt: skip
@click.option("--seed", type=click.IntRange(*SEEDS), help=OPTIONS["seed"].help)
@click.option("--jobs", type=click.IntRange(min=1), help="Kernels at the same time.  [default: one a core]")
@click.option("--out", type=click.Path(path_type=Path), default=Path("out/kernel-bisect"), show_default=True,
              help="Where results go, a directory for each kernel.")  # fmt: skip
def command(
    tree: Path,
    good: str,
    bad: str | None,
    text: str,
    chosen: tuple[str, ...],
    first: int,
    most: int,
    seed: int | None,
    jobs: int | None,
    out: Path,
) -> int:
    """Find the first commit of TREE, after --good and up to --bad, that breaks a rule. TREE itself is left as it is.

    Commits that do not build, do not boot, or cannot be told from --good with MAX repetitions are passed over.

    Exit codes: 0 found; 4 it is one of several, of which the rest cannot be judged; 1 failure, 2 bad input, 130
    interrupted, as ever. Without --bad: 0 good, 1 bad, 125 cannot be told, 128 stop, as something else is wrong.
    """
    # Statistics take a while to load, and most commands need none.
    from windlull.patches.judging import Judge  # noqa: PLC0415
    from windlull.patches.trees import Tree  # noqa: PLC0415
    from windlull.stats.rules import RuleError, parse  # noqa: PLC0415

    try:
        try:
            rule = parse(text)
        except RuleError as error:
            raise BadInputError(f"--fail-if: {error}") from error
        if most < first:
            raise BadInputError(f"--until-decided {most}: the first {first} repetitions are more")
        if rule.fails_itself:
            raise BadInputError(f"--fail-if: --good itself breaks {rule.text}; it is the baseline")
        scenarios = _scenarios(chosen, rule, seed)
        theirs = Tree.at(tree)
        judge = Judge(theirs, theirs.commit(good, "--good"), rule, scenarios, first, most, ALPHA, out, jobs)
        return _step(judge) if bad is None else _bisect(judge, bad)
    except WindlullError as error:
        if bad is not None or error.exit_code == ExitCode.INTERRUPTED:
            raise
        click.echo(f"error: {error}", err=True)
        return StepCode.STOP


def _scenarios(chosen: tuple[str, ...], rule: Rule, seed: int | None) -> tuple[Scenario, ...]:
    """Return where the rule must hold: the experiments that were chosen, or the suite `quick`."""
    from windlull.patches.scenarios import scenario  # noqa: PLC0415
    from windlull.patches.suites import suite  # noqa: PLC0415

    named = chosen or tuple(entry.experiment for entry in suite(locate.profiles(), "quick").scenario)
    scenarios = tuple(scenario(name, [rule.metric.name], seed=seed) for name in named)
    if len({one.name for one in scenarios}) < len(scenarios):
        raise BadInputError("--scenario: two have the same name; results of one would replace those of the other")
    return scenarios


def _answer(judge: Judge, source: Source) -> Judged:
    """Judge a kernel, and say how."""
    judged = judge.judge(source)
    click.echo(f"{source.words}: {judged.answer}; {judged.why}")
    return judged


def _step(judge: Judge) -> StepCode:
    """Judge the tree as it stands."""
    source = judge.tree.standing()
    if source.name == judge.base.name:
        click.echo(f"{source.words}: good; it is --good itself")
        return StepCode.GOOD
    return {"good": StepCode.GOOD, "bad": StepCode.BAD, "untold": StepCode.UNTOLD}[_answer(judge, source).answer]


def _bisect(judge: Judge, bad: str) -> int:
    """Judge commits between both ends until one remains, and say which."""
    from windlull.patches.bisection import bisect, steps  # noqa: PLC0415

    tree, base = judge.tree, judge.base
    end = tree.commit(bad, "--bad")
    assert base.commit is not None  # noqa: S101 - both are commits
    assert end.commit is not None  # noqa: S101
    between = tree.between([base.commit], end.commit)
    if not between:
        raise BadInputError(f"--bad {bad}: {base.words} has it already")
    # The end is judged too.
    judge = replace(judge, alpha=ALPHA / (steps(len(between)) + 1))
    click.echo(f"{len(between)} commits after {base.words}; about {steps(len(between))} are judged")
    if (found := _answer(judge, end)).answer != "bad":
        raise BadInputError(f"--bad {bad}: it {_WORDS[found.answer]}; {found.why}")
    if judge.rule.factor is None and (found := replace(judge, base=end).judge(base)).answer != "good":
        raise BadInputError(f"--good {base.words}: it {_WORDS[found.answer]}; {found.why}")
    judge = replace(judge, base=replace(base, built=True))
    first = bisect(base.commit, end.commit, tree.between, lambda commit: _answer(judge, tree.at_commit(commit)).answer)
    if len(first.candidates) == 1:
        click.echo(f"first bad commit: {tree.words(first.candidates[0])}")
        return ExitCode.OK
    click.echo("the first bad commit is one of these; all but the last cannot be judged:")
    for commit in reversed(first.candidates):
        click.echo(f"  {tree.words(commit)}")
    return GateCode.UNDECIDED
