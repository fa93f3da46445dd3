"""What a key shows and allows. A tool that it does not see is as if there were none."""

import time

import pytest
from mcp import MCPError

from agent import connected
from server import GATEWAYS, OWNER, READER, Rest, make_key, request

THREE = ["find_skills", "get_skill", "get_skill_file"]


@pytest.fixture(scope="module")
def getting():
    return make_key(["skills:read"], tools=["get_*"])


@pytest.fixture(scope="module")
def without_skills():
    return make_key(["memory:read"])


def error_of(agent, tool: str) -> tuple[int, str]:
    """How a tool that is not there is refused, its name left out."""
    with pytest.raises(MCPError) as caught:
        agent.call(tool, id="commit-messages")
    return caught.value.code, caught.value.message.replace(tool, "…")


def test_a_key_limited_to_get_sees_two_tools(getting, gateway, mode):
    for address in ("/w/main", "/mcp"):
        with connected(gateway + address, getting.secret, mode) as agent:
            assert agent.tool_names() == ["get_skill", "get_skill_file"], address
            assert agent.skill("commit-messages")["version"] == 1


def test_a_tool_beside_a_keys_list_is_as_one_that_does_not_exist(getting, gateway, mode):
    with connected(f"{gateway}/w/main", getting.secret, mode) as agent:
        assert error_of(agent, "find_skills") == error_of(agent, "no_such_tool")


def test_a_key_without_the_scope_sees_no_tool_of_it(without_skills, gateway, mode):
    with connected(f"{gateway}/w/main", without_skills.secret, mode) as agent:
        assert agent.tool_names() == []
    with connected(f"{gateway}/mcp", without_skills.secret, mode) as agent:
        assert agent.tool_names() == ["whoami"]


@pytest.mark.parametrize("tool", THREE)
def test_a_tool_of_another_scope_is_as_one_that_does_not_exist(without_skills, gateway, mode, tool):
    with connected(f"{gateway}/w/main", without_skills.secret, mode) as agent:
        assert error_of(agent, tool) == error_of(agent, "no_such_tool")


def test_whoami_at_a_workspace_is_as_a_tool_that_does_not_exist(agent):
    assert error_of(agent, "whoami") == error_of(agent, "no_such_tool")


@pytest.mark.parametrize("tool", [*THREE, "no_such_tool"])
def test_rest_refuses_them_the_same_way(without_skills, gateway, tool):
    url = f"{gateway}/v1/tools/{tool}"
    response = request("POST", url, without_skills.secret, json={"id": "commit-messages"})
    assert (response.status_code, response.json()["detail"]) == (404, f"unknown tool `{tool}`")


def test_a_key_for_a_tool_that_does_not_exist_is_not_made():
    asked = {"name": "e2e", "scopes": ["skills:read"], "tools": ["no_such_tool"]}
    response = request("POST", f"{GATEWAYS[0]}/v1/keys", OWNER, json=asked)
    assert response.status_code == 400
    assert "`no_such_tool`" in response.json()["detail"]


def test_an_ended_key_stops_at_every_gateway_within_a_second():
    key = make_key(["skills:read"])
    urls = [f"{gateway}/v1/skills" for gateway in GATEWAYS]
    assert [request("GET", url, key.secret).status_code for url in urls] == [200] * len(urls)
    Rest(GATEWAYS[0], OWNER).delete(f"/v1/keys/{key.id}")
    time.sleep(1)
    assert [request("GET", url, key.secret).status_code for url in urls] == [401] * len(urls)


def test_the_reading_key_cannot_publish(gateway):
    headers = {"Content-Type": "application/zip"}
    url = f"{gateway}/v1/skills/import"
    response = request("POST", url, READER, content=b"PK\x05\x06" + bytes(18), headers=headers)
    assert response.status_code == 403
    assert "skills:write" in response.json()["detail"]
