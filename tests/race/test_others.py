"""Bodies of every size, given at search time: seen as they are, widened with time, and always answered."""

import numpy as np
import pytest

from plain_shapes import boxes_apart, boxes_touch
from swerve.core.clips import place_poses
from swerve.core.errors import BadInput
from swerve.core.plan import Status
from swerve.race.car import FRAME
from swerve.race.guide import far_guide, track_guide
from swerve.race.others import Others
from swerve.race.route import RouteSearch, SearchOptions
from swerve.race.touch import first_contact
from swerve.race.tracks import generate
from swerve.race.traffic import Traffic
from test_collide import BETWEEN, FAR_WALL, MARGIN, ROOM, SIZE, one_clip_tree, place_with, scene, traffic_near

KINDS = np.array([[0.5, 0.5], [1.8, 0.6], [4.2, 1.8], [12.0, 2.55]])  # person, cyclist, car, bus [m]


def packed(poses: np.ndarray) -> np.ndarray:
    return np.stack([poses[..., 0], poses[..., 1], np.cos(poses[..., 2]), np.sin(poses[..., 2])], axis=-1)


def grown(size: np.ndarray, by: float) -> tuple[float, float]:
    return float(size[0] + 2 * by), float(size[1] + 2 * by)


@pytest.mark.parametrize("widening", [0.0, 1.5])
def test_bodies_of_all_sizes_are_kept_clear_of(widening):
    """Against a dense check from outside: what touches is refused, what is clear is taken."""
    touching = clear = 0
    for seed in range(60):
        rng, dense, start = scene(3000 + seed)
        world = place_poses(dense, start)
        sizes = KINDS[rng.integers(0, 4, 2)]
        bodies = traffic_near(rng, world, 2, 0, (15.0, 1.0, 1.0), rng.choice([1.5, 4.0, 12.0]))
        tree = one_clip_tree(dense)
        guide = far_guide(tree, np.array([1e4, 0.0]), improved=False)
        options = SearchOptions(horizon=tree.clips[0].frames, nodes=4, duplicates=False)
        search = RouteSearch(tree, place_with(FAR_WALL), guide, options, margin=MARGIN)
        others = Others(packed(bodies[:, ::BETWEEN]), sizes, np.full(2, widening))
        took = search.search(start, 0, 7, others=others).status is not Status.STUCK
        times = FRAME / BETWEEN * np.arange(len(world))
        bare = [
            boxes_touch(world, SIZE, body, tuple(size)).any()
            for body, size in zip(bodies, sizes, strict=True)
        ]
        if any(bare):
            touching += 1
            assert not took, f"seed {seed}: drove into a body"
        most = widening * times[-1]
        wide = [
            boxes_apart(world[::5], SIZE, body[::5], grown(size, most))
            for body, size in zip(bodies, sizes, strict=True)
        ]
        if min(wide) > MARGIN + ROOM:
            clear += 1
            assert took, f"seed {seed}: refused without cause"
    assert touching > 15 and clear > 5


def test_what_is_unsure_widens_with_the_time_ahead(large):
    """A parked body is passed closely when it is sure, and widely when it may have moved by then."""
    track = generate(length=300, corners=0, width=16, seed=0)
    search = RouteSearch(large, track, track_guide(large, track), SearchOptions(horizon=120, nodes=3000))
    place, size = track.pose(90.0), np.array([[0.5, 0.5]])
    gap = {}
    for widening in (0.0, 1.0):
        others = Others(np.tile(packed(place), (1, 300, 1)), size, np.array([widening]))
        route = search.search(track.pose(8.0), 6, 0, 8.0, track.finish, others=others)
        assert route.status is not Status.STUCK
        driven = [track.pose(8.0)[None]]
        for k in route.clips:
            driven.append(place_poses(large.clips[k].pose, driven[-1][-1])[1:])
        path = np.vstack(driven)
        near = int(np.argmin(np.hypot(*(path - place)[:, :2].T)))
        gap[widening] = boxes_apart(path, SIZE, np.tile(place, (len(path), 1)), tuple(size[0]))
        assert gap[widening] > 0.15 + widening * FRAME * (near - 5)
    assert gap[0.0] < 1.5 and gap[1.0] > 2.0


