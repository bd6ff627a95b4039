"""The city wing's stop: rush hour on a grid, with two ambulances in it."""

from __future__ import annotations

from pathlib import Path

from swerve.city import Simulation, SimulationOptions, grid, queue_discharge
from swerve.city.pictures import draw_junction
from swerve.core.provenance import provenance
from swerve.core.show.picture import write_picture
from swerve.core.show.player import write_player

from . import Figure, Stop

COMMAND = "swerve city grid --vehicles 150 --emergency 2 --blocks 4 --seconds 60"
VEHICLES, SIRENS, SIDE, SECONDS = 150, 2, 4, 60.0


def visit(out: Path, seed: int) -> Stop:
    simulation = Simulation(
        grid(SIDE, SIDE), VEHICLES, emergency=SIRENS, seed=seed, options=SimulationOptions(record=True)
    )
    simulation.warm_up()
    while simulation.time < SECONDS:
        simulation.step()
    assert simulation.recorder is not None
    recording = simulation.recorder.recording(provenance("grid", seed, command_name="city"))
    recording.write(out / "city.parquet")
    player = write_player(recording, out / "city.html", "Rush hour")
    pictures = [
        (
            draw_junction(out / "city-junction.png", simulation),
            "A junction at the last moment: brake lights red, indicators amber, ambulances blue.",
        ),
        (
            write_picture(recording, out / "city-ways.png", "A minute of traffic"),
            "All ways driven, coloured by speed: lanes are changed and corners turned in smooth curves.",
        ),
    ]
    seen = simulation.figures()
    queue = queue_discharge(seed=seed)
    clean = sum(seen[k] for k in ("collisions", "red_light_violations", "off_road", "deadlocks"))
    ratio = seen["emergency_mean_speed"] / seen["mean_speed"]
    figures = [
        Figure("contacts, red lights run, off the road, stuck", str(clean), "–", COMMAND),
        Figure("ambulances, times the cars' speed", f"{ratio:.1f}", "–", COMMAND),
        Figure("cars an hour a lane from a queue", f"{queue.flow:.0f}", "–", "swerve study hynes"),
        Figure(
            "cars that one core could move in real time",
            f"{seen['realtime_factor'] * VEHICLES:,.0f}",
            "hundreds",
            COMMAND,
        ),
    ]
    return Stop(
        wing="city",
        title="A street that a person believes",
        text=(
            "Cars queue, signal, change lanes and turn in one arc, each a body with a wheelbase. "
            "Nobody enters a junction without all of it that they need, nobody drives faster than lets "
            "them stop behind whoever brakes fully, so nothing touches; ambulances are let through."
        ),
        command=COMMAND,
        pictures=[(path.relative_to(out), words) for path, words in pictures],
        figures=figures,
        players=[(player.relative_to(out), "The same minute, moving")],
    )
