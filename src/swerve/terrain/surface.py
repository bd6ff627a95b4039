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
from swerve.core.kernels import kernel

from .fences import fences
from .mapframe import UNPLACED, MapFrame
from .patches import derivatives_of, extended, interpolating
from .regions import Ground, Region, distance_field, fill_voids, mobility_at, outlines, reaches


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
            coefficients = interpolating(interpolating(coefficients).T).T
        object.__setattr__(self, "coefficients", np.ascontiguousarray(extended(extended(coefficients).T).T))

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
        derivatives_of(
            np.ascontiguousarray(xs.ravel()), np.ascontiguousarray(ys.ravel()), self.coefficients, frame, out
        )
        return out.reshape(*xs.shape, 6)


@kernel
def _mobilities(x: np.ndarray, y: np.ndarray, ground: Ground) -> np.ndarray:
    frame, mobility = ground.frame, ground.mobility
    corners, starts, factors = ground.corners, ground.starts, ground.factors
    squares, reaching = ground.reach_starts, ground.reaching
    out = np.empty(len(x))
    for i in range(len(x)):
        out[i] = mobility_at(x[i], y[i], frame, mobility, corners, starts, factors, squares, reaching)
    return out
