"""Maps that lie somewhere: coordinates in and out, feet, obstacles as GeoJSON, routes as CSV and GeoJSON."""

import csv
import json
import struct
import sys
from pathlib import Path

import numpy as np
import pytest
from walls import touches

from swerve.cli.main import run
from swerve.core.errors import BadInput
from swerve.terrain import PathOptions, SurfacePath, Terrain, Vehicle, fastest_path, speed_profile
from swerve.terrain.geo import read_obstacles, write_route_csv, write_route_geojson
from swerve.terrain.route import Route
from swerve.terrain.scene_file import load_scene

WEST, NORTH, CELL = 500_000.0, 5_300_600.0, 10.0
ROWS, COLUMNS = 61, 51


def heights():
    x, y = np.meshgrid(np.arange(COLUMNS), np.arange(ROWS))
    return (5 * np.sin(x / 9) * np.cos(y / 11)).astype(np.float32)


def utm(path, feet=False, matrix=False):
    tifffile = pytest.importorskip("tifffile")
    keys = [1, 1, 0, 3, 1024, 0, 1, 1, 1025, 0, 1, 1, 3072, 0, 1, 32633]
    if feet:
        keys = [*keys[:3], 4, *keys[4:], 3076, 0, 1, 9002]
    placed = [(33550, "d", 3, (CELL, CELL, 0.0)), (33922, "d", 6, (0.0, 0.0, 0.0, WEST, NORTH, 0.0))]
    if matrix:
        placed = [(34264, "d", 16, (CELL, 0, 0, WEST, 0, -CELL, 0, NORTH, 0, 0, 0, 0, 0, 0, 0, 1.0))]
    tifffile.imwrite(path, heights(), extratags=[*placed, (34735, "H", len(keys), tuple(keys))])
    return path


def ascii_grid(path):
    rows = "\n".join(" ".join(f"{v:.3f}" for v in row) for row in heights())
    south = NORTH - ROWS * CELL
    path.write_text(
        f"ncols {COLUMNS}\nnrows {ROWS}\nxllcorner {WEST}\nyllcorner {south}\ncellsize {CELL}\n{rows}\n"
    )
    return path


@pytest.mark.parametrize("matrix", [False, True])
def test_a_utm_map_keeps_its_coordinates(tmp_path, matrix):
    ground = Terrain.read(utm(tmp_path / "map.tif", matrix=matrix))
    assert ground.frame.crs == "EPSG:32633"
    assert ground.extent == pytest.approx((WEST + 5, NORTH - 605, WEST + 505, NORTH - 5))
    assert float(ground.height(WEST + 5, NORTH - 5)) == pytest.approx(heights()[0, 0], abs=1e-3)
    feet = Terrain.read(utm(tmp_path / "feet.tif", feet=True))
    assert feet.spacing == pytest.approx((3.048, 3.048))
    assert feet.frame.mapped(np.array([feet.extent[:2]]))[0] == pytest.approx([WEST + 5, NORTH - 605])


