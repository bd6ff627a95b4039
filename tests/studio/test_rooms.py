"""The rooms without a page: what they say and do when they are spoken to."""

import numpy as np
import pytest
from plain_gltf import worst_place

from swerve.core.errors import BadInput
from swerve.core.recording import Recording
from swerve.studio.folder import Folder
from swerve.studio.rooms import ROOMS, hands, open_room
from swerve.studio.rooms.room import Outside


class Heard:
    """What a room said."""

    def __init__(self, folder):
        self.words, self.bytes = [], []
        self.outside = Outside(Folder(folder), lambda kind, **what: self.words.append((kind, what)),
                               lambda kind, data: self.bytes.append((kind, data)))  # fmt: skip

    def last(self, kind):
        return next(what for said, what in reversed(self.words) if said == kind)


@pytest.fixture
def heard(tmp_path):
    return Heard(tmp_path)


def test_race_keys_drive_the_car_and_letting_go_stops_it(heard):
    room = open_room({"room": "race", "track": "sharp-cornered", "rival": True}, heard.outside)
    start = room.mine.motion.x[0], room.mine.motion.y[0]
    for _ in range(40):
        room.hear({"type": "hands", "throttle": 1.0})
        room.step()
    fast = float(room.mine.motion.speed[0])
    assert fast > 4.0 and np.hypot(room.mine.motion.x[0] - start[0], room.mine.motion.y[0] - start[1]) > 2.0
    assert len(heard.last("mind")["tree"]) % 6 == 0 and len(heard.last("mind")["route"]) > 60
    room.hands.heard = -np.inf  # nothing was heard for long: the page is gone
    for _ in range(3):
        room.step()
    assert not any(room.hands.wanted.values()) and float(room.mine.motion.speed[0]) < fast
    assert room.theirs.motion.speed[0] > 1.0 and room.figures()["nodes kept"] > 10
    assert worst_place(room.recording()) < 1e-3


def test_a_race_is_over_for_those_who_have_finished(heard, tmp_path):
    rows = "".join(f"{5 * i},0,7,7\n" for i in range(26))
    (tmp_path / "short.csv").write_text(f"# x_m,y_m,w_tr_right_m,w_tr_left_m\n{rows}")
    (tmp_path / "route.csv").write_text("t_s,x_m,y_m,speed_mps\n0,0,0,1\n")
    assert [one["name"] for one in heard.outside.folder.listing()] == ["short.csv"]  # no other table
    room = open_room({"room": "race", "track": "short.csv", "rival": True}, heard.outside)
    while room.world.time < 30.0 and not room.world.contacts:
        room.hear({"type": "hands", "throttle": 1.0})
        room.step()
    for _ in range(10):
        room.step()
    assert room.laps["you"].finished < room.world.contacts[0].t  # by the end of the road
    assert room.figures()["contacts"] == 0 and heard.last("mind") == {"tree": [], "route": []}


def test_terrain_answers_a_dragged_point_with_new_times_and_curves(heard):
    room = open_room({"room": "terrain", "map": "mountain"}, heard.outside)
    before = heard.last("profile")
    moved = room.points.copy()
    moved[2] += [30.0, -40.0]
    room.hear({"type": "points", "points": moved.tolist()})
    after = heard.last("profile")
    assert after["length"] != before["length"] and len(after["speed"]) == len(after["limit"]) > 100
    assert (np.asarray(after["speed"]) <= np.asarray(after["limit"]) + 0.05).all() or after["time"] is None
    assert np.asarray(room.scene()["relief"]["heights"]).shape == (120, 120)
    room.hear({"type": "fastest"})
    assert heard.last("profile")["time"] < 120.0 and len(room.recording()) > 50
    assert worst_place(room.recording()) < 1e-3
    for bad in ([[1, 2]], "x", [[1, 2, 3]] * 4, None):
        with pytest.raises(BadInput):
            room.hear({"type": "points", "points": bad})


