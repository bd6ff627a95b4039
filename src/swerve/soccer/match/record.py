"""A match as a recording: twelve robots and a ball, with the play of each side, the tactic of each robot
and what the referee said; what pages tell of it in words stands in the metadata.

Ids are 0 for the ball, then blue's robots and yellow's; the metadata's `names` says so in words.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from swerve.core import attitude
from swerve.core.recording import Recording
from swerve.core.show.captions import caption

from .calls import COLOURS, call_in_words
from .log import Log
from .model import BALL_RADIUS, BVX, BVZ, HEADING, ROBOT_HEIGHT, ROBOT_RADIUS, VX, X, Y, Z
from .referee import Referee

BALL, KINDS = 0, ("blue robot (disc)", "yellow robot (disc)")


def names(robots: int) -> list[str]:
    """Names of all bodies, in the order of their ids.

    >>> names(2)
    ['ball', 'blue-0', 'blue-1', 'yellow-0', 'yellow-1']
    """
    return ["ball", *(f"{side}-{k}" for side in ("blue", "yellow") for k in range(robots))]


def captions(log: Log, referee: Referee) -> list[dict[str, Any]]:
    """Score, clock, the referee's state and last call, and what both sides play, over time."""
    half = referee.seconds / 2
    clock = [f"{int(t) // 60}:{int(t) % 60:02d}, {'first' if t < half else 'second'} half" for t in log.times]
    events = sorted(referee.events, key=lambda event: event.t)
    score, call, scores, calls, k = [0, 0], "", [], [], 0
    for t in log.times:
        while k < len(events) and events[k].t <= t + 1e-9:
            score[events[k].side] += events[k].what == "goal"
            call, k = call_in_words(events[k]), k + 1
        scores.append(f"{score[0]} : {score[1]}")
        calls.append(call)
    plays = [[play[side] for play in log.plays] for side in (0, 1)]
    told = [("score", scores), ("clock", clock), ("referee", log.words), ("last call", calls)]
    told += [(f"{colour} plays", plays[side]) for side, colour in enumerate(COLOURS)]
    return [caption(name, log.times, texts) for name, texts in told]


def record(log: Log, referee: Referee, meta: Mapping[str, Any]) -> Recording:
    """One row a body a frame that the log kept."""
    times, robots, ball = log.tracks()
    frames, n = robots.shape[:2]
    pose = np.concatenate([np.zeros((frames, 1, 3)), robots[:, :, X : HEADING + 1]], axis=1)
    pose[:, 0, :2] = ball[:, X : Y + 1]
    velocity = np.zeros((frames, n + 1, 3))
    velocity[:, 0] = ball[:, BVX : BVZ + 1]
    velocity[:, 1:, :2] = robots[:, :, VX : VX + 2]
    height = np.full((frames, n + 1), ROBOT_HEIGHT / 2)
    height[:, 0] = ball[:, Z] + BALL_RADIUS
    wide = np.full(n + 1, 2 * ROBOT_RADIUS)
    wide[0] = 2 * BALL_RADIUS
    tall = np.full(n + 1, ROBOT_HEIGHT)
    tall[0] = 2 * BALL_RADIUS
    kinds = np.array(["orange ball", *[KINDS[0]] * (n // 2), *[KINDS[1]] * (n // 2)], dtype=object)
    plays = np.array(log.plays, dtype=object).reshape(frames, 2)
    said = np.full((frames, n + 1), "", dtype=object)
    said[:, 1 : n // 2 + 1], said[:, n // 2 + 1 :] = plays[:, :1], plays[:, 1:]
    tactics = np.full((frames, n + 1), "", dtype=object)
    tactics[:, 1:] = np.array(log.tactics, dtype=object).reshape(frames, n)
    contact = np.concatenate([np.zeros((frames, 1), bool), np.array(log.contact).reshape(frames, n)], axis=1)
    columns = {
        "t": np.repeat(times, n + 1),
        "id": np.tile(np.arange(n + 1), frames),
        "kind": np.tile(kinds, frames),
        "x": pose[:, :, 0].ravel(),
        "y": pose[:, :, 1].ravel(),
        "z": height.ravel(),
        **attitude.columns(attitude.quaternion(pose[:, :, 2].ravel())),
        **{name: velocity[:, :, k].ravel() for k, name in enumerate(("vx", "vy", "vz"))},
        "length": np.tile(wide, frames),
        "width": np.tile(wide, frames),
        "height": np.tile(tall, frames),
        "contact": contact.ravel(),
        "play": said.ravel(),
        "tactic": tactics.ravel(),
        "game": np.repeat(np.array(log.states, dtype=np.int64), n + 1),
    }
    events = [[round(event.t, 3), event.what, event.side] for event in referee.events]
    about: dict[str, Any] = {
        "names": names(n // 2),
        "events": events,
        "score": list(referee.score),
        "field": log.field.name,
    }
    about["captions"] = captions(log, referee)
    return Recording(columns, {**meta, **log.field.scenery(), **about})
