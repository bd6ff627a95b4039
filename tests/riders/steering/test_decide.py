"""Decisions: the kernel against plain Python, and what it chooses."""

from dataclasses import replace

import numpy as np
import pytest

from swerve.core.errors import BadInput
from swerve.core.motion import Motion
from swerve.core.seeding import generator
from swerve.core.steered import AIM
from swerve.riders.steering.decide import RISKY, Navigator, Weights, line_ahead
from swerve.riders.steering.judge import KEPT
from swerve.riders.steering.simple import Simple


def some_riders(n, rng):
    x, y = rng.normal(0, 20, (2, n))
    yaw = rng.normal(0, 2.0, n)
    roll, yaw_rate, roll_rate = rng.normal(0, 0.2, (3, n))
    told = np.where(np.arange(n) % 2, np.nan, yaw + 3 * roll)  # half of them were told nothing yet
    extras = {"roll_rate": roll_rate, AIM: told}
    return Motion.planar(x, y, yaw, 12.0, yaw_rate=yaw_rate, roll=roll, **extras)


def plain_choice(map_, weights, motion, reference, i):
    """The same decision, written down as it is meant."""
    state = np.array([motion.roll[i], motion.yaw_rate[i], motion.roll_rate[i], motion.speed[i]])
    stretch = map_.speed / motion.speed[i]
    nearest = map_.nearest(state[None])[0]
    turned = np.exp(1j * motion.yaw[i])
    costs = []
    for action in range(map_.actions):
        total = 0.0
        for k in range(weights.ticks):
            add = (state - map_.states[nearest])[:3] @ map_.carry[0, k + 1, :, :3]
            x, y, yaw = map_.samples.pose[nearest * map_.actions + action, k + 1] + add
            here = complex(motion.x[i], motion.y[i])
            wanted = stretch * (complex(*reference[i, k, :2]) - here)
            apart = (turned * complex(x, y) - wanted) * np.exp(-1j * reference[i, k, 2])
            turn = np.angle(np.exp(1j * (reference[i, k, 2] - motion.yaw[i])))
            total += (weights.ratio * apart.imag) ** 2 + ((1 - weights.ratio) * (yaw - turn)) ** 2
        costs.append(total)
    best = int(np.argmin(costs))
    middle = min(max(best, 1), map_.actions - 2)
    three = slice(middle - 1, middle + 2)
    bend, slope, _ = np.polyfit(map_.turns[three], costs[three], 2)
    ends = map_.turns[three][[0, -1]]
    turn = float(np.clip(-slope / (2 * bend), *ends)) if bend > 0 else map_.turns[best]
    told = motion.extras[AIM][i]
    if np.isnan(told):
        return turn
    held = np.angle(np.exp(1j * (told - motion.yaw[i] + reference[i, -1, 2] - reference[i, -2, 2])))
    return (1 - KEPT) * turn + KEPT * np.clip(held, map_.turns[0], map_.turns[-1])


def test_the_kernel_decides_as_written_down(standin_map):
    rng = generator(0, "decide")
    motion, weights = some_riders(40, rng), Weights(1.5, 0.3)
    reference = rng.normal(0, 1.0, (40, 15, 3)).cumsum(axis=1) + np.array([0, 0, 2.0])
    reference[..., 0] += motion.x[:, None]
    reference[..., 1] += motion.y[:, None]
    turns = Navigator(standin_map, weights).turns(motion, reference)
    wanted = [plain_choice(standin_map, weights, motion, reference, i) for i in range(40)]
    assert np.allclose(turns, wanted, atol=1e-3)


def test_several_threads_and_any_batch_give_the_same(standin_map):
    rng = generator(1, "decide")
    motion, weights = some_riders(2000, rng), Weights(2.0, 0.4)
    reference = line_ahead(motion.x, motion.y + 1, motion.yaw, 12.0, weights.ticks)
    one = Navigator(standin_map, weights).turns(motion, reference)
    two = Navigator(standin_map, weights, threads=2).turns(motion, reference)
    assert (one == two).all()
    alone, asked = motion[7:8], Navigator(standin_map, weights)
    asked.foresee(motion, motion.yaw, 0.4)  # what it keeps of one motion says nothing of another
    assert asked.turns(alone, reference[7:8])[0] == one[7]
    assert (asked.turns(motion, reference) == one).all()


def test_it_turns_towards_where_it_should_be(standin_map):
    zero = np.zeros(2)
    straight = Motion.planar(zero, zero, vx=12.0)
    reference = line_ahead(zero, np.array([3.0, -3.0]), zero, 12.0, 15)
    left, right = Navigator(standin_map, Weights(1.5, 0.5)).turns(straight, reference)
    assert left > 0.3 and right < -0.3


