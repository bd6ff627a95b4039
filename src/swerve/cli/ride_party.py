"""What `swerve ride path|herd|tune` share: a body with its map, at a level of detail, and how to answer."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .choices import Backend
from .names import rider_names
from .options import Json, Out, Quiet, Seed, answer, writable

if TYPE_CHECKING:
    from swerve.core.steered import Steerable
    from swerve.riders.maps.mobility import MobilityMap
    from swerve.riders.steering.tune import Tuned

RiderName = Annotated[
    str,
    typer.Option(
        "--rider", help="human, alien, car, or a YAML rider definition.", autocompletion=rider_names
    ),
]
MapFile = Annotated[
    Path | None, typer.Option("--map", help="A map file; by default the one that comes with the rider.")
]
WeightsFile = Annotated[
    Path | None,
    typer.Option(help="Weights that `swerve ride tune` wrote; by default those that come with it."),
]
BackendName = Annotated[
    Backend, typer.Option(help="What computes riders on maps and their choices: Numba, or JAX (a GPU).")
]
Threads = Annotated[int, typer.Option(min=1, help="Threads for simulation and decisions.")]
CORES = os.cpu_count() or 1


@dataclass(frozen=True)
class Party:
    """Riders of one kind: their `body`, its map, how they are simulated, and what the user asked for."""

    body: Steerable
    map: MobilityMap
    tuned: Tuned
    detail: str
    backend: str
    threads: int
    seed: int
    out: Path
    as_json: bool
    quiet: bool

    def ride(self, count: int, near: float = 8.0, most: int = 16) -> Any:
        """So many riders; where detail is mixed, `most` of them in full, within `near` [m] of the middle."""
        from swerve.riders.maps.detail import Mixed, near_viewer
        from swerve.riders.maps.glide import Glide

        if self.detail == "full":
            return self.body.start(count, self.threads)
        if self.backend == Backend.JAX:
            from swerve.gpu import JaxGlide

            return JaxGlide(self.map, count)
        if self.detail == "map":
            return Glide(self.map, count, self.threads)
        wanted = near_viewer(lambda m: (float(m.x.mean()), float(m.y.mean())), near, self.body.radius)
        return Mixed(self.body, self.map, count, most, wanted, self.threads)

    def steering(self, controller: str, task: str, rule: str = "ours") -> Any:
        """The controller with the weights that tuning found for this body and task."""
        from swerve.core.errors import require

        if controller == "lod" and self.backend == Backend.JAX:
            from swerve.gpu import JaxNavigator

            require(rule == "ours", "--rule", str(rule), "must be ours with --backend jax")
            return JaxNavigator(self.map, self.tuned.lod[task])
        if controller == "lod":
            return self.tuned.navigator(self.map, task, self.threads, rule)
        return self.tuned.simple_for((float(self.map.turns[0]), float(self.map.turns[-1])), task)

    def answer(self, result: dict[str, Any], title: str) -> None:
        answer({"rider": self.body.name, **result}, self.as_json, self.quiet, title)


def for_party(*details: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make a function of a `Party` and options of its own a command that also takes the party's options.

    `details` are the levels of detail it allows, the usual one first.
    """

    def command_of(function: Callable[..., None]) -> Callable[..., None]:
        def command(**given: Any) -> None:
            party = gather(**{name: given.pop(name) for name in shared})
            function(party, **given)

        words = StrEnum("Detail", {detail.upper(): detail for detail in details})  # type: ignore[misc]
        level = Annotated[words, typer.Option(help="How riders are simulated.")]
        rider, detail, *rest = inspect.signature(gather, eval_str=True).parameters.values()
        rest = [detail.replace(annotation=level, default=words(details[0])), *rest]
        shared = [part.name for part in (rider, *rest)]
        own = list(inspect.signature(function, eval_str=True).parameters.values())[1:]
        asked = [part.replace(kind=inspect.Parameter.KEYWORD_ONLY) for part in (rider, *own, *rest)]
        command.__signature__ = inspect.Signature(asked)  # type: ignore[attr-defined]
        command.__annotations__ = {part.name: part.annotation for part in asked}
        command.__name__, command.__doc__ = function.__name__, function.__doc__
        return command

    return command_of


def gather(
    rider: RiderName = "human",
    detail: str = "full",
    map_file: MapFile = None,
    weights: WeightsFile = None,
    backend: BackendName = Backend.NUMBA,
    threads: Threads = CORES,
    seed: Seed = 0,
    out: Out = Path("out/ride"),
    as_json: Json = False,
    quiet: Quiet = False,
) -> Party:
    """The party that the options speak of; bad ones are refused before anything long is begun."""
    from swerve.core.errors import require
    from swerve.core.progress import be_quiet
    from swerve.riders.steering.tune import load_tuned
    from swerve.scenes.bodies import load_body

    be_quiet(quiet)
    writable(out)
    if backend == Backend.JAX:
        require(detail == "map", "--backend", str(backend), "moves riders on maps: it needs --detail map;")
    body = load_body(rider)
    own = rider if Path(rider).suffix else None
    tuned = load_tuned(body.name, weights)
    return Party(
        body,
        map_for(body, map_file, threads, own),
        tuned,
        detail,
        backend,
        threads,
        seed,
        out,
        as_json,
        quiet,
    )


def map_for(body: Steerable, file: Path | None, threads: int, own: str | None = None) -> MobilityMap:
    """The map from `file`, the one that comes with the body, or a new one where neither is there.

    `own` is the file of a rider of the user's own, who never gets the map of a rider that comes with Swerve.
    """
    from swerve.core.errors import BadInput
    from swerve.core.progress import say
    from swerve.riders.maps.build import MapOptions
    from swerve.riders.maps.mobility import MobilityMap
    from swerve.riders.maps.stored import load_map

    if file is not None:
        found = load_map(file if file.suffix else file.with_suffix(".npz"))
        if found.name != body.name:
            raise BadInput(f"map {file}", found.name, f"is of another body than {body.name}")
        return found
    if own is not None:  # a rider of the user's own, whatever it is called
        say(f"a map of {own} is built first, which takes minutes; swerve ride map keeps one for --map ...")
        return MobilityMap.build(body, MapOptions(threads=threads))
    try:
        return load_map(body.name)
    except BadInput:
        return MobilityMap.build(body, MapOptions(threads=threads))
