"""Points set into files."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

import pytest

from windlull.errors import BadInputError
from windlull.sweep.edit import Editor
from windlull.sweep.grid import Setting
from windlull.sweep.values import parse

if TYPE_CHECKING:
    from windlull.sweep.edit import Written

EXPERIMENT = """\
title = "x"             # a comment
link = "child"
variants = ["a", "b"]
workload = "load"
published = { source = "", columns = [], rows = [] }

[tcp]
mss = "256 B"
delayed_ack = { kind = "none" }

[live]
variants = ["linux"]

[[claim]]
id = "one"
left = "a"
"""
CHILD = """\
title = "child"
extends = "parent"

[down]
delay = "1 s"

[[impairment]]
name = "own"
kind = "hold"
length = "1 s"
"""
PARENT = """\
title = "parent"
extends = "far/oldest.toml"
[both]
rate = "1 Mbit/s"
queue = { kind = "droptail", limit = "7 packets" }
script = []
[[script]]
at = "1 s"
for = "2 s"
"""
OLDEST = """\
title = "oldest"
[[impairment]]
name = "old"
kind = "drop"
length = "9 s"
every = "exponential(mean 20 s)"
"""
FILES = {
    "experiments/deep/x.toml": EXPERIMENT,
    "links/child.toml": CHILD,
    "links/parent.toml": PARENT.replace("script = []\n", ""),
    "links/far/oldest.toml": OLDEST,
    "links/other.toml": 'title = "other"\n[both]\nrate = "2 Mbit/s"\n',
    "experiments/deep/mine.toml": 'title = "mine"\n',
    "workloads/load.toml": 'title = "load"\nsize = "1 kB"\n',
}


def edited(*options: str, **changed: str) -> tuple[dict[str, dict[str, Any]], list[Written]]:
    """Every file with these settings in it, as TOML, and where they were written."""
    settings = []
    for option in options:
        key, _, text = option.partition("=")
        settings.append(Setting(key, parse(text)[0]))
    files = {**FILES, **{name.replace("__", "/") + ".toml": text for name, text in changed.items()}}
    bundle, written = Editor("deep/x", "experiments/deep/x.toml", files).bundle(settings)
    assert bundle.experiment == "deep/x"
    return {path: tomllib.loads(text) for path, text in bundle.files.items()}, written


def untouched() -> dict[str, dict[str, Any]]:
    files = {path: tomllib.loads(text) for path, text in FILES.items()}
    for key in ("claim", "published", "live"):
        del files["experiments/deep/x.toml"][key]
    return files


def test_without_settings_only_what_is_for_reports_and_kernels_goes() -> None:
    files, written = edited()
    assert files == untouched()
    assert written == []


X, LOAD, LINK = "experiments/deep/x.toml", "workloads/load.toml", "links/child.toml"


@pytest.mark.parametrize(
    ("option", "file", "path", "value"),
    [
        ("seed=7", X, ["seed"], 7),
        ("tcp.mss=1460 B", X, ["tcp", "mss"], "1460 B"),
        ("tcp.timer.minimum_rto=2 s", X, ["tcp", "timer", "minimum_rto"], "2 s"),
        ("tcp.delayed_ack.kind=x", X, ["tcp", "delayed_ack", "kind"], "x"),
        ("workload.size=5 MB", LOAD, ["size"], "5 MB"),
        ("link.down.delay=2 s", LINK, ["down", "delay"], "2 s"),
        ("link.up.delay=2 s", LINK, ["up", "delay"], "2 s"),
        ("link.impairment.own.length=3 s", LINK, ["impairment", 0, "length"], "3 s"),
        ("link.impairment[0].length=3 s", LINK, ["impairment", 0, "length"], "3 s"),
    ],
)
def test_one_key_is_set_and_nothing_else(option: str, file: str, path: list[str | int], value: object) -> None:
    files, (written,) = edited(option)
    assert written.file == file
    assert written.key == "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)[1:]
    expected = untouched()
    node: Any = expected[file]
    for step in path[:-1]:
        node = node[step] if isinstance(step, int) else node.setdefault(step, {})
    node[path[-1]] = value
    assert files == expected


STACK = 'title = "stack"\nstack = "transport"\n[transport]\nname = "quinn"\n'


def test_options_of_stacks_are_texts_in_the_files_of_their_variants() -> None:
    changed = {"variants__a": 'title = "ours"\n', "variants__b": STACK, "variants__c": 'title = "c"\nextends = "b"\n'}
    changed["experiments__deep__x"] = EXPERIMENT.replace('["a", "b"]', '["a", "b@mine", "c"]')
    files, written = edited("variant.transport.options.streams=10", **changed)
    assert [one.file for one in written] == ["variants/b.toml", "variants/c.toml"]
    assert {one.key for one in written} == {"transport.options.streams"}
    assert files["variants/b.toml"]["transport"] == {"name": "quinn", "options": {"streams": "10"}}
    assert files["variants/c.toml"]["transport"]["options"] == {"streams": "10"}
    assert files["variants/a.toml"] == {"title": "ours"}
    with pytest.raises(BadInputError, match="no variant of the experiment is a stack from elsewhere"):
        edited("variant.transport.options.streams=10", variants__a='title = "a"\n', variants__b='title = "b"\n')


def test_an_experiment_has_what_it_extends_and_is_edited_itself() -> None:
    """Its base keeps all but what is for reports and kernels; where it chooses a link, that of the base is left out."""
    files = FILES | {
        "experiments/deep/base.toml": FILES[X].replace('{ kind = "none" }', '{ kind = "k", timer = "1 ms" }'),
        X: 'title = "x"\nextends = "base.toml"\n',
    }
    options = ("tcp.delayed_ack.timer=2 ms", "workload.size=5 MB", "link.down.delay=2 s", "link=child")
    settings = [Setting(key, parse(text)[0]) for key, _, text in (option.partition("=") for option in options)]
    bundle, written = Editor("deep/x", X, files).bundle(settings)
    made = {path: tomllib.loads(text) for path, text in bundle.files.items()}
    assert not {"claim", "published", "live"} & made["experiments/deep/base.toml"].keys()
    assert made[X] == {
        "title": "x",
        "extends": "base.toml",
        "link": "child",
        "tcp": {"delayed_ack": {"kind": "k", "timer": "2 ms"}},
    }
    assert {one.file for one in written} == {X, LOAD, LINK}
    assert made[LINK]["down"]["delay"] == "2 s"
    assert made[LOAD]["size"] == "5 MB"


def test_comments_stay() -> None:
    settings = [Setting("tcp.mss", parse("1 kB")[0])]
    bundle, _ = Editor("x", "experiments/deep/x.toml", FILES).bundle(settings)
    assert "# a comment" in bundle.files["experiments/deep/x.toml"]


def test_a_table_of_an_extended_link_is_taken_over_whole() -> None:
    files, _ = edited("link.both.queue.limit=20 packets")
    assert files["links/child.toml"]["both"] == {"queue": {"kind": "droptail", "limit": "20 packets"}}
    assert files["links/parent.toml"] == untouched()["links/parent.toml"]


def test_an_impairment_of_an_extended_link_is_taken_over_whole() -> None:
    files, (written,) = edited("link.impairment.old.length=3 s")
    assert written.key == "impairment[1].length"
    assert files["links/child.toml"]["impairment"][1] == {
        "name": "old", "kind": "drop", "length": "3 s", "every": "exponential(mean 20 s)",
    }  # fmt: skip


def test_documents_are_chosen_and_then_set() -> None:
    files, written = edited("link=other", "variant=b", "link.both.rate=5 Mbit/s")
    experiment = files["experiments/deep/x.toml"]
    assert (experiment["link"], experiment["variants"]) == ("other", ["b"])
    assert files["links/other.toml"]["both"]["rate"] == "5 Mbit/s"
    assert files["links/child.toml"] == untouched()["links/child.toml"]
    assert [one.key for one in written] == ["link", "variants", "both.rate"]


def test_a_link_that_is_a_table_of_the_experiment_has_no_file_to_set_a_key_in() -> None:
    replayed = EXPERIMENT.replace('link = "child"', 'link = { fates = "fates.csv" }')
    with pytest.raises(BadInputError, match="link: the experiment has a table in the place of a name"):
        edited("link.both.rate=5 Mbit/s", experiments__deep__x=replayed)
    files, _ = edited("link=other", experiments__deep__x=replayed)
    assert files["experiments/deep/x.toml"]["link"] == "other"


def test_every_link_of_an_experiment_is_set() -> None:
    several = EXPERIMENT.replace('link = "child"', 'links = ["other", "mine.toml"]')
    files, written = edited("link.both.rate=5 Mbit/s", experiments__deep__x=several)
    assert [one.file for one in written] == ["links/other.toml", "experiments/deep/mine.toml"]
    assert files["experiments/deep/mine.toml"]["both"]["rate"] == "5 Mbit/s"
    files, _ = edited("link=other", experiments__deep__x=several)
    assert "links" not in files["experiments/deep/x.toml"]


def test_a_table_as_a_value() -> None:
    files, _ = edited('link.both.queue={ kind = "droptail", limit = "1 kB" }')
    assert files["links/child.toml"]["both"]["queue"] == {"kind": "droptail", "limit": "1 kB"}


@pytest.mark.parametrize(
    ("option", "complaint"),
    [
        ("links=a", "choose among links by"),
        ("variants=a", "choose among variants by"),
        ("title=a", "changes no result"),
        ("link.extends=other", "choose among links by"),
        ("variant.mss=1 kB", 'are "tcp.mss"'),
        ("link.impairment.owm.length=1 s", "none has the name 'owm'; did you mean \"own\"?"),
        ("link.impairment[3].length=1 s", "there are 1, counted from 0"),
        ("link.impairment.own=1 s", "say which key of impairment 'own' is meant"),
        ("tcp.mss.x=1", "tcp.mss is no table"),
        ("tcp..mss=1", "is no key"),
        ("link.=1", "is no key"),
        ("link.a]b=1", "is no key"),
    ],
)
def test_what_cannot_be_set_says_why(option: str, complaint: str) -> None:
    with pytest.raises(BadInputError) as raised:
        edited(option)
    assert str(raised.value).startswith(option.partition("=")[0])
    assert complaint in str(raised.value)


def test_a_problem_is_known_by_its_place() -> None:
    _, (written,) = edited("link.both.queue.limit=1 kB")
    assert written.is_at("links/child.toml", "both.queue.limit")
    assert written.is_at("links/child.toml", "both.queue")
    assert not written.is_at("links/child.toml", "both.queue.limits")
    assert not written.is_at("links/parent.toml", "both.queue.limit")
    assert not written.is_at("links/child.toml", None)
