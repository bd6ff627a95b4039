"""Pictures of games: who is who, and no ways where bodies were put."""

import numpy as np

from swerve.core.show.figures import COLOUR_WORDS, PALETTE
from swerve.tactics import load_domain
from swerve.tactics.domains import duel
from swerve.tactics.loop.frames import Log
from swerve.tactics.loop.picture import CROWD, draw, jumps, told_apart
from swerve.tactics.loop.reality import FRAME, moving


def test_teams_have_the_colours_that_they_are_called_by():
    """Blue was drawn in red and yellow in blue."""
    problem = duel.build()
    colours, crowd = told_apart(problem, moving(problem.world))
    assert crowd == [] and set(colours) == {"blue", "yellow", "ball"}
    assert colours["blue"] == COLOUR_WORDS["blue"] and colours["yellow"] == COLOUR_WORDS["yellow"]
    assert colours["ball"] in PALETTE and len(set(colours.values())) == 3


def test_the_robot_is_told_from_many_obstacles(tmp_path, monkeypatch):
    """It had the colour of two of them, and neither plan nor estimate was drawn."""
    problem = load_domain("hallway", 1)
    colours, crowd = told_apart(problem, moving(problem.world))
    assert list(colours) == ["robot"] and len(crowd) == 12
    drawn = []
    monkeypatch.setattr("matplotlib.axes.Axes.legend", lambda axes, **_: drawn.extend(axes.lines))
    rows = [np.where(np.arange(problem.world.width) == 0, k * FRAME, problem.start) for k in range(6)]
    log = Log(truth=rows, estimate=rows, planned=[None, None, *rows[2:]])
    assert draw(log, problem, tmp_path / "play.png", "hallway").stat().st_size > 5_000
    (way,) = [line for line in drawn if line.get_label() == "robot"]
    assert way.get_color() == colours["robot"] != CROWD and len(way.get_xdata()) == 6
    planned = [line for line in drawn if line.get_linestyle() == "--" and len(line.get_xdata())]
    assert [np.isnan(line.get_xdata()).tolist() for line in planned] == [[True, True, *[False] * 4]]


def test_no_way_leads_to_where_bodies_were_put():
    problem = duel.build()
    slot, rows = problem.world.slot("ball"), np.tile(problem.start, (8, 1))
    rows[:, slot.qpos] += 0.1 * np.arange(8)
    assert jumps(problem, rows, moving(problem.world)).tolist() == []
    rows[5:, slot.qpos] -= 1.0
    assert jumps(problem, rows, moving(problem.world)).tolist() == [5]
