"""The world: the order of a frame, who sees whom, contacts on the way, impulses, recordings."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swerve.core.bodies import Bodies, PlainBody
from swerve.core.broadphase import WallMap
from swerve.core.contact import find_contacts
from swerve.core.errors import BadInput
from swerve.core.motion import Motion
from swerve.core.world import World


def glide(rows, commands, dt):
    rows = rows.copy()
    if commands.shape[1] == 2:
        rows[:, 3:5] = commands
    rows[:, :2] += dt * rows[:, 3:5]
    rows[:, 2] += dt * rows[:, 5]
    return rows


NAMES = ("x", "y", "yaw", "vx", "vy", "yaw_rate")


def block(name="block", outline=(4.0, 2.0, 1.5), **more):
    return PlainBody(name, outline, NAMES, (0.0,) * 6, glide, **more)


def placed(body, x, y, yaw=0.0, vx=0.0, vy=0.0):
    batch = body.start(len(np.atleast_1d(x)))
    for k, value in enumerate((x, y, yaw, vx, vy)):
        batch.rows[:, k] = value
    return batch


def test_a_frame_is_sense_choose_move_contact_record():
    seen = []

    class Noting(Bodies):
        kinds, outline = np.array(["thing"], object), np.ones((1, 3))

        def look(self, view):
            seen.append("sense")

        def motion(self):
            return Motion.planar(x=[0.0], y=[0.0])

        def step(self, commands, dt):
            seen.append(("move", commands))

        def parts(self):
            seen.append("record")

        def touched(self, touch):
            seen.append("contact")

    class Mind:
        def choose(self, view, dt):
            seen.append("choose")
            return np.ones(1)

    world = World()
    world.add(Noting(), Mind())
    world.add(placed(block(), 0.0, 0.0))
    seen.clear()
    world.step()
    assert [s if isinstance(s, str) else s[0] for s in seen] == [
        "record", "sense", "choose", "move", "contact", "record",
    ]  # fmt: skip


def test_everybody_chooses_on_the_same_frame():
    """Two that swap places by looking at each other: neither may see the other's move of this frame."""
    places = []

    class Follow:
        def choose(self, view, dt):
            other = view.others().motion
            places.append((float(view.mine.x[0]), float(other.x[0])))
            return np.stack([other.x - view.mine.x, 0.0 * other.y], -1) / dt

    world = World(dt=0.1)
    world.add(placed(block(), 0.0, 0.0), Follow())
    world.add(placed(block(), 50.0, 10.0), Follow())
    world.step()
    world.step()
    assert places == [(0.0, 50.0), (50.0, 0.0), (50.0, 0.0), (0.0, 50.0)]


def test_a_body_inside_another_is_a_contact_within_one_frame_and_one_above_is_not():
    world = World()
    world.add(placed(block(), 0.0, 0.0), name="below")
    inside = world.add(placed(block("other"), 0.5, 0.5, 0.3))
    world.step()
    assert [(c.a, c.b, c.kinds) for c in world.contacts] == [(0, int(inside.ids[0]), ("block", "other"))]
    above = PlainBody("high", (4.0, 2.0, 1.5), (*NAMES, "z"), (0.0,) * 6 + (5.75,), lambda r, c, dt: r)
    other = World()
    other.add(placed(block(), 0.0, 0.0))
    other.add(above.start(1))
    other.step()
    assert not other.contacts


@given(st.floats(5, 60), st.floats(-np.pi, np.pi), st.floats(0.2, 0.8), st.integers(0, 10**6))
@settings(max_examples=60, deadline=None)
def test_nothing_passes_through_anything_between_two_frames(speed, course, share, seed):
    """A fast ball aimed at a thin post: wherever in the frame they meet, it is seen."""
    ball, post = np.array([0.15, 0.15, 0.15]), np.array([0.1, 0.1, 1.0])
    rng = np.random.default_rng(seed)
    way = speed * 0.1 * np.array([np.cos(course), np.sin(course)])
    target = rng.uniform(-50, 50, 2)
    before = np.zeros((2, 6))
    before[0, :2], before[1, :2] = target - share * way, target
    after = before.copy()
    after[0, :2] += way
    found = find_contacts(before, after, np.stack([ball, post]), np.array([True, True]))
    assert len(found) == 1 and 0 < found.when[0] <= 1
    assert found.when[0] * np.hypot(*way) == pytest.approx(max(0.0, share * np.hypot(*way) - 0.25), abs=0.2)


