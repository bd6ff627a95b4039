"""Minigolf courses that are built with the mouse: what is made of them, and what is refused."""

import json

import pytest

from swerve.core.errors import BadInput
from swerve.studio.folder import Folder
from swerve.studio.rooms import open_room
from swerve.studio.rooms.course import drawn, told
from swerve.studio.rooms.room import Outside


def test_a_course_that_was_built_is_solved_and_comes_back_by_its_link(tmp_path):
    words = []
    outside = Outside(
        Folder(tmp_path), lambda kind, **what: words.append((kind, what)), lambda kind, data: None
    )
    room = open_room({"room": "tactics", "domain": "minigolf", "seed": 4}, outside)
    built = {"bar": None, "walls": [[1.3, 1.0, 1.2, 0]], "hole": [1.9, 0.5]}
    room.hear({"type": "course", "course": built})
    assert room.changed and [body.name for body in room.bodies] == ["robot", "ball"]
    course = room.scene()["course"]
    assert course["walls"] == [[1.2, 0.0, 1.3, 1.0]] and course["bar"] is None
    ball = next(k for k, body in enumerate(room.bodies) if body.name == "ball")
    room.hear({"type": "move", "id": ball, "x": 0.6, "y": 1.1})  # its tee moves with it
    room.hear({"type": "solve"})
    while room.moving:
        room.step()
    assert dict(words)["solved"]["solved"]
    asked = {"room": "tactics", "domain": "minigolf", "course": json.dumps(course)}
    again = open_room(asked, outside)
    assert again.scene()["course"] == course


def test_there_is_ground_behind_a_hole_that_stands_free():
    course = drawn({"hole": [1.3, 0.9], "bar": None}, "minigolf")
    from swerve.tactics.domains.minigolf import _ground, lay

    assert _ground(course.area, course.cup).count('type="box"') == 4
    assert _ground(lay(3).area, lay(3).cup).count('type="box"') < 4  # shipped courses are as they were


@pytest.mark.parametrize(
    "bad",
    [
        "{", "[1]", {"ball": [0.1]}, {"ball": ["a", 1]}, {"walls": [[0, 0, 1]]},
        {"walls": [[0, 0, 1, 1]] * 30},
        {"size": [50, 2]}, {"bar": [True, 1]}, {"walls": [[0.4, 1.0, 0.7, 1.3]]}, {"ball": [2.2, 0.3]},
        {"hole": [float("nan"), 0.4]}, 7,
    ],
)  # fmt: skip
def test_courses_that_cannot_be_are_refused(bad):
    with pytest.raises(BadInput):
        drawn(bad, "minigolf")


def test_what_lies_outside_is_moved_inside():
    course = told(drawn({"ball": [-3, 5], "hole": [5, 5], "walls": [[2.0, 1.0, 9.0, 1.02]]}, "minigolf"))
    assert course["ball"] == [0.1, 1.7] and course["hole"][0] < 2.6
    assert course["walls"] == [[2.0, 1.0, 2.6, 1.04]]
