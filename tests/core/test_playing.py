"""Plans as bodies: where the plan says, foreseen exactly, and standing once touched."""

import numpy as np
import pytest

from swerve.core.bodies import PlainBody
from swerve.core.errors import BadInput
from swerve.core.plan import Plan, Status
from swerve.core.playing import Playing
from swerve.core.world import World


def there_and_up():
    t = np.array([0.0, 1.0, 3.0])
    states = np.array([[0.0, 0, 0.7, 0, 0.1], [10.0, 0, 1.7, 0, 0.1], [10.0, 10, 1.7, np.pi / 2, 0.0]])
    meta = {"kind": "truck", "size": (6.0, 2.0, 1.4)}
    return Plan(Status.SOLVED, t, states, ("x", "y", "z", "heading", "pitch"), meta=meta)


def test_a_body_is_where_its_plan_says():
    world = World()
    world.add(Playing([there_and_up()], begin=0.5))
    recording = world.run(5.0)
    t = recording["t"]
    at = np.clip(t - 0.5, 0, 3)
    assert recording["x"] == pytest.approx(np.interp(at, [0, 1, 3], [0, 10, 10]))
    assert recording["z"] == pytest.approx(np.interp(at, [0, 1, 3], [0.7, 1.7, 1.7]))
    moving = (t > 0.55) & (t < 1.45)
    assert recording["vx"][moving] == pytest.approx(10.0, abs=1e-4)
    assert (recording["vx"][(t < 0.45) | (t > 3.55)] == 0).all()
    assert set(recording["kind"]) == {"truck"}


def test_it_foresees_exactly_what_it_will_do():
    one = Playing([there_and_up()])
    ahead = one.foresee(np.array([0.4, 1.2, 9.0]))[0]
    for k, dt in enumerate((0.4, 0.8, 7.8)):
        one.step(None, dt)
        assert one.motion().pose[0] == pytest.approx(ahead[k])


def test_once_touched_it_stands():
    wall = PlainBody(
        "block", (2.0, 2.0, 3.0), ("x", "y", "yaw", "vx", "vy"), (7.0, 0, 0, 0, 0), lambda r, c, dt: r
    )
    world = World()
    world.add(Playing([there_and_up()]))
    world.add(wall.start(1))
    world.run(2.0)
    assert [c.kinds for c in world.contacts] == [("truck", "block")]
    assert world.members[0].motion.x[0] < 5.0 and world.members[0].motion.vx[0] == 0.0


def test_a_plan_without_a_body_is_refused():
    with pytest.raises(BadInput, match="plan 0: has no body to play"):
        Playing([Plan(Status.SOLVED, np.array([0.0]), np.zeros((1, 1)), ("temperature",))])


def test_once_touched_it_stands_clear_of_what_it_touched():
    names = ("x", "y", "yaw", "vx", "vy")
    post = PlainBody("post", (2.0, 2.0, 3.0), names, (7.0, 0, 0, 0, 0), lambda r, c, dt: r, mass=np.inf)
    world = World()
    world.add(Playing([there_and_up()]), watch=True)
    world.add(post.start(1))
    world.run(2.0)
    assert world.members[0].motion.x[0] + 3.0 <= 6.0 + 1e-3


def test_a_lorry_pushes_it_along_and_keeps_its_momentum():
    def roll(rows, commands, dt):
        rows[:, :2] += dt * rows[:, 3:5]
        return rows

    names = ("x", "y", "yaw", "vx", "vy")
    lorry = PlainBody("lorry", (9.0, 2.5, 3.0), names, (-14.0, 0, 0, 25.0, 0), roll, mass=10_000.0).start(1)
    there = np.zeros((2, 3))
    played = Playing([Plan(Status.SOLVED, np.array([0.0, 1.0]), there, ("x", "y", "heading"))])
    world = World()
    world.add(played)
    world.add(lorry)
    world.run(0.5)
    assert world.contacts and played.motion().vx[0] > 15.0
    total = 10_000.0 * lorry.motion().vx[0] + played.mass[0] * played.motion().vx[0]
    assert 0.9 * 250_000.0 < total <= 250_000.0  # what it rubs on the ground is lost
    lorry.rows[0, 1] = 500.0
    world.refresh()
    world.step()
    foreseen = world.foresee([1.0, 2.0])[0, :, 0]
    world.run(1.0)
    assert foreseen[0] == pytest.approx(played.motion().x[0], abs=0.1) and foreseen[1] > foreseen[0] + 5.0
