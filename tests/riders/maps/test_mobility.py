"""Mobility maps: built from trials, predicting what they were not built from, kept in a file."""

from dataclasses import replace

import numpy as np
import pytest

from swerve.core.errors import BadInput
from swerve.core.library import MotionLibrary
from swerve.core.seeding import generator
from swerve.riders.maps.build import MapOptions
from swerve.riders.maps.carry import predict
from swerve.riders.maps.mobility import MobilityMap
from swerve.riders.maps.trials import state_of, swing, try_turns, wander


def test_a_map_has_the_seeds_size_and_ranges(standin_map):
    assert standin_map.states.shape == (100, 4) and len(standin_map.turns) == 10
    assert standin_map.tracks.pose.shape == (1000, 26, 3) and standin_map.seconds == pytest.approx(5.0)
    assert standin_map.turns[0] == -1.0 and standin_map.turns[-1] == 1.0
    assert np.ptp(standin_map.states[:, 0]) > 0.5  # leans to both sides


def test_trials_begin_where_the_state_is_and_end_in_the_wanted_direction(standin_map):
    tracks = standin_map.tracks
    assert np.abs(tracks.pose[:, 0]).max() < 1e-3
    began = np.column_stack([tracks.lean[:, 0, 0], tracks.velocity[:, 0, 2], tracks.lean[:, 0, 1]])
    assert np.abs(began - np.repeat(standin_map.states[:, :3], 10, axis=0)).max() < 1e-3
    assert np.abs(tracks.pose[:, -1, 2] - np.tile(standin_map.turns, 100)).max() < 0.2


def test_the_body_steers_the_wrong_way_first(standin_map):
    upright = standin_map.nearest(np.array([[0.0, 0.0, 0.0, 12.0]]))[0]
    yaw = standin_map.spline(upright, 9)(np.linspace(0, 1, 21))[:, 2]
    assert yaw.min() < -0.005 and yaw[-1] > 0.1


def test_splines_pass_between_their_knots_as_the_body_did(standin_body, standin_map):
    fine = try_turns(standin_body, standin_map.moments().pick(np.arange(20)), np.full(20, 0.8), 3.0, 0.05)
    coarse = try_turns(standin_body, standin_map.moments().pick(np.arange(20)), np.full(20, 0.8), 3.0, 0.2)
    one = MobilityMap(
        "one",
        12.0,
        1.0,
        np.array([0.8]),
        standin_map.states[:20],
        standin_map.snapshots[:20],
        coarse,
        standin_map.paces[:20],
        standin_map.pacing,
    )
    found = np.stack([one.spline(k, 0)(np.arange(61) * 0.05) for k in range(20)])
    assert np.abs(found[..., :2] - fine.pose[..., :2]).max() < 0.02


def test_the_nearest_state_is_the_nearest(standin_map):
    rng = generator(0, "states")
    asked = standin_map.states[rng.integers(100, size=50)] + rng.normal(0, 0.05, (50, 4))
    apart = (asked[:, None, :2] - standin_map.states[None, :, :2]) * standin_map.scale
    assert (standin_map.nearest(asked) == np.argmin((apart**2).sum(-1), axis=1)).all()


def test_it_predicts_states_it_was_not_built_from(standin_body, standin_map):
    rng = generator(1, "prediction")
    moments = wander(standin_body, 300, rng)
    turns = rng.uniform(-1, 1, 300)
    came = try_turns(standin_body, moments, turns, 2.0, 1.0).pose[:, -1]
    errors = {}
    for corrected in (True, False):
        said = predict(standin_map, moments.states, turns, 2.0, corrected)
        errors[corrected] = np.median(np.hypot(*(said - came)[:, :2].T))
    assert errors[True] < 0.5 and errors[True] < 0.7 * errors[False]
    resting = np.array([[24.0, 0.0]])
    assert np.median(np.hypot(*(resting - came[:, :2]).T)) > 4 * errors[True]


def test_falls_are_kept_as_such(standin_body):
    def stumble(rows, commands, step):
        moved = standin_body.move(rows, commands, step)
        moved[:, -1] = np.maximum(moved[:, -1], np.abs(moved[:, 6]) > 0.4)
        return moved

    clumsy = replace(standin_body, name="clumsy", move=stumble)
    map_ = MobilityMap.build(clumsy, MapOptions(states=12, actions=6, swings=(0.1, 0.2)))
    fell = np.isfinite(map_.tracks.fell)
    assert fell.any() and not fell.all() and map_.fall_share == fell.mean()
    turns = np.abs(np.tile(map_.turns, 12))
    assert fell[turns > 0.9].all() and not fell[turns < 0.3].any()
    library = map_.library(seconds=map_.seconds)
    assert (library.target[fell] == -1).all() and (library.target[~fell] >= 0).all()
    assert np.isfinite(map_.samples.pose).all()


def test_a_file_gives_back_the_same_map_and_is_a_motion_library(standin_map, tmp_path):
    file = standin_map.save(tmp_path / "map.npz")
    assert file.stat().st_size < 1_000_000
    again = MobilityMap.load(file)
    for name in ("pose", "velocity", "lean", "fell"):
        assert (getattr(again.tracks, name) == getattr(standin_map.tracks, name)).all()
    assert (again.snapshots == standin_map.snapshots).all() and again.dimensions == standin_map.dimensions
    assert len(MotionLibrary.load(file).clips) == 1000


@pytest.mark.parametrize("share", [0.1, 0.5, 0.99])
def test_a_file_cut_short_is_refused_in_one_line(standin_map, tmp_path, share):
    whole = standin_map.save(tmp_path / "map.npz").read_bytes()
    file = tmp_path / "cut.npz"
    file.write_bytes(whole[: int(share * len(whole))])
    with pytest.raises(BadInput, match=r"cut\.npz.*damaged") as refused:
        MobilityMap.load(file)
    assert "\n" not in str(refused.value)


def test_another_library_is_no_map(standin_map, tmp_path):
    library = standin_map.library()
    library.meta.pop("mobility map")
    with pytest.raises(BadInput, match="another kind"):
        MobilityMap.load(library.save(tmp_path / "other.npz"))


@pytest.mark.parametrize(
    "options, named",
    [
        ({"states": 0}, "states"),
        ({"actions": 1}, "actions"),
        ({"seconds": float("nan")}, "seconds"),
        ({"dimensions": ("pitch",)}, "dimensions"),
    ],
)
def test_bad_options_are_named(standin_body, options, named):
    with pytest.raises(BadInput, match=named):
        MobilityMap.build(standin_body, MapOptions(**options))


def test_moments_can_be_gone_on_from(standin_body):
    moments = swing(standin_body, [0.5], 8, 6.0)
    ride = standin_body.start(8)
    ride.restore(moments.snapshots)
    motion = ride.motion()
    assert np.allclose(state_of(motion), moments.states)
