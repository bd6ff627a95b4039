"""Takes: from arrays and recordings, trimmed by hand or by themselves."""

from dataclasses import replace

import numpy as np
import pytest

from swerve.core.clips import mismatch
from swerve.core.errors import BadInput
from swerve.core.recording import Recording
from swerve.race.car import FRAME
from swerve.race.drivers import cruise, in_turn, record, straight_at, turn
from swerve.race.rollout import play
from swerve.race.takes import Take, cut, hand_offs, tree_of_takes, with_clip
from swerve.race.trees import load_tree

DRIVE = in_turn((1.0, cruise(20.0)), (0.8, turn(20.0, 0.4)), (3.0, cruise(20.0)), (4.0, cruise(15.0)))


@pytest.fixture(scope="module")
def take() -> Take:
    return record(DRIVE, straight_at([20.0]), 8.8)[0]


def test_a_recording_gives_the_take_back(take, tmp_path):
    path = take.to_recording().write(tmp_path / "drive.parquet")
    again = Take.from_recording(Recording.read(path))
    assert again.dt == FRAME and again.frames == take.frames
    assert np.abs(again.states - take.states).max() < 1e-4  # recordings keep velocities in single precision
    assert np.array_equal(again.controls, take.controls)


def test_yaw_rate_comes_from_headings_where_it_is_not_recorded(take):
    columns = dict(take.to_recording().columns)
    for name in ("yaw_rate", "steer", "throttle", "brake_input"):
        del columns[name]
    bare = Take.from_recording(Recording(columns))
    assert bare.controls.size == 0
    assert np.abs(bare.states[1:-1, 5] - take.states[1:-1, 5]).max() < 0.05


def test_a_body_is_chosen_by_its_number(take):
    both = Recording.join(
        [take.to_recording(3), record(cruise(9.0), straight_at([9.0]), 1.0)[0].to_recording(5)]
    )
    assert Take.from_recording(both).frames == take.frames
    assert Take.from_recording(both, 5).frames == 25
    with pytest.raises(BadInput, match="not in the recording"):
        Take.from_recording(both, 4)


def test_uneven_times_are_refused(take):
    columns = dict(take.to_recording().columns)
    columns["t"] = columns["t"] ** 1.01
    with pytest.raises(BadInput, match="equal times"):
        Take.from_recording(Recording(columns))


def test_a_clip_of_a_take_replays(take):
    clip = take.clip(30, 60)
    start = np.array([0.0, 0.0, 0.0, *clip.velocity[0]])
    assert np.abs(play(clip.controls, start)[:, :3] - clip.pose).max() < 1e-9


def test_hand_offs_are_straight_driving_at_given_speeds(take):
    marks = hand_offs(take, [15.0, 20.0], 0.2)
    assert len(marks) == 3
    hubs = [[20, 0, 0], [20, 0, 0], [15, 0, 0]]
    assert mismatch(take.velocity[marks], hubs).max() < 0.2
    assert len(hand_offs(take, [7.0], 0.2)) == 0
    assert len(hand_offs(take, None, 0.2)) == 2  # straight before the turn, and from it to the end


def test_the_wheel_is_near_straight_ahead_at_hand_offs(take):
    turned = take.controls.copy()
    turned[:30, 0] = 0.09  # too far to get to −0.09 within a frame
    marks = hand_offs(Take("turned", take.states, turned), [15.0, 20.0], 0.2)
    assert marks.min() > 30 and len(marks) == 2
    assert len(hand_offs(Take("bare", take.states), [15.0, 20.0], 0.2)) == 3


def test_a_clip_whose_wheel_is_too_far_from_others_does_not_join_a_tree():
    large = load_tree("large")
    fast = next(clip for clip in large.clips if clip.name == "fast straight")
    for row, end in ((0, "start"), (-1, "end")):
        controls = fast.controls.copy()
        controls[row, 0] = 0.12
        with pytest.raises(BadInput, match=f"its {end}: the wheel is"):
            with_clip(large, replace(fast, name="mine", controls=controls))
    assert len(with_clip(large, replace(fast, name="mine")).clips) == len(large.clips) + 1


def test_trimming_by_hand_leaves_out_contact(take):
    hit = Take("hit", take.states, take.controls, np.arange(take.frames + 1) == 100)
    assert [clip.frames for clip in cut(take, [0, 50, 120, 200])] == [50, 70, 80]
    assert [clip.frames for clip in cut(hit, [0, 50, 120, 200])] == [50, 80]
    assert 100 not in hand_offs(hit)
    with pytest.raises(BadInput, match="hand-off points"):
        cut(take, [0, take.frames + 1])


def test_a_tree_of_takes_joins_its_hubs(take):
    tree = tree_of_takes([take], {"slow": 15.0, "quick": 20.0}, 0.2)
    assert [(int(a), int(b)) for a, b in zip(tree.source, tree.target, strict=True)] == [(1, 1), (1, 0)]
    assert tree.seams().max() < 0.2
    with pytest.raises(BadInput, match="drives straight"):
        tree_of_takes([take], {"walk": 1.0}, 0.2)


@pytest.mark.parametrize(
    ("states", "controls", "contact", "says"),
    [
        (np.zeros((5, 5)), np.zeros((0, 0)), np.zeros(0), "states must be"),
        (np.full((5, 6), np.nan), np.zeros((0, 0)), np.zeros(0), "not finite"),
        (np.zeros((5, 6)), np.zeros((5, 3)), np.zeros(0), r"controls must be \(4, 3\)"),
        (np.zeros((5, 6)), np.zeros((0, 0)), np.zeros(4, dtype=bool), r"contact must be \(5,\)"),
    ],
)
def test_takes_check_their_shapes(states, controls, contact, says):
    with pytest.raises(BadInput, match=says):
        Take("bad", states, controls, contact)


def test_pieces_lie_within_the_take(take):
    with pytest.raises(BadInput, match="within 0 and"):
        take.clip(10, take.frames + 1)
