"""What the skills of a search did is counted, and what keeps a domain from being solved is told."""

import copy
import json

import pytest
from test_file import SCENE, written

from swerve.cli.main import run
from swerve.core.plan import Status
from swerve.tactics import Search, SolveOptions, load_domain, solve


def changed(skills=None, transitions=None):
    tactic = copy.deepcopy(SCENE["tactics"][0])
    tactic["skills"] |= skills or {}
    tactic["transitions"] = transitions or tactic["transitions"]
    return [tactic]


INTO_THE_WALL = {"skill": "DriveToSampledTarget", "body": "robot", "area": [-0.5, 1.5, 1.0, 1.6]}


@pytest.fixture
def hopeless(tmp_path):
    """A file whose tactic needs a skill that always hits the wall."""
    tactics = changed({"cross": INTO_THE_WALL}, {"get": {"cross": 1}, "cross": {"push": 1}})
    return written(tmp_path, tactics=tactics)


def test_a_skill_that_always_fails_is_named_with_what_it_touches(hopeless):
    plan = solve(load_domain(str(hopeless)), options=SolveOptions(iterations=4000), seed=1)
    assert not plan.solved
    cross = plan.stats["skills"]["fetcher"]["cross"]
    assert cross["failed"] == cross["touching"]["robot, walls"] > 30 and cross["finished"] == 0
    assert plan.stats["skills"]["fetcher"]["push"]["chosen"] == 0
    failed, never = plan.stats["hints"]
    assert failed.startswith("skill cross of fetcher failed ")
    assert failed.endswith("robot and walls touched in 100% of them")
    assert never == "skill push of fetcher was never chosen"


def test_a_transition_whose_condition_never_holds_is_named(tmp_path):
    far = {"when": {"body": "robot", "inside": [5, 5, 6, 6]}}
    tactics = changed(transitions={"get": {"push": 1}, "push": {"push": 1, "get": far}})
    path = written(tmp_path, tactics=tactics, goal={"body": "ball", "inside": [5, 5, 6, 6]})
    plan = solve(load_domain(str(path)), options=SolveOptions(iterations=4000), seed=1)
    (hint,) = plan.stats["hints"]
    assert hint.startswith("transition push to get of fetcher never fired in ")
    assert "get" not in plan.stats["skills"]["fetcher"]["push"]["then"]


def test_the_account_adds_up(tmp_path):
    search = Search(load_domain(str(written(tmp_path))), options=SolveOptions(lanes=1), seed=2)
    search.grow(iterations=3000)
    skills = search.account.table()["fetcher"]
    chosen = sum(skill["chosen"] for skill in skills.values())
    followed = sum(sum(skill["then"].values()) for skill in skills.values())
    ends = sum(skill[end] for skill in skills.values() for end in ("finished", "goal", "failed", "too_late"))
    assert chosen - ends in (0, 1)  # one may be under way
    assert chosen - followed == search.account.moves[0, -1].sum() > 0  # those at the root
    assert skills["get"]["then"] == {"push": skills["get"]["then"]["push"]}  # nothing else may follow
    assert search.account.hints() == []


def test_the_horizon_is_told_from_what_is_in_the_way(tmp_path):
    path = written(tmp_path, horizon=0.5, avoid=[], goal={"body": "ball", "inside": [5, 5, 6, 6]})
    plan = solve(load_domain(str(path)), options=SolveOptions(iterations=3000), seed=1)
    skills = plan.stats["skills"]["fetcher"]
    assert skills["get"]["too_late"] > 30 and skills["get"]["failed"] == 0
    assert plan.stats["hints"][0].endswith("the horizon was over")


def test_a_pair_that_touches_anyway_is_not_blamed(tmp_path):
    """The ball lies on the floor in every branch; the skill fails because the robot leaves its area."""
    out = {"skill": "DriveToSampledTarget", "body": "robot", "area": [-0.9, -0.6, -0.8, -0.5]}
    tactics = changed({"get": {"skill": "Wait", "body": "robot"}, "push": out})
    more = {"valid": {"body": "robot", "inside": [-0.4, -0.4, 2, 2]}, "watch": [["ball", "floor"]]}
    problem = load_domain(str(written(tmp_path, tactics=tactics, **more)))
    plan = solve(problem, options=SolveOptions(iterations=4000), seed=1)
    failed = plan.stats["skills"]["fetcher"]["push"]
    assert failed["touching"]["ball, floor"] == failed["failed"] > 30
    (hint,) = plan.stats["hints"]
    assert hint.startswith("skill push of fetcher failed ") and hint.endswith(": the state was not valid")


def test_skills_that_end_are_not_said_to_be_endless(tmp_path):
    """Any skill longer than half of a short horizon was."""
    path = written(tmp_path, horizon=0.5, avoid=[], goal={"body": "ball", "inside": [5, 5, 6, 6]})
    plan = solve(load_domain(str(path)), options=SolveOptions(iterations=3000), seed=1)
    assert plan.stats["skills"]["fetcher"]["get"]["too_late"] > 30
    assert not {"cut_off", "at_horizon"} & set(plan.stats)


def driving(tmp_path, to, **changes):
    """A tactic that has one way to go, and the goal at its end."""
    drive = {"skill": "DriveToPoint", "body": "robot", "point": to}
    tactics = [{"name": "driver", "skills": {"drive": drive}, "transitions": {}, "start": "drive"}]
    goal = {"body": "robot", "near": to, "within": 0.1}
    return load_domain(str(written(tmp_path, tactics=tactics, goal=goal, **changes)))


def test_a_horizon_that_is_too_near_is_a_limit(tmp_path):
    assert solve(driving(tmp_path, [0.6, 0.8])).solved
    plan = solve(driving(tmp_path, [0.6, 0.8], horizon=0.3))
    assert plan.status is Status.UNFINISHED
    assert plan.stats["hints"] == ["nothing is left to try within the horizon of 0.3 s"]


def test_what_only_ends_in_the_wall_is_not_a_limit(tmp_path):
    plan = solve(driving(tmp_path, [0.6, 1.05]))
    assert plan.status is Status.INFEASIBLE
    (hint,) = plan.stats["hints"]
    assert hint == "nothing is left to try: all that the tactics can do ends in what is not valid"


def test_the_command_tells_it_in_words_and_in_json(hopeless, tmp_path, capsys):
    given = ["plan", str(hopeless), "--iterations", "4000", "--seed", "1", "--out", str(tmp_path / "out")]
    assert run(given) == 1
    said = capsys.readouterr()
    assert "skill cross of fetcher failed" in " ".join(said.err.split())
    assert "fetcher, push never chosen" in " ".join(said.out.split())
    assert run([*given, "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["skills"]["fetcher"]["cross"]["failed"] > 30 and len(told["hints"]) == 2
