"""The automatic motion graph: thinning, pruning, and the bound on every seam."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from swerve.core.errors import BadInput
from swerve.race.drivers import practice
from swerve.race.graph import Pieces, build_graph, without_redundant
from swerve.race.similar import Frames, Report, Settings, similar_frames
from swerve.race.takes import Take
from swerve.race.tree_statistics import statistics
from swerve.race.wheel import steer_rate


def straight(u, name="take", contact=None):
    """A take that drives along x with forward speeds `u`."""
    u = np.asarray(u, dtype=float)
    states = np.zeros((len(u), 6))
    states[:, 3] = u
    states[1:, 0] = np.cumsum(u[:-1]) * 0.04
    return Take(name, states, contact=np.zeros(0) if contact is None else contact)


def pairs(takes, **options):
    report = Report()
    fits = similar_frames(Frames.of(takes, report), Settings(epsilon=0.5, **options), report)
    return fits, report


@pytest.fixture(scope="module")
def drives():
    return practice(1, cars=6, rounds=6)


@pytest.fixture(scope="module")
def graph(drives):
    return build_graph(drives, Settings(epsilon=0.4))


def test_all_pairs_of_a_constant_drive_fit():
    _, report = pairs([straight(np.full(10, 7.0))], k_c=0, k_s=0)
    assert report.counts["pairs of frames that fit"] == report.counts["pairs after thinning"] == 45


def test_k_c_leaves_out_the_next_frames():
    _, report = pairs([straight(np.full(10, 7.0))], k_c=3, k_s=0)
    assert report.cut["pairs within k_c of each other"] == 9 + 8 + 7
    assert report.counts["pairs after thinning"] == 45 - 24


def test_k_c_does_not_hold_between_takes():
    _, report = pairs([straight([7.0] * 3), straight([7.0] * 3)], k_c=10, k_s=0)
    assert report.counts["pairs after thinning"] == 9


def test_k_s_skips_after_a_fit_on_both_sides():
    fits, report = pairs([straight(np.full(6, 7.0)), straight(np.full(6, 7.0))], k_c=10, k_s=2)
    assert np.flatnonzero(fits).tolist() == [0, 3, 6, 9]
    assert report.counts["pairs after thinning"] == 4
    assert report.cut["pairs skipped by k_s"] == 36 - 4


def test_the_threshold_is_strict_and_frames_in_contact_never_fit():
    _, report = pairs([straight([7.0] * 2), straight([7.5] * 2)], k_c=5, k_s=0)
    assert report.counts["pairs of frames that fit"] == 2
    contact = np.array([False, True, False, False])
    _, report = pairs([straight([7.0] * 4, contact=contact)], k_c=0, k_s=0)
    assert report.counts["pairs of frames that fit"] == 3
    assert report.cut["frames in contact"] == 1


def test_a_dead_end_is_pruned_away():
    """Slow and quick meet again and again; once the car leaves for 30 m/s it never comes back."""
    swing = 10 + 2 * np.sin(np.arange(200) * 2 * np.pi / 40)
    away = np.concatenate([np.linspace(10, 30, 60), np.full(60, 30.0)])
    tree, report = build_graph(
        [straight(swing, "swing"), straight(away, "away")], Settings(0.3, k_c=5, k_s=3)
    )
    assert report.cut["nodes outside the largest connected part"] > 0
    assert tree.top_speed < 13
    assert strongly_connected(tree)


def test_pieces_with_contact_are_left_out():
    swing = 10 + 2 * np.sin(np.arange(200) * 2 * np.pi / 40)
    contact = np.arange(200) == 90
    tree, report = build_graph([straight(swing, "swing", contact)], Settings(0.3, k_c=5, k_s=3))
    assert report.cut["pieces with contact"] > 0
    bounds = [tuple(map(int, clip.name.split("[")[1][:-1].split(":"))) for clip in tree.clips]
    assert not any(a <= 90 <= b for a, b in bounds)


def test_the_graph_of_practice_fits_together(graph, drives):
    tree, report = graph
    assert strongly_connected(tree)
    assert statistics(tree)["worst_seam"] < 0.4
    assert tree.seams().max() < 0.2
    counts, cut = report.counts, report.cut
    assert counts["clips"] == len(tree.clips) > 20
    assert (
        counts["clips before pruning"]
        - cut["clips that add nothing"]
        - cut["clips outside the largest connected part"]
        == counts["clips"]
    )
    assert (
        counts["pairs of frames that fit"]
        - cut["pairs within k_c of each other"]
        - cut["pairs skipped by k_s"]
        == counts["pairs after thinning"]
    )
    assert tree.meta["report"] == report.as_dict()
    assert f"{counts['clips']:,}" in str(report) and "clips that add nothing" in str(report)


def test_the_wheel_follows_from_clip_to_clip_of_a_graph(graph):
    tree, _ = graph
    last = np.array([clip.controls[-1, 0] for clip in tree.clips])
    first = np.array([clip.controls[0, 0] for clip in tree.clips])
    meet = tree.target[:, None] == tree.source[None]
    assert np.abs(last[:, None] - first[None])[meet].max() <= 4.0 * 0.04 + 1e-9  # [rad] in a frame
    assert np.abs(last[:, None] - first[None]).max() > 0.5


def test_pieces_in_which_the_wheel_jumps_are_left_out():
    swing = straight(10 + 2 * np.sin(np.arange(200) * 2 * np.pi / 40))
    controls = np.zeros((199, 3))
    controls[90:, 0] = 0.5
    tree, report = build_graph([Take("swing", swing.states, controls)], Settings(0.3, k_c=5, k_s=3))
    assert report.cut["pieces with a wheel quicker than hands"] == 1
    assert steer_rate(tree) <= 4.0 + 1e-9


def test_the_graph_is_repeatable_and_survives_a_file(graph, drives, tmp_path):
    tree, _ = graph
    again, _ = build_graph(drives, Settings(epsilon=0.4))
    loaded = type(tree).load(tree.save(tmp_path / "graph.npz"))
    for other in (again, loaded):
        assert np.array_equal(other.source, tree.source) and np.array_equal(other.target, tree.target)
        assert all(np.array_equal(a.pose, b.pose) for a, b in zip(other.clips, tree.clips, strict=True))


@settings(max_examples=25)
@given(
    epsilon=st.floats(0.05, 2.0),
    k_c=st.integers(0, 30),
    k_s=st.integers(0, 20),
    waves=st.lists(st.tuples(st.floats(0.5, 4.0), st.integers(15, 60)), min_size=1, max_size=4),
)
def test_every_graph_is_connected_and_within_epsilon(epsilon, k_c, k_s, waves):
    t = np.arange(240)
    takes = [straight(10 + a * np.sin(t * 2 * np.pi / n), f"{i}") for i, (a, n) in enumerate(waves)]
    try:
        tree, _ = build_graph(takes, Settings(epsilon, k_c=k_c, k_s=k_s))
    except BadInput as error:
        assert "epsilon" in str(error)
        return
    assert strongly_connected(tree)
    assert statistics(tree)["worst_seam"] < epsilon
    assert min(clip.frames for clip in tree.clips) > k_s


@settings(max_examples=50)
@given(st.data())
def test_leaving_out_redundant_clips_keeps_who_reaches_whom(data):
    n = data.draw(st.integers(1, 40))
    ends = st.lists(st.integers(0, 4), min_size=n, max_size=n)
    source, target = np.array(data.draw(ends)), np.array(data.draw(ends))
    where = data.draw(st.lists(st.integers(0, 6), min_size=n, max_size=n))
    frames = Frames(
        np.zeros((n + 1, 3)),
        np.stack([np.array([0.0, *where]) * 0.3, np.zeros(n + 1), np.zeros(n + 1)], axis=1),
        np.zeros(n + 1, dtype=int),
        np.arange(n + 1),
        np.zeros(n + 1, dtype=bool),
        0.04,
        np.zeros((n + 1, 2)),
    )
    clips = Pieces(source, target, np.zeros(n, dtype=int), np.arange(1, n + 1))
    config, report = Settings(same_place=0.5, same_time=100.0), Report()
    kept = without_redundant(clips, frames, config, report)
    assert set(zip(kept.source, kept.target, strict=True)) == set(zip(source, target, strict=True))
    assert report.cut["clips that add nothing"] == n - len(kept.source)
    # nothing kept is alike, and everything left out is like something kept
    for a, b, stop in zip(source, target, clips.stop, strict=True):
        same = kept.stop[(kept.source == a) & (kept.target == b)]
        gaps = np.abs(frames.pose[same, 0] - frames.pose[stop, 0])
        assert gaps.min() <= 0.5
        assert stop not in same or np.count_nonzero(gaps <= 0.5) == 1


def test_takes_that_never_meet_are_refused():
    with pytest.raises(BadInput, match="epsilon"):
        build_graph([straight(np.linspace(0, 30, 40))], Settings(0.01))
    with pytest.raises(BadInput, match="takes"):
        build_graph([])
    with pytest.raises(BadInput, match="epsilon"):
        Settings(epsilon=-1.0)
    with pytest.raises(BadInput, match="k_s"):
        Settings(k_s=-1)


def strongly_connected(tree) -> bool:
    n = len(tree.node_names)
    matrix = csr_array((np.ones(len(tree.clips)), (tree.source, tree.target)), shape=(n, n))
    return connected_components(matrix, directed=True, connection="strong")[0] == 1
