"""Packets that a simulator sends: what cameras see, how the field is, what the referee says. Millimetres."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from swerve.core.errors import require
from swerve.core.geometry import wrap

from ..eyes.camera import DOWN, Camera
from ..eyes.detect import Detection
from ..eyes.merge import Sighting
from ..eyes.pattern import BALL_RADIUS, ROBOT_HEIGHT, ROBOT_RADIUS
from ..eyes.pitch import Pitch, pitch_named
from .messages import message, parse
from .simulator import BLUE, HEADING, NUMBER, TEAM, X, Y

DOTS = 4  # of a pattern
_LINES = (
    ("TopTouchLine", 2),
    ("BottomTouchLine", 3),
    ("LeftGoalLine", 4),
    ("RightGoalLine", 5),
    ("HalfwayLine", 6),
    ("CenterLine", 7),
    ("LeftPenaltyStretch", 8),
    ("LeftFieldLeftPenaltyStretch", 10),
    ("LeftFieldRightPenaltyStretch", 11),
    ("RightPenaltyStretch", 9),
    ("RightFieldRightPenaltyStretch", 13),
    ("RightFieldLeftPenaltyStretch", 12),
)  # in the order of Pitch.segments


def detection(
    number: int,
    t: float,
    robots: np.ndarray,
    ball: np.ndarray | None,
    camera: int = 0,
    sent: float | None = None,
) -> bytes:
    """A wrapper packet with one detection frame: `robots` as a simulator has them (n, 9), `ball` (≥ 2,)
    [m], captured at `t` [s] and `sent` then or later."""
    packet = message("SSL_WrapperPacket")()
    frame = packet.detection
    frame.frame_number, frame.camera_id = number & 0xFFFFFFFF, camera
    frame.t_capture, frame.t_sent = t, t if sent is None else sent
    if ball is not None:
        high = 1000 * float(ball[2]) if len(ball) > 2 else 0.0
        frame.balls.add(
            confidence=1.0, x=1000 * float(ball[0]), y=1000 * float(ball[1]), z=high, pixel_x=0.0, pixel_y=0.0
        )
    for row in robots:
        side = frame.robots_blue if row[TEAM] == BLUE else frame.robots_yellow
        side.add(
            confidence=1.0,
            robot_id=int(row[NUMBER]),
            x=1000 * float(row[X]),
            y=1000 * float(row[Y]),
            orientation=_within(float(row[HEADING])),
            pixel_x=0.0,
            pixel_y=0.0,
            height=1000 * ROBOT_HEIGHT,
        )
    return bytes(packet.SerializeToString())


def sighted(number: int, t: float, sighting: Sighting, camera: int = 0) -> bytes:
    """The same for what the eyes saw."""
    rows = [[team, which, *pose] for (team, which), pose in sorted(sighting.robots.items())]
    return detection(number, t, np.array(rows).reshape(-1, 5), sighting.ball, camera)


def of_camera(number: int, t: float, camera: int, seen: Detection) -> bytes:
    """The same for one camera's picture: every ball and robot in it, its pixel, and how sure it is; of a
    robot that is the share of its pattern's dots."""
    packet = message("SSL_WrapperPacket")()
    frame = packet.detection
    frame.frame_number, frame.t_capture, frame.t_sent, frame.camera_id = number & 0xFFFFFFFF, t, t, camera
    for x, y, sure, u, v in seen.balls.tolist():
        frame.balls.add(confidence=sure, x=1000 * x, y=1000 * y, pixel_x=u, pixel_y=v)
    for team, which, x, y, heading, dots, _, u, v in seen.robots.tolist():
        side = frame.robots_blue if team == BLUE else frame.robots_yellow
        place = {
            "x": 1000 * x,
            "y": 1000 * y,
            "orientation": float(wrap(heading)),
            "height": 1000 * ROBOT_HEIGHT,
        }
        side.add(confidence=dots / DOTS, robot_id=int(which), pixel_x=u, pixel_y=v, **place)
    return bytes(packet.SerializeToString())


def _within(heading: float) -> float:
    """The same heading within ±π; π itself stays, also as a packet rounds it."""
    return heading if abs(heading) < np.pi + 1e-6 else float(wrap(heading))