def test_traffic_and_others_are_one(seven):
    track = generate(length=600, corners=5, sharpness=0.3, seed=4)
    t = np.arange(400) * FRAME
    s = np.arange(60.0, 560.0, 50.0)[:, None] + 9.0 * t
    offset = np.where(np.arange(10) % 2, 3.5, -3.5)[:, None]
    traffic = Traffic(np.ascontiguousarray(track.pose(s, np.broadcast_to(offset, s.shape))))
    guide, options = track_guide(seven, track), SearchOptions(horizon=150, nodes=3000)
    planned = RouteSearch(seven, track, guide, options, traffic)
    asked = RouteSearch(seven, track, guide, options)
    for frame in (0, 40):
        others = Others(packed(traffic.poses[:, frame:]), np.tile(KINDS[2], (10, 1)))
        a = planned.search(track.pose(8.0), 0, frame, 8.0, track.finish)
        b = asked.search(track.pose(8.0), 0, frame, 8.0, track.finish, others=others)
        assert a.clips.tolist() == b.clips.tolist() and (a.cost, a.kept) == (b.cost, b.kept)


def boxed(track, at, sizes):
    poses = np.array([track.pose(s, offset) for s, offset in at])
    return Others(np.repeat(packed(poses)[:, None], 200, axis=1), np.array(sizes))


def test_whoever_is_boxed_in_gets_the_least_bad_answer(large):
    track = generate(length=300, corners=0, width=8, seed=0)
    guide = track_guide(large, track)
    search = RouteSearch(large, track, guide, SearchOptions(nodes=3000, weight=1.1), margin=0.25)
    fast = int(np.argmax(large.node_velocity[:, 0]))
    wall = boxed(track, [(60.0, -2.0), (60.0, 2.0)], [[4.2, 3.9], [4.2, 3.9]])
    pose = track.pose(30.0)
    route = search.search(pose, fast, 0, 30.0, track.finish, others=wall)
    assert route.status is Status.STUCK and not route.status.usable
    hits = {}
    for k in large.out_of(fast):
        hits[int(k)] = first_contact(place_poses(large.clips[k].pose, pose), track.walls, wall)
    driven = [pose[None]]
    for k in route.clips:
        driven.append(place_poses(large.clips[k].pose, driven[-1][-1])[1:])
    hit = first_contact(np.vstack(driven), track.walls, wall)
    assert (hit < 0 or hit > route.ahead) and route.ahead >= max(min(hits.values()), 1)
    straight = next(k for k in hits if large.clips[k].name == "fast straight")
    speed = np.hypot(*large.clips[route.clips[-1]].velocity[-1, :2])
    assert route.clips.tolist() != [straight] and speed < 30.0  # it does not go on as if nothing were


def test_a_body_that_is_all_but_touched_is_left_behind(large):
    """Closer than the margin already: no reason to give up."""
    track = generate(length=300, corners=0, width=8, seed=0)
    search = RouteSearch(large, track, track_guide(large, track), SearchOptions(nodes=2000), margin=0.25)
    beside = boxed(track, [(8.0, 1.8 / 2 + 0.1 + 0.25)], [[0.5, 0.5]])
    route = search.search(track.pose(8.0), 0, 0, 8.0, track.finish, others=beside)
    assert route.status is not Status.STUCK
    on_top = boxed(track, [(8.0, 0.0)], [[0.5, 0.5]])
    assert search.search(track.pose(8.0), 0, 0, 8.0, track.finish, others=on_top).status is Status.STUCK


@pytest.mark.parametrize(
    "wrong",
    [
        (np.zeros((2, 9, 3)), np.ones((2, 2)), np.zeros(2)),
        (np.zeros((2, 9, 4)), np.ones((3, 2)), np.zeros(2)),
        (np.zeros((2, 9, 4)), np.ones((2, 2)), np.zeros(3)),
        (np.full((2, 9, 4), np.nan), np.ones((2, 2)), np.zeros(2)),
        (np.zeros((2, 9, 4)), -np.ones((2, 2)), np.zeros(2)),
    ],
)
def test_impossible_bodies_are_refused(wrong):
    with pytest.raises(BadInput, match="others"):
        Others(*wrong)
