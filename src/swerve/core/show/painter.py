"""Painting frames of a recording seen from above.

Frames are painted straight with Matplotlib's Agg renderer, one compound path for all bodies of a colour:
a frame costs a few milliseconds, where redrawing a figure would cost fifty.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .figures import ACCENT, INK, PAPER, round_length
from .frames import PRESENT, SLIDE_ANGLE, sideslip
from .sprites import AMBER, BLUE, RED, Part, sprites
from .view import AREA_COLOURS, LINE_COLOURS, OTHER_AREA, OTHER_LINE, View

TRAIL = 3.0  # [s] length of the fading trails
GROUND_LINES = "#ebe8df"


class Painter:
    """Paints the frames of one view, in order of time.

    A still camera lets everything that does not change, tyre marks included, gather in one background.
    """

    def __init__(self, view: View, title: str, pixels: int, following: bool):
        from matplotlib.backends.backend_agg import RendererAgg
        from matplotlib.font_manager import FontProperties

        self.view, self.title = view, title
        self.group = None if following else view.group_size()  # [m]
        self.following = following = following or self.group is not None
        x0, y0, x1, y1 = view.bounds()
        wide = 16 / 9 if following else float(np.clip((x1 - x0) / (y1 - y0), 0.6, 2.2))
        self.size = (2 * round(np.sqrt(pixels * wide) / 2), 2 * round(np.sqrt(pixels / wide) / 2))
        self.renderer: Any = RendererAgg(*self.size, 72)  # at 72 dpi a point is a pixel
        self.text = self.size[1] / 36 if wide > 1 else self.size[0] / 36
        self.fonts = [FontProperties(size=self.text), FontProperties(size=self.text, weight="bold")]
        top, bottom = 2.6 * self.text, 2.2 * self.text
        lengths = [body.length for body in view.bodies]
        self.unit = float(np.median(lengths)) / 4.5  # [m] a metre in a scene of cars
        if self.group is not None:
            self.scale = 0.8 * self.size[1] / self.group
        elif following:
            self.scale = self.size[0] / max(14.0 * lengths[view.followed], 1e-6)
        else:
            self.scale = min(self.size[0] / (x1 - x0), (self.size[1] - top - bottom) / (y1 - y0))
        self.shift = (bottom - top) / 2
        self.eye = np.array([(x0 + x1) / 2, (y0 + y1) / 2])
        self.parts = sprites(view.bodies, least=9.0 / self.scale)
        self.trails, self.marks = _segments(view)
        self.marked = 0  # so many marks are in the background already
        self._paint_scene()
        self.background = self._copy()

    def paint(self, t: float) -> np.ndarray:
        """The frame at `t`: (height, width, 4) bytes, overwritten by the next call."""
        states = self.view.at(t)
        if self.following:
            self.eye = self._followed(states)
            self.marked = 0
            self._paint_scene()
        else:
            self.renderer.restore_region(self.background)
        if self._paint_marks(t) and not self.following:
            self.background = self._copy()
        self._paint_trails(t)
        turned = np.exp(1j * states["heading"])
        for part in self.parts:
            self._paint_part(part, states, turned)
        if self.following:
            self._paint_frame()
        self._paint_words(t, states)
        return np.asarray(self.renderer.buffer_rgba())

    def _followed(self, states: dict[str, np.ndarray]) -> np.ndarray:
        """Where the camera is to be: at the followed body, or in the middle of the group."""
        places = np.array([states["x"], states["y"]])
        if self.group is None:
            return places[:, self.view.followed]
        seen = places[:, states["flags"] & PRESENT > 0]
        return (seen.min(axis=1) + seen.max(axis=1)) / 2 if seen.size else self.eye

    def _copy(self) -> Any:
        from matplotlib.transforms import Bbox

        return self.renderer.copy_from_bbox(Bbox([[0, 0], self.size]))

    def _screen(self, points: np.ndarray) -> np.ndarray:
        """World (..., 2) [m] to pixels from the lower left corner."""
        middle = np.array([self.size[0] / 2, self.size[1] / 2 + self.shift])
        return (points - self.eye) * self.scale + middle

    def _paint_scene(self) -> None:
        self.renderer.clear()
        width, height = self.size
        self._draw(np.array([[[0, 0], [width, 0], [width, height], [0, height]]], float), fill=PAPER)
        if not self.view.areas:
            self._draw(self._squares(), edge=GROUND_LINES, width=1.0)
        for area in self.view.areas:
            self._draw(self._screen(area.points)[None], fill=AREA_COLOURS.get(area.role, OTHER_AREA))
        metre = self.scale * self.unit
        for line in self.view.lines:
            points = self._screen(line.points)[None]
            colour = LINE_COLOURS.get(line.role, OTHER_LINE)
            if line.role == "finish":
                size = max(5.0, 0.8 * metre)
                self._draw(points, edge="#ffffff", width=size)
                self._draw(points, edge=INK, width=size / 2, dashes=[size / 2, size / 2])
            elif line.role == "centre":
                self._draw(points, edge=colour, width=max(1.2, 0.14 * metre), dashes=[3 * metre, 4.5 * metre])
            elif line.role == "path":
                self._draw(points, edge=colour, width=1.6, dashes=[7.0, 5.0])
            elif line.role == "wall":
                self._draw(points, edge=colour, width=max(1.8, 0.3 * metre))
            else:
                self._draw(points, edge=colour, width=max(1.0, 0.08 * metre))
        if not self.following:
            self._paint_frame()

    def _squares(self) -> np.ndarray:
        """Lines (n, 2, 2) in pixels that rule open ground, so that motion over it can be seen."""
        step = round_length(self.size[0] / 8 / self.scale)
        half = np.array(self.size) / self.scale
        low, high = self.eye - half, self.eye + half
        rules = []
        for axis in (0, 1):
            at = np.arange(np.ceil(low[axis] / step), high[axis] / step) * step
            ends = np.empty((len(at), 2, 2))
            ends[:, :, axis] = at[:, None]
            ends[:, :, 1 - axis] = low[1 - axis], high[1 - axis]
            rules.append(ends)
        return self._screen(np.vstack(rules))

    def _paint_marks(self, t: float) -> bool:
        """Add the tyre marks made since the last frame; whether there were any."""
        marks, made, _ = self.marks
        upto = int(np.searchsorted(made, t, side="right"))
        fresh = marks[self.marked : upto].reshape(-1, 2, 2)
        self.marked = upto
        self._draw(self._screen(fresh), edge=INK, width=max(1.1, 0.24 * self.unit * self.scale), alpha=0.4)
        return len(fresh) > 0

    def _paint_trails(self, t: float) -> None:
        segments, times, colours = self.trails
        young = slice(*np.searchsorted(times, [t - TRAIL, t], side="right"))
        ages = ((t - times[young]) / TRAIL * 5).astype(int)
        width = max(1.4, 0.5 * self.unit * self.scale)
        for colour in np.unique(colours[young]):
            for age in range(5):
                chosen = segments[young][(colours[young] == colour) & (ages == age)]
                self._draw(self._screen(chosen), edge=str(colour), width=width, alpha=0.4 * (1 - age / 5))

    def _paint_part(self, part: Part, states: dict[str, np.ndarray], turned: np.ndarray) -> None:
        flags = states["flags"][part.bodies]
        shown = (flags & PRESENT > 0) & ((flags & part.when > 0) | (part.when == 0))
        bodies = part.bodies[shown]
        local = part.outlines[shown] @ np.array([1, 1j])
        world = local * turned[bodies, None] + (states["x"] + 1j * states["y"])[bodies, None]
        points = self._screen(np.stack([world.real, world.imag], -1))
        edge = part.edge if np.ptp(part.outlines[0], axis=0).min() * self.scale > 7 else ""
        self._draw(points, fill=part.fill, edge=edge, width=0.8 if edge else 0.0, alpha=part.alpha)

    def _paint_frame(self) -> None:
        """The title above, on a band of its own, and a scale bar below."""
        width, height = self.size
        low = height - 2.3 * self.text
        self._draw(np.array([[[0, low], [width, low], [width, height], [0, height]]]), fill=PAPER, alpha=0.85)
        left, base = 0.8 * self.text, 0.8 * self.text
        self._write(left, 1.6 * self.text, self.title, bold=True)
        metres = round_length(0.15 * width / self.scale)
        self._draw(np.array([[[left, base], [left + metres * self.scale, base]]]), edge=INK, width=2)
        self._write(left, height - base - 5, f"{metres:g} m")

    def _paint_words(self, t: float, states: dict[str, np.ndarray]) -> None:
        """The clock and what the followed body does, from the right."""
        right, base = self.size[0] - 0.8 * self.text, 1.6 * self.text
        i = self.view.followed
        if self.view.ego is not None and states["flags"][i] & PRESENT:
            vx, vy = states["vx"][i], states["vy"][i]
            slip = float(sideslip(states["heading"][i], vx, vy))
            speed = float(np.hypot(vx, vy))
            if not self.view.bodies[i].is_round:
                right -= 4.6 * self.text
                colour = ACCENT if abs(slip) > SLIDE_ANGLE else INK
                self._write(right, base, f"slip {round(np.degrees(slip))}°".replace("-", "−"), colour=colour)
            right -= 9.6 * self.text
            self._write(right, base, f"{speed:.1f} m/s  {3.6 * speed:.0f} km/h")
        self._write(right - 4.2 * self.text, base, f"{t:.1f} s", bold=True)

    def _write(self, x: float, y: float, words: str, bold: bool = False, colour: str = INK) -> None:
        from matplotlib.colors import to_rgba

        pen = self.renderer.new_gc()
        pen.set_foreground(to_rgba(colour), isRGBA=True)
        self.renderer.draw_text(pen, x, y, words, self.fonts[bold], 0.0)

    def _draw(
        self,
        polygons: np.ndarray,
        fill: str = "",
        edge: str = "",
        width: float = 0.0,
        alpha: float = 1.0,
        dashes: list[float] | None = None,
    ) -> None:
        """Fill or stroke `polygons` (n, v, 2) in pixels as one path; those wholly outside are left out."""
        from matplotlib.colors import to_rgba
        from matplotlib.path import Path as Outline
        from matplotlib.transforms import IdentityTransform

        if len(polygons) == 0:
            return
        low, high = polygons.min(1), polygons.max(1)
        polygons = polygons[np.all((high > -9) & (low < np.array(self.size) + 9), axis=1)]
        if len(polygons) == 0:
            return
        codes = np.full(polygons.shape[:2], Outline.LINETO, dtype=Outline.code_type)
        codes[:, 0] = Outline.MOVETO
        pen = self.renderer.new_gc()
        pen.set_foreground(to_rgba(edge or fill), isRGBA=True)
        pen.set_alpha(alpha)
        pen.set_linewidth(width)
        pen.set_capstyle("butt")
        if dashes:
            pen.set_dashes(0, dashes)
        outline = Outline(polygons.reshape(-1, 2), codes.ravel())
        self.renderer.draw_path(pen, outline, IdentityTransform(), to_rgba(fill, alpha) if fill else None)


def _segments(view: View) -> tuple[Any, Any]:
    """Trails (n, 2, 2) and pairs of tyre marks (m, 4, 2) [m], with their times and colours, in order of time.

    Steps are longer where there are many bodies.
    """
    step = -(-len(view.bodies) // 60)
    breaks = np.concatenate([np.zeros((len(view.bodies), 1)), np.cumsum(~view.joined(), axis=1)], axis=1)[
        :, ::step
    ]
    moving = np.array([[body.shape != "block"] for body in view.bodies])
    joined = (np.diff(breaks, axis=1) == 0) & moving
    slides = view.sliding[:, ::step]
    place = (view.x + 1j * view.y)[:, ::step]
    ahead = np.exp(1j * view.heading[:, ::step])
    back = np.array([[0.32 * b.length if b.shape == "vehicle" else 0.0] for b in view.bodies])
    track = np.array([[0.4 * b.width if b.width > 1 else 0.0] for b in view.bodies])
    left, right = (place + (side * track * 1j - back) * ahead for side in (1, -1))
    times = np.broadcast_to(view.times[::step][1:], joined.shape)
    colours = np.broadcast_to(np.array([[body.colour] for body in view.bodies]), joined.shape)

    def pick(wanted: np.ndarray, *ways: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        points = np.stack([end[wanted] for way in ways for end in (way[:, :-1], way[:, 1:])], -1)
        order = np.argsort(times[wanted], kind="stable")
        shaped = np.stack([points.real, points.imag], -1)[order]
        return shaped, times[wanted][order], colours[wanted][order]

    return pick(joined & ~slides[:, 1:], place), pick(joined & slides[:, 1:] & slides[:, :-1], left, right)


def palette(view: View) -> np.ndarray:
    """(n, 3) bytes, n up to 256: everything painted, mixed with everything it may lie on."""
    from matplotlib.colors import to_rgb

    grounds = [PAPER, *(AREA_COLOURS.get(area.role, OTHER_AREA) for area in view.areas)]
    things = [INK, "#ffffff", GROUND_LINES, *(body.colour for body in view.bodies), RED, AMBER, BLUE]
    things += [LINE_COLOURS.get(line.role, OTHER_LINE) for line in view.lines]
    under, over = (np.array([to_rgb(c) for c in dict.fromkeys(some)]) for some in (grounds, things))
    shares = np.array([1.0, 0.5, 0.25, 0.75, 0.12, 0.38])[:, None, None, None]
    mixed = (shares * over[:, None] + (1 - shares) * under).reshape(-1, 3)
    return np.round(255 * np.vstack([under, mixed])[:256]).astype(np.uint8)
