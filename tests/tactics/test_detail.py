"""Variable level of detail: which bodies meet, in which branch, and what it is good for."""

from types import SimpleNamespace

import numpy as np
import pytest

from swerve.core.errors import BadInput
from swerve.tactics import Role, Search, SolveOptions, load_domain
from swerve.tactics.detail import DETAILS, DetailEngine, masks
from swerve.tactics.loop import PlayOptions, trial_of
from swerve.tactics.loop.corridor import Navigator, _grow, world_of
from swerve.tactics.loop.record import record, replay
from swerve.tactics.pools import LIVED


@pytest.fixture(scope="module")
def hallway():
    return load_domain("hallway")


def meets(world, values, first, second):
    """Whether any geoms of two bodies may collide, by types and affinities."""
    types, affinities = values[:2]
    one, other = (np.flatnonzero(world.model.geom_bodyid == world.model.body(n).id) for n in (first, second))
    return any(types[a] & affinities[b] or types[b] & affinities[a] for a in one for b in other)


@pytest.mark.parametrize("domain", ["hallway", "soccer", "minigolf"])
def test_masks_keep_all_pairs_but_those_that_are_details(domain):
    world = load_domain(domain).world
    full, coarse, apart = masks(world, ()), masks(world, DETAILS), {frozenset(p) for p in DETAILS}
    own = (world.model.geom_contype, world.model.geom_conaffinity)
    for i, one in enumerate(world.bodies):
        for other in world.bodies[:i]:
            may = meets(world, own, one.name, other.name)
            assert meets(world, full, one.name, other.name) == may
            detail = frozenset((one.role, other.role)) in apart
            assert meets(world, coarse, one.name, other.name) == (may and not detail)


def test_a_horizon_beyond_the_plan_grows_the_same_tree(hallway):
    trees = []
    for t_lod in (np.inf, 100.0):
        search = Search(hallway, options=SolveOptions(t_lod=t_lod), seed=1)
        search.grow(iterations=150)
        trees.append(search.tree.rows[: search.tree.count].copy())
    assert np.array_equal(*trees)


def in_obstacles(search, since, until):
    """How many living nodes there are between two times after the root, and how many are in an obstacle."""
    tree, world = search.tree, search.world
    rows = tree.rows[: tree.count][tree.alive[: tree.count]]
    rows = rows[(rows[:, 0] - tree.rows[0, 0] > since) & (rows[:, 0] - tree.rows[0, 0] < until)]
    scene = search.problem.scene(rows)
    others = [body.name for body in world.bodies if body.role is Role.FOREIGN]
    nearest = np.min([scene.distance("robot", name) for name in others], axis=0)
    return len(rows), int((nearest < 0.17).sum())


@pytest.mark.parametrize("fidelity", ["full", "planar"])
def test_the_horizon_of_detail_counts_from_the_root(hallway, fidelity):
    """From zero it counted: a search that began, or went on, at a later time ignored all details at once."""
    start = hallway.start.copy()
    start[0] = 3.0
    search = Search(hallway, "hybrid", SolveOptions(fidelity=fidelity, t_lod=2.0), seed=3)
    search.restart(start)
    search.grow(nodes=900)
    known, hit = in_obstacles(search, 0.0, 1.99)
    beyond, through = in_obstacles(search, 2.1, 9.0)
    assert known > 80 and hit == 0 and beyond > 80 and through > 0


def test_the_horizon_of_detail_goes_along_with_the_root(hallway):
    search = Search(hallway, "hybrid", SolveOptions(t_lod=1.2), seed=1)
    search.grow(nodes=400)
    tree = search.tree
    young = np.flatnonzero(tree.alive[: tree.count] & (np.abs(tree.rows[: tree.count, 0] - 0.8) < 0.2))
    search.reroot(int(max(young, key=lambda node: len(tree.below(node)))))
    kept = search.tree.count
    search.grow(nodes=900)
    search.tree.alive[:kept] = False  # what was made before does not count here
    known, hit = in_obstacles(search, 0.0, 1.19)
    assert known > 20 and hit == 0


def test_chains_switch_detail_as_the_engine_of_many_branches_does():
    search = Search(load_domain("hallway", 2), options=SolveOptions(t_lod=0.4), seed=2)
    search.grow(iterations=600)
    tree = search.tree
    way = tree.path(int(np.argmax(tree.rows[: tree.count, 0] * tree.alive[: tree.count])))
    assert tree.rows[way[-1], 0] > 0.8
    engine, row = DetailEngine(search.world, 1, 1, 0.4), tree.rows[way[:1]]
    for node in way[1:]:
        row, _ = engine.step(row, tree.forces[[node]])
        assert np.array_equal(row[0], tree.rows[node])


