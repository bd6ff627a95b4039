"""A recording as glTF 2.0: animated bodies and parts with materials, the ground, roads and lines.

One node a body, part or light; y is up in glTF, so one root node turns and shifts everything. Bodies that are
not there shrink to nothing. `.glb` is one binary file, `.gltf` one text file with its buffer inside.
"""

from __future__ import annotations

import base64
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np

from ..files import plain, replacing
from ..recording import Recording
from .lamps import Lamp, lamps_of
from .polygons import triangulated
from .relief import relief_of
from .solids import normals, solid
from .tape import Tape, tape_of

FLOAT, UINT = 5126, 5125
MATERIALS = {  # colour, metal, roughness
    "glass": ("#26323b", 0.2, 0.15),
    "dark": ("#23272b", 0.0, 0.9),
    "light": ("#fff4d6", 0.0, 0.4),
    "skin": ("#e0ac84", 0.0, 0.9),
}
TINY = 1e-5  # of a body that is not there
LEVEL = {"road": 0.02, "crossing": 0.05, "pavement": 0.04, "obstacle": 0.06}  # [m] so that nothing flickers
ABOVE = np.array([0.0, 0.0, 0.1])  # [m] of lines over the ground
STOREY = 9.0  # [m] that buildings rise


def write_gltf(recording: Recording, path: str | Path, fps: float | None = None) -> Path:
    """Write `path` (.glb or .gltf) with the recording's own frames, or no more than `fps` a second."""
    path = Path(path)
    tree, data = build(tape_of(recording, fps))
    if path.suffix.lower() == ".gltf":
        tree["buffers"][0]["uri"] = "data:application/octet-stream;base64," + base64.b64encode(data).decode()
        whole = json.dumps(tree, separators=(",", ":")).encode()
    else:
        text = json.dumps(tree, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 4)
        size = 12 + 8 + len(text) + 8 + len(data)
        whole = b"".join((
            struct.pack("<4sII", b"glTF", 2, size), struct.pack("<I4s", len(text), b"JSON"), text,
            struct.pack("<I4s", len(data), b"BIN\0"), data,
        ))  # fmt: skip
    with replacing(path) as draft:
        draft.write_bytes(whole)
    return path


def build(tape: Tape) -> tuple[dict[str, Any], bytes]:
    """The glTF object and its buffer."""
    made = Builder(tape)
    made.scenery()
    for number in range(len(tape.looks)):
        made.body(number)
    return made.finished()


