"""Cars from files, and the trees that are kept for them."""

from dataclasses import asdict, replace

import pytest

from swerve.core.errors import BadInput
from swerve.race import CarParameters, cars, load_car, load_tree
from swerve.race.cars import SHIPPED, cache_folder, tree_for, tree_that_fits
from swerve.race.trees import car_of, hubs_of


def test_shipped_cars():
    assert set(SHIPPED) == {"seed", "heavy", "ice"} and load_car("seed") == CarParameters()
    assert load_car("heavy").mass > 2000 and load_car("ice").max_grip < 1.0


def test_a_file_is_held_against_the_constants(tmp_path):
    mine = tmp_path / "mine.yaml"
    mine.write_text("mass: 1200\n")
    assert load_car(mine) == CarParameters(mass=1200.0)
    words = {
        "mas: 3": "mas",
        "mass: -3": "mass",
        "mass: fast": "mass",
        "drag: -40": "drag",  # such a car would reach three million m/s
        "drive_gain: 0": "drive_gain",
        "front_stiffness: 4": "front_stiffness",
    }
    for text, word in words.items():
        mine.write_text(text + "\n")
        with pytest.raises(BadInput, match=rf"mine.yaml, {word}"):
            load_car(mine)
    with pytest.raises(BadInput, match="must be one of"):
        load_car("tank")


def test_a_slow_car_has_fewer_hubs():
    assert len(hubs_of(load_car("ice"))) < len(hubs_of(load_car("seed"))) == 7


def test_a_tree_that_was_made_is_kept(tmp_path, monkeypatch, seven):
    monkeypatch.setenv("SWERVE_CACHE", str(tmp_path))
    made = []
    monkeypatch.setattr("swerve.race.cars.build_tree", lambda name, seed, car: made.append(car) or seven)
    first, again = (tree_for(load_car("heavy")) for _ in range(2))
    assert len(made) == 1 and len(first.clips) == len(again.clips)
    assert cache_folder() == tmp_path and tree_for(CarParameters()).name == "large" and len(made) == 1


def test_a_file_with_the_wrong_unit_is_told_apart_from_a_car(tmp_path):
    for name, value in (("mass", "1e-3"), ("inertia", "1e9"), ("max_grip", "300"), ("gravity", "0.01")):
        (tmp_path / "car.yaml").write_text(f"{name}: {value}\n")
        with pytest.raises(BadInput, match=f"{name}: must be between"):
            load_car(tmp_path / "car.yaml")


def test_a_tree_fits_the_car_that_it_was_made_for(tmp_path, monkeypatch):
    monkeypatch.setenv("SWERVE_CACHE", str(tmp_path))
    heavy, five, large = load_car("heavy"), load_tree("five"), load_tree("large")
    assert tree_that_fits(CarParameters(), "five", five) is five
    assert tree_that_fits(heavy, "five", five) is None is tree_that_fits(heavy, "large", large)
    own = replace(large, meta=large.meta | {"car": asdict(heavy)})
    assert tree_that_fits(heavy, "mine.npz", own) is own and car_of(own) == heavy
    assert tree_that_fits(CarParameters(), "mine.npz", own) is None
    own.save(cars._tree_file(heavy, 0, "large"))
    kept = tree_that_fits(heavy, "large", large)
    assert kept is not None and car_of(kept) == heavy
    for told in ({"mas": 3}, {"mass": "much"}, [3], {"mass": -3}):
        with pytest.raises(BadInput, match="must be a car's constants"):
            car_of(replace(large, meta={"car": told}))


def test_who_waits_for_a_tree_is_told_so(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("SWERVE_CACHE", str(tmp_path))
    monkeypatch.setattr(cars, "build_tree", lambda name, seed, car: load_tree("five"))
    cars.tree_for(load_car("heavy"))
    assert "building the move tree large" in capsys.readouterr().err
    cars.tree_for(load_car("heavy"))
    assert capsys.readouterr().err == ""  # the second time it is there
