"""`Minigolf-v0` and `Soccer-v0`: Gymnasium's interface, the planar model's motion, one and many alike."""

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")

from gymnasium.utils.env_checker import check_env  # noqa: E402

from swerve.core.errors import BadInput  # noqa: E402
from swerve.envs import (  # noqa: E402
    MinigolfEnv,
    MinigolfExpert,
    MinigolfVectorEnv,
    SoccerEnv,
    SoccerExpert,
    SoccerVectorEnv,
)
from swerve.tactics.planar import PlanarEngine  # noqa: E402

GAMES = {
    "Minigolf": (MinigolfEnv, MinigolfVectorEnv, MinigolfExpert),
    "Soccer": (SoccerEnv, SoccerVectorEnv, SoccerExpert),
}
FEW = {"layouts": [1, 2, 3]}


def planned(many, expert):
    """The planner's actions for the first episode of a batch (frames, n, c)."""
    agent = expert(many)
    first = agent()
    table = np.zeros((max(len(actions) for actions in agent.actions), *first.shape))
    for k, actions in enumerate(agent.actions):
        table[: len(actions), k] = actions
    np.testing.assert_array_equal(table[0], first)
    return table


def played(many, table):
    """Who of the batch came to its goal in the first episode, and the sum of its rewards."""
    over = np.zeros(many.num_envs, bool)
    won, total = over.copy(), np.zeros(many.num_envs)
    for actions in table:
        _, reward, ended, cut, info = many.step(actions)
        total += np.where(over, 0.0, reward)
        won |= ended & info["solved"] & ~over
        over |= ended | cut
    return won, total


@pytest.mark.parametrize("name", GAMES)
def test_the_checker_of_gymnasium_is_content_and_the_names_are_registered(name):
    one = gymnasium.make(f"swerve.envs:{name}-v0", disable_env_checker=True, **FEW)
    check_env(one.unwrapped, skip_render_check=True)
    how = {"num_envs": 3, "vectorization_mode": "vector_entry_point"}
    many = gymnasium.make_vec(f"swerve.envs:{name}-v0", **how, **FEW)
    seen, _ = many.reset(seed=1)
    assert isinstance(many.unwrapped, GAMES[name][1]) and many.observation_space.contains(seen)


@pytest.mark.parametrize("single, batch, expert", GAMES.values(), ids=GAMES)
def test_one_and_many_give_the_same_trajectories(single, batch, expert):
    many = batch(2, **FEW)
    many.reset(seed=3)
    table, singles = planned(many, expert), [single(**FEW) for _ in range(2)]
    for k, one in enumerate(singles):
        one.reset(seed=0)
        one.batch.rows[:], one.batch.which[:] = many.rows[k], many.which[k]
    done = np.zeros(2, bool)
    for actions in table:
        seen, reward, ended, cut, info = many.step(actions)
        for k in np.flatnonzero(~done):
            own, got, over, late, told = singles[k].step(actions[k])
            np.testing.assert_array_equal(own, seen[k])
            assert (got, over, late, told["solved"]) == (reward[k], ended[k], cut[k], info["solved"][k])
        done |= ended | cut
    assert done.any()


@pytest.mark.parametrize("batch, expert", [game[1:] for game in GAMES.values()], ids=GAMES)
def test_the_planner_comes_to_the_goal_and_chance_does_not(batch, expert):
    many = batch(4, **FEW)
    many.reset(seed=5)
    table = planned(many, expert)
    won, total = played(many, table)
    many.reset(seed=5)
    luck, got = played(many, np.random.default_rng(1).uniform(-1, 1, table.shape))
    assert won.sum() >= 3 and luck.sum() <= 1 and total.mean() > got.mean() + 3


def test_the_ball_moves_as_in_the_planar_engine():
    many = MinigolfVectorEnv(1, layouts=[4])
    many.reset(seed=2)
    world, rows = many.arena.world, many.rows.copy()
    engine, robot, bar = PlanarEngine(world), world.slot("robot"), world.slot("bar")
    for _ in range(8):  # straight at the ball, which lies ahead
        assert not many.step(np.array([[1.0, 0.0]]))[2].any()
        for _ in range(3):
            forces = np.zeros((1, world.model.nv))
            faster = np.array([3.5, 0.0]) - rows[0, robot.qvel : robot.qvel + 2]
            share = min(1.0, 12.0 / 60 / max(np.hypot(*faster), 1e-12)) * robot.mass * 60
            forces[0, robot.dof : robot.dof + 2] = faster * share
            forces[0, bar.dof] = (1.5 - rows[0, bar.qvel]) * bar.numbers[6] * 60
            rows, _ = engine.step(rows, forces)
        np.testing.assert_allclose(many.rows, rows, atol=1e-9)
    assert many.velocity("ball")[0, 0] > 0.5


def test_who_touches_a_wall_has_lost_and_starts_anew():
    many = MinigolfVectorEnv(2, **FEW)
    many.reset(seed=1)
    ended = np.zeros(2, bool)
    while not ended.any():
        _, reward, ended, _, _ = many.step(np.tile([-1.0, 0.0], (2, 1)))
    assert (reward[ended] < -0.9).all() and not many.solved.any()
    _, reward, again, cut, _ = many.step(np.zeros((2, 2)))
    assert (reward[ended] == 0).all() and not (again | cut)[ended].any() and (many.age[ended] == 0).all()


def test_a_ball_that_is_held_leaves_straight_ahead_as_fast_as_it_is_told_to():
    many = SoccerVectorEnv(2, layouts=[2])
    many.reset(seed=1)
    robot, ball = (many.arena.world.slot(name) for name in ("attacker", "ball"))
    many.rows[:, robot.qpos + 2] = 0.6
    mouth = many.place("attacker") + (0.09 + 0.0215 + 0.004) * np.array([np.cos(0.6), np.sin(0.6)])
    many.rows[:, ball.qpos : ball.qpos + 2] = mouth
    seen, *_ = many.step(np.array([[0.0, 0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 0.5, 1.0]]))
    assert (seen[0, 12], abs(many.velocity("ball")[0]).max()) == (1.0, 0.0)
    np.testing.assert_allclose(
        many.velocity("ball")[1], 3.0 * np.array([np.cos(0.6), np.sin(0.6)]), rtol=0.02
    )
    assert 2.5 < many.rows[1, ball.qvel + 2] < 3.0 and many.rows[0, ball.qvel + 2] < 0.1


@pytest.mark.parametrize(
    "given, words",
    [
        ({"course": "links"}, "course: must be one of minigolf"),
        ({"layouts": []}, "layouts: must be at least one"),
        ({"seconds": 0.0}, "seconds: must be at least 0.05"),
    ],
)
def test_bad_settings_of_a_course_are_named(given, words):
    with pytest.raises(BadInput, match=words):
        MinigolfVectorEnv(2, **given)
