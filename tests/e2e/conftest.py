"""Fixtures of the end-to-end tests, and what is shown when one of them fails."""

import signal
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from .harness import network, packages, programs
from .harness.crossplane import XR
from .harness.live import Live, User


def pytest_sessionstart(session: pytest.Session) -> None:
    """Build what is missing before the first test, where its progress is seen."""
    # Whoever ends the tests politely must not leave a control plane behind.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None and not hasattr(session.config, "workerinput"):
        programs.build_missing(reporter.write_line)
        # Workers are started after this, and inherit it.
        network.seclude()


@pytest.fixture(scope="session")
def crds() -> Path:
    """Return the folder with the real CustomResourceDefinitions of the two providers."""
    return packages.provider_crds()


@pytest.fixture(scope="session")
def live(tmp_path_factory: pytest.TempPathFactory, crds: Path) -> Iterator[Live]:
    """Run a whole control plane, once for all tests."""
    with Live.running(tmp_path_factory.mktemp("live"), crds) as running:
        yield running


@pytest.fixture
def user(live: Live) -> Iterator[User]:
    """Return a user with a namespace of their own; what they leave is deleted."""
    live.crossplane.ensure_running()
    somebody = live.user()
    yield somebody
    for left in live.api.list(XR, somebody.namespace):
        somebody.delete(left["metadata"]["name"])
    assert live.crashes() == [], "the stand-ins themselves failed"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show the end of every program's log with a test that failed."""
    report = yield
    arguments = getattr(item, "funcargs", {})
    somebody, running = arguments.get("user"), arguments.get("live")
    if report.failed and isinstance(somebody, User):
        report.sections.append((f"namespace {somebody.namespace}", somebody.describe()))
        running = somebody.live
    if report.failed and isinstance(running, Live):
        for process in running.control_plane.processes:
            report.sections.append((f"log of {process.name} ({process.log})", process.tail()))
    return report
