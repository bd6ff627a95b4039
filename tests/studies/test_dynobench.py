"""dynobench's problems: what `swerve.plan` finds is driven and checked again, by code of this file alone."""

import math

import pytest
import yaml

from swerve.studies import dynobench

FINE = 10  # moments of each step at which the outline is looked at


def crosses(a, b, c, d):
    """Whether two line pieces, a to b and c to d, cross."""

    def side(p, q, r):
        return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])

    return side(a, b, c) * side(a, b, d) < 0 and side(c, d, a) * side(c, d, b) < 0


def corners(x, y, heading, long, wide):
    c, s = math.cos(heading), math.sin(heading)
    return [
        (x + c * u * long / 2 - s * v * wide / 2, y + s * u * long / 2 + c * v * wide / 2)
        for u, v in ((1, 1), (-1, 1), (-1, -1), (1, -1))
    ]


def hits(outline, box):
    """Whether an outline's edges cross those of a box, or one of the two lies in the other."""
    x0, y0, x1, y1 = box
    other = [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]
    if any(x0 < x < x1 and y0 < y < y1 for x, y in outline):
        return True
    ways = [(outline[k - 1], outline[k]) for k in range(4)]
    if any(crosses(*way, other[k - 1], other[k]) for way in ways for k in range(4)):
        return True
    signs = [(b[0] - a[0]) * (y0 - a[1]) - (b[1] - a[1]) * (x0 - a[0]) for a, b in ways]
    return all(s > 0 for s in signs) or all(s < 0 for s in signs)


def driven(folder, name, controls):
    """Poses at every moment of a motion by its controls, and what is wrong with it, from the files alone."""
    asked = yaml.safe_load((folder / f"{name}.yaml").read_text())
    robot, place = asked["robots"][0], asked["environment"]
    model = yaml.safe_load((folder / f"model_{robot['type']}.yaml").read_text())
    boxes = [
        (c[0] - s[0] / 2, c[1] - s[1] / 2, c[0] + s[0] / 2, c[1] + s[1] / 2)
        for c, s in ((b["center"], b["size"]) for b in place["obstacles"])
    ]
    second, dt = model["dynamics"] == "unicycle2", model["dt"]
    x, y, heading, *rates = robot["start"]
    speed, turning = rates or (0.0, 0.0)
    wrong = []
    for k, (first, other) in enumerate(controls):
        if second:
            allowed = abs(first) <= model["max_acc_abs"] + 1e-9
            allowed = allowed and abs(other) <= model["max_angular_acc"] + 1e-9
        else:
            speed, turning = first, other
            allowed = True
        allowed = allowed and model["min_vel"] - 1e-9 <= speed <= model["max_vel"] + 1e-9
        allowed = allowed and model["min_angular_vel"] - 1e-9 <= turning <= model["max_angular_vel"] + 1e-9
        if not allowed:
            wrong.append((k, "limit"))
        for moment in range(FINE):
            at = dt * moment / FINE
            pose = (x + at * speed * math.cos(heading), y + at * speed * math.sin(heading))
            outline = corners(*pose, heading + at * turning, *model["size"])
            if any(hits(outline, box) for box in boxes):
                wrong.append((k, "box"))
            (x0, y0), (x1, y1) = place["min"], place["max"]
            if not all(x0 <= u <= x1 and y0 <= v <= y1 for u, v in outline):
                wrong.append((k, "bounds"))
        x, y = x + dt * speed * math.cos(heading), y + dt * speed * math.sin(heading)
        heading += dt * turning
        if second:
            speed, turning = speed + dt * first, turning + dt * other
            speed = min(max(speed, model["min_vel"]), model["max_vel"])
            turning = min(max(turning, model["min_angular_vel"]), model["max_angular_vel"])
    gx, gy, toward, *end = robot["goal"]
    position, angle, *others = model["distance_weights"]
    off = [position * (x - gx), position * (y - gy), angle * 2 * math.sin((heading - toward) / 2)]
    off += [w * (a - b) for w, a, b in zip(others, (speed, turning), end, strict=False)]
    return wrong, math.hypot(*off)


def test_the_check_sees_boxes_that_are_hit():
    box = (0.0, 0.0, 1.0, 1.0)
    assert hits(corners(1.2, 0.5, 0.0, 0.5, 0.25), box)  # a nose in it
    assert not hits(corners(1.3, 0.5, 0.0, 0.5, 0.25), box)
    assert hits(corners(0.5, 0.5, 0.3, 4.0, 0.2), box)  # through it, no corner inside
    assert hits(corners(0.5, 0.5, 0.3, 4.0, 4.0), box)  # around it
    assert not hits(corners(-0.3, -0.3, -math.pi / 4, 2.0, 0.25), box)  # past its corner
    assert hits(corners(-0.05, -0.05, -math.pi / 4, 2.0, 0.25), box)


@pytest.mark.parametrize("name", sorted(dynobench.PUBLISHED))
def test_a_motion_drives_clear_of_the_boxes_to_its_goal(shared_data, name):
    folder = shared_data / "dynobench"
    plan = dynobench.read(folder / f"{name}.yaml").solve(60.0, False, 7)
    assert plan.solved
    wrong, off = driven(folder, name, plan.controls)
    assert not wrong and off <= dynobench.TOLERANCE + 1e-6
