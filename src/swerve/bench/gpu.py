"""JAX on this machine's accelerator, or its processor: cars, map riders and lanes, and how far they are from
our own kernels after five seconds.

On a processor the sizes are small, and only the differences mean something.
"""

from __future__ import annotations

from typing import Any


def run() -> dict[str, Any]:
    """Figures of `swerve.gpu.bench` on cases made here."""
    from swerve.gpu.bench import measure
    from swerve.gpu.cases import make

    return measure(make())
