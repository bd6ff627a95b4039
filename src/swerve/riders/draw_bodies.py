"""Pictures of riders: the body from the side and the front, and a turn with its counter-steering."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from swerve.core.show.figures import ACCENT, GOOD, INK, SECOND, WARM, figure

from .bodies.bicycle import FRONT_WHEEL, REAR_WHEEL
from .bodies.examine import Examination, Manoeuvre
from .bodies.rider import Rider

SIDE, FRONT = (0, 2), (1, 2)  # world axes across and up
MOMENTS = (0.0, 0.12, 0.24, 0.4, 0.6, 0.9, 1.4)  # [s] after the command, of a strip of pictures


def draw_body(path: str | Path, rider: Rider) -> Path:
    """All segments and the machine as they ride, from the side and from the front."""
    ride = rider.start(1)
    model, data = rider.cyclist.model, ride.batch.get_data(0)
    mujoco.mj_forward(model, data)
    limbs = rider.definition.limbs()
    with figure(path, size=(9.5, 5.6), columns=2, width_ratios=(1.6, 1.0), sharey=True) as axes:
        for ax, across, title in ((axes[0], SIDE, "from the left"), (axes[1], FRONT, "from the front")):
            for geom in _far_first(model, data, across):
                _draw_geom(ax, model, data, geom, across)
            ax.axhline(0, color=INK, lw=1)
            ax.set_aspect("equal")
            ax.set_title(title)
            ax.set_xlabel("x [m]" if across is SIDE else "y [m]")
        axes[0].set_ylabel("z [m]")
        axes[0].text(
            0.01,
            0.99,
            f"{rider.name}: {len(limbs)} segments, {rider.definition.freedoms} controlled freedoms\n"
            f"{rider.definition.mass:.1f} kg on {_machine_mass(rider):.1f} kg",
            transform=axes[0].transAxes,
            va="top",
            fontsize=9,
        )
    return Path(path)


def draw_strip(path: str | Path, rider: Rider, command: float, times: Sequence[float] = MOMENTS) -> Path:
    """A turn by `command` [rad] from behind, at some `times` [s] after the command: the bar first goes the
    other way, then the body leans, then the bar follows."""
    ride, model = rider.start(1), rider.cyclist.model
    ride.advance(np.zeros(1), np.full(1, rider.speed), 0.2)
    with figure(path, size=(1.75 * len(times), 2.7), columns=len(times), sharey=True) as axes:
        now = 0.0
        for ax, t in zip(axes, times, strict=True):
            ride.advance(np.full(1, command), np.full(1, rider.speed), round(t - now, 2))
            now = t
            motion, data = ride.motion(), ride.batch.get_data(0)
            mujoco.mj_forward(model, data)
            seen = _from_behind(model, data, float(motion.yaw[0]))
            for geom in seen:
                _fill(ax, model, geom, seen[geom])
            bar, lean = np.degrees(motion.extras["steer"][0]), -np.degrees(motion.roll[0])
            ax.axhline(0, color=INK, lw=1)
            ax.set_aspect("equal")
            ax.set_xlim(-0.85, 0.85)
            ax.set_title(f"{t:.2f} s", fontsize=10)
            ax.set_xlabel(f"bar {_side(bar)}\nlean {_side(lean)}", fontsize=9)
            ax.set_xticks([])
        axes[0].set_ylabel("height [m]")
    return Path(path)


def _side(degrees: float) -> str:
    """An angle that is positive to the left, in words."""
    if abs(degrees) < 0.05:
        return "0°"
    return f"{abs(degrees):.1f}° {'left' if degrees > 0 else 'right'}"


def _from_behind(model: mujoco.MjModel, data: mujoco.MjData, yaw: float) -> dict[int, np.ndarray]:
    """Shadows (k, 2) of all solids by geom, to the right and up, the farthest ahead first."""
    ahead, right = np.array([np.cos(yaw), np.sin(yaw)]), np.array([np.sin(yaw), -np.cos(yaw)])
    middle = data.subtree_com[1, :2]
    order = sorted(range(1, model.ngeom), key=lambda g: -float(data.geom_xpos[g, :2] @ ahead))
    solids = {geom: _surface(model, data, geom) for geom in order}
    return {g: np.column_stack([(at[:, :2] - middle) @ right, at[:, 2]]) for g, at in solids.items()}


def _machine_mass(rider: Rider) -> float:
    return float(rider.cyclist.model.body_subtreemass[0]) - rider.definition.mass


def _far_first(model: mujoco.MjModel, data: mujoco.MjData, across: tuple[int, int]) -> list[int]:
    depth = 1 if across == SIDE else 0
    return sorted(range(1, model.ngeom), key=lambda g: data.geom_xpos[g][depth])


def _draw_geom(
    axes: Any, model: mujoco.MjModel, data: mujoco.MjData, geom: int, across: tuple[int, int]
) -> None:
    """The outline of a solid as its convex shadow."""
    _fill(axes, model, geom, _surface(model, data, geom)[:, across])


def _fill(axes: Any, model: mujoco.MjModel, geom: int, shadow: np.ndarray) -> None:
    """The outline of a solid's `shadow` (k, 2), in the colour of what it belongs to."""
    from scipy.spatial import ConvexHull

    name = model.geom(geom).name
    if name in (REAR_WHEEL, FRONT_WHEEL):
        outline = shadow[ConvexHull(shadow).vertices] if np.ptp(shadow[:, 0]) > 0.01 else shadow
        axes.plot(*np.vstack([outline, outline[:1]]).T, color=INK, lw=2.2)
        return
    outline = shadow[ConvexHull(shadow).vertices]
    words = name.split()
    colour = "#6b7785"
    if words and words[-1].isdigit():
        colour = {"left": ACCENT, "right": SECOND}.get(words[0], WARM)
    axes.fill(*outline.T, facecolor=colour, edgecolor=INK, lw=0.6, alpha=0.92)


