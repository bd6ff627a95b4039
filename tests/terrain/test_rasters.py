"""Rasters as others write them: packed, of several bands, scaled, in feet, with voids that nobody names."""

import sys

import numpy as np
import pytest

from swerve.core.errors import BadInput
from swerve.terrain.elevation import read_elevation

PLACED = [
    (33550, "d", 3, (10.0, 10.0, 0.0)),
    (33922, "d", 6, (0.0, 0.0, 0.0, 5e5, 53e5, 0.0)),
    (34735, "H", 16, (1, 1, 0, 3, 1024, 0, 1, 1, 1025, 0, 1, 1, 3072, 0, 1, 32633)),
]
Z = (100.0 + np.add.outer(2.0 * np.arange(12), 0.5 * np.arange(9))).astype(np.float32)


def tiff(path, values=Z, tags=(), **how):
    pytest.importorskip("tifffile").imwrite(path, values, extratags=[*PLACED, *tags], **how)
    return path


def said(*items):
    text = "".join(f'<Item name="X" sample="{k}" role="{role}">{v}</Item>' for k, role, v in items)
    return (42112, "s", 0, f"<GDALMetadata>{text}</GDALMetadata>")


@pytest.mark.parametrize("how", [{"compression": "lzw"}, {"compression": "zlib", "predictor": 3}])
def test_compressed_heights_are_read(tmp_path, how):
    """Finding: rasters packed by LZW or a predictor of floats, as agencies write them, were refused, even
    with the extra for GeoTIFFs."""
    pytest.importorskip("imagecodecs")
    found = read_elevation(tiff(tmp_path / "z.tif", **how))
    assert found.heights == pytest.approx(Z[::-1])


def test_what_unpacks_is_named_where_it_is_missing(tmp_path, monkeypatch):
    pytest.importorskip("imagecodecs")
    file = tiff(tmp_path / "z.tif", compression="lzw")
    codecs = sys.modules["tifffile"].tifffile.TIFF.DECOMPRESSORS

    def missing(*_):
        raise KeyError("LZW requires the 'imagecodecs' package")

    monkeypatch.setattr(type(codecs), "__getitem__", missing)
    with pytest.raises(BadInput, match=r"swerve\[geotiff\].*LZW"):
        read_elevation(file)


@pytest.mark.parametrize("apart", [True, False])
def test_the_first_of_several_bands_holds_the_heights(tmp_path, apart):
    """Finding: of bands that lie one after the other a slice across all of them was taken for the map."""
    bands = np.stack([Z, 0 * Z + 7.0], axis=0 if apart else 2)
    how = {"planarconfig": "separate" if apart else "contig", "photometric": "minisblack"}
    assert read_elevation(tiff(tmp_path / "z.tif", bands, **how)).heights == pytest.approx(Z[::-1])


def test_a_picture_is_no_map(tmp_path):
    picture = np.zeros((12, 9, 3), np.uint8)
    with pytest.raises(BadInput, match="picture"):
        read_elevation(tiff(tmp_path / "z.tif", picture, photometric="rgb"))


def test_scale_offset_and_unit_are_those_of_the_first_band(tmp_path):
    """Finding: decimetres were taken for metres where the file tells a scale."""
    about = [(0, "scale", 0.1), (1, "scale", 9.0), (0, "offset", 5), (0, "unittype", "ft")]
    tenths = np.round(10 * Z).astype(np.int16)
    tenths[0, 0] = -7
    tags = [said(*about), (42113, "s", 0, "-7")]
    heights = read_elevation(tiff(tmp_path / "z.tif", tenths, tags)).heights[::-1]
    assert np.isnan(heights[0, 0])
    assert heights[1:] == pytest.approx(0.3048 * (Z[1:] + 5.0), abs=0.02)


@pytest.mark.parametrize("mark", [None, -9999.9])
def test_voids_are_voids(tmp_path, mark):
    """Finding: −9999 was a height where no mark for voids is told, and a told mark was not found again among
    numbers of less precision."""
    z = Z.copy()
    z[3, 4] = -9999.0 if mark is None else mark
    tags = [] if mark is None else [(42113, "s", 0, str(mark))]
    heights = read_elevation(tiff(tmp_path / "z.tif", z, tags)).heights[::-1]
    assert np.isnan(heights[3, 4]) and np.isfinite(heights).sum() == z.size - 1


def test_heights_beyond_the_earth_are_told_as_such(tmp_path):
    with pytest.raises(BadInput, match="from -12000 to 9000"):
        read_elevation(tiff(tmp_path / "z.tif", 1000 * Z))


def test_an_ascii_grid_of_oblong_cells(tmp_path):
    """Finding: the `dx` and `dy` that GDAL writes for oblong cells were not known."""
    rows = "\n".join(" ".join(map(str, row)) for row in Z)
    head = "ncols 9\nnrows 12\nxllcorner 700000\nyllcorner 3999000\n"
    (tmp_path / "z.asc").write_text(f"{head}dx 30\ndy 20\n{rows}\n")
    found = read_elevation(tmp_path / "z.asc")
    assert found.spacing == (30.0, 20.0) and found.origin == (700_015.0, 3_999_010.0)
    (tmp_path / "y.asc").write_text(f"{head}{rows}\n")
    with pytest.raises(BadInput, match="cellsize"):
        read_elevation(tmp_path / "y.asc")


def test_the_southern_edge_is_the_lower_one(tmp_path):
    """Finding: a map whose edges are named the other way round lay a map's height too far north."""
    edges = {"xmin": 14.0, "ymin": 51.01, "ymax": 51.0, "dx": 0.001, "dy": 0.001}
    np.savez(tmp_path / "z.npz", elevation=Z, **edges)
    assert read_elevation(tmp_path / "z.npz").frame.corner == (14.0, 51.0)
