"""What `swerve city` does with --districts: the town's roads cut into parts, each in a process of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from swerve.city import Town

DistrictCount = Annotated[
    int | None,
    typer.Option(
        "--districts",
        metavar="N",
        help="Cut the roads into N parts that run in processes of their own; without referee and recording.",
        show_default=False,
    ),
]
RayDistricts = Annotated[
    str | None,
    typer.Option(
        "--ray",
        metavar="ADDRESS",
        help="Let the districts run on this Ray cluster; 'local' starts one here.",
        show_default=False,
    ),
]


def in_districts(
    make_town: Callable[[], Town],
    who: tuple[int, int, int, int],
    dt: float,
    seconds: float,
    count: int | None,
    ray: str | None,
    without: Mapping[str, object],
) -> dict[str, Any]:
    """Run a town with `who` (vehicles, pedestrians, emergency, seed) in `count` districts; what the command
    answers."""
    from swerve.city import Simulation, SimulationOptions
    from swerve.city.districts import MOST, Districts, check_count, district
    from swerve.core.cluster import Cluster
    from swerve.core.errors import BadInput, require
    from swerve.core.progress import track
    from swerve.core.workers import Workers

    if count is None:
        raise BadInput("--ray", ray, "is for --districts")
    require(1 <= count <= MOST, "--districts", count, f"must be between 1 and {MOST}")
    for name, given in without.items():
        require(given is None, name, str(given), "is not for --districts")
    town = make_town()
    check_count(town.roads, count, "--districts")
    hosts = Workers(count) if ray is None else Cluster(ray, count)
    with closing(hosts):
        hosts.tell(district.wake, [None] * count)  # they load what they need while vehicles are placed
        simulation = Simulation(town, *who, options=SimulationOptions(dt, referee=False))
        hosts.hear()
        districts = Districts(simulation, count, hosts)
        for _ in track(range(max(1, round(seconds / dt))), town.name):
            districts.step()
        districts.gather()
    about = {"scene": town.name, "seed": who[3], "dt": dt}
    return {**about, **districts.figures(), "recording": None, "plan": None}
