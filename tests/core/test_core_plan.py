"""Plans are checked on making, come back bit for bit from their files, and damaged files are refused."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from swerve.core.errors import BadInput
from swerve.core.plan import Plan, Status, is_plan

numbers = st.floats(allow_nan=True, allow_infinity=True, width=64)
words = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=12)


def simple(n=4, **changed):
    given = {
        "status": Status.SOLVED,
        "times": 0.5 * np.arange(n),
        "states": np.arange(3.0 * n).reshape(n, 3),
        "columns": ("x", "y", "heading"),
        "controls": np.arange(2.0 * max(n - 1, 0)).reshape(-1, 2),
        "control_columns": ("steer", "throttle"),
    }
    return Plan(**given | changed)


@st.composite
def plans(draw):
    n, d, c = draw(st.integers(0, 6)), draw(st.integers(0, 3)), draw(st.integers(0, 3))
    return Plan(
        draw(st.sampled_from(Status)),
        np.sort(draw(arrays(float, n, elements=st.floats(-1e6, 1e6), unique=True))),
        np.hstack(
            [
                draw(arrays(float, (n, k), elements=some))
                for k, some in ((3, st.floats(-1e9, 1e9)), (d, numbers))
            ]
        ),
        ("x", "y", "heading", *(f"state {k}" for k in range(d))),
        draw(arrays(float, (max(n - 1, 0), c), elements=numbers)),
        tuple(f"control {k}" for k in range(c)),
        draw(numbers),
        draw(st.dictionaries(words, st.integers(-(2**53), 2**53))),
        draw(st.dictionaries(words, words)),
    )


@given(plan=plans())
@settings(max_examples=40)
def test_a_plan_comes_back_bit_for_bit(tmp_path_factory, plan):
    back = Plan.load(plan.save(tmp_path_factory.mktemp("plan") / "a.parquet"))
    for name in ("times", "states", "controls"):
        assert getattr(back, name).shape == getattr(plan, name).shape
        assert getattr(back, name).tobytes() == getattr(plan, name).tobytes()
    for name in ("status", "columns", "control_columns", "stats", "meta"):
        assert getattr(back, name) == getattr(plan, name)
    np.testing.assert_equal(back.cost, plan.cost)


def test_columns_are_found_by_name():
    plan = simple()
    assert plan["t"].tolist() == [0, 0.5, 1, 1.5]
    assert plan["y"].tolist() == [1, 4, 7, 10]
    assert plan["throttle"].tolist() == [1, 3, 5]
    assert "steer" in plan and "brake" not in plan
    with pytest.raises(BadInput, match="must be one of t, x, y, heading, steer, throttle, got 'brake'"):
        plan["brake"]


def test_arrays_cannot_be_written_to():
    with pytest.raises(ValueError, match="read-only"):
        simple().states[0, 0] = 1.0


WRONG = {
    "times: must be of shape": {"times": np.zeros((4, 1))},
    "times: must be finite": {"times": np.array([0, 1, np.nan, 3])},
    r"times\[2\]: must rise": {"times": np.array([0, 1, 1, 3])},
    r"states: must be of shape \(4, 3\), got \(5, 3\)": {"states": np.zeros((5, 3))},
    r"controls: must be of shape \(3, 2\), got \(4, 2\)": {"controls": np.zeros((4, 2))},
    "states: must hold numbers": {"states": [["a", "b", "c"]] * 4},
    r"lacks, got \['heading'\]": {"columns": ("x", "y", "yaw")},
    r"must all differ \(t is the time\), got \['x'\]": {"control_columns": ("x", "steer")},
    r"must all differ \(t is the time\), got \['t'\]": {"control_columns": ("t", "steer")},
    "plan, y: must be finite": {"states": np.array([[0, 0, 0], [1, np.nan, 0], [2, 0, 0], [3, 0, 0.0]])},
    "columns: must be words": {"control_columns": ("", "steer")},
    "status: must be a Status": {"status": "solved"},
}


@pytest.mark.parametrize("words", WRONG)
def test_a_plan_that_breaks_the_contract_is_refused(words):
    with pytest.raises(BadInput, match=words):
        simple(**WRONG[words])


def test_a_plan_without_a_body_or_controls_is_one_too():
    plan = Plan(Status.LIMIT, np.arange(3.0), np.zeros((3, 1)), ("temperature",))
    assert plan.controls.shape == (2, 0)
    assert plan.with_meta(scene="lab").meta == {"scene": "lab"}


def about(table, **changed):
    text = json.loads(table.schema.metadata[b"swerve plan"]) | changed
    return table.replace_schema_metadata({"swerve plan": json.dumps(text)})


DAMAGE = {
    r"lacks columns, got \['x'\]": lambda t: t.drop_columns(["x"]),
    "column y: has rows without a value": lambda t: t.set_column(2, "y", pa.array([1.0, None, 1.0, 1.0])),
    "column y: must be double": lambda t: t.set_column(2, "y", pa.array(list("abcd"))),
    "holds no plan": lambda t: t.replace_schema_metadata({}),
    "not a readable plan": lambda t: t.replace_schema_metadata({"swerve plan": "{nope"}),
    "metadata: must be an object": lambda t: t.replace_schema_metadata({"swerve plan": "[1]"}),
    "metadata: lacks": lambda t: t.replace_schema_metadata({"swerve plan": "{}"}),
    "status: is none of a plan's, got 'GONE'": lambda t: about(t, status="GONE"),
    "stats: must be an object": lambda t: about(t, stats=3),
    "must rise": lambda t: t.set_column(0, "t", pa.array([0.0, 2.0, 1.0, 3.0])),
    "not a readable plan.*float": lambda t: about(t, cost="dear"),
}


@pytest.mark.parametrize("words", DAMAGE)
def test_damaged_files_are_refused_in_one_line(tmp_path, words):
    path = simple().save(tmp_path / "a.parquet")
    pq.write_table(DAMAGE[words](pq.read_table(path)), path)
    with pytest.raises(BadInput, match=words) as caught:
        Plan.load(path)
    assert "a.parquet" in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize("keep", [0, 10, 300, -20])
def test_truncated_files_are_refused(tmp_path, keep):
    path = simple().save(tmp_path / "a.parquet")
    path.write_bytes(path.read_bytes()[:keep])
    assert not is_plan(path)
    with pytest.raises(BadInput, match="not a readable plan"):
        Plan.load(path)


def test_a_plan_keeps_its_own_numbers():
    states = np.zeros((2, 3))
    plan = Plan(Status.SOLVED, np.array([0.0, 1.0]), states, ("x", "y", "heading"))
    states[0, 0] = 9.0
    assert plan["x"][0] == 0.0
