"""What a Ray cluster is handed: plain functions, every task once. Ray itself is stood in for here;
`tests/faults/test_studies.py` runs the real one where it is installed."""

import inspect
import math
import sys
from types import SimpleNamespace

import pytest

from swerve.core.cluster import Cluster
from swerve.core.errors import BadInput, SwerveError


class PlainRay:
    """As much of Ray as a cluster asks for; like Ray, it takes functions alone."""

    exceptions = SimpleNamespace(
        RayTaskError=type("RayTaskError", (Exception,), {}),
        RayActorError=type("RayActorError", (Exception,), {}),
    )

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
        return [one() for one in made] if isinstance(made, list) else made()

    def wait(self, some, num_returns):
        return some[-1:], some[:-1]

    def cancel(self, one, force):
        raise AssertionError("nothing is left to cancel")

    def remote(self, function):
        if inspect.isclass(function):
            return SimpleNamespace(remote=lambda: self.actor(function()))
        assert inspect.isfunction(function), "Ray takes functions and classes alone"
        given = self.version if function.__name__ == "_version" else None
        handle = SimpleNamespace(remote=lambda *words: lambda: given or function(*words))
        handle.options = lambda **_: handle
        return handle

    def actor(self, made):
        return SimpleNamespace(do=SimpleNamespace(remote=lambda packed: lambda: self.done(made, packed)))

    def done(self, made, packed):
        if not self.up:
            raise self.exceptions.RayActorError("it died")
        return made.do(packed)


def test_actors_keep_their_places_and_one_that_is_lost_is_told_in_a_line(monkeypatch):
    ray = PlainRay()
    monkeypatch.setitem(sys.modules, "ray", ray)
    cluster = Cluster("local", 2)
    for roots in ([1.0, 2.0], [3.0, 4.0]):
        cluster.tell(math.sqrt, [root * root for root in roots])
        assert cluster.hear() == roots
    cluster.tell(math.sqrt, [1.0, 4.0])
    ray.up = False
    with pytest.raises(SwerveError, match="an actor of the Ray cluster was lost"):
        cluster.hear()


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
