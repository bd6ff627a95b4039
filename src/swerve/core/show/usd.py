"""A recording as USD: a prim a body with animated transforms. Needs `usd-core`."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ..errors import BadInput
from ..files import replacing
from ..recording import Recording
from .gltf import linear
from .solids import solid
from .tape import tape_of


def write_usd(recording: Recording, path: str | Path, fps: float | None = None) -> Path:
    """Write `path` (.usda); one time code is one second."""
    try:
        from pxr import Gf, Sdf, Usd, UsdGeom, Vt
    except ImportError as error:
        raise BadInput("usd", None, "needs usd-core: pip install 'swerve[usd]'") from error
    tape = tape_of(recording, fps)
    with replacing(path) as draft:
        stage = Usd.Stage.CreateInMemory()
        UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z)
        UsdGeom.SetStageMetersPerUnit(stage, 1.0)
        stage.SetTimeCodesPerSecond(1.0)
        stage.SetStartTimeCode(float(tape.times[0]))
        stage.SetEndTimeCode(float(tape.times[-1]))
        root = UsdGeom.Xform.Define(stage, "/World")
        stage.SetDefaultPrim(root.GetPrim())
        for k, look in enumerate(tape.looks):
            body = UsdGeom.Mesh.Define(stage, f"/World/body_{look.id}".replace("-", "m"))
            faces = np.concatenate([triangles for _, triangles in solid(look.shape)])
            body.CreatePointsAttr(Vt.Vec3fArray.FromNumpy(faces.reshape(-1, 3).astype(np.float32)))
            body.CreateFaceVertexCountsAttr(Vt.IntArray.FromNumpy(np.full(len(faces), 3, np.int32)))
            body.CreateFaceVertexIndicesAttr(Vt.IntArray.FromNumpy(np.arange(3 * len(faces), dtype=np.int32)))
            body.CreateDisplayColorAttr([Gf.Vec3f(*linear(look.colour))])
            body.GetPrim().CreateAttribute("swerve:kind", Sdf.ValueTypeNames.String).Set(look.kind)
            move, turn = body.AddTranslateOp(UsdGeom.XformOp.PrecisionDouble), body.AddOrientOp()
            body.AddScaleOp().Set(Gf.Vec3f(*(max(s, 0.01) for s in look.size)))
            seen = body.CreateVisibilityAttr()
            for i, t in enumerate(tape.times):
                w, x, y, z = (float(v) for v in tape.turn[k, i])
                move.Set(Gf.Vec3d(*tape.place[k, i].tolist()), float(t))
                turn.Set(Gf.Quatf(w, x, y, z), float(t))
                there = tape.present[k, i]
                if i == 0 or there != tape.present[k, i - 1]:
                    seen.Set("inherited" if there else "invisible", float(t))
        draft.write_text(stage.GetRootLayer().ExportToString(), encoding="utf-8")
    return Path(path)
