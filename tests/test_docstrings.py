"""Every example in a docstring works as it stands there."""

import doctest
from importlib import import_module
from pkgutil import walk_packages

import pytest

import swerve

MODULES = [module.name for module in walk_packages(swerve.__path__, "swerve.")]


def has_examples(name: str) -> bool:
    return any(test.examples for test in doctest.DocTestFinder().find(import_module(name)))


@pytest.mark.parametrize("name", [name for name in MODULES if has_examples(name)])
def test_examples(name):
    result = doctest.testmod(import_module(name), raise_on_error=False)
    assert result.attempted > 0 and result.failed == 0


def test_there_are_examples_in_core_and_race():
    found = {name.split(".")[1] for name in MODULES if has_examples(name)}
    assert {"core", "race"} <= found
