"""Obstacles on ways of every shape: ridden round, stopped before, never ridden through; solid if touched.

What recordings say is looked at here from their rows alone. `SWERVE_RIDE_STREETS=100` rides as many random
streets; by default two.
"""

import os
import time
from functools import partial

import numpy as np
import pytest
from plain_streets import entries, off_street, random_discs, random_street, written

from plain_referee import touching_pairs
from swerve.core.errors import BadInput
from swerve.riders import load_map, load_rider, load_tuned
from swerve.riders.maps.detail import Mixed, near_viewer
from swerve.riders.maps.glide import Glide
from swerve.riders.record import record_herd
from swerve.riders.steering.curves import Course
from swerve.riders.steering.decide import Navigator, Weights
from swerve.riders.steering.gaps import CREEP, FREE, Gaps
from swerve.riders.steering.herd import HerdOptions, herd, on_way, scatter
from swerve.riders.steering.obstacles import Posts, clear_starts, read_obstacles
from swerve.riders.steering.passing import passing_speed
from swerve.riders.steering.stood import stood

STREETS = int(os.environ.get("SWERVE_RIDE_STREETS", "2"))
FIRST = int(os.environ.get("SWERVE_RIDE_FIRST", "7000"))
DETAILS = ("map", "mixed", "full") if STREETS > 2 else ("map",)


@pytest.fixture(scope="module")
def navigator(standin_map):
    return Navigator(standin_map, Weights(0.9, 0.5))


def ride_of(who, detail, count):
    map_ = load_map(who)
    if detail == "map":
        return Glide(map_, count)
    if detail == "full":
        return load_rider(who).start(count)
    middle = near_viewer(lambda m: (float(m.x.mean()), float(m.y.mean())), 8.0, map_.radius)
    return Mixed(load_rider(who), map_, count, 6, middle)


def ridden(file, discs, who, count, seed, seconds, detail="map"):
    map_ = load_map(who)
    options = HerdOptions(length=2 * map_.radius, obstacles=discs)
    options, starts = on_way(file, options, partial(scatter, count, seed, map_.radius, None), map_)
    steering = load_tuned(who).navigator(map_, "herd")
    done = herd(ride_of(who, detail, count), map_.speed, steering, starts, seconds, options)
    return done, record_herd(done, who, map_.radius, options.scenery()), options


def test_nobody_rides_through_what_stands_in_a_winding_street(tmp_path):
    """Five of twelve rode through it, 0.62 m deep, and the answer said nothing of it."""
    x = np.arange(0, 401, 20.0)
    file = written(tmp_path, x, 12 * np.sin(x / 40), 4.0, 4.0)
    disc = np.array([[120.0, 0.0, 2.0]])
    done, recording, options = ridden(file, disc, "human", 12, 4, 22.0)
    assert not entries(recording, disc) and not touching_pairs(recording) and not done.fell.any()
    assert done.obstacle_contacts == 0 and options.closed_behind(done.pose[0]) is None
    assert options.way.locate(done.pose[-1, :, :2])[0].min() > 150
    assert not np.asarray(recording.columns["contact"]).any()


