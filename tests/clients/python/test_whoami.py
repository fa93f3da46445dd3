"""`whoami` at the organization's address."""

import re

from agent import connected
from server import OWNER, READER, make_key


def test_it_tells_the_organization_the_workspace_and_the_key(owner):
    me = owner.ask("whoami")
    assert set(me) == {"organization", "workspace", "member", "key", "scopes", "tools"}
    assert (me["organization"]["slug"], me["workspace"]["slug"]) == ("acme", "main")
    assert set(me["organization"]) == set(me["workspace"]) == {"id", "slug", "name"}
    assert set(me["key"]) == {"id", "name", "expiresAt"}
    assert (me["member"], me["tools"], me["key"]["expiresAt"]) == (None, None, None)


def test_ids_are_a_kind_and_32_hexadecimal_digits(owner):
    me = owner.ask("whoami")
    ids = [me[part]["id"] for part in ("organization", "workspace", "key")]
    assert all(re.fullmatch(r"[a-z]+_[0-9a-f]{32}", id) for id in ids), ids


def test_the_owners_key_holds_every_scope(owner):
    scopes = owner.ask("whoami")["scopes"]
    assert {"skills:read", "skills:write", "keys:write", "org:admin"} <= set(scopes)


def test_the_reading_key_holds_one_scope(gateway, mode):
    with connected(f"{gateway}/mcp", READER, mode) as agent:
        assert agent.ask("whoami")["scopes"] == ["skills:read"]


def test_a_limited_key_names_its_tools(gateway, mode):
    key = make_key(["skills:read"], tools=["get_*", "whoami"])
    with connected(f"{gateway}/mcp", key.secret, mode) as agent:
        assert agent.ask("whoami")["tools"] == ["get_*", "whoami"]


def test_it_never_tells_the_secret(owner):
    [text] = owner.call("whoami").content
    assert OWNER.split("_")[2] not in text.text


def test_it_is_not_at_a_workspace(agent):
    assert "whoami" not in agent.tool_names()
