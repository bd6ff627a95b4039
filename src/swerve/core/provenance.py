"""Where a result came from: put into the metadata of everything that is written."""

import shlex
import sys
from typing import Any


def provenance(scene: str, seed: int, **more: object) -> dict[str, Any]:
    """Scene, command line, seed and version."""
    from swerve import __version__

    command = "swerve " + shlex.join(sys.argv[1:]) if sys.argv[0].endswith("swerve") else ""
    return {"scene": scene, "command": command, "seed": seed, "version": __version__, **more}
