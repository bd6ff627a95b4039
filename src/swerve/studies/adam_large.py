"""Adam 2007, tables 4.4 to 4.8: the large move tree, which drives what the physics drives."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from swerve.bench.pursuit import best_pursuit
from swerve.race.hubs import SKID

from . import adam_pictures as pictures
from .adam_rows import (
    better,
    drives,
    finished,
    mean,
    not_always,
    planning_note,
    rows,
    survivors,
    timed,
    told,
)
from .adam_runs import Outcome, open_track
from .report import Conclusion, Report

STRAIGHT_AHEAD = np.radians(5.0)  # heading off the road's that still counts as straight
NEAR_WALL = 3.0  # [m] from the middle of the car to the wall that counts as hugging it


def table_4(out: Path, seed: int = 0, trials: int | None = None) -> Report:
    """`large` among cars on the long straight, for two minutes."""
    runs = drives("adam-4.4", seed, trials)
    straight, gap = _straightness(runs["large"])
    straight_five, _ = _straightness(runs["five"])
    speed = np.mean([np.hypot(*o.states[:, 3:5].T).mean() for o in runs["large"]])
    found = [
        Conclusion(
            "The large tree keeps going on the straight for two minutes",
            all(o.survived for o in runs["large"]),
            f"{survivors(runs['large'])} survive, at {speed:.1f} m/s on average; with our guide in mixed "
            f"traffic {survivors(runs['large guided'])}",
        ),
        Conclusion(
            "It goes straight and makes only slight turns",
            straight >= 0.8,
            f"heading within 5° of the road's for {100 * straight:.0f} % of the time "
            f"({100 * straight_five:.0f} % with five)",
        ),
        Conclusion(
            "It tends to hug the wall",
            gap >= 0.5,
            f"its middle is within {NEAR_WALL:g} m of a wall for {100 * gap:.0f} % of the time "
            f"({100 * _chance_near_wall():.0f} % if it drove anywhere)",
        ),
    ]
    shown = [(runs[name][0].case.label, runs[name][0]) for name in ("large", "five", "large guided")]
    picture = pictures.lanes(out / "adam-4.4.png", shown, "Two minutes on the long straight among cars")
    return Report(
        "adam-4.4",
        "Table 4.4: the large tree on the long straight with cars",
        rows(runs, survival=True),
        found,
        [
            "Here the cars fill four lanes from wall to wall, staggered, so there is no straight way past "
            "them and no lane along a wall: the car must weave from gap to gap, at nearly top speed.",
            planning_note(runs),
        ],
        [picture],
    )


def table_5(out: Path, seed: int = 0, trials: int | None = None) -> Report:
    """`large` alone on the cornered track, and how smooth it is beside `five` and `seven`."""
    runs = drives("adam-4.5", seed, trials)
    small = [*runs["five"], *runs["seven"]]
    seam = {name: max(o.seam_jump for o in runs[name]) for name in ("large", "five", "seven")}
    change = {name: max(o.frame_change for o in runs[name]) for name in ("large", "five", "seven")}
    turn = {name: max(o.frame_turn for o in runs[name]) for name in ("large", "five", "seven")}
    slower = mean(runs["large"]) > np.mean([o.seconds for o in small if o.finished] or [np.nan])
    found = [
        Conclusion(
            "The large tree is smooth: clips join without a jump in velocity",
            seam["large"] < 1e-3 < min(seam["five"], seam["seven"]),
            f"largest |Δu|+|Δv|+|Δω| at a seam {seam['large']:.1g} against {seam['five']:.1f} (five) and "
            f"{seam['seven']:.1f} (seven)",
        ),
        Conclusion(
            "Its animation is much smoother than those of the small trees",
            much_smoother(change) and much_smoother(turn),
            f"largest acceleration in a frame {change['large']:.0f} m/s² against {change['five']:.0f} and "
            f"{change['seven']:.0f}; of yaw {turn['large']:.0f} rad/s² against {turn['five']:.0f} and "
            f"{turn['seven']:.0f}",
        ),
        Conclusion(
            "It is slower than the small trees, which ignore physics",
            bool(slower),
            f"{told(runs['large'])} against {told(runs['five'])} (five) and {told(runs['seven'])} (seven)",
        ),
        Conclusion(
            "49 frames ahead suffice for the large tree to get round",
            finished(runs["large"]) == len(runs["large"]),
            f"{told(runs['large'])}; 200 frames ahead {told(runs['large far'])}, with our guide "
            f"{told(runs['large guided'])}",
        ),
    ]
    why = (
        "The small trees drop to 15 or 9.5 m/s for their sharper turns, at once; the large tree brakes, "
        "starts from a standstill, and makes up for both by sliding through corners at 20 to 25 m/s. In 49 "
        "frames it cannot brake from 30 m/s for a corner it has not seen."
    )
    title = "Table 4.5: the large tree on the cornered track"
    report = timed("adam-4.5", title, out, runs, found, why)
    shown = [(name, _first_finished(runs[name])) for name in ("five", "seven", "large far")]
    report.files.append(
        pictures.smoothness(out / "adam-4.5-speed.png", shown, "Speed over one drive on the cornered track")
    )
    return report


def much_smoother(most: dict[str, float]) -> bool:
    """Whether the largest change of the large tree is less than half of either small one's."""
    return most["large"] < 0.5 * min(most["five"], most["seven"])


