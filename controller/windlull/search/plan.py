"""A search before it runs: the experiment, whom it is about, the space, all judged by the engine."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from windlull import kernels, locate
from windlull.errors import BadInputError, nearest
from windlull.metrics import BY_ANY_NAME, METRICS
from windlull.runner import plans
from windlull.runner.bundle import unpacked
from windlull.runner.messages import KERNEL, SIMULATED, VIRTUAL
from windlull.runner.options import RunOptions
from windlull.runner.problems import InvalidFilesError
from windlull.runner.setting import setting
from windlull.runner.work import EngineId
from windlull.search import space as spaces
from windlull.search.candidate import Candidate, Event, Parameter, candidate, rounded
from windlull.search.evaluate import Runs
from windlull.search.options import CONFIRM, KINDS, SHRINK
from windlull.search.outcome import TIME, Aim
from windlull.search.proposals import DIGITS
from windlull.search.template import Template, template

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from windlull.contract.engine import Problem
    from windlull.metrics import Metric
    from windlull.runner.messages import Experiment
    from windlull.search.outcome import By
    from windlull.search.space import Key, Space
    from windlull.stats.rules import Rule

REPETITIONS = 3
"""Of each link, where something is random and nobody says another number."""

REPETITIONS_IN_KERNELS = 1
"""The same for runs in kernels: these are so few that more links tell more. What is found is held to other seeds."""

_MODEL = "model"
"""The link plane whose randomness comes from the seed alone."""

_OVERLAP = "overlaps with"
"""What the engine says of two events of a kind at once."""

_FORMAT = 4
"""To be raised when the same search would try other candidates."""


@dataclass(frozen=True, slots=True)
class Request:
    """What the person asked for; None is left to the experiment, or to what is usual."""

    experiment: str
    metric: str
    budget: int
    variant: str | None = None
    baseline: str | None = None
    by: By | None = None
    worse: Literal["high", "low"] | None = None
    link: str | None = None
    space: Path | None = None
    repetitions: int | None = None
    seed: int | None = None
    rule: Rule | None = None
    kinds: int = KINDS.usual
    confirm: int = CONFIRM.usual
    shrink_most: int = SHRINK.usual
    at_random: bool = False
    testbed: str = SIMULATED


@dataclass(frozen=True, slots=True)
class Search:
    """A search that can run.

    `random`: a link's runs may differ by their seeds; else one run of each tells all. `kernels` are those that its runs
    need, each with the hash of the record of its making. `beside` counts the variants that the engine's plan for
    kernels also simulates. `own`: the experiment is the person's own, whose variants may be programs; that of a
    stranger reads no file outside its bundle and starts none.
    """

    request: Request
    experiment: str
    seed: int
    aim: Aim
    space: Space
    template: Template
    engine: EngineId
    time_limit_s: float
    random: bool = True
    kernels: Mapping[str, str] = field(default_factory=dict)
    beside: int = 0
    own: bool = True

    @property
    def testbed(self) -> str:
        """Where its runs are made."""
        return self.request.testbed

    @property
    def repetitions(self) -> int:
        """How often each variant runs on a link."""
        usual = REPETITIONS if self.testbed == SIMULATED else REPETITIONS_IN_KERNELS
        return self.request.repetitions or (usual if self.random else 1)

    @property
    def confirm(self) -> int:
        """On how many fresh seeds a finding is run again."""
        return self.request.confirm if self.random else 1

    def runs(self, seed: int, repetitions: int) -> Runs:
        """Return how candidates are run from a master seed."""
        rule = self.request.rule
        metrics = dict.fromkeys((self.aim.metric.name, TIME, *([rule.metric.name] if rule else [])))
        return Runs(
            self.template,
            self.engine,
            seed,
            repetitions,
            self.time_limit_s,
            tuple(metrics),
            testbed=self.testbed,
            beside=self.beside,
            programs=self.own,
        )

    def manifest(self) -> dict[str, Any]:
        """Return what the search is of, as JSON; the seed as text, since numbers there lose their low bits."""
        request = self.request
        return {
            "format": _FORMAT,
            "experiment": self.experiment,
            "testbed": self.testbed,
            "kernels": dict(sorted(self.kernels.items())),
            "engine": {"version": self.engine.version, "commit": self.engine.commit},
            "seed": str(self.seed),
            "repetitions": self.repetitions,
            "budget": request.budget,
            "at_random": request.at_random,
            "worst": self.aim.metric.name,
            "higher_is_worse": self.aim.higher_is_worse,
            "variant": self.aim.variant,
            "against": self.aim.baseline,
            "by": self.aim.by,
            "fail_if": request.rule.text if request.rule else None,
            "kinds": request.kinds,
            "confirm": self.confirm,
            "shrink": request.shrink_most,
            "space": repr(self.space),
            "files": {
                path: hashlib.sha256(text.encode()).hexdigest()
                for path, text in sorted(self.template.bundle(Candidate(), seed=self.seed, repetitions=1).files.items())
            },
        }


def prepare(request: Request, profiles: Sequence[Path], *, own: bool = True) -> Search:
    """Return the search that was asked for; nothing runs yet, nothing is written. `own` is that of the search.

    Raises BadInputError for an experiment, a metric, a variant, a link or a space that cannot be, for a testbed in real
    time, and for a kernel that was not built.
    """
    metric = _metric(request.metric)
    if request.testbed not in VIRTUAL:
        raise BadInputError(f"--testbed {request.testbed}: takes real time; a search is made in sim or kernel")
    options = RunOptions(testbed=request.testbed, seed=request.seed)
    try:
        planned = plans.plan(request.experiment, options, profiles=profiles, brief=True, confined=not own)
    except InvalidFilesError as error:
        raise BadInputError(f"{request.experiment}: {error}") from error
    experiment = planned.read()
    variant = _variant(request, experiment, profiles)
    if variant == request.baseline:
        raise BadInputError(f"--against {variant}: is the variant itself; give another")
    aim = _aim(request, metric, variant)
    if request.rule is not None and request.rule.factor is not None and aim.baseline is None:
        raise BadInputError(f"--fail-if {request.rule.text!r}: names the baseline; say which it is, by --against")
    link = _link(request, experiment)
    resolved = next(one["resolved"] for one in planned.experiment["links"] if one["name"] == link)
    space = spaces.read(request.space, resolved) if request.space else spaces.default(resolved)
    chosen = [variant, *([aim.baseline] if aim.baseline is not None else [])]
    made = Search(
        request=request,
        experiment=experiment.name,
        seed=int(experiment.seed),
        aim=aim,
        space=space,
        template=template(planned, chosen, link, profiles, request.testbed),
        engine=EngineId(experiment.version, experiment.commit),
        time_limit_s=experiment.time_limit_s,
        own=own,
    )
    draws = [_check(made, corner) for corner in corners(space)]
    base = draws[0]
    return replace(
        made,
        random=base.elsewhere or any(one.random for one in draws),
        kernels=_records(base.kernels),
        beside=base.beside,
    )


def corners(space: Space) -> Iterator[Candidate]:
    """Yield candidates at the ends of all ranges, and with every word of a key: what the engine is to find good."""
    yield Candidate()
    begin = space.begin or spaces.Range(0, 0)
    for low in (True, False):
        events = [
            Event(
                int(begin.low if low else begin.high),
                int(space.length.low if low else space.length.high),
                kind,
                space.on[0],
                _depth(space.rate if kind == "rate" else space.delay if kind == "delay" else None, low=low),
            )
            for kind in (space.kinds if space.most else ())
        ]
        yield candidate(tuple(events), tuple(_end(key, low=low) for key in space.keys))
    for key in space.keys:
        for word in key.words:
            yield candidate((), (Parameter(key.key, word=word),))


def _depth(of: spaces.Range | None, *, low: bool) -> int:
    return 0 if of is None else int(of.low if low else of.high)


def _end(key: Key, *, low: bool) -> Parameter:
    if key.range is None:
        return Parameter(key.key, word=key.words[0 if low else -1])
    return Parameter(key.key, rounded(key.range.low if low else key.range.high, DIGITS), key.unit, form=key.form)


@dataclass(frozen=True, slots=True)
class _Checked:
    """What the engine says of a candidate: whether anything on its link is random, and of its variants.

    `elsewhere`: one is a stack from elsewhere, whose random numbers make its runs differ on any link. `beside` counts
    those that a plan for kernels also simulates. `kernels` are those that they run on.
    """

    random: bool
    elsewhere: bool = False
    beside: int = 0
    kernels: frozenset[str] = frozenset()


def _check(search: Search, corner: Candidate) -> _Checked:
    """Ask the engine about a candidate.

    Raises BadInputError that says which candidate it is and what is wrong with it.
    """
    bundle = search.template.bundle(corner, seed=search.seed, repetitions=1)
    with unpacked(bundle) as root:
        try:
            options = RunOptions(testbed=search.testbed)
            planned = plans.plan(
                bundle.experiment, options, profiles=[root], brief=True, confined=not search.own
            )  # fmt: skip
        except InvalidFilesError as error:
            # A search meets the base link's own script here and there; such a candidate has no runs, and others do.
            wrong = [problem for problem in error.problems if _OVERLAP not in problem.message]
            if wrong:
                raise BadInputError(_of_space(search, corner, wrong)) from error
            return _Checked(random=False)
    (link,) = planned.experiment["links"]
    # In a kernel nothing is drawn that changes a run, unless its netem draws: the same seed gives the same times there.
    live = planned.experiment.get("live")
    random = setting(planned.experiment).draws(link["name"], SIMULATED) or (live or {}).get("plane", _MODEL) != _MODEL
    variants = planned.experiment["variants"]
    in_kernels = variants if search.testbed == KERNEL else []
    return _Checked(
        random,
        elsewhere=any("transport" in (one.get("resolved") or {}) for one in variants),
        beside=sum(SIMULATED in one["testbeds"] for one in in_kernels),
        kernels=frozenset(one.get("kernel") or kernels.STOCK for one in in_kernels),
    )


_OF_EVENTS = {"at": "begin", "for": "length", "rate": "rate", "delay": "delay", "by": "delay"}
"""What of a space's `[events]` gives an entry of a link's script its keys."""


def _of_space(search: Search, corner: Candidate, problems: Sequence[Problem]) -> str:
    """Say what is wrong with a link at an end of the space: by the file and its keys, if it comes from there."""
    if corner == Candidate():
        return f"{search.request.experiment}: {'; '.join(_said(one.key, one) for one in problems)}"
    said = []
    for one in problems:
        named = next((key.key for key in search.space.keys if key.key and (one.key or "").startswith(key.key)), None)
        entry = re.fullmatch(r"script\[\d+\]\.(\w+)", one.key or "")
        if named is not None:
            said.append(_said(f"parameters.{named}", one))
        elif entry is not None and entry[1] in _OF_EVENTS:
            said.append(_said(f"events.{_OF_EVENTS[entry[1]]}", one))
        else:
            said.append(_said(one.key, one))
    file = f"{search.request.space}: " if search.request.space else ""
    return f"{file}{'; '.join(dict.fromkeys(said))} (the space has a link that cannot be: {corner.words()})"


def _said(key: str | None, problem: Problem) -> str:
    return ": ".join(part for part in (key, problem.message) if part)


def _records(wanted: Iterable[str]) -> dict[str, str]:
    """Return kernels by name, each with the hash of the record of its making: one that was built anew is another.

    One that somebody put there has no record, and the hash of nothing. Raises BadInputError if one was not built; the
    message says how.
    """
    directory = locate.kernels()
    if lacking := kernels.lacking(directory, wanted):
        raise BadInputError("\n".join(lacking))
    records = {name: directory / name / "record" for name in wanted}
    return {
        name: hashlib.sha256(file.read_bytes() if file.is_file() else b"").hexdigest() for name, file in records.items()
    }


def _metric(name: str) -> Metric:
    """Return a metric by its name, with or without its unit."""
    if name in BY_ANY_NAME:
        return BY_ANY_NAME[name]
    near = nearest(name, METRICS)
    hint = f"do you mean {near}?" if near else f"there are {', '.join(METRICS)}"
    raise BadInputError(f"--worst {name}: there is no such metric; {hint}")


def _missing(variant: str, names: Sequence[str], profiles: Sequence[Path]) -> str:
    """Say what to do about a variant that the experiment does not have."""
    has = f"the experiment has {', '.join(names)}"
    if any((root / "variants" / f"{variant}.toml").is_file() for root in profiles):
        return f"is a shipped variant, but {has}; copy the experiment and add it to its `variants`"
    near = nearest(variant, names)
    return f"{has}; do you mean {near}?" if near else has


def _variant(request: Request, experiment: Experiment, profiles: Sequence[Path]) -> str:
    names = [one.name for one in experiment.variants]
    if request.variant is not None:
        # Another build, or another kernel, of one that the experiment has; what else it is, the engine says.
        if request.variant not in names and "@" not in request.variant:
            raise BadInputError(f"--variant {request.variant}: {_missing(request.variant, names, profiles)}")
        return request.variant
    others = [name for name in names if name != request.baseline]
    if len(others) != 1:
        raise BadInputError(f"the experiment has {', '.join(names)}: say by --variant which one is to be worst")
    return others[0]


def _aim(request: Request, metric: Metric, variant: str) -> Aim:
    if metric.better is None and request.worse is None:
        raise BadInputError(
            f"--worst {metric.name}: neither way is worse by itself; say by --worse which one is, high or low"
        )
    worse = request.worse or ("low" if metric.better == "higher" else "high")
    by: By
    if request.baseline is None:
        if request.by is not None:
            raise BadInputError(f"--by {request.by}: of what? it goes with --against")
        by = "value"
    else:
        by = request.by or ("ratio" if metric.unit in {"s", "bit/s"} else "difference")
    return Aim(metric, variant, request.baseline, by, worse == "high")


def _link(request: Request, experiment: Experiment) -> str:
    if any(one.workload is not None for one in experiment.links):
        raise BadInputError(f"{request.experiment}: has several workloads; a search takes an experiment with one")
    names = [one.name for one in experiment.links]
    if request.link is not None:
        if request.link not in names:
            raise BadInputError(f"--link {request.link}: the experiment has {', '.join(names)}")
        return request.link
    if len(names) > 1:
        raise BadInputError(f"the experiment has the links {', '.join(names)}: say by --link which one is varied")
    return names[0]
