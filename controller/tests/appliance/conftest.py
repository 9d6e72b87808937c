from __future__ import annotations

import os
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml

from tests import mechanism
from tests.appliance.appliance import EDITED, OWN, Appliance, build_images
from tests.appliance.engine import STATE, engine
from tests.appliance.queries import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# What needs a Docker engine is asked for: `make test-compose`.
collect_ignore = [] if os.environ.get("WINDLULL_APPLIANCE") else ["test_compose.py", "test_interop.py"]

_REMARKS: list[str] = []


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what could not be tried here."""
    for remark in _REMARKS:
        terminalreporter.write_line(f"note: {remark}")


@pytest.fixture(scope="session")
def appliance() -> Iterator[Appliance]:
    """The appliance, come up from nothing; nothing of it stays.

    Engine and pages are built in the images from source, as whoever brings it up has them built, unless PARTS=ready.
    """
    with engine() as variables:
        environment = os.environ | variables
        build_images(ROOT, environment)
        config = subprocess.run(
            [ROOT / "images" / "compose.sh", STATE], env=environment, capture_output=True, text=True, check=True
        ).stdout.strip()
        own = {"DOCKER_CONFIG": config} if config else {}
        found = Appliance(variables | own | {"DOCKER_BUILDKIT": "0"}, _missing(variables))
        found.compose("down", "--volumes", "--remove-orphans", "--timeout", "5")
        with _edited(environment | own):
            try:
                found.up()
                yield found
            finally:
                found.compose(*OWN, "--profile", "scale", "down", "--volumes", "--remove-orphans", "--timeout", "5")


@contextmanager
def _edited(environment: Mapping[str, str]) -> Iterator[None]:
    """Images of sources in which a mechanism was edited and not committed; they vanish at the end.

    They are built before anything plays in real time: a compiler needs all that a machine has.
    """
    version, services = EDITED
    with tempfile.TemporaryDirectory(prefix="windlull-edited-") as directory:
        tree = Path(directory) / "tree"
        subprocess.run(["git", "clone", "--quiet", ROOT, tree], check=True)
        mechanism.edit(tree)
        build_images(tree, {**environment, "WINDLULL_VERSION": version, "PARTS": "source"}, *services)
    try:
        yield
    finally:
        named = ("--filter", f"reference=windlull/*:{version}", "--format", "{{.Repository}}:{{.Tag}}")
        listed = subprocess.run(
            ["docker", "image", "ls", *named], env=environment, capture_output=True, text=True, check=True
        )
        subprocess.run(["docker", "image", "rm", *listed.stdout.split()], env=environment, check=True)


def _missing(variables: dict[str, str]) -> frozenset[str]:
    """Return the services whose image is neither here nor to be had."""
    image = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))["services"]["grafana"]["image"]
    environment = os.environ | variables
    for asked in (["image", "inspect", image], ["pull", "--quiet", image]):
        if subprocess.run(["docker", *asked], env=environment, capture_output=True, check=False).returncode == 0:
            return frozenset()
    _REMARKS.append(
        f"{image} cannot be had here: Grafana was not started; its dashboards' queries were made all the same"
    )
    return frozenset({"grafana"})
