"""A picture of a match: the field, where the ball went, where it went in, and everybody at the end."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from swerve.core.show.figures import COLOUR_WORDS, INK, figure, plain_map, scale_bar
from swerve.core.show.view import AREA_COLOURS

from .log import Log
from .model import BALL_RADIUS, HEADING, ROBOT_RADIUS
from .referee import Referee, State

LAST = 8.0  # [s] of everybody's way that is drawn
AT_ONCE = 1.0  # [m] that a ball does not go between two rows: it was put there
SIDES = ("blue", "yellow")


def draw(log: Log, referee: Referee, path: str | Path, title: str) -> Path:
    """From above: the ball's way in play as a thin line, the last seconds of all, goals as stars."""
    from matplotlib.patches import Circle

    times, robots, ball = log.tracks()
    f, n = log.field, log.field.robots
    x, y = f.length / 2 + f.margin, f.width / 2 + f.margin
    with figure(path, (9.2, 9.2 * y / x + 1.0)) as axes:
        axes.fill([-x, x, x, -x], [-y, -y, y, y], color=AREA_COLOURS["field"], lw=0, zorder=0)
        for line in f.scenery()["lines"]:
            colour = INK if line["role"] == "wall" else "#3f8f5b" if line["role"] == "goal" else "white"
            axes.plot(*np.array(line["points"]).T, color=colour, lw=1.4, zorder=1)
        playing = np.array(log.states) == State.RUNNING
        playing &= np.append(False, np.hypot(*np.diff(ball[:, :2], axis=0).T) < AT_ONCE)
        way = np.where(playing[:, None], ball[:, :2], np.nan)
        axes.plot(*way.T, color=COLOUR_WORDS["orange"], lw=0.5, alpha=0.35, zorder=2, label="ball in play")
        changed = max((event.t for event in referee.events if event.what == "half time"), default=0.0)
        late = times > max(times[-1] - LAST, changed)
        for k in range(2 * n):
            colour = COLOUR_WORDS[SIDES[k // n]]
            way_of = f"{SIDES[k // n]}, the last {LAST:g} s" if k % n == 0 else None
            axes.plot(*robots[late, k, :2].T, color=colour, lw=1.2, alpha=0.6, zorder=3, label=way_of)
            place, heading = robots[-1, k, :2], robots[-1, k, HEADING]
            axes.add_patch(
                Circle(tuple(place), ROBOT_RADIUS, facecolor=colour, edgecolor=INK, lw=0.7, zorder=5)
            )
            nose = place + ROBOT_RADIUS * np.array([np.cos(heading), np.sin(heading)])
            axes.plot(*np.array([place, nose]).T, color=INK, lw=1.0, zorder=6)
        axes.add_patch(
            Circle(
                tuple(ball[-1, :2]),
                BALL_RADIUS * 1.6,
                facecolor=COLOUR_WORDS["orange"],
                edgecolor=INK,
                lw=0.6,
                zorder=7,
            )
        )
        goals = [event for event in referee.events if event.what == "goal"]
        for k, event in enumerate(goals):
            row = min(int(np.searchsorted(times, event.t - 0.02)), len(ball) - 1)
            at = np.copysign(f.length / 2, ball[row, 0]), ball[row, 1]
            colour, name = COLOUR_WORDS[SIDES[event.side]], "goals" if k == 0 else None
            axes.plot(*at, "*", color=colour, mec=INK, ms=13, ls="", zorder=8, label=name)
        axes.set_xlim(-x - 0.05, x + 0.05)
        axes.set_ylim(-y - 0.45, y + 0.05)
        plain_map(axes)
        scale_bar(axes, 1.0, y=0.015)
        axes.legend(loc="lower right", ncols=4, fontsize=8, frameon=False, borderaxespad=0.1)
        axes.set_title(title)
    return Path(path)
