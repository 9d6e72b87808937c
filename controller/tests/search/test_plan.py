"""What a search refuses before anything runs, and the files of its links. With the real engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.search.fakes import hold
from windlull import locate
from windlull.errors import BadInputError
from windlull.runner import plans
from windlull.runner.bundle import unpacked
from windlull.runner.options import RunOptions
from windlull.search.candidate import Parameter, candidate
from windlull.search.layout import EXPERIMENT, LINK
from windlull.search.plan import Request, Search, prepare
from windlull.search.template import own_files
from windlull.stats.rules import parse

if TYPE_CHECKING:
    from pathlib import Path

    from windlull.search.candidate import Candidate


def prepared(**changes: Any) -> Search:
    asked: dict[str, Any] = {"experiment": "first-look", "metric": "elapsed", "budget": 10, "baseline": "sack"}
    return prepare(Request(**(asked | changes)), [locate.profiles()])


def planned(search: Search, of: Candidate) -> plans.Planned:
    bundle = search.template.bundle(of, seed=1 << 63, repetitions=2)
    with unpacked(bundle) as root:
        return plans.plan(bundle.experiment, RunOptions(testbed=search.testbed), profiles=[root])


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The directory of two kernels, as far as a plan looks at them."""
    for name in ("stock", "mine"):
        (tmp_path / "kernels" / name).mkdir(parents=True)
        (tmp_path / "kernels" / name / "linux").touch()
        (tmp_path / "kernels" / name / "record").write_text(f"release 6.12.107-{name}\n", encoding="utf-8")
    monkeypatch.setenv("WINDLULL_KERNELS", str(tmp_path / "kernels"))
    return tmp_path / "kernels"


def on_kernels(**changes: Any) -> Search:
    asked = {"experiment": "kernel/holds", "testbed": "kernel", "variant": "linux-no-timestamps@mine"}
    return prepared(**(asked | {"baseline": "linux-no-timestamps@stock"} | changes))


@pytest.mark.usefixtures("built")
def test_two_kernels_meet_on_a_link() -> None:
    search = on_kernels()
    plan = planned(search, candidate((hold(1, 2),)))
    assert search.template.variants == ("linux-no-timestamps@mine", "linux-no-timestamps@stock")
    assert [(run.testbed, run.variant, run.repetition) for run in plan.runs] == [
        ("kernel", variant, repetition) for repetition in (1, 2) for variant in search.template.variants
    ]
    assert (search.beside, set(search.kernels)) == (0, {"mine", "stock"})
    assert search.repetitions == 1, "runs in kernels are few"
    # A shipped variant of Linux that the experiment does not have.
    assert on_kernels(baseline="linux-reno@mine").template.variants[1] == "linux-reno@mine"


@pytest.mark.usefixtures("built")
def test_what_is_simulated_beside_kernels_has_no_part() -> None:
    search = on_kernels(variant="modern", baseline="linux-no-timestamps")
    plan = planned(search, candidate(()))
    assert search.beside == 1
    simulated = [run for run in plan.runs if run.testbed == "sim"]
    # The engine puts them first: that many places of its plan are left out.
    assert simulated == list(plan.runs[: search.beside * 2])
    assert {run.variant for run in plan.runs[search.beside * 2 :]} == {"modern", "linux-no-timestamps"}


def test_the_time_limit_is_that_of_runs_in_kernels(built: Path, tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text(
        'title = "x"\nextends = "kernel/holds"\ntime_limit = "50 s"\n'
        '[live]\ntime_limit = "70 s"\nvariants = ["linux"]\n',
        encoding="utf-8",
    )
    search = on_kernels(experiment=str(tmp_path / "x.toml"), variant="linux@mine", baseline="linux")
    assert search.time_limit_s == 70
    assert planned(search, candidate(())).read().time_limit_s == 70
    before = search.manifest()
    (built / "mine" / "record").write_text("release 6.12.107-other\n", encoding="utf-8")
    assert on_kernels(experiment=str(tmp_path / "x.toml"), variant="linux@mine", baseline="linux").manifest() != before


@pytest.mark.usefixtures("built")
@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"testbed": "netns"}, "--testbed netns: takes real time"),
        ({"variant": "linux-no-timestamps@yours"}, 'there is no kernel "yours"'),
        ({"baseline": "linux-sock@stock"}, "linux-sock"),
        ({"variant": "linux-sock"}, "--variant linux-sock: the experiment has modern, linux-no-timestamps"),
    ],
)
def test_what_no_kernel_can_run_is_refused(changes: dict[str, Any], what: str) -> None:
    with pytest.raises(BadInputError) as refused:
        on_kernels(**changes)
    assert what in str(refused.value)


