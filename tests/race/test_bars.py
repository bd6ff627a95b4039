"""What the race wing promises, over many seeds: `SWERVE_RACE_SEEDS=20 pytest -s tests/race/test_bars.py`.

By default nothing of it runs: cheaper siblings are in `test_course`, `test_rivals` and `test_estimate`. What
touches is judged apart from the product (`plain_shapes`). `SWERVE_RACE_FIRST` is the first seed.
"""

import os

import numpy as np
import pytest

from plain_shapes import touches_anything
from swerve.race import (
    Drive,
    Entry,
    Reality,
    Setting,
    Track,
    drive,
    load_car,
    load_track,
    load_tree,
    plan_course,
)
from swerve.race.car import LENGTH, MAX_STEER_RATE, WIDTH
from swerve.race.cars import tree_for
from swerve.race.driven import steering_figures

SEEDS, FIRST = int(os.environ.get("SWERVE_RACE_SEEDS", "0")), int(os.environ.get("SWERVE_RACE_FIRST", "8100"))
SIZE = (LENGTH, WIDTH)
CIRCUITS = ("Norisring", "Monza", "Budapest", "Silverstone")
pytestmark = pytest.mark.skipif(SEEDS == 0, reason="SWERVE_RACE_SEEDS is not set")


def untouched(result: Drive) -> bool:
    poses = result.traffic.poses[:, : len(result.states)]
    return not touches_anything(result.states[:, :3], SIZE, result.track.segments, poses, SIZE)


def told(result: Drive, seed: object = "") -> bool:
    hands, p99 = steering_figures(result.controls), np.percentile(result.plan_ms, 99)
    good = result.finished and untouched(result)
    assert hands["steer_rate_max"] <= MAX_STEER_RATE + 1e-6
    print(
        f"{result.track.name} {seed}: {'good' if good else 'BAD'} {result.seconds:.2f} s, p99 {p99:.1f} ms, "
        f"{hands['steer_reversals_per_second']:.2f} reversals/s"
    )
    return bool(good)


def most(results: list[bool]) -> bool:
    return sum(results) >= 0.95 * len(results)


@pytest.mark.parametrize("place", ["final", "sharp-cornered", "Norisring", "Budapest"])
def test_physics(place, large, request):
    if place in CIRCUITS:
        place = str(request.getfixturevalue("shared_data") / "circuits" / f"{place}.csv")
    entry = Entry(reality=Reality(True, latency=0.1, noise=0.1, mismatch=0.1))
    track = load_track(place)
    assert most([told(drive(track, large, seed=FIRST + k, entry=entry), FIRST + k) for k in range(SEEDS)])


@pytest.mark.parametrize("place", ["cornered", "final"])
def test_surprising_rivals(place, large):
    track, setting = load_track(place), Setting(rivals="surprising")
    assert most([told(drive(track, large, setting, FIRST + k), FIRST + k) for k in range(SEEDS)])


def test_final(large):
    results = [told(drive(load_track("final"), large, seed=FIRST + k), FIRST + k) for k in range(SEEDS)]
    assert all(results)


@pytest.mark.parametrize("name", CIRCUITS)
def test_circuits(name, shared_data):
    course = plan_course(load_track(str(shared_data / "circuits" / f"{name}.csv")))
    line = np.loadtxt(shared_data / "circuits" / f"{name}_min_curvature_line.csv", delimiter=",")[:, :2]
    given = plan_course(course.track, line=line)
    print(f"{name}: {course.seconds:.2f} s, bound {course.bound:.2f}, given {given.tried}, {given.bound:.2f}")
    assert course.touches == 0 and course.seconds < 1.08 * min(course.bound, given.bound)
    assert given.seconds <= course.seconds


@pytest.mark.parametrize("way", [1, -1])
@pytest.mark.parametrize("radius", [20.0, 35.0, 60.0, 85.0, 110.0])
def test_steady_bends(radius, way, large):
    angle = way * np.linspace(0.0, 2 * np.pi, int(2 * radius), endpoint=False)
    ring = radius * np.column_stack([np.cos(angle), np.sin(angle)])
    track = Track.from_centre("ring", ring, 5.0, 5.0, closed=True)
    result = drive(track, large, Setting(laps=3))
    flying = steering_figures(result.controls[len(result.controls) // 3 :])
    assert told(result, radius * way) and flying["steer_reversals_per_second"] < 0.5


@pytest.mark.parametrize("place", ["long-straight", "cornered", "sharp-cornered", "final", "yard"])
@pytest.mark.parametrize("name", ["heavy", "ice"])
def test_other_cars(name, place):
    car = load_car(name)
    result = drive(load_track(place), tree_for(car), Setting(seconds=600.0), FIRST, entry=Entry(car=car))
    assert told(result, name)


@pytest.mark.parametrize("way", [1, -1])
@pytest.mark.parametrize("radius", [20.0, 25.0, 35.0, 46.0, 60.0, 85.0, 110.0])
def test_the_tree_bends_on_rings(radius, way):
    angle = way * np.linspace(0.0, 2 * np.pi, int(2 * radius), endpoint=False)
    ring = radius * np.column_stack([np.cos(angle), np.sin(angle)])
    track = Track.from_centre("ring", ring, 5.0, 5.0, closed=True)
    bends = load_tree("bends")
    result, line = (drive(track, bends, Setting(laps=3, planner=kind)) for kind in ("tree", "line"))
    flying = steering_figures(result.controls[len(result.controls) // 3 :])["steer_reversals_per_second"]
    print(f"flying {flying:.2f} reversals/s, {result.seconds / line.seconds:.3f} of the time by line")
    assert told(result, radius * way) and flying < 0.5
