"""An agent that uses the product through the official MCP client library."""

import json
from collections.abc import Iterator
from contextlib import asynccontextmanager, contextmanager

import httpx2
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, Tool

from server import TIMEOUT_SECONDS, bearer

# How the library agrees on a protocol: the handshake, the best that both know, and 2026-07-28 alone.
MODES = ["legacy", "auto", "2026-07-28"]


class Agent:
    """A connected client. The library is asynchronous; this is not, so that tests read as sentences."""

    def __init__(self, client: Client, portal: BlockingPortal):
        self._client, self._portal = client, portal

    @property
    def protocol(self) -> str:
        return self._client.protocol_version

    @property
    def instructions(self) -> str | None:
        return self._client.instructions

    def tools(self) -> list[Tool]:
        listed = self._portal.call(self._client.list_tools)
        assert listed.next_cursor is None, "the list must be whole in one page"
        return listed.tools

    def tool_names(self) -> list[str]:
        return [tool.name for tool in self.tools()]

    def call(self, name: str, **arguments) -> CallToolResult:
        return self._portal.call(self._client.call_tool, name, arguments)

    def ask(self, name: str, **arguments) -> dict:
        """What a tool answers; its text has to be the same object."""
        result = self.call(name, **arguments)
        assert not result.is_error, result.content
        [text] = result.content
        assert json.loads(text.text) == result.structured_content
        return result.structured_content

    def refusal(self, name: str, **arguments) -> str:
        """Why a tool that the key may call fails."""
        result = self.call(name, **arguments)
        assert result.is_error, result.structured_content
        [text] = result.content
        return text.text

    def find(self, query: str, **more) -> list[dict]:
        return self.ask("find_skills", query=query, **more)["results"]

    def skill(self, id: str, **more) -> dict:
        return self.ask("get_skill", id=id, **more)

    def file(self, id: str, path: str, **more) -> dict:
        return self.ask("get_skill_file", id=id, path=path, **more)


@contextmanager
def connected(url: str, key: str | None, mode: str = "auto") -> Iterator[Agent]:
    with start_blocking_portal() as portal:
        with portal.wrap_async_context_manager(_client(url, key, mode)) as client:
            yield Agent(client, portal)


@asynccontextmanager
async def _client(url: str, key: str | None, mode: str):
    async with httpx2.AsyncClient(headers=bearer(key), timeout=TIMEOUT_SECONDS) as http:
        async with Client(streamable_http_client(url, http_client=http), mode=mode) as client:
            yield client