def test_riders_nearly_right_steer_finely_and_on_both_sides_alike(standin_map):
    zero = np.zeros(3)
    straight = Motion.planar(zero, zero, vx=12.0)
    reference = line_ahead(zero, np.array([0.05, 0.0, -0.05]), zero, 12.0, 15)
    left, none, right = Navigator(standin_map, Weights(1.5, 0.8)).turns(straight, reference)
    step = standin_map.turns[1] - standin_map.turns[0]
    assert 0.002 < left - none < 0.3 * step and left - none == pytest.approx(none - right, rel=0.2)
    assert abs(none) < 0.05 * step


def test_where_riders_will_be_is_foreseen(standin_body, standin_map):
    ride = standin_body.start(3)
    ride.advance(np.array([0.4, 0.0, -0.4]), np.full(3, 12.0), 0.3)  # leaning, and hardly turned yet
    motion, told = ride.motion(), np.array([0.4, 0.0, -0.4])
    navigator = Navigator(standin_map, Weights(1.5, 0.5))
    by_map = navigator.foresee(motion, told, 0.8)
    straight = Simple((-1.0, 1.0)).foresee(motion, told, 0.8)
    ride.advance(told, np.full(3, 12.0), 0.8)
    true = np.column_stack([ride.motion().x, ride.motion().y])
    off, off_straight = (np.hypot(*(places - true).T) for places in (by_map, straight))
    assert (off < 0.25).all() and (off[[0, 2]] < 0.4 * off_straight[[0, 2]]).all()
    down = replace(motion, extras={"fell": np.ones(3, bool)})
    assert (navigator.foresee(down, told, 0.8) == np.column_stack([motion.x, motion.y])).all()


def test_turns_that_fall_are_not_made(standin_map):
    fell = standin_map.tracks.fell.copy().reshape(100, 10)
    fell[:, 5:] = 2.0  # every turn to the left is a fall
    trap = replace(standin_map, tracks=replace(standin_map.tracks, fell=fell.ravel()))
    zero = np.zeros(1)
    straight = Motion.planar(zero, zero, vx=12.0)
    reference = line_ahead(zero, zero + 3.0, zero, 12.0, 15)
    assert Navigator(standin_map, Weights(1.5, 0.5)).turns(straight, reference)[0] > 0
    assert Navigator(trap, Weights(1.5, 0.5)).turns(straight, reference)[0] <= standin_map.turns[4]


def test_a_turn_that_falls_now_and_then_at_a_speed_is_risked_from_none_of_its_states(standin_map):
    """A herd of sixteen aliens that gathered fell in their widest turn, which 12 % of its trials do."""
    fell = standin_map.tracks.fell.copy().reshape(100, 10)
    fell[::20, 0] = 2.0  # the widest turn to the right falls from every twentieth state
    often = replace(standin_map, tracks=replace(standin_map.tracks, fell=fell.ravel()))
    fell[::20, 0], fell[0, 0] = np.inf, 2.0
    once = replace(standin_map, tracks=replace(standin_map.tracks, fell=fell.ravel()))
    _, often_falls = Navigator(often, Weights(1.5, 0.5)).table
    _, once_falls = Navigator(once, Weights(1.5, 0.5)).table
    assert (often_falls[:, 0] == 0).any()  # 5 % to one side, none to the other: 2.5 % of both
    assert (once_falls[:, 0] == 0).mean() > 0.9
    fell[::20, 0] = fell[7::20, 9] = 2.0
    both = replace(standin_map, tracks=replace(standin_map.tracks, fell=fell.ravel()))
    navigator = Navigator(both, Weights(1.5, 0.5))
    assert (navigator.table[1][:, [0, 9]] >= RISKY).all() and (navigator.table[1][:, 1:9] == 0).all()
    zero = np.zeros(2)
    reference = line_ahead(zero, np.array([9.0, -9.0]), zero, 12.0, 15)
    turns = navigator.turns(Motion.planar(zero, zero, vx=12.0), reference)
    assert np.abs(turns).max() <= standin_map.turns[8] + 1e-9


@pytest.mark.parametrize(
    "t_max, ratio, named", [(0.0, 0.5, "t_max"), (1.0, 1.5, "ratio"), (np.nan, 0.5, "t_max")]
)
def test_bad_weights_are_named(t_max, ratio, named):
    with pytest.raises(BadInput, match=named):
        Weights(t_max, ratio)


def test_a_map_does_not_look_further_than_it_goes(standin_map):
    with pytest.raises(BadInput, match="looks 5 s ahead"):
        Navigator(standin_map, Weights(6.0, 0.5))