def test_many_contacts_agree_with_a_check_of_all_pairs():
    from swerve.core.boxes import touching

    rng = np.random.default_rng(3)
    n = 300
    place = np.zeros((n, 6))
    place[:, :2], place[:, 2] = rng.uniform(0, 90, (n, 2)), rng.uniform(0, 3, n)
    place[:, 3] = rng.uniform(-4, 4, n)
    place[: n // 2, 4:] = rng.uniform(-0.3, 0.3, (n // 2, 2))
    half, flags = rng.uniform(0.2, 3.0, (n, 3)), rng.random(n) < 0.3
    half[flags, 1] = half[flags, 0]
    found = find_contacts(place, place, half, flags)
    expected = [
        (i, j)
        for i in range(n)
        for j in range(i + 1, n)
        if touching(place[i], half[i], flags[i], place[j], half[j], flags[j])[0] > 0
    ]
    assert list(zip(found.a.tolist(), found.b.tolist(), strict=True)) == expected
    assert len(expected) > 50


@given(st.floats(1, 30), st.floats(0.2, 5), st.floats(-0.8, 0.8), st.floats(-0.7, 0.7))
@settings(max_examples=60, deadline=None)
def test_a_crash_keeps_momentum_and_makes_no_energy(speed, ratio, aside, yaw):
    heavy = block("heavy", mass=1500.0)
    light = block("light", mass=1500.0 * ratio)
    world = World(dt=0.02)
    a = placed(heavy, 0.0, 0.0, vx=speed)
    b = placed(light, 4.3, aside, yaw)
    world.add(a)
    world.add(b)

    def totals():
        momentum, energy = np.zeros(2), 0.0
        for batch, mass in ((a, 1500.0), (b, 1500.0 * ratio)):
            v, w = batch.rows[0, 3:5], batch.rows[0, 5]
            momentum += mass * v
            energy += 0.5 * mass * (v @ v) + 0.5 * mass * (4.0**2 + 2.0**2) / 12 * w * w
        return momentum, energy

    before = totals()
    for _ in range(40):
        world.step()
    after = totals()
    assert len(world.contacts) >= 1 and world.contacts[0].impulse > 0
    assert after[0] == pytest.approx(before[0], rel=1e-9, abs=1e-6)
    assert after[1] <= before[1] * (1 + 1e-9)
    assert b.rows[0, 3] > 0  # it was pushed on


@given(st.floats(2, 30), st.floats(-0.8, 0.8), st.floats(-20, 20))
@settings(max_examples=40, deadline=None)
def test_pillars_turn_each_other_and_make_no_energy(speed, aside, turning):
    world = World(dt=0.02)
    pillar = block("pillar", (1.0, 1.0, 2.0), cylinder=True, mass=80.0)
    a, b = placed(pillar, 0.0, 0.0, vx=speed), placed(pillar, 1.2, aside)
    a.rows[0, 5] = turning
    world.add(a)
    world.add(b)

    def energy():
        return sum(
            40.0 * (one.rows[0, 3:5] @ one.rows[0, 3:5]) + 40.0 * 0.5**2 / 2 * one.rows[0, 5] ** 2
            for one in (a, b)
        )

    before = energy()
    for _ in range(30):
        world.step()
    assert world.contacts and energy() <= before * (1 + 1e-9)


def test_a_wall_throws_a_body_back_and_is_in_the_log():
    world = World(dt=0.1, walls=WallMap(np.array([[10.0, -20.0, 10.0, 20.0]])))
    car = placed(block(), 0.0, 0.0, vx=12.0)
    world.add(car, walls=True)
    ghost = placed(block("ghost"), 0.0, 10.0, vx=12.0)
    world.add(ghost)
    world.run(2.0)
    assert [c.kinds for c in world.contacts] == [("block", "wall")]
    assert car.rows[0, 0] < 8.01 and -3.0 < car.rows[0, 3] <= 0.0
    assert ghost.rows[0, 0] > 20


def test_world_foresees_each_batch_by_its_own_predictor():
    class Planned:
        def choose(self, view, dt):
            return np.zeros((1, 2))

        def foresee(self, times):
            return np.full((1, len(times), 3), 7.0)

    world = World()
    world.add(placed(block(), [0.0, 5.0], [0.0, 9.0], vx=2.0))
    mine = world.add(placed(block(), 30.0, 0.0), Planned())
    poses = world.foresee([0.5, 1.0])
    assert poses[:2, :, 0].tolist() == [[1.0, 2.0], [6.0, 7.0]]
    assert (poses[2] == 7.0).all()
    seen = world.view(mine).foresee(np.array([1.0]), within=27.0)
    assert seen.rows.tolist() == [1] and seen.poses[0, 0, 0] == pytest.approx(7.0)


class MeansTo:
    """A mind with a plan: round a circle of 20 m at 10 m/s, counted from when it last chose."""

    t = 0.0

    def choose(self, view, dt):
        self.t = view.t
        x, y = self.at(np.array([view.t, view.t + dt])).T
        return np.array([[np.diff(x)[0] / dt, np.diff(y)[0] / dt]])

    def at(self, t):
        return 20.0 * np.column_stack([np.cos(t / 2), np.sin(t / 2)])

    def foresee(self, times):
        return np.column_stack([self.at(self.t + times), 0.0 * times])[None]


@pytest.mark.parametrize("first", [True, False])
def test_what_a_mind_means_to_do_is_foreseen_from_this_moment(first):
    """Between frames, and by those who look before it has chosen again."""
    seen = []

    class Looking:
        def choose(self, view, dt):
            seen.append((view.t, view.foresee(np.array([0.0, 1.0])).poses[0, :, :2]))
            return np.zeros((1, 2))

    world, mind = World(), MeansTo()
    batches = [(placed(block("van"), 20.0, 0.0), mind), (placed(block(), 90.0, 0.0), Looking())]
    for batch, chooser in batches if first else batches[::-1]:
        world.add(batch, chooser)
    for _ in range(5):
        world.step()
        there = world.foresee([0.0, 1.0])[0 if first else 1]
        assert there[:, :2] == pytest.approx(mind.at(np.array([world.time, world.time + 1.0])), abs=1e-9)
    for t, poses in seen[1:]:
        assert poses == pytest.approx(mind.at(np.array([t, t + 1.0])), abs=1e-9)


@pytest.mark.parametrize("t", [-1.0, np.nan, 1e9])
def test_times_that_nobody_can_foresee_are_named(t):
    world = World()
    world.add(placed(block(), 0.0, 0.0))
    with pytest.raises(BadInput, match="times: must be between 0 and 600 s"):
        world.foresee([1.0, t])


def test_neighbours_leave_out_oneself_and_whoever_is_on_a_bridge():
    high = PlainBody("high", (1.0, 1.0, 1.0), (*NAMES, "z"), (0.0,) * 6 + (8.0,), lambda r, c, dt: r)
    world = World()
    mine = world.add(placed(block(), [0.0, 6.0, 100.0], 0.0))
    world.add(high.start(1))
    world.add(placed(block("near"), 3.0, 4.0))
    first, rows = world.view(mine).near(10.0)
    assert [rows[first[i] : first[i + 1]].tolist() for i in range(3)] == [[1, 4], [0, 4], []]


def test_a_recording_holds_everybody_with_contacts_and_true_attitude():
    lean = PlainBody(
        "rider", (1.7, 0.6, 1.8), (*NAMES, "roll", "pitch", "steer"), (0.0,) * 9, lambda r, c, dt: r
    )
    world = World()
    world.add(placed(block(), [0.0, 3.0], [0.0, 0.5]))
    rider = lean.start(1)
    rider.rows[0, [0, 2, 6, 7, 8]] = 40.0, 0.4, 0.3, 0.1, -0.2
    world.add(rider)
    recording = world.run(0.5)
    assert len(recording.times) == 6
    last = recording.where(recording["t"] == recording.times[-1])
    assert last["contact"].sum() in (0, 2) and recording["contact"].sum() >= 2
    w, x, y, z = (last[name][2] for name in ("qw", "qx", "qy", "qz"))
    up = np.array([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)])
    assert up @ [np.sin(0.4), -np.cos(0.4), 0] == pytest.approx(np.sin(0.3), abs=1e-6)
    forward_z = 2 * (x * z - w * y)
    assert forward_z == pytest.approx(np.sin(0.1), abs=1e-6)
    assert last["steer"][2] == pytest.approx(-0.2)


