"""What a drive showed: reactions to stimuli, speeds, lane keeping, gaps."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from swerve.core.files import write_json, write_text

from .driver_log import DriverLog, Note

BRAKE_RISE, THROTTLE_FALL, STEER_CHANGE = 0.05, 0.1, 0.08  # of a pedal's or the wheel's way: a reaction
LANE_HALF = 1.75  # [m] beyond which a car is changing lanes, not keeping one
MOVING = 1.0  # [m/s]
OVER_LIMIT = 1.05  # share of the limit
LOOKED_AT = 10.0  # [s] after a stimulus, unless another follows
PEDALS = ("steer", "throttle", "brake")
SEEN = {  # what a driver may see, and by how much it differs where that shows
    "gap": 0.1, "leader": 0.0, "leader_speed": 0.1, "leader_brakes": 0.0, "nearest": 0.1, "nearest_id": 0.0,
}  # fmt: skip
WITHOUT, BEFORE = "the same drive without it", "what the driver did when it came"

Table = dict[str, np.ndarray]


def drive_report(
    log: DriverLog, name: str = "", dt: float = 0.0, twins: Mapping[str, Table] | None = None
) -> dict[str, Any]:
    """Figures of a whole drive and of every stimulus. Metres, seconds; null where there is nothing to say.

    `twins` are tables of the same drive without a stimulus, by its name: what differs is its doing. Where
    there is none, reactions are what the driver did otherwise than when the stimulus came, until the next.
    """
    table = log.table()
    stimuli = [note for note in log.notes if note.kind == "stimulus"]
    ends = [min((later.t for later in stimuli if later.t > note.t), default=np.inf) for note in stimuli]
    return {
        "name": name,
        "frame_seconds": dt,
        **_whole(table),
        "contacts": sum(note.kind == "contact" for note in log.notes),
        "red_lights": sum(note.kind == "red light" for note in log.notes),
        "stimuli": [
            _stimulus(note, table, end, dt, _usable((twins or {}).get(note.name), table, note.t))
            for note, end in zip(stimuli, ends, strict=True)
        ],
        "events": [note.as_dict() for note in log.notes],
    }


def write_report(report: dict[str, Any], log: DriverLog, folder: str | Path) -> dict[str, str]:
    """Write report.json, report.md, report.png and driver.csv into a folder; their paths by name."""
    from ..pictures.drive import draw_report

    folder = Path(folder)
    paths = {
        "report": write_json(folder / "report.json", report),
        "report_text": write_text(folder / "report.md", as_text(report)),
        "report_picture": draw_report(report, log.table(), folder / "report.png"),
        "driver_log": log.write(folder / "driver.csv"),
    }
    return {name: str(path) for name, path in paths.items()}


def lane_keeping(table: Table) -> tuple[float | None, float | None]:
    """Mean and standard deviation [m] of the place in the lane (SDLP), while moving along one."""
    keeps = (table["on_lane"] > 0) & (np.abs(table["lateral"]) < LANE_HALF) & (table["speed"] > MOVING)
    lateral = table["lateral"][keeps]
    return (float(lateral.mean()), float(lateral.std())) if len(lateral) > 1 else (None, None)


def time_to_collision(table: Table) -> np.ndarray:
    """[s] until the gap ahead is gone at these speeds; infinite when it does not shrink."""
    closing = table["speed"] - table["leader_speed"]
    shrinks = np.isfinite(table["gap"]) & (closing > 0.01)
    return np.where(shrinks, table["gap"].clip(0.0) / np.where(shrinks, closing, 1.0), np.inf)


def reactions(table: Table, t: float, within: float, twin: Table | None = None) -> dict[str, float | None]:
    """Seconds from `t` until the driver braked, let go of the throttle and steered, each null if not.

    Compared with the same drive without the stimulus, or with what the driver did when it came.
    """
    window = np.flatnonzero((table["t"] > t + 1e-9) & (table["t"] <= t + within + 1e-9))
    before = np.flatnonzero(table["t"] <= t + 1e-9)
    if len(window) == 0 or len(before) == 0:
        return {"brake": None, "release": None, "steer": None}
    usual = {name: table[name][before[-1]] if twin is None else twin[name][window] for name in PEDALS}
    done = {
        "brake": table["brake"][window] >= usual["brake"] + BRAKE_RISE,
        "release": table["throttle"][window] <= usual["throttle"] - THROTTLE_FALL,
        "steer": np.abs(table["steer"][window] - usual["steer"]) >= STEER_CHANGE,
    }
    return {
        name: float(table["t"][window[np.argmax(flags)]] - t) if flags.any() else None
        for name, flags in done.items()
    }


def seen_after(table: Table, t: float, within: float, twin: Table) -> float | None:
    """Seconds from `t` until anything that the driver could see was noticeably otherwise than without the
    stimulus."""
    window = np.flatnonzero((table["t"] > t + 1e-9) & (table["t"] <= t + within + 1e-9))
    other = np.zeros(len(window), bool)
    for name, least in SEEN.items():
        now, usual = table[name][window], twin[name][window]
        with np.errstate(invalid="ignore"):  # of two infinite gaps
            other |= (now != usual) & ~(np.abs(now - usual) <= least)
    return float(table["t"][window[np.argmax(other)]] - t) if other.any() else None


def _usable(twin: Table | None, table: Table, t: float) -> Table | None:
    """The twin cut to the drive, if it is the same drive up to the stimulus."""
    if twin is None or len(twin["t"]) < len(table["t"]):
        return None
    twin = {name: column[: len(table["t"])] for name, column in twin.items()}
    before = table["t"] <= t + 1e-9
    earlier = table["t"] < t - 1e-9  # then others were the same too
    same = all(np.array_equal(table[name][before], twin[name][before]) for name in (*PEDALS, "t", "x", "y"))
    same &= all(np.array_equal(table[name][earlier], twin[name][earlier], equal_nan=True) for name in table)
    return twin if same else None


def as_text(report: dict[str, Any]) -> str:
    """The report in Markdown."""

    def shown(value: Any, unit: str, digits: int = 2) -> str:
        return "–" if value is None else f"{value:.{digits}f} {unit}".strip()

    lines = [f"# {report['name'] or 'Drive'}", ""]
    lines += [
        "| stimulus | at | reaction | by | speed then | gap then | least gap after | least time to contact |"
    ]
    lines += ["| --- " * 8 + "|"]
    for s in report["stimuli"]:
        lines.append(
            f"| {s['name']} | {s['t']:.2f} s | {shown(s['reaction_time'], 's')} | {_by(s)} "
            f"| {shown(s['speed'], 'm/s', 1)} | {shown(s['gap'], 'm', 1)} | {shown(s['min_gap'], 'm', 1)} "
            f"| {shown(s['min_time_to_collision'], 's')} |"
        )
    lines += ["", "| the drive | |", "| --- | --- |"]
    for name, unit in (
        ("seconds", "s"),
        ("distance", "m"),
        ("mean_speed", "m/s"),
        ("max_speed", "m/s"),
        ("over_limit_share", ""),
        ("lane_position_mean", "m"),
        ("lane_position_sd", "m"),
        ("min_gap", "m"),
        ("min_headway", "s"),
        ("min_time_to_collision", "s"),
        ("nearest_body", "m"),
    ):
        lines.append(f"| {name.replace('_', ' ')} | {shown(report[name], unit)} |")
    lines += [f"| contacts | {report['contacts']} |", f"| red lights run | {report['red_lights']} |", ""]
    return "\n".join(lines)


def _by(stimulus: dict[str, Any]) -> str:
    """By what the driver reacted, in words."""
    if stimulus["reaction"]:
        return str(stimulus["reaction"])
    return "missed: nothing changed for the driver" if stimulus["missed"] else "no reaction"


def _whole(table: Table) -> dict[str, Any]:
    t, speed = table["t"], table["speed"]
    if len(t) < 2:
        names: tuple[str, ...] = (
            "seconds",
            "distance",
            "mean_speed",
            "max_speed",
            "over_limit_share",
            "lane_position_mean",
        )
        names += ("lane_position_sd", "min_gap", "min_headway", "min_time_to_collision", "nearest_body")
        return dict.fromkeys(names)
    mean, deviation = lane_keeping(table)
    moving = speed > MOVING
    limited = table["limit"] > 0
    headway = np.where(moving, table["gap"].clip(0.0) / np.maximum(speed, MOVING), np.inf)
    return {
        "seconds": float(t[-1] - t[0]),
        "distance": float(np.hypot(np.diff(table["x"]), np.diff(table["y"])).sum()),
        "mean_speed": float(speed.mean()),
        "max_speed": float(speed.max()),
        "over_limit_share": float((speed > OVER_LIMIT * table["limit"])[limited].mean())
        if limited.any()
        else None,
        "lane_position_mean": mean,
        "lane_position_sd": deviation,
        "min_gap": _least(table["gap"]),
        "min_headway": _least(headway),
        "min_time_to_collision": _least(time_to_collision(table)),
        "nearest_body": _least(table["nearest"]),
    }


def _stimulus(note: Note, table: Table, end: float, dt: float, twin: Table | None) -> dict[str, Any]:
    expect, within = str(note.more["expect"]), float(note.more["within"])
    shown = note.t + dt  # in the frame after it was ordered
    last = within if twin is not None else min(within, end - shown)
    found = reactions(table, shown, last, twin)
    seen = None if twin is None else seen_after(table, shown - dt, last + dt, twin)
    if (
        seen is not None and seen > dt
    ):  # it began to show later: a car that is told to brake takes its foot over
        found = {k: v - (seen - dt) if v is not None and v > seen - dt else v for k, v in found.items()}
    wanted = {k: v for k, v in found.items() if v is not None and expect in (k, "any")}
    first = min(wanted, key=lambda k: wanted[k]) if wanted else None
    after = (table["t"] >= note.t - 1e-9) & (table["t"] < min(end, note.t + LOOKED_AT))
    at = int(np.searchsorted(table["t"], note.t - 1e-9)) if len(table["t"]) else 0
    known, looked = at < len(table["t"]), at + 1 < len(table["t"])
    return {
        "name": note.name,
        "t": note.t,
        "expect": expect,
        "reaction_time": None if first is None else wanted[first],
        "reaction": first,
        "compared_with": BEFORE if twin is None else WITHOUT,
        "seen_time": seen,
        "missed": seen is None and first is None if twin is not None and looked else None,
        "brake_time": found["brake"],
        "release_time": found["release"],
        "steer_time": found["steer"],
        "speed": float(table["speed"][at]) if known else None,
        "gap": _least(table["gap"][at : at + 1]),
        "min_gap": _least(table["gap"][after]),
        "min_time_to_collision": _least(time_to_collision(table)[after]),
        "nearest_body": _least(table["nearest"][after]),
        "hardest_braking": float(-table["acceleration"][after].min()) if after.any() else None,
        "max_brake": float(table["brake"][after].max()) if after.any() else None,
    }


def _least(values: np.ndarray) -> float | None:
    finite = values[np.isfinite(values)]
    return float(finite.min()) if len(finite) else None
