"""How the bends of a lap's line, and the length of its steps, change as its knots move (`lap_terms`)."""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import inner, kernel


@inner
@kernel
def see_bends(
    q: np.ndarray,
    across: np.ndarray,
    stencil: np.ndarray,
    bend: np.ndarray,
    pace: np.ndarray,
    d_bend: np.ndarray,
    d_pace: np.ndarray,
    dd_bend: np.ndarray,
    dd_pace: np.ndarray,
) -> None:
    """Curvature and pace (n,) at knots, and their derivatives in the three d around, (n, 3) and (n, 3, 3)."""
    n = len(bend)
    du, ds, near = np.empty((3, 2)), np.empty((3, 2)), np.empty(3, np.int64)
    for i in range(n):
        near[0], near[1], near[2] = (i - 1 if i > 0 else n - 1), i, (i + 1 if i + 1 < n else 0)
        ux = uy = sx = sy = 0.0
        for k in range(3):
            w1, w2, o = stencil[i, k], stencil[i, 3 + k], near[k]
            ux, uy = ux + w1 * q[o, 0], uy + w1 * q[o, 1]
            sx, sy = sx + w2 * q[o, 0], sy + w2 * q[o, 1]
            du[k, 0], du[k, 1] = w1 * across[o, 0], w1 * across[o, 1]
            ds[k, 0], ds[k, 1] = w2 * across[o, 0], w2 * across[o, 1]
        p = np.sqrt(ux * ux + uy * uy)
        area = ux * sy - uy * sx
        p3, p4 = 1.0 / p**3, 1.0 / p**4
        bend[i], pace[i] = area * p3, p
        for k in range(3):
            d_pace[i, k] = (ux * du[k, 0] + uy * du[k, 1]) / p
            d_area = du[k, 0] * sy - du[k, 1] * sx + ux * ds[k, 1] - uy * ds[k, 0]
            d_bend[i, k] = d_area * p3 - 3.0 * area * p4 * d_pace[i, k]
        for k in range(3):
            dk = d_bend[i, k] / p3 + 3.0 * area / p * d_pace[i, k]  # of the area
            for m in range(3):
                dm = d_bend[i, m] / p3 + 3.0 * area / p * d_pace[i, m]
                both = du[k, 0] * ds[m, 1] - du[k, 1] * ds[m, 0] + du[m, 0] * ds[k, 1] - du[m, 1] * ds[k, 0]
                pkm = (du[k, 0] * du[m, 0] + du[k, 1] * du[m, 1] - d_pace[i, k] * d_pace[i, m]) / p
                dd_pace[i, k, m] = pkm
                dd_bend[i, k, m] = (
                    both * p3
                    - 3.0 * p4 * (dk * d_pace[i, m] + dm * d_pace[i, k])
                    + 12.0 * area / p**5 * d_pace[i, k] * d_pace[i, m]
                    - 3.0 * area * p4 * pkm
                )
