"""Swerve plans and simulates the motion of things that cannot stop at once.

Put bodies into a world, give them a mind, and look at what happens:

>>> import swerve
>>> def slide(rows, commands, dt):  # rows: x, y, yaw, vx, vy; the command is an acceleration
...     rows[:, 3] += commands[:, 0] * dt
...     rows[:, 0] += rows[:, 3] * dt
...     return rows
>>> puck = swerve.PlainBody("puck", (0.3, 0.3, 0.1), ("x", "y", "yaw", "vx", "vy"), (0, 0, 0, 4, 0), slide)
>>> class Brake:  # one mind for the whole batch: it slows down for whoever is ahead
...     def choose(self, view, dt):
...         gap = view.others().motion.x.min() - view.mine.x - 0.3
...         return -(view.mine.vx**2 / (2 * gap.clip(0.1)))[:, None]
>>> world = swerve.World(dt=0.05)
>>> moving = world.add(puck.start(1), Brake())
>>> standing = puck.start(1)
>>> standing.rows[:] = [[5, 0, 0, 0, 0]]
>>> post = world.add(standing)
>>> recording = world.run(4.0)
>>> len(world.contacts), bool(4.0 < recording["x"][recording["id"] == 0].max() < 4.7)
(0, True)

`load` finds whatever has a name or a file: a recording, a plan, a track, a town, a scene, a body, a domain,
a move tree, a mobility map. The wings are `race`, `tactics`, `terrain`, `riders`, `city` and `soccer`; the
names that one starts with stand here too. Nothing is imported before it is asked for.
"""

import _signal  # type: ignore[import-not-found]
import os
import sys


def _interrupted(number: int, frame: object) -> None:
    """Ctrl-C before the command has begun: end the process now, with one line."""
    os.write(2, b"swerve: interrupted\n")
    os._exit(130)


def _is_command() -> bool:
    """Whether Python was started for the command, as `swerve` or as `python -m swerve`."""
    begun, words = sys.argv[:1], sys.orig_argv
    if begun == ["-m"]:
        return "-m" in words and words[words.index("-m") + 1 :][:1] == ["swerve"]
    return bool(begun) and os.path.basename(begun[0]) in ("swerve", "swerve.exe")


if _is_command() and _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
    _signal.signal(_signal.SIGINT, _interrupted)  # before anything else is imported

from importlib import import_module  # noqa: E402
from typing import TYPE_CHECKING, Any  # noqa: E402

if TYPE_CHECKING:
    from .city import Simulation, load_town
    from .core.bodies import Bodies, Body, Chooser, PlainBody
    from .core.errors import BadInput
    from .core.motion import Motion
    from .core.plan import Plan
    from .core.playing import Playing
    from .core.predict import Predictor
    from .core.recording import Recording
    from .core.view import View
    from .core.way import Way
    from .core.world import World
    from .race import drive, load_track, load_tree
    from .riders import Navigator, load_map
    from .scenes import load_scene
    from .scenes.bodies import load_body
    from .scenes.load import load
    from .tactics import Runner, Search, load_domain, solve
    from .tactics.kinodynamic import PlanOptions, plan
    from .tactics.mechanism import Mechanism
    from .tactics.space import Space
    from .terrain import Terrain, Vehicle, fastest_path

_HOMES = {
    "swerve.core.world": ("World",),
    "swerve.core.motion": ("Motion",),
    "swerve.core.bodies": ("Bodies", "Body", "Chooser", "PlainBody"),
    "swerve.core.predict": ("Predictor",),
    "swerve.core.view": ("View",),
    "swerve.core.way": ("Way",),
    "swerve.core.plan": ("Plan",),
    "swerve.core.playing": ("Playing",),
    "swerve.core.recording": ("Recording",),
    "swerve.core.errors": ("BadInput",),
    "swerve.scenes": ("load_scene",),
    "swerve.scenes.bodies": ("load_body",),
    "swerve.scenes.load": ("load",),
    "swerve.race": ("drive", "load_track", "load_tree"),
    "swerve.tactics": ("Runner", "Search", "load_domain", "solve"),
    "swerve.tactics.kinodynamic": ("PlanOptions", "plan"),
    "swerve.tactics.mechanism": ("Mechanism",),
    "swerve.tactics.space": ("Space",),
    "swerve.terrain": ("Terrain", "Vehicle", "fastest_path"),
    "swerve.riders": ("Navigator", "load_map"),
    "swerve.city": ("Simulation", "load_town"),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}
WINGS = ("race", "tactics", "terrain", "riders", "city", "soccer")

__all__ = [
    "BadInput",
    "Bodies",
    "Body",
    "Chooser",
    "Mechanism",
    "Motion",
    "Navigator",
    "PlainBody",
    "Plan",
    "PlanOptions",
    "Playing",
    "Predictor",
    "Recording",
    "Runner",
    "Search",
    "Simulation",
    "Space",
    "Terrain",
    "Vehicle",
    "View",
    "Way",
    "World",
    "__version__",
    "drive",
    "fastest_path",
    "load",
    "load_body",
    "load_domain",
    "load_map",
    "load_scene",
    "load_town",
    "load_track",
    "load_tree",
    "plan",
    "solve",
]


def __getattr__(name: str) -> Any:
    """Import a name when it is first asked for."""
    found: Any
    if name in _HOME:
        found = getattr(import_module(_HOME[name]), name)
    elif name == "__version__":
        from importlib.metadata import version

        found = version("swerve")
    elif name in (*WINGS, "core", "scenes"):
        return import_module(f"swerve.{name}")
    else:
        raise AttributeError(f"module 'swerve' has no attribute {name!r}")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*__all__, *WINGS, "core", "scenes"})
