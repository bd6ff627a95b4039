"""A recording as a film seen from above: MP4 (H.264), WebM (VP9) or an animated GIF."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ..errors import require
from ..files import replacing
from ..progress import track
from ..recording import Recording
from .encode import encode_film, encode_gif, find_encoder
from .painter import Painter, palette
from .view import look

FILMS = {
    ".mp4": (25.0, 1280 * 720),
    ".webm": (25.0, 1280 * 720),
    ".gif": (12.5, 640 * 360),
}  # frames a second, pixels a frame


def write_film(
    recording: Recording,
    path: str | Path,
    title: str | None = None,
    follow: int | None = None,
    fps: float | None = None,
) -> Path:
    """Write an MP4, a WebM or a GIF, by the ending of `path`; with `follow` the camera stays on that body.

    Without it the camera shows the whole scene, or goes with a group that travels over open ground. `fps` is
    frames a second, 25 or for a GIF 12.5 by default. MP4 and WebM need the extra `swerve[video]`, which
    brings the encoder.
    """
    path = Path(path)
    require(path.suffix.lower() in FILMS, "film", path.name, "must end in .mp4, .webm or .gif")
    rate, pixels = FILMS[path.suffix.lower()]
    rate = fps or rate
    encoder = find_encoder() if path.suffix.lower() != ".gif" else ""
    view = look(recording, follow=follow)
    painter = Painter(view, title or str(recording.meta.get("scene") or ""), pixels, follow is not None)
    times = np.arange(view.times[0], view.times[-1] + 1e-9, 1 / rate)
    images = (painter.paint(float(t)) for t in track(times, "film"))
    with replacing(path) as draft:
        if encoder:
            encode_film(encoder, images, painter.size, rate, draft, path.suffix.lower())
        else:
            encode_gif(images, palette(view), rate, draft)
    return path
