"""What the tests share."""

from collections.abc import Callable
from pathlib import Path

import pytest
from crossplane.function import logging
from hypothesis import settings

GOLDEN = Path(__file__).parent / "golden"

# The same examples on every run: a failure must be there again for whoever looks for it.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the golden files anew")


@pytest.fixture(scope="session", autouse=True)
def _no_logs() -> None:
    logging.configure(logging.Level.DISABLED)


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Return a check that a golden file, named by its path, holds a text."""

    def check(name: str, text: str) -> None:
        file = GOLDEN / name
        if request.config.getoption("--update-golden"):
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        assert file.read_text() == text, "see what changed, then: make golden"

    return check
