"""What the tables of Zickler 2010 tell of many searches of a kind."""

from __future__ import annotations

import numpy as np


def means(
    seconds: np.ndarray, nodes: np.ndarray, iterations: np.ndarray, solved: np.ndarray
) -> dict[str, float]:
    """Means over searches, and the success rate [%]."""
    return {
        "seconds": float(seconds.mean()),
        "nodes": float(nodes.mean()),
        "median nodes": float(np.median(nodes)),
        "nodes sd": float(nodes.std()),
        "iterations": float(iterations.mean()),
        "success %": 100 * float(solved.mean()),
    }
