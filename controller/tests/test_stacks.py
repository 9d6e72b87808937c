"""Builds of stacks: another version, or a checkout, instead of the pinned package."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
import tomlkit

from windlull import stacks
from windlull.errors import BadInputError
from windlull.stacks import Instead

if TYPE_CHECKING:
    from pathlib import Path

CARGO = """\
#!/bin/sh
# Says what the adapter was resolved to, and makes an engine of what it was told.
while [ $# -gt 0 ]; do
    case "$1" in
        metadata) what=metadata ;;
        --manifest-path) manifest=$2 ;;
        --target-dir) target=$2 ;;
        --locked) locked=locked ;;
    esac
    shift
done
if [ "$what" = metadata ]; then
    cat "$(dirname "$manifest")/resolved.json"
else
    mkdir -p "$target/release"
    echo "$WINDLULL_STACK|$WINDLULL_STACK_VERSION|$locked" > "$target/release/windlull-toy-engine"
fi
"""


@pytest.fixture(autouse=True)
def cargo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "bin" / "cargo"
    program.parent.mkdir()
    program.write_text(CARGO, encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent), prepend=":")


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """An adapter of the stack `toy`, as quinn's is laid out."""
    adapter = tmp_path / "stacks" / "toy"
    (adapter / "engine").mkdir(parents=True)
    (adapter / "Cargo.toml").write_text(
        '[package]\nname = "windlull-toy"\n\n[package.metadata.windlull]\nstack = "toy-proto"\n\n[dependencies]\n'
        'windlull-transport = { path = "../../testbed/transport" }\n'
        "# What was read of it.\n"
        'toy-proto = { version = "=1.2.3", features = ["qlog"] }\n',
        encoding="utf-8",
    )
    (adapter / "engine" / "Cargo.toml").write_text(
        '[dependencies]\nwindlull-engine = { path = "../../../testbed/cli" }\nwindlull-toy = { path = ".." }\n',
        encoding="utf-8",
    )
    resolved = {"packages": [{"name": "toy-proto", "version": "1.2.4", "source": "registry"}]}
    (adapter / "resolved.json").write_text(json.dumps(resolved), encoding="utf-8")
    return adapter.parent


def test_the_pinned_version_is_built_as_it_is_locked(sources: Path, tmp_path: Path) -> None:
    engine = stacks.build(sources, "toy", tmp_path / "built")
    assert engine == tmp_path / "built" / "toy" / "engine"
    assert engine.read_text(encoding="utf-8") == "||locked\n"


def test_another_version_is_a_build_beside_it(sources: Path, tmp_path: Path) -> None:
    before = (sources / "toy" / "Cargo.toml").read_text(encoding="utf-8")
    engine = stacks.build(sources, "toy", tmp_path / "built", Instead("1.2.4", None, None))
    assert engine == tmp_path / "built" / "toy@1-2-4" / "engine"
    assert engine.read_text(encoding="utf-8") == "toy@1-2-4|toy-proto 1.2.4|\n"
    manifest = (engine.parent / "source" / "toy" / "Cargo.toml").read_text(encoding="utf-8")
    assert manifest == before.replace("=1.2.3", "=1.2.4").replace(
        "../../testbed/transport", str(tmp_path / "testbed" / "transport")
    )
    of_engine = tomlkit.parse((engine.parent / "source" / "toy" / "engine" / "Cargo.toml").read_text(encoding="utf-8"))
    assert of_engine.unwrap()["dependencies"] == {
        "windlull-engine": {"path": str(tmp_path / "testbed" / "cli")},
        "windlull-toy": {"path": ".."},
    }
    assert (sources / "toy" / "Cargo.toml").read_text(encoding="utf-8") == before


def test_a_checkout_has_the_package_at_its_top_or_in_a_directory(sources: Path, tmp_path: Path) -> None:
    checkout = tmp_path / "my-checkout"
    (checkout / "toy-proto").mkdir(parents=True)
    (checkout / "Cargo.toml").write_text('[workspace]\nmembers = ["toy-proto"]\n', encoding="utf-8")
    (checkout / "toy-proto" / "Cargo.toml").write_text('[package]\nname = "toy-proto"\n', encoding="utf-8")
    published = {"name": "toy-proto", "version": "0.9.0", "source": "registry"}
    local = {"name": "toy-proto", "version": "2.0.0", "source": None}
    (sources / "toy" / "resolved.json").write_text(json.dumps({"packages": [published, local]}), encoding="utf-8")
    engine = stacks.build(sources, "toy", tmp_path / "built", Instead(None, checkout, None))
    assert engine.read_text(encoding="utf-8") == "toy@my-checkout|toy-proto 2.0.0 (a checkout)|\n"
    manifest = tomlkit.parse((engine.parent / "source" / "toy" / "Cargo.toml").read_text(encoding="utf-8")).unwrap()
    assert manifest["dependencies"]["toy-proto"] == {"features": ["qlog"], "path": str(checkout / "toy-proto")}

    (checkout / "toy-proto" / "Cargo.toml").unlink()
    with pytest.raises(BadInputError, match=r'no package "toy-proto" in .*my-checkout'):
        stacks.build(sources, "toy", tmp_path / "built", Instead(None, checkout, None))
    assert not list((tmp_path / "built").rglob("source"))


@pytest.mark.parametrize("checkout", ["My Checkout", "a_b", ".."])
def test_a_directory_that_makes_no_name_wants_one(checkout: str, tmp_path: Path) -> None:
    place = tmp_path / "Work" / checkout
    with pytest.raises(BadInputError, match="--name mine"):
        Instead(None, place, None).label()
    assert Instead(None, place, "mine").label() == "mine"
    with pytest.raises(BadInputError, match='"Mine" is no name'):
        Instead(None, place, "Mine").label()
