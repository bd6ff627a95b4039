"""What a mind believes: late and noisy sight, filters, what it told its own robot, and the flight ahead."""

import numpy as np
import pytest
from plain_golf import COURSE, rolling

from swerve.core.seeding import generator
from swerve.tactics.domains import duel
from swerve.tactics.domains.minigolf import lay, play_on
from swerve.tactics.loop import (
    Camera,
    Command,
    MujocoReality,
    Noise,
    PlayOptions,
    Tracker,
    golf,
)
from swerve.tactics.loop.foresee import gone_on, rolled_on, taken_in
from swerve.tactics.loop.golf import world_of
from swerve.tactics.loop.pymunk_world import PymunkReality
from swerve.tactics.loop.tracker import WINDOW

pytest.importorskip("pymunk")


@pytest.fixture(scope="module")
def course():
    return COURSE


@pytest.fixture(scope="module")
def problem(course):
    return play_on(course)


def test_what_is_seen_is_late_and_noisy(problem):
    camera = Camera(problem.world, generator(1, "camera"), Noise(), latency=0.05)
    reality = MujocoReality(problem.world, rolling(problem, (1.0, 0.0)), generator(1, "reality"))
    slot, seen, truth = problem.world.slot("ball"), [], []
    for _ in range(30):
        truth.append(reality.row[slot.qpos])
        seen.append(camera.look(reality.row))
        reality.step({})
    assert seen[:3] == [None] * 3 and seen[3].t == pytest.approx(0.0, abs=1e-9)
    errors = np.array([s.poses["ball"][0] for s in seen[3:]]) - truth[:-3]
    assert 0.0003 < errors.std() < 0.004 and errors.any()


def test_the_tracker_knows_where_a_ball_is_now_through_a_bounce(problem, course):
    reality = PymunkReality(problem.world, course, rolling(problem, (1.2, 2.4), (0.4, 0.9)))
    camera = Camera(problem.world, generator(2, "camera"), Noise(), latency=0.05)
    tracker = Tracker(problem.world, problem.start, Noise(), latency=0.05)
    slot, gaps, turned = problem.world.slot("ball"), [], False
    for _ in range(60):
        seen = camera.look(reality.row)
        if seen is not None:
            tracker.update(seen)
        estimate = tracker.estimate(reality.row[0])
        gaps.append(np.hypot(*(estimate - reality.row)[slot.qpos : slot.qpos + 2]))
        turned |= bool(reality.row[slot.qvel + 1] < -0.3)
        reality.step({})
    assert turned and np.median(gaps[20:]) < 0.012 and gaps[-1] < 0.02


def test_a_robot_is_followed_by_what_it_was_told_until_something_holds_it_up(problem, course):
    """Better than the camera sees it, while it obeys; where it is seen, when it is held."""
    slot, drive = problem.world.slot("robot"), golf.PUTTING
    gaps = {}
    for held in (False, True):
        reality = PymunkReality(problem.world, course, problem.start)
        camera = Camera(problem.world, generator(4, "camera"), Noise(), 0.05)
        tracker, start = Tracker(problem.world, problem.start, Noise(), 0.05, drive), reality.row.copy()
        mine = []
        for frame in range(50):
            seen = camera.look(reality.row)
            if seen is not None:
                tracker.update(seen)
            estimate = tracker.estimate(reality.row[0])
            if frame > 10:
                mine.append(np.hypot(*(estimate - reality.row)[slot.qpos : slot.qpos + 2]))
            command = Command(0.0, 1.2 * np.sin(frame / 6.0), 0.0)
            reality.step({"robot": command})
            if held:
                reality.row[slot.qpos : slot.qpos + 2] = start[slot.qpos : slot.qpos + 2]
            tracker.sent({"robot": command})
        gaps[held] = float(np.sqrt(np.mean(np.square(mine))))
    assert gaps[False] < Noise().place * 1.2 and gaps[True] < 0.1


@pytest.mark.parametrize(("heading", "flies"), [(0.0, True), (np.pi, False)])
def test_a_ball_that_was_kicked_is_known_to_fly_before_it_is_seen_to(heading, flies):
    """A robot believed the ball at its mouth for as long as pictures take, planned with it and kicked it."""
    world = duel.build("blue").world
    row, noise, mine, ball = world.initial.copy(), Noise(0.0, 0.0), world.slot("blue"), world.slot("ball")
    row[mine.qpos : mine.qpos + 3] = -(mine.radius + ball.radius + 0.004), 0.0, heading
    row[ball.qpos : ball.qpos + 2] = 0.0
    reality = MujocoReality(world, row, generator(1, "reality"), ball="ball")
    camera = Camera(world, generator(1, "camera"), noise, latency=0.05)
    tracker = Tracker(world, row, noise, latency=0.05)
    errors = []
    for k in range(12):
        seen = camera.look(reality.row)
        if seen is not None:
            tracker.update(seen)
        estimate = tracker.estimate(float(reality.row[0]))
        errors.append(float(np.hypot(*(estimate - reality.row)[ball.qpos : ball.qpos + 2])))
        told = {"blue": Command(kick=5.0 * (k in (7, 8)))}
        reality.step(told)
        tracker.sent(told)
    assert (reality.row[ball.qvel] > 3.0) == flies
    assert max(errors[8:]) < 0.03  # it is 0.08 m a frame elsewhere


def test_the_rate_of_a_bar_is_known_to_a_percent_after_a_second():
    course = lay(0, 0)
    problem = play_on(course)
    reality, camera = world_of(course, PlayOptions(), 0), Camera(problem.world, generator(3, "camera"))
    tracker = Tracker(problem.world, problem.start, Noise(), 0.05)
    for _ in range(WINDOW + 5):
        seen = camera.look(reality.row)
        if seen is not None:
            tracker.update(seen)
        reality.step({})
    assert tracker.rate("bar") == pytest.approx(1.5, rel=0.01)


def test_a_filter_does_what_its_equations_say():
    random, h = np.random.default_rng(4), 1 / 60
    x, q, r, seen = (
        random.normal(size=(3, 2)),
        np.array([2.0, 3.0, 0.5]),
        np.full(3, 0.01),
        random.normal(size=3),
    )
    p = np.array([a @ a.T for a in random.normal(size=(3, 2, 2))])
    f, shape = np.array([[1, h], [0, 1]]), np.array([[h**4 / 4, h**3 / 2], [h**3 / 2, h**2]])
    x1, p1 = x @ f.T, f @ p @ f.T + q[:, None, None] * shape
    gain = p1[:, :, 0] / (p1[:, 0, 0] + r)[:, None]
    x2, p2 = x1 + gain * (seen - x1[:, 0])[:, None], p1 - gain[:, :, None] * p1[:, 0, None, :]
    gone_on(x, p, h, q)
    assert np.allclose(x, x1) and np.allclose(p, p1)
    taken_in(x, p, seen, r)
    assert np.allclose(x, x2) and np.allclose(p, p2)


def test_a_ball_that_meets_a_box_is_thrown_back_once():
    place, velocity, box = np.array([0.9, 0.0]), np.array([3.0, 0.3]), np.array([[1.0, -1.0]])
    rolled_on(place, velocity, 4, 1 / 60, box, box + 2.0)
    assert place[0] < 1.0 and -3.0 < velocity[0] < -1.5 and 0.2 < velocity[1] < 0.3
