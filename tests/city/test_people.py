"""People in a town: kerbs, lights, cars, and nobody where nobody may be. Judged by plain geometry."""

import numpy as np
import pytest
from scipy.spatial import cKDTree

from swerve.city import PERSON, Characters, People, Simulation, grid
from swerve.city.traffic.crosswalks import cars_in_the_way
from swerve.core.errors import BadInput


def inside_ring(ring, x, y):
    """Whether points lie in a convex ring, by the sides of its edges."""
    sides = [
        (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0])
        for a, b in zip(ring, np.roll(ring, -1, axis=0), strict=True)
    ]
    sides = np.array(sides)
    return (sides >= -1e-9).all(axis=0) | (sides <= 1e-9).all(axis=0)


def on_ground(town, x, y):
    return np.any([inside_ring(np.asarray(area.points), x, y) for area in town.pavements], axis=0)


def touched(fleet, x, y, radius):
    """Pairs of vehicle and person whose outlines overlap."""
    tree = cKDTree(np.stack([x, y], -1))
    found = []
    for i in range(len(fleet)):
        c, s = np.cos(fleet.heading[i]), np.sin(fleet.heading[i])
        for j in tree.query_ball_point((fleet.x[i], fleet.y[i]), fleet.length[i] / 2 + 1.5):
            dx, dy = x[j] - fleet.x[i], y[j] - fleet.y[i]
            ahead = max(abs(c * dx + s * dy) - fleet.length[i] / 2, 0.0)
            aside = max(abs(c * dy - s * dx) - fleet.width[i] / 2, 0.0)
            if np.hypot(ahead, aside) < radius[j]:
                found.append((i, j))
    return found


@pytest.fixture(scope="module")
def town():
    return grid(3, 3)


@pytest.fixture(scope="module")
def busy(town):
    """40 s of 70 cars, 3 of them with sirens, and 250 people; every frame's people, cars and lights."""
    simulation = Simulation(town, vehicles=70, pedestrians=250, emergency=3, seed=5)
    frames = []
    for _ in range(400):
        lights = town.roads.lights.state(simulation.time)
        simulation.step()
        people = simulation.people
        frames.append(
            (people.x.copy(), people.y.copy(), lights, simulation.traffic.fleet.copy(), people.speed)
        )
    return simulation, frames


def test_nobody_overlaps_anybody_and_no_car_touches_a_person(busy):
    simulation, frames = busy
    radius = simulation.people.radius
    for x, y, _, fleet, _ in frames:
        assert not cKDTree(np.stack([x, y], -1)).query_pairs(2 * radius.max())
        assert touched(fleet, x, y, radius) == []
    fleet = frames[-1][3].copy()
    fleet.x[0], fleet.y[0] = frames[-1][0][7] + 1.0, frames[-1][1][7]
    assert (0, 7) in touched(fleet, *frames[-1][:2], radius)


def test_everybody_stays_on_pavements_and_crosswalks(busy, town):
    _, frames = busy
    for x, y, *_ in frames[::20]:
        assert on_ground(town, x, y).all()
    assert not on_ground(town, np.array([100.0]), np.array([0.0]))[0]


def test_nobody_steps_off_the_kerb_on_red(busy, town):
    _, frames = busy
    crossings = town.roads.crossings
    rings = [np.asarray(c) for c in crossings.corners]
    before = None
    entered = 0
    for x, y, lights, *_ in frames:
        on = np.array([inside_ring(ring, x, y) for ring in rings])
        if before is not None:
            c, _ = np.nonzero(on & ~before)
            entered += len(c)
            # a person is let go on green and then has up to its body's width to walk
            red = lights[crossings.light[c]] == 0
            assert not red.any()
        before = on
    assert entered > 12


def test_people_walk_and_cross_and_nobody_is_stuck(busy):
    simulation, frames = busy
    people = simulation.people
    assert np.mean([f[4].mean() for f in frames]) > 0.7
    assert (people.crowd.stuck > 20.0).sum() == 0
    assert simulation.figures()["deadlocks"] == 0