def test_a_stack_from_elsewhere_may_be_the_variant(tmp_path: Path) -> None:
    """Its random numbers are its own, so that its runs differ on every link; another build is another variant."""
    (tmp_path / "late.toml").write_text(
        'title = "late"\nextends = "quinn"\n[transport.options]\ntime-threshold = "8"\n', encoding="utf-8"
    )
    (tmp_path / "x.toml").write_text(
        'title = "x"\nextends = "quic/first-look"\nvariants = ["late.toml", "quinn"]\n', encoding="utf-8"
    )
    search = prepared(experiment=str(tmp_path / "x.toml"), variant="late", baseline="quinn")
    assert search.random
    assert [one["name"] for one in planned(search, candidate(())).experiment["variants"]] == ["late", "quinn"]
    other = prepared(experiment=str(tmp_path / "x.toml"), variant="late@mine", baseline="quinn")
    assert other.template.variants == ("late@mine", "quinn")


def test_a_link_is_the_base_link_with_events_and_other_values() -> None:
    search = prepared()
    plan = planned(search, candidate((hold(1, 2, "up"),), (Parameter("down.rate", 2.5, "Mbit/s"),)))
    (link,) = plan.experiment["links"]
    assert link["resolved"]["down"]["rate"] == "2.5 Mbit/s"
    (event,) = link["resolved"]["script"]
    assert (event["on"], event["do"], event["for"]) == ("up", "hold", "2 ms")
    assert (plan.experiment["seed"], plan.experiment["repetitions"]) == (str(1 << 63), 2)
    assert plan.experiment["claims"] == []
    assert [(run.variant, run.repetition) for run in plan.runs] == [
        ("frto+sack", 1),
        ("sack", 1),
        ("frto+sack", 2),
        ("sack", 2),
    ]


def test_the_baseline_may_be_a_shipped_variant_and_settings_are_inherited() -> None:
    search = prepared(experiment="papers/sarolahti2003/table-1", variant="sack", baseline="modern")
    plan = planned(search, candidate(()))
    assert [one["name"] for one in plan.experiment["variants"]] == ["sack", "modern"]
    assert plan.experiment["variants"][0]["resolved"]["mss"] == "256 B"


def test_files_of_ones_own_go_with_it(tmp_path: Path) -> None:
    (tmp_path / "base").mkdir()
    (tmp_path / "slow.toml").write_text(
        'title = "Slow"\n[both]\nrate = "1 Mbit/s"\ndelay = "20 ms"\n'
        'queue = { kind = "droptail", limit = "20 packets" }\n'
        '[[script]]\non = "down"\nat = "9 s"\nfor = "1 s"\ndo = "hold"\n',
        encoding="utf-8",
    )
    (tmp_path / "base" / "mine.toml").write_text('title = "Mine"\nextends = "sack"\n', encoding="utf-8")
    (tmp_path / "base" / "x.toml").write_text(
        'title = "x"\nvariants = ["mine.toml", "sack"]\nworkload = "bulk-100-kib-down"\nlink = "../slow.toml"\n'
        "seed = 3\n"
        '[[claim]]\nid = "a"\ntext = "a"\nmetric = "elapsed_s"\nleft = "sack"\nrelation = "<"\nvalue = 9\n',
        encoding="utf-8",
    )
    (tmp_path / "y.toml").write_text('title = "y"\nextends = "base/x.toml"\n', encoding="utf-8")
    search = prepared(experiment=str(tmp_path / "y.toml"), baseline="sack")
    assert (search.seed, search.aim.baseline) == (3, "sack")
    plan = planned(search, candidate((hold(1, 2),)))
    assert [one["name"] for one in plan.experiment["variants"]] == list(search.template.variants)
    assert len(plan.experiment["links"][0]["resolved"]["script"]) == 2
    bundle = search.template.bundle(candidate(()), seed=1, repetitions=1)
    taken = own_files(bundle, locate.profiles())
    assert {EXPERIMENT, LINK} <= set(taken)
    assert len(taken) == 4, "its variant and its link go, too, and nothing that is shipped"
    for path, text in taken.items():
        (tmp_path / "there" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "there" / path).write_text(text, encoding="utf-8")
    plans.plan(str(tmp_path / "there" / EXPERIMENT), profiles=[locate.profiles()], brief=True)


