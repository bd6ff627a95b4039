"""Adam 2007, tables 4.1 to 4.3: what the small move trees can do, and by how much.

Every study drives the rows of one table over several seeds and says of each of the thesis' conclusions
whether it holds here. The seeds place the other cars, and the car across the road.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from scipy.stats import spearmanr

from . import adam_pictures as pictures
from .adam_rows import (
    Runs,
    better,
    drives,
    finished,
    not_always,
    planning_note,
    rows,
    survivors,
    timed,
    told,
)
from .adam_runs import Outcome
from .report import Conclusion, Report


def table_1(out: Path, seed: int = 0, trials: int | None = None) -> Report:
    """The tree `five` among cars on the long straight, looking one to five clips ahead."""
    runs = drives("adam-4.1", seed, trials)
    even = {name: o for name, o in runs.items() if name.startswith("even")}
    own = {name: o for name, o in runs.items() if name.startswith("own")}
    seeds_own = {name: o for name, o in own.items() if o[0].case.horizon <= 124}
    trend_even, trend_own = _trend(even), _trend(seeds_own)
    enough = next((o[0].case.clips for o in own.values() if all(x.survived for x in o)), None)
    found = [
        Conclusion(
            "Deeper look-ahead survives longer among cars",
            trend_even[1] < 0.05 and trend_even[0] > 0,
            f"mean {_survival(even)} s with 1 to 5 clips (rank correlation {trend_even[0]:.2f}, "
            f"p = {trend_even[1]:.1g}); in mixed traffic {_survival(seeds_own)} s ({trend_own[0]:.2f})",
        ),
        Conclusion(
            "Five clips ahead suffice on the straight for two minutes",
            all(o.survived for o in even["even 5"]),
            f"{survivors(even['even 5'])} survive among evenly spaced cars; among cars of four speeds "
            f"{survivors(own['own 5'])}, where "
            + (f"{enough} clips are the first to suffice" if enough else "no depth tried suffices"),
        ),
    ]
    notes = [
        "The original's figure shows cars evenly spaced at one speed; these rows come first. The track's own "
        "traffic has the same density and mean speed, but every lane has a speed of its own, so gaps open "
        "and close, and at times four cars abreast leave none: a car that cannot drive slower than 15 m/s "
        "must see that coming.",
        planning_note(runs),
    ]
    panels = {
        "even cars, as in the original": {o[0].case: o for o in even.values()},
        "four lanes of different speeds": {o[0].case: o for o in own.values()},
    }
    picture = pictures.survival(out / "adam-4.1.png", panels, "Tree five on the long straight")
    return Report(
        "adam-4.1",
        "Table 4.1: look-ahead and survival on the long straight with cars",
        rows(runs, survival=True),
        found,
        notes,
        [picture],
    )


def table_2(out: Path, seed: int = 0, trials: int | None = None) -> Report:
    """`five` and `seven` alone on the cornered track."""
    runs = drives("adam-4.2", seed, trials)
    five = better(runs["five 6"], runs["five 12"])
    four_two, four_six = better(runs["seven 4"], runs["seven 2"]), better(runs["seven 4"], runs["seven 6"])
    found = [
        Conclusion("Four clips ahead do better than two, which react only at the wall (seven)", *four_two),
        Conclusion("Four clips ahead are faster than six (seven)", *four_six),
        Conclusion("Six clips and 15,000 nodes are faster than twelve and 45,000 (five)", *five),
        not_always(
            "Looking deeper does not always help",
            [
                ("five 6 to 12 clips", runs["five 6"], runs["five 12"]),
                ("seven 4 to 6 clips", runs["seven 4"], runs["seven 6"]),
            ],
        ),
    ]
    why = (
        "Without cars the walls leave few routes: the column of nodes shows that the searches end far below "
        "their limits, so a deeper one loses nothing by it."
    )
    title = "Table 4.2: five and seven branches on the cornered track"
    return timed("adam-4.2", title, out, runs, found, why)


def table_3(out: Path, seed: int = 0, trials: int | None = None) -> Report:
    """`five` and `seven` on the cornered track with cars."""
    runs = drives("adam-4.3", seed, trials)
    five = [o for name in ("five 6", "five 8", "five 12 few", "five 12") for o in runs[name]]
    seven = [o for name in ("seven 4", "seven 6", "seven 12 few", "seven 12") for o in runs[name]]
    shallow = better(runs["seven 4 least"], runs["seven 12 least"])
    found = [
        Conclusion(
            "Five branches fail on the cornered track with cars where seven succeed, six clips ahead",
            _fail(runs["five 6"]) and _succeed(runs["seven 6"]),
            f"five {told(runs['five 6'])}, seven {told(runs['seven 6'])}",
        ),
        Conclusion(
            "Five branches fail there however far they look, where seven succeed",
            _fail(five) and _succeed(seven),
            f"five finishes {finished(five)} of {len(five)} drives (8 clips {told(runs['five 8'])}, 12 clips "
            f"{told(runs['five 12'])}), seven with four clips or more {finished(seven)} of {len(seven)}",
        ),
        Conclusion(
            "Seven branches with two clips ahead collide",
            finished(runs["seven 2"]) < 0.5 * len(runs["seven 2"]),
            f"{finished(runs['seven 2'])} of {len(runs['seven 2'])} finish",
        ),
        Conclusion(
            "Looking further ahead reaches the goal faster: 4 to 6 clips (seven, 15,000 nodes)",
            *better(runs["seven 6"], runs["seven 4"]),
        ),
        Conclusion(
            "Looking further ahead reaches the goal faster: 6 to 12 clips (seven, 15,000 nodes)",
            *better(runs["seven 12 few"], runs["seven 6"]),
        ),
        not_always(
            "Looking deeper does not always help",
            [("seven, 15,000 nodes, 6 to 12 clips", runs["seven 6"], runs["seven 12 few"])],
        ),
        not_always(
            "More nodes do not always help",
            [("seven, 12 clips, 15,000 to 45,000 nodes", runs["seven 12 few"], runs["seven 12"])],
        ),
        Conclusion("Searching far with few nodes gives poor results (500 nodes: 4 against 12)", *shallow),
    ]
    why = (
        "Five branches turn on 57 m at their tightest, and the corners have radii of 55 m and more: alone "
        "they get round, with a car on the line only if they see it in time to take another. Twelve clips "
        "with seven branches often reach the limit of 15,000 nodes, and the best of a search cut short is "
        "poor; with 45,000 it is cut short less often."
    )
    title = "Table 4.3: five and seven branches on the cornered track with cars"
    return timed("adam-4.3", title, out, runs, found, why)


def _fail(outcomes: Sequence[Outcome]) -> bool:
    return finished(outcomes) <= 0.1 * len(outcomes)


def _succeed(outcomes: Sequence[Outcome]) -> bool:
    return finished(outcomes) >= 0.9 * len(outcomes)


def _trend(runs: Runs) -> tuple[float, float]:
    """Rank correlation of look-ahead and survival over all drives, and how likely it is by chance."""
    table = np.array([(o.case.horizon, o.seconds) for outcomes in runs.values() for o in outcomes])
    if len(table) < 3 or np.ptp(table[:, 1]) == 0:
        return 0.0, 1.0
    found = spearmanr(table)
    return float(found.statistic), float(found.pvalue)


def _survival(runs: Runs) -> str:
    return ", ".join(f"{np.mean([o.seconds for o in outcomes]):.0f}" for outcomes in runs.values())
