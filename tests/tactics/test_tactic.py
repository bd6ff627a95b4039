"""Transitions, skills over batches, and the errors a person can make when writing them."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from swerve.core.errors import BadInput
from swerve.tactics import Action, Chance, Skill, SolveOptions, Tactic, load_domain, solve, unconstrained
from swerve.tactics.skills import DriveToPoint, PositionAt, SampledSpin, Turn, Wait


@pytest.fixture(scope="module")
def navigation():
    return load_domain("navigation")


@dataclass(frozen=True)
class Idle(Skill):
    busy: bool = False

    def act(self, scene, variables, action):
        return np.full(len(scene), self.busy)


def tactic(transitions, start="a"):
    return Tactic("test", {name: Idle() for name in "abc"}, transitions, start)


def after(problem, one, branches=4000):
    scene = problem.scene(np.tile(problem.start, (branches, 1)))
    return one.advance(np.zeros(branches, dtype=int), scene, Chance(1, np.arange(branches)))


def test_probabilities_normalise_themselves(navigation):
    chosen = after(navigation, tactic({"a": {"b": 1.0, "c": 3.0}}))
    assert np.mean(chosen == 1) == pytest.approx(0.25, abs=0.03)
    assert np.mean(chosen == 2) == pytest.approx(0.75, abs=0.03)


def test_a_deterministic_transition_always_happens(navigation):
    assert (after(navigation, tactic({"a": {"c": 0.2}})) == 2).all()


def test_a_state_decides_branch_by_branch(navigation):
    def early(scene):
        return (np.arange(len(scene)) % 2).astype(float)

    chosen = after(navigation, tactic({"a": {"b": early}}), 10)
    assert chosen.tolist() == [0, 1] * 5  # where all weights are zero the skill follows itself


def test_a_state_that_several_transitions_ask_about_is_looked_at_once(navigation):
    asked = []

    def seldom(scene):
        asked.append(len(scene))
        return (scene.rows[:, 0] > 3).astype(float)

    one = tactic({"a": {"c": seldom, "b": 0.0}, "b": {"c": seldom, "a": 0.0}, "c": {"a": 1.0}})
    scene = navigation.scene(np.tile(navigation.start, (6, 1)))
    scene.rows[:, 0] = np.arange(6)
    skill = np.array([0, 1, 2, 2, 1, 0])
    assert one.advance(skill, scene, Chance(1, np.arange(6))).tolist() == [0, 1, 0, 0, 2, 2]
    assert asked == [4]


def test_unconstrained_lets_each_follow_each(navigation):
    chosen = after(navigation, unconstrained(tactic({"a": {"b": 1.0}})))
    assert np.bincount(chosen) / len(chosen) == pytest.approx(1 / 3, abs=0.03)


def test_unconstrained_loosens_tactics_whose_skills_sample_nothing(navigation):
    points = {name: DriveToPoint("robot", (x, 1.0)) for name, x in (("a", 0.5), ("b", 1.0), ("c", 1.5))}
    line = Tactic("line", points, {"a": {"b": 1}, "b": {"a": 1, "c": 1}}, "a")
    round_ = Tactic("round", points, {"a": {"b": 1}, "b": {"c": 1}, "c": {"a": 1}}, "a")
    problem = replace(navigation, tactics={"default": (line, round_)})
    freed = problem.tactics_for("unconstrained", "bgt")
    assert all(dict(one.transitions["a"]) == {"a": 1.0, "b": 1.0, "c": 1.0} for one in freed)
    assert line.chooses and not round_.chooses
    golf = load_domain("minigolf", 1)
    assert golf.tactics_for("unconstrained", "bgt")[1] is golf.tactics["default"][1]  # the bar's own


@pytest.mark.parametrize(
    ("transitions", "word"),
    [
        ({"a": {"b": -1.0}}, "transition a to b: must be a probability of zero or more, got -1.0"),
        ({"a": {"b": 0.0, "c": 0.0}}, "transitions from a: are all zero"),
        ({"a": {"d": 1.0}}, "transition a to d"),
        ({"d": {"a": 1.0}}, "transitions: must be one of a, b, c, got 'd'"),
    ],
)
def test_transitions_that_cannot_be_are_named(transitions, word):
    with pytest.raises(BadInput, match=word):
        tactic(transitions)


def test_a_negative_weight_of_the_state_is_named(navigation):
    one = tactic({"a": {"b": lambda scene: np.full(len(scene), -0.5)}})
    with pytest.raises(BadInput, match="tactic test, transition a to b"):
        after(navigation, one, 3)


@dataclass(frozen=True)
class Broken(Skill):
    def act(self, scene, variables, action):
        action.push("robot", np.full((len(scene), 2), np.nan))
        return np.zeros(len(scene), dtype=bool)


@dataclass(frozen=True)
class Misshapen(Skill):
    def act(self, scene, variables, action):
        return np.zeros(1 + len(scene), dtype=bool)


def with_skill(problem, skill):
    return replace(problem, tactics={"default": (Tactic("test", {"mine": skill}, {}, "mine"),)})


@pytest.mark.parametrize("skill", [Broken(), Misshapen()])
def test_a_skill_that_returns_nonsense_is_named(navigation, skill):
    with pytest.raises(BadInput, match="skill mine of tactic test"):
        solve(with_skill(navigation, skill), "bgt")


@dataclass(frozen=True)
class Careless(Skill):
    """Returns nonsense of one kind."""

    what: str
    variables: ClassVar[tuple[str, ...]] = ("a",)

    def start(self, scene, chance):
        fine = chance.uniform()[:, None]
        return {"no number": np.nan * fine, "flat": fine[:, 0], "wide": np.hstack([fine, fine])}.get(
            self.what, fine
        )

    def act(self, scene, variables, action):
        if self.what == "on everything":
            action.forces[:] = 100.0
        return np.full(len(scene), 0.5 if self.what == "half busy" else False)


@pytest.mark.parametrize(
    ("what", "word"),
    [
        ("no number", r"start: must return numbers .*got nan"),
        ("flat", r"start: must return numbers \(\d+, 1\)"),
        ("wide", r"start: must return numbers \(\d+, 1\)"),
        ("half busy", "busy flags: must be booleans, got 'float64'"),
        ("on everything", "puts forces on a passive body"),
    ],
)
def test_what_a_careless_skill_returns_is_named(what, word):
    """All of it was taken for good, and moved the ball."""
    golf = load_domain("minigolf", 1)
    for others in ({}, {"other": Idle()}):  # alone in its tactic, or not
        one = Tactic("test", {"mine": Careless(what), **others}, {}, "mine")
        with pytest.raises(BadInput, match=f"skill mine of tactic test.*{word}"):
            solve(replace(golf, tactics={"default": (one,)}), "bgt", SolveOptions(iterations=100))


@pytest.mark.parametrize(
    ("weight", "word"),
    [
        (lambda scene: np.full(len(scene), np.inf), "must be a probability of zero or more, got inf"),
        (lambda scene: None, "must be a probability of zero or more, got nan"),
        (lambda scene: np.ones(len(scene) + 3), r"must give one weight a branch, \(5,\), got \(8,\)"),
    ],
)
def test_weights_that_cannot_be_are_named(navigation, weight, word):
    with pytest.raises(BadInput, match=f"tactic test, transition a to b: {word}"):
        after(navigation, tactic({"a": {"b": weight}}), 5)


def test_a_skill_that_is_busy_for_ever_is_cut_off_and_named(navigation):
    endless = replace(with_skill(navigation, Idle(busy=True)), horizon=1e9)
    plan = solve(endless, "bgt", SolveOptions(iterations=5000, lanes=2))
    assert not plan.solved
    assert list(plan.stats["cut_off"]) == ["mine of test"]
    assert plan.stats["rolled_back"] > 3000


def test_an_unknown_body_in_a_goal_is_named(navigation):
    problem = replace(navigation, goal=lambda scene: scene.inside("rowboat", (0, 0, 1, 1)))
    with pytest.raises(BadInput, match="rowboat"):
        solve(problem)


def run_alone(problem, skill, seconds):
    """One branch of one skill, stepped by hand: times, rows and busy flags."""
    from swerve.tactics import Engine

    engine = Engine(problem.world)
    scene = problem.scene(problem.start[None])
    variables = skill.start(scene, Chance(5, np.array([0])))
    rows, flags = [problem.start], []
    while rows[-1][0] < seconds:
        action = Action(scene)
        flags.append(bool(skill.act(scene, variables, action)[0]))
        rows.append(engine.step(rows[-1][None], action.forces)[0][0])
        scene = problem.scene(rows[-1][None])
    return np.array(rows), np.array(flags)


def test_driving_to_a_point_arrives_and_stands(navigation):
    place = navigation.scene(navigation.start[None]).xy("robot")[0]
    rows, flags = run_alone(navigation, DriveToPoint("robot", (place[0] - 1.0, place[1])), 2.0)
    scene = navigation.scene(rows)
    assert scene.xy("robot")[-1] == pytest.approx(place - [1.0, 0.0], abs=0.01)
    assert scene.speed("robot")[-1] < 0.02
    assert scene.speed("robot").max() < 2.05
    assert flags[0] and not flags[-1]


def test_turning_ends_at_the_sampled_angle(navigation):
    rows, flags = run_alone(navigation, Turn("robot", (1.0, 1.0)), 1.0)
    heading = navigation.scene(rows).heading("robot")
    assert heading[-1] - heading[0] == pytest.approx(1.0, abs=0.02)
    assert flags[0] and not flags[-1]


def test_waiting_lasts_as_long_as_it_says(navigation):
    _, flags = run_alone(navigation, Wait("robot", (0.5, 0.5)), 1.0)
    assert flags.sum() * navigation.world.step_seconds == pytest.approx(0.5, abs=0.035)


@pytest.mark.parametrize("angle", [0.0, 1.2, 2.5, -2.0, -0.7])
def test_a_robot_goes_round_what_it_is_to_stand_at(angle):
    problem = load_domain(str(Path(__file__).parents[2] / "docs/domains/push.yaml"))
    rows, flags = run_alone(problem, PositionAt("robot", "box", (angle, angle), (0.35, 0.35)), 2.5)
    robot, box = problem.scene(rows).xy("robot"), problem.scene(rows).xy("box")
    assert np.abs(box - box[0]).max() < 1e-3  # straight on, it pushed the box away
    assert robot[-1] - box[-1] == pytest.approx(0.35 * np.array([np.cos(angle), np.sin(angle)]), abs=0.02)
    assert flags[0] and not flags[-1]


def test_a_robot_that_cannot_stand_where_it_should_gives_up():
    """A wall is in the way: it pushed on until its chain was cut off, 1,800 steps later."""
    problem = load_domain("minigolf")
    out = PositionAt("robot", "ball", (0.0, 0.0), (50.0, 50.0), patience=0.5)
    _, flags = run_alone(problem, out, 1.0)
    assert flags.sum() * problem.world.step_seconds == pytest.approx(0.5, abs=0.035)


@dataclass(frozen=True)
class Shove(Skill):
    """Pushes a body, whatever it is."""

    body: str

    def act(self, scene, variables, action):
        action.push(self.body, np.ones((len(scene), 2)))
        return np.ones(len(scene), dtype=bool)


def test_passive_bodies_are_moved_by_collisions_only():
    problem = load_domain("minigolf")
    for law in (False, True):
        skill = DriveToPoint("ball", (1.0, 1.0)) if law else Shove("ball")
        tactic = Tactic("cheat", {"push": skill}, {}, "push")
        with pytest.raises(BadInput, match=r"ball.*only controlled and foreign bodies"):
            solve(replace(problem, tactics={"default": (tactic,)}), options=SolveOptions(iterations=9))


def test_a_sampled_spin_turns_a_ball_and_does_not_push_it():
    """It was a sideways force once, which bent the way of a ball by up to 45 degrees."""
    problem = load_domain("pool")
    slot, rows = problem.world.slot("yellow ball"), problem.start[None].copy()
    rows[0, slot.qvel] = 1.0
    action = Action(problem.scene(rows))
    SampledSpin("yellow ball").act(problem.scene(rows), np.array([[0.8, 0.0]]), action)
    assert (action.forces[0, slot.dof : slot.dof + 3] == 0).all()
    assert np.abs(action.forces[0, slot.dof + 3 : slot.dof + 6]).max() > 0
