"""What a page may choose from: names of scenes, tracks, trees, domains and maps."""

from __future__ import annotations

from typing import Any

from swerve.scenes import SCENES

from .rooms import ROOMS


def menu() -> dict[str, Any]:
    return {"rooms": ROOMS, "scenes": SCENES}
