"""Turns frames into films: MP4 (H.264) and WebM (VP9) with the encoder of the extra `swerve[video]`, GIF with
Pillow."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import BadInput, SwerveError

CODECS = {
    ".mp4": "-c:v libx264 -preset superfast -crf 21 -movflags +faststart",
    ".webm": "-c:v libvpx-vp9 -deadline realtime -cpu-used 6 -row-mt 1 -crf 32 -b:v 0",
}


def find_encoder() -> str:
    """Path of the video encoder that the extra brings."""
    try:
        import imageio_ffmpeg

        return str(imageio_ffmpeg.get_ffmpeg_exe())
    except (ImportError, RuntimeError) as error:
        raise BadInput("film", None, "needs the video encoder: pip install 'swerve[video]'") from error


def encode_film(
    encoder: str, images: Iterable[np.ndarray], size: tuple[int, int], rate: float, path: Path, suffix: str
) -> None:
    """Encode `images` (height, width, 4) bytes of `size` (width, height), `rate` of them a second, as
    `suffix` says."""
    source = f"-f rawvideo -pix_fmt rgba -s {size[0]}x{size[1]} -r {rate:g} -i -"
    colours = "-vf scale=out_color_matrix=bt709 -colorspace bt709 -color_primaries bt709 -color_trc bt709"
    output = f"-an {colours} -pix_fmt yuv420p {CODECS[suffix]} -f {suffix[1:]}"
    command = [encoder, "-y", "-loglevel", "error", *source.split(), *output.split(), "-fflags", "+bitexact"]
    with subprocess.Popen([*command, str(path)], stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None and process.stderr is not None
        try:
            for image in images:
                process.stdin.write(image.data)
            process.stdin.close()
        except BrokenPipeError:
            pass  # the encoder gave up; its own words follow
        words = process.stderr.read().decode(errors="replace").strip()
    if process.returncode:
        raise SwerveError(f"the video encoder failed: {' '.join(words.split()) or process.returncode}")


def encode_gif(images: Iterator[np.ndarray], colours: np.ndarray, rate: float, path: Path) -> None:
    """Encode `images` (height, width, 4) with a palette of `colours` (n, 3), both in bytes."""
    from PIL import Image
    from scipy.spatial import cKDTree

    fine = np.arange(64) * 4 + 2  # the nearest colour for each of 64 levels of red, green and blue
    cells = np.stack(np.meshgrid(fine, fine, fine, indexing="ij"), -1)
    nearest = cKDTree(colours).query(cells)[1].astype(np.uint8)

    def reduced(image: np.ndarray) -> Any:
        red, green, blue = (image[..., channel] >> 2 for channel in range(3))
        picture = Image.fromarray(nearest[red, green, blue])
        picture.putpalette(colours.tobytes())
        return picture

    first = reduced(next(images))
    rest = (reduced(image) for image in images)
    first.save(path, format="GIF", save_all=True, append_images=rest, duration=round(1000 / rate), loop=0)
