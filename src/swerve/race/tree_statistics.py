"""What is in a move tree or motion graph, in figures."""

from __future__ import annotations

from typing import Any

import numpy as np

from swerve.core.clips import mismatch
from swerve.core.library import MotionLibrary

from .rollout import sideslip
from .trees import skids
from .wheel import steer_rate


def statistics(tree: MotionLibrary) -> dict[str, Any]:
    """Figures of the whole tree. `worst_seam` is the largest |Δu|+|Δv|+|Δω| from the end of a clip to the
    beginning of one that may follow it; `worst_sideways_seam` the largest |Δv|+|Δω| alone; `steer_rate_max`
    [rad/s] counts seams too.
    """
    counts = np.bincount(tree.source, minlength=len(tree.node_names))
    frames = np.array([clip.frames for clip in tree.clips])
    slip = [sideslip(clip.velocity) for clip in tree.clips]
    seams, sideways = _seams(tree)
    return {
        "tree": tree.name,
        "kind": tree.meta.get("kind", "motion library"),
        "nodes": len(tree.node_names),
        "clips": len(tree.clips),
        "clips_a_node": round(float(counts.mean()), 2),
        "most_clips_a_node": int(counts.max()),
        "shortest_clip_frames": int(frames.min()),
        "longest_clip_frames": int(frames.max()),
        "top_speed_m_s": tree.top_speed,
        "worst_seam": seams,
        "worst_sideways_seam": sideways,
        "steer_rate_max": steer_rate(tree),
        "skids": int(skids(tree).sum()),
        "largest_sideslip_deg": float(np.degrees(max(slip))),
        "farthest_clip_m": max(float(np.hypot(*clip.pose[-1, :2])) for clip in tree.clips),
        "sharpest_turn_deg": float(np.degrees(max(abs(clip.pose[-1, 2]) for clip in tree.clips))),
        "reverses": any(bool((clip.velocity[:, 0] < -0.1).any()) for clip in tree.clips),
    }


def node_statistics(tree: MotionLibrary) -> list[dict[str, Any]]:
    """Figures of every node: what starts there and how far it leads."""
    slides = skids(tree)
    rows = []
    for node, name in enumerate(tree.node_names):
        own = tree.out_of(node)
        clips = [tree.clips[k] for k in own]
        ends = np.array([clip.pose[-1] for clip in clips]).reshape(-1, 3)
        rows.append(
            {
                "node": name,
                "speed_m_s": float(tree.node_velocity[node, 0]),
                "clips": len(own),
                "skids": int(slides[own].sum()),
                "leads_to": len(set(tree.target[own].tolist())),
                "frames": f"{min((c.frames for c in clips), default=0)}–"
                f"{max((c.frames for c in clips), default=0)}",
                "ahead_m": float(ends[:, 0].max(initial=0.0)),
                "back_m": float(max(0.0, -ends[:, 0].min(initial=0.0))),
                "aside_m": float(np.abs(ends[:, 1]).max(initial=0.0)),
                "turn_deg": float(np.degrees(np.abs(ends[:, 2]).max(initial=0.0))),
            }
        )
    return rows


def _seams(tree: MotionLibrary) -> tuple[float, float]:
    """Worst fit of any end to any beginning that meet at a node, and the worst in v and ω alone."""
    worst = sideways = 0.0
    first = np.array([clip.velocity[0] for clip in tree.clips])
    last = np.array([clip.velocity[-1] for clip in tree.clips])
    for node in range(len(tree.node_names)):
        ends, starts = last[tree.target == node], first[tree.source == node]
        if len(ends) and len(starts):
            gaps = np.abs(ends[:, None] - starts[None])
            worst = max(worst, float(gaps.sum(axis=-1).max()))
            sideways = max(sideways, float(mismatch(ends[:, None, 1:], starts[None, :, 1:]).max()))
    return worst, sideways
