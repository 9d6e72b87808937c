"""The files of the appliance and its pages agree."""

from __future__ import annotations

import re
import subprocess
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from tests.appliance.queries import ROOT, all_queries, boards

if TYPE_CHECKING:
    from pathlib import Path


def text(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def services() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(text("compose.yaml"))["services"]
    return found


@pytest.mark.parametrize("name", sorted(set(re.findall(r"\$\{(WINDLULL_\w+)", text("compose.yaml")))))
def test_every_variable_stands_in_the_page(name: str) -> None:
    assert f"`{name}" in text("docs/compose.md")


@pytest.mark.parametrize("service", services())
def test_every_service_stands_in_the_page(service: str) -> None:
    page = text("docs/compose.md")
    assert re.search(rf"`{service}`|{service.replace('-', ' ')}", page, re.IGNORECASE)


@pytest.mark.parametrize("name", [query.where for query in all_queries() if query.where.startswith("alert ")])
def test_every_alert_stands_in_the_page(name: str) -> None:
    assert f"`{name.removeprefix('alert ')}`" in text("docs/dashboards.md")


def test_every_dashboard_stands_in_the_page() -> None:
    for board in boards().values():
        assert f"**{board['title']}**" in text("docs/dashboards.md")


@pytest.mark.parametrize("service", services())
def test_every_service_is_bounded_and_unprivileged(service: str) -> None:
    asked = services()[service]
    assert asked["read_only"] is True
    assert asked["cap_drop"] == ["ALL"]
    assert not {"privileged", "pid", "ipc", "userns_mode", "devices"} & set(asked)
    assert {"cpus", "mem_limit", "pids_limit"} <= set(asked)
    assert not any("docker.sock" in str(volume) for volume in asked.get("volumes", []))
    for port in asked.get("ports", []):
        assert port.startswith("127.0.0.1:")


@pytest.mark.parametrize("host", ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"])
@pytest.mark.parametrize(("asked_for", "profile"), [("", "release"), ("quick", "quick")])
def test_images_have_an_engine_without_libraries(host: str, asked_for: str, profile: str, tmp_path: Path) -> None:
    # As cargo and rustc, of a machine of this kind: what is asked of them is kept.
    asked = tmp_path / "asked"
    for name, line in {"rustc": f"echo 'host: {host}'", "cargo": f'echo "$RUSTFLAGS: $*" >>{asked}'}.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{line}\n", encoding="utf-8")
        (tmp_path / name).chmod(0o755)
    environment = {"PATH": f"{tmp_path}:/usr/bin:/bin", "PROFILE": asked_for}
    subprocess.run(["sh", ROOT / "images/engine.sh", "libraries"], check=True, env=environment, cwd=tmp_path)
    words = asked.read_text(encoding="utf-8")
    assert words == (
        f"-C target-feature=+crt-static: build --profile {profile} --locked --bin windlull-engine --target {host}\n"
    )
    # Libraries and engine are built alike, or the first would be in vain.
    assert "cargo" not in re.sub("install.sh cargo", "", text("images/Dockerfile"))


def test_images_are_built_by_tool_chains_that_are_not_in_them() -> None:
    stages: dict[str, tuple[str, set[str]]] = {}
    for block in re.split(r"^FROM ", text("images/Dockerfile"), flags=re.MULTILINE)[1:]:
        source, _, name = block.partition("\n")[0].partition(" AS ")
        lines = re.sub(r"\\\n", " ", block)
        stages[name] = source, {word for line in re.findall(r"install\.sh ([^&|\n]+)", lines) for word in line.split()}

    def installed(stage: str) -> set[str]:
        source, packages = stages.get(stage, ("", set()))
        return packages | (installed(source) if source else set())

    builders = {"cargo", "rustc", "gcc", "libc6-dev", "git", "nodejs", "npm", "python3-venv", "python3-setuptools"}
    assert builders <= installed("engine") | installed("page") | installed("python")
    targets = {asked["build"]["target"] for asked in services().values() if "target" in asked.get("build", {})}
    assert targets == {"emulator", "host", "controller", "postgres", "prometheus"}
    for target in targets:
        assert not builders & installed(target), target


def test_images_of_others_have_a_version() -> None:
    others = {name: asked["image"] for name, asked in services().items() if not asked["image"].startswith("windlull/")}
    assert set(others) == {"grafana"}
    for image in others.values():
        assert re.fullmatch(r"[\w./-]+:\d+\.\d+\.\d+", image)
