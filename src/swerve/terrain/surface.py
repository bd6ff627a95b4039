"""The ground: a smooth surface of bicubic B-spline patches over a grid of heights.

    terrain = Terrain.from_heights(heights, spacing=10.0)
    terrain.height(x, y), terrain.normal(x, y)

Heights, slopes, normals and curvatures are exact derivatives of one spline, so they never contradict one
another, which a limit on speed needs: it depends on second derivatives.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Literal

import numpy as np

from swerve.core.errors import BadInput, require
from swerve.core.kernels import inner, kernel

from .fences import fences
from .mapframe import UNPLACED, MapFrame
from .regions import Ground, Region, distance_field, fill_voids, mobility_at, outlines, reaches

SIXTH = 1.0 / 6.0


@dataclass(frozen=True)
class Terrain:
    """`heights` (ny, nx) [m] without voids, row 0 in the south; `spacing` (dx, dy) and `origin` (x, y) [m].

    `regions` slow the vehicle down or stop it; `mobility` (ny, nx) does the same cell by cell, and may
    be finer than the heights, k cells for one: (k (ny − 1) + 1, k (nx − 1) + 1). `exposure` (ny, nx) is what
    a second at a place costs when routes are planned for little exposure.
    """

    heights: np.ndarray
    spacing: tuple[float, float]
    origin: tuple[float, float] = (0.0, 0.0)
    regions: tuple[Region, ...] = ()
    mobility: np.ndarray | None = None
    exposure: np.ndarray | None = None
    fit: Literal["interpolate", "control"] = "interpolate"
    name: str = "terrain"
    frame: MapFrame = UNPLACED
    coefficients: np.ndarray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        rows, columns = self.heights.shape
        if self.exposure is not None and self.exposure.shape != (rows, columns):
            shape = self.exposure.shape
            raise BadInput("exposure", shape, f"must have the shape of the heights {(rows, columns)}")
        if self.mobility is not None:
            finer = [n - 1 for n in self.mobility.shape]
            if len(finer) != 2 or min(finer) < 1 or finer[0] % (rows - 1) or finer[1] % (columns - 1):
                why = f"must have the shape of the heights {(rows, columns)}, or whole cells between theirs"
                raise BadInput("mobility", self.mobility.shape, why)
        coefficients = self.heights
        if self.fit == "interpolate":
            coefficients = _interpolating(_interpolating(coefficients).T).T
        object.__setattr__(self, "coefficients", np.ascontiguousarray(_extended(_extended(coefficients).T).T))

    @classmethod
    def from_heights(
        cls,
        heights: np.ndarray | Sequence[Sequence[float]],
        spacing: float | tuple[float, float],
        origin: tuple[float, float] = (0.0, 0.0),
        regions: Sequence[Region] = (),
        mobility: np.ndarray | None = None,
        fit: Literal["interpolate", "control"] = "interpolate",
        voids: Literal["closed", "open"] = "closed",
        name: str = "terrain",
    ) -> Terrain:
        """A surface through heights (ny, nx), or with them as control points (`fit="control"`, smoother).

        Cells that are not finite are voids: the surface is filled in smoothly, and they are closed to the
        vehicle, because nobody knows what is there, unless `voids="open"`.
        """
        values = np.array(heights, dtype=np.float64)
        if values.ndim != 2 or min(values.shape) < 4:
            raise BadInput("heights", values.shape, "must be a grid of at least 4 by 4")
        step = (float(spacing), float(spacing)) if np.isscalar(spacing) else tuple(map(float, spacing))  # type: ignore[arg-type]
        require(
            len(step) == 2 and all(0 < s < np.inf for s in step), "spacing", spacing, "must be above zero"
        )
        require(fit in ("interpolate", "control"), "fit", fit, "must be 'interpolate' or 'control'")
        void = ~np.isfinite(values)
        if void.all():
            raise BadInput("heights", None, "every cell is void (not a finite number)")
        ground = None if mobility is None else np.array(mobility, dtype=np.float64)
        if ground is not None and not ((ground >= 0) & (ground <= 1)).all():
            raise BadInput("mobility", None, "must lie between 0 and 1 everywhere")
        if void.any():
            values = fill_voids(values, void)
            if voids == "closed":
                ground = np.ones(values.shape) if ground is None else ground
                ground[void] = 0.0
        return cls(values, (step[0], step[1]), origin, tuple(regions), ground, None, fit, name)

    @classmethod
    def from_function(
        cls,
        height: Callable[[np.ndarray, np.ndarray], np.ndarray],
        size: tuple[float, float],
        spacing: float,
        origin: tuple[float, float] = (0.0, 0.0),
        **options: object,
    ) -> Terrain:
        """Sample `height(x, y)` over `size` (width, depth) [m] from `origin` on."""
        nx, ny = (max(4, round(s / spacing) + 1) for s in size)
        dx, dy = size[0] / (nx - 1), size[1] / (ny - 1)
        x, y = np.meshgrid(origin[0] + dx * np.arange(nx), origin[1] + dy * np.arange(ny))
        return cls.from_heights(height(x, y), (dx, dy), origin, **options)  # type: ignore[arg-type]

    @classmethod
    def read(cls, path: str | Path, spacing: float | None = None, **options: object) -> Terrain:
        """An elevation file: GeoTIFF (.tif), NumPy (.npy, .npz) or ESRI ASCII grid (.asc); `spacing` [m] for
        files that do not tell theirs."""
        from .elevation import read_elevation

        found = read_elevation(path)
        step = found.spacing if spacing is None else (spacing, spacing)
        if not found.bare and not np.allclose(step, found.spacing, rtol=1e-6):
            east, north = found.spacing
            raise BadInput(
                "spacing", spacing, f"must be left out: {path} has cells of {east:g} by {north:g} m"
            )
        ground = cls.from_heights(found.heights, step, found.origin, name=Path(path).stem, **options)  # type: ignore[arg-type]
        return replace(ground, frame=found.frame)

    def with_regions(self, *regions: Region) -> Terrain:
        return replace(self, regions=(*self.regions, *regions))

    def with_exposure(self, exposure: np.ndarray) -> Terrain:
        return replace(self, exposure=np.asarray(exposure, dtype=np.float64))

    @property
    def extent(self) -> tuple[float, float, float, float]:
        """x_min, y_min, x_max, y_max [m]."""
        ny, nx = self.heights.shape
        (x0, y0), (dx, dy) = self.origin, self.spacing
        return x0, y0, x0 + dx * (nx - 1), y0 + dy * (ny - 1)

    @property
    def step(self) -> float:
        """[m] between points of a path over this ground: a tenth of a patch, but 0.5 to 10 m and no more than
        half a patch."""
        patch = min(self.spacing)
        return min(max(0.1 * patch, min(0.5, 0.5 * patch)), 10.0)

    def contains(self, x: float, y: float) -> bool:
        x0, y0, x1, y1 = self.extent
        return bool(x0 <= x <= x1 and y0 <= y <= y1)

    def height(self, x: np.ndarray | float, y: np.ndarray | float) -> np.ndarray:
        """Height [m] at points of any shape."""
        return self._derivatives(x, y)[..., 0]

    def gradient(self, x: np.ndarray | float, y: np.ndarray | float) -> np.ndarray:
        """(…, 2) slopes ∂z/∂x and ∂z/∂y."""
        return self._derivatives(x, y)[..., 1:3]

    def normal(self, x: np.ndarray | float, y: np.ndarray | float) -> np.ndarray:
        """(…, 3) unit normals that point up."""
        slopes = self.gradient(x, y)
        normal = np.concatenate([-slopes, np.ones((*slopes.shape[:-1], 1))], axis=-1)
        return normal / np.linalg.norm(normal, axis=-1, keepdims=True)

    def mobility_at(self, x: np.ndarray | float, y: np.ndarray | float) -> np.ndarray:
        """Factor on friction: 1 good ground, 0 closed, −1 outside the map."""
        xs, ys = np.broadcast_arrays(np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64))
        found = _mobilities(np.ascontiguousarray(xs.ravel()), np.ascontiguousarray(ys.ravel()), self.ground)
        return found.reshape(xs.shape)

    @cached_property
    def ground(self) -> Ground:
        """The terrain as kernels read it."""
        x0, y0, x1, y1 = self.extent
        corners, starts, factors = outlines(self.regions)
        mobility = np.ones((1, 1)) if self.mobility is None else self.mobility
        exposure = np.zeros((1, 1)) if self.exposure is None else self.exposure
        closed = [ring for region in self.regions if not region.mobility for ring in region.rings]
        return Ground(
            self.coefficients,
            np.array([x0, y0, *self.spacing, x1, y1]),
            np.ascontiguousarray(mobility, dtype=np.float64),
            np.ascontiguousarray(exposure, dtype=np.float64),
            corners,
            starts,
            factors,
            *reaches(self.extent, self.regions),
            distance_field(self.extent, self.mobility, self.regions),
            *fences(self.extent, self.mobility, closed),
        )

    def _derivatives(self, x: np.ndarray | float, y: np.ndarray | float) -> np.ndarray:
        xs, ys = np.broadcast_arrays(np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64))
        out = np.empty((xs.size, 6))
        frame = np.array([*self.extent[:2], *self.spacing, *self.extent[2:]])
        _many(
            np.ascontiguousarray(xs.ravel()), np.ascontiguousarray(ys.ravel()), self.coefficients, frame, out
        )
        return out.reshape(*xs.shape, 6)


@inner
@kernel
def derivatives_at(
    x: float, y: float, coefficients: np.ndarray, frame: np.ndarray
) -> tuple[float, float, float, float, float, float]:
    """z, z_x, z_y, z_xx, z_xy, z_yy of the spline; outside the map those of the nearest place on its edge."""
    columns, rows = coefficients.shape[1] - 3, coefficients.shape[0] - 3
    u = min(max((x - frame[0]) / frame[2], 0.0), columns * 1.0)
    v = min(max((y - frame[1]) / frame[3], 0.0), rows * 1.0)
    i, j = min(int(u), columns - 1), min(int(v), rows - 1)
    u, v = u - i, v - j
    bu, du, cu = weights(u)
    (bv0, bv1, bv2, bv3), (dv0, dv1, dv2, dv3), (cv0, cv1, cv2, cv3) = weights(v)
    z0, s0, k0 = along_row(coefficients, j, i, bu, du, cu)
    z1, s1, k1 = along_row(coefficients, j + 1, i, bu, du, cu)
    z2, s2, k2 = along_row(coefficients, j + 2, i, bu, du, cu)
    z3, s3, k3 = along_row(coefficients, j + 3, i, bu, du, cu)
    z = bv0 * z0 + bv1 * z1 + bv2 * z2 + bv3 * z3
    zx = bv0 * s0 + bv1 * s1 + bv2 * s2 + bv3 * s3
    zy = dv0 * z0 + dv1 * z1 + dv2 * z2 + dv3 * z3
    zxx = bv0 * k0 + bv1 * k1 + bv2 * k2 + bv3 * k3
    zxy = dv0 * s0 + dv1 * s1 + dv2 * s2 + dv3 * s3
    zyy = cv0 * z0 + cv1 * z1 + cv2 * z2 + cv3 * z3
    dx, dy = frame[2], frame[3]
    return z, zx / dx, zy / dy, zxx / (dx * dx), zxy / (dx * dy), zyy / (dy * dy)


@inner
@kernel
def third_derivatives_at(
    x: float, y: float, coefficients: np.ndarray, frame: np.ndarray
) -> tuple[float, float, float, float]:
    """z_xxx, z_xxy, z_xyy, z_yyy of the spline; outside the map those of the nearest place on its edge."""
    columns, rows = coefficients.shape[1] - 3, coefficients.shape[0] - 3
    u = min(max((x - frame[0]) / frame[2], 0.0), columns * 1.0)
    v = min(max((y - frame[1]) / frame[3], 0.0), rows * 1.0)
    i, j = min(int(u), columns - 1), min(int(v), rows - 1)
    bu, du, cu = weights(u - i)
    bv, dv, cv = weights(v - j)
    xxx = xxy = xyy = yyy = 0.0
    for r in range(4):
        c0, c1, c2, c3 = (
            coefficients[j + r, i],
            coefficients[j + r, i + 1],
            coefficients[j + r, i + 2],
            coefficients[j + r, i + 3],
        )
        third = 1.0 if r == 3 else -1.0 if r == 0 else 3.0 if r == 1 else -3.0
        xxx += bv[r] * (c3 - c0 + 3.0 * (c1 - c2))
        xxy += dv[r] * (cu[0] * c0 + cu[1] * c1 + cu[2] * c2 + cu[3] * c3)
        xyy += cv[r] * (du[0] * c0 + du[1] * c1 + du[2] * c2 + du[3] * c3)
        yyy += third * (bu[0] * c0 + bu[1] * c1 + bu[2] * c2 + bu[3] * c3)
    dx, dy = frame[2], frame[3]
    return xxx / (dx * dx * dx), xxy / (dx * dx * dy), xyy / (dx * dy * dy), yyy / (dy * dy * dy)


@inner
@kernel
def along_row(
    c: np.ndarray, r: int, i: int, b: tuple[float, ...], d: tuple[float, ...], e: tuple[float, ...]
) -> tuple[float, float, float]:
    """Value, slope and bend along x of four neighbouring coefficients in row r."""
    c0, c1, c2, c3 = c[r, i], c[r, i + 1], c[r, i + 2], c[r, i + 3]
    return (
        b[0] * c0 + b[1] * c1 + b[2] * c2 + b[3] * c3,
        d[0] * c0 + d[1] * c1 + d[2] * c2 + d[3] * c3,
        e[0] * c0 + e[1] * c1 + e[2] * c2 + e[3] * c3,
    )


@kernel
def weights(t: float) -> tuple[tuple[float, ...], tuple[float, ...], tuple[float, ...]]:
    """Cubic B-spline weights of four neighbours at 0 ≤ t ≤ 1, with first and second derivatives in t."""
    s = 1.0 - t
    value = (
        s * s * s * SIXTH,
        ((0.5 * t - 1.0) * t * t + 4.0 * SIXTH),
        ((0.5 * s - 1.0) * s * s + 4.0 * SIXTH),
        t * t * t * SIXTH,
    )
    first = (-0.5 * s * s, 1.5 * t * t - 2 * t, -1.5 * s * s + 2 * s, 0.5 * t * t)
    second = (s, 3 * t - 2, 3 * s - 2, t)
    return value, first, second


@kernel
def _many(x: np.ndarray, y: np.ndarray, coefficients: np.ndarray, frame: np.ndarray, out: np.ndarray) -> None:
    for i in range(len(x)):
        out[i, 0], out[i, 1], out[i, 2], out[i, 3], out[i, 4], out[i, 5] = derivatives_at(
            x[i], y[i], coefficients, frame
        )


@kernel
def _mobilities(x: np.ndarray, y: np.ndarray, ground: Ground) -> np.ndarray:
    frame, mobility = ground.frame, ground.mobility
    corners, starts, factors = ground.corners, ground.starts, ground.factors
    squares, reaching = ground.reach_starts, ground.reaching
    out = np.empty(len(x))
    for i in range(len(x)):
        out[i] = mobility_at(x[i], y[i], frame, mobility, corners, starts, factors, squares, reaching)
    return out


def _interpolating(values: np.ndarray) -> np.ndarray:
    """B-spline coefficients along the first axis whose natural spline passes through `values`."""
    n = len(values)
    result = values.astype(np.float64)  # 6·value = before + 4·here + after, and at the ends value = here
    shares = np.zeros(n)
    for i in range(1, n - 1):
        shares[i] = 1.0 / (4.0 - shares[i - 1])
        result[i] = (6.0 * values[i] - result[i - 1]) * shares[i]
    for i in range(n - 2, 0, -1):
        result[i] -= shares[i] * result[i + 1]
    return result


def _extended(values: np.ndarray) -> np.ndarray:
    """One more coefficient at either end, so that the second derivative vanishes there."""
    return np.concatenate([2 * values[:1] - values[1:2], values, 2 * values[-1:] - values[-2:-1]])
