"""Kernels of people, compiled before they are needed."""

from __future__ import annotations

import numpy as np

from ..ground.mesh import Mesh
from .avoidance import avoid
from .crossing import ask_and_leave, empty_desk
from .footing import Ground, empty_crowd, make_discs, walk


def compile_kernels(mesh: Mesh, ground: Ground, crossing_of: np.ndarray, crosswalks: int) -> None:
    """Let every kernel be compiled now, on nobody, so that the first step is as quick as the others."""
    nobody, flags = empty_crowd(0), np.ones(crosswalks, bool)
    discs = make_discs(nobody)
    desk, alarmed = empty_desk(0, crosswalks), np.zeros(0, bool)
    ask_and_leave(ground, nobody, desk, crossing_of, flags, flags, alarmed, 0.1)
    avoid(ground, nobody, discs, 0.1, 1, 0)
    walk(mesh.arrays, ground, nobody, discs, 0.1, False)
