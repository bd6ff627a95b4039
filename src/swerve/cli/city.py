"""`swerve city`: simulate traffic and pedestrians in a town."""

from pathlib import Path
from typing import Annotated, Any

import typer

from .choices import Layout, Pace
from .city_districts import DistrictCount, RayDistricts, in_districts
from .city_generator import generator
from .city_link import (
    Cigi,
    CigiPace,
    Lsl,
    ScenarioFile,
    Session,
    Wheel,
    WheelLayout,
    check_options,
    connected,
)
from .city_scenario import scenario
from .names import town_names
from .options import Json, Out, Quiet, Seed, answer, group_with_default, refuse_unless, writable

MOST_AGENTS, MOST_SECONDS = 200_000, 86_400.0
SHORTEST_STEP = 1e-4  # [s]
MOST_ROWS = 6_000_000  # of a recording that is written without being asked for
PLAYABLE_ROWS = 1_500_000  # of a recording that also becomes a page


app = typer.Typer(
    name="city",
    cls=group_with_default("run"),
    help="Simulate traffic and pedestrians, or play a scenario.",
    epilog="`swerve city SCENE` is short for `swerve city run SCENE`; see `swerve city run --help` for its "
    "options.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)
app.command(
    epilog="Examples: swerve city scenario cut-in.xosc — swerve city scenario cut-in.xosc --seconds 60 --json"
)(scenario)
app.command(epilog="Examples: swerve city generator — swerve city generator --port 8104 --rate 30")(generator)


def register(top: typer.Typer) -> None:
    top.add_typer(app, name="city")


@app.command(
    epilog="Examples: swerve city grid --vehicles 250 — swerve city grid --vehicles 1000 --emergency 20 "
    "--seconds 200 --json",
)
def run(
    context: typer.Context,
    scene: Annotated[
        str,
        typer.Argument(
            metavar="SCENE",
            help="grid, town, a scene file, or a road file: .xodr, .net.xml (SUMO), .osm, also .gz.",
            autocompletion=town_names,
        ),
    ],
    vehicles: Annotated[
        int | None,
        typer.Option(
            help="How many vehicles (default: 250, or as many as suit a road file).", show_default=False
        ),
    ] = None,
    pedestrians: Annotated[int, typer.Option(help="How many people on foot.")] = 0,
    emergency: Annotated[int, typer.Option(help="How many of the vehicles have their siren on.")] = 0,
    seconds: Annotated[float, typer.Option(help="How long [s].")] = 60.0,
    minutes: Annotated[float | None, typer.Option(help="The same in minutes.", show_default=False)] = None,
    dt: Annotated[
        float | None, typer.Option(help="Step [s] (default: 0.1; with --cigi 1/60).", show_default=False)
    ] = None,
    left_hand: Annotated[bool, typer.Option("--left-hand", help="Traffic keeps to the left.")] = False,
    blocks: Annotated[
        int | None, typer.Option(help="Grid: junctions along a side (default: as many as suit the vehicles).")
    ] = None,
    record: Annotated[
        Path | None, typer.Option(help="Where the recording goes (default: into --out, unless very large).")
    ] = None,
    flows: Annotated[
        Path | None,
        typer.Option(
            help="A file of flows and trips: who goes where and when, closed and slow roads, detectors."
        ),
    ] = None,
    mix: Annotated[
        str | None,
        typer.Option(
            help="Types and shares of vehicles: sedan=6,van=2 (also mini, suv, lorry, bus, bicycle).",
            show_default=False,
        ),
    ] = None,
    actuated: Annotated[
        bool, typer.Option("--actuated", help="Lights look who comes: green ends when nobody does.")
    ] = False,
    parking: Annotated[
        float,
        typer.Option(
            help="Share of arrivals, 0 to 1, after which a driver parks in a bay (not on road files)."
        ),
    ] = 0.0,
    stay: Annotated[float, typer.Option(help="With --parking: how long one stays, on average [s].")] = 60.0,
    scenario: ScenarioFile = None,
    cigi: Cigi = None,
    cigi_pace: CigiPace = Pace.GENERATOR,
    lsl: Lsl = False,
    wheel: Wheel = None,
    layout: WheelLayout = Layout.GAMEPAD,
    districts: DistrictCount = None,
    ray: RayDistricts = None,
    page: Annotated[
        bool | None,
        typer.Option(
            "--page/--no-page",
            help="Also write a page that plays it, unless very large. [default: page]",
            show_default=False,
        ),
    ] = None,
    plan: Annotated[
        int | None, typer.Option(help="Id of whose way to write as a plan. [default: the first]")
    ] = None,
    seed: Seed = 0,
    out: Out = Path("out/city"),
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Simulate a town: cars that queue, signal, turn in one arc and let an ambulance through.

    Prints counts of what must not happen (collisions, red lights run, vehicles off the road, deadlocks)
    beside speeds, arrivals and the pace of the simulation; writes a recording and a page that plays it.
    """
    from dataclasses import replace

    import numpy as np

    from swerve.city import Simulation, SimulationOptions, load_demand
    from swerve.city.load import road_reader, suitable_vehicles
    from swerve.city.traffic.actuation import LEAST_GREEN
    from swerve.city.traffic.detectors import write_detectors
    from swerve.city.traffic.trips import write_trips
    from swerve.core.errors import BadInput, require
    from swerve.core.progress import be_quiet, track
    from swerve.core.provenance import provenance
    from swerve.core.show.player import write_player

    be_quiet(quiet)
    seconds = seconds if minutes is None else 60.0 * minutes
    known = None
    demand = load_demand(flows) if flows is not None else None
    shares = None if mix is None else _shares(mix)
    buses = bool(shares and shares.get("bus")) or (demand is not None and "bus" in demand.types)
    special = (buses, parking > 0)
    if vehicles is None:
        vehicles = 250 if demand is None else 0
        if demand is None and road_reader(scene) is not None:
            known = _town(scene, vehicles, None, left_hand, seed, *special)
            vehicles = min(vehicles, suitable_vehicles(known))
    dt = dt if dt is not None else 0.1 if cigi is None else 1 / 60
    for name, value in (("--vehicles", vehicles), ("--pedestrians", pedestrians), ("--emergency", emergency)):
        require(0 <= value <= MOST_AGENTS, name, value, f"must be between 0 and {MOST_AGENTS:,}")
    require(
        0 < seconds <= MOST_SECONDS, "--seconds", seconds, f"must be above 0 and at most {MOST_SECONDS:g}"
    )
    require(SHORTEST_STEP <= dt <= 0.25, "--dt", dt, f"must be from {SHORTEST_STEP:g} to 0.25")
    if demand is None:
        require(vehicles + pedestrians > 0, "--vehicles", vehicles, "with no pedestrians must be at least 1")
    require(emergency <= vehicles, "--emergency", emergency, f"must be at most --vehicles ({vehicles})")
    refuse_unless(parking > 0, context, "stay", "needs --parking")
    refuse_unless(cigi is not None, context, "cigi_pace", "needs --cigi")
    refuse_unless(wheel is not None, context, "layout", "needs --wheel")
    if blocks is not None:
        require(scene == "grid", "--blocks", blocks, "is for the scene grid only")
        require(3 <= blocks <= 200, "--blocks", blocks, "must be between 3 and 200")
    if record is not None and record.suffix != ".parquet":
        raise BadInput("--record", str(record), "must end in .parquet")
    check_options(scenario, cigi, cigi_pace, lsl)
    hands = connected(wheel, layout, scenario)
    if districts is not None or ray is not None:
        without = {
            "--record": record, "--flows": flows, "--scenario": scenario, "--cigi": cigi, "--plan": plan,
            "--actuated": actuated or None, "--mix": mix, "--page": page or None,
            "--parking": parking or None, "--wheel": wheel,
        }  # fmt: skip
        found = in_districts(
            lambda: known or _town(scene, vehicles, blocks, left_hand, seed, *special),
            (vehicles, pedestrians, emergency, seed), dt, seconds, districts, ray, without,
        )  # fmt: skip
        answer(found, as_json, quiet, title=found["scene"])
        return
    writable(out if record is None else record.parent)
    town = known or _town(scene, vehicles, blocks, left_hand, seed, *special)
    steps = max(1, round(seconds / dt))
    rows = (vehicles + pedestrians) * (steps + 1)
    wanted = record is not None or rows <= MOST_ROWS
    least = LEAST_GREEN if actuated else None
    options = SimulationOptions(dt, record=wanted, least_green=least, parking=parking, stay=stay)
    if shares is not None:
        options = replace(options, mix=shares)
    simulation = Simulation(town, vehicles, pedestrians, emergency, seed, demand, options)
    simulation.warm_up()
    session = Session(simulation, scenario, cigi, cigi_pace, lsl, hands) if scenario or cigi else simulation
    for _ in track(range(steps), town.name):
        session.step()
    result: dict[str, Any] = {"scene": town.name, "seed": seed, "dt": dt, **simulation.figures()}
    if isinstance(session, Session):
        result |= session.finish(out)
    stem = f"{Path(scene).stem}-{vehicles}-{seed}"
    if demand is not None:
        result["trips"] = str(write_trips(simulation.trips(), out / f"{stem}-trips.parquet"))
        result["tripinfo"] = str(write_trips(simulation.trips(), out / f"{stem}-tripinfo.xml"))
        if demand.detectors:
            told = write_detectors(simulation.detectors(), out / f"{stem}-detectors.parquet")
            result["detectors"] = str(told)
    result["recording"] = result["plan"] = None
    if simulation.recorder is not None:
        more = session.meta if isinstance(session, Session) else {}
        meta = provenance(town.name, seed, command_name="city", dt=dt, **more)
        recording = simulation.recorder.recording(meta, lights=rows <= PLAYABLE_ROWS)
        path = recording.write(record or out / f"{stem}.parquet")
        result["recording"] = str(path)
        first = simulation.first_character if demand is None or vehicles else recording["id"][:1]
        if plan is not None or np.size(first):
            chosen = simulation.plan(int(np.ravel(first)[0]) if plan is None else plan)
            about = {name: value for name, value in meta.items() if name != "scene"}
            result["plan"] = str(chosen.with_meta(**about).save(path.with_name(f"{path.stem}-plan.parquet")))
        if page is not False and rows <= PLAYABLE_ROWS:
            result["page"] = str(write_player(recording, path.with_suffix(".html"), town.name))
    answer(result, as_json, quiet, title=town.name)


def _shares(mix: str) -> dict[str, float]:
    """Shares by type of vehicle, from "sedan=6,van=1"."""
    from swerve.core.errors import BadInput

    shares: dict[str, float] = {}
    for part in mix.split(","):
        word, _, share = part.partition("=")
        try:
            shares[word.strip()] = float(share)
        except ValueError:
            raise BadInput("--mix", mix, "must be types and shares, as sedan=6,van=1") from None
    return shares


def _town(
    scene: str, vehicles: int, blocks: int | None, left_hand: bool, seed: int, buses: bool, bays: bool
) -> Any:
    from swerve.city import grid, load_town, suitable_grid

    if scene == "grid":
        side = blocks or suitable_grid(vehicles)
        return grid(side, side, left_hand=left_hand, buses=buses, bays=bays)
    return load_town(scene, seed=seed, left_hand=left_hand, vehicles=vehicles, buses=buses, bays=bays)
