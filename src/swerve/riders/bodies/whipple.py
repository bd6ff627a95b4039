"""The linear bicycle in closed form: the truth that the simulated one is held against.

Whipple's bicycle, two frames and two knife-edge wheels that roll without slip, linearised about riding
straight on (Meijaard, Papadopoulos, Ruina & Schwab 2007). With lean φ and steer δ, both positive to the
right, at speed v:

    M q̈ + v C1 q̇ + (g K0 + v² K2) q = f        q = (φ, δ),  f = (lean torque, steer torque)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, fields

import numpy as np
from scipy.optimize import brentq

from swerve.core.errors import BadInput, require

STATES = ("lean", "steer", "lean rate", "steer rate")


@dataclass(frozen=True)
class BicycleParameters:
    """Geometry and masses; the defaults are the benchmark bicycle, whose 85 kg frame includes a rigid rider.

    Origin at the rear contact point, x forward, y to the right, **z down** (as published). The steer axis
    cuts the ground `trail` ahead of the front contact. The product of inertia Ixz is −∫ x z dm.
    """

    wheelbase: float = 1.02  # [m]
    trail: float = 0.08  # [m]
    tilt: float = math.pi / 10  # [rad] of the steer axis, back from the vertical
    gravity: float = 9.81  # [m/s²]
    rear_radius: float = 0.3  # [m]
    rear_mass: float = 2.0  # [kg]
    rear_ixx: float = 0.0603  # [kg m²]
    rear_iyy: float = 0.12
    body_x: float = 0.3  # [m]
    body_z: float = -0.9
    body_mass: float = 85.0
    body_ixx: float = 9.2
    body_ixz: float = 2.4
    body_iyy: float = 11.0
    body_izz: float = 2.8
    fork_x: float = 0.9
    fork_z: float = -0.7
    fork_mass: float = 4.0
    fork_ixx: float = 0.05892
    fork_ixz: float = -0.00756
    fork_iyy: float = 0.06
    fork_izz: float = 0.00708
    front_radius: float = 0.35
    front_mass: float = 3.0
    front_ixx: float = 0.1405
    front_iyy: float = 0.28

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            number = isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
            require(number, f"bicycle {field.name}", value, "must be a finite number")
            if field.name.endswith(("mass", "radius", "wheelbase", "gravity", "ixx", "iyy", "izz")):
                require(value > 0.0, f"bicycle {field.name}", value, "must be above zero")
        require(abs(self.tilt) < math.pi / 2, "bicycle tilt", self.tilt, "must be between −π/2 and π/2")
        for part in ("body", "fork"):
            self._require_real_inertia(part)
        for part in ("rear", "front"):
            ixx, iyy = getattr(self, f"{part}_ixx"), getattr(self, f"{part}_iyy")
            require(iyy <= 2 * ixx, f"bicycle {part}_iyy", iyy, f"must not exceed twice {part}_ixx ({ixx})")

    def _require_real_inertia(self, part: str) -> None:
        """A rigid body's moments are positive and obey the triangle inequality."""
        ixx, ixz, iyy, izz = (getattr(self, f"{part}_{name}") for name in ("ixx", "ixz", "iyy", "izz"))
        low, high = np.linalg.eigvalsh([[ixx, ixz], [ixz, izz]])
        if low <= 0 or high > low + iyy * (1 + 1e-9) or iyy > (low + high) * (1 + 1e-9):
            raise BadInput(f"bicycle {part} inertia", (ixx, ixz, iyy, izz), "no rigid body has such moments")


