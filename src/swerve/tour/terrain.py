"""The terrain wing's stop: the mountain of Shiller and Gwo."""

from __future__ import annotations

from pathlib import Path

from swerve.core.provenance import provenance
from swerve.core.show.player import write_player
from swerve.terrain import fastest_path
from swerve.terrain.fastest import warm_up
from swerve.terrain.ground_picture import draw_ground
from swerve.terrain.pictures import draw_forces, draw_limits, draw_relief
from swerve.terrain.scenery import band_height, scenery
from swerve.terrain.scenes import scene

from . import Figure, Stop

COMMAND = "swerve terrain mountain"


def visit(out: Path, seed: int) -> Stop:
    place = scene("mountain")
    warm_up()
    routes = fastest_path(place.terrain, place.start, place.goal, place.vehicle)
    direct = fastest_path(place.terrain, place.start, place.goal, place.vehicle, cost="distance")
    best, shown = routes.best, routes.found[:3]
    pictures = [
        (
            draw_ground(
                out / "terrain-ground.png",
                place.terrain,
                shown,
                place.start,
                place.goal,
                "The three fastest ways",
            ),
            "The fastest ways round the mountain; each is the best of its neighbourhood.",
        ),
        (draw_relief(out / "terrain-relief.png", place.terrain, shown), "The same in perspective."),
        (
            draw_limits(out / "terrain-limits.png", best, place.vehicle, "How fast the ground allows"),
            "Limits on speed along the fastest way, and the fastest motion under them.",
        ),
        (
            draw_forces(out / "terrain-forces.png", best, place.vehicle, "What the tyres do"),
            "Forces along the way: the engine is at its limit most of the time.",
        ),
    ]
    drive = best.recording(
        place.vehicle, provenance("mountain", seed, command_name="terrain", **scenery(place.terrain, shown))
    )
    player = write_player(drive, out / "terrain.html", "The fastest way round the mountain")
    times = [route.profile.time for route in shown]
    figures = [
        Figure("best times", " / ".join(f"{t:.1f} s" for t in times), "53.2 / 54.0 / 54.6 s", COMMAND),
        Figure("shortest path", f"{direct.best.path.length:.0f} m", "1460 m", f"{COMMAND} --cost distance"),
        Figure(
            "can the shortest be driven?",
            "no" if not direct.best.feasible else "yes",
            "no",
            f"{COMMAND} --cost distance",
        ),
        Figure("time to plan", f"{routes.stats['seconds']:.1f} s", "about 1 h", COMMAND),
        Figure("peak friction use", f"{best.profile.peak_friction_use:.3f}", "–", COMMAND),
    ]
    return Stop(
        wing="terrain",
        title="The fastest safe way over a mountain",
        text=(
            "A two-tonne vehicle with a weak engine crosses a square kilometre. Slopes that are too steep, "
            "tyres that slide, a body that tips over and crests that throw it off bound its speed at every "
            "point; the planner finds the ways that are fastest within all of them."
        ),
        command=COMMAND,
        pictures=[(path.relative_to(out), words) for path, words in pictures],
        figures=figures,
        players=[
            (
                player.relative_to(out),
                f"The fastest of the ways, driven; a band is {band_height(place.terrain):.0f} m of height.",
            )
        ],
    )
