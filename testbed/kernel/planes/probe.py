"""The probe, played in a kernel of its own: what compare.py and distance.py both do."""

from __future__ import annotations

import argparse
import csv
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).resolve().parents[3]


def arguments_of(description: str | None) -> argparse.ArgumentParser:
    """Return a parser of what both are told: where programs, kernel and results are."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=Path, default=ROOT / "target" / "release", help="where runner and probe are")
    parser.add_argument("--kernel", type=Path, default=ROOT / "target" / "kernel" / "stock" / "linux")
    parser.add_argument("--out", type=Path, default=ROOT / "target" / "planes")
    parser.add_argument("--limit", type=int, default=600, help="seconds of the machine's time for one run")
    return parser


@dataclass(frozen=True)
class Tools:
    """What plays a link, and where it may write."""

    runner: Path
    probe: Path
    kernel: Path
    out: Path
    limit_s: int

    @classmethod
    def of(cls, arguments: argparse.Namespace) -> Tools:
        """Return those that the arguments name; the directory for results is made."""
        arguments.out.mkdir(parents=True, exist_ok=True)
        binaries = arguments.bin.resolve()
        return cls(
            runner=binaries / "windlull-kernel",
            probe=binaries / "windlull-probe",
            kernel=arguments.kernel.resolve(),
            out=arguments.out.resolve(),
            limit_s=arguments.limit,
        )

    def delays_us(
        self, name: str, link: str | Path, options: Sequence[str | Path]
    ) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        """Play a link, and return the delay of each packet, NaN if it was lost; `NAME.csv` keeps them."""
        rows = self.out / f"{name}.csv"
        rows.unlink(missing_ok=True)
        command: list[str | Path] = [
            *("nice", self.runner, "run", "--kernel", self.kernel),
            *("--scratch", self.out, "--limit", str(self.limit_s), "--"),
            # The kernel lets waits of ordinary programs be late by a thousandth, even in virtual time.
            *("chrt", "--fifo", "1", self.probe, link, *options, "--out", rows),
        ]
        done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"error: {name} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
        with rows.open(encoding="utf-8", newline="") as file:
            taken = [
                (int(row["received_ns"]) - int(row["sent_ns"])) / 1_000 if row["received_ns"] else np.nan
                for row in csv.DictReader(file)
            ]
        return np.array(taken)
