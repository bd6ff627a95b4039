"""The grid search against enumeration, local optimisation, the whole search, and input that cannot work."""

import itertools

import numpy as np
import pytest
from plain_paths import FLAT, HILL
from walls import touches

from swerve.core.errors import BadInput
from swerve.core.recording import Recording
from swerve.terrain import (
    PathOptions,
    SurfacePath,
    Terrain,
    Trouble,
    Vehicle,
    fastest_path,
    rectangle,
    speed_profile,
)
from swerve.terrain.costs import DISTANCE, ENERGY, TIME
from swerve.terrain.evaluate import PathProblem
from swerve.terrain.fastest import barriers
from swerve.terrain.grid import GridSearch
from swerve.terrain.lattice import GENTLE
from swerve.terrain.measure import TROUBLED
from swerve.terrain.refine import refine
from swerve.terrain.scenes import scene, watched_from

MOUNTAIN = scene("mountain")


@pytest.fixture(scope="module")
def found():
    """The whole of example B, once."""
    return fastest_path(MOUNTAIN.terrain, MOUNTAIN.start, MOUNTAIN.goal, MOUNTAIN.vehicle)


def enumerated(search, most):
    """All simple gentle ways with at most `most` edges, by brute force: sorted costs."""
    costs = []

    def walk(edge, cost, seen):
        head = int(search.edges[edge, 1])
        if head == search.goal:
            costs.append(cost)
            return
        if len(seen) > most:
            return
        for f in np.flatnonzero(search.edges[:, 0] == head):
            there = int(search.edges[f, 1])
            one, two = (
                search.nodes[search.edges[e, 1]] - search.nodes[search.edges[e, 0]] for e in (edge, f)
            )
            gentle = one @ two >= np.cos(GENTLE) * np.linalg.norm(one) * np.linalg.norm(two) - 1e-12
            if there not in seen and gentle:
                walk(f, cost + search.costs[f], seen | {there})

    for e in np.flatnonzero(search.edges[:, 0] == search.start):
        walk(e, search.costs[e], {search.start, int(search.edges[e, 1])})
    return np.sort(costs)


@pytest.mark.parametrize("cost", ["time", "distance", "energy"])
def test_k_best_are_the_best_by_enumeration(cost):
    search = GridSearch(HILL, Vehicle(engine_force=9000), (20, 480), (980, 530), (4, 4), cost)
    best = search.best(25)
    assert [way.cost for way in best] == pytest.approx(enumerated(search, 9)[:25])
    for way in best:
        assert way.points[0] == pytest.approx([20, 480]) and way.points[-1] == pytest.approx([980, 530])
        assert len({tuple(p) for p in way.points}) == len(way.points)


def test_ways_through_every_point_are_best_through_it():
    search = GridSearch(HILL, Vehicle(engine_force=9000), (20, 20), (980, 980), (4, 4))
    best = search.best(200)
    for way in search.through_every_point():
        assert any(np.array_equal(way.points, b.points) for b in best if b.cost <= way.cost + 1e-9)


def test_edge_costs_are_lower_bounds():
    """No profile along a straight edge is faster than the edge's cost."""
    search = GridSearch(HILL, Vehicle(), (20, 20), (980, 980), (6, 6))
    for e in range(0, len(search.edges), 9):
        ends = search.nodes[search.edges[e]]
        profile = speed_profile(SurfacePath.from_controls(HILL, ends, 200), Vehicle())
        if profile.feasible:
            assert profile.time >= search.costs[e] * 0.999


def test_measures_equal_the_profile():
    controls = np.array([[50, 60], [300, 250], [500, 200], [800, 500], [950, 900]])
    for cost in ("time", "energy", "time+1e-5*energy"):
        problem = PathProblem(HILL, Vehicle(engine_force=6000), cost)
        measured = problem.measures(controls[None])[0]
        _, profile = problem.judged(controls)
        assert measured[TIME] == pytest.approx(profile.time, rel=1e-9)
        assert measured[ENERGY] == pytest.approx(profile.energy, rel=1e-9)
        assert measured[DISTANCE] == pytest.approx(profile.length, rel=1e-9)
        assert measured[TROUBLED] == 0 and problem.evaluated == 1


@pytest.mark.parametrize("method", ["quasi-newton", "pattern"])
def test_refinement_straightens_a_way_on_flat_ground(method):
    """On flat ground the fastest way is straight, with a known time."""
    crooked = np.array([[100, 100], [300, 450], [550, 380], [700, 800], [900, 900.0]])
    problem = PathProblem(FLAT, Vehicle(), scale=50.0)
    refined = refine(problem, crooked, method)
    length = np.hypot(800, 800)
    braking = min(7.5, 0.7 * 9.81)
    exact = np.sqrt(2 * length * (1 / 1.5 + 1 / braking))
    before = problem.smooth(crooked[None])[0]
    assert before > 1.05 * exact
    assert problem.measures(refined.controls[None])[0, TIME] == pytest.approx(exact, rel=0.01)
    assert refined.controls[[0, -1]] == pytest.approx(crooked[[0, -1]])