def test_terrain_obstacles_are_added_and_pushed_off_the_path(heard):
    room = open_room({"room": "terrain", "map": "mountain"}, heard.outside)
    assert heard.last("profile")["obstacles"].shape == (0, 3)
    free = heard.last("profile")
    room.hear({"type": "obstacle"})
    blocked = heard.last("profile")
    assert blocked["time"] is None and blocked["trouble"]
    edges = np.reshape(blocked["rings"], (-1, 6))
    for x, y, z in (edges[:, :3].T, edges[:, 3:].T):  # they follow the ground, however steep
        assert z == pytest.approx(room.open.height(x, y) + 4.0, abs=0.2)
    assert len(edges) > 8 and np.hypot(*(edges[:, 3:5] - edges[:, :2]).T).max() < 40
    _, y0, x1, _ = room.terrain.extent
    room.hear({"type": "obstacles", "at": [[x1, y0]]})
    after = heard.last("profile")
    assert after["time"] == free["time"] and np.allclose(after["obstacles"][0, :2], [x1, y0])
    for bad in ([], [[1, 2], [3, 4]], [[np.nan, 1]], "x"):
        with pytest.raises(BadInput, match="obstacles"):
            room.hear({"type": "obstacles", "at": bad})
    link = {"points": "0,0;300,400;900,800;1200,1300", "obstacles": "600,500;100.5,900"}
    again = open_room({"room": "terrain", "map": "mountain", **link}, heard.outside)
    assert again.points[1].tolist() == [300, 400] and np.allclose(
        heard.last("profile")["obstacles"][:, :2], [[600, 500], [100.5, 900]]
    )
    for bad in ({"points": "1,2"}, {"points": "x,y;1,2;3,4"}, {"obstacles": "1"}):
        with pytest.raises(BadInput):
            open_room({"room": "terrain", "map": "mountain", **bad}, heard.outside)
    with_two = open_room({"room": "terrain", "map": "mountain-obstacles"}, heard.outside)
    assert len(heard.last("profile")["obstacles"]) == len(with_two.where.terrain.regions) > 0


def test_a_heavy_car_is_driven_alone_until_its_tree_is_made(heard, tmp_path, monkeypatch):
    monkeypatch.setenv("SWERVE_CACHE", str(tmp_path))
    room = open_room({"room": "race", "track": "long-straight", "car": "heavy"}, heard.outside)
    assert room.pilot is None and "no move tree for heavy" in heard.last("alone")["text"]
    assert room.mine.bodies.mass[0] == 3000.0
    other = open_room(
        {"room": "race", "track": "long-straight", "car": "heavy", "tree": "five"}, heard.outside
    )
    assert other.pilot is None  # clips of the seed's car are none of the heavy one's
    with pytest.raises(BadInput, match="must be driven with the car"):
        room.hear({"type": "record", "on": True})
    room.step()


def test_city_calls_a_pedestrian_and_an_ambulance_and_measures_the_reaction(heard, monkeypatch):
    """A reaction is a person's: by the clock, however slowly the world goes."""
    clock = [100.0]
    monkeypatch.setattr(hands.time, "monotonic", lambda: clock[0])
    asked = {"room": "city", "vehicles": 12, "people": 4, "seed": 3, "blocks": 3}
    room = open_room(asked, heard.outside)
    for _ in range(20):
        room.hear({"type": "hands", "throttle": 0.6})
        room.step()
    count = len(room.world.ids)
    room.hear({"type": "pedestrian"})
    room.hear({"type": "ambulance"})
    for _ in range(10):
        room.step()
    assert len(room.world.ids) == count + 2
    clock[0] += 1.37
    room.hear({"type": "hands", "brake": 1.0})
    room.step()
    assert heard.last("reaction")["seconds"] == pytest.approx(1.37)
    room.hear({"type": "pedestrian"})  # who brakes already does not react
    room.hear({"type": "hands", "brake": 1.0})
    room.step()
    assert room.figures()["reactions measured"] == 1
    room.hear({"type": "watch", "id": int(room.mine.ids[0])})
    room.step()
    assert len(heard.last("thought")["path"]) == 48
    walker, vehicle = room.simulation.people.ids[0], room.simulation.traffic.ids[0]
    room.hear({"type": "watch", "id": int(walker)})
    thought = heard.last("thought")
    assert len(thought["radar"]) >= 32 * 6 and {"path", "wants to walk [m/s]"} <= set(thought["words"])
    assert np.hypot(
        *(np.reshape(thought["radar"][:96], (-1, 3))[:, :2] - thought["path"][:2]).T
    ) == pytest.approx(4, abs=0.02)
    room.hear({"type": "watch", "id": int(vehicle)})
    assert {"driver", "accelerates [m/s²]"} <= set(heard.last("thought")["words"])
    room.hear({"type": "watch", "id": 2**30})
    assert room.watched is None
    kinds = set(room.frame()["kind"])
    assert {"driver", "light", "pedestrian"} <= kinds
    assert worst_place(room.recording()) < 1e-3


