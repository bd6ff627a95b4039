"""Ways and following them: the map's controller against the simple one, and input that cannot work."""

from dataclasses import replace

import numpy as np
import pytest

from swerve.core.errors import BadInput
from swerve.core.motion import Motion
from swerve.core.world import World
from swerve.riders.bodies.rider import load_rider
from swerve.riders.maps.glide import Glide
from swerve.riders.maps.stored import load_map
from swerve.riders.steering.curves import CORNER, SPACING, TURNS, Course, curve
from swerve.riders.steering.decide import Navigator, Weights, line_ahead
from swerve.riders.steering.follow import FALL_ERROR, follow, follow_in_full, paces_for, starts_beside
from swerve.riders.steering.minds import PathRiders
from swerve.riders.steering.simple import Simple
from swerve.riders.steering.tune import load_tuned
from swerve.riders.steering.ways import Ways


@pytest.mark.parametrize("number", range(1, 8))
def test_a_curve_turns_by_its_angle_within_its_corner(number):
    way = curve(number, 12.0)
    steps = np.diff(way.points, axis=0)
    assert np.allclose(np.hypot(steps[:, 0], steps[:, 1]), SPACING, atol=1e-3)
    assert np.allclose(np.arctan2(steps[:, 1], steps[:, 0]), way.heading[:-1], atol=0.01)
    assert way.heading[-1] == pytest.approx(TURNS[number - 1])
    assert way.corner[1] - way.corner[0] == pytest.approx(CORNER * 12.0)


def test_riders_are_found_on_their_ways():
    ways = [curve(7, 12.0), curve(1, 12.0)]
    lines = Ways(ways)
    for at in range(0, 500, 20):
        here = np.array([way.place(SPACING * min(at, len(way.points) - 1)) for way in ways])
        left = np.array([0.3, -1.0])
        x, y = here[:, 0] - left * np.sin(here[:, 2]), here[:, 1] + left * np.cos(here[:, 2])
        along, aside = lines.locate(x, y)
        assert np.allclose(aside, left, atol=0.02)
        assert np.allclose(along, np.minimum(at, [len(w.points) - 1 for w in ways]) * SPACING, atol=0.05)


def test_what_lies_ahead_is_the_way_and_then_straight_on():
    way = curve(7, 12.0)
    lines = Ways([way])
    reference = lines.ahead(10.0, 20)
    assert np.allclose(reference[0, :, 0], np.arange(1, 21) * 1.0) and np.allclose(reference[0, :, 1:], 0)
    lines.at[:] = lines.last
    beyond = lines.ahead(10.0, 5)[0]
    assert np.allclose(np.diff(beyond[:, 0]), np.cos(TURNS[6]), atol=1e-6)


@pytest.mark.parametrize("radius", [12.0, 30.0])
def test_a_ring_is_kept_to_from_its_first_point_on(radius):
    """All of it is bend: who began upright on its first point missed it by up to 1.9 m at first."""
    map_, turn = load_map("human"), np.linspace(0, 2 * np.pi, 25)
    way = Course.smooth(radius * np.column_stack([np.cos(turn), np.sin(turn)]))
    steering, start = load_tuned("human").navigator(map_, "path"), starts_beside([way], 3, 0.1)
    done = follow(Glide(map_, 1), map_.speed, [way], steering, start, paces_for([way], map_))
    assert way.closed and done.arrived.all() and np.isnan(done.left_path[0])
    assert done.max_error[0] < 0.5
    along = np.unwrap(np.arctan2(done.pose[done.judged[:, 0], 0, 1], done.pose[done.judged[:, 0], 0, 0]))
    assert along[0] == pytest.approx(0.0, abs=1.2 / radius) and along[-1] > 2 * np.pi - 3.0 / radius


