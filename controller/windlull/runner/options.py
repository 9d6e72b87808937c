"""The options of a run, written once: the command line's, the API's, the pages' and the engine's come from here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypedDict, get_args

from windlull import locate
from windlull.contract.engine import PlaneKind, Testbed
from windlull.errors import BadInputError
from windlull.runner.messages import KERNEL, MOST_REPETITIONS, SIMULATED

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


class Range(NamedTuple):
    """Whole numbers, both bounds among them."""

    least: int
    most: int | None = None

    def holds(self, value: int) -> bool:
        """Return whether a number is among them."""
        return self.least <= value and (self.most is None or value <= self.most)


class Choices(NamedTuple):
    """One of these words."""

    words: tuple[str, ...]


REPETITIONS = Range(1, MOST_REPETITIONS)
SEEDS = Range(0, (1 << 64) - 1)


@dataclass(frozen=True, slots=True)
class Option:
    """What command line and engine know of an option.

    `of` is what values there are: a range, choices, a list, or a flag that says no. `plans` says whether the plan
    depends on it; `misfit` is what a simulated run does not have.
    """

    flag: str
    help: str
    of: Range | Choices | Literal["list", "no"]
    plans: bool = False
    misfit: str | None = None


def _words(of: Any) -> Choices:  # noqa: ANN401 - a type
    """Return the words of a type of the contract."""
    literal, *_ = get_args(of)
    return Choices(get_args(literal))


def _option(default: Any, flag: str, of: Any, help: str, *, plans: bool = False, misfit: str | None = None) -> Any:  # noqa: A002, ANN401
    return field(default=default, metadata={"option": Option(flag, help, of, plans, misfit)})


class Given(TypedDict, total=False):
    """Options but for the variants as keyword arguments of a function; `RunOptions` says what each means."""

    testbed: str
    plane: str | None
    attempts: int | None
    repetitions: int | None
    seed: int | None
    jobs: int | None
    captures: bool
    series: bool


class GivenToRun(Given, total=False):
    """All of them."""

    variants: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """What is wanted of an experiment besides its files; None leaves the choice to the experiment or the engine."""

    testbed: str = _option(
        SIMULATED, "--testbed", _words(Testbed),
        "Where it runs: sim is our TCP over our link in virtual time; netns is the kernel's TCP and ours in network "
        "namespaces, in real time, with the same runs simulated beside them; kernel is the same in Linux kernels of "
        "their own, in virtual time (`windlull kernel build`); compose is the same through the containers of the "
        "appliance.",
        plans=True,
    )  # fmt: skip
    plane: str | None = _option(
        None, "--plane", _words(PlaneKind),
        "Link plane of live runs: our link model, or the kernel's netem.  "
        "[default: the experiment's, else model]",
        plans=True, misfit="link plane",
    )  # fmt: skip
    attempts: int | None = _option(
        None, "--attempts", Range(1, 100),
        "How often a live run that is not valid, or that failed, is tried.  [default: 2]", misfit="second attempt",
    )  # fmt: skip
    repetitions: int | None = _option(
        None, "--reps", REPETITIONS, "Repetitions instead of the experiment's own number.",
        plans=True,
    )  # fmt: skip
    seed: int | None = _option(None, "--seed", SEEDS, "Master seed instead of the experiment's own.", plans=True)
    jobs: int | None = _option(
        None, "--jobs", Range(1), "Runs at the same time.  [default: one a core; of live runs, one]"
    )
    variants: tuple[str, ...] = _option(
        (), "--variants", "list",
        "These variants instead of the experiment's; on kernel each on a kernel of its own if it is named, as in "
        "linux@base,linux@patched.",
        plans=True,
    )  # fmt: skip
    captures: bool = _option(True, "--no-pcap", "no", "Leave captures, fates and events out.")  # noqa: FBT003
    series: bool = _option(True, "--no-series", "no", "Leave the diagrams' columns out.")  # noqa: FBT003

    def given(self) -> Iterator[tuple[str, Option, Any]]:
        """Return the options that say something, by name, with their values."""
        for one in fields(self):
            if (value := getattr(self, one.name)) != one.default:
                yield one.name, one.metadata["option"], value

    def arguments(self, *, plan: bool = False) -> list[str]:
        """Return the engine's arguments: of a run, or of the plan for it."""
        arguments: list[str] = []
        for _, option, value in self.given():
            if plan and not option.plans:
                continue
            match option.of:
                case "no":
                    arguments.append(option.flag)
                case "list":
                    arguments += [option.flag, ",".join(value)]
                case _:
                    arguments += [option.flag, str(value)]
        if self.testbed == KERNEL and not plan:
            arguments += ["--kernels", str(locate.kernels())]
        return arguments

    def misfit(self) -> tuple[Option, str, Any] | None:
        """Return an option that a simulated run does not have, its name and its value."""
        if self.testbed == SIMULATED:
            for name, option, value in self.given():
                if option.misfit is not None:
                    return option, name, value
        return None

    def refuse_misfit(self) -> None:
        """Raise BadInputError if there is such an option."""
        if (misfit := self.misfit()) is not None:
            option, _, value = misfit
            raise BadInputError(
                f"{option.flag} {value}: a simulated run has no {option.misfit}; "
                f"it goes with --testbed netns, kernel or compose"
            )

    @classmethod
    def of(cls, given: Mapping[str, object]) -> RunOptions:
        """Return what was given to a function, a variant's file as the engine finds it.

        Raises BadInputError for an option or a value that there is not, and names it as the command line does.
        """
        if unknown := sorted(set(given) - set(OPTIONS)):
            raise BadInputError(f"{unknown[0]}: there is no such option; there are {', '.join(OPTIONS)}")
        for name, option, value in _said(given):
            if wrong := _wrong(option, value):
                raise BadInputError(f"{name}={value!r}: {wrong}")
        chosen: dict[str, Any] = dict(given)
        chosen["variants"] = tuple(from_here(variant) for variant in chosen.get("variants", ()))
        return cls(**chosen)