def test_a_batch_that_is_wrong_is_refused_by_name():
    world = World()
    bad = placed(block(), 0.0, np.nan)
    with pytest.raises(BadInput, match="cars, y\\[0\\]: must be finite"):
        world.add(bad, name="cars")
    world.add(placed(block(), 0.0, 0.0), ids=[4])
    with pytest.raises(BadInput, match="another body's already"):
        world.add(placed(block(), 9.0, 0.0), ids=[4])
    with pytest.raises(BadInput, match="dt"):
        World(dt=0.0)
    once = placed(block(), 30.0, 0.0)
    world.add(once, name="once")
    with pytest.raises(BadInput, match="once: are in this world already, got '1 bodies'"):
        world.add(once, name="once")
    with pytest.raises(BadInput, match=r"seconds: must be at least one frame of 0\.1 s, got 0\.04"):
        world.run(0.04)


def test_a_batch_says_which_frames_it_can_take():
    slow = placed(block(), 0.0, 0.0)
    slow.period = 0.04
    with pytest.raises(BadInput, match=r"dt: must be a whole number of the 0\.04 s by which slow moves"):
        World(dt=0.1).add(slow, name="slow")
    World(dt=0.12).add(slow)


def test_two_that_bounce_are_in_one_contact_until_they_have_been_apart_for_a_while():
    world = World(dt=0.1)
    ball = placed(block("ball", (1.0, 1.0, 1.0)), 0.0, 0.0)
    world.add(ball)
    world.add(placed(block("post", (1.0, 1.0, 1.0), mass=np.inf), 2.0, 0.0))
    for wait in (2, 8):  # frames between two knocks
        for _ in range(3):
            ball.rows[0, 0], ball.rows[0, 3] = 0.6, 10.0
            world.step()
            ball.rows[0, 0], ball.rows[0, 3] = -5.0, 0.0
            for _ in range(wait):
                world.step()
    assert len(world.contacts) == 3  # the quick knocks and the first slow one are one


