"""What is answered before any tool is reached."""

import pytest
from mcp import MCPError

from agent import connected
from server import OWNER, READER, Workspace, request

ADDRESSES = ["/w/main", "/mcp"]
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
ACCEPT = {"Accept": "application/json, text/event-stream"}
WRONG_KEYS = ["lo_nonsense", READER[:-1] + ("0" if READER[-1] != "0" else "1"), "sk-another-product"]


def post(url: str, key: str | None = None, **more):
    return request("POST", url, key, json=PING, headers={**ACCEPT, **more})


@pytest.mark.parametrize("address", [*ADDRESSES, "/w/no-such-workspace", "/v1/skills"])
def test_without_a_key_everything_is_401_with_a_challenge(gateway, address):
    method = "GET" if address.startswith("/v1") else "POST"
    response = request(method, gateway + address)
    assert response.status_code == 401
    assert response.headers["WWW-Authenticate"].startswith("Bearer")
    assert response.headers["Content-Type"] == "application/problem+json"


@pytest.mark.parametrize("key", WRONG_KEYS)
def test_a_wrong_key_is_401_and_the_challenge_says_so(gateway, key):
    response = post(f"{gateway}/w/main", key)
    assert response.status_code == 401
    assert 'error="invalid_token"' in response.headers["WWW-Authenticate"]


def test_the_library_cannot_connect_without_a_key(gateway, mode):
    # The library wraps the error in the group of the tasks that it ended.
    with pytest.raises((MCPError, BaseExceptionGroup)):
        with connected(f"{gateway}/w/main", None, mode) as agent:
            agent.tools()


def test_another_workspace_is_as_one_that_does_not_exist(gateway):
    other = Workspace.make().slug
    missing = f"{other[:-1]}-"
    answers = [post(f"{gateway}/w/{slug}", OWNER) for slug in (other, missing)]
    assert [answer.status_code for answer in answers] == [404, 404]
    [there, nowhere] = [answer.json() for answer in answers]
    assert there["detail"].replace(other, missing) == nowhere["detail"]
    assert {**there, "detail": 0, "request_id": 0} == {**nowhere, "detail": 0, "request_id": 0}


@pytest.mark.parametrize("address", ADDRESSES)
@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
def test_only_post_is_answered(gateway, address, method):
    response = request(method, gateway + address, READER, headers=ACCEPT)
    assert response.status_code == 405
    assert response.headers["Allow"] == "POST"


@pytest.mark.parametrize("address", ADDRESSES)
def test_another_sites_page_is_refused(gateway, address):
    response = post(gateway + address, READER, Origin="https://evil.example")
    assert response.status_code == 403


@pytest.mark.parametrize("address", ADDRESSES)
def test_another_host_is_refused(gateway, address):
    assert post(gateway + address, READER, Host="evil.example").status_code == 403


@pytest.mark.parametrize("path", ["/", "/nothing", "/.well-known/oauth-protected-resource", "/w"])
def test_anything_else_is_a_real_404(gateway, path):
    assert request("GET", gateway + path, READER).status_code == 404


def test_no_session_is_begun(gateway):
    client = {"name": "e2e", "version": "1"}
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}
    hello = {**PING, "method": "initialize", "params": params}
    response = request("POST", f"{gateway}/w/main", READER, json=hello, headers=ACCEPT)
    assert response.status_code == 200
    assert "Mcp-Session-Id" not in response.headers
