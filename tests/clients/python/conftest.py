"""What the tests share. Every test that uses `agent` runs once for each protocol and each gateway."""

from collections.abc import Iterator

import pytest

from agent import MODES, Agent, connected
from server import GATEWAYS, OWNER, READER


@pytest.fixture(scope="module", params=GATEWAYS, ids=lambda url: url.partition("://")[2])
def gateway(request) -> str:
    return request.param


@pytest.fixture(scope="module", params=MODES)
def mode(request) -> str:
    return request.param


@pytest.fixture(scope="module")
def agent(gateway: str, mode: str) -> Iterator[Agent]:
    """At the demo's workspace, with the key that reads skills."""
    with connected(f"{gateway}/w/main", READER, mode) as agent:
        yield agent


@pytest.fixture(scope="module")
def owner(gateway: str, mode: str) -> Iterator[Agent]:
    """At the organization's address, with the key that holds every scope."""
    with connected(f"{gateway}/mcp", OWNER, mode) as agent:
        yield agent


_figures: list[str] = []


@pytest.fixture(scope="session")
def figure():
    """Notes a measured figure, which is shown after the tests."""
    return _figures.append


def pytest_terminal_summary(terminalreporter) -> None:
    for line in _figures:
        terminalreporter.write_line(line)
