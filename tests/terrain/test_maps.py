"""Maps that lie somewhere: coordinates in and out, feet, obstacles as GeoJSON, routes as CSV and GeoJSON."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from placed_maps import NORTH, ROWS, WEST, ascii_grid, heights, utm
from walls import touches

from swerve.cli.main import run
from swerve.core.errors import BadInput
from swerve.terrain import PathOptions, SurfacePath, Terrain, Vehicle, fastest_path, speed_profile
from swerve.terrain.geo import read_obstacles, write_route_csv, write_route_geojson
from swerve.terrain.route import Route
from swerve.terrain.scene_file import load_scene


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
