"""SUMO on a signalised two-lane grid, for `swerve bench city`: run as a process of its own, prints JSON.

    python -m swerve.bench.plain_sumo VEHICLES SIDE WARM STEPS SEED

Its own defaults throughout: Krauss car following, LC2013 lane changes, actuated nothing, one thread.
Vehicles start everywhere at once on random walks that are longer than the measurement.
"""

from __future__ import annotations

import importlib.util
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

STEP = 0.1  # [s]
BLOCK = 200.0  # [m]
ROUTE_EDGES = 12  # of 200 m: longer than any measurement


def measure(vehicles: int, side: int, warm: int, steps: int, seed: int) -> dict[str, Any]:
    """Vehicle updates per CPU-second of `steps` steps after `warm` steps, and the peak of memory [MB]."""
    import libsumo

    with tempfile.TemporaryDirectory() as folder:
        net, routes = Path(folder) / "grid.net.xml", Path(folder) / "grid.rou.xml"
        _make_net(net, side)
        _make_routes(net, routes, vehicles, seed)
        libsumo.start(
            (
                f"sumo -n {net} -r {routes} --step-length {STEP} --seed {seed} --no-step-log --no-warnings "
                "--threads 1 --max-depart-delay -1"
            ).split()
        )
        for _ in range(warm):
            libsumo.simulationStep()
        updates, started = 0, time.process_time()
        for _ in range(steps):
            libsumo.simulationStep()
            updates += libsumo.vehicle.getIDCount()
        spent = time.process_time() - started
        libsumo.close()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {
        "updates_per_cpu_second": updates / spent,
        "vehicles": updates / steps,
        "cpu_seconds": spent,
        "memory_mb": peak,
    }


def find_netgenerate() -> str | None:
    """SUMO's own tool for nets: on the path, beside Python, in `SUMO_HOME` or in the package `sumo`."""
    folders = [Path(sys.executable).parent]
    if os.environ.get("SUMO_HOME"):
        folders.append(Path(os.environ["SUMO_HOME"]) / "bin")
    package = importlib.util.find_spec("sumo")
    if package is not None and package.origin is not None:
        folders.append(Path(package.origin).parent / "bin")
    places = [None, *map(str, folders)]
    return next((tool for place in places if (tool := shutil.which("netgenerate", path=place))), None)


def _make_net(path: Path, side: int) -> None:
    tool = find_netgenerate()
    if tool is None:
        raise ImportError("netgenerate is not found")
    subprocess.run(
        (
            f"{tool} --grid --grid.number {side} --grid.length {BLOCK} -L 2 --default-junction-type "
            f"traffic_light --no-turnarounds.except-deadend -o {path}"
        ).split(),
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def _make_routes(net: Path, path: Path, vehicles: int, seed: int) -> None:
    ways: dict[str, set[str]] = {}
    for _, element in ElementTree.iterparse(net):
        if element.tag == "connection" and not element.get("from", ":").startswith(":"):
            ways.setdefault(element.get("from", ""), set()).add(element.get("to", ""))
        element.clear()
    listed = {edge: sorted(after) for edge, after in sorted(ways.items())}
    rng = random.Random(seed)
    edges = list(listed)
    lines = ["<routes>"]
    for k in range(vehicles):
        walk = [rng.choice(edges)]
        while len(walk) < ROUTE_EDGES:
            walk.append(rng.choice(listed[walk[-1]]))
        lines.append(
            f'<vehicle id="{k}" depart="0" departPos="random_free" departLane="random" departSpeed="0">'
            f'<route edges="{" ".join(walk)}"/></vehicle>'
        )
    path.write_text("\n".join([*lines, "</routes>"]), encoding="utf-8")


if __name__ == "__main__":
    print(json.dumps(measure(*(int(word) for word in sys.argv[1:6]))))
