"""Scene files: YAML and TOML say the same, and what does not fit is refused in one line."""

import pytest
from pydantic import BaseModel, ConfigDict, field_validator

from swerve.core.errors import BadInput
from swerve.core.scene_file import check, load, read_mapping


class Wheel(BaseModel):
    model_config = ConfigDict(extra="forbid")
    radius: float

    @field_validator("radius")
    @classmethod
    def positive(cls, value: float) -> float:
        if value <= 0:
            raise ValueError("Must be above 0 m")
        return value


class Machine(BaseModel):
    model_config = ConfigDict(extra="forbid")
    name: str
    wheels: list[Wheel]


def test_yaml_and_toml_say_the_same(tmp_path):
    (tmp_path / "a.yaml").write_text("name: a\nwheels:\n  - radius: 0.3\n")
    (tmp_path / "a.TOML").write_text('name = "a"\n[[wheels]]\nradius = 0.3\n')
    first, second = (load(tmp_path / name, "machine", Machine) for name in ("a.yaml", "a.TOML"))
    assert first == second == Machine(name="a", wheels=[Wheel(radius=0.3)])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("name: a\nwheels:\n  - radius: -1\n", "wheels.0.radius: must be above 0 m, got -1"),
        ("name: a\n", "wheels: field required"),
        ("name: a\nwheels: []\nseat: 1\n", "seat: extra inputs are not permitted, got 1"),
        ("- a\n", "must be a mapping of fields, got 'list'"),
        ("", "must be a mapping of fields, got 'NoneType'"),
        ("name: [\n", "cannot be read"),
        ("name: !!python/object/apply:os.getcwd []\n", "cannot be read"),
    ],
)
def test_an_error_names_file_field_and_value(tmp_path, text, words):
    path = tmp_path / "bad.yaml"
    path.write_text(text)
    with pytest.raises(BadInput) as error:
        load(path, "machine", Machine)
    said = str(error.value)
    assert said.startswith(f"machine {path}") and words in said and "\n" not in said


def test_a_missing_file_and_bytes_that_are_no_text(tmp_path):
    with pytest.raises(BadInput, match="no such file"):
        read_mapping(tmp_path / "none.yaml", "machine")
    (tmp_path / "noise.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadInput, match="cannot be read"):
        read_mapping(tmp_path / "noise.toml", "machine")


def test_what_is_too_long_is_not_repeated():
    with pytest.raises(BadInput) as error:
        check({"name": "a", "wheels": {"one": 1}}, "machine", Machine)
    assert "got" not in str(error.value)
    with pytest.raises(BadInput) as error:
        check({"name": list(range(100)), "wheels": []}, "machine", Machine)
    assert "got" not in str(error.value)
