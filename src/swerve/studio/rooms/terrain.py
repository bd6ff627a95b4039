"""Terrain: bend a path over a mountain, push obstacles about, and see limits, speeds, forces, time and energy
follow."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from swerve.core.errors import BadInput
from swerve.core.recording import Recording
from swerve.terrain import Region, Route, SurfacePath, fastest_path, rectangle, speed_profile
from swerve.terrain.scenery import scenery
from swerve.terrain.scenes import SCENES, scene

from .room import Message, Outside, Room

SAMPLES = 360  # of a path
LIFT = 4.0  # [m] that the path is drawn over the ground
CURVE = 240  # points of a curve
MOST_POINTS, MOST_OBSTACLES = 40, 20
EDGE = 12  # pieces of an obstacle's edge, which follow the ground
BROAD = 0.08  # of the map: a new obstacle


def enter(asked: Message, outside: Outside) -> TerrainRoom:
    return TerrainRoom(asked, outside)


class TerrainRoom(Room):
    """Nothing moves here by itself: the page sends control points and places of obstacles, the room answers.

    Obstacles are the closed regions of the map, and those that were added.
    """

    def __init__(self, asked: Message, outside: Outside):
        name = str(asked.get("map") or "mountain")
        if name not in SCENES:
            raise BadInput("map", name, f"must be one of {', '.join(SCENES)}")
        self.name, self.where, self.outside = name, scene(name), outside
        closed = [region for region in self.where.terrain.regions if region.mobility == 0.0]
        others = tuple(region for region in self.where.terrain.regions if region.mobility > 0.0)
        self.open, self.obstacles = replace(self.where.terrain, regions=others), closed
        self.terrain = self.where.terrain
        start, goal = np.array(self.where.start), np.array(self.where.goal)
        side = np.array([-(goal - start)[1], (goal - start)[0]]) * 0.22
        share = np.linspace(0.0, 1.0, 6)[:, None]
        self.points = start + share * (goal - start) + np.sin(np.pi * share) * side
        if asked.get("points"):
            self.points = self._checked(_written(asked["points"]))
        if asked.get("obstacles"):
            self._place(_written(asked["obstacles"]))
        self.answer()

    def scene(self) -> dict[str, Any]:
        from swerve.core.show.looks import scenery_of

        return {"title": self.name, **scenery_of(scenery(self.open)), "ego": None}

    def hear(self, message: Message) -> None:
        kind = message.get("type")
        if kind == "points":
            self.points = self._checked(message.get("points"))
            self.answer()
        elif kind == "fastest":
            found = fastest_path(self.terrain, self.where.start, self.where.goal, self.where.vehicle)
            if not found.found or found.best.path.controls is None:
                raise BadInput("path", None, "none was found")
            self.points = np.asarray(found.best.path.controls)
            self.answer()
        elif kind == "obstacle":
            self._add_obstacle()
        elif kind == "obstacles":
            places = self._pairs(message.get("at"), len(self.obstacles), len(self.obstacles), "obstacles")
            self._block([_moved(one, at) for one, at in zip(self.obstacles, places, strict=True)])
            self.answer()
        else:
            super().hear(message)

    def _add_obstacle(self) -> None:
        """One more, on the way."""
        if len(self.obstacles) >= MOST_OBSTACLES:
            raise BadInput("obstacles", len(self.obstacles), f"must be at most {MOST_OBSTACLES}")
        place = SurfacePath.from_controls(self.open, self.points, SAMPLES).points[SAMPLES // 2, :2]
        self._block([*self.obstacles, self._square(place)])
        self.answer()

    def _square(self, middle: np.ndarray) -> Region:
        x0, y0, x1, y1 = self.terrain.extent
        half, (x, y) = BROAD * min(x1 - x0, y1 - y0) / 2, middle
        return rectangle(x - half, y - half, x + half, y + half)

    def _block(self, obstacles: list[Region]) -> None:
        self.obstacles = obstacles
        self.terrain = self.open.with_regions(*obstacles)

    def _place(self, middles: object) -> None:
        """The map's own obstacles and added ones, as they were left."""
        own = len(self.obstacles)
        places = self._pairs(middles, own, MOST_OBSTACLES, "obstacles")
        moved = [_moved(one, at) for one, at in zip(self.obstacles, places[:own], strict=True)]
        self._block([*moved, *(self._square(at) for at in places[own:])])

    def _rings(self) -> np.ndarray:
        """Edges and crosses of the obstacles, on the ground: pieces x, y, z, x, y, z."""
        pieces = [np.zeros((0, 6))]
        share = np.linspace(0.0, 1.0, EDGE + 1)[:, None]
        for region in self.obstacles:
            corners = np.array(region.corners)
            for turned in (1, len(corners) // 2):
                for a, b in zip(corners, np.roll(corners, -turned, axis=0), strict=True):
                    line = a + share * (b - a)
                    on_ground = np.column_stack([line, self.open.height(*line.T) + LIFT])
                    pieces.append(np.hstack([on_ground[:-1], on_ground[1:]]))
        return np.concatenate(pieces)

    def answer(self) -> None:
        """What holds for the path as it is now."""
        path = SurfacePath.from_controls(self.terrain, self.points, SAMPLES)
        profile = speed_profile(path, self.where.vehicle)
        some = np.unique(np.linspace(0, SAMPLES - 1, CURVE).astype(int))
        trouble = profile.first_trouble
        line = path.points + np.array([0.0, 0.0, LIFT])
        weight = self.where.vehicle.mass * 9.81
        height = self.terrain.height(*self.points.T)
        middles = np.array([_middle(one) for one in self.obstacles]).reshape(-1, 2)
        top = self.terrain.height(*middles.T) + LIFT
        self.outside.say(
            "profile",
            points=np.column_stack([self.points, height + LIFT]).round(2),
            line=np.hstack([line[:-1], line[1:]]).round(1).ravel(),
            troubled=np.hstack([line[:-1], line[1:]])[profile.trouble[:-1] != 0].round(1).ravel(),
            obstacles=np.column_stack([middles, top]).round(2),
            rings=self._rings().round(1).ravel(),
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
        around = scenery(self.terrain, [self.kept])
        return self.kept.recording(self.where.vehicle, {"scene": self.name, **around})

    def _checked(self, given: object) -> np.ndarray:
        return self._pairs(given, 3, MOST_POINTS, "points")

    def _pairs(self, given: object, least: int, most: int, what: str) -> np.ndarray:
        """Places on the map (n, 2)."""
        try:
            points = np.array(given, dtype=float)
        except (TypeError, ValueError) as error:
            raise BadInput(what, None, "must be pairs of numbers") from error
        if points.ndim != 2 or points.shape[1] != 2 or not least <= len(points) <= most:
            many = f"{least}" if least == most else f"{least} to {most}"
            raise BadInput(what, points.shape, f"must be {many} pairs of numbers")
        if not np.isfinite(points).all():
            raise BadInput(what, None, "must be finite numbers")
        x0, y0, x1, y1 = self.where.terrain.extent
        return np.column_stack([points[:, 0].clip(x0, x1), points[:, 1].clip(y0, y1)])


def _written(text: object) -> list[list[float]]:
    """Places as a link holds them: x,y;x,y;…"""
    try:
        return [[float(value) for value in pair.split(",")] for pair in str(text).split(";")]
    except ValueError as error:
        raise BadInput("places", str(text)[:40], "must be x,y;x,y;…") from error


def _middle(region: Region) -> np.ndarray:
    middle: np.ndarray = np.mean(region.corners, axis=0)
    return middle


def _moved(region: Region, middle: np.ndarray) -> Region:
    """The region with its corners' mean elsewhere."""
    corners = np.array(region.corners) + (middle - _middle(region))
    return Region(tuple((float(x), float(y)) for x, y in corners), region.mobility)
