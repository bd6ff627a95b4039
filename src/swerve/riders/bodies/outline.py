"""How large a rider on a bicycle is, and how high its middle is."""

from __future__ import annotations

import numpy as np

WIDTH, HEIGHT = 0.6, 1.7  # [m] of a rider on a bicycle
LYING = 1.4  # [rad] of lean at which a rider lies on the ground


def kind_of(name: str) -> str:
    """What recordings and pictures call a rider of that name."""
    return "alien cyclist" if name == "alien" else "cyclist"


def middle_height(roll: np.ndarray, fell: np.ndarray, outline: np.ndarray) -> np.ndarray:
    """Height [m] (n,) of the middle of outlines (n, 3): whoever rides leans about the tyres, whoever fell
    lies on a side."""
    _, width, height = outline.T / 2
    middle = height * np.abs(np.cos(roll))
    if fell.any():
        middle[fell] += width[fell] * np.abs(np.sin(roll[fell]))
    return middle