def _surface(model: mujoco.MjModel, data: mujoco.MjData, geom: int) -> np.ndarray:
    """Points (k, 3) on the surface, in the world."""
    u, v = np.meshgrid(np.linspace(0, 2 * np.pi, 48), np.linspace(0, np.pi, 25))
    ball = np.stack([np.cos(u) * np.sin(v), np.sin(u) * np.sin(v), np.cos(v)], -1).reshape(-1, 3)
    size, kind = model.geom_size[geom], model.geom_type[geom]
    if kind == mujoco.mjtGeom.mjGEOM_CAPSULE:
        local = size[0] * ball + np.where(ball[:, 2:] >= 0, 1, -1) * np.array([0, 0, size[1]])
    elif kind == mujoco.mjtGeom.mjGEOM_BOX:
        local = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * size
    else:
        local = ball * size
    return data.geom_xpos[geom] + local @ data.geom_xmat[geom].reshape(3, 3).T


def draw_turn(path: str | Path, found: Examination) -> Path:
    """The way over the ground, and the bar, lean and heading over time: the bar goes the other way first."""
    left, right = found.turns
    with figure(path, size=(10.0, 4.6), columns=2, width_ratios=(1.0, 1.25)) as axes:
        for manoeuvre, colour in ((left, ACCENT), (right, SECOND), (found.impossible, INK)):
            _draw_way(axes[0], manoeuvre, colour)
        axes[0].set_aspect("equal", adjustable="datalim")
        axes[0].set_xlabel("x [m]")
        axes[0].set_ylabel("y [m]")
        axes[0].set_title("centre of mass")
        axes[0].legend(loc="best", fontsize=8)
        t = left.column("t")
        axes[1].axhline(0, color=INK, lw=0.6)
        axes[1].axvline(0, color=INK, lw=0.6, ls=":")
        axes[1].plot(t, np.degrees(left.column("yaw")), color=SECOND, label="heading")
        axes[1].plot(t, -np.degrees(left.column("roll")), color=GOOD, label="lean to the left")
        axes[1].plot(t, -np.degrees(left.column("steer")), color=ACCENT, lw=2, label="bar to the left")
        first = t <= 1.0
        peak = int(np.argmax(left.column("steer")[first]))
        low = -np.degrees(left.column("steer")[first][peak])
        axes[1].annotate(
            f"counter-steer {-low:.1f}°",
            (t[first][peak], low),
            xytext=(28, -16),
            textcoords="offset points",
            arrowprops={"arrowstyle": "-", "color": INK, "lw": 0.7},
        )
        axes[1].set_xlabel("time since the command [s]")
        axes[1].set_ylabel("[°]")
        axes[1].set_title(f"{found.rider.name}: turn of {left.command:+.2f} rad at {found.rider.speed:g} m/s")
        axes[1].legend(loc="upper left", fontsize=8)
    return Path(path)


def _draw_way(axes: Any, manoeuvre: Manoeuvre, colour: str) -> None:
    fell = manoeuvre.column("fell") > 0
    upto = int(np.argmax(fell)) + 1 if fell.any() else len(fell)
    x, y = manoeuvre.column("x")[:upto], manoeuvre.column("y")[:upto]
    label = f"{manoeuvre.command:+.2f} rad" + (f": falls after {manoeuvre.fell:.1f} s" if fell.any() else "")
    axes.plot(x, y, color=colour, label=label)
    if fell.any():
        axes.plot(x[-1], y[-1], "x", color=colour, ms=8)