def test_figures_count_by_kind():
    world = World()
    world.add(placed(block(), [0.0, 20.0], 0.0, vx=[3.0, 5.0]))
    world.add(placed(block("still"), 0.0, 9.0), watch=True)
    world.run(1.0)
    figures = world.figures()
    assert figures["bodies"] == {"block": 2, "still": 1}
    assert figures["mean_speed"] == {"block": pytest.approx(4.0), "still": 0.0}
    assert figures["min_gap"] == pytest.approx(7.0) and figures["contacts"] == 0


def test_nobody_is_looked_at_before_somebody_asks():
    asked = []

    class Shy(Bodies):
        kinds, outline = np.array(["thing"], object), np.ones((1, 3))

        def motion(self):
            asked.append(1)
            return Motion.planar(x=[0.0], y=[0.0])

        def look(self, view):
            assert view.alone

        def step(self, commands, dt):
            pass

    world = World(record=False, referee=False)
    world.add(Shy())
    asked.clear()
    world.step()
    assert not asked and not world.contacts
    assert len(world.everyone) == 1 and asked == [1]


def test_a_world_without_a_recorder_says_so_before_it_runs():
    world = World(record=False)
    with pytest.raises(BadInput, match="keeps no recording: use step"):
        world.run(1.0)
    assert world.time == 0.0


