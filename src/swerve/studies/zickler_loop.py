"""Zickler 2010, chapters 7 and 8: plans carried out in a world that does not follow them.

The original's world was real; here a second simulated one stands for it. What can be compared are rates and
what they depend on, not times.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from swerve.core.seeding import generator
from swerve.core.show.figures import PALETTE, figure
from swerve.core.sweep import sweep
from swerve.tactics.loop import PlayOptions, fit, with_materials
from swerve.tactics.loop.episodes import minigolf_episodes, simulated, yard
from swerve.tactics.loop.errors import total_error
from swerve.tactics.loop.fit import EVALUATIONS, GUESSED, MINIGOLF, draw_course
from swerve.tactics.loop.golf import bar_course, shot
from swerve.tactics.loop.shots import compare
from swerve.tactics.loop.strikes import measured_strikes, with_strikes

from .report import Conclusion, Report

TABLE_7_3 = {(5.0, 1.4): 90, (5.0, 2.4): 80, (3.0, 1.4): 70, (3.0, 2.4): 50}  # period, distance: success [%]
RATE_NOISE = (0.0, 0.05, 0.1, 0.2)
TABLE_8_1 = {  # first guess and optimum of the original, as what makes the same pair here: friction twice
    "ball.restitution": (0.64, 0.70),
    "walls.friction": (0.6, 0.672),
    "floor.friction": (1.6, 1.518),
    "ball.damping": (0.0046, 0.0067),
    "floor.rolling": (None, None),
    "walls.upright": (None, None),
}
TABLE_8_2 = (48, 76)  # success [%] before and after


def table_7_3(out: Path, seed: int, trials: int | None) -> Report:
    """Holes in one past a turning bar."""
    rows: list[dict[str, Any]] = []
    for (period, distance), original in TABLE_7_3.items():
        holed = _bar_shots(period, distance, seed, trials or 10, 0.0)
        rows.append(
            {
                "period [s]": period,
                "distance [m]": distance,
                "success %": holed,
                "original's %": original,
            }
        )
    mean = float(np.mean([row["success %"] for row in rows]))
    slow = float(np.mean([row["success %"] for row in rows[:2]]))
    conclusions = [
        Conclusion("Seven of ten putts or more are holed", mean >= 70, f"{mean:.0f} %, the original 73 %"),
        Conclusion("A slower bar is easier", slow > mean, f"{slow:.0f} % at 5 s, {mean:.0f} % over all"),
    ]
    return Report("zickler-7.3", "Table 7.3: past a turning bar", rows, conclusions)


def figure_7_10(out: Path, seed: int, trials: int | None) -> Report:
    """The same with errors in the bar's rate."""
    rows: list[dict[str, Any]] = []
    for noise in RATE_NOISE:
        each = [_bar_shots(p, d, seed, trials or 10, noise) for p, d in TABLE_7_3]
        rows.append({"rate noise %": 100 * noise, "success %": float(np.mean(each))})
    with figure(out / "zickler-7.10.png", (6.4, 4.0)) as axes:
        axes.plot([r["rate noise %"] for r in rows], [r["success %"] for r in rows], "o-", color=PALETTE[0])
        axes.set_xlabel("error of the observed rate [%]")
        axes.set_ylabel("holes in one [%]")
        axes.set_ylim(0, 105)
    first, last = rows[0]["success %"], rows[-1]["success %"]
    conclusions = [
        Conclusion(
            "Noise in the rate costs success", last < first, f"{first:.0f} % without, {last:.0f} % at 20 %"
        )
    ]
    report = Report("zickler-7.10", "Figure 7.10: noise in the bar's rate", rows, conclusions)
    report.files.append(out / "zickler-7.10.png")
    return report


def table_8_1(out: Path, seed: int, trials: int | None) -> Report:
    """What fitting finds. `trials` are evaluations."""
    world = with_materials(yard().world, GUESSED)
    found = fit(
        world, minigolf_episodes(generator(seed, "episodes")), MINIGOLF, evaluations=trials or EVALUATIONS
    )
    rows: list[dict[str, Any]] = [
        {
            "parameter": name,
            "before": found.before[name],
            "after": found.after[name],
            "original before": TABLE_8_1[name][0],
            "original after": TABLE_8_1[name][1],
        }
        for name in found.names
    ]
    rows.append(
        {
            "parameter": "error",
            "before": found.error_before,
            "after": found.error_after,
            "original before": None,
            "original after": None,
        }
    )
    others = minigolf_episodes(generator(seed, "other episodes"))
    fitted = with_materials(world, found.after)
    errors = [total_error(others, simulated(w, others, fidelity="planar")) for w in (world, fitted)]
    words = f"{errors[0]:.3f} to {errors[1]:.3f}, a half of what it was or less"
    said = "Fitting halves the error of episodes that were not fitted on"
    conclusions = [Conclusion(said, errors[1] <= 0.5 * errors[0], words)]
    report = Report("zickler-8.1", "Table 8.1: fitted parameters", rows, conclusions)
    report.files.append(draw_course(found, out / "zickler-8.1.png"))
    return report


def table_8_2(out: Path, seed: int, trials: int | None) -> Report:
    """Success on courses that were not fitted on, before and after; `trials` are shots a course."""
    world = with_materials(yard().world, GUESSED)
    found = fit(world, minigolf_episodes(generator(seed, "episodes")), MINIGOLF)
    after = with_strikes({**GUESSED, **found.after}, *measured_strikes(generator(seed, "strikes")))
    shots = trials or 10
    first, then = compare(GUESSED, after, 10, shots, seed)
    rows: list[dict[str, Any]] = [
        {
            "course": k + 1,
            "planned before %": 100 * first.planned[k] / shots,
            "before %": 100 * first.holed[k] / shots,
            "planned after %": 100 * then.planned[k] / shots,
            "after %": 100 * then.holed[k] / shots,
        }
        for k in range(10)
    ]
    gain = 100 * (then.rate - first.rate)
    words = (
        f"{100 * first.rate:.0f} % to {100 * then.rate:.0f} %; the original {TABLE_8_2[0]} to {TABLE_8_2[1]}"
    )
    conclusions = [
        Conclusion("Fitting raises success by 20 points or more", gain >= 20, words),
        Conclusion("Three of four putts or more are holed then", then.rate >= 0.75, words),
    ]
    return Report("zickler-8.2", "Table 8.2: success before and after fitting", rows, conclusions)


def _bar_shots(period: float, distance: float, seed: int, trials: int, noise: float) -> float:
    """Holes in one [%]."""
    options = PlayOptions(rate_noise=noise)
    work = partial(_holed, period, distance, options)
    return 100 * float(np.mean(sweep(work, range(seed, seed + trials), f"{period:g} s, {distance:g} m")))


def _holed(period: float, distance: float, options: PlayOptions, seed: int) -> bool:
    return bool(shot(bar_course(distance, period, seed), options, seed).success)