@pytest.mark.parametrize("seed", range(FIRST, FIRST + STREETS))
def test_random_streets_with_random_discs(tmp_path, seed):
    rng = np.random.default_rng(seed)
    who, detail = ("human", "alien")[seed % 2], DETAILS[seed // 2 % len(DETAILS)]
    x, y, right, left = random_street(rng)
    discs = random_discs(rng, x, y, right, left)
    count = int(rng.integers(4, 13)) if STREETS > 2 else 5
    seconds = (1.0 if STREETS > 2 else 0.5) * (45.0 if who == "human" else 80.0)
    file = written(tmp_path, x, y, right, left)
    done, recording, _ = ridden(file, discs, who, count, seed, seconds, detail)
    found = (entries(recording, discs), touching_pairs(recording), off_street(recording, x, y, right, left))
    assert found == ([], [], []) and not done.fell.any() and done.obstacle_contacts == 0


def test_a_street_that_is_closed_is_not_ridden_through(tmp_path):
    x = np.arange(0, 301, 20.0)
    file = written(tmp_path, x, 8 * np.sin(x / 40), 4.0, 4.0)
    wall = np.array([[200.0, 8 * np.sin(5.0) + k, 0.7] for k in np.arange(-6.0, 7.0)])
    done, recording, options = ridden(file, wall, "human", 6, 1, 30.0)
    station = options.way.locate(done.pose[-1, :, :2])[0]
    assert options.closed_behind(done.pose[0]) == pytest.approx(station.max(), abs=5.0)
    assert not entries(recording, wall) and not touching_pairs(recording)
    assert np.hypot(*done.velocity[-1].T).max() < 0.1 and not done.fell.any()
    told = stood(done, options)
    assert len(told) == 6 and any("nobody gets on" in one["why"] for one in told)
    assert any(one["why"].startswith("behind rider") for one in told)


@pytest.mark.parametrize("size, widest_closed, least_open", [((1.8, 0.6), 1.6, 1.8), ((4.2, 1.8), 3.2, 3.5)])
def test_gaps_count_as_closed_below_a_width_that_the_docs_tell(size, widest_closed, least_open):
    way = Course.smooth(np.array([[0.0, 0.0], [300.0, 0.0]])).edged(
        np.array([[0, 0, 5.0, 5], [300, 0, 5.0, 5]])
    )
    for gap, closed in ((widest_closed, True), (least_open, False)):
        discs = np.array([[150.0, side * (2.0 + gap / 2), 2.0] for side in (-1, 1)])
        assert (Gaps(way, discs, size=size).closed_behind(0.0) is not None) == closed


def test_thousands_of_discs_are_as_many_of_them_at_once():
    """Each was held against each station by itself: a minute in silence for 5,000 at one place."""
    way = Course.smooth(np.array([[0.0, 0.0], [300.0, 0.0]])).edged(
        np.array([[0, 0, 4.0, 4], [300, 0, 4.0, 4]])
    )
    one = np.array([[150.03, 1.03, 1.02]])
    began = time.process_time()
    many = Gaps(way, np.repeat(one, 5000, axis=0) + np.linspace(0, 1e-6, 5000)[:, None] * [1.0, 1.0, 0.0])
    assert time.process_time() - began < 5.0
    assert np.array_equal(many.time, Gaps(way, one).time)


def test_a_closed_way_is_ridden_round_and_round(standin_map):
    turn = np.arange(24) * np.pi / 12
    way = Course.smooth(50 * np.column_stack([np.cos(turn), np.sin(turn)]), closed=True)
    disc = np.array([[*way.place(5.0)[:2], 1.5]])
    gaps = Gaps(way, disc)
    just_before = gaps.lines(np.array([way.length - 25.0]), np.zeros(1), np.zeros((1, 46)))
    assert just_before.near[0] and np.abs(just_before.offset[0, 28:33]).min() > 2.5


def test_who_starts_does_so_clear_of_obstacles_or_not_at_all():
    stones = np.array([[5.0, 0.0, 3.0], [-4.0, 5.0, 2.0]])
    within = partial(scatter, 12, 3, 0.9, 40.0)
    starts = clear_starts(within, Gaps(None, stones), 6.0)
    gap = np.hypot(starts[:, None, 0] - stones[:, 0], starts[:, None, 1] - stones[:, 1]) - stones[:, 2]
    assert gap.min() > 0.9
    with pytest.raises(BadInput, match="square: leaves no room for 12 riders"):
        clear_starts(within, Gaps(None, np.array([[0.0, 0.0, 60.0]])), 6.0)
    with pytest.raises(BadInput, match="obstacles: leave no room for 12 riders"):
        clear_starts(partial(scatter, 12, 3), Gaps(None, np.array([[0.0, 0.0, 60.0]])), 6.0)


def test_without_obstacles_starts_are_those_of_before():
    assert np.array_equal(clear_starts(partial(scatter, 5, 1), None, 12.0), scatter(5, 1))
    far = Gaps(None, np.array([[500.0, 0.0, 1.0]]))
    assert np.array_equal(clear_starts(partial(scatter, 5, 1), far, 12.0), scatter(5, 1))


def test_a_rider_on_a_map_that_runs_into_something_falls_before_it(standin_map):
    ride, post = Glide(standin_map, 2), np.array([[6.0, 0.0, 1.0]])
    posts = Posts(ride, post, 1.7, 0.6)
    ride.put(np.zeros(2), np.array([0.0, 3.0]), np.zeros(2))
    for _ in range(10):
        ride.advance(np.zeros(2), np.full(2, 12.0), 0.1)
        motion = posts.meet(ride.motion())[0]
        assert posts.meet(motion)[1].sum() == 0  # put back before it
    assert posts.touched == {(0, 0)} and motion.fell.tolist() == [True, False]
    assert motion.x[0] < 4.2 and motion.x[1] > 11


def test_a_rider_in_full_is_stopped_by_a_post_and_falls():
    body, post = load_rider("human"), np.array([[8.0, 0.0, 0.5]])
    ride = body.start(2)
    ride.stand(post)
    ride.put(np.zeros(2), np.array([0.1, 2.0]), np.zeros(2))
    ride.advance(np.zeros(2), np.full(2, body.speed), 1.5)
    motion = ride.motion()
    assert ride.solids.touched == {(0, 0)} and motion.fell.tolist() == [True, False]
    assert motion.x[0] < 8.0 < 15.0 < motion.x[1]


def test_what_is_far_from_a_way_is_in_nobodys_way():
    way = Course.smooth([[0, 0], [100, 0]])
    gaps = Gaps(way, np.array([[50.0, 1e6, 2.0]]))
    assert not gaps.lines(np.array([40.0]), np.zeros(1), np.zeros((1, 46))).near[0]
    with pytest.raises(BadInput, match="obstacles"):
        Gaps(None, np.array([[0.0, 0.0, 999.0], [0.0, 9e6, 1.0]]))


def test_wide_bodies_are_counted_as_wide_and_keep_more_room(standin_map, navigator):
    """Cars drove through obstacles, half a metre deep, and only their middle stripe was looked at."""
    stone = np.array([[60.0, 0.0, 1.0]])
    wide = Gaps(None, stone, size=(4.2, 1.8))
    thin = Gaps(None, stone)
    aside = [
        np.abs(gaps.lines(np.full(1, 15.0), np.zeros(1), np.zeros((1, 46))).offset[0]).max()
        for gaps in (thin, wide)
    ]
    assert aside[1] > aside[0] + 0.6
    pair = np.array([[0.0, 0.0, 0.0], [0.0, 1.2, 0.0]])
    done = herd(Glide(standin_map, 2), 12.0, navigator, pair, 0.1, HerdOptions(width=1.8))
    assert done.contacts == 1
    assert len(scatter(9, 1, 2.1, 60.0, width=1.8)) == 9


@pytest.mark.parametrize("word", ["100,nan,1", "nan,0,1", "1e9,0,1", "0,0,nan", "0,0,-1"])
def test_obstacles_that_are_nowhere_are_refused(tmp_path, word):
    file = tmp_path / "stones.csv"
    file.write_text(f"x,y,radius\n{word}\n")
    with pytest.raises(BadInput, match="line 2"):
        read_obstacles(file)


def test_who_strayed_off_the_quick_cells_is_led_back_or_stands():
    """Five of twelve stood for ever before one disc, since they were a little beyond what leads through."""
    way = Course.smooth([[0.0, 0.0], [200.0, 0.0]])
    table = np.array([[0.0, 0.0, 4.0, 4.0], [200.0, 0.0, 4.0, 4.0]])
    gaps = Gaps(way.edged(table), np.array([[100.0, 0.0, 1.5]]))
    at_edge = gaps.lines(np.array([92.0]), np.array([3.95]), np.zeros((1, 46)))
    assert at_edge.rest[0] == FREE and at_edge.speed(np.full(1, 12.0), np.full(1, 3.0))[0] == CREEP
    facing = gaps.lines(np.array([97.0]), np.zeros(1), np.zeros((1, 46)))
    assert facing.rest[0] < 2.0


def test_riders_start_as_fast_as_a_bend_allows_and_who_leaves_the_street_is_counted(tmp_path):
    """They started at 12 m/s in a bend for 8, and were half a metre beyond the edge."""
    turn = np.append(np.arange(40) * np.pi / 20, 0.0)
    file = written(tmp_path, 50 * np.cos(turn), 30 * np.sin(turn), 4.0, 4.0)
    map_ = load_map("human")
    options, starts = on_way(file, HerdOptions(), partial(scatter, 8, 913, map_.radius, None), map_)
    steering = load_tuned("human").navigator(map_, "herd")
    done = herd(Glide(map_, 8), map_.speed, steering, starts, 5.0, options)
    assert np.hypot(*done.velocity[0].T).min() < 9.5
    assert options.left_street(done.pose) == 0
    wide = done.pose.copy()
    wide[3, 2, :2] *= 1.3
    assert options.left_street(wide) == 1


def test_one_edge_alone_is_refused(tmp_path):
    file = tmp_path / "half.csv"
    file.write_text("x,y,left\n0,0,4\n50,0,4\n")
    with pytest.raises(BadInput, match="both edges or none"):
        Course.read(file)
    file.write_text("x,y,radius\n")
    with pytest.raises(BadInput, match="no obstacles"):
        read_obstacles(file)


@pytest.mark.parametrize("who, seconds, aside", [("human", 24.0, 0.0), ("alien", 36.0, 2.0)])
def test_a_disc_in_a_hairpin_is_passed(tmp_path, who, seconds, aside):
    """Riders stood before it for ever, touched each other inside the bend, or cut it and touched the disc."""
    turn = np.linspace(-np.pi / 2, np.pi / 2, 16)
    x = np.concatenate([np.arange(0, 60, 10.0), 60 + 15 * np.cos(turn), np.arange(50, -60, -10.0)])
    y = np.concatenate([np.zeros(6), 15 + 15 * np.sin(turn), np.full(11, 30.0)])
    file, disc = written(tmp_path, x, y, 4.0, 4.0), np.array([[75.0 - aside, 15.0, 1.5]])
    done, recording, options = ridden(file, disc, who, 6, 5, seconds)
    assert not entries(recording, disc) and not touching_pairs(recording) and not done.fell.any()
    assert options.way.locate(done.pose[-1, :, :2])[0].min() > 95  # the disc is at 84 m


def test_riders_brake_gently_for_who_rides_and_firmly_for_who_stands():
    """A rider in full physics braked from 12 to 8 m/s in a swerve at the start, and fell."""
    gaps = Gaps(None, np.array([[60.0, 8.0, 1.0]]))
    place, aside = np.array([0.0, 2.2]), np.zeros(2)
    lines = gaps.lines(place, aside, np.zeros((2, 46)))
    fast, size = np.full(2, 12.0), (1.7, 0.6)
    told = passing_speed(lines, place, aside, fast, fast, fast, size)
    assert 8.9 < told[0] < 12.0 and told[1] == 12.0
    told = passing_speed(lines, np.array([0.0, 14.2]), aside, np.array([12.0, 0.0]), fast, fast, size)
    assert told[0] < 3.0