def test_riders_switch_their_controller_and_say_who_is_in_full(heard):
    room = open_room({"room": "riders", "riders": 6, "full": 2, "seed": 1}, heard.outside)
    room.step()
    room.hear({"type": "controller", "name": "simple"})
    room.hear({"type": "spacing", "value": 7})
    for _ in range(3):
        room.step()
    said = room.figures()
    assert said["controller"] == "simple" and said["spacing [m]"] == 7 and said["riders in full"] >= 1
    assert len(heard.last("paint")["rows"]) == 6
    assert worst_place(room.recording()) < 1e-3
    with pytest.raises(BadInput):
        room.hear({"type": "controller", "name": "none"})


def test_tactics_grow_a_tree_and_send_the_solution(heard):
    room = open_room({"room": "tactics", "domain": "minigolf-one-bounce", "seed": 1}, heard.outside)
    ball = next(k for k, body in enumerate(room.bodies) if body.name == "ball")
    x, y = room.frame()["x"][ball], room.frame()["y"][ball]
    room.hear({"type": "move", "id": ball, "x": x + 0.01, "y": y})
    assert room.frame()["x"][ball] == pytest.approx(x + 0.01)
    room.hear({"type": "move", "id": ball, "x": x, "y": y})
    room.hear({"type": "solve", "nodes": 20_000})
    for _ in range(4000):
        room.step()
        if not room.moving:
            break
    assert heard.last("solved")["solved"] and heard.bytes[0][1][1:5] == b"SWV1"
    assert len(heard.last("branches")["branches"]["ball"]) % 6 == 0
    assert worst_place(room.recording()) < 1e-3


def test_a_recording_tells_of_one_body_or_of_how_many(heard, tmp_path):
    """Ways and speeds are in space: up a hill they are longer than on a map."""
    t = np.arange(0.0, 10.0, 0.5)
    size = (4.0, 2.0, 1.0)
    rows = [Recording.planar(t, k, "car", np.outer(t, [3 * k, 0, 0]), np.full((20, 2), [3 * k, 0]), size, 0.5)
            for k in (1, 2)]  # fmt: skip
    for one in rows:
        one.columns |= {"z": 4.0 * one["id"] * t, "vz": np.full(20, 4.0) * one["id"]}
    rows[0].write(tmp_path / "one.parquet")
    Recording.join(rows).write(tmp_path / "both.parquet")
    open_room({"room": "recordings", "file": "one.parquet", "against": "both.parquet"}, heard.outside)
    one, both = (
        next(what for kind, what in heard.words if what.get("which") == which)
        for which in ("first", "second")
    )
    assert (one["count"], one["of"], both["count"]) == (1, "car", 2)
    assert one["distance"] == pytest.approx(47.5) and both["distance"] == pytest.approx(1.5 * 47.5)
    assert one["top"] == pytest.approx(5) and both["top"] == pytest.approx(10) and both["speed"][3] == 7.5


def test_unknown_rooms_and_names_are_refused(heard):
    with pytest.raises(BadInput, match="room"):
        open_room({"room": "cellar"}, heard.outside)
    for room, what in (("race", "track"), ("terrain", "map"), ("tactics", "domain")):
        with pytest.raises(BadInput):
            open_room({"room": room, what: "nonsense"}, heard.outside)
    assert set(ROOMS) == {"race", "tactics", "terrain", "riders", "city", "scenes", "recordings"}
