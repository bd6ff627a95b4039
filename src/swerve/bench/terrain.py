"""Speed profiles against toppra and trajectory_planning_helpers, laps against CasADi, each in the same run.

The path is a planar circuit of 1,000 points. Ours and calc_vel_profile drive it as a lap that repeats, with a
friction circle; toppra, which knows neither, drives the same points once from rest to rest with limits of
each axis, the nearest it can express. The peak friction use says how honest each result is: above
one, the tyres are asked for more than there is. Every time is the best of the same number of repetitions, and
told twice: of the speeds alone, with everything made ready before, and from the bare points.

Laps: the time of our line and of CasADi's, both by our profile, and what each took to find; CasADi's building
of its problem is told apart.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
import time
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from swerve.core.errors import BadInput
from swerve.terrain import SurfacePath, Terrain, Vehicle, speed_profile
from swerve.terrain.circuit import Circuit, warm_up

from .plain_lap import collocated_line

REPEATS = 10  # of every measurement, ours and theirs
POINTS = 1000
GRIP = 7.0  # [m/s²]
DRIVE = 4.0  # [m/s²]
FAST = 60.0  # [m/s]


def run(circuits: Path | None = None) -> dict[str, Any]:
    """One run of all; a peer that is not installed is reported as such with the way to install it. `circuits`
    is a file or a folder of files with circuits for the laps; without it two are made up."""
    tracks = _circuits(circuits)
    road = _road()
    path = SurfacePath.from_points(road, closed=True)
    planar = _planar_car()
    seconds, profile = best_of(lambda: speed_profile(path, planar), REPEATS)
    whole, _ = best_of(lambda: speed_profile(SurfacePath.from_points(road, closed=True), planar), REPEATS)
    hilly = SurfacePath.from_controls(_hills(), _hill_way(), POINTS)
    full = Vehicle(engine_force=6000.0)
    seconds_3d, profile_3d = best_of(lambda: speed_profile(hilly, full), REPEATS)
    result: dict[str, Any] = {
        "points": POINTS,
        "repeats": REPEATS,
        "ms_profile": 1e3 * seconds,
        "ms_profile_from_points": 1e3 * whole,
        "ms_profile_3d": 1e3 * seconds_3d,
        "ratio_3d_to_planar": seconds_3d / seconds,
        "time_profile": profile.time,
        "peak_friction_use": recomputed_friction_use(path, planar, profile.speed, True),
        "peak_friction_use_3d": recomputed_friction_use(hilly, full, profile_3d.speed),
        "feasible_3d": profile_3d.feasible,
    }
    missing = []
    for name, peer in (("toppra", _toppra), ("calc_vel_profile", _calc_vel_profile)):
        try:
            ready, from_points, speed, closed = peer(path, road)
        except ImportError as error:
            missing.append(f"{name}: {error}; {HOW_TO_INSTALL[name]}")
            result |= {f"ms_{name}": None, f"ratio_{name}": None, f"ratio_{name}_from_points": None}
            continue
        result |= {
            f"ms_{name}": 1e3 * ready,
            f"ratio_{name}": ready / seconds,
            f"ratio_{name}_from_points": from_points / whole,
            f"peak_friction_use_{name}": recomputed_friction_use(path, planar, speed, closed),
        }
    try:
        result["casadi"] = laps(tracks)
    except ImportError as error:
        missing.append(f"casadi: {error}; {HOW_TO_INSTALL['casadi']}")
        result["casadi"] = None
    result["missing"] = missing
    if missing:
        result["not_measured"] = "; ".join(missing)
    return result


def laps(tracks: list[Circuit]) -> dict[str, dict[str, Any]]:
    """By circuit: both laps [s] by our profile at the same spacing, theirs also by its line judged as ours is
    (`theirs_judged`: every 0.25 m, which shows what bends between its nodes), and the seconds each took."""
    car = Vehicle.racing_car()
    warm_up()
    found = {}
    for track in tracks:
        ours, theirs = track.fastest_line(car), collocated_line(track, car)
        lap = theirs.profile(car).time
        found[track.name] = {
            "ours_lap": ours.profile.time,
            "theirs_lap": lap,
            "theirs_judged": track.judged(theirs.line, car).time,
            "ours_s": ours.seconds,
            "theirs_s": theirs.seconds,
            "theirs_build_s": theirs.seconds_to_build,
            "percent_above": 100 * (ours.profile.time / lap - 1),
            "ours_least_margin": ours.least_margin,
            "theirs_solved": theirs.solved,
        }
    return found


def _circuits(place: Path | None) -> list[Circuit]:
    if place is None:
        return [_ring("bean", 150.0, (3, 50.0), (2, 15.0)), _ring("star", 220.0, (5, 60.0), (2, 30.0))]
    files = sorted(f for f in place.glob("*.csv") if "_line" not in f.name) if place.is_dir() else [place]
    files = [file for file in files if not place.is_dir() or _is_circuit(file)]
    if not files:
        raise BadInput("--circuits", str(place), "holds no circuit (CSV with x, y and both widths)")
    return [Circuit.read(file) for file in files]


def _is_circuit(file: Path) -> bool:
    try:
        return len(Circuit.read(file).centre) > 0
    except BadInput:
        return False


def _ring(name: str, radius: float, *waves: tuple[int, float]) -> Circuit:
    """A closed road 11 m wide with bends either way."""
    a = np.linspace(0.0, 2 * np.pi, 240, endpoint=False)
    r = radius + sum(size * np.cos(count * a + count) for count, size in waves)
    return Circuit(
        np.column_stack([r * np.cos(a), r * np.sin(a), 0 * a]), np.full(240, 6.0), np.full(240, 5.0), name
    )


def _planar_car() -> Vehicle:
    mass = 1200.0
    return Vehicle(
        mass=mass,
        engine_force=DRIVE * mass,
        brake_force=2 * GRIP * mass,
        friction=GRIP / 9.81,
        height_to_half_width=0.0,
        max_steer=np.pi / 2,
        top_speed=FAST,
    )


HOW_TO_INSTALL = {
    "toppra": "pip install 'swerve[bench]'",
    "casadi": "pip install 'swerve[bench]'",
    "calc_vel_profile": "pip install --no-deps trajectory-planning-helpers",
}


def best_of(action: Callable[[], Any], times: int) -> tuple[float, Any]:
    """Shortest of several runs after one that compiles, and the last result."""
    result = action()
    best = np.inf
    for _ in range(times):
        started = time.perf_counter()
        result = action()
        best = min(best, time.perf_counter() - started)
    return float(best), result


def recomputed_friction_use(
    path: SurfacePath, vehicle: Vehicle, speed: np.ndarray, closed: bool = False
) -> float:
    """Peak friction use at both ends of every step, from points, normals and speeds alone."""
    g = path.geometry
    x = speed**2
    here = np.arange(len(x) if closed else len(x) - 1)
    there = (here + 1) % len(x)
    a = (x[there] - x[here]) / (2 * g[here, 6])
    side = vehicle.gravity * g[:, 1] + g[:, 3] * x
    normal = vehicle.gravity * g[:, 2] + g[:, 4] * x
    along = vehicle.gravity * g[:, 0] + vehicle.drag / vehicle.mass * x
    grip = vehicle.friction * g[:, 5] * normal
    ends = [np.hypot(a + along[k], side[k]) / grip[k] for k in (here, there)]
    return float(np.max(ends))


def _road() -> np.ndarray:
    """(1000, 2) a closed circuit of about 2 km with bends either way, evenly spaced."""
    a = np.linspace(0.0, 2 * np.pi, 20001)
    radius = 280 + 60 * np.cos(3 * a) + 35 * np.sin(5 * a)
    line = np.column_stack([radius * np.cos(a), radius * np.sin(a)])
    along = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(line, axis=0).T))])
    even = np.linspace(0.0, along[-1], POINTS, endpoint=False)
    return np.column_stack([np.interp(even, along, line[:, k]) for k in (0, 1)])


def _hills() -> Terrain:
    return Terrain.from_function(
        lambda x, y: 30 * np.sin(x / 150) * np.cos(y / 170) + 8 * np.sin(x / 60 + y / 80),
        (1000.0, 1000.0),
        20.0,
    )


def _hill_way() -> list[list[float]]:
    return [[50, 50], [200, 250], [350, 260], [480, 420], [650, 500], [700, 700], [850, 820], [950, 950]]


def _toppra(path: SurfacePath, road: np.ndarray) -> tuple[float, float, np.ndarray, bool]:
    """Seconds of the speeds alone and from the points, the speeds, and whether they close the lap."""
    import logging

    import toppra as ta
    import toppra.algorithm as algo
    import toppra.constraint as constraint

    logging.getLogger("toppra").setLevel(logging.ERROR)
    limits = constraint.JointAccelerationConstraint(np.array([[-GRIP, GRIP]] * 2))
    speeds = constraint.JointVelocityConstraint(np.array([[-FAST, FAST]] * 2))

    def instance() -> Any:
        spline = ta.SplineInterpolator(path.distance, road)
        return algo.TOPPRA([speeds, limits], spline, gridpoints=path.distance, solver_wrapper="seidel")

    made = instance()
    ready, (_, pace, _) = best_of(lambda: made.compute_parameterization(0, 0), REPEATS)
    from_points, _ = best_of(lambda: instance().compute_parameterization(0, 0), REPEATS)
    return ready, from_points, np.asarray(pace), False


def _calc_vel_profile(path: SurfacePath, road: np.ndarray) -> tuple[float, float, np.ndarray, bool]:
    """The same; it is given our geometry, whose making counts from the points. Its lap does not close: the
    step over the seam is left out."""
    calc = _load_calc_vel_profile()
    ggv = np.array([[0.0, GRIP, GRIP], [FAST + 10, GRIP, GRIP]])
    machines = np.array([[0.0, DRIVE], [FAST + 10, DRIVE]])

    def solve(way: SurfacePath) -> Any:
        return calc(
            ax_max_machines=machines,
            kappa=way.geodesic_curvature,
            el_lengths=way.geometry[:, 6],
            closed=True,
            drag_coeff=0.0,
            m_veh=1200.0,
            ggv=ggv,
            v_max=FAST,
            dyn_model_exp=2.0,
        )

    ready, speed = best_of(lambda: solve(path), REPEATS)
    from_points, _ = best_of(lambda: solve(SurfacePath.from_points(road, closed=True)), REPEATS)
    return ready, from_points, np.asarray(speed), False


def _load_calc_vel_profile() -> Callable[..., Any]:
    """The function, also where the package's own start fails because its solver did not build."""
    name = "trajectory_planning_helpers"
    try:
        module = importlib.import_module(f"{name}.calc_vel_profile")
    except ImportError:
        found = importlib.util.find_spec(name)
        if found is None or not found.submodule_search_locations:
            raise ImportError(f"{name} is not installed") from None
        for stale in [key for key in sys.modules if key == name or key.startswith(f"{name}.")]:
            del sys.modules[stale]
        package = types.ModuleType(name)
        package.__path__ = list(found.submodule_search_locations)
        sys.modules[name] = package
        # the package calls its parts by their full names
        package.conv_filt = importlib.import_module(f"{name}.conv_filt")  # type: ignore[attr-defined]
        module = importlib.import_module(f"{name}.calc_vel_profile")
    function: Callable[..., Any] = module.calc_vel_profile
    return function