OPTIONS: dict[str, Option] = {one.name: one.metadata["option"] for one in fields(RunOptions)}


def _said(given: Mapping[str, object]) -> Iterator[tuple[str, Option, object]]:
    """Yield the options that were given a value; None is none where an option's default is None."""
    defaults = {one.name: one.default for one in fields(RunOptions)}
    for name, value in given.items():
        if value is not None or defaults[name] is not None:
            yield name, OPTIONS[name], value


def _wrong(option: Option, value: object) -> str | None:
    """Return what is wrong with the value of an option; None if nothing is."""
    match option.of:
        case Range(least, most) as span:
            # A truth value is a number to Python, and none here.
            if isinstance(value, int) and not isinstance(value, bool) and span.holds(value):
                return None
            return f"is not a whole number from {least} {'on' if most is None else f'to {most}'}"
        case Choices(words):
            return None if value in words else f"is none of {', '.join(words)}"
        case "list":
            texts = (
                not isinstance(value, str) and isinstance(value, Sequence) and all(isinstance(v, str) for v in value)
            )
            return None if texts else "is no list of names"
        case "no":
            return None if isinstance(value, bool) else "is neither True nor False"


def from_here(variant: str) -> str:
    """Return a variant as the engine finds it: a file is where the person is, and not beside the experiment."""
    name = variant.partition("@")[0]
    return str(Path(variant).absolute()) if name.endswith(".toml") else variant


def for_pages() -> dict[str, dict[str, Any]]:
    """Return what pages know of the options: `docs/run-options.json`."""
    described: dict[str, dict[str, Any]] = {}
    for one in fields(RunOptions):
        option = OPTIONS[one.name]
        described[one.name] = {"flag": option.flag, "default": one.default}
        if isinstance(option.of, Range):
            described[one.name] |= option.of._asdict()
    return described
