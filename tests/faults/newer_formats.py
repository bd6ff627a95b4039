"""More formats that are read: lines, obstacles, meshes, demands, vehicles, searches, packets of others."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np

from swerve.core.errors import BadInput

LINE = "x_m,y_m\n" + "".join(
    f"{60 * np.cos(a):.3f},{40 * np.sin(a):.3f}\n" for a in np.linspace(0, 2 * np.pi, 40, endpoint=False)
)
MESH = """o place
v 0 0 0
v 30 0 0
v 30 1 20
v 0 0 20
f 1 4 3
f 1 3 2
"""
DEMAND = """flows:
  - {name: rush, from: {x: 10, y: -2}, to: out, per_hour: 400, end: 60, spacing: even, type: suv}
trips:
  - {name: late, depart: 5, from: in, to: {strip: 3, station: 4}}
"""


def make_newer(folder: Path) -> None:
    """A small file of each."""
    for name, text in {
        "obstacles.csv": "x,y,radius\n10,2,0.5\n14,-1,1.5\n",
        "path.csv": "x,y,right,left\n0,0,2,2\n20,1,2,2\n40,8,3,2\n60,9,2,2\n",
        "line.csv": LINE,
        "mesh.obj": MESH,
        "demand.yaml": DEMAND,
        "vehicle.yaml": "mass: 1500\nfriction: 0.9\nforce_curve: [[0, 6000], [40, 2000]]\n",
    }.items():
        (folder / name).write_text(text)
    (folder / "search.npz").write_bytes(_search())
    for name, data in _packets().items():
        (folder / name).write_bytes(data)


@cache
def _search() -> bytes:
    import tempfile

    from swerve.tactics import Search, load_domain

    with tempfile.TemporaryDirectory() as folder:
        search = Search(load_domain("pool"), seed=1).grow(nodes=60)
        return search.save(Path(folder) / "search.npz").read_bytes()


@cache
def _packets() -> dict[str, bytes]:
    from swerve.city.cigi.packets import datagrams, ig_control, view_control

    made = {"host.cigi": next(datagrams(ig_control(1, 0, 0.5), [view_control(3)]))}
    try:
        from swerve.soccer.eyes.merge import Sighting
        from swerve.soccer.eyes.pitch import pitch_named
        from swerve.soccer.league import Ruling, geometry, referee, sighted

        seen = Sighting({(0, 3): np.array([1.0, -2.0, 0.5])}, np.array([0.25, 0.125]))
        made["seen.packet"] = sighted(7, 1.5, seen)
        made["field.packet"] = geometry(pitch_named("division-b"))
        made["ruling.packet"] = referee(Ruling(1, 16, 9, 2.0, (3, 1), placement=np.array([1.0, -0.5])), 2.5)
    except ImportError:
        pass
    return made


def newer_readers() -> dict[str, Callable[[Path], object]]:
    """Who reads which of them."""
    from swerve.city import load_demand
    from swerve.city.cigi.packets import read_message
    from swerve.city.ground.mesh_read import read_obj
    from swerve.riders.steering.curves import Course
    from swerve.riders.steering.obstacles import read_obstacles
    from swerve.soccer.league import read_detection, read_geometry, read_referee
    from swerve.tactics import Search, load_domain
    from swerve.terrain.rounding import read_line
    from swerve.terrain.vehicle import Vehicle

    def host(path: Path) -> object:
        try:
            return read_message(path.read_bytes())
        except ValueError as error:  # whoever listens drops the message
            raise BadInput("message", None, str(error)) from error

    return {
        "obstacles.csv": read_obstacles,
        "path.csv": Course.read,
        "line.csv": read_line,
        "mesh.obj": read_obj,
        "demand.yaml": load_demand,
        "vehicle.yaml": Vehicle.read,
        "search.npz": lambda path: Search.load(path, load_domain("pool")).grow(nodes=20).plan(),
        "host.cigi": host,
        "seen.packet": lambda path: read_detection(path.read_bytes()),
        "field.packet": lambda path: read_geometry(path.read_bytes()),
        "ruling.packet": lambda path: read_referee(path.read_bytes()),
    }
