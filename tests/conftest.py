"""Shared by all tests: Hypothesis without deadlines (kernels compile on first call) and repeatable; a worker
takes a wing whole, so that no kernel is compiled by two of them at once; and Ctrl-C is heard."""

import signal
from pathlib import Path

import pytest
from hypothesis import settings
from xdist.scheduler import LoadScopeScheduling

settings.register_profile("swerve", deadline=None, derandomize=True)
settings.load_profile("swerve")

if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:  # as shells begin what runs in the background
    signal.signal(signal.SIGINT, signal.default_int_handler)

TESTS = Path(__file__).resolve().parent
# the wings, dearest first; then what runs the kernels of several, when they have been compiled
ORDER = [
    "city",
    "race",
    "terrain",
    "tactics",
    "riders",
    "soccer",
    "core",
    "faults",
    "scenes",
    "studio",
    "cli",
    "pages",
    "studies",
]
GUESTS = {  # files that run the kernels of one wing from elsewhere, and pages of all of them
    "bench": "race",
    "pursuit": "race",
    "adam": "race",
    "adam_human": "race",
    "race_env": "race",
    "ride_env": "riders",
    "agents": "riders",
    "city": "city",
    "plan": "tactics",
    "zickler": "tactics",
    "ride_map": "riders",
    "brogan": "riders",
    "terrain": "terrain",
    "docstrings": "pages",
    "readme": "pages",
    "plans": "pages",
}
SHARED = TESTS.parents[1] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real data that lies beside the project; a test that needs it is skipped where it is absent."""
    if not SHARED.is_dir():
        pytest.skip(f"no data at {SHARED}")
    return SHARED


def wing_of(nodeid: str) -> str:
    """Which wing a test belongs to, by its path under the tests."""
    *rooms, file = nodeid.split("::")[0].split("/")
    guest = GUESTS.get(file.removeprefix("test_").removesuffix(".py"))
    return guest or (rooms[1] if len(rooms) > 1 else "house")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="run tests marked long, too")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--long"):
        for item in items:
            if item.get_closest_marker("long"):
                item.add_marker(pytest.mark.skip(reason="long; run with --long"))
    items.sort(key=lambda item: [*ORDER, wing_of(item.nodeid)].index(wing_of(item.nodeid)))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    class ByWing(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return wing_of(nodeid)

    return ByWing(config, log)
