"""The maps that come with Swerve: of the riders as they are now, predicting well, and of use to them."""

from dataclasses import replace

import numpy as np
import pytest

from swerve.core.seeding import generator
from swerve.riders import curve, load_map, load_rider, load_tuned
from swerve.riders.maps.carry import predict
from swerve.riders.maps.detail import Mixed
from swerve.riders.maps.glide import Glide
from swerve.riders.maps.stored import prediction_errors, unseen
from swerve.riders.maps.trials import try_turns
from swerve.riders.steering.curves import Course
from swerve.riders.steering.follow import follow, follow_in_full, paces_for, starts_beside
from swerve.riders.steering.herd import herd, scatter
from swerve.riders.steering.simple import Simple


@pytest.fixture(scope="module", params=["human", "alien"])
def rider(request):
    return load_rider(request.param), load_map(request.param)


def test_a_map_is_of_the_rider_as_it_is_now(rider):
    body, map_ = rider
    rows = generator(0, "trials").choice(len(map_.tracks.pose), 12, replace=False)
    moments = map_.moments().pick(rows // map_.actions)
    paces = map_.paces[rows // map_.actions]
    again = try_turns(body, moments, map_.turns[rows % map_.actions], 2.0, map_.tracks.dt, speeds=paces)
    samples = again.pose.shape[1]
    stored = map_.tracks.pose[rows, :samples]
    up = np.isinf(again.fell) & ~(map_.tracks.fell[rows] <= 2.0)
    assert np.abs(stored - again.pose)[up].max() < 0.02, "rebuild it with swerve ride map"
    assert (np.isfinite(again.fell) == (map_.tracks.fell[rows] <= 2.0)).all()


def test_it_predicts_states_it_was_not_built_from(rider):
    body, map_ = rider
    states, turns, tracks = unseen(body, map_, 24, generator(1, "unseen"), paces=3)
    assert np.ptp(states[:, 3]) > 1.0 and np.abs(turns).max() > max(body.turns)
    errors = prediction_errors(map_, states, turns, tracks)
    assert len(errors) > 18 and np.median(errors) < 0.15
    # between a trial that falls and one that stays up lay places metres from where anybody gets
    assert np.quantile(errors, 0.9) < 0.6


def test_between_a_trial_that_falls_and_one_that_does_not_riders_stay_up(rider):
    _, map_ = rider
    fell = np.isfinite(map_.tracks.fell).reshape(len(map_.states), -1)
    state = int(np.flatnonzero(fell[:, -1] & ~fell[:, -2])[0])
    turns = np.array([map_.turns[-2], 0.3 * map_.turns[-2] + 0.7 * map_.turns[-1]])
    upright, between = predict(map_, map_.states[[state, state]], turns, 2.0)
    np.testing.assert_allclose(between, upright, atol=0.3)


def test_stored_trials_are_foretold_as_long_as_they_were(rider):
    """Ways were drawn out from the speed commanded, of which riders fall short in a turn."""
    _, map_ = rider
    middle = map_.actions // 2
    stored = map_.samples.pose.reshape(len(map_.states), map_.actions, -1, 3)[:, middle, 20]
    said = predict(map_, map_.states, np.full(len(map_.states), map_.turns[middle]), 2.0)
    longer = np.hypot(said[:, 0], said[:, 1]) / np.hypot(stored[:, 0], stored[:, 1]) - 1
    assert abs(np.median(longer)) < 5e-4


def test_riders_on_a_map_turn_as_in_full_physics(rider):
    """Falls are in the map; how a rider leans into a turn that it can make must not be learned from them."""
    body, map_ = rider
    safe = map_.turns[np.isinf(map_.tracks.fell).reshape(len(map_.states), -1).all(axis=0)]
    turns = np.concatenate([safe[[0, -1]], 0.5 * safe[[0, -1]]])
    full, light = body.start(4), Glide(map_, 4)
    pace = np.full(4, body.speed)
    for _ in range(20):
        here, there = full.motion(), light.motion()
        np.testing.assert_allclose(there.yaw, here.yaw, atol=0.15)
        np.testing.assert_allclose(there.roll, here.roll, atol=0.12)
        full.advance(here.yaw + turns, pace, 0.1)
        light.advance(there.yaw + turns, pace, 0.1)
    assert (np.abs(here.yaw) > 0.1).all()


def test_a_map_goes_on_until_riders_fall(rider):
    """Turns ended at 0.26 rad, nobody fell, and curve 7 was said to be beyond the alien's body."""
    _, map_ = rider
    assert map_.turns[-1] > 0.5 and 0.01 < map_.fall_share < 0.15


def test_the_alien_rides_curve_7():
    map_ = load_map("alien")
    ways = [curve(7, map_.speed, 47.18)]
    steering = load_tuned("alien").navigator(map_, "path")
    done = follow(Glide(map_, 1), map_.speed, ways, steering, starts_beside(ways, 21))
    assert done.mean_error[0] < 0.15
    assert ways[0].corner[1] - ways[0].corner[0] == pytest.approx(47.18)


def test_the_human_takes_a_sharp_curve_better_by_its_map():
    body, map_ = load_rider("human"), load_map("human")
    ways = [curve(6, body.speed)] * 2
    tuned = load_tuned("human")
    lod = follow_in_full(body, ways, tuned.navigator(map_, "path"), seed=4)
    simple = follow_in_full(body, ways, Simple(body.turns, 0.8 * body.speed), seed=4)
    assert not lod.fell.any() and (lod.mean_error < 0.5 * simple.mean_error).all()


def test_riders_change_over_between_map_and_full_physics_without_a_jump():
    body, map_ = load_rider("human"), load_map("human")
    half = np.zeros(4, dtype=bool)
    ride = Mixed(body, map_, 4, 2, lambda motion: half)
    ticks = []

    def watch(motion):
        ticks.append(ride.in_full.copy())
        half[:2] = (len(ticks) // 13) % 2 == 1

    steering = load_tuned("human").navigator(map_, "herd")
    herd(ride, body.speed, steering, scatter(4, 2), 6.5, watch=watch)
    assert ride.switches >= 6 and len(ride.jumps) == ride.switches
    most = ride.largest_jump
    assert most["lean"] < 1.0 and most["speed"] < 0.05 and most["place"] < 0.02


def test_who_was_thrown_off_its_way_comes_to_rest_on_it():
    """Told to be on it at once, humans a metre off swung about a straight way for ever, by metres."""
    map_ = load_map("human")
    ways = [Course.smooth(np.array([[0.0, 0.0], [15.0 * v, 0.0]])) for v in map_.speeds]
    starts = np.tile([0.0, 1.5, -0.5], (len(ways), 1))
    paces = [
        replace(pace, speed=np.minimum(pace.speed, v), told=np.minimum(pace.told, v))
        for pace, v in zip(paces_for(ways, map_), map_.speeds, strict=True)
    ]
    steering = load_tuned("human").navigator(map_, "path")
    done = follow(Glide(map_, len(ways)), map_.speed, ways, steering, starts, paces)
    late = done.judged & (done.t > 8.0)[:, None]
    assert late.any(axis=0).all() and np.abs(done.aside[late]).max() < 0.3 and not done.fell.any()


def test_a_chicane_at_the_limit_is_kept_to_on_maps():
    """Off by up to 3.0 m."""
    map_ = load_map("human")
    ways = [Course.smooth(np.array([[0.0, 0.0], [8.0, 0.0], [14.0, 8.0], [30.0, 8.0]]))]
    steering = load_tuned("human").navigator(map_, "path")
    done = follow(
        Glide(map_, 1), map_.speed, ways, steering, starts_beside(ways, 2, 0.1), paces_for(ways, map_)
    )
    assert done.max_error[0] < 1.0
