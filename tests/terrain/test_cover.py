"""Mobility from polygons and rasters, places as files, and the front of time against energy."""

import json
from dataclasses import replace

import numpy as np
import pytest

from swerve.cli.main import run
from swerve.core.errors import BadInput
from swerve.terrain import PathOptions, SurfacePath, Terrain, Vehicle, fastest_path, speed_profile
from swerve.terrain.cover import with_mobility
from swerve.terrain.front import Trade, front, given_back, priced
from swerve.terrain.scene_file import load_scene

FLAT = Terrain.from_heights(np.zeros((41, 41)), 10.0)
QUICK = PathOptions(grid=(6, 6), paths=10, keep=2)
ROUGH = PathOptions(grid=(5, 5), paths=4, keep=1)


def raster(path, values, cell=10.0):
    rows = "\n".join(" ".join(f"{v:g}" for v in row) for row in values[::-1])
    path.write_text(
        f"ncols {len(values[0])}\nnrows {len(values)}\nxllcenter 0\nyllcenter 0\ncellsize {cell:g}\n{rows}\n"
    )
    return path


def polygon(path, x0, y0, x1, y1, **properties):
    ring = [[x0, y0], [x1, y0], [x1, y1], [x0, y1], [x0, y0]]
    feature = {"type": "Feature", "geometry": {"type": "Polygon", "coordinates": [ring]}}
    path.write_text(json.dumps({**feature, "properties": properties}))
    return path


def test_a_raster_of_mobility_is_laid_over_the_map(tmp_path):
    values = np.ones((21, 21))  # cells of 20 m over cells of 10 m
    values[5:10, 12:15] = 0.25
    ground = with_mobility(FLAT, raster(tmp_path / "m.asc", values, 20.0))
    assert float(ground.mobility_at(270.0, 150.0)) == 0.25 and float(ground.mobility_at(100.0, 150.0)) == 1.0


def test_a_river_narrower_than_a_cell_of_the_map_closes_it_but_for_its_ford(tmp_path):
    values = np.ones((201, 201))  # cells of 2 m over cells of 10 m
    values[:, 107:109] = 0.0
    river = with_mobility(FLAT, raster(tmp_path / "river.asc", values, 2.0))
    routes = fastest_path(river, (50, 200), (350, 200), Vehicle(), options=QUICK)
    assert not routes.feasible
    values[140:150, :] = 1.0
    ford = with_mobility(FLAT, raster(tmp_path / "ford.asc", values, 2.0))
    routes = fastest_path(ford, (50, 200), (350, 200), Vehicle(), options=QUICK)
    assert routes.feasible
    crossing = routes.best.path.points[np.abs(routes.best.path.points[:, 0] - 215) < 2]  # the river's width
    assert len(crossing) and ((crossing[:, 1] > 280) & (crossing[:, 1] < 298)).all()
    both = with_mobility(river, raster(tmp_path / "coarse.asc", np.full((41, 41), 0.5)))
    assert float(both.mobility_at(215.0, 100.0)) == 0.0 and float(both.mobility_at(100.0, 100.0)) == 0.5


def test_land_cover_closes_water_and_slows_on_grass(tmp_path):
    values = np.full((41, 41), 50)
    values[18:22, :] = 30
    values[:, 20:24] = 80
    values[30:34, 20:24] = 60
    ground = with_mobility(FLAT, raster(tmp_path / "cover.asc", values))
    assert float(ground.mobility_at(100.0, 200.0)) == 0.8 and float(ground.mobility_at(220.0, 100.0)) == 0.0
    routes = fastest_path(ground, (50, 100), (350, 100), Vehicle(), options=QUICK)
    assert routes.feasible
    crossing = routes.best.path.points[np.abs(routes.best.path.points[:, 0] - 215) < 15]
    assert ((crossing[:, 1] > 290) & (crossing[:, 1] < 345)).all()  # over the bridge of bare ground


def test_ice_is_driven_round_when_that_is_faster(tmp_path):
    """Finding: the test of slippery ground asserted only a longer time."""
    ice = with_mobility(FLAT, polygon(tmp_path / "ice.geojson", 65, 140, 335, 260, mobility=0.005))
    over = fastest_path(FLAT, (50, 200), (350, 200), Vehicle(), options=QUICK)
    routes = fastest_path(ice, (50, 200), (350, 200), Vehicle(), options=QUICK)
    assert np.abs(over.best.path.points[:, 1] - 200).max() < 20
    points = routes.best.path.points
    inside = (points[:, 0] > 65) & (points[:, 0] < 335) & (points[:, 1] > 140) & (points[:, 1] < 260)
    straight = speed_profile(SurfacePath.from_controls(ice, [[50, 200], [350, 200]]), Vehicle())
    assert routes.feasible and inside.mean() < 0.3 and routes.best.profile.time < 0.8 * straight.time


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda p: polygon(p / "a.geojson", 0, 0, 50, 50), "property mobility"),
        (lambda p: polygon(p / "a.geojson", 0, 0, 50, 50, mobility=2), "from 0 to 1"),
        (lambda p: raster(p / "a.asc", np.full((9, 9), 7)), "class of"),
        (lambda p: raster(p / "a.asc", np.full((9, 9), -1)), "class of"),
        (lambda p: p / "a.png", "must end in"),
        (lambda p: p / "none.asc", "no such file"),
    ],
)
def test_mobility_that_cannot_be_read_is_refused(tmp_path, make, words):
    with pytest.raises(BadInput, match=words):
        with_mobility(FLAT, make(tmp_path))


