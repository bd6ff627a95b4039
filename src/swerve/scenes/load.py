"""One door for everything that has a name or a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from swerve.core.errors import BadInput
from swerve.core.files import existing, is_there
from swerve.core.scene_file import SUFFIXES, read_mapping

from . import SCENES, load_scene

if TYPE_CHECKING:
    from swerve.city import Town
    from swerve.core.library import MotionLibrary
    from swerve.core.plan import Plan
    from swerve.core.recording import Recording
    from swerve.core.steered import Steerable
    from swerve.race import Track
    from swerve.riders import MobilityMap
    from swerve.tactics import Problem
    from swerve.terrain.scenes import Scene as TerrainScene

    from .scene import Scene

    Place: TypeAlias = Track | Town | TerrainScene | Scene
    Loaded: TypeAlias = Recording | Plan | Place | Steerable | Problem | MotionLibrary | MobilityMap


def load(name: str | Path) -> Loaded:
    """What is called `name`, or stands in the file of that name; its type tells what it is.

    A Parquet file is a `Recording` or a `Plan`, a CSV file a `Track`, a road file a `Town`, an NPZ file a
    move tree or a `MobilityMap`; a YAML or TOML file is a scene, a town, a rider or a domain: its fields
    tell.

    >>> type(load("sharp-cornered")).__name__, type(load("grid")).__name__, type(load("large")).__name__
    ('Track', 'Town', 'MotionLibrary')
    >>> load("finall")
    Traceback (most recent call last):
    ...
    swerve.core.errors.BadInput: load: is neither a file nor a known name; did you mean final?, got 'finall'
    """
    word, path = str(name), Path(name)
    known = names()
    if word in known:
        return known[word]()
    if word.startswith("dice-"):
        from swerve.tactics import load_domain

        return load_domain(word)
    ending = path.suffix.lower()
    if ending in _READERS or is_there(path):
        existing(path)
        if ending not in _READERS:
            raise BadInput(f"file {path}", ending, f"must end in one of {', '.join(_READERS)}")
        return _READERS[ending](word)
    near = get_close_matches(word, known, 3)
    hint = f"did you mean {' or '.join(near)}?" if near else f"known are {', '.join(known)}"
    raise BadInput("load", word, f"is neither a file nor a known name; {hint}")


def names() -> Mapping[str, Callable[[], Loaded]]:
    """Every name that `load` knows, and how it is made."""
    from swerve.city import load_town
    from swerve.race import load_track, load_tree
    from swerve.race.tracks import NAMED
    from swerve.race.trees import NAMES as TREES
    from swerve.tactics import DOMAINS, load_domain
    from swerve.terrain.scenes import SCENES as PLACES
    from swerve.terrain.scenes import scene

    from .bodies import KNOWN, load_body

    families: list[tuple[Callable[[str], Loaded], tuple[str, ...]]] = [
        (load_scene, tuple(SCENES)),
        (load_track, tuple(NAMED)),
        (load_tree, TREES),
        (load_body, KNOWN),
        (load_town, ("grid", "town")),
        (scene, tuple(PLACES)),
        (load_domain, DOMAINS),
    ]
    return {name: partial(make, name) for make, group in families for name in group}


def _parquet(path: str) -> Recording | Plan:
    from swerve.core.plan import Plan, is_plan
    from swerve.core.recording import Recording

    return Plan.load(path) if is_plan(path) else Recording.read(path)


def _track(path: str) -> Track:
    from swerve.race import load_track

    return load_track(path)


def _town(path: str) -> Town:
    from swerve.city import load_town

    return load_town(path)


def _library(path: str) -> MotionLibrary | MobilityMap:
    from swerve.race import load_tree
    from swerve.riders import load_map

    library = load_tree(path)
    return load_map(path) if "mobility map" in library.meta else library


def _mapping(path: str) -> Loaded:
    """A YAML or TOML file: a domain has skills and a goal, a rider a bicycle, a town streets."""
    given = read_mapping(path, "file")
    if "tactics" in given or "mjcf" in given:
        from swerve.tactics import load_domain

        return load_domain(path)
    if "bicycle" in given or "segments" in given:
        from .bodies import load_body

        return load_body(path)
    if "streets" in given or "nodes" in given or "grid" in given:
        return _town(path)
    town = given.get("town")
    if isinstance(town, dict) and "name" not in town:  # with a name, it is the town of a scene
        return _town(path)
    return load_scene(path)


_READERS: dict[str, Callable[[str], Loaded]] = {
    ".parquet": _parquet,
    ".csv": _track,
    ".xodr": _town,
    ".xml": _town,
    ".osm": _town,
    ".npz": _library,
    **dict.fromkeys(SUFFIXES, _mapping),
}
