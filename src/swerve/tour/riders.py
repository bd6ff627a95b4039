"""The riders wing's stop: a cyclist's map, the curves it helps with, and a herd."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from swerve.core.provenance import provenance
from swerve.core.seeding import generator
from swerve.core.show.player import write_player
from swerve.riders import load_rider
from swerve.riders.draw import draw_curve_errors, draw_curves, draw_herd, draw_map
from swerve.riders.maps.detail import Mixed, near_viewer
from swerve.riders.maps.glide import Glide
from swerve.riders.maps.stored import load_map, prediction_errors, unseen
from swerve.riders.record import record_herd
from swerve.riders.steering.curves import TURNS, curve
from swerve.riders.steering.follow import follow_in_full
from swerve.riders.steering.herd import HerdOptions, herd, scatter
from swerve.riders.steering.simple import Simple
from swerve.riders.steering.tune import load_tuned

from . import Figure, Stop

COMMAND = "swerve ride herd --rider human --riders 30 --detail mixed"
HERD, MANY = 30, 2000
THREADS = 2


def visit(out: Path, seed: int) -> Stop:
    body, map_, tuned = load_rider("human"), load_map("human"), load_tuned("human")
    seven = [curve(k, body.speed) for k in range(1, len(TURNS) + 1)]
    lod = tuned.navigator(map_, "path")
    runs = {
        "lod": follow_in_full(body, seven, lod, seed, THREADS),
        "unaimed": follow_in_full(body, seven, Simple(body.turns, 0.8 * body.speed), seed, THREADS),
    }
    errors = {name: run.mean_error[:, None] for name, run in runs.items()}

    steering = tuned.navigator(map_, "herd")
    wanted = near_viewer(lambda m: (float(m.x.mean()), float(m.y.mean())), 8.0, body.radius)
    mixed = Mixed(body, map_, HERD, 8, wanted, THREADS)
    done = herd(mixed, body.speed, steering, scatter(HERD, seed, body.radius), 15.0)
    recording = record_herd(done, body.name, body.radius, provenance(f"herd of {HERD}", seed))
    player = write_player(recording, out / "riders-herd.html")

    light = Glide(map_, MANY, THREADS)
    crowd = herd(
        light, body.speed, steering, scatter(MANY, seed), 2.0, HerdOptions(threads=THREADS, frame=1.0)
    )
    off = prediction_errors(map_, *unseen(body, map_, 40, generator(seed, "tour"), THREADS))

    pictures = [
        (
            draw_map(out / "riders-map.png", map_),
            "Where a cyclist gets from three states with every turn of its map.",
        ),
        (
            draw_curves(out / "riders-curves.png", runs, seven, "Seven curves"),
            "With the map the rider leans in before the corner begins.",
        ),
        (
            draw_curve_errors(out / "riders-errors.png", errors, "Error by curve"),
            "The sharper, the more it helps.",
        ),
        (
            draw_herd(out / "riders-herd.png", done, body.radius, f"{HERD} riders"),
            "Riders near the middle are simulated in full, the others ride on their map.",
        ),
    ]
    means = {name: float(values.mean()) for name, values in errors.items()}
    figures = [
        Figure("mean error on curves, map", f"{means['lod']:.2f} m", "–", "swerve study brogan-fig6"),
        Figure(
            "the same, simple without look-ahead",
            f"{means['unaimed']:.2f} m",
            "–",
            "swerve study brogan-fig6",
        ),
        Figure("map's error after 2 s", f"{np.median(off):.2f} m", "–", "swerve bench riders"),
        Figure("states × turns", f"{len(map_.states)} × {map_.actions}", "100 × 10", "swerve ride map"),
        Figure(f"herd of {HERD}: error after 15 s", f"{done.position_error[-1]:.2f} m", "–", COMMAND),
        Figure("riders in full physics", f"{done.level.mean():.0%}, {mixed.switches} switches", "–", COMMAND),
        Figure(
            f"{MANY} riders on maps",
            f"{crowd.realtime_factor:.0f} × real time",
            "–",
            f"swerve ride herd --riders {MANY} --detail map",
        ),
    ]
    return Stop(
        wing="riders",
        title="Cyclists who must steer right to turn left",
        text=(
            "A cyclist of twelve segments on a racing bicycle cannot turn at once: it has to lean first, and "
            "to lean it steers the wrong way. Trials made beforehand say where it gets from here with every "
            "turn; a controller that looks them up rides curves and keeps its place in a herd, whatever the "
            "body."
        ),
        command=COMMAND,
        pictures=[(path.relative_to(out), words) for path, words in pictures],
        figures=figures,
        players=[(player.relative_to(out), f"{HERD} cyclists form a herd")],
    )