def scene(tmp_path, **fields):
    raster(tmp_path / "map.asc", np.zeros((41, 41)))
    polygon(tmp_path / "wall.geojson", 195, -10, 205, 300)
    given = {"map": "map.asc", "from": [50, 100], "to": [350, 100], "obstacles": "wall.geojson", **fields}
    (tmp_path / "place.yaml").write_text(json.dumps(given))
    return tmp_path / "place.yaml"


def test_a_scene_file_is_planned_by_the_command(capsys, tmp_path):
    file = scene(tmp_path, vehicle={"mass": 1500, "engine_force": 4000}, cost="time+1e-3*distance", grid=6)
    found = load_scene(file)
    assert found.vehicle.mass == 1500 and found.grid == (6, 6) and found.start == (50, 100)
    assert run(["terrain", str(file), "--paths", "10", "--out", str(tmp_path / "out"), "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["cost"] == "time+1e-3*distance" and result["feasible"] and result["distance"] > 480
    mobility = raster(tmp_path / "cover.asc", np.full((41, 41), 0.5))
    options = ["--paths", "10", "--cost", "time", "--mobility", str(mobility)]
    assert run(["terrain", str(file), *options, "--out", str(tmp_path / "out"), "--json"]) == 0
    slower = json.loads(capsys.readouterr().out)
    assert slower["cost"] == "time" and slower["time"] > result["time"]


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"colour": "red"}, "colour"),
        ({"map": "none.tif"}, "no such file"),
        ({"from": [1]}, "from"),
        ({"to": [9e9, 0]}, "outside the map"),
        ({"cost": "beauty"}, "cost"),
        ({"vehicle": {"wings": 2}}, "unknown field"),
        ({"vehicle": {"mass": -1}}, "mass"),
        ({"mobility": "none.asc"}, "no such file"),
        ({"classes": {"10": 2}}, "classes"),
        ({"grid": 1}, "grid"),
    ],
)
def test_a_wrong_scene_file_is_one_line(capsys, tmp_path, fields, words):
    file = scene(tmp_path, **fields)
    assert run(["terrain", str(file), "--out", str(tmp_path / "out")]) == 2
    err = capsys.readouterr().err.strip()
    assert words in err and "\n" not in err


def test_the_front_falls_in_energy_and_rises_in_time(tmp_path):
    x, y = np.meshgrid(np.linspace(0, 1, 31), np.linspace(0, 1, 31))
    ground = Terrain.from_heights(20 * np.exp(-((x - 0.5) ** 2 + (y - 0.5) ** 2) / 0.04), 20.0)
    trades = front(ground, (50, 50), (550, 550), Vehicle(), ROUGH, (1.0,))
    assert len(trades) >= 3 and trades[0].cost == "time"
    times = [trade.route.profile.time for trade in trades]
    energies = [trade.route.profile.energy for trade in trades]
    assert times == sorted(times) and energies == sorted(energies, reverse=True)
    assert energies[-1] < 0.3 * energies[0] and all(trade.route.feasible for trade in trades)
    answer = fastest_path(ground, (50, 50), (550, 550), Vehicle(), options=QUICK)
    slower = replace(answer, found=[trades[1].route])  # finding: the front knew a faster way than the answer
    assert given_back(slower, trades, "time", ground).best.profile.time == times[0]
    assert priced(answer.best, "time", ground) == pytest.approx(answer.best.cost)
    assert given_back(answer, [Trade("time", answer.best)], "time", ground) is answer


def test_a_front_searches_the_grid_that_is_asked_for(tmp_path, monkeypatch, capsys):
    """Finding: `--grid` and `--paths` did not reach the front."""
    asked = []

    def spy(routes, ground, start, goal, car, cost, options):
        asked.append(options)
        return routes, []

    monkeypatch.setattr("swerve.terrain.front.with_front", spy)
    file = raster(tmp_path / "flat.asc", np.zeros((41, 41)))
    places = ["--from", "50,50", "--to", "350,350", "--out", str(tmp_path), "--pictures", "none", "--quiet"]
    assert run(["terrain", str(file), *places, "--front", "--grid", "4", "--paths", "3"]) == 0
    assert run(["terrain", str(file), *places, "--front", "--grid", "4"]) == 0
    assert [(options.grid, options.paths) for options in asked] == [((4, 4), 3), ((4, 4), 40)]
