"""Every command that writes, at small size, and what a whole file of each kind is."""

import csv
import json
import struct
from importlib.util import find_spec
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pyarrow.parquet as pq
from camera_commands import camera_commands
from formats import CIRCUIT, ROADS, SCENES, STORY
from PIL import Image
from pyarrow import BufferReader

from swerve.core.recording import Recording

CHEAP = ("track", "page", "picture", "film", "csv", "gltf")


def commands(inputs: Path, out: Path) -> dict[str, list[str]]:
    """Words by name; they write below `out` and nowhere else."""
    recording = str(inputs / "run.parquet")
    ground = [str(inputs / "hill.npy"), "--from", "3,3", "--to", "35,35"]
    return {
        "track": ["race", "track", "--out", f"{out}/track.csv"],
        "page": ["show", recording, "--out", f"{out}/run.html"],
        "picture": ["show", recording, "--out", f"{out}/run.png"],
        "film": ["show", recording, "--out", f"{out}/run.gif"],
        "csv": ["export", recording, "--as", "csv", "--out", f"{out}/run.csv"],
        "gltf": ["export", recording, "--as", "gltf", "--out", f"{out}/run.gltf"],
        "table": [
            "see",
            "table",
            *(str(inputs / n) for n in ("field.png", "robots.png", "labels.csv")),
            "--out",
            f"{out}/see",
        ],
        "race": ["race", "cornered", "--tree", "five", "--out", f"{out}/race"],
        "plan": ["plan", "pool", "--out", f"{out}/plan"],
        "city": ["city", "grid", "--vehicles", "20", "--seconds", "5", "--out", f"{out}/city"],
        "match": ["match", "--minutes", "0.02", "--out", f"{out}/match"],
        "ride": ["ride", "path", "--detail", "map", "--curve", "2", "--out", f"{out}/ride"],
        "tune": ["ride", "tune", "--tries", "3", "--starts", "1", "--threads", "1", "--out", f"{out}/tune"],
        "play": ["play", "minigolf-one-bounce", "--trials", "3", "--workers", "2", "--out", f"{out}/play"],
        "fit": ["fit", "minigolf", "--evaluations", "3", "--courses", "0", "--out", f"{out}/fit"],
        "learn": ["learn", "pool", "--instances", "2", "--unseen", "1", "--out", f"{out}/learn/tactic.json"],
        "terrain": ["terrain", *ground, "--out", f"{out}/terrain"],
        "tree": ["race", "tree", "build", "five", "--out", f"{out}/five.npz"],
        "study": ["study", "adam-4.2", "--trials", "1", "--workers", "2", "--out", f"{out}/study"],
        **more_commands(inputs, out),
    }


def more_commands(inputs: Path, out: Path) -> dict[str, list[str]]:
    """The others: every form of export, the smaller commands of each wing, a world, a stop of the tour."""
    recording = str(inputs / "run.parquet")
    forms = {"glb": "glb", "fcd": "xml", "html": "html", "svg": "svg", "webm": "webm", "mp4": "mp4"}
    if find_spec("pxr") is not None:
        forms["usd"] = "usdc"
    map_rider = ["--rider", "car", "--threads", "1", "--out", f"{out}/ride"]
    return {
        **{
            f"export {form}": ["export", recording, "--as", form, "--out", f"{out}/run.{ending}"]
            for form, ending in forms.items()
        },
        "strip": ["show", recording, "--from", "side", "--follow", "1", "--out", f"{out}/run.svg"],
        "draw tree": ["race", "tree", "draw", "five", "--out", f"{out}/five.png"],
        "track picture": ["race", "track", "--out", f"{out}/track.png"],
        "circuit": ["terrain", "circuit", str(inputs / "circuit.csv"), "--out", f"{out}/circuit"],
        "map": ["ride", "map", "--states", "4", "--actions", "3", "--check", "2", *map_rider],
        "herd": ["ride", "herd", "--riders", "3", "--seconds", "2", "--detail", "map", *map_rider],
        "stop": ["ride", "stop", "--out", f"{out}/stop"],
        "cross": ["ride", "cross", "--seconds", "1", "--out", f"{out}/cross"],
        "body": ["ride", "body", "--seconds", "1", "--out", f"{out}/body"],
        "scenario": ["city", "scenario", str(inputs / "story.xosc"), "--out", f"{out}/scenario"],
        "scene": ["scene", str(SCENES / "vans.yaml"), "--seconds", "1", "--out", f"{out}/scene"],
        "drum": ["plan", "drum", "--layout", "1", "--threads", "2", "--out", f"{out}/drum"],
        "synthetic": ["see", "synthetic", "--frames", "1", "--out", f"{out}/synthetic"],
        "tour": ["tour", "--only", "terrain", "--out", f"{out}/tour"],
        **camera_commands(inputs, out),
    }


