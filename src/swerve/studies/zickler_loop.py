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
from swerve.tactics.loop.fit import EVALUATIONS, GUESSED, MINIGOLF, draw_course, number_of
from swerve.tactics.loop.golf import bar_course, shot
from swerve.tactics.loop.play import wilson
from swerve.tactics.loop.practice import measured
from swerve.tactics.loop.shots import compare

from .paired import POINTS, RARE, SHARE, Spread, at_least, both, more_often, more_than, rate, spread
from .report import Conclusion, Report

TABLE_7_3 = {(5.0, 1.4): 90, (5.0, 2.4): 80, (3.0, 1.4): 70, (3.0, 2.4): 50}  # period, distance: success [%]
PUTTS = 10  # in each setting
RATE_NOISE = (0.0, 0.05, 0.1, 0.2)
TABLE_8_1 = {  # first guess and optimum of the original, as what makes the same pair here
    "ball.restitution": (0.64, 0.70),
    "walls.friction": (0.6, 0.439),
    "floor.friction": (1.1, 0.862),
    "ball.damping": (0.0046, 0.0067),
    "floor.rolling": (None, None),
    "walls.upright": (None, None),
}
TABLE_8_2 = (48, 76)  # success [%] before and after


def table_7_3(out: Path, seed: int, trials: int | None) -> Report:
    """Holes in one past a turning bar."""
    holed = _bar_shots(seed, trials or PUTTS, 0.0)
    rows: list[dict[str, Any]] = []
    for (period, distance), original in TABLE_7_3.items():
        mine = holed[period, distance]
        low, high = wilson(int(mine.sum()), len(mine))
        rows.append(
            {
                "period [s]": period,
                "distance [m]": distance,
                "success %": 100 * float(mine.mean()),
                "95 %": f"{100 * low:.0f}-{100 * high:.0f}",
                "original's %": original,
            }
        )
    everything = np.concatenate(list(holed.values()))
    all_holed = rate(int(everything.sum()), len(everything))
    words = f"{all_holed.words(' %')} of {len(everything)}, the original 73 %"
    slow, fast = (np.concatenate([holed[s] for s in holed if (s[0] > 4.0) == slow]) for slow in (True, False))
    more = more_often(slow, fast)
    conclusions = [
        Conclusion("Seven of ten putts or more are holed", at_least(all_holed, 70.0), words),
        Conclusion("A slower bar is easier", more_than(more, 0.0), f"{more.words()} points more at 5 s"),
    ]
    return Report("zickler-7.3", "Table 7.3: past a turning bar", rows, conclusions)


def figure_7_10(out: Path, seed: int, trials: int | None) -> Report:
    """The same with errors in the bar's rate: the same putts with the same errors, but larger ones."""
    holed = {noise: _bar_shots(seed, trials or PUTTS, noise) for noise in RATE_NOISE}
    rows: list[dict[str, Any]] = []
    for noise, settings in holed.items():
        everything = np.concatenate(list(settings.values()))
        low, high = wilson(int(everything.sum()), len(everything))
        rows.append(
            {
                "rate noise %": 100 * noise,
                "success %": 100 * float(everything.mean()),
                "95 %": f"{100 * low:.0f}-{100 * high:.0f}",
                **{f"{p:g} s, {d:g} m": 100 * float(mine.mean()) for (p, d), mine in settings.items()},
            }
        )
    with figure(out / "zickler-7.10.png", (6.4, 4.0)) as axes:
        for k, (period, distance) in enumerate(TABLE_7_3):
            name = f"{period:g} s, {distance:g} m"
            axes.plot(
                [r["rate noise %"] for r in rows], [r[name] for r in rows], color=PALETTE[k], label=name
            )
        axes.set_xlabel("error of the observed rate [%]")
        axes.set_ylabel("holes in one [%]")
        axes.set_ylim(0, 105)
        axes.legend()
    conclusions = []
    for noise in (0.1, RATE_NOISE[-1]):
        pairs = (np.concatenate(list(holed[n].values())) for n in (0.0, noise))
        less = more_often(*pairs)
        said = f"An error of {100 * noise:.0f} % in the rate costs success"
        conclusions.append(Conclusion(said, more_than(less, 0.0), f"{less.words()} points"))
    costs = [more_often(holed[0.0][setting], holed[RATE_NOISE[-1]][setting]) for setting in TABLE_7_3]
    each = f"{', '.join(cost.words() for cost in costs)} points"
    in_all = both(*(more_than(cost, 0.0) for cost in costs))
    conclusions.append(Conclusion("It does so in all four settings", in_all, each))
    report = Report("zickler-7.10", "Figure 7.10: noise in the bar's rate", rows, conclusions)
    report.files.append(out / "zickler-7.10.png")
    return report