def test_the_map_follows_sharp_curves_better_than_the_simple_controller(standin_body, standin_map):
    ways = [curve(k, 12.0) for k in (1, 3, 5, 6, 7) for _ in range(3)]
    lod, simple, aiming_ahead = (
        follow_in_full(standin_body, ways, steering, seed=3)
        for steering in (
            Navigator(standin_map, Weights(0.8, 0.8)),
            Simple(standin_body.turns, 10.0),
            Simple(standin_body.turns, 10.0, ahead=0.9),
        )
    )
    assert not lod.fell.any() and not simple.fell.any()
    by_curve = [run.mean_error.reshape(5, 3).mean(axis=1) for run in (lod, simple)]
    assert (by_curve[0] < 0.3 * by_curve[1]).all()
    assert lod.mean_error.mean() < aiming_ahead.mean_error.mean()
    assert (lod.max_error >= lod.mean_error).all() and lod.judged.any(axis=0).all()


def test_riders_on_a_map_follow_too(standin_map):
    ways = [curve(k, 12.0) for k in (2, 6)]
    done = follow(
        Glide(standin_map, 2), 12.0, ways, Navigator(standin_map, Weights(0.8, 0.5)), starts_beside(ways, 0)
    )
    assert (done.mean_error < 0.3).all()


def test_a_way_through_points_is_smooth_and_passes_them():
    points = np.array([[0, 0], [20, 5], [40, -5], [60, 0.0]])
    way = Course.smooth(points)
    apart = np.hypot(*(way.points[:, None, :2] - points[None]).transpose(2, 0, 1)).min(axis=0)
    assert apart.max() <= SPACING and np.abs(np.diff(way.heading)).max() < 0.1


@pytest.mark.parametrize(
    "points, why",
    [
        ([[1.0, 2.0]], "at least two points"),
        ([[0, 0], [np.nan, 1], [2, 2]], "point 1: must be finite"),
        ([[0, 0], [0, 0], [2, 2]], "point 1"),
        ([0.0, 1.0], "points"),
    ],
)
def test_paths_that_cannot_be_ridden_are_refused(points, why):
    with pytest.raises(BadInput, match=why):
        Course.smooth(np.array(points))


def test_a_file_with_a_word_in_it_names_the_line(tmp_path):
    file = tmp_path / "way.csv"
    file.write_text("x,y\n0,0\n10,zero\n")
    with pytest.raises(BadInput, match="line 3"):
        Course.read(file)
    file.write_text("x,y\n0,0\n10,0\n20,3\n")
    assert Course.read(file).length == pytest.approx(20.4, abs=0.5)
    file.write_text("x,y\n0,0\n")
    with pytest.raises(BadInput, match="at least two points"):
        Course.read(file)


def test_a_point_told_twice_counts_once_and_a_short_line_is_not_closed(tmp_path):
    file = tmp_path / "way.csv"
    file.write_text("x,y\n0,0\n20,0\n20,0\n40,0\n60,5\n")
    assert Course.read(file).length == pytest.approx(60.6, abs=0.3)
    with pytest.raises(BadInput, match=r"0\.40 m.*|.*too short.*0\.40"):
        Course.smooth(0.1 * np.array([[0, 0], [1, 0], [2, 0], [3, 0], [4, 0.0]]))


def test_there_are_seven_curves():
    with pytest.raises(BadInput, match="1 to 7, got 8"):
        curve(8, 12.0)


def test_columns_are_found_by_their_names_and_loops_are_closed(tmp_path):
    file = tmp_path / "way.csv"
    file.write_text("t,x,y\n0,0,0\n1,30,0\n2,30,30\n3,0,30\n4,0,0\n")
    way = Course.read(file)
    assert way.closed and np.ptp(way.points[:, 0]) > 29 and way.length > 100
    file.write_text("t,a,b\n0,0,0\n1,30,0\n")
    with pytest.raises(BadInput, match="line 1"):
        Course.read(file)


def test_a_hairpin_is_not_overshot(standin_map):
    points = np.array([[0, 0], [30, 0], [60, 0], [66, 6], [60, 12], [0, 12.0]])
    way = Course.smooth(points)
    assert way.points.min() > -2 and way.points[:, 0].max() < 68 and way.points[:, 1].max() < 14