def test_a_link_without_chance_is_run_once(tmp_path: Path) -> None:
    random = prepared()
    assert (random.random, random.repetitions, random.confirm) == (True, 3, 20)
    settled = prepared(experiment="detectors", variant="frto+sack")
    assert (settled.random, settled.repetitions, settled.confirm) == (False, 1, 1)
    assert prepared(experiment="detectors", variant="frto+sack", repetitions=2).repetitions == 2
    # One of the values that a key may have draws.
    queues = '[{ kind = "droptail", limit = "9 packets" }, { kind = "pie", limit = "9 packets" }]'
    (tmp_path / "space.toml").write_text(f'[parameters]\n"down.queue" = {queues}\n', encoding="utf-8")
    assert prepared(experiment="detectors", variant="frto+sack", space=tmp_path / "space.toml").random


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"metric": "elapst"}, "--worst elapst: there is no such metric; do you mean elapsed_s?"),
        ({"metric": "sent_bps"}, "--worst sent_bps: neither way is worse by itself; say by --worse"),
        ({"baseline": None}, "say by --variant which one is to be worst"),
        ({"variant": "sock"}, "--variant sock: the experiment has sack, frto+sack; do you mean sack?"),
        ({"variant": "rack-tlp"}, "--variant rack-tlp: is a shipped variant, but the experiment has sack, frto+sack"),
        ({"variant": "sack"}, "--against sack: is the variant itself"),
        ({"variant": "sack", "baseline": "sock"}, '--against sock: there is no variant "sock"'),
        ({"variant": "sack", "baseline": None, "by": "ratio"}, "--by ratio: of what? it goes with --against"),
        (
            {"variant": "sack", "baseline": None, "rule": parse("elapsed.median > baseline")},
            "--fail-if 'elapsed.median > baseline': names the baseline; say which it is, by --against",
        ),
        ({"link": "gprs"}, "--link gprs: the experiment has mobile-with-holds"),
        ({"experiment": "bbr/cases", "variant": "bbr", "baseline": None}, "say by --link which one is varied"),
        ({"experiment": "first-lock"}, 'there is no experiment "first-lock"'),
    ],
)
def test_what_cannot_be_is_refused(changes: dict[str, Any], what: str) -> None:
    with pytest.raises(BadInputError) as refused:
        prepared(**changes)
    assert what in str(refused.value)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ('[parameters]\n"both.delai" = { from = "1 ms", to = "2 ms" }', "parameters.both.delai: unknown key"),
        ('[parameters]\n"both.delay" = { from = "1 kB", to = "2 kB" }', "parameters.both.delay: `kB` is not a unit"),
        (
            '[parameters]\n"both.queue" = [{ kind = "droptail", limit = "9 kB" }, { kind = "dropsnail" }]',
            'parameters.both.queue: "dropsnail" is not',
        ),
        ('[events]\nkinds = ["delay"]\ndelay = { from = "1 s", to = "20 h" }', "events.delay: "),
    ],
)
def test_the_engine_judges_the_ends_of_the_space(tmp_path: Path, text: str, what: str) -> None:
    file = tmp_path / "space.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(BadInputError, match="the space has a link that cannot be") as refused:
        prepared(space=file)
    assert str(refused.value).startswith(f"{file}: {what}")


def test_what_is_wrong_with_the_experiment_itself_is_not_blamed_on_the_space() -> None:
    with pytest.raises(BadInputError) as refused:
        prepared(variant="linux@nowhere")
    assert "the space" not in str(refused.value)
    assert "which the testbed sim does not have" in str(refused.value)


def test_another_search_has_another_manifest() -> None:
    first = prepared().manifest()
    assert prepared().manifest() == first
    for changes in (
        {"budget": 11},
        {"seed": 2},
        {"metric": "retransmissions"},
        {"repetitions": 4},
        {"confirm": 3},
        {"at_random": True},
    ):
        assert prepared(**changes).manifest() != first