@dataclass(frozen=True)
class LinearBicycle:
    """The four matrices, and what follows from them."""

    mass: np.ndarray  # M, (2, 2)
    damping: np.ndarray  # C1
    gravity_stiffness: np.ndarray  # K0
    speed_stiffness: np.ndarray  # K2
    gravity: float  # [m/s²]

    @classmethod
    def of(cls, p: BicycleParameters) -> LinearBicycle:
        s, c = math.sin(p.tilt), math.cos(p.tilt)
        w, rear, front = p.wheelbase, p.rear_radius, p.front_radius
        # the whole
        mt = p.rear_mass + p.body_mass + p.fork_mass + p.front_mass
        xt = (p.body_x * p.body_mass + p.fork_x * p.fork_mass + w * p.front_mass) / mt
        zt = -rear * p.rear_mass + p.body_z * p.body_mass + p.fork_z * p.fork_mass - front * p.front_mass
        zt /= mt
        ixx = p.rear_ixx + p.body_ixx + p.fork_ixx + p.front_ixx + p.rear_mass * rear**2
        ixx += p.body_mass * p.body_z**2 + p.fork_mass * p.fork_z**2 + p.front_mass * front**2
        ixz = p.body_ixz + p.fork_ixz - p.body_mass * p.body_x * p.body_z
        ixz += -p.fork_mass * p.fork_x * p.fork_z + p.front_mass * w * front
        izz = p.rear_ixx + p.body_izz + p.fork_izz + p.front_ixx
        izz += p.body_mass * p.body_x**2 + p.fork_mass * p.fork_x**2 + p.front_mass * w**2
        # what turns with the bar, about the steer axis
        ma = p.fork_mass + p.front_mass
        xa = (p.fork_x * p.fork_mass + w * p.front_mass) / ma
        za = (p.fork_z * p.fork_mass - front * p.front_mass) / ma
        axx = p.fork_ixx + p.front_ixx + p.fork_mass * (p.fork_z - za) ** 2 + p.front_mass * (front + za) ** 2
        axz = p.fork_ixz - p.fork_mass * (p.fork_x - xa) * (p.fork_z - za)
        axz += p.front_mass * (w - xa) * (front + za)
        azz = p.fork_izz + p.front_ixx + p.fork_mass * (p.fork_x - xa) ** 2 + p.front_mass * (w - xa) ** 2
        ua = (xa - w - p.trail) * c - za * s
        a_ll = ma * ua**2 + axx * s**2 + 2 * axz * s * c + azz * c**2
        a_lx = -ma * ua * za + axx * s + axz * c
        a_lz = ma * ua * xa + axz * s + azz * c
        # gyrostatics and trail
        mu = p.trail / w * c
        sr, sf = p.rear_iyy / rear, p.front_iyy / front
        st = sr + sf
        sa = ma * ua + mu * mt * xt
        off = a_lx + mu * ixz
        return cls(
            np.array([[ixx, off], [off, a_ll + 2 * mu * a_lz + mu**2 * izz]]),
            np.array(
                [
                    [0.0, mu * st + sf * c + ixz / w * c - mu * mt * zt],
                    [-(mu * st + sf * c), a_lz / w * c + mu * (sa + izz / w * c)],
                ]
            ),
            np.array([[mt * zt, -sa], [-sa, -sa * s]]),
            np.array([[0.0, (st - mt * zt) / w * c], [0.0, (sa + sf * s) / w * c]]),
            p.gravity,
        )

    def matrix(self, speed: float) -> np.ndarray:
        """A of ẋ = A x for the states `STATES`, (4, 4)."""
        stiffness = self.gravity * self.gravity_stiffness + speed**2 * self.speed_stiffness
        inverse = np.linalg.inv(self.mass)
        a = np.zeros((4, 4))
        a[:2, 2:] = np.eye(2)
        a[2:, :2] = -inverse @ stiffness
        a[2:, 2:] = -inverse @ (speed * self.damping)
        return a

    def eigenvalues(self, speed: float) -> np.ndarray:
        """[1/s], sorted by real part and then by imaginary part."""
        return in_order(np.linalg.eigvals(self.matrix(speed)))

    def weave_speed(self) -> float:
        """Where the weave mode becomes stable [m/s]."""
        return crossing(lambda v: weave(self.eigenvalues(v)))

    def capsize_speed(self) -> float:
        """Where the capsize mode becomes unstable [m/s]."""
        return crossing(lambda v: -capsize(self.eigenvalues(v)), start=self.weave_speed())


def in_order(eigenvalues: np.ndarray) -> np.ndarray:
    """Sorted by real part and then by imaginary part, so that lists can be compared."""
    values = np.asarray(eigenvalues, complex)
    return values[np.lexsort((values.imag, np.round(values.real, 9)))]


def weave(eigenvalues: np.ndarray) -> float:
    """Real part of the oscillating pair [1/s]; of the fastest growing value where nothing oscillates."""
    pairs = eigenvalues[np.abs(eigenvalues.imag) > 1e-9 * (1 + np.abs(eigenvalues))]
    return float((pairs if len(pairs) else eigenvalues).real.max())


def capsize(eigenvalues: np.ndarray) -> float:
    """The real eigenvalue nearest to zero [1/s]."""
    alone = eigenvalues[np.abs(eigenvalues.imag) <= 1e-9 * (1 + np.abs(eigenvalues))].real
    return float(alone[np.argmin(np.abs(alone))])


def crossing(
    growth: Callable[[float], float], start: float = 0.5, end: float = 20.0, parts: int = 40
) -> float:
    """First speed [m/s] at which `growth` falls through zero between `start` and `end`."""
    speeds = np.linspace(start, end, parts)
    values = [growth(v) for v in speeds]
    for i in range(parts - 1):
        if values[i] > 0 >= values[i + 1]:
            return float(brentq(growth, speeds[i], speeds[i + 1], xtol=1e-9))
    raise BadInput("bicycle", None, f"has no such speed between {start:g} and {end:g} m/s")
