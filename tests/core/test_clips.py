"""Clips are laid down, cut and compared as rigid motions say."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swerve.core.clips import Clip, body_velocity, mismatch, place_poses, relative_poses, world_states
from swerve.core.errors import BadInput


def random_states(seed: int, frames: int = 20) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.cumsum(rng.normal(0, 1, (frames + 1, 6)), axis=0)


def matrix(pose: np.ndarray) -> np.ndarray:
    c, s = np.cos(pose[2]), np.sin(pose[2])
    return np.array([[c, -s, pose[0]], [s, c, pose[1]], [0, 0, 1]])


@given(st.integers(0, 10**6))
def test_placing_is_a_rigid_motion_and_undone_by_looking_from_there(seed):
    rng = np.random.default_rng(seed)
    poses, origin = rng.normal(0, 20, (6, 3)), rng.normal(0, 20, 3)
    world = place_poses(poses, origin)
    for local, placed in zip(poses, world, strict=True):
        np.testing.assert_allclose(matrix(placed), matrix(origin) @ matrix(local), atol=1e-9)
    np.testing.assert_allclose(relative_poses(world, origin), poses, atol=1e-9)


@given(st.integers(0, 10**6))
def test_velocity_in_the_cars_frame(seed):
    states = random_states(seed)
    u, v, w = body_velocity(states).T
    heading = states[:, 2]
    np.testing.assert_allclose(
        u * np.exp(1j * heading) + 1j * v * np.exp(1j * heading), states[:, 3] + 1j * states[:, 4]
    )
    np.testing.assert_array_equal(w, states[:, 5])


@given(st.integers(0, 10**6))
def test_clip_of_states_laid_where_it_was_cut_is_the_recording(seed):
    states = random_states(seed)
    clip = Clip.from_states("a", states, 0.04, np.zeros((20, 3)))
    np.testing.assert_allclose(clip.placed(states[0, :3]), states[:, :3], atol=1e-9)
    assert clip.frames == 20 and clip.duration == pytest.approx(0.8)
    steps = np.diff(states[:, :2], axis=0)
    assert clip.length == pytest.approx(np.sqrt((steps**2).sum(axis=1)).sum())


def test_pieces_follow_on_one_another():
    states = random_states(4)
    clip = Clip.from_states("a", states, 0.04, np.arange(60.0).reshape(20, 3))
    first, second = clip.piece(0, 8), clip.piece(8, 20)
    middle = first.placed(states[0, :3])[-1]
    np.testing.assert_allclose(second.placed(middle), states[8:, :3], atol=1e-9)
    np.testing.assert_array_equal(np.vstack([first.controls, second.controls]), clip.controls)
    for wrong in ((-1, 3), (4, 4), (5, 3), (0, 21)):
        with pytest.raises(BadInput, match="piece must lie within 0 and 20"):
            clip.piece(*wrong)


@pytest.mark.parametrize(
    "pose, velocity",
    [
        (np.zeros((1, 3)), np.zeros((1, 3))),
        (np.zeros((5, 2)), np.zeros((5, 2))),
        (np.zeros((5, 3)), np.zeros((4, 3))),
        (np.full((5, 3), np.nan), np.zeros((5, 3))),
        (np.zeros((5, 3)), np.full((5, 3), np.inf)),
    ],
)
def test_clips_that_are_not_motions_are_refused(pose, velocity):
    with pytest.raises(BadInput, match="clip odd"):
        Clip("odd", 0.04, pose, velocity)


def test_mismatch_adds_up_the_differences():
    assert mismatch(np.array([3.0, -1.0, 0.5]), np.array([1.0, 1.0, 0.0])) == pytest.approx(4.5)
    assert mismatch(np.zeros((4, 1, 3)), np.ones((1, 2, 3))).shape == (4, 2)


def test_states_of_the_world_hold_the_velocities_of_the_body():
    states = random_states(7)
    np.testing.assert_allclose(world_states(states[:, :3], body_velocity(states)), states, atol=1e-12)
