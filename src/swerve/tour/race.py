"""The race wing's stop: the final track among cars, and a hairpin taken sideways."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from swerve.core.provenance import provenance
from swerve.core.show.player import write_player
from swerve.race import Setting, drive, follow, load_track, load_tree
from swerve.race.car import MAX_DRIVE, CarParameters
from swerve.race.draw import draw_moments
from swerve.race.record import record
from swerve.race.trees import without_skids

from . import Figure, Stop

TRIALS = 5
SETTING = Setting(planner="tree")


def visit(out: Path, seed: int) -> Stop:
    large, folder = load_tree("large"), Path("race")
    final, sharp = load_track("final"), load_track("sharp-cornered")
    runs = [drive(final, large, SETTING, seed + k) for k in range(TRIALS)]
    best = runs[0]
    fine = sum(run.finished and not run.crashed for run in runs)
    times = np.concatenate([run.plan_ms for run in runs])
    hairpins = drive(sharp, large, SETTING, seed)
    rolling = drive(sharp, without_skids(large), SETTING, seed)
    real = follow(hairpins, mismatch=0.02, seed=seed)
    car = CarParameters()
    sideways = car.max_grip * car.gravity * car.mass / (MAX_DRIVE * car.drive_gain)
    gripping = f"{rolling.seconds:.1f} s" if rolling.finished else "no way round"

    write_player(
        record(best, provenance("final", seed)), out / folder / "final.html", title="final", follow=0
    )
    write_player(
        record(hairpins, provenance("sharp-cornered", seed), real),
        out / folder / "sharp-cornered.html",
        title="sharp-cornered",
        follow=0,
    )
    draw_moments(
        hairpins,
        out / folder / "hairpins.png",
        [("into the right angle", 172.0), ("round the hairpin", 353.0), ("and back again", 590.0)],
    )
    draw_moments(
        best,
        out / folder / "final.png",
        [("among the others", 540.0), ("the hairpin of the final track", 752.0)],
    )
    return Stop(
        wing="race",
        title="A car at the limit of grip",
        text=f"The car knows {len(large.clips)} short motions, hard skids among them, each found by "
        "simulation and each ending where another can begin. While it plays one, it searches thousands of "
        "sequences of the next ones, against walls and against where the other cars will be, eight seconds "
        f"ahead. Nobody told it to slide: the tyres of this car bear {sideways:.0f} times as much sideways "
        "as its brakes can do, and the search found out.",
        command="swerve race final",
        pictures=[
            (folder / "hairpins.png", "Three corners of the sharp-cornered track, the car every 0.16 s."),
            (folder / "final.png", "The final track: through the field of cars, and round its hairpin."),
        ],
        players=[
            (folder / "final.html", "The final track with its 56 other cars."),
            (folder / "sharp-cornered.html", "The sharp corners, driven by the car's own physics."),
        ],
        figures=[
            Figure(
                "Planning time at a transition, median and 99th percentile",
                f"{np.percentile(times, 50):.1f} ms and {np.percentile(times, 99):.0f} ms",
                "about 5 s a frame",
                f"swerve race final --seed {seed} --json",
            ),
            Figure(
                "Final track finished without contact",
                f"{fine} of {TRIALS} seeds, the first in {best.seconds:.1f} s",
                "shown once; 48.5 s on a track of its own",
                f"swerve race final --seed {seed}",
            ),
            Figure(
                "Largest sideslip on the sharp corners",
                f"{hairpins.figures()['max_sideslip_deg']:.0f}°, sliding for "
                f"{hairpins.figures()['skid_seconds']:.1f} s",
                "skids in all cases",
                f"swerve race sharp-cornered --seed {seed}",
            ),
            Figure(
                "Time over the sharp corners with skids, and with the same tree without them",
                f"{hairpins.seconds:.1f} s and {gripping}",
                "not measured",
                "swerve study adam-4.7",
            ),
            Figure(
                "Distance from the plan when driven by physics with a car 2 % off",
                f"at most {real.deviation.max():.2f} m, {'with' if real.touched else 'without'} contact",
                "clips are only played back",
                f"swerve race sharp-cornered --seed {seed} --execute physics",
            ),
        ],
    )