def table_6(out: Path, seed: int = 0, trials: int | None = None) -> Report:
    """`large` on the cornered track with cars, with few to very many nodes."""
    runs = drives("adam-4.6", seed, trials)
    seeds = [o for name in ("15k", "45k", "250k", "700") for o in runs[name]]
    slower = better(runs["15k"], runs["45k"])
    ours = better(runs["guided"], runs["250k"])
    found = [
        Conclusion(
            "The large tree gets through in every setting",
            all(o.finished for o in seeds),
            f"{finished(seeds)} of {len(seeds)} drives finish",
        ),
        Conclusion("45,000 nodes are slower than 15,000", *slower),
        not_always(
            "More nodes do not always help",
            [
                ("15,000 to 45,000", runs["15k"], runs["45k"]),
                ("15,000 to 250,000", runs["15k"], runs["250k"]),
            ],
        ),
        not_always(
            "A longer horizon does not always help", [("400 to 700 frames", runs["250k"], runs["700"])]
        ),
        Conclusion("A better estimate does more than more nodes (ours: 4,000 guided against 250,000)", *ours),
    ]
    why = (
        "By the plain estimate all places are at top speed from the goal, so the search spreads over every "
        "slow start before it looks far: 250,000 nodes are spent before 400 frames are reached, and 700 make "
        "no difference. The estimate that knows speed and heading needs a sixtieth of them."
    )
    title = "Table 4.6: the large tree on the cornered track with cars"
    return timed("adam-4.6", title, out, runs, found, why)