def test_a_batch_tells_its_identities_and_newcomers_keep_theirs():
    class Named(Bodies):
        def __init__(self, ids):
            self.known = np.array(ids)

        ids = property(lambda self: self.known)
        kinds = property(lambda self: np.full(len(self.known), "thing", object))
        outline = property(lambda self: np.ones((len(self.known), 3)))

        def motion(self):
            return Motion.planar(x=10.0 * self.known, y=0.0 * self.known)

        def step(self, commands, dt):
            pass

    world, batch = World(), Named([5, 3])
    world.add(batch)
    world.add(placed(block(), 0.0, 50.0))
    assert world.ids.tolist() == [5, 3, 6]
    batch.known = np.array([5, 3, 8, 6])
    world.refresh()
    world.step()
    assert world.ids[:3].tolist() == [5, 3, 8] and len(set(world.ids)) == 5  # 6 was taken


def test_rows_are_found_by_batch_by_name_and_by_kind():
    world = World()
    near, far = placed(block(), [0.0, 9.0], [0.0, 0.0]), placed(block("cart"), 50.0, 0.0)
    world.add(near, name="near")
    world.add(far, name="far")
    everyone = world.everyone
    assert everyone.of(far).tolist() == [False, False, True]
    assert everyone.called({"near"}).tolist() == [True, True, False]
    assert everyone.called({"cart"}).tolist() == [False, False, True]


def energy(batch, mass):
    v, w = batch.rows[:, 3:5], batch.rows[:, 5]
    return float((0.5 * mass * (v**2).sum(1) + 0.5 * mass * (4.0**2 + 2.0**2) / 12 * w**2).sum())


@pytest.mark.parametrize("posts", [1, 2, 4, 7])
def test_many_contacts_at_once_make_no_energy(posts):
    world = World(dt=0.05)
    car = placed(block("car", mass=1500.0), 0.0, 0.0, vx=10.0)
    pole = PlainBody("pole", (0.3, 0.3, 2.0), NAMES, (0.0,) * 6, glide, True, mass=np.inf)
    world.add(car)
    world.add(placed(pole, np.full(posts, 4.0), np.linspace(-0.8, 0.8, posts)))
    before = energy(car, 1500.0)
    for _ in range(40):
        world.step()
    assert world.contacts
    assert energy(car, 1500.0) <= before * (1 + 1e-9)


@pytest.mark.parametrize(("speed", "thick"), [(30.0, 0.3), (60.0, 0.3), (40.0, 0.04)])
def test_what_falls_through_a_thin_plate_is_seen(speed, thick):
    half = np.array([[0.25, 0.25, 0.25], [3.0, 3.0, thick / 2]])
    for start in np.linspace(0.6, speed * 0.1 + 0.2, 25):
        before = np.zeros((2, 6))
        before[0, 2] = start
        after = before.copy()
        after[0, 2] -= speed * 0.1
        low, high = after[0, 2] - 0.25, before[0, 2] + 0.25
        meets = low < thick / 2 and high > -thick / 2
        assert (len(find_contacts(before, after, half, np.zeros(2, bool))) == 1) == meets


def test_a_heading_that_wraps_does_not_spin_the_body():
    before, after = np.zeros((2, 6)), np.zeros((2, 6))
    before[0, 3], after[0, 3] = np.pi - 0.01, -np.pi + 0.01
    before[1, 1] = after[1, 1] = 4.0
    half = np.tile([6.0, 1.25, 1.5], (2, 1))
    assert len(find_contacts(before, after, half, np.zeros(2, bool))) == 0


