"""How high a ball is, from where cameras see it against the ground.

A camera at height H above the ball's plane, over the place C, that sees a ball at g on the ground has it
somewhere on a ray: at height z it is at g − (g − C)·z/H. In flight z = w·t − G·t²/2 and the place is p + v·t,
so what is seen is linear in v and w, and a few frames after a kick give both by least squares. They are
believed if they fit clearly better than a ball that stays on the ground.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .camera import Camera
from .detect import Detection
from .pattern import BALL_RADIUS

GRAVITY, SLIDING = 9.81, 3.0  # [m/s²]
KICK = 1.2  # [m/s] by which a velocity must change at once to be that of a kick
LEAST, MOST = 4, 10  # frames after which a flight can be told, and after which it was none
CLEARLY = 0.25  # share of the error on the ground that a flight may have
EXACTLY = 0.004  # [m] that it may have in any case
STILL = 2.0  # times as much, of a flight that goes on
NEAR, ASTRAY = (
    0.06,
    2,
)  # [m] from where it should be within which it is seen; frames without, that end a flight
HIDDEN = 8  # frames that a ball which nobody sees flies on for
SLOWEST, FASTEST = 0.7, 5.0  # [m/s] upwards of a chip, which goes up at half a right angle or so:
FLATTEST, STEEPEST = 3.0, 0.4  # how many times as fast it goes along the ground, at most and at least
ASIDE = 0.1  # [m] beside where the ball was seen before it, from which a chip may come
HIGHEST = 1.4  # [m] that a ball can be
BOUNCE = 0.5  # of what is left upwards
STARTS = np.linspace(0.0, 1.0, 5)  # shares of a frame after which the kick came
MEET, ABOVE = 0.012, 0.06  # [m] within which rays of several cameras meet; height of a ball in the air
ORIGIN = 0.1  # weight of where the ball was before a kick, beside where it was after it
SURE = 0.3  # confidence of balls that are looked at


@dataclass(frozen=True)
class Ray:
    """What one camera saw: the place against the ground, and its own place and height."""

    t: float
    seen: np.ndarray
    over: np.ndarray
    height: float


def rays_of(detections: Sequence[Detection], cameras: Sequence[Camera], t: float) -> list[Ray]:
    """The surest ball of every camera."""
    found = []
    for detection, camera in zip(detections, cameras, strict=True):
        if len(detection.balls) and detection.balls[0, 2] > SURE:
            place = camera.place
            found.append(Ray(t, detection.balls[0, :2].copy(), place[:2], place[2] - BALL_RADIUS))
    return found


class Flight:
    """Follows the ball from frame to frame. `height` [m] is how high it is now, 0 on the ground."""

    def __init__(self, frame: float):
        self.frame = frame
        self.t, self.height = 0.0, 0.0
        self.last: np.ndarray | None = None  # where it was seen in the frame before
        self.velocity = np.zeros(2)
        self.origin: np.ndarray | None = None  # where a kick came from, if there was one
        self.began = 0.0
        self.rays: list[Ray] = []
        self.points: list[tuple[float, np.ndarray]] = []  # where several cameras saw it in the air
        self.hidden = 0  # frames since anybody saw it
        self.astray = 0  # frames in which it was not where it should be
        self.flying: np.ndarray | None = None  # velocity (3,) at the beginning of this hop

    def see(self, rays: Sequence[Ray], ground: np.ndarray | None, t: float) -> np.ndarray | None:
        """Where it is (3,) by the rays of a frame and where it would be on the ground, None if not seen."""
        self.t = t
        self.hidden = 0 if ground is not None else self.hidden + 1
        if ground is None:
            self._advance(t)
            if self.hidden > HIDDEN:
                self._land()
            return self._expected(t) if self.flying is not None else None
        crossed = _crossing(rays)
        if crossed is not None:
            if crossed[2] > ABOVE:
                return self._crossed(crossed, t)
            ground = crossed[:2]
            if self.flying is not None:
                self._land()
        self.points = []
        if self.last is not None and self.flying is None:
            velocity = (ground - self.last) / self.frame
            if np.hypot(*(velocity - self.velocity)) > KICK:
                self.origin, self.began, self.rays = self.last.copy(), t - self.frame, []
            self.velocity = velocity
        self.last = ground.copy()
        self._advance(t)
        fits = self._fitting(rays, t)
        if self.flying is not None:
            self.astray = 0 if fits else self.astray + 1
            if self.astray >= ASTRAY:  # it has met somebody
                self._land()
        if self.origin is not None:
            self.rays += fits if self.flying is not None else rays
            self._judge(t)
        if self.flying is None:
            self.height = 0.0
            return np.array([*ground, 0.0])
        at = self._expected(t)
        self.height = float(at[2])
        fits = self._fitting(rays, t)
        if fits:
            at[:2] = _lowered(fits[0], self.height)
        return at

    @property
    def moving(self) -> np.ndarray:
        """Velocity (3,) [m/s] of a ball that flies, not known (NaN) of another."""
        if self.flying is None or self.height <= 0.0:
            return np.full(3, np.nan)
        return self.flying - [0.0, 0.0, GRAVITY * (self.t - self.began)]

    def _crossed(self, at: np.ndarray, t: float) -> np.ndarray:
        """Several cameras tell how high it is; three such frames how it flies on where only one sees it."""
        self.points = [*self.points[-4:], (t, at)]
        self.last, self.height = None, float(at[2])
        self.velocity = np.zeros(2)
        if len(self.points) >= 3:
            times = np.array([one for one, _ in self.points]) - t
            places = np.array([one for _, one in self.points])
            places[:, 2] += 0.5 * GRAVITY * times * times
            (now, velocity), *_ = np.linalg.lstsq(
                np.column_stack([np.ones_like(times), times]), places, rcond=None
            )
            up = float(np.sqrt(velocity[2] ** 2 + 2 * GRAVITY * max(now[2], 0.0)))
            since = (up - velocity[2]) / GRAVITY
            self.flying, self.began = np.array([*velocity[:2], up]), t - since
            self.origin, self.rays, self.astray = now[:2] - since * velocity[:2], [], 0
        return at

    def _fitting(self, rays: Sequence[Ray], t: float) -> list[Ray]:
        """Rays that meet the ball where it should be in flight, the closest first."""
        if self.flying is None:
            return []
        at = self._expected(t)
        off = [float(np.hypot(*(_lowered(ray, at[2]) - at[:2]))) for ray in rays]
        return [rays[k] for k in np.argsort(off) if off[k] < NEAR]

    def _judge(self, t: float) -> None:
        """Whether what was seen since the kick is a flight."""
        frames = round((t - self.began) / self.frame)
        if frames < LEAST or self.origin is None or len(self.rays) < LEAST:
            return
        best, error = None, np.inf
        for start in STARTS if self.flying is None else (0.0,):
            found, off = _fitted(self.rays, self.origin, self.began + start * self.frame)
            if off < error:
                best, error, began = found, off, self.began + start * self.frame
        if self.flying is not None:
            if best is not None and abs(best[2] - self.flying[2]) < 0.5 * abs(self.flying[2]):
                if error > STILL * EXACTLY or error > _on_ground(self.rays, self.began):
                    self._land()
                elif _can_be(best):
                    self.flying = best[:3]
        elif (
            best is not None
            and _can_be(best)
            and error < min(CLEARLY * _on_ground(self.rays, self.began), EXACTLY)
        ):
            self.flying, self.began, self.astray = best[:3], began, 0
            self.origin = self.origin + best[3:]
        elif frames > MOST:
            self._land()

    def _advance(self, t: float) -> None:
        """Land, and bounce off, when it is time."""
        while self.flying is not None and t >= self.began + 2 * self.flying[2] / GRAVITY:
            lasted = 2 * self.flying[2] / GRAVITY
            if self.origin is None or BOUNCE * self.flying[2] < SLOWEST:
                self._land()
                return
            self.origin = self.origin + lasted * self.flying[:2]
            self.began, self.rays = self.began + lasted, []
            self.flying = self.flying * np.array([0.8, 0.8, BOUNCE])

    def _expected(self, t: float) -> np.ndarray:
        assert self.flying is not None and self.origin is not None
        h = t - self.began
        high = max(self.flying[2] * h - 0.5 * GRAVITY * h * h, 0.0)
        return np.array([*(self.origin + h * self.flying[:2]), high])

    def _land(self) -> None:
        self.flying = self.origin = None
        self.rays, self.height = [], 0.0


def _crossing(rays: Sequence[Ray]) -> np.ndarray | None:
    """Where rays of several cameras meet (3,), None if they do not."""
    if len(rays) < 2:
        return None
    rows = np.zeros((len(rays), 2, 3))
    rows[:, 0, 0] = rows[:, 1, 1] = 1.0
    rows[:, :, 2] = [(ray.seen - ray.over) / ray.height for ray in rays]
    right = np.array([ray.seen for ray in rays])
    found, *_ = np.linalg.lstsq(rows.reshape(-1, 3), right.ravel(), rcond=None)
    left = rows.reshape(-1, 3) @ found - right.ravel()
    return found if np.abs(left).max() < MEET and found[2] < HIGHEST else None


def _can_be(found: np.ndarray) -> bool:
    """Whether a chip flies so: velocity (3,), and by how far it began beside where the ball was seen."""
    along, up = float(np.hypot(found[0], found[1])), float(found[2])
    begins = float(np.hypot(found[3], found[4])) < ASIDE
    return begins and SLOWEST < up < FASTEST and STEEPEST * up < along < FLATTEST * up


def _lowered(ray: Ray, height: float) -> np.ndarray:
    """The place (2,) on a ray at some height."""
    return ray.seen - (ray.seen - ray.over) * height / ray.height


def _fitted(rays: Sequence[Ray], origin: np.ndarray, began: float) -> tuple[np.ndarray, float]:
    """The flight that fits best: its velocity and by how far it began beside `origin` (5,), where the ball
    was half hidden, perhaps; and its error [m] (root mean square)."""
    t = np.array([ray.t for ray in rays]) - began
    seen = np.array([ray.seen for ray in rays])
    lean = (seen - np.array([ray.over for ray in rays])) / np.array([ray.height for ray in rays])[:, None]
    rows = np.zeros((len(rays) + 1, 2, 5))
    rows[:-1, 0, 0] = rows[:-1, 1, 1] = t
    rows[:-1, :, 2] = lean * t[:, None]
    rows[:-1, 0, 3] = rows[:-1, 1, 4] = 1.0
    rows[-1, 0, 3] = rows[-1, 1, 4] = ORIGIN
    right = np.zeros((len(rays) + 1, 2))
    right[:-1] = seen - origin + lean * (0.5 * GRAVITY * t * t)[:, None]
    found, *_ = np.linalg.lstsq(rows.reshape(-1, 5), right.ravel(), rcond=None)
    left = rows.reshape(-1, 5) @ found - right.ravel()
    return found, float(np.sqrt(np.mean(left * left)))


def _on_ground(rays: Sequence[Ray], began: float) -> float:
    """Error [m] of the ball that slides on the ground and fits best."""
    t = np.array([ray.t for ray in rays]) - began
    seen = np.array([ray.seen for ray in rays])
    rows = np.column_stack([np.ones(len(t)), t])
    found, *_ = np.linalg.lstsq(rows, seen, rcond=None)
    slows = 0.5 * SLIDING * (t * t)[:, None] * found[1] / max(np.hypot(*found[1]), 1e-9)
    found, *_ = np.linalg.lstsq(rows, seen + slows, rcond=None)
    left = rows @ found - seen - slows
    return float(np.sqrt(np.mean(left * left)))
