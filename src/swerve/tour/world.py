"""The stop of them all: a sliding car through a town where everybody else has a mind too."""

from __future__ import annotations

from pathlib import Path

from swerve.core.show.player import write_player
from swerve.scenes import load_scene

from . import Figure, Stop

SECONDS = 30.0


def visit(out: Path, seed: int) -> Stop:
    scene = load_scene("chase", seed=seed)
    recording = scene.run(SECONDS)
    figures = scene.figures()
    name = Path("world") / "chase.html"
    write_player(recording, out / name, title="The chase", follow=int(recording.meta["ego"]))
    bodies = figures["bodies"]
    vehicles = sum(bodies.get(kind, 0) for kind in ("mini", "sedan", "suv", "ambulance"))
    command = f"swerve scene chase --seed {seed}"
    return Stop(
        wing="one world",
        title="A town where everybody has a mind",
        text="A car that slides drives through traffic, past people on crosswalks, an ambulance and "
        "cyclists. Each of them predicts what the others can do and chooses; the car plans its next seconds "
        "over a tree of moves around everybody it foresees, and stops at no light. They all live in one "
        "world, with one referee. Press Fit to see the whole town.",
        command=command,
        pictures=[],
        players=[(name, "Half a minute of the chase. Click a car, a cyclist or a person to follow it.")],
        figures=[
            Figure(
                "Who is in it",
                f"{vehicles} vehicles, {bodies['pedestrian']} people, {bodies['cyclist']} cyclists, one "
                "sliding car",
                "–",
                command,
            ),
            Figure("Contacts, of anybody with anybody", str(figures["contacts"]), "–", command),
            Figure("The car's speed, times that of traffic", f"{figures['times_as_fast']:.1f}", "–", command),
            Figure(
                "Hardest braking of traffic near the car",
                f"{figures['hardest_braking']:.1f} m/s²",
                "–",
                command,
            ),
        ],
    )