def test_who_joins_does_not_blind_the_referee_to_others():
    class Joining(Bodies):
        def __init__(self):
            self.count = 1

        @property
        def kinds(self):
            return np.full(self.count, "guest", dtype=object)

        @property
        def outline(self):
            return np.full((self.count, 3), 0.5)

        def motion(self):
            return Motion.planar(x=500.0 + 5.0 * np.arange(self.count), y=np.zeros(self.count))

        def step(self, commands, dt):
            self.count += 1

    world = World(dt=0.1)
    world.add(Joining())
    world.add(placed(block("fast", (1.0, 1.0, 1.0)), -12.0, 0.0, vx=50.0))
    world.add(placed(block("box", (1.0, 1.0, 1.0), mass=1e9), 0.0, 0.0))
    world.run(0.6)
    assert ("fast", "box") in [c.kinds for c in world.contacts]


def test_a_body_that_is_nowhere_any_more_is_named():
    def lose(rows, commands, dt):
        rows = rows.copy()
        rows[0, 0] = np.nan
        return rows

    world = World()
    world.add(PlainBody("drone", (1.0, 1.0, 1.0), NAMES, (0.0,) * 6, lose).start(1), name="drones")
    with pytest.raises(BadInput, match="drones, body 0: is nowhere any more"):
        world.step()
    with pytest.raises(BadInput, match="mass: must be positive"):
        block(mass=0.0)


@pytest.mark.parametrize("speed", [5.0, 30.0, 60.0])
@pytest.mark.parametrize("size", [0.2, 0.4, 2.0])
def test_small_and_fast_bodies_stay_before_a_wall(speed, size):
    for start in np.linspace(-3.0, -1.1, 7):
        world = World(dt=0.1, walls=WallMap(np.array([[0.0, -20.0, 0.0, 20.0]])), record=False)
        ball = placed(block("ball", (size, size, size)), start, 0.3, vx=speed)
        world.add(ball, walls=True)
        for _ in range(10):
            world.step()
        assert ball.rows[0, 0] < 0.0 and len(world.contacts) == 1


def test_a_batch_sees_its_own_extras_and_nobody_elses():
    lean = PlainBody("rider", (1.7, 0.6, 1.8), (*NAMES, "slip"), (0.0,) * 7, lambda r, c, dt: r)
    world = World()
    plain = world.add(placed(block(), 0.0, 0.0))
    world.add(lean.start(1), ids=[7])
    assert "slip" not in world.view(plain).mine.extras
    assert "slip" in world.view(world.members[1]).mine.extras


def test_a_body_put_inside_another_leaves_it_at_the_speed_it_has():
    world = World(dt=0.1)
    mover = world.add(placed(block("mover"), 0.3, 0.0, vx=10.0))
    world.add(placed(block("still", mass=np.inf), 0.0, 0.0))
    start = mover.motion.x[0]
    world.run(2.0)
    gone = mover.motion.x[0] - start
    assert gone == pytest.approx(2.0 * mover.motion.vx[0], rel=0.3) and gone > 10.0


def test_who_is_not_present_touches_nobody_and_is_not_recorded():
    class Door(Bodies):
        """Two bodies at one place; the second is there from the third frame on, elsewhere."""

        kinds, outline = np.array(["box", "box"], object), np.ones((2, 3))
        steps = 0

        @property
        def present(self):
            return np.array([True, self.steps >= 3])

        def motion(self):
            x = np.array([0.0, 5.0 if self.steps >= 3 else 1e7])
            return Motion.planar(x, np.zeros(2), np.zeros(2), np.zeros(2), np.zeros(2))

        def step(self, commands, dt):
            self.steps += 1

    world = World(0.1)
    world.add(Door())
    recording = world.run(0.5)
    assert world.contacts == []
    assert np.bincount(recording["id"]).tolist() == [6, 3]


@given(st.floats(-24.0, 24.0), st.floats(5.0, 30.0), st.booleans())
@settings(max_examples=40, deadline=None)
def test_an_end_of_a_long_body_stops_like_its_middle(where, speed, cylinder):
    size = (1.8, 1.8, 1.4) if cylinder else (4.2, 1.8, 1.4)
    world = World()
    world.add(placed(block("train", (50.0, 2.5, 3.0), mass=np.inf), 0.0, 0.0))
    car = placed(block("car", size, cylinder=cylinder), where, -10.0, np.pi / 2, 0.0, speed)
    world.add(car)
    world.run(2.5)
    (contact,) = world.contacts
    assert contact.impulse == pytest.approx(1.2 * speed * car.mass[0], rel=0.02)
    assert contact.point[0] == pytest.approx(where, abs=0.05) and -1.6 < contact.point[1] < -1.0
    assert car.rows[0, 1] < -2.0 and car.rows[0, 4] <= 0.0


