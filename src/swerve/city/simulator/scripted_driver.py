"""A driver in code: keeps the lane and a gap, stops at red lights, and reacts late, as people do.

Useful to try a scenario out before anyone sits down, and as a subject whose reaction time is known.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field, replace

import numpy as np

from swerve.core.errors import require

from ..roads.roads import Roads
from .platform import Inputs
from .sight import Sight

SHORTEST_PREVIEW = 5.0  # [m]
PREVIEW = 0.9  # [s]
BEND_SIDE = 2.0  # [m/s²] accepted in bends
BEND_BRAKING = 1.5  # [m/s²] with which a bend is approached
STANDING_GAP = 2.5  # [m]
LINE_GAP = 1.5  # [m] before a stop line
HARD = 1.0  # [m/s²] of someone's braking that is taken seriously
CLOSE = 3.0  # [s] within which a brake light brings the foot over to the brake
FOOT_OVER = 0.8  # [m/s²] of braking then
TOO_LATE = 6.0  # [m/s²] if a stop would need more, the driver goes on
FEET_OFF = 0.35  # [m/s²] of wished braking below which the feet rest


@dataclass
class ScriptedDriver:
    """Steers at once, but acts on lights and on whoever is ahead `reaction` seconds after seeing them.

    `speed` [m/s] is at most the limit; `headway` [s]; `acceleration`, `braking` [m/s²] are what it finds
    comfortable; `full_throttle`, `full_brake` [m/s²] what its pedals do; `max_steer` [rad], `wheelbase` and
    `middle` [m] are the car's.
    """

    roads: Roads
    speed: float = 14.0
    reaction: float = 1.0
    headway: float = 1.5
    acceleration: float = 1.5
    braking: float = 2.0
    full_throttle: float = 3.0
    full_brake: float = 8.5
    max_steer: float = 0.6
    wheelbase: float = 2.75
    middle: float = 1.35
    _seen: deque[Sight] = field(default_factory=deque, repr=False)

    def __post_init__(self) -> None:
        require(0.0 <= self.reaction <= 5.0, "reaction", self.reaction, "must be between 0 and 5 s")
        require(self.speed > 0.0, "speed", self.speed, "must be positive")

    def afresh(self) -> ScriptedDriver:
        """The same driver, who has seen nothing yet."""
        return replace(self, _seen=deque())

    def __call__(self, sight: Sight) -> Inputs:
        self._seen.append(sight)
        while len(self._seen) > 1 and self._seen[1].time <= sight.time - self.reaction + 1e-9:
            self._seen.popleft()
        if sight.strip < 0:
            return Inputs(brake=0.5)
        wish = min(self._free(sight), self._behind(self._seen[0], sight), self._at_line(self._seen[0], sight))
        steer = self._steer(sight)
        if wish >= 0:
            return Inputs(steer, throttle=min(1.0, wish / self.full_throttle))
        if wish > -FEET_OFF:
            return Inputs(steer)
        return Inputs(steer, brake=min(1.0, -wish / self.full_brake))

    def _free(self, sight: Sight) -> float:
        """Wished acceleration [m/s²] with nobody about: own speed, limit, bends."""
        wanted = min(self.speed, sight.limit)
        begin = -sight.station
        for strip in sight.way[:4]:
            points = slice(self.roads.first[strip], self.roads.first[strip + 1])
            ahead = begin + self.roads.station[points]
            bend = BEND_SIDE / np.maximum(np.abs(self.roads.curvature[points]), 1e-4)
            can = np.sqrt(bend + 2 * BEND_BRAKING * ahead.clip(0.0))
            wanted = min(wanted, float(np.where(ahead > -3.0, can, np.inf).min()))
            slower = float(self.roads.limit[strip])
            wanted = min(wanted, float(np.sqrt(slower**2 + 2 * BEND_BRAKING * max(0.0, begin))))
            begin += float(self.roads.length[strip])
        share = sight.speed / max(wanted, 0.1)
        return self.acceleration * (1.0 - share**4) if share < 1 else max(-3.0, 1.5 * (wanted - sight.speed))

    def _behind(self, seen: Sight, now: Sight) -> float:
        """Wished acceleration [m/s²] behind whoever was ahead when the driver last took it in.

        What was seen is carried on to the present: the other went on as it did, the own way is known.
        """
        if not np.isfinite(seen.gap):
            return np.inf
        slowing, since = self._leader_slows(seen), now.time - seen.time
        leader = max(0.0, seen.leader_speed - slowing * since)
        gap = seen.gap + 0.5 * (seen.leader_speed + leader) * since - 0.5 * (seen.speed + now.speed) * since
        comfort = 2 * np.sqrt(self.acceleration * self.braking)
        ideal = STANDING_GAP + max(0.0, now.speed * (self.headway + (now.speed - leader) / comfort))
        wish = self.acceleration * (1.0 - (ideal / max(gap, 0.5)) ** 2)
        if slowing > HARD:
            room = gap - STANDING_GAP + leader * leader / (2 * slowing)
            wish = min(wish, -(now.speed**2) / (2 * max(room, 0.5)))
        if seen.leader_brakes and gap < CLOSE * now.speed:
            wish = min(wish, -FOOT_OVER)
        return wish

    def _leader_slows(self, seen: Sight) -> float:
        """Deceleration [m/s²] of whoever is ahead, from two looks."""
        if len(self._seen) < 2 or self._seen[1].leader != seen.leader or seen.leader < 0:
            return 0.0
        later = self._seen[1]
        return max(0.0, (seen.leader_speed - later.leader_speed) / max(later.time - seen.time, 1e-3))

    def _at_line(self, seen: Sight, now: Sight) -> float:
        """Wished acceleration [m/s²] before a red light and before people on a crosswalk."""
        left = now.stop_line if seen.light_is_red else np.inf
        left = min(left, now.crosswalk if np.isfinite(seen.crosswalk) else np.inf) - LINE_GAP
        if not np.isfinite(left):
            return np.inf
        need = now.speed**2 / (2 * max(left, 0.1))
        if left < -1.0 or need > TOO_LATE:
            return np.inf
        return -need if need > 0.8 * self.braking or left < 3.0 else np.inf

    def _steer(self, sight: Sight) -> float:
        """Share of the full wheel towards a point of the way some seconds ahead."""
        target = sight.station + max(SHORTEST_PREVIEW, PREVIEW * sight.speed)
        strip, begin = sight.way[0], 0.0
        for strip in sight.way:
            if target <= begin + self.roads.length[strip] or strip == sight.way[-1]:
                break
            begin += float(self.roads.length[strip])
        x, y, _ = self.roads.place(np.array([strip]), np.array([target - begin]))
        rear_x = sight.x - self.middle * np.cos(sight.heading)
        rear_y = sight.y - self.middle * np.sin(sight.heading)
        dx, dy = float(x[0]) - rear_x, float(y[0]) - rear_y
        aside = -dx * np.sin(sight.heading) + dy * np.cos(sight.heading)
        angle = np.arctan(2 * self.wheelbase * aside / max(dx * dx + dy * dy, 1.0))
        return float(np.clip(angle / self.max_steer, -1.0, 1.0))
