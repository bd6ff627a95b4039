"""The pure pursuit that the planner is held against drives, and is no straw man."""

import numpy as np

from swerve.bench.pursuit import Setting, line_of, pursue, speeds
from swerve.race import load_track, plan_course

BEST = Setting(edge=1.6, ahead=0.35, nearest=3.0, gain=4.0, side=17.0, brake=7.5)


def test_it_is_as_quick_as_a_reviewer_found_and_slower_than_the_planner():
    track = load_track("sharp-cornered")
    line = line_of(track, BEST.edge)
    seconds = pursue(track, line, BEST)
    assert plan_course(track).seconds < seconds < 40.7
    assert pursue(track, line, BEST, best=seconds - 1.0) == np.inf
    assert pursue(track, line, BEST, slip=np.radians(10.0)) == np.inf  # it slides


def test_it_touches_where_it_dares_too_much():
    track = load_track("sharp-cornered")
    assert pursue(track, line_of(track, 0.3), BEST._replace(side=60.0, edge=0.3)) == np.inf


def test_it_slows_down_before_a_bend_and_no_later():
    line = np.vstack([np.column_stack([np.arange(60.0), np.zeros(60)]), [[59.0, 1.0 + k] for k in range(20)]])
    speed = speeds(line, BEST)
    assert speed[30] > speed[50] > speed[58]
    assert (np.diff(speed**2) >= -2 * BEST.brake - 1e-6).all()
