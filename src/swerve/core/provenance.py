"""Where a result came from: put into the metadata of everything that is written."""

import os
import shlex
import sys
from typing import Any


def provenance(scene: str, seed: int, **more: object) -> dict[str, Any]:
    """Scene, command line, seed and version. Where results are written to is left out of the command line, so
    that what is done twice is written twice alike."""
    from swerve import __version__

    called = sys.argv[0].endswith(("swerve", os.path.join("swerve", "__main__.py")))
    command = "swerve " + shlex.join(_told(sys.argv[1:])) if called else ""
    return {"scene": scene, "command": command, "seed": seed, "version": __version__, **more}


def _told(words: list[str]) -> list[str]:
    """The words of a command line without `--out FOLDER`."""
    told, skip = [], False
    for word in words:
        if not skip and word != "--out" and not word.startswith("--out="):
            told.append(word)
        skip = not skip and word == "--out"
    return told
