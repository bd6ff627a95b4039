"""`Minigolf-v0`: Gymnasium's interface, the planar model's motion, one and many alike."""

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")

from gymnasium.utils.env_checker import check_env  # noqa: E402

from swerve.core.errors import BadInput  # noqa: E402
from swerve.envs import MinigolfEnv, MinigolfExpert, MinigolfVectorEnv  # noqa: E402
from swerve.tactics.planar import PlanarEngine  # noqa: E402

GAMES = {"Minigolf": (MinigolfEnv, MinigolfVectorEnv, MinigolfExpert)}
FEW = {"layouts": [1, 2, 3]}


def played(many, act, seed):
    """Who of the batch came to its goal in the first episode, and the sum of its rewards."""
    many.reset(seed=seed)
    agent, over = act(many), np.zeros(many.num_envs, bool)
    won, total = over.copy(), np.zeros(many.num_envs)
    while not over.all():
        _, reward, ended, cut, info = many.step(agent())
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
    many = batch(4, **FEW)
    many.reset(seed=3)
    agent, singles = expert(many), [single(**FEW) for _ in range(4)]
    for k, one in enumerate(singles):
        one.reset(seed=0)
        one.batch.rows[:], one.batch.which[:] = many.rows[k], many.which[k]
    done = np.zeros(4, bool)
    for _ in range(200):
        actions = agent()
        seen, reward, ended, cut, info = many.step(actions)
        for k in np.flatnonzero(~done):
            own, got, over, late, told = singles[k].step(actions[k])
            np.testing.assert_array_equal(own, seen[k])
            assert (got, over, late, told["solved"]) == (reward[k], ended[k], cut[k], info["solved"][k])
        done |= ended | cut
        if done.all():
            break
    assert done.any()


@pytest.mark.parametrize("batch, expert", [game[1:] for game in GAMES.values()], ids=GAMES)
def test_the_planner_comes_to_the_goal_and_chance_does_not(batch, expert):
    won, total = played(batch(6, **FEW), expert, seed=5)
    rng = np.random.default_rng(1)

    def by_chance(many):
        return lambda: rng.uniform(-1, 1, many.action_space.shape)

    luck, got = played(batch(6, **FEW, seconds=5.0), by_chance, seed=5)
    assert won.sum() >= 5 and luck.sum() <= 1 and total.mean() > got.mean() + 3


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