def make_inputs(folder: Path) -> None:
    """A short recording, a small hill, a small field, a circuit and a story on its road."""
    make_field(folder)
    for name, text in {"circuit.csv": CIRCUIT, "story.xosc": STORY, "r.xodr": ROADS}.items():
        (folder / name).write_text(text)
    t = np.arange(0, 1, 0.04)
    pose, velocity = np.column_stack([10 * t, 5 * t * t, t]), np.column_stack([10 + 0 * t, 10 * t])
    meta = {"scene": "test", "lines": [{"points": [[0, -3], [12, -3]], "role": "wall"}]}
    car = Recording.planar(t, 1, "car", pose, velocity, (4.4, 1.8, 1.4), meta=meta, brake=True)
    car.write(folder / "run.parquet")
    x, y = np.meshgrid(np.arange(40.0), np.arange(40.0))
    np.save(folder / "hill.npy", 3 * np.exp(-((x - 20) ** 2 + (y - 20) ** 2) / 60))


def make_field(folder: Path) -> None:
    """An empty field, patches of all colours on it, and what colour their pixels have."""
    paints = {
        "orange": (210, 85, 18),
        "yellow": (215, 190, 27),
        "blue": (18, 63, 190),
        "pink": (215, 50, 163),
        "green": (72, 215, 68),
        "carpet": (34, 86, 43),
        "white": (193, 194, 187),
        "dark": (14, 13, 16),
    }
    field = np.full((120, 180, 3), paints["carpet"], np.uint8)
    field += np.random.default_rng(0).integers(0, 6, field.shape, np.uint8)
    Image.fromarray(field).save(folder / "field.png")
    rows = ["u,v,colour"]
    for k, (name, levels) in enumerate(paints.items()):
        field[20:28, 20 * k + 4 : 20 * k + 12] = levels
        rows += [f"{20 * k + 4 + i % 8},{20 + i // 8},{name}" for i in range(64)]
    Image.fromarray(field).save(folder / "robots.png")
    (folder / "labels.csv").write_text("\n".join(rows) + "\n")


def broken(folder: Path) -> list[str]:
    """Files that are not whole, and drafts that were left; ledgers may end in the middle of a line."""
    found = []
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix != ".ledger":
            try:
                _WHOLE[path.suffix](path)
            except Exception as error:
                found.append(f"{path.name}: {error!r}")
    return found


def _parquet(path: Path) -> None:
    """From bytes: given a path, Arrow's threads may still hold the file when its table is there."""
    pq.read_table(BufferReader(path.read_bytes()))


def _npz(path: Path) -> None:
    with np.load(path) as archive:
        assert [archive[name] for name in archive.files]


def _image(path: Path) -> None:
    with Image.open(path) as image:
        for frame in range(getattr(image, "n_frames", 1)):
            image.seek(frame)
            image.load()


def _csv(path: Path) -> None:
    with path.open() as stream:
        assert len({len(row) for row in csv.reader(stream)}) == 1
    assert path.read_text().endswith("\n")


def _text(path: Path) -> None:
    assert path.read_text().endswith("\n")


def _page(path: Path) -> None:
    assert path.read_text().rstrip().endswith("</html>")


def _glb(path: Path) -> None:
    data = path.read_bytes()
    assert struct.unpack_from("<4sII", data)[2] == len(data)


def _film(path: Path) -> None:
    from imageio_ffmpeg import count_frames_and_secs

    assert count_frames_and_secs(str(path))[0] > 1


_WHOLE = {
    ".glb": _glb,
    ".webm": _film,
    ".mp4": _film,
    ".xml": ElementTree.parse,
    ".svg": ElementTree.parse,
    ".parquet": _parquet,
    ".npz": _npz,
    ".png": _image,
    ".gif": _image,
    ".csv": _csv,
    ".json": lambda path: json.loads(path.read_text()),
    ".gltf": lambda path: json.loads(path.read_text()),
    ".geojson": lambda path: json.loads(path.read_text()),
    ".md": _text,
    ".html": _page,
}
