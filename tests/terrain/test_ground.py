"""Surfaces, regions, elevation files and paths on the ground."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.interpolate import CubicSpline

from swerve.core.errors import BadInput
from swerve.core.show.looks import scenery_of
from swerve.core.show.relief import Relief, relief_of
from swerve.terrain import Region, SurfacePath, Terrain, Vehicle, rectangle
from swerve.terrain.limits import C_R
from swerve.terrain.scenery import band_height, scenery
from swerve.terrain.scenes import scene, watched_from

BUMPS = Terrain.from_function(
    lambda x, y: 20 * np.sin(x / 60) + 15 * np.cos(y / 45 + x / 90), (400.0, 300.0), 10.0
)


def test_the_surface_passes_through_the_heights():
    heights = np.random.default_rng(1).normal(0, 5, (9, 12))
    terrain = Terrain.from_heights(heights, (3.0, 4.0), origin=(100.0, -20.0))
    x, y = np.meshgrid(100 + 3.0 * np.arange(12), -20 + 4.0 * np.arange(9))
    assert terrain.height(x, y) == pytest.approx(heights, abs=1e-9)
    assert terrain.extent == (100, -20, 133, 12)


@given(a=st.floats(-2, 2), b=st.floats(-2, 2), x=st.floats(0, 90), y=st.floats(0, 60))
def test_a_plane_is_exact(a, b, x, y):
    plane = Terrain.from_function(lambda u, v: 7 + a * u + b * v, (90.0, 60.0), 10.0)
    assert plane.height(x, y) == pytest.approx(7 + a * x + b * y, abs=1e-9)
    assert plane.gradient(x, y) == pytest.approx([a, b], abs=1e-9)


@given(x=st.floats(20, 380), y=st.floats(20, 280))
def test_derivatives_belong_to_the_heights(x, y):
    h = 1e-4
    assert BUMPS.gradient(x, y)[0] == pytest.approx(
        (BUMPS.height(x + h, y) - BUMPS.height(x - h, y)) / (2 * h), abs=1e-6
    )
    assert BUMPS.gradient(x, y)[1] == pytest.approx(
        (BUMPS.height(x, y + h) - BUMPS.height(x, y - h)) / (2 * h), abs=1e-6
    )
    normal = BUMPS.normal(x, y)
    assert np.linalg.norm(normal) == pytest.approx(1) and normal[2] > 0


def test_a_straight_way_through_a_bowl_bends_only_upwards():
    ball = Terrain.from_function(
        lambda x, y: 200 - np.sqrt(200**2 - x**2 - y**2), (120.0, 120.0), 4.0, origin=(-60, -60)
    )
    path = SurfacePath.from_controls(ball, [[-40, 0], [40, 0]], 400)
    inner = slice(40, -40)
    assert path.geodesic_curvature[inner] == pytest.approx(np.zeros(320), abs=1e-5)
    assert path.geometry[inner, C_R] == pytest.approx(np.full(320, 1 / 200), rel=0.02)
    assert path.length == pytest.approx(2 * 200 * math.asin(40 / 200), rel=1e-4)


def test_paths_start_and_end_in_their_control_points():
    controls = np.array([[20, 30], [100, 200], [250, 60], [380, 280]])
    path = SurfacePath.from_controls(BUMPS, controls, 500)
    assert path.points[[0, -1], :2] == pytest.approx(controls[[0, -1]])
    steps = np.linalg.norm(np.diff(path.points, axis=0), axis=1)
    assert np.ptp(steps) < 0.01 * steps.mean()
    assert path.distance[-1] == pytest.approx(steps.sum(), rel=1e-4)
    theta, steer = path.orientation(Vehicle())
    assert np.tan(steer) == pytest.approx(2 * np.tan(theta))


def test_control_points_may_be_the_heights():
    smooth = Terrain.from_heights(BUMPS.heights, 10.0, fit="control")
    places = np.meshgrid(np.arange(30, 370, 10), np.arange(30, 270, 10))
    bends = [np.abs(np.diff(ground.height(*places), 2, axis=0)).max() for ground in (smooth, BUMPS)]
    assert bends[0] < bends[1]


def test_regions_lower_the_mobility():
    mud = Region(((50, 50), (150, 60), (100, 150)), 0.4)
    ground = BUMPS.with_regions(mud, rectangle(80, 70, 110, 100))
    assert ground.mobility_at(60, 55) == 0.4
    assert ground.mobility_at(90, 80) == 0.0
    assert ground.mobility_at(300, 200) == 1.0
    assert ground.mobility_at(-5, 200) == -1.0
    raster = np.ones(BUMPS.heights.shape)
    raster[:, 20:] = 0.5
    assert Terrain.from_heights(BUMPS.heights, 10.0, mobility=raster).mobility_at(300.0, 50.0) == 0.5
    assert ground.ground.clearance.min() < -10 < 100 < ground.ground.clearance.max()


def test_voids_are_filled_and_closed():
    heights = BUMPS.heights.copy()
    heights[8:12, 20:25] = np.nan
    terrain = Terrain.from_heights(heights, 10.0)
    assert np.isfinite(terrain.height(220.0, 100.0)) and terrain.mobility_at(220.0, 100.0) == 0.0
    assert Terrain.from_heights(heights, 10.0, voids="open").mobility_at(220.0, 100.0) == 1.0
    assert abs(terrain.height(220.0, 100.0) - BUMPS.height(220.0, 100.0)) < 15


def test_useless_heights_are_refused():
    with pytest.raises(BadInput, match="every cell is void"):
        Terrain.from_heights(np.full((8, 8), np.nan), 1.0)
    with pytest.raises(BadInput, match="4 by 4"):
        Terrain.from_heights(np.zeros((2, 9)), 1.0)
    with pytest.raises(BadInput, match="spacing"):
        Terrain.from_heights(np.zeros((8, 8)), 0.0)
    with pytest.raises(BadInput, match="mobility"):
        rectangle(0, 0, 1, 1, 2.0)
    with pytest.raises(BadInput, match="coincide"):
        SurfacePath.from_points([[0, 0], [1, 0], [1, 0], [2, 0]])


def test_elevation_files(tmp_path):
    heights = BUMPS.heights
    np.save(tmp_path / "a.npy", heights)
    np.savez(tmp_path / "b.npz", heights=heights, spacing=10.0)
    rows = "\n".join(" ".join(f"{v:.6f}" for v in row) for row in heights[::-1])
    (tmp_path / "c.asc").write_text(
        f"ncols {heights.shape[1]}\nnrows {heights.shape[0]}\nxllcorner 0\nyllcorner 0\n"
        f"cellsize 10\nNODATA_value -9999\n{rows}\n"
    )
    for name, spacing in (("a.npy", 1.0), ("b.npz", 10.0), ("c.asc", 10.0)):
        terrain = Terrain.read(tmp_path / name)
        assert terrain.spacing == (spacing, spacing)
        assert terrain.heights == pytest.approx(heights, abs=1e-5)


def test_geotiff(tmp_path):
    tifffile = pytest.importorskip("tifffile")
    heights = BUMPS.heights.astype(np.float32)
    heights[3, 4] = -32768
    tifffile.imwrite(
        tmp_path / "d.tif",
        heights[::-1],
        extratags=[
            (33550, "d", 3, (10.0, 20.0, 0.0), True),
            (33922, "d", 6, (0.0, 0.0, 0.0, 500.0, 900.0, 0.0), True),
            (42113, "s", 7, "-32768", True),
        ],
    )
    terrain = Terrain.read(tmp_path / "d.tif")
    assert terrain.spacing == (10.0, 20.0)
    assert terrain.mobility[3, 4] == 0.0 and terrain.mobility.sum() == heights.size - 1
    assert terrain.heights[5] == pytest.approx(heights[5], abs=1e-3)


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("x.npy", b"nothing", "cannot be read"),
        ("x.npz", b"nothing", "cannot be read"),
        ("x.tif", b"nothing", "TIFF"),
        ("x.asc", b"ncols 4\n", "cannot be read"),
        ("x.jpg", b"nothing", "must end in"),
    ],
)
def test_files_that_are_no_elevation_are_refused(tmp_path, name, content, why):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(BadInput, match=why):
        Terrain.read(tmp_path / name)
    with pytest.raises(BadInput, match="no such file"):
        Terrain.read(tmp_path / "missing.npy")


def test_scenes_stand_as_described():
    mountain = scene("mountain")
    slope = np.linalg.norm(
        mountain.terrain.gradient(*np.meshgrid(np.arange(0, 1000, 5.0), np.arange(0, 1000, 5.0))), axis=-1
    )
    assert slope.max() > 0.7  # too steep for the tyres in the middle
    watched = watched_from(mountain.terrain, (700, 760))
    assert watched.exposure.max() == 1.0 and 0.1 < (watched.exposure == 1.0).mean() < 0.9
    real = scene("jacksboro").terrain
    assert 230 < real.heights.min() < real.heights.max() < 1080
    with pytest.raises(BadInput, match="mountain"):
        scene("moon")


def test_what_stands_beside_the_watcher_or_beside_the_target_hides():
    """Finding: only the middle of a sight line was looked at, not what stands 40 m from its ends."""
    ridge = Terrain.from_function(
        lambda x, y: 40 * np.exp(-(((x - 540) / 12) ** 2)) + 0 * y, (4000.0, 60.0), 10.0
    )
    seen = watched_from(ridge, (500, 30)).exposure == 1.0
    x = np.arange(seen.shape[1]) * 10.0
    assert seen[:, (x > 460) & (x < 530)].all() and not seen[:, x > 570].any()
    far = watched_from(ridge, (3900, 30)).exposure == 1.0
    assert far[:, x > 560].all() and not far[:, x < 510].any()


def test_the_scenery_shows_every_height_in_its_band_and_keeps_hollows():
    """A ring of hills: its crest is a band with a hole in it."""
    ring = Terrain.from_function(
        lambda x, y: 60 * np.exp(-((np.hypot(x - 500, y - 500) - 250) ** 2) / 80**2), (1000.0, 1000.0), 20.0
    ).with_regions(rectangle(10, 10, 60, 60))
    shown = scenery(ring)
    assert shown["areas"][0]["role"] == "height-0" and shown["areas"][-1]["role"] == "obstacle"
    band = band_height(ring)
    rng = np.random.default_rng(1)
    for x, y in rng.uniform(0, 1000, (300, 2)):
        height = float(ring.height(x, y))
        if abs(height / band - round(height / band)) < 0.1 or (x < 70 and y < 70):
            continue  # too near to a border between bands
        over = [a["role"] for a in shown["areas"] if _inside(a["points"], x, y)]
        assert over[-1] == f"height-{int(height / band)}"


def test_the_relief_of_a_recording_is_as_high_as_the_way_over_it():
    way = SurfacePath.from_controls(BUMPS, [[20, 20], [150, 200], [250, 90], [380, 280]], 300)
    shown = scenery(BUMPS, [SimpleNamespace(path=way)])
    x, y, z = way.points.T
    assert relief_of(shown).height(x, y) == pytest.approx(z, abs=0.05)
    lifted = np.reshape(scenery_of(shown)["lines"][0][2], (-1, 3))
    assert lifted[:, 2] == pytest.approx(z, abs=0.1)  # the way is drawn on it
    coarse = Relief(BUMPS.extent, BUMPS.height(*np.meshgrid(np.linspace(0, 400, 9), np.linspace(0, 300, 7))))
    before, after = (np.abs(one.height(x, y) - z) for one in (coarse, coarse.settled(way.points)))
    assert before.max() > 2 and after.mean() < 0.35 * before.mean()  # moved to where the ground is


def _inside(points, x, y):
    """Whether a ray to the east crosses the ring an odd number of times."""
    a = np.array(points)
    b = np.roll(a, -1, axis=0)
    across = (a[:, 1] > y) != (b[:, 1] > y)
    at = a[across, 0] + (y - a[across, 1]) / (b[across, 1] - a[across, 1]) * (b[across, 0] - a[across, 0])
    return np.count_nonzero(at > x) % 2 == 1


@pytest.mark.parametrize(("count", "closed"), [(4, False), (5, True), (60, False), (60, True)])
def test_a_path_through_points_is_the_spline_that_others_know(count, closed):
    rng = np.random.default_rng(count)
    a = (np.arange(count) + rng.uniform(-0.3, 0.3, count)) * 5.5 / count
    p = np.column_stack([50 * np.cos(a), 40 * np.sin(a), 3 * np.sin(2 * a)])
    ring = np.vstack([p, p[:1]]) if closed else p
    knots = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(ring, axis=0), axis=1))])
    spline = CubicSpline(knots, ring, bc_type="periodic" if closed else "not-a-knot")
    path = SurfacePath.from_points(p, closed=closed)
    first, second = spline(knots[:count], 1), spline(knots[:count], 2)
    pace = np.linalg.norm(first, axis=1, keepdims=True)
    assert path.tangents == pytest.approx(first / pace, abs=1e-9)
    bend = np.linalg.norm(np.cross(first, second), axis=1) / pace[:, 0] ** 3
    assert np.hypot(path.geodesic_curvature, path.geometry[:, C_R]) == pytest.approx(bend, abs=1e-9, rel=1e-9)
    fine = spline(np.linspace(0, knots[-1], 200 * count))
    if count == 60:
        assert path.length == pytest.approx(np.linalg.norm(np.diff(fine, axis=0), axis=1).sum(), rel=2e-3)
