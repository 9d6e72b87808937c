"""The service makes runs in kernels of their own as it makes any."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.end_to_end.serving import serving

if TYPE_CHECKING:
    from pathlib import Path

    from tests.end_to_end.serving import Service

LIVE = "first-look-live"


def runs_of(service: Service, batch: int) -> list[dict[str, Any]]:
    return sorted(
        service.get(f"runs?batch={batch}&limit=500")["items"], key=lambda run: (run["testbed"] != "sim", run["place"])
    )


def test_a_batch_is_made_in_kernels_and_can_be_asked_about(tmp_path: Path) -> None:
    with serving(tmp_path / "data") as service:
        batch = service.until_ended(service.submit(LIVE, testbed="kernel", captures=True))
        assert batch["runs"] == {"done": batch["total"]}
        runs = runs_of(service, batch["id"])
        made = [(run["testbed"], run["variant"]) for run in runs]
        # What only a real kernel has is not simulated beside.
        assert made == [("sim", "frto+sack"), *(("kernel", name) for name in ("frto+sack", "linux", "linux-no-frto"))]

        for run in runs[1:]:
            analysis = service.get(f"runs/{run['id']}/analysis")
            assert analysis["provenance"]["kernel"].startswith("6.")
            assert analysis["certificate"]["valid"], analysis["certificate"]["reasons"]
            assert analysis["received"]["octets"] == 20 * 1024
            # The link pauses once.
            assert [episode["cause"] for episode in analysis["episodes"]].count("hold") == 1

        # Ours does there what it does simulated, and a run that is asked for again is made again.
        simulated, real = (service.get(f"runs/{run['id']}/analysis")["metrics"] for run in runs[:2])
        assert abs(real["elapsed_s"] - simulated["elapsed_s"]) < 0.001
        again = service.until_ended(service.submit(LIVE, testbed="kernel", captures=True))
        cached = [run["cached"] for run in runs_of(service, again["id"])]
        assert cached == [True, False, False, False]