def test_a_fall_never_scores_better_than_a_ride(standin_body, standin_map):
    def stumble(rows, commands, step):
        moved = standin_body.move(rows, commands, step)
        moved[:, -1] = np.maximum(moved[:, -1], moved[:, 0] > 15.0)
        return moved

    clumsy = replace(standin_body, move=stumble)
    ways = [curve(6, 12.0)]
    fell = follow_in_full(clumsy, ways, Navigator(standin_map, Weights(0.8, 0.5)), seed=1)
    rode = follow_in_full(standin_body, ways, Simple((-0.05, 0.05), 10.0), seed=1)
    assert fell.fell.all() and fell.fell_at[0] < 3 and fell.mean_error[0] == FALL_ERROR
    assert not rode.fell.any() and rode.mean_error[0] < FALL_ERROR and rode.left_path[0] > 0


def test_bends_that_are_too_tight_are_told_beforehand(standin_map):
    straight, tight = Course.smooth([[0, 0], [200, 0]]), Course.smooth([[0, 0], [20, 0], [21, 1], [0, 2]])
    fine, refused = paces_for([straight, tight], standin_map)
    assert fine.infeasible is None and np.allclose(fine.speed, 12.0)
    assert "radius" in refused.infeasible


@pytest.mark.parametrize(
    "points, ridden",
    [
        ([[0, 0], [30, 0], [60, 0], [66, 6], [60, 12], [0, 12]], True),
        ([[0, 0], [58, 0], [64, 3.5], [64, 8.5], [58, 12], [0, 12]], True),
        ([[0, 0], [40, 0], [60, 0], [60, 5], [40, 5], [0, 5]], False),
    ],
)
def test_a_hairpin_is_ridden_within_half_a_metre_or_refused(points, ridden):
    """On the map; in full physics below."""
    map_ = load_map("human")
    way = Course.smooth(np.array(points, dtype=float))
    pace = paces_for([way], map_)
    assert (pace[0].infeasible is None) == ridden
    if not ridden:
        assert "radius" in pace[0].infeasible and "human" in pace[0].infeasible
        return
    steering = load_tuned("human").navigator(map_, "path")
    done = follow(Glide(map_, 1), map_.speed, [way], steering, starts_beside([way], 17), pace)
    assert done.max_error[0] < 0.5 and pace[0].speed.min() < 5


def test_a_hairpin_is_ridden_in_full_physics_at_the_speed_it_allows():
    """Told the speeds of the plan as they are, it came 1.6 m/s too fast and was carried out by 0.54 m."""
    way = Course.smooth(np.array([[40.5, 12], [66, 12], [66, 0], [40.5, 0.0]]))
    map_, pace = load_map("human"), paces_for([way], load_map("human"))
    steering, start = load_tuned("human").navigator(map_, "path"), starts_beside([way], 5, 0.1)
    done = follow(load_rider("human").start(1), map_.speed, [way], steering, start, pace)
    assert done.max_error[0] < 0.35 and not done.fell.any()
    tip = int(np.argmin(np.hypot(*(done.pose[:, 0, :2] - [66.5, 12]).T)))
    assert np.hypot(*done.velocity[tip, 0]) < pace[0].speed.min() + 0.5


@pytest.mark.parametrize("rider, step", [("human", 0.25), ("alien", 0.125)])
def test_riders_on_maps_do_not_swing_about_a_straight_way_at_any_speed(rider, step):
    """Steered by the nearer of two speeds of the map, those between swung by metres: at 5.3 and 7.5 m/s."""
    map_ = load_map(rider)
    steering = load_tuned(rider).navigator(map_, "path")
    speeds = np.arange(map_.speeds[0], map_.speeds[-1] + 0.01, step)
    ride, zero = Glide(map_, len(speeds)), np.zeros(len(speeds))
    ride.put(zero, zero + 0.3, zero)
    ride.go_at(speeds)
    late = []
    for k in range(160):
        motion = ride.motion()
        reference = line_ahead(motion.x, zero, zero, motion.speed, steering.ticks)
        ride.advance(motion.yaw + steering.turns(motion, reference), speeds, 0.1)
        late += [np.abs(motion.y)] if k >= 80 else []
    assert np.max(late) < 0.15, speeds[np.argmax(np.max(late, axis=0))]