def test_any_cost_can_be_given():
    """A function of path and profile: stay in the south."""
    ways = fastest_path(
        FLAT,
        (100, 500),
        (900, 500),
        Vehicle(),
        cost=lambda path, profile: profile.time + 0.2 * float(np.maximum(path.points[:, 1] - 400, 0).mean()),
        options=PathOptions(grid=(4, 4), paths=3, keep=1),
    )
    assert ways.best.path.points[:, 1].mean() < 470
    straight = fastest_path(
        FLAT, (100, 500), (900, 500), Vehicle(), options=PathOptions(grid=(4, 4), paths=3, keep=1)
    )
    assert straight.best.path.points[:, 1].mean() == pytest.approx(500, abs=10)


def test_example_b_finds_close_distinct_optima(found):
    times = [route.profile.time for route in found.found]
    assert times == sorted(times) and len(times) >= 2
    assert times[1] <= 1.03 * times[0]
    for one, other in itertools.pairwise(found.found[:3]):
        gap = np.abs(one.path.points[:, None, :2] - other.path.points[None, :, :2]).sum(-1).min(1).max()
        assert gap > 50
    for route in found.found:
        assert route.feasible and route.profile.peak_friction_use <= 1.005
    assert found.best.profile.time < 0.95 * min(c.profile.time for c in found.candidates)


def test_what_gets_stuck_where_most_do_not_costs_little(found):
    """Finding: looks around five stuck ways cost a quarter of all profiles; none of them led anywhere."""
    assert found.stats["profiles_evaluated"] < 10_500  # processors round differently: 8,800 to 9,500


@pytest.mark.long
def test_where_most_ways_get_stuck_they_are_looked_around():
    drawn = np.random.default_rng(4).uniform([50, 50, 25, 50], [450, 450, 70, 100], (9, 4))

    def height(x, y):
        return np.sum([h * np.exp(-((x - a) ** 2 + (y - b) ** 2) / s**2) for a, b, h, s in drawn], axis=0)

    ground = Terrain.from_function(height, (500.0, 500.0), 25.0)
    few = PathOptions(grid=(5, 5), paths=6, keep=3)
    assert fastest_path(ground, (20, 20), (480, 480), Vehicle(), options=few).best.cost < 45.9


def test_a_route_becomes_a_plan_and_a_recording(found, tmp_path):
    plan = found.best.plan()
    assert plan.solved and plan.duration == pytest.approx(found.best.profile.time)
    file = found.best.recording(MOUNTAIN.vehicle, {"scene": "mountain"}).write(tmp_path / "drive.parquet")
    drive = Recording.read(file)
    moved = np.hypot(*(np.diff(drive[k]) for k in "xy"))
    assert moved.sum() == pytest.approx(found.best.profile.length, rel=0.02)
    assert drive["z"].min() > MOUNTAIN.terrain.heights.min() and drive.meta["scene"] == "mountain"


def test_obstacles_make_it_longer_and_are_kept_clear_of(found):
    place = scene("mountain-obstacles")
    routes = fastest_path(
        place.terrain, place.start, place.goal, place.vehicle, options=PathOptions(paths=30, keep=4)
    )
    assert routes.feasible and routes.best.profile.time > found.best.profile.time
    length, width, _ = place.vehicle.size
    closed = [np.array(region.corners) for region in place.terrain.regions if region.mobility == 0]
    for route in routes.found:  # finding: a block was passed at 0.47 m by a car 2 m wide
        assert not touches(route.path.points[:, :2], closed, length, width)


def test_the_shortest_path_cannot_be_driven_and_says_why():
    routes = fastest_path(
        MOUNTAIN.terrain,
        MOUNTAIN.start,
        MOUNTAIN.goal,
        MOUNTAIN.vehicle,
        cost="distance",
        options=PathOptions(paths=40),
    )
    assert not routes.feasible
    i, why = routes.best.profile.first_trouble
    assert why in (Trouble.TIPS_OVER, Trouble.SLIDES, Trouble.STALLS)
    assert np.hypot(*(routes.best.path.points[i, :2] - 500)) < 250  # on the peak in the middle
    assert routes.reason == routes.best.profile.explain()
    drivable = fastest_path(
        MOUNTAIN.terrain,
        MOUNTAIN.start,
        MOUNTAIN.goal,
        MOUNTAIN.vehicle,
        cost="distance",
        options=PathOptions(paths=40, must_drive=True),
    )
    assert drivable.feasible and drivable.best.path.length > routes.best.path.length


