"""Models with numbers that are none are refused, what runs away fails, and MuJoCo writes nothing about it."""

import ctypes
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import mujoco
import numpy as np
import pytest

import swerve
from swerve.core.errors import BadInput
from swerve.tactics import (
    Body,
    Law,
    Role,
    Search,
    Skill,
    SolveOptions,
    Tactic,
    World,
    law,
    load_domain,
    sound,
    views,
)
from swerve.tactics.domains.lawful import test_of as lawful

MODEL = """<mujoco><option gravity="0 0 GRAVITY"/><worldbody>
  <body name="ground"><geom type="plane" size="9 9 0.1"/></body>
  <body name="box" pos="PLACE 0 0.1"><freejoint/><geom type="box" size="0.1 0.1 SIZE" mass="0.5"/></body>
</worldbody></mujoco>"""
DOCS = Path(__file__).parents[2] / "docs/domains"


def model(gravity="-9.81", place="0", size="0.1"):
    return MODEL.replace("GRAVITY", gravity).replace("PLACE", place).replace("SIZE", size)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (model(gravity="nan"), "MJCF: gravity has a number"),
        (model(place="nan"), "MJCF: pos of body box has a number"),
        (model(place="1e200"), "MJCF: pos of body box has a number"),
        (model(size="nan"), "MJCF"),
    ],
)
def test_a_model_with_a_number_that_cannot_be_is_refused(text, word, capfd, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadInput, match=word):
        World(text, [Body("ground", Role.STATIC), Body("box", Role.PASSIVE)])
    motor = '<actuator><motor joint="turn" ctrlrange="-1 1" ctrllimited="true"/></actuator></mujoco>'
    with pytest.raises(BadInput, match=word):
        swerve.Mechanism(text.replace("<freejoint/>", '<joint name="turn"/>').replace("</mujoco>", motor))
    assert capfd.readouterr() == ("", "") and not list(tmp_path.iterdir())


def test_a_start_beyond_what_can_be_simulated_is_refused(tmp_path):
    text = (DOCS / "push.yaml").read_text().replace("mjcf: push.xml", f"mjcf: {DOCS / 'push.xml'}")
    (tmp_path / "far.yaml").write_text(text.replace("box: [0.6, 0.1]", "box: [1.0e+12, 0.1]"))
    with pytest.raises(BadInput, match="start: must have no number beyond"):
        load_domain(str(tmp_path / "far.yaml"))


@law
def throws(forces: Any, row: Any, touched: Any, variables: Any, numbers: Any) -> bool:
    push, here, _, _, about = views(forces, row, touched, variables, numbers)
    push[int(about[0])] += 1e200
    return here[0] < 1.0


@dataclass(frozen=True)
class LawfulThrow(Skill):
    variables: ClassVar[tuple[str, ...]] = ("nothing",)
    law: ClassVar[Law | None] = throws

    def numbers(self, world):
        return np.array([world.movable("robot").dof])


@dataclass(frozen=True)
class Throw(Skill):
    force: float
    variables: ClassVar[tuple[str, ...]] = ("nothing",)

    def act(self, scene, variables, action):
        action.push("robot", np.tile([self.force, 0.0], (len(scene), 1)))
        return scene.time < 1.0


@pytest.mark.parametrize("skill", [LawfulThrow(), Throw(1e200), Throw(1e308)])
def test_what_runs_away_fails_and_nothing_is_written_about_it(skill, capfd, tmp_path, monkeypatch):
    """Left to itself MuJoCo puts the world back to its first state and time, and goes on from there."""
    monkeypatch.chdir(tmp_path)
    problem = load_domain(str(DOCS / "push.yaml"))
    tactic = Tactic("thrower", {"throw": skill}, {"throw": {"throw": 1}}, "throw")
    goes = replace(problem, tactics={"default": (tactic,)}, valid=lawful([], problem.world), lack=None)
    search = Search(goes, options=SolveOptions(roll_back=False), seed=1)
    assert (search.chains is not None) == isinstance(skill, LawfulThrow)
    counts = search.grow(iterations=40).plan().stats["skills"]["thrower"]["throw"]
    assert counts["chosen"] == counts["failed"] > 0 and search.tree.count == 1
    assert "WARNING" not in "".join(capfd.readouterr()) and not list(tmp_path.iterdir())


OF_C = ctypes.CFUNCTYPE(ctypes.c_double)(lambda: 7.0)


def clocked():
    """Seconds that MuJoCo says a few steps of a model took."""
    compiled = mujoco.MjModel.from_xml_string(model())
    data = mujoco.MjData(compiled)
    for _ in range(20):
        mujoco.mj_step(compiled, data)
    return sum(timer.duration for timer in data.timer)


def test_mujoco_reads_no_clock_of_its_own_but_somebodys():
    load_domain("navigation", 0)
    sound.stop_clock()
    assert clocked() == 0.0
    mujoco.set_mjcb_time(None)  # its own again
    assert clocked() > 0.0
    try:
        mujoco.set_mjcb_time(lambda: 7.0)
        sound.stop_clock()
        assert mujoco.get_mjcb_time()() == 7.0
        mujoco.set_mjcb_time(None)
        clock = sound._variable("mjcb_time")
        assert clock is not None
        clock.value = ctypes.cast(OF_C, ctypes.c_void_p).value  # which Python is told nothing about
        assert mujoco.get_mjcb_time() is None
        sound.stop_clock()
        assert clock.value == ctypes.cast(OF_C, ctypes.c_void_p).value
    finally:
        mujoco.set_mjcb_time(None)
        sound.stop_clock()
    assert clocked() == 0.0


def test_warnings_can_be_had_back_for_simulations_of_ones_own(capfd, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # where MuJoCo would keep a log
    mine = mujoco.MjModel.from_xml_string(model())

    def run_away():
        data = mujoco.MjData(mine)
        data.qvel[0] = 1e12
        mujoco.mj_step(mine, data)
        return "unstable" in "".join(capfd.readouterr()) or bool(list(tmp_path.iterdir()))

    sound.hush()
    assert not run_away()
    try:
        sound.speak()
        assert run_away()
    finally:
        sound.hush.__wrapped__()
    (tmp_path / "MUJOCO_LOG.TXT").unlink(missing_ok=True)
    assert not run_away()
