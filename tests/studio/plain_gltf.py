"""Reads a glTF's animation by itself and holds it against the recording that it was made from."""

import numpy as np

from swerve.core.show.gltf import build
from swerve.core.show.tape import tape_of

TIMES = 10


def worst_place(recording) -> float:
    """[m] by which a body, part or light is off, at most, at ten times of the recording."""
    tree, data = build(tape_of(recording))
    motion = tree.get("animations", [{"channels": [], "samplers": []}])[0]
    moved = {
        c["target"]["node"]: c["sampler"] for c in motion["channels"] if c["target"]["path"] == "translation"
    }
    x, z, y = tree["nodes"][-1]["translation"]  # the root turns z up into y up
    ids, times = recording["id"], recording["t"]
    places = np.stack([recording[name] for name in "xyz"], axis=-1).astype(float)
    clock = np.unique(times)
    chosen = clock[np.linspace(0, len(clock) - 1, TIMES).astype(int)]
    worst, compared = 0.0, 0
    for number, node in enumerate(tree["nodes"]):
        if "id" not in node.get("extras", {}):
            continue
        rows = np.flatnonzero((ids == node["extras"]["id"]) & np.isin(times, chosen))
        at = np.tile(node["translation"], (len(rows), 1))
        if number in moved:
            sampler = motion["samplers"][moved[number]]
            when = _read(tree, data, sampler["input"], 1)[:, 0] + clock[0]
            path = _read(tree, data, sampler["output"], 3)
            at = np.stack([np.interp(times[rows], when, path[:, k]) for k in range(3)], axis=-1)
        worst = max(worst, float(np.abs(at + np.array([x, -y, z]) - places[rows]).max(initial=0.0)))
        compared += len(rows)
    assert compared >= len(np.unique(ids))
    return worst


def _read(tree, data, number, wide):
    accessor = tree["accessors"][number]
    start = tree["bufferViews"][accessor["bufferView"]]["byteOffset"]
    return np.frombuffer(data, "<f4", accessor["count"] * wide, start).reshape(-1, wide).astype(float)
