"""Checks of a recorded city, written apart from the product: from the recording's columns and the roads
alone.

Bodies are boxes; arrays are (frames, bodies) after `tracks`.
"""

import numpy as np


def tracks(recording):
    """Columns as (frames, bodies) arrays, bodies in order of id; every body must be in every frame."""
    recording = recording.whole()
    times = np.unique(recording["t"])
    bodies = len(recording) // len(times)
    assert bodies * len(times) == len(recording)
    table = {name: column.reshape(len(times), bodies) for name, column in recording.columns.items()}
    assert (table["id"] == table["id"][0]).all()
    table["heading"] = np.unwrap(recording.heading.reshape(len(times), bodies), axis=0)
    table["times"] = times
    return table


def front_bumper(table):
    ahead = table["length"] / 2
    x = table["x"] + ahead * np.cos(table["heading"])
    y = table["y"] + ahead * np.sin(table["heading"])
    return x, y


def sideways_jumps(table):
    """(frames - 1, bodies) [m]: how far the front bumper went aside from where the body pointed."""
    x, y = front_bumper(table)
    dx, dy = np.diff(x, axis=0), np.diff(y, axis=0)
    middle = (table["heading"][1:] + table["heading"][:-1]) / 2
    return np.abs(-np.sin(middle) * dx + np.cos(middle) * dy)


def yaw_rates(table):
    """(frames - 1, bodies) [rad/s]."""
    step = np.diff(table["times"])[:, None]
    return np.abs(np.diff(table["heading"], axis=0)) / step


def turning_radii(table, slowest=0.05):
    """(frames - 1, bodies) [m]: way of the front bumper by the angle turned; infinite where nothing
    turns."""
    x, y = front_bumper(table)
    way = np.hypot(np.diff(x, axis=0), np.diff(y, axis=0))
    turned = np.abs(np.diff(table["heading"], axis=0))
    moving = (way > slowest) & (turned > 1e-6)
    return np.where(moving, way / np.where(moving, turned, 1.0), np.inf)


def corners(x, y, heading, length, width):
    """(bodies, 4, 2)."""
    c, s = np.cos(heading), np.sin(heading)
    along = np.array([1, 1, -1, -1]) * length[:, None] / 2
    aside = np.array([1, -1, -1, 1]) * width[:, None] / 2
    return np.stack(
        [
            x[:, None] + along * c[:, None] - aside * s[:, None],
            y[:, None] + along * s[:, None] + aside * c[:, None],
        ],
        axis=-1,
    )


def overlapping_pairs(x, y, heading, length, width):
    """Pairs of boxes that overlap, by separating axes: no axis of either box shows a gap."""
    from scipy.spatial import cKDTree

    box = corners(x, y, heading, length, width)
    reach = np.hypot(length, width).max()
    near = cKDTree(np.stack([x, y], -1)).query_pairs(reach, output_type="ndarray")
    if len(near) == 0:
        return near
    a, b = box[near[:, 0]], box[near[:, 1]]
    apart = np.zeros(len(near), bool)
    for first in (a, b):
        for k in (0, 1):
            axis = first[:, k + 1] - first[:, k]
            axis /= np.linalg.norm(axis, axis=1, keepdims=True)
            p = a[..., 0] * axis[:, :1] + a[..., 1] * axis[:, 1:]
            q = b[..., 0] * axis[:, :1] + b[..., 1] * axis[:, 1:]
            apart |= (p.max(1) < q.min(1)) | (q.max(1) < p.min(1))
    return near[~apart]


def off_road(table, town, frame, slack=0.05):
    """Bodies of which a corner lies on a pavement, or beside a lane with no other lane there.

    Within a junction the strips do not cover the whole road, so only its pavements count there.
    """
    roads = town.roads
    box = corners(*(table[name][frame].astype(float) for name in ("x", "y", "heading", "length", "width")))
    outside = np.zeros(len(box), bool)
    for k in range(4):
        x, y = box[:, k, 0], box[:, k, 1]
        strip, _, lateral = roads.nearest(x, y)
        beyond = np.abs(lateral) > roads.width[strip] / 2 + slack
        outside |= beyond & (roads.kind[strip] == 0)
        doubtful = np.flatnonzero(beyond & ~outside)
        outside[doubtful] = on_pavement(town, x[doubtful], y[doubtful])
    return np.flatnonzero(outside)


