"""The trees that come with the package, and the files they are kept in."""

import numpy as np
import pytest

from swerve.core.clips import place_poses
from swerve.core.errors import BadInput
from swerve.race.car import FRAME, SUBSTEPS, Car, CarParameters
from swerve.race.hubs import LATTICE
from swerve.race.rollout import amplification, natural_amplification, sideslip
from swerve.race.shooting import MAX_AMPLIFICATION
from swerve.race.tree_statistics import node_statistics, statistics
from swerve.race.trees import (
    DATA,
    HUBS,
    NAMES,
    SEAM,
    SKID,
    build_tree,
    load_tree,
    skids,
    wanted_turns,
    without_skids,
)


@pytest.fixture(scope="module", params=NAMES)
def tree(request):
    return load_tree(request.param)


@pytest.fixture(scope="module")
def large():
    return load_tree("large")


def test_the_trees_have_what_their_names_say(large):
    for name, clips in (("five", 5), ("seven", 7)):
        small = load_tree(name)
        assert len(small.clips) == clips and len(small.node_names) == 1
        assert all(clip.frames == 25 for clip in small.clips)
        assert not small.target.any()
    assert large.node_names == tuple(HUBS)
    assert np.array_equal(large.node_velocity[:, 0], [0, 5, 10, 15, 20, 25, 30])
    assert large.meta["missing"] == []


def test_replaying_the_controls_reproduces_every_clip(tree):
    frames = max(clip.frames for clip in tree.clips)
    states = np.zeros((len(tree.clips), 6))
    states[:, 3:] = [clip.velocity[0] for clip in tree.clips]
    car = Car()
    for k in range(frames):
        live = [i for i, clip in enumerate(tree.clips) if k < clip.frames]
        steer, throttle, brake = np.array([tree.clips[i].controls[k] for i in live]).T
        for _ in range(SUBSTEPS):
            states[live] = car.step(states[live], steer, throttle, brake, FRAME / SUBSTEPS)
        poses = np.array([tree.clips[i].pose[k + 1] for i in live])
        assert np.abs(states[live][:, :3] - poses).max() < 1e-9


def test_positions_go_on_without_a_jump_where_clips_meet(tree):
    rng = np.random.default_rng(3)
    node, pose = 0, np.array([3.0, -2.0, 0.7])
    for _ in range(40):
        k = rng.choice(tree.out_of(node))
        way = place_poses(tree.clips[k].pose, pose)
        assert np.allclose(way[0], pose, atol=1e-12)
        assert np.hypot(*np.diff(way[:, :2], axis=0).T).max() <= tree.top_speed * FRAME + 1e-9
        node, pose = int(tree.target[k]), way[-1]


def test_the_wheel_turns_no_faster_than_hands_in_clips_and_from_any_to_any_that_may_follow(tree):
    reach = 4.0 * FRAME + 1e-9
    for clip in tree.clips:
        assert np.abs(np.diff(clip.controls[:, 0])).max(initial=0.0) <= reach
    last = np.array([clip.controls[-1, 0] for clip in tree.clips])
    first = np.array([clip.controls[0, 0] for clip in tree.clips])
    meet = tree.target[:, None] == tree.source[None]
    assert np.abs(last[:, None] - first[None])[meet].max() <= reach


def test_sideways_motion_vanishes_at_every_seam(tree):
    assert statistics(tree)["worst_sideways_seam"] < 1e-6


def test_large_closes_to_its_stated_bound(large):
    assert SEAM <= 0.005
    assert large.seams().max() < SEAM
    assert statistics(large)["worst_seam"] < SEAM


def test_headings_of_large_lie_on_the_lattice(large):
    turns = np.array([clip.pose[-1, 2] for clip in large.clips])
    assert np.abs(turns - np.round(turns / LATTICE) * LATTICE).max() < 1e-8


def test_every_hub_of_large_is_reached_from_every_other_and_mirrored(large):
    reach = np.eye(7, dtype=bool)
    for _ in range(7):
        for a, b in zip(large.source, large.target, strict=True):
            reach[:, b] |= reach[:, a]
    assert reach.all()
    ends = {(int(a), int(b), *np.round(c.pose[-1], 6)) for a, b, c in _ends(large)}
    mirror = {(a, b, x, -y + 0.0, -turn + 0.0) for a, b, x, y, turn in ends}
    assert mirror == {(a, b, x, y + 0.0, turn + 0.0) for a, b, x, y, turn in ends}
    assert max(row["clips"] for row in node_statistics(large)) <= 30