@pytest.mark.parametrize("make", [utm, ascii_grid])
def test_start_goal_and_route_are_in_map_coordinates(capsys, tmp_path, make):
    file = make(tmp_path / ("map.tif" if make is utm else "map.asc"))
    ends = (500_020.0, 5_300_020.0), (500_480.0, 5_300_580.0)
    wall = [[500_100, 5_300_250], [500_400, 5_300_250], [500_400, 5_300_260], [500_100, 5_300_260]]
    feature = {"type": "Polygon", "coordinates": [[*wall, wall[0]]]}
    (tmp_path / "walls.geojson").write_text(json.dumps(feature))
    options = [f"--{n}={x},{y}" for n, (x, y) in zip(("from", "to"), ends, strict=True)]
    options += ["--grid", "5", "--paths", "5", "--obstacles", str(tmp_path / "walls.geojson")]
    assert run(["terrain", str(file), *options, "--out", str(tmp_path), "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    with open(result["route_csv"], newline="") as stream:
        rows = list(csv.DictReader(stream))
    for row, (x, y) in zip((rows[0], rows[-1]), ends, strict=True):
        assert (float(row["east"]), float(row["north"])) == pytest.approx((x, y), abs=0.01)
    own = np.array([[float(r["east"]), float(r["north"])] for r in rows])
    assert not touches(own, [np.array(wall, dtype=float)], *Vehicle().size[:2])
    assert float(rows[-1]["t_s"]) == pytest.approx(result["time"], abs=1e-5)
    written = json.loads(Path(result["route_geojson"]).read_text())
    line = np.array(written["features"][0]["geometry"]["coordinates"])[:, :2]
    if make is utm and pytest.importorskip("pyproj"):
        assert result["crs"] == "EPSG:32633" and np.abs(line[0] - [15.0, 47.8]).max() < 0.1
        line = Terrain.read(file).frame.from_lonlat(line)
    assert np.abs(line - own).max() < 0.01
    assert len(result["switching_points"]) == len(written["features"]) - 1 > 0
    assert {"before", "after", "distance"} <= set(result["switching_points"][0])


def test_latitude_and_longitude_name_the_same_place(tmp_path):
    pytest.importorskip("pyproj")
    ground = Terrain.read(utm(tmp_path / "map.tif"))
    there = np.array([[500_123.0, 5_300_321.0]])
    lon, lat = ground.frame.lonlat(there)[0]
    assert ground.frame.place("--from", f"{lat},{lon}", ground.extent) == pytest.approx(there[0], abs=0.01)


def test_a_ring_may_be_closed_or_not(tmp_path):
    """Finding: of a ring whose first corner is not repeated, the last corner was lost."""
    ground = Terrain.read(ascii_grid(tmp_path / "map.asc"))
    wall = [[WEST + x, NORTH - y] for x, y in ((100, 300), (400, 300), (400, 290), (100, 290))]
    read = []
    for ring in (wall, [*wall, wall[0]]):
        (tmp_path / "w.geojson").write_text(json.dumps({"type": "Polygon", "coordinates": [ring]}))
        read.append(read_obstacles(tmp_path / "w.geojson", ground))
    assert read[0] == read[1] and len(read[0][0].corners) == 4


def test_wrong_grids_and_obstacles_are_refused(tmp_path):
    grid = ascii_grid(tmp_path / "map.asc")
    ground = Terrain.read(grid)
    grid.write_text(grid.read_text().replace(f"nrows {ROWS}", "nrows 60"))
    with pytest.raises(BadInput, match="nrows"):
        Terrain.read(grid)
    np.save(tmp_path / "words.npy", np.array([["a", "b"], ["c", "d"]]))
    with pytest.raises(BadInput, match="numbers"):
        Terrain.read(tmp_path / "words.npy")
    for text in (
        "[]",
        "{}",
        '{"type":"Polygon"}',
        '{"type":"Polygon","coordinates":[[[0,0],[1]]]}',
        "nonsense",
    ):
        (tmp_path / "bad.geojson").write_text(text)
        with pytest.raises(BadInput, match="obstacles"):
            read_obstacles(tmp_path / "bad.geojson", ground)


def test_obstacles_that_miss_the_map_are_refused(tmp_path):
    """Finding: a wall with northing before easting, or of another zone, was dropped without a word."""
    ground = Terrain.read(ascii_grid(tmp_path / "map.asc"))
    wall = np.array(
        [[WEST, NORTH - 300], [WEST + 500, NORTH - 300], [WEST + 500, NORTH - 290], [WEST, NORTH - 300]]
    )
    for ring, read in ((wall, True), (wall[:, ::-1], False), (wall - [450e3, 0], False)):
        (tmp_path / "w.geojson").write_text(json.dumps({"type": "Polygon", "coordinates": [ring.tolist()]}))
        if read:
            assert len(read_obstacles(tmp_path / "w.geojson", ground)) == 1
        else:
            with pytest.raises(BadInput, match="does not lie over the map"):
                read_obstacles(tmp_path / "w.geojson", ground)


def test_obstacles_are_laid_by_the_system_that_they_name(tmp_path):
    """Finding: a wall that said it was of another zone was taken for one of the map's."""
    pyproj = pytest.importorskip("pyproj")
    ground = Terrain.read(utm(tmp_path / "map.tif"))
    wall = np.array([[100.0, -300], [400, -300], [400, -290], [100, -290], [100, -300]])
    wall += np.array([WEST, NORTH])
    for system, name in (
        ("EPSG:32632", "urn:ogc:def:crs:EPSG::32632"),
        ("EPSG:32633", "EPSG:32633"),
        ("EPSG:4326", "urn:ogc:def:crs:OGC:1.3:CRS84"),
        ("EPSG:3857", "EPSG:3857"),
    ):
        turn = pyproj.Transformer.from_crs("EPSG:32633", system, always_xy=True)
        ring = np.column_stack(turn.transform(*wall.T)).tolist()
        crs = {"type": "name", "properties": {"name": name}}
        data = {"type": "Polygon", "coordinates": [ring], "crs": crs}
        (tmp_path / "w.geojson").write_text(json.dumps(data))
        (region,) = read_obstacles(tmp_path / "w.geojson", ground)
        assert np.abs(np.array(region.corners) - wall[:-1]).max() < 1e-3
    unplaced = Terrain.from_heights(np.zeros((9, 9)), 10.0)
    with pytest.raises(BadInput, match="does not tell its own"):
        read_obstacles(tmp_path / "w.geojson", unplaced)
    for crs in (
        7,
        {"type": "name"},
        {"properties": {"name": "EPSG:99999999"}},
        {"properties": {"name": "x"}},
    ):
        (tmp_path / "w.geojson").write_text(json.dumps({**data, "crs": crs}))
        with pytest.raises(BadInput, match="crs"):
            read_obstacles(tmp_path / "w.geojson", ground)


def test_options_overrule_a_scene_file_and_are_refused_where_they_mean_nothing(tmp_path, capsys):
    """Finding: --voids and --spacing were ignored with scene files."""
    cells = np.zeros((9, 9))
    cells[4, 4] = np.nan
    np.save(tmp_path / "map.npy", cells)
    (tmp_path / "place.yaml").write_text("map: map.npy\nspacing: 10\nfrom: [5, 5]\nto: [70, 70]\n")
    assert load_scene(tmp_path / "place.yaml").terrain.mobility_at(40.0, 40.0) == 0.0
    filled = load_scene(tmp_path / "place.yaml", voids="fill", spacing=20.0).terrain
    assert filled.mobility_at(80.0, 80.0) == 1.0 and filled.extent[2] == 160.0
    options = [str(tmp_path / "place.yaml"), "--voids", "fill", "--spacing", "nonsense"]
    assert run(["terrain", *options]) == 2
    for option in (["--voids", "fill"], ["--spacing", "7"]):
        assert run(["terrain", "mountain", *option, "--out", str(tmp_path)]) == 2
        assert "is for files" in capsys.readouterr().err


def test_a_route_file_tells_what_holds_at_every_point(tmp_path):
    """Finding: the GeoJSON had neither steering nor slopes, and the CSV gave what binds as bare numbers."""
    ground = Terrain.from_function(lambda x, y: 5 * np.sin(x / 40), (200.0, 200.0), 10.0)
    car = Vehicle()
    path = SurfacePath.from_controls(ground, [[10, 10], [80, 20], [120, 150], [190, 190]])
    route = Route(path, speed_profile(path, car), 0.0)
    file = write_route_geojson(tmp_path / "r.geojson", route, car, ground)
    line = json.loads(file.read_text())["features"][0]
    count = len(line["geometry"]["coordinates"])
    for name in ("times", "distances", "speeds", "steering", "pitch", "roll", "binding"):
        assert len(line["properties"][name]) == count
    names, *rows = write_route_csv(tmp_path / "r.csv", route, car, ground).read_text().splitlines()
    column = names.split(",").index("binding")
    assert [row.split(",")[column] for row in rows] == line["properties"]["binding"]
    assert {"engine", "sliding"} <= set(line["properties"]["binding"])


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


def test_a_grid_of_words_is_refused(tmp_path):
    """Finding: an array of strings ended in a traceback."""
    np.save(tmp_path / "words.npy", np.full((6, 6), "high"))
    with pytest.raises(BadInput, match="numbers"):
        Terrain.read(tmp_path / "words.npy")


def test_a_spacing_does_not_overrule_a_file(tmp_path):
    """Finding: --spacing 20 on a grid that says 10 moved its hill."""
    np.save(tmp_path / "bare.npy", np.zeros((6, 6)))
    assert Terrain.read(tmp_path / "bare.npy", 20.0).spacing == (20.0, 20.0)
    np.savez(tmp_path / "told.npz", heights=np.zeros((6, 6)), spacing=10.0)
    assert Terrain.read(tmp_path / "told.npz", 10.0).spacing == (10.0, 10.0)
    with pytest.raises(BadInput, match="spacing"):
        Terrain.read(tmp_path / "told.npz", 20.0)


def test_holes_of_obstacles_are_open_ground(tmp_path):
    """Finding: a polygon with a hole was closed whole, so that a yard inside a ring of walls was no place."""
    ground = Terrain.read(ascii_grid(tmp_path / "map.asc"))

    def ring(x0, y0, x1, y1):
        return [[WEST + x, NORTH - y] for x, y in ((x0, y0), (x1, y0), (x1, y1), (x0, y1), (x0, y0))]

    fort = [ring(100, 100, 400, 400), ring(120, 120, 380, 380), ring(385, 200, 395, 210)]
    shape = {"type": "MultiPolygon", "coordinates": [fort, [ring(10, 10, 20, 20)]]}
    (tmp_path / "fort.geojson").write_text(json.dumps(shape))
    fenced = ground.with_regions(*read_obstacles(tmp_path / "fort.geojson", ground))
    places = {
        (110, 250): 0,
        (250, 250): 1,
        (390, 205): 1,
        (390, 215): 0,
        (50, 250): 1,
        (15, 15): 0,
        (250, 110): 0,
    }
    for (x, y), mobility in places.items():
        assert float(fenced.mobility_at(WEST + x, NORTH - y)) == mobility, (x, y)
    yard, outside = (WEST + 150, NORTH - 150), (WEST + 450, NORTH - 450)
    across = (WEST + 350, NORTH - 350)
    few = PathOptions(grid=(6, 6), paths=5, keep=1)
    assert fastest_path(fenced, yard, across, Vehicle(), options=few).feasible
    assert not fastest_path(fenced, yard, outside, Vehicle(), options=few).feasible


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


def test_a_feature_that_lies_nowhere_is_passed_over(tmp_path):
    """Finding: RFC 7946 allows a geometry of null, and the whole file was refused."""
    ring = [[WEST + 100, NORTH - 300], [WEST + 200, NORTH - 300], [WEST + 200, NORTH - 200]]
    shapes = [None, {"type": "Polygon", "coordinates": [[*ring, ring[0]]]}]
    features = [{"type": "Feature", "properties": None, "geometry": shape} for shape in shapes]
    (tmp_path / "o.geojson").write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    ground = Terrain.read(ascii_grid(tmp_path / "map.asc"))
    assert len(read_obstacles(tmp_path / "o.geojson", ground)) == 1


def test_a_place_off_the_map_is_told_in_its_coordinates(tmp_path):
    """Finding: off a map in degrees the error spoke of metres inside of it, so that it could not be guessed
    from it that latitude and longitude were swapped."""
    edges = {"xmin": 11.0, "ymin": 46.0, "ymax": 46.031}
    np.savez(tmp_path / "map.npz", elevation=np.zeros((31, 31)), dx=1e-3, dy=1e-3, **edges)
    ground = Terrain.read(tmp_path / "map.npz")
    with pytest.raises(BadInput, match=r"latitude 46 to 46\.03, longitude 11 to 11\.03"):
        ground.frame.place("--from", "11.01,46.01", ground.extent)
