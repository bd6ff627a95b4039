"""Maps by degrees, in Web Mercator, in feet, turned, and of unknown systems."""

import json
import re
import struct
import sys
from pathlib import Path

import numpy as np
import pytest
from placed_maps import CELL, NORTH, WEST, ascii_grid, heights, utm

from swerve.cli.main import run
from swerve.core.errors import BadInput
from swerve.terrain import Terrain
from swerve.terrain.mapframe import MapFrame


@pytest.mark.parametrize("south", [-0.015, 46.985, -60.015])
def test_degrees_are_as_long_as_on_the_ellipsoid(tmp_path, south):
    """Finding: a degree of latitude had 111,320 m everywhere, and lengths were off by up to 0.7 %."""
    geod = pytest.importorskip("pyproj").Geod(ellps="WGS84")
    edges = {"xmin": 11.0, "ymin": south, "ymax": south + 0.031}
    np.savez(tmp_path / "map.npz", elevation=np.zeros((31, 31)), dx=1e-3, dy=1e-3, **edges)
    ground = Terrain.read(tmp_path / "map.npz")
    middle = south + 0.015
    for a, b in (((11.001, middle), (11.029, middle)), ((11.01, south), (11.01, south + 0.03))):
        flat = float(np.hypot(*np.subtract(*ground.frame.local(np.array([a, b])))))
        assert flat == pytest.approx(geod.inv(*a, *b)[2], rel=2e-5)
        assert ground.frame.mapped(ground.frame.local(np.array([a]))) == pytest.approx(np.array([a]))


def test_a_map_in_degrees_too_tall_to_be_laid_flat_is_said_so(capsys, tmp_path):
    """Finding: one cosine served a whole degree at 60° N, 1.5 % off at its edges, without a word."""
    for step, off in ((0.01, 0.0152), (0.001, 0.0015)):
        grid = {
            "elevation": np.zeros((101, 11)),
            "dx": step,
            "dy": step,
            "xmin": 11.0,
            "ymin": 60.0,
            "ymax": 61.0,
        }
        np.savez(tmp_path / "map.npz", **grid)
        ground = Terrain.read(tmp_path / "map.npz")
        assert ground.frame.stretch(ground.extent) == pytest.approx(off, rel=0.05)
        ends = [
            "--from",
            f"{60 + step},{11 + step}",
            "--to",
            f"{60 + 4 * step},{11 + 4 * step}",
            "--watch",
            "here",
        ]
        assert run(["terrain", str(tmp_path / "map.npz"), *ends, "--out", str(tmp_path / "out")]) == 2
        assert ("reproject" in capsys.readouterr().err) == (off > 0.003)
    utm_map = Terrain.read(utm(tmp_path / "map.tif"))
    assert 0.0003 < utm_map.frame.stretch(utm_map.extent) < 0.0005  # its zone's middle


@pytest.mark.parametrize("latitude", [0.0, 46.0, 60.0])
def test_a_map_in_web_mercator_is_as_large_as_it_is(tmp_path, monkeypatch, latitude):
    """Finding: its metres, at 60° twice those on the ground, were taken for metres: slopes were half as
    steep, and a vehicle was sent where it tips over."""
    pyproj = pytest.importorskip("pyproj")
    geod, over = pyproj.Geod(ellps="WGS84"), pyproj.Transformer.from_crs(4326, 3857, always_xy=True)
    west, north = over.transform(11.0, latitude)
    file = utm(tmp_path / "map.tif")
    for was, new in ((WEST, west), (NORTH, north)):
        file.write_bytes(file.read_bytes().replace(struct.pack("<d", was), struct.pack("<d", new)))
    number = [code.to_bytes(2, "little") for code in (32633, 3857)]
    file.write_bytes(file.read_bytes().replace(*number))
    ground = Terrain.read(file)
    assert ground.frame.crs == "EPSG:3857" and ground.frame.stretch(ground.extent) < 0.0036
    x0, y0, x1, y1 = ground.extent
    corners = ground.frame.lonlat(np.array([[x0, y0], [x1, y1]]))
    assert geod.inv(*corners.ravel())[2] == pytest.approx(np.hypot(x1 - x0, y1 - y0), rel=1e-3)
    place = ground.frame.place("--from", f"{west + 105},{north - 205}", ground.extent)
    assert float(ground.height(*place)) == pytest.approx(float(heights()[20, 10]), abs=1e-3)
    assert ground.frame.mapped(np.array([place]))[0] == pytest.approx([west + 105, north - 205], abs=1e-3)
    monkeypatch.setitem(sys.modules, "pyproj", None)
    with pytest.raises(BadInput, match="reproject"):
        Terrain.read(file)


@pytest.mark.parametrize("turn", [0.3, np.pi / 2, -2.5])
@pytest.mark.parametrize("upside_down", [False, True])
def test_a_turned_map_keeps_its_coordinates(tmp_path, turn, upside_down):
    """Finding: a GeoTIFF placed by a transformation that turns it was refused."""
    tifffile = pytest.importorskip("tifffile")
    rows, columns, unit = 30, 40, 0.3048
    c, s = np.cos(turn), np.sin(turn)
    down = (1 if upside_down else -1) * CELL * np.array([-s, c])
    matrix = (CELL * c, down[0], 0, WEST, CELL * s, down[1], 0, NORTH, 0, 0, 0, 0, 0, 0, 0, 1.0)
    keys = (1, 1, 0, 4, 1024, 0, 1, 1, 1025, 0, 1, 2, 3072, 0, 1, 2236, 3076, 0, 1, 9002)
    z = np.add.outer(0.5 * np.arange(rows), 0.1 * np.arange(columns))
    tags = [(34264, "d", 16, matrix), (34735, "H", len(keys), keys)]
    tifffile.imwrite(tmp_path / "t.tif", z.astype(np.float32), extratags=tags)
    ground = Terrain.read(tmp_path / "t.tif")
    assert ground.spacing == pytest.approx((CELL * unit, CELL * unit))
    for row, column in ((0, 0), (29, 0), (3, 17), (29, 39)):
        place = np.array([WEST, NORTH]) + CELL * column * np.array([c, s]) + row * down
        x, y = ground.frame.place("--from", f"{place[0]:.6f},{place[1]:.6f}", ground.extent)
        assert float(ground.height(x, y)) == pytest.approx(z[row, column], abs=1e-3)
        assert ground.frame.mapped(np.array([[x, y]]))[0] == pytest.approx(place, abs=1e-3)


