"""Motion libraries: clips joined into a directed graph, kept in one file.

Nodes are moments at which one clip may follow another; every clip leads from its source node to its target
node. A move tree, a motion graph and a mobility map are all of this form: stored predictions of what a body
can do from here.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import numpy as np

from .clips import Clip, mismatch
from .errors import BadInput
from .files import existing, file_name, replacing, to_json
from .untrusted import parse_json, read_arrays

FORMAT = "swerve motion library 1"
T = TypeVar("T")


@dataclass(frozen=True)
class MotionLibrary:
    """`source` and `target` (k,) name the node each clip starts from and ends at (target −1: nowhere);
    `node_velocity` (m, 3) is the body-frame velocity that stands for a node.
    """

    name: str
    clips: tuple[Clip, ...]
    source: np.ndarray
    target: np.ndarray
    node_names: tuple[str, ...]
    node_velocity: np.ndarray
    meta: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        nodes, clips = len(self.node_names), len(self.clips)
        where = f"motion library {self.name}"
        try:
            file_name(self.name)
        except ValueError as error:
            raise BadInput("motion library, name", self.name, str(error)) from error
        if clips == 0 or nodes == 0:
            raise BadInput(where, clips, "needs at least one clip and one node; clips")
        if len(self.source) != clips or len(self.target) != clips:
            raise BadInput(where, len(self.source), f"must name source and target of {clips} clips")
        if self.node_velocity.shape != (nodes, 3):
            raise BadInput(where, self.node_velocity.shape, f"node_velocity must be ({nodes}, 3)")
        if not np.isfinite(self.node_velocity).all():
            raise BadInput(where, None, "node_velocity must be finite numbers")
        if self.source.min() < 0 or self.source.max() >= nodes or self.target.max() >= nodes:
            raise BadInput(where, None, f"names a node beyond its {nodes}")
        if len({clip.dt for clip in self.clips}) != 1:
            raise BadInput(where, sorted({clip.dt for clip in self.clips}), "clips differ in frame length")

    @property
    def dt(self) -> float:
        """Length of a frame [s]."""
        return self.clips[0].dt

    @property
    def top_speed(self) -> float:
        """Largest way a clip covers in a frame, as a speed [m/s]; no route is faster."""
        ways = (np.hypot(*np.diff(clip.pose[:, :2], axis=0).T).max() for clip in self.clips)
        return self.once("top speed", lambda: float(max(ways)) / self.dt)

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """What `make` works out of this library: made when it is first asked for by this key, and kept."""
        known: dict[Hashable, T] = self.__dict__.setdefault("_known", {})
        if key not in known:
            known[key] = make()
        return known[key]

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_known"}

    def out_of(self, node: int) -> np.ndarray:
        """The clips that start at `node`."""
        return np.flatnonzero(self.source == node)

    def seams(self) -> np.ndarray:
        """For every clip, the worst mismatch to the nodes at its two ends."""
        ends = [
            max(
                mismatch(clip.velocity[0], self.node_velocity[a]),
                mismatch(clip.velocity[-1], self.node_velocity[b]) if b >= 0 else 0.0,
            )
            for clip, a, b in zip(self.clips, self.source, self.target, strict=True)
        ]
        return np.array(ends)

    def save(self, path: str | Path) -> Path:
        """Write as a NumPy archive: flat arrays and a line of JSON, no Python objects."""
        with replacing(path) as draft, draft.open("wb") as stream:
            self.write(stream)
        return Path(path)

    def write(self, stream: BinaryIO) -> None:
        """Write it to a file that is open."""
        offsets = np.cumsum([0] + [len(clip.pose) for clip in self.clips])
        header = {
            "format": FORMAT,
            "name": self.name,
            "dt": self.dt,
            "clips": [clip.name for clip in self.clips],
            "nodes": list(self.node_names),
            "meta": self.meta,
        }
        width = max(clip.controls.shape[1] if clip.controls.size else 0 for clip in self.clips)
        controls = np.full((offsets[-1], width), np.nan)
        for clip, start in zip(self.clips, offsets, strict=False):
            if clip.controls.size:
                controls[start : start + clip.frames] = clip.controls
        np.savez_compressed(
            stream,
            header=np.frombuffer(to_json(header).encode(), dtype=np.uint8),
            offsets=offsets,
            pose=np.concatenate([clip.pose for clip in self.clips]),
            velocity=np.concatenate([clip.velocity for clip in self.clips]),
            controls=controls,
            source=self.source,
            target=self.target,
            node_velocity=self.node_velocity,
        )

    @classmethod
    def load(cls, path: str | Path) -> MotionLibrary:
        path = existing(path, "motion library")
        try:
            data = read_arrays(path)
            header = parse_json(bytes(data["header"]))
            if header["format"] != FORMAT:
                raise BadInput(f"motion library {path}", header["format"], f"format must be {FORMAT!r}")
            return cls._from(header, data)
        except BadInput as error:
            raise BadInput(f"motion library {path}", None, str(error)) from error
        except Exception as error:  # zip and array readers fail in a dozen ways on damaged bytes
            raise BadInput(f"motion library {path}", None, "is damaged or not a motion library") from error

    @classmethod
    def _from(cls, header: Mapping[str, Any], data: Mapping[str, np.ndarray]) -> MotionLibrary:
        offsets = data["offsets"]
        clips = []
        for name, start, stop in zip(header["clips"], offsets[:-1], offsets[1:], strict=True):
            controls = data["controls"][start : stop - 1]
            known = np.isfinite(controls)
            held = controls.size > 0 and bool(known.all())
            partly = known.any() and not known.all()
            if partly or len(controls) != stop - 1 - start or np.isinf(controls).any():
                raise BadInput(f"clip {name}", None, "controls must be finite numbers, one row a frame")
            clips.append(
                Clip(
                    name,
                    header["dt"],
                    data["pose"][start:stop],
                    data["velocity"][start:stop],
                    controls if held else np.zeros((0, 0)),
                )
            )
        return cls(
            header["name"],
            tuple(clips),
            data["source"],
            data["target"],
            tuple(header["nodes"]),
            data["node_velocity"],
            header["meta"],
        )


def keep(
    library: MotionLibrary, chosen: Sequence[int] | np.ndarray, name: str | None = None
) -> MotionLibrary:
    """The library with only the `chosen` clips; nodes stay as they are."""
    chosen = np.asarray(chosen)
    return MotionLibrary(
        name or library.name,
        tuple(library.clips[i] for i in chosen),
        library.source[chosen],
        library.target[chosen],
        library.node_names,
        library.node_velocity,
        library.meta,
    )