def table_7(out: Path, seed: int = 0, trials: int | None = None) -> Report:
    """`large` on sharp corners, with its skids and without."""
    runs = drives("adam-4.7", seed, trials)
    with_skids = [o for name in ("200", "400", "guided") for o in runs[name]]
    pairs = {name: better(runs[name], runs[f"{name} dry"]) for name in ("200", "400", "guided")}
    angles = [o.max_sideslip for o in with_skids]
    dry = best_pursuit(open_track("sharp-cornered"), SKID)
    found = [
        Conclusion(
            "On sharp corners the plan skids, in all cases",
            all(o.skid_clips > 0 for o in with_skids),
            f"{sum(o.skid_clips > 0 for o in with_skids)} of {len(with_skids)} drives use skids, "
            f"{np.mean([o.skid_clips for o in with_skids]):.1f} each, sideslip up to {min(angles):.0f} to "
            f"{max(angles):.0f}°",
        ),
        Conclusion(
            "It is faster than the same tree without skids",
            all(holds for holds, _ in pairs.values()),
            "; ".join(f"{name}: {text}" for name, (_, text) in pairs.items()),
        ),
        Conclusion(
            "It is faster than the same car driven along a line without skids (ours)",
            mean(runs["guided"]) < dry,
            f"{told(runs['guided'])} against {dry:.1f} s of a pure pursuit, the best of its settings that "
            f"slides by less than {np.degrees(SKID):.0f}°",
        ),
        Conclusion(
            "200 frames ahead leave the corner more slowly than 400", *better(runs["400"], runs["200"])
        ),
    ]
    why = (
        "The tyres' sideways force slows the car far more than its brake does, so sliding is the shortest "
        "way to be slow and turned. Slides of more than 20° count as skids and are marked in the picture."
    )
    report = timed("adam-4.7", "Table 4.7: the large tree on sharp corners", out, runs, found, why)
    shown = [("with skids", runs["guided"][0]), ("without", runs["guided dry"][0])]
    report.files.append(
        pictures.skid(out / "adam-4.7-skid.png", shown, "The same corner, with skids and without")
    )
    return report


def table_8(out: Path, seed: int = 0, trials: int | None = None) -> Report:
    """`large` on the final track: a small search against a large one, and with more cars."""
    runs = drives("adam-4.8", seed, trials)
    every = [o for name in ("short", "long", "guided") for o in runs[name]]
    longer = better(runs["long"], runs["short"])
    crowded = finished(runs["long, more"]) - finished(runs["short, more"])
    found = [
        Conclusion("Looking further with many nodes is not significantly better", not longer[0], longer[1]),
        Conclusion(
            "With more and closer cars the small search fails where the large one gets through",
            crowded >= max(1.0, 0.2 * len(runs["short, more"])),
            f"with {runs['short, more'][0].cars} cars: 200 frames and 5,000 nodes "
            f"{told(runs['short, more'])}, 400 and 250,000 {told(runs['long, more'])}, our guide "
            f"{told(runs['guided, more'])}",
        ),
        Conclusion(
            "Normal turns, traffic and skids come together in one drive",
            all(o.finished and o.skid_clips > 0 for o in every),
            f"{sum(o.finished for o in every)} of {len(every)} finish, "
            f"{sum(o.skid_clips > 0 for o in every)} with skids, sideslip up to "
            f"{max(o.max_sideslip for o in every):.0f}°",
        ),
    ]
    why = (
        "Twice the cars are taken as more and closer ones. The large search is mostly cut short by its "
        "limit before it sees 400 frames ahead, which makes it careful rather than fast."
    )
    report = timed("adam-4.8", "Table 4.8: the large tree on the final track", out, runs, found, why)
    shown = [("200 frames, 5,000 nodes", runs["short"][0]), ("our guide", runs["guided"][0])]
    report.files.append(pictures.skid(out / "adam-4.8-skid.png", shown, "The hairpin of the final track"))
    return report


def _straightness(outcomes: Sequence[Outcome]) -> tuple[float, float]:
    """Shares of the time straight ahead and near a wall."""
    states = np.vstack([o.states for o in outcomes])
    track = open_track(outcomes[0].case.track)
    _, across = track.progress(states[:, :2])
    straight = np.abs(states[:, 2] - np.pi / 2) < STRAIGHT_AHEAD
    return float(straight.mean()), float((np.abs(across) > track.left[0] - NEAR_WALL).mean())


def _chance_near_wall() -> float:
    """Share of the road's usable width that is near a wall."""
    half = float(open_track("long-straight").left[0])
    return (NEAR_WALL - 0.9) / (half - 0.9)


def _first_finished(outcomes: Sequence[Outcome]) -> Outcome:
    return next((o for o in outcomes if o.finished), outcomes[0])