def test_a_crosswalk_is_reserved_before_it_is_entered(town):
    characters = Characters()
    characters.add(PERSON, 40)
    people = People(town, characters, 3)
    crosswalks = len(town.roads.crossings)
    yes, no = np.ones(crosswalks, bool), np.zeros(crosswalks, bool)
    for _ in range(1200):  # cars never let them: some ask, nobody enters
        people.advance(0.1, no, yes)
        assert not people.on_crosswalk.any()
    assert people.on_crossing.sum() > 0
    for _ in range(100):  # red for all: nobody asks
        people.advance(0.1, yes, no)
    assert people.on_crossing.sum() == 0 and not people.on_crosswalk.any()
    asked, crossed = people.on_crossing.copy(), 0
    for _ in range(300):
        people.advance(0.1, yes, yes)
        where = people.crossing_of[people.crowd.cell[people.on_crosswalk]]
        entered = np.bincount(where, minlength=crosswalks)
        assert (people.on_crossing >= entered).all()
        assert ((asked > 0) | (entered == 0)).all()  # it was counted a step before anyone was on it
        asked, crossed = people.on_crossing.copy(), crossed + entered.sum()
    assert crossed > 0


def test_the_same_seed_gives_the_same_walk_and_attributes_may_change(town):
    def walk(seed, hurry=False):
        characters = Characters()
        first = characters.add(PERSON, 1)[0]
        characters.add(PERSON, 19, template=first)
        people = People(town, characters, seed)
        for k in range(60):
            if hurry and k == 30:
                characters.set(first, "walking_speed", 2.0)
            people.advance(0.1)
        return people

    a, b, other, quick = walk(1), walk(1), walk(2), walk(1, hurry=True)
    assert (a.x == b.x).all() and (a.y == b.y).all() and not (a.x == other.x).all()
    assert quick.speed.mean() > a.speed.mean() + 0.3


def test_too_many_people_are_refused(town):
    characters = Characters()
    characters.add(PERSON, 2)
    with pytest.raises(BadInput, match="off the mesh"):
        People(town, characters, 0, positions=np.array([[100.0, 0.0], [100.0, 8.5]]))
    people = People(town, characters, 0)
    with pytest.raises(BadInput, match="dt"):
        people.advance(1.0)


def car_over_a_crosswalk(simulation):
    """The only car left standing at a junction's exit, its tail over the crosswalk there, whose number this
    returns."""
    traffic, roads = simulation.traffic, simulation.town.roads
    traffic.characters.set(0, "autonomous", False)
    connectors = np.flatnonzero((roads.kind == 1) & (roads.light >= 0))
    x, y, _ = roads.place(connectors, roads.length[connectors])
    connector = int(connectors[np.argmin(np.hypot(x - x.mean(), y - y.mean()))])  # in the middle of town
    traffic.place([0], int(roads.after[roads.after_first[connector]]), np.array([2.0]))
    traffic.fleet.previous[0] = connector
    middle = np.asarray(roads.crossings.corners).mean(axis=1)
    return int(np.argmin(np.hypot(*(middle - [traffic.fleet.x[0], traffic.fleet.y[0]]).T)))


def test_nobody_steps_onto_a_crosswalk_that_a_car_stands_over(town):
    simulation = Simulation(town, vehicles=1, pedestrians=250, seed=2)
    ring = np.asarray(town.roads.crossings.corners[car_over_a_crosswalk(simulation)])
    for _ in range(900):
        simulation.step()
        assert not inside_ring(ring, simulation.people.x, simulation.people.y).any()


def test_people_walk_round_a_car_that_they_are_told_of(town):
    """Those on their way when it comes to stand there: here everybody may go all the time."""

    def contacts(tell, frames=600):
        """Contacts, people on the crosswalk, and frames until there was one of each, or all."""
        simulation = Simulation(town, vehicles=1, pedestrians=900, seed=2)
        crosswalk = car_over_a_crosswalk(simulation)
        ring = np.asarray(town.roads.crossings.corners[crosswalk])
        fleet, people = simulation.traffic.fleet, simulation.people
        seen = cars_in_the_way(simulation.traffic.net, fleet)
        assert seen.tolist() == [
            [fleet[name][0] for name in ("x", "y", "heading", "length", "width", "speed")]
        ]
        found, across = 0, 0
        for frame in range(frames):
            people.advance(0.1, vehicles=seen if tell else None)
            found += len(touched(fleet, people.x, people.y, people.radius))
            across += int(inside_ring(ring, people.x, people.y).sum())
            if found and across and not tell:
                return found, across, frame
        return found, across, frames

    found, across, frames = contacts(tell=False)
    assert found > 0 and across > 0
    found, across, _ = contacts(tell=True, frames=frames + 100)
    assert found == 0 and across > 0


