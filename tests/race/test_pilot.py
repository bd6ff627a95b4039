"""Driving frame by frame: what is foreseen happens, from any start, along any way, with any library."""

from dataclasses import replace

import numpy as np
import pytest

from plain_shapes import touches_anything
from swerve.core.clips import Clip
from swerve.core.errors import BadInput
from swerve.core.library import MotionLibrary
from swerve.core.plan import Status
from swerve.race import Journey, Leg, Pilot, Setting, Track, drive
from swerve.race.car import FRAME, LENGTH, WIDTH
from swerve.race.others import Others
from swerve.race.route import SearchOptions
from swerve.race.touch import first_contact
from swerve.race.tracks import generate, load_track
from town_routes import town_line, town_route

QUICK = SearchOptions(nodes=1500, weight=1.1)


def run(pilot: Pilot, frames: int) -> np.ndarray:
    """Poses (n, 3) of a drive until the end of the way or of the time."""
    poses = [pilot.pose]
    while len(poses) <= frames and not pilot.arrived:
        poses.append(pilot.choose(len(poses) - 1).pose)
    return np.array(poses)


def test_a_drive_is_a_pilot_asked_frame_by_frame(drives):
    result = drives["final", 1]
    pilot = Pilot(
        result.tree,
        result.track,
        Leg(pose=result.states[0, :3]),
        options=Setting().search,
        traffic=result.traffic,
        margin=Setting().margin,
    )
    np.testing.assert_array_equal(run(pilot, 200), result.states[:201, :3])


def test_moves_carry_controls_and_velocity(large):
    pilot = Pilot(large, town_route(2, 300.0), options=QUICK)
    for frame in range(120):
        begins = pilot.at_transition
        before = pilot.pose
        move = pilot.choose(frame)
        clip = large.clips[move.clip]
        assert begins == (move.frame == 0)
        np.testing.assert_array_equal(move.controls, clip.controls[move.frame])
        np.testing.assert_array_equal(move.velocity, clip.velocity[move.frame + 1])
        step = np.hypot(*(move.pose - before)[:2])
        mean = (clip.velocity[move.frame] + clip.velocity[move.frame + 1]) / 2
        assert step == pytest.approx(FRAME * np.hypot(*mean[:2]), abs=0.02)


def test_what_is_foreseen_happens_until_the_next_plan_changes_it(large):
    pilot = Pilot(large, town_route(3, 300.0), options=QUICK)
    pilot.choose()
    while not pilot.at_transition:
        ahead = pilot.foresee(60)
        pilot.choose()
        np.testing.assert_allclose(ahead[0], pilot.pose, atol=1e-12)
    ahead, planned = pilot.foresee(40), pilot.tail.copy()
    pilot.plan()
    if pilot.clip == planned[0]:
        np.testing.assert_allclose(ahead[: len(pilot.poses) - 1], pilot.poses[1:][:40], atol=1e-9)
    still = Pilot(large, town_route(3, 300.0), options=QUICK)
    np.testing.assert_allclose(still.foresee(5), np.tile(still.pose, (5, 1)))


@pytest.mark.parametrize("node", range(7))
def test_rolling_starts_from_every_node(node, large):
    track = generate(length=450, corners=3, sharpness=0.3, width=12, seed=2)
    pilot = Pilot(large, track, Leg(200.0, node=node), options=QUICK)
    poses = run(pilot, 1000)
    assert pilot.arrived
    first = np.hypot(*(poses[1] - poses[0])[:2]) / FRAME
    assert first == pytest.approx(large.node_velocity[node, 0], abs=1.0)
    nobody = np.zeros((0, len(poses), 3))
    assert not touches_anything(poses, (LENGTH, WIDTH), track.segments, nobody, (LENGTH, WIDTH))


def test_a_journey_may_come_by_where_it_was(large):
    """Round a block and on: the same junction twice, each time on towards what comes next."""
    seed = next(k for k in range(100) if _crosses(town_line(k, 800.0, again=True)))
    line = town_line(seed, 800.0, again=True)
    with pytest.raises(BadInput, match="crosses or touches itself"):
        Track.from_centre("all of it", line, 2.2, 4.8)
    journey = Journey("round the block", line, 2.2, np.linspace(4.8, 5.5, len(line)))
    pilot = Pilot(large, journey, options=QUICK)
    before, tracks = pilot.progress, set()
    for frame in range(4000):
        pilot.choose(frame)
        tracks.add(id(pilot.track))
        assert abs(pilot.progress - before) < 4.0  # metres a frame: it never leaps to the other visit
        before = pilot.progress
        if pilot.arrived:
            break
    assert pilot.arrived and len(tracks) > 2
    assert np.hypot(*(pilot.pose[:2] - line[-1])) < 8.0


