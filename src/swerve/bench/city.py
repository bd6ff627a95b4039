"""Traffic against SUMO: the same number of vehicles on a signalised two-lane grid of 200 m, in the same
run.

Each measurement is a process of its own, with steps of 0.1 s. An update is one vehicle in one step with
everything it does; the time is CPU time of the steps, without loading and compiling. Ours and SUMO take turns
`TURNS` times and the best of each counts: on a shared machine the same work takes up to twice as long from
one minute to the next.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from typing import Any

from swerve.core.errors import BadInput, require

from .plain_sumo import find_netgenerate

SIZES = (1_000, 10_000, 50_000)
WARM = 100  # steps before measuring: cars have sorted themselves, queues have formed
TURNS = 3  # from LARGE vehicles on, one
LARGE = 20_000
INSTALL = "pip install 'swerve[bench]'"


def run(vehicles: int | None = None, seed: int = 1) -> dict[str, Any]:
    """Figures for `vehicles`, or for 1,000, 10,000 and 50,000; the plain keys are those of the middle
    one."""
    from swerve.city import suitable_grid

    missing = _missing()
    sizes = SIZES if vehicles is None else (vehicles,)
    rows = []
    for size in sizes:
        require(1 <= size <= 200_000, "--vehicles", size, "must be between 1 and 200,000")
        steps = max(50, min(300, 2_000_000 // size))
        words = [str(size), str(suitable_grid(size)), str(WARM), str(steps), str(seed)]
        beside = not missing
        pairs = [
            (_measured("plain_city", words), _measured("plain_sumo", words) if beside else None)
            for _ in range(TURNS if size < LARGE else 1)
        ]
        ours = _best([pair[0] for pair in pairs])
        row: dict[str, Any] = {
            "vehicles": size,
            "updates_per_cpu_second": ours["updates_per_cpu_second"],
            "step_ms_p99": ours["step_ms_p99"],
            "memory_mb": ours["memory_mb"],
            "sumo_updates_per_cpu_second": None,
            "ratio_to_sumo": None,
            "sumo_memory_mb": None,
        }
        if beside:
            sumo = _best([pair[1] for pair in pairs if pair[1] is not None])
            row |= {
                "sumo_updates_per_cpu_second": sumo["updates_per_cpu_second"],
                "ratio_to_sumo": ours["updates_per_cpu_second"] / sumo["updates_per_cpu_second"],
                "sumo_vehicles": sumo["vehicles"],
                "sumo_memory_mb": sumo["memory_mb"],
            }
        rows.append(row)
    result = dict(rows[len(rows) // 2])
    for row in rows:
        result |= {f"{key}_{row['vehicles']}": value for key, value in row.items() if key != "vehicles"}
    result["sizes"] = rows
    if missing:
        result["not_measured"] = f"SUMO: {missing}"
    return result


def _missing() -> str:
    """What there is not of what SUMO needs."""
    if importlib.util.find_spec("libsumo") is None:
        return f"libsumo is not installed; {INSTALL}"
    if find_netgenerate() is None:
        return f"netgenerate is on no path, nor in SUMO_HOME/bin; {INSTALL}, or set SUMO_HOME"
    return ""


def _best(runs: list[dict[str, Any]]) -> dict[str, Any]:
    return max(runs, key=lambda run: float(run["updates_per_cpu_second"]))


def _measured(module: str, words: list[str]) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", f"swerve.bench.{module}", *words], capture_output=True, text=True
    )
    if done.returncode != 0:
        last = done.stderr.strip().splitlines()[-1:] or ["no output"]
        raise BadInput(f"bench city, {module}", None, f"failed: {last[0]}")
    answer: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return answer
