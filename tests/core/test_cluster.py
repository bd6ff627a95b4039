"""What a Ray cluster is handed: plain functions, every task once. Ray itself is stood in for here;
`tests/faults/test_studies.py` runs the real one where it is installed."""

import inspect
import math
import sys
from types import SimpleNamespace

import pytest

from swerve.core.cluster import Cluster
from swerve.core.errors import BadInput


class PlainRay:
    """As much of Ray as a cluster asks for; like Ray, it takes functions alone."""

    exceptions = SimpleNamespace(RayTaskError=type("RayTaskError", (Exception,), {}))

    def __init__(self, version=None):
        self.version, self.up = version, False

    def init(self, **words):
        self.up = True

    def shutdown(self):
        self.up = False

    def cluster_resources(self):
        return {"CPU": 2}

    def put(self, value):
        return value

    def get(self, made):
        return made()

    def wait(self, some, num_returns):
        return some[-1:], some[:-1]

    def cancel(self, one, force):
        raise AssertionError("nothing is left to cancel")

    def remote(self, function):
        assert inspect.isfunction(function), "Ray takes functions and classes alone"
        given = self.version if function.__name__ == "_version" else None
        handle = SimpleNamespace(remote=lambda *words: lambda: given or function(*words))
        handle.options = lambda **_: handle
        return handle


def test_tasks_come_back_with_their_numbers(monkeypatch):
    ray = PlainRay()
    monkeypatch.setitem(sys.modules, "ray", ray)
    cluster = Cluster("local", 2)
    assert dict(cluster.run(math.sqrt, [(k, float(k * k)) for k in range(9)])) == {k: k for k in range(9)}
    cluster.close()
    assert not ray.up


def test_a_cluster_of_another_version_is_refused(monkeypatch):
    ray = PlainRay(version="another")
    monkeypatch.setitem(sys.modules, "ray", ray)
    with pytest.raises(BadInput, match="another version of swerve"):
        Cluster("local", 2)
    assert not ray.up
