"""One plan for every wing: its shapes hold, its columns have names, it keeps in a file, it can be drawn."""

from functools import cache

import numpy as np
import pytest
from PIL import Image

from swerve.cli.main import run
from swerve.core.plan import Plan


def race():
    from swerve.race import Setting, load_track, load_tree
    from swerve.race.drive import drive

    return drive(load_track("long-straight"), load_tree("five"), Setting(cars=0, seconds=8.0)).plan()


def tactics():
    from swerve.tactics import load_domain, solve

    return solve(load_domain("navigation"), "rrt", seed=1)


def hill():
    from swerve.terrain import Terrain, Vehicle, fastest_path
    from swerve.terrain.fastest import PathOptions

    y, x = np.mgrid[0:9, 0:9] * 12.5
    ground = Terrain.from_heights(0.1 * x + 4 * np.sin(y / 25), 12.5, name="slope")
    car = Vehicle()
    options = PathOptions(grid=(3, 3), paths=4, keep=1)
    return fastest_path(ground, (5, 5), (95, 60), car, options=options), car


def terrain():
    routes, car = hill()
    return routes.best.plan(car)


def circuit():
    from swerve.terrain import Vehicle
    from swerve.terrain.circuit import Circuit

    a = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    ring = np.column_stack([60 * np.cos(a), 40 * np.sin(a), 0 * a])
    car = Vehicle.racing_car()
    return Circuit(ring, np.full(60, 4.0), np.full(60, 4.0)).fastest_line(car).plan(car)


def riders():
    from swerve.riders import load_map
    from swerve.riders.maps.glide import Glide
    from swerve.riders.steering.curves import curve
    from swerve.riders.steering.follow import follow, starts_beside
    from swerve.riders.steering.tune import load_tuned

    map_ = load_map("human")
    way = curve(4, map_.speed)
    steering = load_tuned("human").navigator(map_, "path", 1)
    return follow(Glide(map_, 1), map_.speed, [way], steering, starts_beside([way], 0)).plan()


def herd():
    from swerve.riders import load_map
    from swerve.riders.maps.glide import Glide
    from swerve.riders.steering.herd import herd as ride
    from swerve.riders.steering.herd import scatter
    from swerve.riders.steering.tune import load_tuned

    map_ = load_map("human")
    steering = load_tuned("human").navigator(map_, "herd", 1)
    return ride(Glide(map_, 4), map_.speed, steering, scatter(4, 0), 3.0).plan(rider=2)


def city():
    from swerve.city import Simulation, SimulationOptions, grid

    simulation = Simulation(grid(3, 2), vehicles=5, seed=3, options=SimulationOptions(record=True))
    for _ in range(50):
        simulation.step()
    return simulation.plan(int(simulation.traffic.ids[1]))


CONTROLS = {
    race: {"steer", "throttle", "brake_input"},
    tactics: {"robot.fx", "robot.fy", "robot.torque"},
    terrain: {"acceleration", "drive_force"},
    circuit: {"acceleration", "drive_force"},
    riders: {"turn", "target_speed"},
    herd: {"target_heading", "target_speed"},
    city: {"acceleration", "steer"},
}
made = cache(lambda maker: maker())


@pytest.mark.parametrize("maker", CONTROLS, ids=lambda maker: maker.__name__)
def test_a_plan_of_every_wing_holds_keeps_and_is_drawn(maker, tmp_path, capsys):
    plan = made(maker)
    n = len(plan.times)
    assert n > 10 and plan.status.usable
    assert plan.states.shape == (n, len(plan.columns))
    assert plan.controls.shape == (n - 1, len(plan.control_columns))
    assert CONTROLS[maker] <= set(plan.control_columns)
    for name in ("x", "y", "heading"):
        assert plan[name].shape == (n,) and np.isfinite(plan[name]).all()
    back = Plan.load(plan.save(tmp_path / "plan.parquet"))
    for name in ("times", "states", "controls"):
        assert getattr(back, name).tobytes() == getattr(plan, name).tobytes()
    assert (back.columns, back.control_columns, back.status) == (
        plan.columns,
        plan.control_columns,
        plan.status,
    )
    assert run(["show", str(tmp_path / "plan.parquet"), "--as", "png"]) == 0
    picture = Image.open(capsys.readouterr().out.strip())
    assert min(picture.size) > 500 and len(picture.convert("RGB").getcolors(1 << 24)) > 50


def test_a_plan_becomes_a_page_too(tmp_path, capsys):
    path = made(circuit).save(tmp_path / "lap.parquet")
    assert run(["show", str(path)]) == 0
    assert (tmp_path / "lap.html").read_text().startswith("<!doctype html>")


@pytest.mark.parametrize("maker", [riders, city, terrain], ids=lambda maker: maker.__name__)
def test_the_heading_is_where_the_body_goes(maker):
    plan = made(maker)
    gone = np.diff(plan["x"]) + 1j * np.diff(plan["y"])
    moving = np.abs(gone) > 0.05
    off = np.angle(gone * np.exp(-1j * (plan["heading"][1:] + plan["heading"][:-1]) / 2))
    # the middle of a car that steers by 30° goes 16° beside where it points
    assert np.abs(off[moving]).max() < (0.29 if maker is terrain else 0.2)


def test_acceleration_is_held_from_each_time_to_the_next():
    for plan in (made(city), made(terrain)):
        gain = np.diff(plan["speed"])
        steer = plan["steer"] if plan.meta["wing"] == "city" else np.zeros(len(gain))
        told = plan["acceleration"] * np.diff(plan.times)
        straight = (np.abs(steer) < 1e-6) & (plan["speed"][1:] > 0)
        np.testing.assert_allclose(gain[straight], told[straight], atol=1e-2)
        assert np.abs(told).max() > 0.05


def test_a_lap_ends_where_it_began():
    plan = made(circuit)
    assert plan.states[-1, :3] == pytest.approx(plan.states[0, :3])
    assert plan["heading"][-1] - plan["heading"][0] == pytest.approx(2 * np.pi)


def test_pitch_on_a_grade_is_the_slope_and_the_body_stands_on_it():
    from swerve.core.attitude import angles

    routes, car = hill()
    recording = routes.best.recording(car)
    q = np.column_stack([recording[name] for name in ("qw", "qx", "qy", "qz")]).astype(float)
    yaw, pitch, roll = angles(q)
    path = routes.best.path
    at = np.array([np.argmin(np.hypot(path.points[:, 0] - x, path.points[:, 1] - y))
                   for x, y in zip(recording["x"], recording["y"], strict=True)])  # fmt: skip
    # the hill's slope in the direction in which the car points, which in a bend is not that of its way
    rise = 0.1 * np.cos(yaw) + 4 / 25 * np.cos(np.asarray(recording["y"]) / 25) * np.sin(yaw)
    np.testing.assert_allclose(np.tan(pitch), rise, atol=0.03)
    assert np.abs(pitch).max() > 0.05 and np.abs(roll).max() > 0.02
    above = recording["z"] - path.points[at, 2]
    np.testing.assert_allclose(above, recording["height"] / 2, atol=0.12)
    plan = routes.best.plan(car)
    np.testing.assert_allclose(np.interp(recording["t"], plan.times, plan["pitch"]), pitch, atol=0.02)