def test_exposure_goes_where_it_is_not_seen(found):
    ground = watched_from(MOUNTAIN.terrain, (700, 760))
    hidden = fastest_path(
        ground,
        MOUNTAIN.start,
        MOUNTAIN.goal,
        MOUNTAIN.vehicle,
        cost="exposure",
        options=PathOptions(paths=30, keep=3),
    )
    problem = PathProblem(ground, MOUNTAIN.vehicle, "exposure")
    seen = problem.base(found.best.path.controls[None], problem.measures(found.best.path.controls[None]))[0]
    assert hidden.feasible and hidden.best.cost < seen


@pytest.mark.parametrize("method", ["quasi-newton", "pattern"])
def test_the_same_question_gets_the_same_answer(method):
    answers = [
        fastest_path(
            HILL,
            (20, 20),
            (980, 980),
            Vehicle(),
            options=PathOptions(paths=10, keep=2, method=method, grid=(5, 5)),
        )
        for _ in range(2)
    ]
    assert np.array_equal(answers[0].best.path.points, answers[1].best.path.points)


def test_places_that_cannot_be_used_are_named():
    with pytest.raises(BadInput, match=r"start.*outside.*-5"):
        fastest_path(FLAT, (-5, 0), (900, 900), Vehicle())
    with pytest.raises(BadInput, match=r"goal.*obstacle"):
        fastest_path(FLAT.with_regions(rectangle(800, 800, 1000, 1000)), (10, 10), (900, 900), Vehicle())
    with pytest.raises(BadInput, match="goal"):
        fastest_path(FLAT, (10, 10), (10, 10), Vehicle())
    with pytest.raises(BadInput, match="start"):
        fastest_path(FLAT, (float("nan"), 10), (10, 10), Vehicle())
    with pytest.raises(BadInput, match="cost"):
        fastest_path(FLAT, (10, 10), (900, 900), Vehicle(), cost="beauty")
    with pytest.raises(BadInput, match="exposure"):
        fastest_path(FLAT, (10, 10), (900, 900), Vehicle(), cost="exposure")


def test_a_goal_behind_a_wall_is_reported():
    walled = FLAT.with_regions(rectangle(-10, 480, 1010, 520))
    routes = fastest_path(walled, (100, 100), (900, 900), Vehicle())
    assert not routes.feasible and not routes.found and "separate" in routes.reason
    with pytest.raises(BadInput, match="separate"):
        _ = routes.best


def test_no_way_says_what_closes_it():
    """Finding: a wall on level ground was blamed on "ground too steep to stand on" as well."""
    ridge = Terrain.from_function(lambda x, y: 300 * np.exp(-(((y - 500) / 60) ** 2)), (1000.0, 1000.0), 20.0)
    block = rectangle(100, 100, 120, 120)
    assert barriers(FLAT.with_regions(block), Vehicle()) == "obstacles"
    assert barriers(ridge, Vehicle()) == "slopes too steep to stand on"
    assert barriers(ridge.with_regions(block), Vehicle()) == "obstacles and slopes too steep to stand on"
    assert barriers(FLAT, Vehicle()) == "turns too tight for the vehicle"


def test_without_friction_nothing_moves():
    for ground in (FLAT, HILL):
        routes = fastest_path(ground, (100, 100), (900, 900), Vehicle(friction=0.0))
        assert not routes.feasible and "friction" in routes.reason


def test_a_body_longer_than_the_map_is_refused():
    """Finding: a vehicle of 400 m was driven over a map of 305 m."""
    with pytest.raises(BadInput, match="half of what the map is wide"):
        fastest_path(FLAT, (100, 100), (900, 900), Vehicle(length=2000.0))


def test_what_cannot_be_driven_tells_how_many_ways_were_looked_at(monkeypatch):
    """Finding: with few candidates a place was called not drivable that is, as if nothing were."""
    monkeypatch.setattr("swerve.terrain.ways.FINEST", 3)
    options = PathOptions((3, 3), paths=1, keep=1, step=50.0, v_end=200.0)
    routes = fastest_path(FLAT, (20, 300), (500, 300), Vehicle(), options=options)
    assert not routes.feasible and "ways that were looked at)" in routes.reason


def test_a_vehicle_that_cannot_drive_or_stop_is_told_so():
    """Finding: on an open plain turns were called too tight, and the way down too steep for the brakes."""
    plain = Terrain.from_heights(np.zeros((11, 11)), 10.0)
    few = PathOptions(grid=(4, 4), paths=2, keep=1)
    idle = fastest_path(plain, (20, 20), (80, 60), Vehicle(engine_force=0.0), options=few)
    assert "without drive force" in idle.reason and "turns" not in idle.reason
    loose = PathProblem(plain, Vehicle(brake_force=0.0)).judged(np.array([[20.0, 20], [80, 60]]))[1]
    assert "stop it where it has to stand" in loose.explain() and "way down" not in loose.explain()