@pytest.mark.parametrize("task", ["path", "herd"])
def test_the_bar_is_not_turned_to_and_fro_on_a_straight_way(task):
    """It was in every decision, by 1.5°: what the last one still did to the bar was not known to the next.
    What is left is the legs' own swing, at the rate of the pedals, also of who is told one heading only."""
    map_, body = load_map("human"), load_rider("human")
    steering = load_tuned("human").navigator(map_, task)
    ride, zero, fast = body.start(2), np.zeros(2), np.full(2, body.speed)
    bar, told = [], []
    for k in range(70):
        motion = ride.motion()
        reference = line_ahead(motion.x, zero, zero, motion.speed, steering.ticks)
        heading = motion.yaw + steering.turns(motion, reference)
        ride.advance(heading, fast, 0.1)
        if k >= 25:
            bar, told = [*bar, motion.extras["steer"]], [*told, heading]
    back = np.diff(bar, axis=0)
    assert (back[1:] * back[:-1] < 0).mean() < 0.35
    assert np.diff(told, axis=0).std() < 0.02
    assert np.degrees(np.std(bar, axis=0)).max() < 0.8


def test_a_rider_between_two_speeds_judges_by_what_the_map_foresees_there():
    map_ = load_map("human")
    steering = Navigator(map_, Weights(1.0, 0.6))
    speed = np.array([5.3, 7.5, 8.9, 11.5])
    zero, wanted = np.zeros(4), np.array([0.1, -0.2, 0.3, 0.15])
    motion = Motion.planar(
        zero, zero, vx=speed, roll=zero - 0.02, yaw_rate=zero + 0.03, roll_rate=zero + 0.05
    )
    ways = map_.foresee(motion, wanted, np.arange(1, steering.ticks + 1) * 0.1)
    assert steering.turns(motion, ways) == pytest.approx(wanted, abs=0.03)


class Noted:
    """Steers as a navigator does, or comes back by itself, and notes where it was told to be."""

    def __init__(self, steering, at_once):
        self.steering, self.at_once, self.told = steering, at_once, []

    @property
    def ticks(self):
        return self.steering.ticks

    def turns(self, motion, reference):
        self.told.append(reference)
        return self.steering.turns(motion, reference)


@pytest.mark.parametrize("at_once", [True, False])
def test_whoever_steers_is_led_back_alike_in_worlds_and_alone(at_once):
    """Alone only our own rule was, in worlds everybody, the simple controller and the seed's rule too."""
    map_ = load_map("human")
    simple = Simple((-1.0, 1.0), 10.0)
    assert simple.at_once and Navigator(map_, Weights(0.8, 0.5), rule="seed").at_once
    way = Course.smooth(np.array([[0, 0], [30, 0], [60, 0.0]]))
    alone, world = (Noted(Navigator(map_, Weights(0.8, 0.6)), at_once) for _ in range(2))
    follow(Glide(map_, 1), 12.0, [way], alone, np.array([[0.0, 1.0, 0.0]]))
    place, riders = World(), Glide(map_, 1)
    riders.put(np.zeros(1), np.ones(1), np.zeros(1))
    place.add(riders, PathRiders(world, way, 0.0, 12.0))
    place.run(0.3)
    assert np.allclose(alone.told[0], world.told[0], atol=1e-6)
    assert (np.abs(alone.told[0][0, :, 1]).max() > 0.5) is not at_once


def test_what_is_farthest_counts_from_the_start():
    map_ = load_map("human")
    way = curve(3, 12.0)
    steering = load_tuned("human").navigator(map_, "path")
    done = follow(Glide(map_, 1), 12.0, [way], steering, np.array([[0.0, 0.6, 0.0]]))
    assert done.max_error[0] < 0.2 and done.farthest[0] == pytest.approx(0.6, abs=0.05)