def table_8_1(out: Path, seed: int, trials: int | None) -> Report:
    """What fitting finds, beside what the domain has without it. `trials` are evaluations."""
    domain = yard().world
    world = with_materials(domain, GUESSED)
    found = fit(
        world, minigolf_episodes(generator(seed, "episodes")), MINIGOLF, evaluations=trials or EVALUATIONS
    )
    rows: list[dict[str, Any]] = [
        {
            "parameter": name,
            "domain": number_of(domain, name),
            "before": found.before[name],
            "after": found.after[name],
            "original before": TABLE_8_1[name][0],
            "original after": TABLE_8_1[name][1],
        }
        for name in found.names
    ]
    seen, others = (minigolf_episodes(generator(seed, what)) for what in ("episodes", "other episodes"))
    fitted, none = with_materials(world, found.after), {"original before": None, "original after": None}
    errors = []
    for what, episodes in (("error", seen), ("error of other episodes", others)):
        errors = [
            total_error(episodes, simulated(w, episodes, fidelity="planar")) for w in (domain, world, fitted)
        ]
        rows.append({"parameter": what, "domain": errors[0], "before": errors[1], "after": errors[2], **none})
    words = f"{errors[1]:.3f} to {errors[2]:.3f}, a half of what it was or less"
    conclusions = [
        Conclusion(
            "Fitting halves the error of episodes that were not fitted on",
            errors[2] <= 0.5 * errors[1],
            words,
        ),
        Conclusion(
            "Fitted numbers repeat them better than those of the domain",
            errors[2] < errors[0],
            f"{errors[2]:.3f} against {errors[0]:.3f}",
        ),
    ]
    report = Report("zickler-8.1", "Table 8.1: fitted parameters", rows, conclusions)
    report.files.append(draw_course(found, out / "zickler-8.1.png"))
    return report


def table_8_2(out: Path, seed: int, trials: int | None) -> Report:
    """Success on courses that were not fitted on, before and after the materials were fitted and the robot's
    strike was measured; `trials` are shots a course."""
    world = with_materials(yard().world, GUESSED)
    found = fit(world, minigolf_episodes(generator(seed, "episodes")), MINIGOLF)
    after, scatter = measured({**GUESSED, **found.after}, seed)
    shots = trials or 10
    first, then = compare(GUESSED, after, 10, shots, seed, scatter=scatter)
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
    holed = [100 * np.array(s.holed) / shots for s in (first, then)]
    gain, success = _by_course(holed[1] - holed[0], shots, POINTS), _by_course(holed[1], shots, SHARE)
    original = f"the original {TABLE_8_2[0]} % to {TABLE_8_2[1]} %"
    conclusions = [
        Conclusion(
            "Fitting, and measuring the strike, raise success by 20 points or more",
            at_least(gain, 20.0),
            f"{gain.words()} points, from {100 * first.rate:.0f} % to {100 * then.rate:.0f} %; {original}",
        ),
        Conclusion(
            "Three of four putts or more are holed then",
            at_least(success, 75.0),
            f"{success.words(' %')}; {original}",
        ),
    ]
    return Report("zickler-8.2", "Table 8.2: success before and after fitting", rows, conclusions)


def _by_course(values: np.ndarray, shots: int, within: tuple[float, float]) -> Spread:
    """The mean over courses: shots on one course are much alike."""
    return spread(lambda k: float(values[k].mean()), len(values), RARE / (shots * len(values)), within)


def _bar_shots(seed: int, putts: int, noise: float) -> dict[tuple[float, float], np.ndarray]:
    """Which putts are holed, by period and distance."""
    found = {}
    for period, distance in TABLE_7_3:
        work = partial(_holed, period, distance, PlayOptions(rate_noise=noise))
        what = f"{period:g} s, {distance:g} m"
        found[period, distance] = np.array(sweep(work, range(seed, seed + putts), what), dtype=bool)
    return found


def _holed(period: float, distance: float, options: PlayOptions, seed: int) -> bool:
    return bool(shot(bar_course(distance, period, seed), options, seed).success)
