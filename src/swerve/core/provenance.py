"""Where a result came from: put into the metadata of everything that is written."""

import os
import shlex
import sys
from typing import Any


def provenance(scene: str, seed: int, **more: object) -> dict[str, Any]:
    """Scene, command line, seed and version."""
    from swerve import __version__

    called = sys.argv[0].endswith(("swerve", os.path.join("swerve", "__main__.py")))
    command = "swerve " + shlex.join(sys.argv[1:]) if called else ""
    return {"scene": scene, "command": command, "seed": seed, "version": __version__, **more}
