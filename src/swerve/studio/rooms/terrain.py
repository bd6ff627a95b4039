"""Terrain: bend a path over a mountain and see limits, speeds, forces, time and energy follow."""

from __future__ import annotations

from typing import Any

import numpy as np

from swerve.core.errors import BadInput
from swerve.core.recording import Recording
from swerve.terrain import Route, SurfacePath, fastest_path, speed_profile
from swerve.terrain.scenery import scenery
from swerve.terrain.scenes import SCENES, scene

from .room import Message, Outside, Room

SAMPLES = 360  # of a path
GRID = 110  # heights along a side
LIFT = 4.0  # [m] that the path is drawn over the ground
CURVE = 240  # points of a curve
MOST_POINTS = 40


def enter(asked: Message, outside: Outside) -> TerrainRoom:
    return TerrainRoom(asked, outside)


class TerrainRoom(Room):
    """Nothing moves here by itself: the page sends control points, the room answers."""

    def __init__(self, asked: Message, outside: Outside):
        name = str(asked.get("map") or "mountain")
        if name not in SCENES:
            raise BadInput("map", name, f"must be one of {', '.join(SCENES)}")
        self.name, self.where, self.outside = name, scene(name), outside
        start, goal = np.array(self.where.start), np.array(self.where.goal)
        side = np.array([-(goal - start)[1], (goal - start)[0]]) * 0.22
        share = np.linspace(0.0, 1.0, 6)[:, None]
        self.points = start + share * (goal - start) + np.sin(np.pi * share) * side
        self.answer()

    def scene(self) -> dict[str, Any]:
        terrain = self.where.terrain
        x0, y0, x1, y1 = terrain.extent
        xs, ys = np.linspace(x0, x1, GRID), np.linspace(y0, y1, GRID)
        heights = np.round(terrain.height(*np.meshgrid(xs, ys)), 1)
        relief = {"extent": [x0, y0, x1, y1], "heights": heights}
        from swerve.core.show.looks import scenery_of

        around = scenery_of({**scenery(terrain), "relief": relief})
        return {"title": self.name, **around, "ego": None}

    def hear(self, message: Message) -> None:
        kind = message.get("type")
        if kind == "points":
            self.points = self._checked(message.get("points"))
            self.answer()
        elif kind == "fastest":
            found = fastest_path(self.where.terrain, self.where.start, self.where.goal, self.where.vehicle)
            if not found.found or found.best.path.controls is None:
                raise BadInput("path", None, "none was found")
            self.points = np.asarray(found.best.path.controls)
            self.answer()
        else:
            super().hear(message)

    def answer(self) -> None:
        """What holds for the path as it is now."""
        path = SurfacePath.from_controls(self.where.terrain, self.points, SAMPLES)
        profile = speed_profile(path, self.where.vehicle)
        some = np.unique(np.linspace(0, SAMPLES - 1, CURVE).astype(int))
        trouble = profile.first_trouble
        line = path.points + np.array([0.0, 0.0, LIFT])
        weight = self.where.vehicle.mass * 9.81
        height = self.where.terrain.height(*self.points.T)
        self.outside.say(
            "profile",
            points=np.column_stack([self.points, height + LIFT]).round(2),
            line=np.hstack([line[:-1], line[1:]]).round(1).ravel(),
            troubled=np.hstack([line[:-1], line[1:]])[profile.trouble[:-1] != 0].round(1).ravel(),
            distance=profile.distance[some].round(1),
            speed=profile.speed[some].round(2),
            limit=np.minimum(profile.limit[some], 2 * max(profile.max_speed, 1.0)).round(2),
            drive=(profile.drive_force[some] / weight).round(3),
            side=(profile.side_force[some] / weight).round(3),
            time=profile.time if profile.feasible else None,
            length=profile.length,
            energy=profile.energy,
            top=profile.max_speed,
            trouble=None if trouble is None else trouble[1].words,
        )
        self.kept = Route(path, profile, profile.time) if profile.feasible else None

    def recording(self) -> Recording:
        if self.kept is None:
            raise BadInput("export", None, "the path cannot be driven as it is")
        return self.kept.recording(self.where.vehicle, {"scene": self.name, **self.scene_meta()})

    def scene_meta(self) -> dict[str, Any]:
        """Scenery for a recording."""
        return {**scenery(self.where.terrain), "relief": self.scene()["relief"]}

    def _checked(self, given: object) -> np.ndarray:
        try:
            points = np.array(given, dtype=float)
        except (TypeError, ValueError) as error:
            raise BadInput("points", None, "must be pairs of numbers") from error
        if points.ndim != 2 or points.shape[1] != 2 or not 3 <= len(points) <= MOST_POINTS:
            raise BadInput("points", points.shape, f"must be 3 to {MOST_POINTS} pairs of numbers")
        x0, y0, x1, y1 = self.where.terrain.extent
        return np.column_stack([points[:, 0].clip(x0, x1), points[:, 1].clip(y0, y1)])