def test_old_branches_pass_through_obstacles_and_young_ones_do_not(hallway):
    world = hallway.world
    row, robot, other = hallway.start.copy(), world.slot("robot"), world.slot("obstacle 1")
    row[robot.qpos : robot.qpos + 2] = row[other.qpos : other.qpos + 2] - (0.15, 0.0)
    rows = np.stack([row, row])
    rows[1, 0] = 2.0
    engine = DetailEngine(world, 2, 1, t_lod=1.0)
    _, touched = engine.step(rows, np.zeros((2, world.model.nv)))
    column = world.pair("robot", "obstacle 1")
    assert touched[0, column] and not touched[1, column]
    rows[:, 0] = 2.0, 0.0  # the lanes change their minds
    _, touched = engine.step(rows, np.zeros((2, world.model.nv)))
    assert not touched[0, column] and touched[1, column]


def test_walls_are_never_a_detail(hallway):
    world, row = hallway.world, hallway.start.copy()
    slot = world.slot("robot")
    row[slot.qpos : slot.qpos + 2], row[0] = (0.08, 0.5), 9.0
    _, touched = DetailEngine(world, 1, 1, t_lod=1.0).step(row[None], np.zeros((1, world.model.nv)))
    assert touched[0, world.pair("robot", "walls")]


def test_balls_among_themselves_cannot_be_a_detail(hallway):
    with pytest.raises(BadInput, match="details"):
        DetailEngine(hallway.world, 1, details=((Role.PASSIVE, Role.PASSIVE),))


def test_a_short_horizon_needs_fewer_nodes(hallway):
    nodes = []
    for t_lod in (np.inf, 0.7):
        search = Search(load_domain("hallway", 2), options=SolveOptions(t_lod=t_lod), seed=2)
        search.grow(nodes=6000, iterations=9000, solutions=1)
        nodes.append(search.tree.alive_nodes)
    assert nodes[1] < 0.7 * nodes[0]


def test_obstacles_keep_to_their_ways_at_uncertainty_0_only(hallway):
    gaps = []
    for uncertainty in (0.0, 1.0):
        reality = world_of("hallway", PlayOptions(uncertainty=uncertainty), 0)
        for _ in range(40):
            reality.step({})
        slots = [hallway.world.slot(f"obstacle {k + 1}") for k in range(12)]
        gaps.append(np.mean([abs(reality.row[s.qpos] - hallway.start[s.qpos]) for s in slots]))
    assert gaps[0] < 0.005 < gaps[1]


def test_a_drive_replays_from_its_recording():
    options = PlayOptions(t_lod=0.5, uncertainty=0.5, nodes=200)
    trial = trial_of("hallway", options, 3)
    assert trial.intervals > 2 and 0 <= trial.collided <= trial.intervals
    recording = record(trial.log, trial.problem, {})
    rows = replay(recording, world_of("hallway", options, 3), trial.problem.world)
    assert np.array_equal(rows, np.array(trial.log.truth))


def test_a_robot_keeps_to_a_sample_for_a_while(hallway):
    """Searches with a choice at every step were fifteen times as slow."""
    search = Search(hallway, options=SolveOptions(fidelity="planar"), seed=1).grow(iterations=400)
    tree = search.tree
    choices = tree.open[1 : tree.count].sum()
    assert 0 < choices < 0.2 * tree.alive_nodes
    assert search.effort.iterations > 5 * search.effort.chains


@pytest.mark.parametrize(("lives", "portions"), [(0.02, 1), (0.6, 4)])
def test_a_search_in_which_nearly_all_fails_is_given_up(lives, portions):
    grown = []
    search = SimpleNamespace(solutions=[], exhausted=False)
    search.tree = SimpleNamespace(alive_nodes=1, sums=np.zeros(6, dtype=np.int64))
    search.effort = SimpleNamespace(chains=0)

    def grow(iterations, solutions):
        grown.append(iterations)
        search.effort.chains += 50
        search.tree.sums[LIVED] += round(50 * lives)
        search.tree.alive_nodes += 250

    search.grow = grow
    _grow(search, 1000)
    assert len(grown) == portions


def test_a_robot_that_cannot_but_be_touched_plans_to_get_away():
    """It gave up, and stood there: whatever it tried was touched after the first tenth of a second."""
    problem = load_domain("hallway", 1)
    mind, row = Navigator(problem, PlayOptions(), 1), problem.start.copy()
    mine, other = (problem.world.slot(name) for name in (mind.robot, "obstacle 5"))
    row[mine.qpos : mine.qpos + 2] = np.array([row[other.qpos], 0.7]) - mine.base[:2]
    row[other.qpos + 1] = 0.7 - other.radius - mine.radius - 0.02 - other.base[1]
    row[mine.qvel + 1], row[other.qvel + 1] = -0.5, 1.2
    thought = mind._plan(row)
    assert thought.plan_length >= 0.3
    assert thought.nodes < problem.nodes