def read_detection(data: bytes) -> tuple[float, Sighting] | None:
    """Time [s] and what is seen [m] in a packet of SSL-Vision, None if it carries none. How sure a ball is
    lies between 0 and 1, and is NaN where a packet tells no number."""
    packet = parse("SSL_WrapperPacket", data)
    if not packet.HasField("detection"):
        return None
    robots: dict[tuple[int, int], np.ndarray] = {}
    for team, side in enumerate((packet.detection.robots_blue, packet.detection.robots_yellow)):
        for one in side:
            if one.HasField("robot_id") and one.robot_id < 16:
                robots[team, int(one.robot_id)] = np.array([one.x / 1000, one.y / 1000, one.orientation])
    surest = max(packet.detection.balls, key=lambda ball: ball.confidence, default=None)
    ball = None if surest is None else np.array([surest.x / 1000, surest.y / 1000])
    sure = 0.0 if surest is None else min(max(float(surest.confidence), 0.0), 1.0)
    if not all(np.isfinite(one.confidence) for one in packet.detection.balls):
        sure = float("nan")
    return float(packet.detection.t_capture), Sighting(robots, ball, int(packet.detection.camera_id), sure)


def read_geometry(data: bytes) -> Pitch | None:
    """The field [m] in a packet of SSL-Vision, None if it carries none."""
    packet = parse("SSL_WrapperPacket", data)
    if not packet.HasField("geometry"):
        return None
    size = packet.geometry.field
    plain = pitch_named("division-b")  # for what a packet may leave out

    def metres(name: str, otherwise: float) -> float:
        return getattr(size, name) / 1000 if size.HasField(name) else otherwise

    return Pitch(
        "told",
        metres("field_length", plain.length),
        metres("field_width", plain.width),
        metres("boundary_width", plain.margin),
        metres("line_thickness", plain.line),
        metres("center_circle_radius", plain.circle),
        metres("penalty_area_depth", plain.area_depth),
        metres("penalty_area_width", plain.area_width),
        metres("goal_width", plain.goal_width),
        metres("goal_depth", plain.goal_depth),
    )


def geometry(pitch: Pitch, cameras: Sequence[Camera] = ()) -> bytes:
    """A wrapper packet with the field's sizes and lines, and the cameras."""
    packet = message("SSL_WrapperPacket")()
    size = packet.geometry.field
    size.field_length, size.field_width = _mm(pitch.length), _mm(pitch.width)
    size.goal_width, size.goal_depth = _mm(pitch.goal_width), _mm(pitch.goal_depth)
    size.boundary_width, size.line_thickness = _mm(pitch.margin), _mm(pitch.line)
    size.penalty_area_depth, size.penalty_area_width = _mm(pitch.area_depth), _mm(pitch.area_width)
    size.center_circle_radius = _mm(pitch.circle)
    size.ball_radius, size.max_robot_radius = 1000 * BALL_RADIUS, 1000 * ROBOT_RADIUS
    for (name, kind), ends in zip(_LINES, pitch.segments(), strict=False):
        x0, y0, x1, y1 = (1000 * float(value) for value in ends)
        line = size.field_lines.add(name=name, thickness=1000 * pitch.line, type=kind)
        line.p1.x, line.p1.y, line.p2.x, line.p2.y = x0, y0, x1, y1
    arc = size.field_arcs.add(name="CenterCircle", radius=1000 * pitch.circle, a1=0.0, a2=2 * np.pi, type=1)
    arc.thickness, arc.center.x, arc.center.y = 1000 * pitch.line, 0.0, 0.0
    for k, camera in enumerate(cameras):
        _calibration(packet.geometry.calib.add(), k, camera)
    return bytes(packet.SerializeToString())


