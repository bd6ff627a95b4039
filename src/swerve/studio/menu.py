"""What a page may choose from: names of scenes, tracks, trees, domains and maps."""

from __future__ import annotations

from functools import cache
from typing import Any

from swerve.scenes import SCENES

from .rooms import ROOMS


@cache
def menu() -> dict[str, Any]:
    from swerve.race.cars import SHIPPED
    from swerve.race.tracks import NAMED
    from swerve.race.trees import NAMES
    from swerve.tactics import DOMAINS
    from swerve.tactics.plan import PLANNERS
    from swerve.terrain.scenes import SCENES as MAPS

    return {
        "rooms": ROOMS,
        "scenes": SCENES,
        "tracks": list(NAMED),
        "trees": NAMES,
        "cars": list(SHIPPED),
        "domains": DOMAINS,
        "planners": PLANNERS,
        "maps": list(MAPS),
    }
