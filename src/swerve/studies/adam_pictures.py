"""Pictures of Adam's tables: survival, times with their spread, and a skid from above."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from swerve.core.show.figures import (
    ACCENT,
    GOOD,
    INK,
    PALETTE,
    ROAD,
    SECOND,
    WARM,
    boxes,
    figure,
    plain_map,
    scale_bar,
)
from swerve.race.car import FRAME, LENGTH, WIDTH
from swerve.race.driven import sideslip
from swerve.race.track import Track
from swerve.race.trees import SKID

from .adam_runs import Case, Outcome, open_track

if TYPE_CHECKING:
    from matplotlib.axes import Axes

AROUND = 55.0  # [m] of the road shown before and behind the middle of a corner
EVERY = 4  # frames between two outlines of the car


def survival(path: Path, panels: Mapping[str, Mapping[Case, list[Outcome]]], title: str) -> Path:
    """The share of cars that still drive, over time; one panel a kind of traffic, one curve a depth."""
    from matplotlib import colormaps

    depths = sorted({case.horizon for runs in panels.values() for case in runs})
    shades = colormaps["viridis_r"](np.linspace(0.1, 1.0, len(depths)))
    with figure(path, (11, 4.6), 1, len(panels), sharey=True, squeeze=False) as grid:
        for axes, (name, runs) in zip(grid[0], panels.items(), strict=True):
            for case, outcomes in runs.items():
                ends = np.sort([o.seconds for o in outcomes if o.crashed])
                left = 100.0 * (1.0 - np.arange(len(ends) + 1) / len(outcomes))
                axes.step(
                    np.concatenate([[0.0], ends, [case.seconds]]),
                    np.append(left, left[-1]),
                    where="post",
                    color=shades[depths.index(case.horizon)],
                    ls=(0, (4, 2)) if case.guided else "-",
                    lw=2.2,
                    label=f"{case.clips}" + " guided" * case.guided,
                )
            axes.set_title(name)
            axes.set_xlabel("time driven [s]")
            axes.set_ylim(-3, 103)
        grid[0, 0].set_ylabel("cars still driving [%]")
        grid[0, -1].legend(title="clips ahead", loc="center left", bbox_to_anchor=(1.0, 0.5))
        grid[0, 0].figure.suptitle(title, x=0.01, ha="left", fontweight="bold")
    return path


def times(path: Path, runs: Mapping[Case, list[Outcome]], title: str) -> Path:
    """A line a case: every drive a dot (a cross where it crashed), the mean, and the original's number."""
    count = len(runs)
    with figure(path, (9.5, 1.5 + 0.36 * count)) as axes:
        for row, (case, outcomes) in enumerate(runs.items()):
            y = count - 1 - row
            spread = 0.22 * np.linspace(-1, 1, len(outcomes)) if len(outcomes) > 1 else np.zeros(1)
            colour = SECOND if case.guided else ACCENT
            for o, dy in zip(outcomes, spread, strict=True):
                style = {"marker": "x", "color": INK} if o.crashed else {"marker": "o", "color": colour}
                axes.plot(o.seconds, y + dy, ms=5, alpha=0.75, mew=1.4 if o.crashed else 0, **style)
            done = [o.seconds for o in outcomes if o.survived]
            if done:
                axes.plot([np.mean(done)] * 2, [y - 0.32, y + 0.32], color=colour, lw=2.5)
            if case.their_seconds is not None:
                axes.plot(case.their_seconds, y, marker="D", ms=7, mfc="none", mec=WARM, mew=2)
        axes.set_yticks(range(count), [case.label for case in reversed(list(runs))])
        axes.set_ylim(-0.6, count - 0.4)
        axes.set_xlim(left=0)
        axes.set_xlabel("time to the finish, or to the crash [s]")
        axes.set_title(title)
        axes.grid(axis="y", color=INK, alpha=0.12)
        keys = [("o", ACCENT, "the original's method"), ("o", SECOND, "our guide"), ("x", INK, "crashed")]
        for marker, colour, text in keys:
            axes.plot([], [], marker, color=colour, label=text)
        if any(case.their_seconds is not None for case in runs):
            axes.plot([], [], "D", mfc="none", mec=WARM, mew=2, label="the original's number")
        axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return path


