"""Results on disk come back bit for bit, and only as what the program knows."""

import math

import numpy as np
import pytest
import sweep_work

from swerve.core.values import fingerprint, from_text, to_text


def test_values_come_back_as_they_were():
    value = {
        "plain": [None, True, 3, 0.1 + 0.2, "ü\n", math.inf],
        ("a", 2): (np.float32(0.1), np.int64(3)),
        "arrays": [np.zeros((0, 3)), np.array(["a", "bc"]), np.array([[True], [False]])],
        "named": sweep_work.Pair(1, (2.0, "b")),
        "data": sweep_work.Outcome(4, np.array([[np.nan, -0.0]]), "x"),
    }
    back = from_text(to_text(value))
    assert back["plain"] == value["plain"] and back["a", 2] == value["a", 2]
    assert type(back["a", 2][0]) is np.float32
    for one, other in zip(back["arrays"], value["arrays"], strict=True):
        assert one.dtype == other.dtype and one.shape == other.shape and (one == other).all()
    assert back["named"] == value["named"] and type(back["named"]) is sweep_work.Pair
    assert isinstance(back["data"], sweep_work.Outcome) and back["data"].name == "x"
    assert back["data"].rows.tobytes() == value["data"].rows.tobytes()
    assert "\n" not in to_text(value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        '{"~":"data","type":["os","system"],"of":{}}',
        '{"~":"data","type":["a.module.not.there","X"],"of":{}}',
        '{"~":"data","type":["sweep_work","Outcome"],"of":{"seed":1}}',
        '{"~":"array","dtype":"<f8","shape":[1000000000000],"of":"eJwDAAAAAAE="}',
        '{"~":"array","dtype":"|O","shape":[1],"of":"eJwDAAAAAAE="}',
        "[" * 100_000,
    ],
)
def test_anything_else_is_refused(text):
    with pytest.raises(ValueError):
        from_text(text)


def test_what_has_no_form_says_so():
    with pytest.raises(TypeError, match="has no form on disk"):
        to_text({1, 2})
    with pytest.raises(TypeError, match="has no form on disk"):
        to_text(abs)
    assert fingerprint(abs) != fingerprint(len)
