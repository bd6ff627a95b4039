"""What is passive is moved by collisions alone, whoever writes the skill and however."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from swerve.core.errors import BadInput
from swerve.tactics import (
    Law,
    Runner,
    Search,
    Skill,
    SolveOptions,
    Tactic,
    law,
    load_domain,
    solve,
    views,
)
from swerve.tactics.decide import Decider

REFUSED = r"skill push of tactic cheat.*passive body"


@law
def _push_late(forces: Any, row: Any, touched: Any, variables: Any, numbers: Any) -> bool:
    """Numbers: the degree of freedom, from when on it is pushed [s]."""
    push, here, _, _, about = views(forces, row, touched, variables, numbers)
    if here[0] >= about[1]:
        push[int(about[0])] += 0.1
    return here[0] < 0.5


@dataclass(frozen=True)
class PushLate(Skill):
    """Takes its column from wherever it likes."""

    ball: str
    since: float = 0.0
    law: ClassVar[Law] = _push_late

    def numbers(self, world):
        return np.array([world.slot(self.ball).dof, self.since])


class Handle(PushLate):
    handles: ClassVar[tuple[str, ...]] = ("ball",)


@pytest.fixture(scope="module")
def golf():
    return load_domain("minigolf")


def pushed_by(golf, skill):
    """The problem with that skill, and whatever it had besides."""
    cheat = Tactic("cheat", {"push": skill}, {}, "push")
    return replace(golf, tactics={"default": (cheat, *golf.tactics["default"][1:])})


@pytest.mark.parametrize("since", [0.0, 0.3])
def test_a_law_that_pushes_what_is_passive_is_named(golf, since):
    problem = pushed_by(golf, PushLate("ball", since))
    search = Search(problem, "bgt", seed=1)
    assert search.chains is not None
    with pytest.raises(BadInput, match=REFUSED):
        search.grow(iterations=60)


def test_so_is_one_beside_skills_in_python_and_one_outside_a_search(golf):
    problem = replace(pushed_by(golf, PushLate("ball", 0.3)), goal=lambda scene: scene.time > 9)
    with pytest.raises(BadInput, match=REFUSED):
        solve(problem, options=SolveOptions(iterations=60))
    runner = Runner(golf.world, problem.tactics["default"])
    with pytest.raises(BadInput, match=REFUSED):
        runner.run(golf.start, 0.5)


def test_it_may_push_what_is_not_passive(golf):
    search = Search(pushed_by(golf, PushLate("robot")), "bgt", seed=1)
    search.grow(iterations=60)
    assert search.tree.count > 30


@pytest.mark.parametrize("chained", [True, False])
def test_a_skill_that_says_what_it_handles_may_act_on_it(golf, chained):
    problem = pushed_by(golf, Handle("ball"))
    problem = problem if chained else replace(problem, valid=lambda scene: scene.time < 99)
    search = Search(problem, "bgt", seed=1)
    assert (search.chains is not None) is chained
    search.grow(iterations=30)
    assert search.tree.rows[: search.tree.count, golf.world.slot("ball").qvel].max() > 0.1


def test_what_it_handles_is_that_body_alone():
    """Of two passive bodies, the other one is barred."""
    problem = load_domain(str(Path(__file__).parents[2] / "docs/domains/push.yaml"))
    skill = Handle("box")
    assert Decider(problem.world, (Tactic("one", {"push": skill}, {}, "push"),), 0).barred[0][0].size == 0
    skill = Handle("robot")
    slot = problem.world.slot("box")
    (barred,) = Decider(problem.world, (Tactic("one", {"push": skill}, {}, "push"),), 0).barred[0]
    assert barred.tolist() == list(range(slot.dof, slot.dof + 6))


@pytest.mark.parametrize("handles", [("boll",), "ball"])
def test_what_it_handles_must_be_a_field(golf, monkeypatch, handles):
    """A name without a comma is not a tuple of one, but its letters."""
    monkeypatch.setattr(Handle, "handles", handles)
    with pytest.raises(BadInput, match="Handle, handles: must be fields of the skill"):
        Search(pushed_by(golf, Handle("ball")), "bgt", seed=1)