def test_riders_start_as_fast_as_the_path_allows():
    way = Course.smooth(np.array([[0, 0], [8, 0], [14, 8], [30, 8.0]]))
    map_, pace = load_map("human"), paces_for([way], load_map("human"))
    assert pace[0].infeasible is None and pace[0].speed[0] < 8
    steering, start = load_tuned("human").navigator(map_, "path"), starts_beside([way], 3, 0.1)
    for ride in (Glide(map_, 1), load_rider("human").start(1)):
        done = follow(ride, map_.speed, [way], steering, start, pace)
        assert np.hypot(*done.velocity[0, 0]) == pytest.approx(pace[0].speed[0], abs=0.02)
    assert done.max_error[0] < 0.5


def test_who_has_arrived_is_judged_no_more_while_others_still_ride(standin_map):
    short, long = (
        Course.smooth(np.array([[0, 0], [60, 0.0]])),
        Course.smooth(np.array([[0, 30], [300, 30.0]])),
    )
    ways = [short, long]
    steering = Navigator(standin_map, Weights(0.9, 0.5))
    done = follow(Glide(standin_map, 2), 12.0, ways, steering, starts_beside(ways, 4))
    assert done.t[-1] > 20 and done.max_error.max() < 1 and np.isnan(done.left_path).all()


def test_paths_begin_and_end_without_a_bend():
    """So that a rider who starts upright starts on them."""
    bend = np.abs(Course.smooth(np.array([[0, 12], [12, 12], [28, 0], [35, 0], [52, 12.0]])).curvature)
    assert max(bend[0], bend[-1]) < 0.03 * bend.max()


def test_points_on_circles_give_circles():
    """Half a circle of 5.5 m between straights was refused for a radius of 2.7 m, the line's own making."""
    turn = np.arange(12) * np.pi / 6
    bend = Course.smooth(20 * np.column_stack([np.cos(turn), np.sin(turn)]), closed=True).curvature
    assert np.allclose(1 / bend, 20, rtol=0.002)
    turn = np.arange(48) * np.pi / 24  # less than a metre apart: the last was taken for the first
    bend = Course.smooth(6 * np.column_stack([np.cos(turn), np.sin(turn)]), closed=True).curvature
    assert np.allclose(1 / bend, 6, rtol=0.01)
    tip = Course.smooth(np.array([[0, 0.5], [40, 0.5], [60, 0.5], [65.5, 6], [60, 11.5], [0, 11.5]]))
    assert np.abs(tip.curvature).max() < 1 / 4.4


def test_there_and_back_is_not_drawn_out():
    points = np.array([[13.5, 6.8], [63.3, 5.5], [8.1, 8.9], [46.4, 7.5], [4.5, 7.9], [45.7, 5.3]])
    way = Course.smooth(points)
    assert way.length < 1.5 * np.hypot(*np.diff(points, axis=0).T).sum() and np.abs(way.curvature).max() > 1


def test_a_line_straight_back_by_the_same_points_is_refused():
    """It was ridden as an oval, without a word."""
    for points in ([[0, 0], [50, 0], [0, 0]], [[0, 0], [25, 0], [50, 0], [25, 0], [0, 0]]):
        with pytest.raises(BadInput, match="nobody turns about on the spot"):
            Course.smooth(np.array(points, float))


def test_a_rider_that_lost_its_way_comes_back(standin_map):
    way = Course.smooth([[0, 0], [300, 0]])
    start = np.array([[0.0, 25.0, 0.6]])
    done = follow(Glide(standin_map, 1), 12.0, [way], Navigator(standin_map, Weights(0.9, 0.5)), start)
    assert done.left_path[0] == 0 and abs(done.aside[-1, 0]) < 1.0


def test_the_seeds_rule_can_be_chosen(standin_map):
    ours, seeds = (Navigator(standin_map, Weights(1.3, 0.28), rule=rule) for rule in ("ours", "seed"))
    ways = [curve(3, 12.0)]
    rides = [follow(Glide(standin_map, 1), 12.0, ways, n, starts_beside(ways, 0)) for n in (ours, seeds)]
    assert seeds.ticks == 50 and not rides[1].fell.any()
    assert rides[0].mean_error[0] < rides[1].mean_error[0] < 10
    with pytest.raises(BadInput, match="rule"):
        Navigator(standin_map, Weights(1.3, 0.28), rule="neither")