class Builder:
    """Collects nodes, meshes, materials and accessors."""

    def __init__(self, tape: Tape):
        self.tape, self.origin = tape, tape.origin
        self.nodes: list[dict[str, Any]] = []
        self.meshes: list[dict[str, Any]] = []
        self.materials: list[dict[str, Any]] = []
        self.accessors: list[dict[str, Any]] = []
        self.views: list[dict[str, Any]] = []
        self.channels: list[dict[str, Any]] = []
        self.samplers: list[dict[str, Any]] = []
        self.data = bytearray()
        self._meshes: dict[tuple[str, str], int] = {}
        self._paints: dict[str, int] = {}
        self._clock: int | None = None
        self._inner: set[int] = set()  # nodes within others

    def body(self, number: int) -> None:
        """A node that moves as the body did."""
        tape = self.tape
        look, there = tape.looks[number], tape.present[number]
        size = [max(s, 0.01) for s in look.size] if look.shape != "light" else [0.35, 0.35, 1.0]
        place = (tape.place[number] - self.origin).astype(np.float32)
        turn = tape.turn[number][:, [1, 2, 3, 0]].astype(np.float32)
        name = f"{look.kind} {look.id}" if look.parent < 0 else f"{look.kind} {look.parent} {look.part}"
        node: dict[str, Any] = {
            "name": name,
            "mesh": self._body_mesh(look.shape, look.colour),
            "translation": place[0].tolist(),
            "rotation": _unit(turn[0]),
            "scale": size,
            "extras": {"id": look.id, "kind": look.kind, "part": look.part, "parent": look.parent},
        }
        index = len(self.nodes)
        self.nodes.append(node)
        if len(place) > 1:
            if np.ptp(place, axis=0).max() > 0:
                self._animate(index, "translation", place)
            if np.ptp(turn, axis=0).max() > 0:
                self._animate(index, "rotation", turn)
            if not there.all():
                self._animate(index, "scale", np.where(there[:, None], size, TINY).astype(np.float32), "STEP")
        for lamp in lamps_of(look.shape, tape.flags[number]):
            self._lamp(node, lamp)

    def _lamp(self, body: dict[str, Any], lamp: Lamp) -> None:
        """A node within the body's that is there as long as it is lit."""
        index = len(self.nodes)
        body.setdefault("children", []).append(index)
        self._inner.add(index)
        size = np.where(lamp.lit[:, None], np.ones(3), TINY).astype(np.float32)
        key = (lamp.name, lamp.colour)
        if key not in self._meshes:
            self._meshes[key] = len(self.meshes)
            faces = self._surface(lamp.faces, lamp.colour, "lamp")
            self.meshes.append({"name": lamp.name, "primitives": [faces]})
        name = f"{body['name']} {lamp.name} lamp"
        self.nodes.append({"name": name, "mesh": self._meshes[key], "scale": size[0].tolist()})
        if not lamp.lit.all():
            changes = np.flatnonzero(np.diff(lamp.lit, prepend=not lamp.lit[0]))
            self._animate(index, "scale", size[changes], "STEP", changes)

    def scenery(self) -> None:
        """The ground: areas as flat polygons, buildings as blocks, lines as lines, the relief as a mesh."""
        scene = self.tape.scene
        relief = relief_of(scene)
        if relief is not None:
            self._add("relief", [self._surface(relief.triangles() - self.origin, "#b7cc99")])
        for role, colour, flat in scene["areas"]:
            ring = np.asarray(flat, float).reshape(-1, 3)
            if len(ring) < 3 or (relief is not None and role.startswith("height")):
                continue
            faces = area_triangles(ring, role) - self.origin
            self._add(role or "area", [self._surface(faces, colour)])
        for role, colour, flat in scene["lines"]:
            points = np.asarray(flat, float).reshape(-1, 3) - (self.origin - ABOVE)
            if len(points) > 1:
                line = {
                    "attributes": {
                        "POSITION": self._accessor(points.astype(np.float32), "VEC3", bounds=True)
                    },
                    "mode": 3,
                    "material": self._material(colour),
                }
                self._add(role or "line", [line])

    def finished(self) -> tuple[dict[str, Any], bytes]:
        from swerve import __version__

        root = len(self.nodes)
        x, y, z = self.origin.tolist()
        half = float(np.sqrt(0.5))
        self.nodes.append({
            "name": str(self.tape.scene.get("title") or "Swerve"),
            "rotation": [-half, 0.0, 0.0, half],
            "translation": [x, z, -y],
            "children": [k for k in range(root) if k not in self._inner],
        })  # fmt: skip
        self.data += b"\0" * (-len(self.data) % 4)
        tree: dict[str, Any] = {
            "asset": {"version": "2.0", "generator": f"swerve {__version__}"},
            "scene": 0,
            "scenes": [{"nodes": [root]}],
            "nodes": self.nodes,
            "meshes": self.meshes,
            "materials": self.materials,
            "accessors": self.accessors,
            "bufferViews": self.views,
            "buffers": [{"byteLength": len(self.data)}],
        }
        if self.channels:
            tree["animations"] = [{"name": "motion", "channels": self.channels, "samplers": self.samplers}]
        return plain(tree), bytes(self.data)

    # -- details

    def _body_mesh(self, shape: str, colour: str) -> int:
        key = (shape, colour)
        if key not in self._meshes:
            parts = [
                self._surface(faces, MATERIALS.get(role, (colour,))[0], role) for role, faces in solid(shape)
            ]
            self._meshes[key] = len(self.meshes)
            self.meshes.append({"name": shape, "primitives": parts})
        return self._meshes[key]

    def _add(self, name: str, primitives: list[dict[str, Any]]) -> None:
        self.nodes.append({"name": name, "mesh": len(self.meshes)})
        self.meshes.append({"name": name, "primitives": primitives})

    def _surface(self, faces: np.ndarray, colour: str, role: str = "paint") -> dict[str, Any]:
        """Triangles (m, 3, 3), each flat."""
        up = np.repeat(normals(faces), 3, axis=0).astype(np.float32)
        up /= np.linalg.norm(up, axis=1, keepdims=True)
        places = faces.reshape(-1, 3).astype(np.float32)
        return {
            "attributes": {
                "POSITION": self._accessor(places, "VEC3", bounds=True),
                "NORMAL": self._accessor(up, "VEC3"),
            },
            "material": self._material(colour, role),
        }

    def _material(self, colour: str, role: str = "paint") -> int:
        if colour not in self._paints:
            _, metal, rough = MATERIALS.get(role, (colour, 0.1, 0.7))
            self._paints[colour] = len(self.materials)
            self.materials.append({
                "name": colour,
                "pbrMetallicRoughness": {
                    "baseColorFactor": [*linear(colour), 1.0],
                    "metallicFactor": metal,
                    "roughnessFactor": rough,
                },
                "doubleSided": True,
                **({"emissiveFactor": linear(colour)} if role == "lamp" else {}),
            })  # fmt: skip
        return self._paints[colour]

    def _animate(
        self, node: int, path: str, values: np.ndarray, how: str = "LINEAR", at: np.ndarray | None = None
    ) -> None:
        """`values` at every frame, or at the frames `at`."""
        times = (self.tape.times - self.tape.times[0]).astype(np.float32)
        if at is None and self._clock is None:
            self._clock = self._accessor(times, "SCALAR", bounds=True)
        clock = self._clock if at is None else self._accessor(times[at], "SCALAR", bounds=True)
        form = "VEC4" if values.shape[1] == 4 else "VEC3"
        if form == "VEC4":
            values = values / np.linalg.norm(values, axis=1, keepdims=True)
        self.samplers.append({"input": clock, "output": self._accessor(values, form), "interpolation": how})
        self.channels.append({"sampler": len(self.samplers) - 1, "target": {"node": node, "path": path}})

    def _accessor(self, values: np.ndarray, form: str, bounds: bool = False) -> int:
        values = np.ascontiguousarray(values, dtype="<f4")
        self.data += b"\0" * (-len(self.data) % 4)
        self.views.append({"buffer": 0, "byteOffset": len(self.data), "byteLength": values.nbytes})
        self.data += values.tobytes()
        entry: dict[str, Any] = {
            "bufferView": len(self.views) - 1,
            "componentType": FLOAT,
            "count": len(values),
            "type": form,
        }
        if bounds:
            flat = values.reshape(len(values), -1)
            entry |= {"min": flat.min(axis=0).tolist(), "max": flat.max(axis=0).tolist()}
        self.accessors.append(entry)
        return len(self.accessors) - 1


def area_triangles(ring: np.ndarray, role: str) -> np.ndarray:
    """Triangles (m, 3, 3) of an area's ring (n, 3); buildings rise."""
    faces = ring[triangulated(ring)] + [0.0, 0.0, LEVEL.get(role, 0.0)]
    if role != "building":
        return faces
    a, b = ring, np.roll(ring, -1, axis=0)
    up = np.array([0.0, 0.0, STOREY])
    walls = np.concatenate([np.stack([a, b, b + up], axis=1), np.stack([a, b + up, a + up], axis=1)])
    return np.concatenate([faces + up, walls])


def linear(colour: str) -> list[float]:
    """Red, green and blue from 0 to 1 of a colour like #d1495b, as light adds up."""
    values = np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) / 255.0
    light = np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)
    return [round(float(v), 5) for v in light]


def _unit(turn: np.ndarray) -> list[float]:
    return (turn / np.linalg.norm(turn)).tolist()
