"""Behaviours, each alone, and how they are blended."""

from dataclasses import dataclass

import numpy as np
import pytest

from swerve.city import PERSON, Characters, People, PeopleOptions
from swerve.city.ground import Mesh
from swerve.city.ground.mesh import CROSSWALK, PAVEMENT
from swerve.city.people.behaviours import (
    Align,
    Behaviour,
    Cohere,
    KeepFormation,
    LookAt,
    SeekTo,
    Steering,
    Wander,
    YieldTo,
    by_dithering,
    by_intensity,
    by_priority,
)
from swerve.core.errors import BadInput

ROOM = Mesh.from_polygon([(0, 0), (30, 0), (30, 30), (0, 30)])


def people(places, behaviours, how="priority", mesh=ROOM):
    characters = Characters()
    characters.add(PERSON, len(places))
    return People(
        mesh,
        characters,
        1,
        behaviours=behaviours,
        positions=np.array(places),
        options=PeopleOptions(how=how, spread=0.0),
    )


def run(crowd, seconds, dt=0.1, **options):
    for _ in range(round(seconds / dt)):
        crowd.advance(dt, **options)


@dataclass(kw_only=True)
class Constant(Behaviour):
    wish: tuple = (1.0, 0.0)

    def velocity(self, people):
        return np.tile(self.wish, (len(people), 1)).astype(float)


def test_seek_to_arrives_stops_and_may_pass():
    crowd = people([(2.0, 2.0), (28.0, 2.0)], [SeekTo(target=[(20.0, 20.0), (5.0, 25.0)], contact=0.4)])
    run(crowd, 30.0)
    assert np.hypot(crowd.x - [20, 5], crowd.y - [20, 25]).max() < 0.5 and crowd.speed.max() == 0.0
    with pytest.raises(BadInput, match="target"):
        people([(2.0, 2.0)], [SeekTo(target=[(1, 1), (2, 2), (3, 3)])])


def test_no_force_exceeds_the_top_speed():
    crowd = people([(2.0, 2.0)], [Constant(wish=(50.0, 0.0))])
    run(crowd, 3.0)
    assert crowd.speed.max() <= crowd.crowd.max_speed.max() + 1e-9


def test_wander_goes_from_aim_to_aim():
    crowd = people([(2.0, 2.0), (9.0, 9.0)], [Wander(max_wait=0.5)])
    first = crowd.paths.goal.copy()
    run(crowd, 60.0)
    assert crowd.arrivals >= 4 and (np.abs(crowd.paths.goal - first).max(axis=1) > 0.1).all()


def test_look_at_turns_and_does_not_move():
    crowd = people([(5.0, 5.0)], [LookAt(target=(5.0, 15.0))])
    crowd.heading[:] = -2.0
    run(crowd, 3.0)
    assert np.sin(crowd.heading[0]) > 0.999 and crowd.speed[0] == 0.0
    far = people([(5.0, 5.0)], [LookAt(target=(5.0, 15.0), within=3.0)])
    before = far.heading.copy()
    run(far, 1.0)
    assert (far.heading == before).all()


def test_a_group_aligns_coheres_and_keeps_formation():
    group = np.array([0, 0, 0, -1])
    crowd = people([(5, 5), (7, 5), (9, 5), (25, 25)], [Align(group=group)])
    crowd.crowd.vx[:] = [1.2, 0.0, 0.0, 0.0]
    wanted = crowd.behaviours[0].velocity(crowd)
    assert wanted[:3, 0] == pytest.approx(0.4) and np.isnan(wanted[3]).all()
    crowd = people([(2, 2), (20, 2), (11, 20), (25, 25)], [Cohere(group=group, within=2.0)])
    run(crowd, 30.0)
    middle = np.array([crowd.x[:3].mean(), crowd.y[:3].mean()])
    assert np.hypot(crowd.x[:3] - middle[0], crowd.y[:3] - middle[1]).max() < 3.0 and crowd.x[3] == 25.0
    leader, offset = np.array([-1, 0, 0]), np.array([(0, 0), (-1.0, 1.0), (-1.0, -1.0)])
    crowd = people(
        [(3, 15), (2, 18), (2, 12)],
        [KeepFormation(leader=leader, offset=offset), SeekTo(target=(28.0, 15.0), speed=1.0, priority=-1)],
    )
    run(crowd, 15.0)
    assert crowd.x[1:] == pytest.approx(crowd.x[0] - 1.0, abs=0.3)
    assert crowd.y[1:] == pytest.approx(crowd.y[0] + [1.0, -1.0], abs=0.3)


def test_blending():
    rng = np.random.default_rng(0)
    high, low = Behaviour(priority=2, intensity=2.0, chance=0.25), Behaviour(priority=1, intensity=0.5)
    n = 4000
    mine = np.arange(n) < n // 2
    east = Steering(np.tile([1.0, 0.0], (n, 1)) * mine[:, None], mine)
    north = Steering(np.tile([0.0, 1.0], (n, 1)), np.ones(n, bool))
    summed = by_intensity([high, low], [east, north], rng).force
    assert (summed[0] == [2.0, 0.5]).all() and (summed[-1] == [0.0, 0.5]).all()
    chosen = by_priority([low, high], [north, east], rng).force
    assert (chosen[mine] == [2.0, 0.0]).all() and (chosen[~mine] == [0.0, 0.5]).all()
    dithered = by_dithering([high, low], [east, north], rng).force
    assert dithered[mine, 0].mean() == pytest.approx(0.25, abs=0.03) and (dithered[~mine, 1] == 1).all()


def test_standing_still_is_a_wish_too():
    """A behaviour of high priority that wants people to stand must not be taken for an idle one."""
    crowd = people([(5.0, 5.0)], [Constant(wish=(0.0, 0.0), priority=5), SeekTo(target=(20.0, 20.0))])
    run(crowd, 2.0)
    assert crowd.x[0] == 5.0 and crowd.speed[0] == 0.0


def street():
    """Two pavements and a crosswalk between them: x from 0 to 10, the road from y = 3 to y = 11."""
    rings = [[(0, 0), (10, 0), (10, 3), (0, 3)], [(3, 3), (6, 3), (6, 11), (3, 11)],
             [(0, 11), (10, 11), (10, 14), (0, 14)]]  # fmt: skip
    return Mesh.from_cells(rings, surface=[PAVEMENT, CROSSWALK, PAVEMENT], crossing=[-1, 0, -1])


def test_sirens_clear_the_crosswalk_and_hold_people_at_the_kerb():
    behaviours = [YieldTo(), SeekTo(target=(5.0, 13.0))]
    crowd = people([(4.5, 1.0)], behaviours, mesh=street())
    siren = np.array([[20.0, 7.0, 0.0]])
    run(crowd, 6.0, sirens=siren)
    assert crowd.y[0] < 3.0 - 0.25 and crowd.on_crossing[0] == 0
    run(crowd, 2.5)
    assert 3.0 < crowd.y[0] < 9.0 and crowd.on_crossing[0] == 1 and crowd.speed[0] < 1.5
    run(crowd, 1.0, sirens=siren)
    assert crowd.speed[0] > 2.0
    run(crowd, 4.0, sirens=siren)
    assert crowd.y[0] > 11.25 and crowd.on_crossing[0] == 0
