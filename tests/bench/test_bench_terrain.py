"""The measurements beside peers are on equal terms."""

import sys
from types import ModuleType, SimpleNamespace

import numpy as np

from swerve.bench import terrain as bench


def test_all_are_repeated_as_often_and_told_with_and_without_the_geometry(monkeypatch):
    """Finding: ours was the best of 50 and without the path's geometry, theirs the best of 3 and with it."""
    repeats: list[int] = []

    def once(action, times):
        repeats.append(times)
        return 1.0, action()

    def solver(*_, **__):
        asked.append("made")
        pace = np.full(bench.POINTS, 1.0)
        return SimpleNamespace(compute_parameterization=lambda *_: (None, pace, None))

    asked: list[str] = []
    toppra = ModuleType("toppra")
    toppra.SplineInterpolator = lambda *_: None  # type: ignore[attr-defined]
    toppra.constraint = toppra.algorithm = SimpleNamespace(  # type: ignore[attr-defined]
        JointAccelerationConstraint=lambda *_, **__: None,
        JointVelocityConstraint=lambda *_, **__: None,
        DiscretizationType=SimpleNamespace(Collocation=0, Interpolation=1),
        TOPPRA=solver,
    )
    monkeypatch.setitem(sys.modules, "toppra", toppra)
    for name in ("constraint", "algorithm"):
        monkeypatch.setitem(sys.modules, f"toppra.{name}", getattr(toppra, name))
    monkeypatch.setattr(bench, "best_of", once)
    monkeypatch.setattr(bench, "laps", lambda tracks: {})
    result = bench.run()
    assert set(repeats) == {bench.REPEATS} and len(repeats) >= 5
    assert len(asked) == 2  # made ready before the clock, and made once more inside it
    assert result["ratio_toppra"] == result["ratio_toppra_from_points"] == 1.0