def _crosses(line: np.ndarray) -> bool:
    """Whether the line comes near a place of long before."""
    points = line[:: max(1, len(line) // 400)]
    s = np.concatenate([[0], np.cumsum(np.hypot(*np.diff(points, axis=0).T))])
    apart = np.hypot(*(points[:, None] - points[None]).transpose(2, 0, 1))
    return bool(((apart < 3.0) & (np.abs(s[:, None] - s[None]) > 150.0)).any())


def test_others_are_passed_and_waited_for(large):
    """A cyclist ahead is overtaken; a person who crosses is not run over."""
    track = generate(length=300, corners=0, width=10, seed=0)
    frames = 500
    t = FRAME * np.arange(frames + 400)
    cyclist = track.pose(40.0 + 4.0 * t, np.full(len(t), -2.0))
    walker = track.pose(np.full(len(t), 120.0), -8.0 + 1.4 * t)
    bodies = np.stack([cyclist, walker])
    sizes = np.array([[1.8, 0.6], [0.5, 0.5]])
    pilot = Pilot(large, track, options=QUICK)
    poses = [pilot.pose]
    for frame in range(frames):
        now = bodies[:, frame : frame + 300]
        packed = np.dstack([now[..., :2], np.cos(now[..., 2:]), np.sin(now[..., 2:])])
        others = Others(packed, sizes, np.array([0.2, 0.2]))
        if pilot.progress < 200.0:  # later the plan ends with the road
            ahead = np.vstack([pilot.pose, pilot.foresee(25)])
            assert first_contact(ahead, pilot.track.walls, others, 0, pilot.outline) < 0
        poses.append(pilot.choose(frame, others).pose)
        assert pilot.status is not Status.STUCK
        if pilot.arrived:
            break
    assert pilot.arrived
    driven = np.array(poses)
    for body, size in zip(bodies, sizes, strict=True):
        along = body[None, : len(driven)]
        assert not touches_anything(driven, (LENGTH, WIDTH), track.segments, along, tuple(size))


def cycling() -> MotionLibrary:
    """Straights and arcs at 4 m/s and a stop, in frames of 0.1 s, for an outline of 1.8 by 0.6 m."""
    clips, source, target = [], [], []

    def add(name: str, speeds: np.ndarray, degrees: float, a: int, b: int) -> None:
        way = 0.1 * (speeds[1:] + speeds[:-1]) / 2
        heading = np.radians(degrees) * np.concatenate([[0], np.cumsum(way)]) / max(way.sum(), 1e-9)
        middle = (heading[1:] + heading[:-1]) / 2
        step = way[:, None] * np.column_stack([np.cos(middle), np.sin(middle)])
        pose = np.column_stack([np.vstack([[0.0, 0.0], np.cumsum(step, axis=0)]), heading])
        velocity = np.column_stack([speeds, np.zeros_like(speeds), np.gradient(heading) / 0.1])
        clips.append(Clip(name, 0.1, pose, velocity))
        source.append(a)
        target.append(b)

    add("set off", np.linspace(0.0, 4.0, 13), 0.0, 0, 1)
    add("wait", np.zeros(5), 0.0, 0, 0)
    add("stop", np.linspace(4.0, 0.0, 9), 0.0, 1, 0)
    for degrees in (-40.0, -20.0, -8.0, 0.0, 8.0, 20.0, 40.0):
        add(f"turn {degrees:g}", np.full(7, 4.0), degrees, 1, 1)
    return MotionLibrary(
        "cycling",
        tuple(clips),
        np.array(source),
        np.array(target),
        ("stand", "ride"),
        np.array([[0.0, 0, 0], [4.0, 0, 0]]),
        {"outline": (1.8, 0.6)},
    )


def test_a_tree_that_turns_the_wheel_too_fast_is_refused(large):
    """At a seam, where five and seven once jumped by up to 6.2 rad/s, or in a clip."""
    quick = max(range(len(large.clips)), key=lambda k: abs(large.clips[k].controls[0, 0]))
    for rows, where in ((slice(None), "at "), (slice(4, 5), "in ")):
        controls = large.clips[quick].controls.copy()
        controls[rows, 0] += np.copysign(0.3, controls[0, 0])
        clips = list(large.clips)
        clips[quick] = replace(clips[quick], controls=controls)
        with pytest.raises(BadInput, match=f"turns the wheel too fast {where}"):
            Pilot(replace(large, clips=tuple(clips)), load_track("cornered"))


def test_another_library_brings_its_own_frame_and_outline():
    """A path of 1.6 m, too narrow for a car, ridden by a bicycle in frames of 0.1 s."""
    x = np.linspace(0.0, 120.0, 121)
    line = np.column_stack([x, 6.0 * np.sin(x / 14.0)])
    with pytest.raises(BadInput, match="too narrow"):
        Track.from_centre("path", line, 0.8, 0.8)
    path = Track.from_centre("path", line, 0.8, 0.8, narrowest=1.2)
    setting = Setting(SearchOptions(horizon=60, nodes=4000, weight=1.1), seconds=80.0, margin=0.05)
    result = drive(path, cycling(), setting, seed=0)
    assert result.finished and not result.crashed
    assert result.lap_figures()["steer_rate_max"] is None  # a bicycle's is not known
    assert result.seconds == pytest.approx((len(result.states) - 1) * 0.1)
    assert result.figures()["distance"] / result.seconds == pytest.approx(4.0, abs=0.4)
    nobody, size = np.zeros((0, len(result.states), 3)), (1.8, 0.6)
    assert not touches_anything(result.states[:, :3], size, path.segments, nobody, size)
    assert touches_anything(result.states[:, :3], (LENGTH, WIDTH), path.segments, nobody, size)
    plan = result.plan()
    assert plan.times[1] == pytest.approx(0.1)