def skid(path: Path, drives: Sequence[tuple[str, Outcome]], title: str) -> Path:
    """The sharpest corner of the track, from above, as each of the drives took it."""
    track = open_track(drives[0][1].case.track)
    place = _sharpest(track)
    with figure(path, (5.6 * len(drives), 4.6), 1, len(drives), squeeze=False) as grid:
        for axes, (name, outcome) in zip(grid[0], drives, strict=True):
            _corner(axes, track, outcome, place, name)
        grid[0, 0].figure.suptitle(title, x=0.01, ha="left", fontweight="bold")
    return path


def _corner(axes: Axes, track: Track, outcome: Outcome, place: float, name: str) -> None:
    right, left = track.edges
    axes.fill(*np.vstack([right, left[::-1]]).T, color=ROAD, lw=0)
    for edge in (right, left):
        axes.plot(*edge.T, color=INK, lw=1.0)
    states, slip = outcome.states, np.degrees(sideslip(outcome.states))
    axes.plot(*states[:, :2].T, color=INK, lw=0.8, alpha=0.6)
    along, _ = track.progress(states[:, :2])
    near = np.flatnonzero(np.abs(along - place) < AROUND)
    shown = near[::EVERY]
    sliding = slip[shown] > np.degrees(SKID)
    for which, colour in ((~sliding, SECOND), (sliding, ACCENT)):
        style = {"facecolor": colour, "edgecolor": INK, "lw": 0.6, "alpha": 0.55}
        boxes(axes, states[shown[which], :3], LENGTH, WIDTH, **style)
    seconds = len(near) * FRAME
    most = slip[near].max(initial=0.0)
    axes.set_title(f"{name}: {seconds:.1f} s here, sideslip up to {most:.0f}°", fontsize=10)
    plain_map(axes)
    corner = track.centre[np.abs(track.s - place) < AROUND]
    room = track.left.min() + 6.0
    axes.set_xlim(corner[:, 0].min() - room, corner[:, 0].max() + room)
    axes.set_ylim(corner[:, 1].min() - room, corner[:, 1].max() + room)
    scale_bar(axes, 10.0)


def _sharpest(track: Track) -> float:
    """Progress [m] at the middle of the corner that turns the most."""
    heading = np.unwrap(np.arctan2(track.tangent[:, 1], track.tangent[:, 0]))
    reach = 12  # points of the centre line on either side
    turn = np.abs(heading[2 * reach :] - heading[: -2 * reach])
    widest = np.flatnonzero(turn > turn.max() - 1e-3)
    return float(track.s[reach + int(np.median(widest))])


def smoothness(path: Path, drives: Sequence[tuple[str, Outcome]], title: str) -> Path:
    """Forward speed over time of one drive with each tree: the jumps of the small trees stand out."""
    with figure(path, (10, 2.0 * len(drives) + 0.6), len(drives), 1, sharex=True, squeeze=False) as grid:
        for axes, colour, (name, outcome) in zip(grid[:, 0], (*PALETTE,), drives, strict=False):
            states = outcome.states
            axes.plot(
                FRAME * np.arange(len(states)), np.hypot(states[:, 3], states[:, 4]), color=colour, lw=1.4
            )
            axes.set_title(f"{name}: at most {outcome.frame_change:.0f} m/s² in a frame", fontsize=10)
            axes.set_ylabel("speed [m/s]")
            axes.set_ylim(0, 33)
        grid[-1, 0].set_xlabel("time [s]")
        grid[0, 0].figure.suptitle(title, x=0.01, ha="left", fontweight="bold")
    return path


def lanes(path: Path, drives: Sequence[tuple[str, Outcome]], title: str) -> Path:
    """Where across the road the car drove, over the way it made."""
    track = open_track(drives[0][1].case.track)
    half = float(track.left[0])
    with figure(path, (10, 1.7 * len(drives) + 0.6), len(drives), 1, sharex=True, squeeze=False) as grid:
        for axes, (name, outcome) in zip(grid[:, 0], drives, strict=True):
            along, across = track.progress(outcome.states[:, :2])
            axes.axhspan(-half, half, color=ROAD, lw=0)
            axes.plot(along, across, color=GOOD, lw=1.3)
            if outcome.crashed:
                axes.plot(along[-1], across[-1], "x", color=ACCENT, ms=10, mew=3)
            axes.set_ylim(-half - 0.5, half + 0.5)
            axes.set_title(name, fontsize=10)
            axes.set_ylabel("left of centre [m]")
        grid[-1, 0].set_xlabel("along the road [m]")
        grid[0, 0].figure.suptitle(title, x=0.01, ha="left", fontweight="bold")
    return path