def test_people_are_foreseen_round_the_bends_of_their_paths(town):
    people = Simulation(town, vehicles=1, pedestrians=60, seed=7).people
    off, straight = [], []
    for _ in range(6):
        for _ in range(10):
            people.advance(0.1)
        foreseen = people.foresee(np.array([3.0]))[:, 0, :2]
        on = np.column_stack([people.x, people.y]) + 3.0 * people.velocities
        for _ in range(30):
            people.advance(0.1)
        there = np.column_stack([people.x, people.y])
        off.append(np.hypot(*(foreseen - there).T))
        straight.append(np.hypot(*(on - there).T))
    assert np.mean(off) < 0.15 and np.mean(off) < 0.6 * np.mean(straight)


def test_only_cars_that_stand_over_a_crosswalk_are_in_the_way(town):
    simulation = Simulation(town, vehicles=2, pedestrians=1, seed=2)
    traffic, roads = simulation.traffic, town.roads
    lane = int(np.flatnonzero((roads.kind == 0) & (roads.length > 100))[0])
    traffic.place([0, 1], lane, np.array([60.0, roads.length[lane] - 0.9]))
    assert len(cars_in_the_way(traffic.net, traffic.fleet)) == 0
    traffic.place([1], lane, np.array([roads.length[lane] + 1.5]))
    assert len(cars_in_the_way(traffic.net, traffic.fleet)) == 1
    traffic.fleet.speed[1] = 8.0
    assert len(cars_in_the_way(traffic.net, traffic.fleet)) == 0


def test_people_let_a_driver_go_who_has_waited_for_long(town):
    simulation = Simulation(town, vehicles=1, pedestrians=40, seed=2)
    traffic, roads = simulation.traffic, town.roads
    turn = int(np.flatnonzero((roads.kind == 1) & (roads.light >= 0) & (roads.turn == -1))[0])
    lane = int(roads.before[roads.before_first[turn]])
    everywhere = np.ones(len(roads.crossings), bool)
    walks = np.unique(
        traffic.net.walks["crosswalk"][slice(*traffic.net.strips["walk_first"][turn : turn + 2])]
    )
    while roads.lights.state(traffic.time)[roads.light[turn]] != 2:
        traffic.advance(0.1)
    traffic.place([0], lane, np.array([roads.length[lane] - 0.9]), next_strip=turn)
    for delay, due in ((20.0, []), (70.0, walks.tolist())):
        traffic.fleet.delayed[0] = delay
        traffic.advance(0.1, everywhere)
        assert traffic.fleet.speed[0] == 0.0  # people are on the crosswalks
        assert np.flatnonzero(traffic.crosswalks.due).tolist() == due
    for _ in range(200):  # whatever their lights say, nobody steps on them
        traffic.crosswalks.due[:] = True
        simulation.people.advance(0.1, everywhere, everywhere & ~traffic.crosswalks.due)
    assert simulation.people.on_crossing.sum() == 0


def test_people_at_the_kerb_make_way_for_those_who_cannot_get_off_the_crosswalk():
    """One that waited at the corner of a crosswalk and one that wanted off it stood there for ever, and the
    cars before it as well."""
    from swerve.city.people.avoidance import avoid
    from swerve.city.people.footing import make_discs

    people = Simulation(grid(3, 3), 0, 2, seed=1).people
    crowd = people.crowd
    crowd.x[1], crowd.y[1] = crowd.x[0] + 0.53, crowd.y[0]
    crowd.leave[:] = 0, -1  # the first is on a crosswalk
    crowd.want_x[:], crowd.want_y[:] = (1.3, -1.3), 0.0  # towards each other
    crowd.vx[:] = crowd.vy[:] = 0.0
    for stuck, backs in ((0.0, False), (3.0, True)):
        crowd.stuck[:] = stuck, 0.0
        avoid(people.ground, crowd, make_discs(crowd, None), 0.1, 1, 0)
        assert (crowd.move_x[1] > 0.0) == backs


def test_those_who_slide_round_each_other_do_not_touch_between_steps():
    """Straight between two places beside each other leads through both, if they are as near as can be."""
    simulation = Simulation(grid(3, 3, block=100.0), 0, 1200, seed=3)
    for _ in range(60):
        simulation.step()
    assert simulation.figures()["collisions"] == 0


def test_drivers_who_have_leave_set_off_before_people_step_on_again():
    """People let a driver by who had waited for long, until it had leave; then they asked again, and it lost
    its leave before it had set off: for ever."""
    simulation = Simulation(grid(3, 3, block=80.0, lanes=1, signals=False), 15, 250, seed=1)
    for _ in range(1150):
        simulation.step()
    assert simulation.figures()["longest_stand"] < 95.0
