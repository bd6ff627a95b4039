"""Names that a shell completes: what a command's argument may be besides a file.

They are read when a shell asks for them, from where they are kept.
"""

from importlib import import_module
from pkgutil import iter_modules


def track_names() -> list[str]:
    return list(import_module("swerve.race.tracks").NAMED)


def tree_names() -> list[str]:
    return list(import_module("swerve.race.trees").NAMES)


def domain_names() -> list[str]:
    return list(import_module("swerve.tactics.domains").DOMAINS)


def game_names() -> list[str]:
    return list(import_module("swerve.tactics.loop").GAMES)


def place_names() -> list[str]:
    return list(import_module("swerve.terrain.scenes").SCENES)


def cost_names() -> list[str]:
    return list(import_module("swerve.terrain.costs").NAMES)


def rider_names() -> list[str]:
    return [*import_module("swerve.riders.bodies.rider").NAMES, "car"]


def town_names() -> list[str]:
    return ["grid", "town"]


def team_names() -> list[str]:
    return list(import_module("swerve.soccer").team_names())


def study_names() -> list[str]:
    return list(import_module("swerve.studies").STUDIES)


def bench_names() -> list[str]:
    """Every measurement; `plain_` modules are what they are held against."""
    modules = iter_modules(import_module("swerve.bench").__path__)
    return sorted(module.name for module in modules if not module.name.startswith("plain_"))


def scene_names() -> list[str]:
    return list(import_module("swerve.scenes").SCENES)


def stop_names() -> list[str]:
    return list(import_module("swerve.tour").STOPS)