@given(st.integers(0, 10_000))
@settings(max_examples=60, deadline=None)
def test_two_meet_where_both_are(seed):
    rng = np.random.default_rng(seed)
    half = rng.uniform(0.3, 6.0, (2, 3))
    is_round = rng.random(2) < 0.4
    half[is_round, 1] = half[is_round, 0]
    after = np.zeros((2, 6))
    after[:, :2], after[:, 2] = rng.uniform(-5, 5, (2, 2)), half[:, 2]
    after[:, 3] = rng.uniform(-4, 4, 2)
    found = find_contacts(after, after, half, is_round)
    for point in found.point:
        for k in range(2):
            c, s = np.cos(after[k, 3]), np.sin(after[k, 3])
            d = point - after[k, :3]
            u, v = (np.hypot(*d[:2]), 0.0) if is_round[k] else (c * d[0] + s * d[1], c * d[1] - s * d[0])
            assert abs(u) <= 1.04 * half[k, 0] and abs(v) <= half[k, 1] + 1e-9
            assert abs(d[2]) <= half[k, 2] + 1e-9


def test_a_batch_on_a_bridge_is_recorded_there_and_meets_nobody_below():
    world = World()
    over = placed(block("over"), -10.0, 0.0, vx=10.0)
    world.add(over, height=6.0)
    world.add(placed(block("under"), 0.0, -10.0, np.pi / 2, 0.0, 10.0))
    recording = world.run(2.0)
    assert world.contacts == []
    z = recording["z"][recording["kind"] == "over"]
    assert z == pytest.approx(6.75) and float(recording["z"][recording["kind"] == "under"].max()) < 1.0


def test_identities_are_whole_numbers_of_ones_own_that_a_recording_can_hold():
    for ids, why in (
        ([7, 7], "must not be given twice, got 7"),
        ([1, 2**40], "must lie within"),
        ([-1, 3], "must lie within"),
        ([1.7, 3], "must be a whole number, got 1.7"),
    ):
        with pytest.raises(BadInput, match=f"ids: {why}"):
            World().add(placed(block(), [0.0, 9.0], 0.0), ids=ids)


def test_who_comes_late_is_as_fast_as_it_goes():
    world = World()
    world.add(placed(block("early"), 0.0, 0.0, vx=4.0))
    world.run(5.0)
    world.add(placed(block("late"), 0.0, 50.0, vx=10.0))
    world.run(1.0)
    assert world.figures()["mean_speed"] == pytest.approx({"early": 4.0, "late": 10.0})


def test_what_no_world_can_move_is_refused_at_the_door():
    with pytest.raises(BadInput, match=r"must be a batch of bodies; start a batch of it: body\.start\(1\)"):
        World().add(block())
    with pytest.raises(BadInput, match="chooser: must have choose"):
        World().add(placed(block(), 0.0, 0.0), chooser=object())
    with pytest.raises(BadInput, match="times: must be several"):
        World().foresee(1.0)
    with pytest.raises(BadInput, match="commands: must be one row for each of 3 bodies"):
        placed(block(), [0.0, 9.0, 20.0], 0.0).step(np.zeros((1, 2)), 0.1)
    for more, why in (
        ({"outline": (1.0, 1.0, np.inf)}, "three positive lengths"),
        ({"outline": (2.0, 1.0, 1.0), "cylinder": True}, "as wide as long"),
    ):
        with pytest.raises(BadInput, match=why):
            block(**more)
    with pytest.raises(BadInput, match="names: must all differ"):
        PlainBody("b", (1, 1, 1), (*NAMES, "x"), (0.0,) * 7, glide)