def _calibration(said: Any, k: int, camera: Camera) -> None:
    """A camera as SSL-Vision says it: field to camera by a quaternion x, y, z, w and a translation [mm]; its
    one number of distortion bends back what ours bends, to first order."""
    said.camera_id, said.focal_length = k, float(camera.lens[0])
    said.principal_point_x, said.principal_point_y = float(camera.lens[1]), float(camera.lens[2])
    said.distortion = float(-camera.lens[3])
    said.q0, said.q1, said.q2, said.q3 = (float(q) for q in Rotation.from_matrix(camera.attitude).as_quat())
    said.tx, said.ty, said.tz = (1000 * float(t) for t in -camera.attitude @ camera.place)
    said.derived_camera_world_tx, said.derived_camera_world_ty, said.derived_camera_world_tz = (
        1000 * float(t) for t in camera.place
    )
    said.pixel_image_width, said.pixel_image_height = camera.width, camera.height


def read_cameras(data: bytes) -> list[Camera]:
    """The cameras in a geometry packet of SSL-Vision; none if it carries none."""
    packet = parse("SSL_WrapperPacket", data)
    found = []
    for k, said in enumerate(packet.geometry.calib if packet.HasField("geometry") else ()):
        numbers = [said.q0, said.q1, said.q2, said.q3, said.tx, said.ty, said.tz]
        lens = [said.focal_length, said.principal_point_x, said.principal_point_y, -said.distortion, 0.0]
        size = said.pixel_image_width, said.pixel_image_height
        whole = all(np.isfinite([*numbers, *lens])) and np.linalg.norm(numbers[:4]) > 0.1 and lens[0] > 0
        require(bool(whole), f"packet, camera {k}", None, "is not one")
        require(
            all(1 <= side <= 20_000 for side in size),
            f"packet, camera {k}",
            size,
            "must say its size in pixels",
        )
        attitude = Rotation.from_quat(numbers[:4]).as_matrix()
        place = -attitude.T @ (np.array(numbers[4:]) / 1000)
        require(place[2] > 0.3, f"packet, camera {k}", float(place[2]), "must hang above the robots")
        turn = Rotation.from_matrix(attitude @ DOWN.T).as_rotvec()
        found.append(Camera(np.array(lens), turn, place, *size))
    return found


@dataclass(frozen=True)
class Ruling:
    """What the referee says: words of the league's `Stage` and `Command` by number, scores blue then
    yellow."""

    stage: int
    command: int
    counter: int
    since: float  # [s] when the command was given
    score: tuple[int, int] = (0, 0)
    names: tuple[str, str] = ("blue", "yellow")
    goalkeepers: tuple[int, int] = (0, 0)
    placement: np.ndarray | None = None  # [m] where the ball shall be put
    blue_on_positive_half: bool = False
    events: tuple[int, ...] = field(default=())
    coming: int | None = None  # the command that will follow a stop


def referee(ruling: Ruling, t: float) -> bytes:
    """A packet of the game controller, sent at `t` [s]."""
    said = message("Referee")()
    said.packet_timestamp, said.command_timestamp = int(1e6 * t), int(1e6 * ruling.since)
    said.stage, said.command, said.command_counter = ruling.stage, ruling.command, ruling.counter
    for k, team in enumerate((said.blue, said.yellow)):
        team.name, team.score, team.goalkeeper = ruling.names[k], ruling.score[k], ruling.goalkeepers[k]
        team.red_cards = team.yellow_cards = team.timeouts = team.timeout_time = 0
    if ruling.placement is not None:
        said.designated_position.x = 1000 * float(ruling.placement[0])
        said.designated_position.y = 1000 * float(ruling.placement[1])
    if ruling.coming is not None:
        said.next_command = ruling.coming
    said.blue_team_on_positive_half = ruling.blue_on_positive_half
    for kind in ruling.events:
        said.game_events.add(type=kind)
    return bytes(said.SerializeToString())


def read_referee(data: bytes) -> Ruling:
    """What a packet of the game controller says."""
    said = parse("Referee", data)
    place = said.designated_position
    return Ruling(
        said.stage,
        said.command,
        said.command_counter,
        said.command_timestamp / 1e6,
        (said.blue.score, said.yellow.score),
        (said.blue.name, said.yellow.name),
        (said.blue.goalkeeper, said.yellow.goalkeeper),
        np.array([place.x, place.y]) / 1000 if said.HasField("designated_position") else None,
        said.blue_team_on_positive_half,
        tuple(event.type for event in said.game_events),
        said.next_command if said.HasField("next_command") else None,
    )


def _mm(metres: float) -> int:
    return round(1000 * metres)