def on_pavement(town, x, y, slack=0.02):
    """Whether points lie inside any of the town's convex pavement pieces, by more than `slack` [m]."""
    from scipy.spatial import cKDTree

    pieces = np.asarray(town.paving)
    if len(pieces) == 0 or len(x) == 0:
        return np.zeros(len(x), bool)
    middle = pieces.mean(axis=1)
    reach = np.linalg.norm(pieces - middle[:, None], axis=2).max(axis=1)
    found = np.zeros(len(x), bool)
    tree = cKDTree(np.stack([x, y], -1))
    for piece, centre, radius in zip(pieces, middle, reach, strict=True):
        for i in tree.query_ball_point(centre, radius):
            a, b = piece, np.roll(piece, -1, axis=0)
            length = np.linalg.norm(b - a, axis=1)
            side = ((b[:, 0] - a[:, 0]) * (y[i] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (x[i] - a[:, 0]))[
                length > 0
            ]
            depth = side / length[length > 0]
            found[i] |= bool((depth > slack).all() or (depth < -slack).all())
    return found


def red_lights_run(table, roads):
    """(frame, body) where a front bumper crossed a stop line whose lights were all red before and after.

    Stop lines are segments across the ends of lanes; a lane's lights are those of its connectors. Bodies
    with their siren on are left out.
    """
    lanes = [
        i
        for i in np.flatnonzero(roads.kind == 0)
        if any(roads.light[c] >= 0 for c in roads.after[roads.after_first[i] : roads.after_first[i + 1]])
    ]
    if not lanes:
        return []
    last = roads.first[np.array(lanes) + 1] - 1
    px, py, heading, half = roads.x[last], roads.y[last], roads.heading[last], roads.width[lanes] / 2
    x, y = front_bumper(table)
    found = []
    from scipy.spatial import cKDTree

    tree = cKDTree(np.stack([px, py], -1))
    for frame in range(len(x) - 1):
        step = np.hypot(x[frame + 1] - x[frame], y[frame + 1] - y[frame])
        moving = np.flatnonzero(step > 1e-6)
        if len(moving) == 0:
            continue
        near = tree.query_ball_point(np.stack([x[frame][moving], y[frame][moving]], -1), 6.0)
        states = [roads.lights.state(table["times"][frame + k]) for k in (0, 1)]
        for body, lines in zip(moving, near, strict=True):
            for k in lines:
                c, s = np.cos(heading[k]), np.sin(heading[k])
                before = c * (x[frame, body] - px[k]) + s * (y[frame, body] - py[k])
                after = c * (x[frame + 1, body] - px[k]) + s * (y[frame + 1, body] - py[k])
                aside = -s * (x[frame, body] - px[k]) + c * (y[frame, body] - py[k])
                along = np.cos(table["heading"][frame, body] - heading[k]) > 0.9
                if before < 0 <= after and abs(aside) < half[k] and along:
                    lane = lanes[k]
                    ways = roads.after[roads.after_first[lane] : roads.after_first[lane + 1]]
                    heads = roads.light[ways]
                    heads = heads[heads >= 0]
                    if all((state[heads] == 0).all() for state in states):
                        found.append((frame, int(body)))
    return [(f, b) for f, b in found if not table["emergency"][f, b]]


def longest_stand(table, still=0.1):
    """(bodies,) [s] the longest time each stood."""
    step = np.diff(table["times"]).mean()
    standing = np.hypot(table["vx"], table["vy"]) < still
    longest = np.zeros(standing.shape[1])
    run = np.zeros(standing.shape[1])
    for row in standing:
        run = np.where(row, run + step, 0.0)
        longest = np.maximum(longest, run)
    return longest
