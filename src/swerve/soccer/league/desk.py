"""Packets of the simulation protocol in, answers out; no socket in sight.

Whatever comes in is answered or dropped, never raised: what cannot be read, is not a number, lies outside
all bounds, or asks for what this simulator does not do gets an error with a code in the answer, and the
rest of the packet is done all the same.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Any

import numpy as np

from swerve.core.errors import BadInput

from .messages import message, parse
from .simulator import HEADING, NUMBER, TEAM, TOUCHES, Order, Simulator, X

MOST = 64  # robots in one packet that are looked at
FAR, FAST, SPINNING = 50.0, 20.0, 100.0  # [m], [m/s], [rad/s] beyond which a number is a mistake
SLOWEST, FASTEST = 0.0, 20.0  # of simulated time
HOLD = 0.5  # [s] after which a robot that is told nothing more stops
_TEAMS = {2: 0, 1: 1}  # the league's numbers of blue and yellow


class Desk:
    """One simulator's. `speed` is how fast its time shall pass, `vision_port` where pictures shall go, which
    is none of those that are `listened` on."""

    def __init__(self, simulator: Simulator):
        self.simulator = simulator
        self.listened: Collection[int] = ()
        self.speed = 1.0
        self.vision_port: int | None = None
        self._told: dict[tuple[int, int], float] = {}
        self._orders: dict[tuple[int, int], Order] = {}  # what is not said anew stays as it is

    def control(self, data: bytes) -> bytes:
        """A SimulatorCommand; gives a SimulatorResponse."""
        answer = message("SimulatorResponse")()
        try:
            read = parse("SimulatorCommand", data)
        except BadInput as error:
            _complain(answer, "INVALID_MESSAGE", str(error))
            return bytes(answer.SerializeToString())
        if read.HasField("control"):
            self._control(read.control, answer)
        if read.HasField("config"):
            self._configure(read.config, answer)
        return bytes(answer.SerializeToString())

    def robots(self, team: int, data: bytes) -> bytes:
        """A RobotControl for a team (0 blue, 1 yellow); gives a RobotControlResponse."""
        answer = message("RobotControlResponse")()
        try:
            read = parse("RobotControl", data)
        except BadInput as error:
            _complain(answer, "INVALID_MESSAGE", str(error))
            return bytes(answer.SerializeToString())
        here = {int(row[NUMBER]): row for row in self.simulator.robots() if int(row[TEAM]) == team}
        if len(read.robot_commands) > MOST:
            _complain(answer, "TOO_MANY", f"only {MOST} robot commands of a packet are looked at")
        for command in read.robot_commands[:MOST]:
            if command.id not in here:
                _complain(answer, "UNKNOWN_ROBOT", f"robot {command.id} is not on the field")
                continue
            key = team, int(command.id)
            order = self._order(command, self._orders.get(key, Order()), answer)
            if order is not None:
                self._told[key], self._orders[key] = self.simulator.time, order
                undone = self.simulator.order(*key, order)
                if undone is not None:
                    _complain(answer, "UNSUPPORTED", f"robot {command.id}: {undone}")
        for number, row in sorted(here.items()):
            answer.feedback.add(id=number, dribbler_ball_contact=bool(row[TOUCHES]))
        return bytes(answer.SerializeToString())

    def step(self, dt: float) -> None:
        """Let time pass; robots that nobody speaks to any more stop."""
        for key, at in list(self._told.items()):
            if self.simulator.time - at > HOLD:
                del self._told[key]
                self._orders.pop(key, None)
                self.simulator.order(*key, Order())
        self.simulator.step(dt)

    def _order(self, command: Any, before: Order, answer: Any) -> Order | None:
        wanted, in_field = (before.vx, before.vy, before.spin), before.in_field
        move = command.move_command
        kind = move.WhichOneof("command") if command.HasField("move_command") else None
        if kind == "wheel_velocity":
            _complain(answer, "UNSUPPORTED", "wheel velocities: send local or global velocities")
            return None
        if kind == "local_velocity":
            local = move.local_velocity
            wanted, in_field = (local.forward, local.left, local.angular), False
        elif kind == "global_velocity":
            wanted = (move.global_velocity.x, move.global_velocity.y, move.global_velocity.angular)
            in_field = True
        kick = command.kick_speed if command.HasField("kick_speed") else before.kick
        angle = math.radians(command.kick_angle) if command.HasField("kick_angle") else before.angle
        dribble = command.dribbler_speed > 0 if command.HasField("dribbler_speed") else before.dribble
        numbers = (*wanted, kick, angle, command.dribbler_speed)
        if not all(math.isfinite(number) for number in numbers):
            _complain(answer, "OUT_OF_RANGE", f"robot {command.id}: a number is not finite")
            return None
        if math.hypot(*wanted[:2]) > FAST or abs(wanted[2]) > SPINNING or not 0 <= kick <= FAST:
            _complain(answer, "OUT_OF_RANGE", f"robot {command.id}: a speed is beyond all bounds")
            return None
        if not 0 <= angle <= math.pi / 2:
            _complain(answer, "OUT_OF_RANGE", f"robot {command.id}: the kick's angle must be 0 to 90 degrees")
            return None
        return Order(*wanted, in_field, kick, angle, dribble)

    def _control(self, control: Any, answer: Any) -> None:
        if control.HasField("teleport_ball"):
            self._teleport_ball(control.teleport_ball, answer)
        if len(control.teleport_robot) > MOST:
            _complain(answer, "TOO_MANY", f"only {MOST} robots of a packet are looked at")
        for robot in control.teleport_robot[:MOST]:
            self._teleport_robot(robot, answer)
        if control.HasField("simulation_speed"):
            speed = control.simulation_speed
            if math.isfinite(speed) and SLOWEST <= speed <= FASTEST:
                self.speed = float(speed)
            else:
                _complain(answer, "OUT_OF_RANGE", f"simulation_speed must be {SLOWEST:g} to {FASTEST:g}")

    def _teleport_ball(self, wish: Any, answer: Any) -> None:
        if wish.by_force:
            _complain(answer, "UNSUPPORTED", "by_force: the ball is put where it shall be at once")
        for name in ("teleport_safely", "roll"):
            if getattr(wish, name):
                _complain(answer, "UNSUPPORTED", f"{name}: the ball is put where it shall be, without spin")
        ball = self.simulator.ball().copy()
        given = False
        for k, name in enumerate(("x", "y", "z", "vx", "vy", "vz")):
            if wish.HasField(name):
                ball[k] = getattr(wish, name)
                given = True
        if not given:
            return
        if not _within(ball[:3], FAR) or not _within(ball[3:], FAST) or ball[2] < 0:
            _complain(answer, "OUT_OF_RANGE", "teleport_ball: a number is beyond all bounds")
            return
        why_not = self.simulator.place_ball(ball)
        if why_not is not None:
            _complain(answer, "UNSUPPORTED", f"teleport_ball: {why_not}")

    def _teleport_robot(self, wish: Any, answer: Any) -> None:
        team = _TEAMS.get(wish.id.team)
        if team is None or not wish.id.HasField("id") or wish.id.id > 15:
            _complain(answer, "UNKNOWN_ROBOT", "teleport_robot: needs a team and a number from 0 to 15")
            return
        if wish.by_force:
            _complain(answer, "UNSUPPORTED", "by_force: robots are put where they shall be at once")
        number = int(wish.id.id)
        if wish.HasField("present") and not wish.present:
            if self.simulator.place_robot(team, number, None, np.zeros(3)):
                self._told.pop((team, number), None)
                self._orders.pop((team, number), None)
            else:
                _complain(answer, "UNSUPPORTED", f"robot {number} cannot be taken off here")
            return
        known = [row for row in self.simulator.robots() if row[TEAM] == team and row[NUMBER] == number]
        if not known and not (wish.HasField("present") and wish.present):
            _complain(answer, "UNKNOWN_ROBOT", f"robot {number} is not on the field; set present to add it")
            return
        pose = known[0][X : HEADING + 1].copy() if known else np.zeros(3)
        for k, name in enumerate(("x", "y", "orientation")):
            if wish.HasField(name):
                pose[k] = getattr(wish, name)
        velocity = np.array([wish.v_x, wish.v_y, wish.v_angular])
        fits = _within(pose[:2], FAR) and _within(pose[2:], 1000.0)
        if not fits or not _within(velocity[:2], FAST) or not _within(velocity[2:], SPINNING):
            _complain(answer, "OUT_OF_RANGE", f"teleport_robot {number}: a number is beyond all bounds")
            return
        if not self.simulator.place_robot(team, number, pose, velocity):
            _complain(answer, "UNSUPPORTED", f"robot {number} cannot be put there in this simulator")

    def _configure(self, config: Any, answer: Any) -> None:
        for name in ("geometry", "realism_config"):
            if config.HasField(name):
                _complain(answer, "UNSUPPORTED", f"{name}: this simulator keeps its own")
        if config.robot_specs:
            _complain(answer, "UNSUPPORTED", "robot_specs: all robots are alike here")
        if config.HasField("vision_port"):
            if 1024 <= config.vision_port <= 65535 and config.vision_port not in self.listened:
                self.vision_port = int(config.vision_port)
            else:
                why = "vision_port must be 1024 to 65535, and none that is listened on"
                _complain(answer, "OUT_OF_RANGE", why)


def _within(values: np.ndarray, most: float) -> bool:
    return bool(np.isfinite(values).all() and (np.abs(values) <= most).all())


def _complain(answer: Any, code: str, words: str) -> None:
    if len(answer.errors) < MOST:
        answer.errors.add(code=code, message=words[:200])