@pytest.mark.parametrize("by_pyproj", [True, False])
def test_a_grid_of_feet_is_as_large_as_it_is(tmp_path, monkeypatch, by_pyproj):
    """Finding: the .prj beside a grid was asked for its name alone, and feet were taken for metres."""
    pyproj = pytest.importorskip("pyproj")
    grid = ascii_grid(tmp_path / "map.asc")
    (tmp_path / "map.prj").write_text(pyproj.CRS.from_epsg(2236).to_wkt("WKT1_ESRI"))
    if not by_pyproj:
        monkeypatch.setitem(sys.modules, "pyproj", None)
    ground = Terrain.read(grid)
    assert ground.spacing == pytest.approx((CELL * 1200 / 3937,) * 2)
    assert ground.frame.crs == ("EPSG:2236" if by_pyproj else "")
    x, y = ground.frame.place("--from", f"{WEST + 105},{NORTH - 205}", ground.extent)
    assert float(ground.height(x, y)) == pytest.approx(float(heights()[20, 10]), abs=1e-3)


def test_a_map_of_an_unknown_system_is_planned_over_in_its_own_coordinates(tmp_path, capsys):
    """Finding: its number was looked up when routes were written, and half of the files were left behind."""
    file = utm(tmp_path / "map.tif")
    file.write_bytes(file.read_bytes().replace((32633).to_bytes(2, "little"), (121).to_bytes(2, "little")))
    ends = ["--from", "500020,5300020", "--to", "500480,5300580"]
    few = ["--grid", "4", "--paths", "2", "--pictures", "none", "--json"]
    assert run(["terrain", str(file), *ends, *few, "--out", str(tmp_path)]) == 0
    result = json.loads(capsys.readouterr().out)
    written = json.loads(Path(result["route_geojson"]).read_text())
    assert result["crs"] == "EPSG:121" == written["crs"]["properties"]["name"]
    assert written["features"][0]["geometry"]["coordinates"][0][:2] == pytest.approx(
        [500020, 5300020], abs=0.01
    )


@pytest.mark.parametrize(("west", "east"), [(179.99, -179.985), (190.0, -169.97), (-180.005, 179.999)])
def test_longitudes_count_from_either_side_of_the_line_where_dates_change(tmp_path, west, east):
    """Finding: −179.99° lay "outside" a map from 179.99° to 180.02°, and routes were told beyond 180°."""
    np.savez(
        tmp_path / "map.npz",
        elevation=np.zeros((31, 31)),
        dx=1e-3,
        dy=1e-3,
        xmin=west,
        ymin=-17.0,
        ymax=-16.969,
    )
    ground = Terrain.read(tmp_path / "map.npz")
    (x, y), (x1, y1) = (
        ground.frame.place("--to", f"-16.99,{lon!r}", ground.extent)
        for lon in (east, (east + 180) % 360 - 180)
    )
    assert (x, y) == pytest.approx((x1, y1), abs=1e-5)
    assert 0.0 < x < ground.extent[2]
    back = ground.frame.lonlat(np.array([[x, y]]))
    assert back[0, 0] == pytest.approx(east, abs=1e-9) and abs(back[0, 0]) <= 180.0


def test_a_map_of_the_whole_earth_keeps_its_places():
    """Half of it lies more than 180° east of its corner."""
    frame = MapFrame("EPSG:4326", latitude=0.0, corner=(-180.0, -1.0))
    places = np.array([[-179.5, 0.0], [100.0, 0.0], [179.5, 0.0]])
    assert (np.diff(frame.local(places)[:, 0]) > 0).all()


def test_where_a_turned_map_reaches_is_told_from_least_to_most(tmp_path, capsys):
    """Finding: two of its corners were told, from which and to which it does not reach."""
    tifffile = pytest.importorskip("tifffile")
    c, s = CELL * np.cos(2.4), CELL * np.sin(2.4)
    matrix = (c, s, 0, WEST, s, -c, 0, NORTH, 0, 0, 0, 0, 0, 0, 0, 1.0)
    tifffile.imwrite(tmp_path / "map.tif", heights(), extratags=[(34264, "d", 16, matrix)])
    assert run(["terrain", str(tmp_path / "map.tif"), "--from", f"{WEST},{NORTH}"]) == 2
    told = capsys.readouterr().err
    x0, x1, y0, y1 = (float(word) for word in re.findall(r"[0-9.]{6,}", told.split("reaches over")[1]))
    ground = Terrain.read(tmp_path / "map.tif")
    west, south, east, north = ground.extent
    corners = ground.frame.mapped(np.array([[west, south], [east, south], [east, north], [west, north]]))
    assert (x0, y0) == pytest.approx(corners.min(axis=0), abs=0.01)
    assert (x1, y1) == pytest.approx(corners.max(axis=0), abs=0.01)
    assert told.startswith("swerve: --to:") and told.count("\n") == 1