def test_large_skids_hard_to_both_sides(large):
    slides = skids(large)
    hard = [
        clip
        for clip, s in zip(large.clips, slides, strict=True)
        if s and sideslip(clip.velocity) > np.radians(30)
    ]
    assert sum(clip.pose[-1, 2] > 0 for clip in hard) >= 8
    assert sum(clip.pose[-1, 2] < 0 for clip in hard) >= 8
    assert all(("skid" in clip.name) == bool(s) for clip, s in zip(large.clips, slides, strict=True))
    names = {clip.name for clip in large.clips}
    assert {"fast>sm2 skid left 90", "fast>sm2 skid right 180", "mf2>sm2 skid left 135"} <= names


def test_without_skids_slides_nowhere_and_still_reaches_every_hub(large):
    calm = without_skids(large)
    assert max(sideslip(clip.velocity) for clip in calm.clips) <= SKID
    assert len(calm.clips) == len(large.clips) - skids(large).sum()
    assert set(calm.source.tolist()) == set(calm.target.tolist()) == set(range(7))


def test_large_can_back_out_and_turn_round(large):
    back = [clip for clip in large.clips if clip.pose[-1, 0] < -0.5]
    assert min(clip.pose[-1, 0] for clip in back) < -2.5
    assert {round(np.degrees(clip.pose[-1, 2])) for clip in back} >= {0, 30, -30, 60, -60}
    assert all(clip.name.startswith("stop back") for clip in back)


def test_errors_at_the_start_do_not_grow_wildly(large):
    packed = CarParameters().packed()
    for a, b, clip in _ends(large):
        if "skid" not in clip.name:
            continue
        speeds = large.node_velocity[[a, b], 0]
        natural = max(natural_amplification(u, clip.frames, tuple(packed)) for u in speeds)
        grown = amplification(clip.controls, float(speeds[0]), packed)
        assert grown <= MAX_AMPLIFICATION * max(1.0, natural)


def test_seven_turns_tighter_than_five():
    def sharpest(name):
        return max(abs(clip.pose[-1, 2]) / clip.length for clip in load_tree(name).clips)

    assert 1 / sharpest("seven") < 25 < 1 / sharpest("five")  # [m] mean radius


def test_the_wish_list_asks_for_no_turn_twice():
    wanted = [(t.start, t.end, t.degrees) for t in wanted_turns()]
    assert len(wanted) == len(set(wanted))


def test_building_is_repeatable():
    first, second = build_tree("five", seed=1), build_tree("five", seed=1)
    for a, b in zip(first.clips, second.clips, strict=True):
        assert np.array_equal(a.pose, b.pose) and np.array_equal(a.controls, b.controls)


def test_trees_survive_a_file(tmp_path):
    seven = load_tree("seven")
    assert load_tree("seven") is seven  # what is shipped is read once
    again = load_tree(seven.save(tmp_path / "mine.npz"))
    assert again is not load_tree(tmp_path / "mine.npz")
    assert [c.name for c in again.clips] == [c.name for c in seven.clips]
    assert all(np.array_equal(a.pose, b.pose) for a, b in zip(again.clips, seven.clips, strict=True))


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda folder: "nine", "must be one of five, seven, large"),
        (lambda folder: folder / "absent.npz", "no such file"),
        (lambda folder: folder, "is not a file"),
        (lambda folder: _written(folder / "cut.npz", (DATA / "seven.npz").read_bytes()[:3000]), "damaged"),
        (lambda folder: _written(folder / "text.npz", b"not a tree"), "damaged"),
        (lambda folder: _written(folder / "empty.npz", b""), "damaged"),
    ],
)
def test_bad_trees_are_refused_in_one_line(tmp_path, make, says):
    with pytest.raises(BadInput, match=says) as caught:
        load_tree(make(tmp_path))
    assert "\n" not in str(caught.value)


def test_an_unknown_tree_cannot_be_built():
    with pytest.raises(BadInput, match="five, seven, large"):
        build_tree("nine")


def _ends(tree):
    return zip(tree.source, tree.target, tree.clips, strict=True)


def _written(path, data):
    path.write_bytes(data)
    return path
