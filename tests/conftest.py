"""Shared by all tests: Hypothesis without deadlines (kernels compile on first call) and repeatable."""

from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("swerve", deadline=None, derandomize=True)
settings.load_profile("swerve")

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real data that lies beside the project; a test that needs it is skipped where it is absent."""
    if not SHARED.is_dir():
        pytest.skip(f"no data at {SHARED}")
    return SHARED
