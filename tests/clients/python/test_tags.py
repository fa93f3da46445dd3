"""A connection that is pinned to a tag."""

from collections.abc import Iterator

import pytest

import pack
from agent import Agent, connected
from server import READER, Workspace, request

SLUG = "release-checklist"
FIRST = pack.skill(SLUG, "Checks a release.", "First body\n", notes="first notes\n")
SECOND = pack.skill(SLUG, "Checks a launch of rockets.", "Second body\n", more="second file\n")


@pytest.fixture(scope="module")
def moved_on() -> Workspace:
    """A workspace whose one skill has version 1 as `prod`, and version 2 as the current one."""
    workspace = Workspace.make()
    first = workspace.rest().publish(pack.form(FIRST), tag="prod")
    second = workspace.rest().publish(pack.form(SECOND))
    outcomes = [answer["skills"][0]["outcome"] for answer in (first, second)]
    assert outcomes == ["created", "updated"]
    return workspace


@pytest.fixture(scope="module")
def current(moved_on, gateway, mode) -> Iterator[Agent]:
    with connected(moved_on.mcp(gateway), moved_on.key, mode) as agent:
        yield agent


@pytest.fixture(scope="module")
def pinned(moved_on, gateway, mode) -> Iterator[Agent]:
    with connected(moved_on.mcp(gateway, tag="prod"), moved_on.key, mode) as agent:
        yield agent


def test_the_demo_skills_are_there_under_prod(gateway, mode):
    with connected(f"{gateway}/w/main?tag=prod", READER, mode) as agent:
        [found] = agent.find("commit-messages", limit=1)
        assert found["name"] == "commit-messages"
        assert agent.skill(found["id"])["version"] == 1


def test_a_tag_that_no_skill_has_finds_and_loads_nothing(gateway, mode):
    with connected(f"{gateway}/w/main?tag=nope", READER, mode) as agent:
        assert agent.find("commit-messages") == []
        assert "commit-messages" in agent.refusal("get_skill", id="commit-messages")


def test_without_a_tag_the_current_revision_is_served(current):
    skill = current.skill(SLUG)
    assert (skill["version"], skill["body"]) == (2, "Second body\n")
    assert [file["path"] for file in skill["files"]] == ["references/more.md"]


def test_a_tag_still_serves_its_revision_after_the_skill_moved_on(pinned):
    skill = pinned.skill(SLUG)
    assert (skill["version"], skill["body"]) == (1, "First body\n")
    assert [file["path"] for file in skill["files"]] == ["references/notes.md"]
    assert pinned.file(SLUG, "references/notes.md")["content"] == "first notes\n"


def test_a_file_of_the_current_revision_is_not_there_under_the_tag(pinned):
    refusal = pinned.refusal("get_skill_file", id=SLUG, path="references/more.md")
    assert "`references/more.md`" in refusal


def test_each_connection_finds_the_description_of_its_own_revision(current, pinned):
    assert [one["description"] for one in current.find(SLUG)] == ["Checks a launch of rockets."]
    assert [one["description"] for one in pinned.find(SLUG)] == ["Checks a release."]


def test_a_version_is_served_whatever_the_tag_names(current, pinned):
    assert pinned.skill(SLUG, version=2)["body"] == "Second body\n"
    assert current.skill(SLUG, version=1)["body"] == "First body\n"


def test_the_organization_address_is_pinned_the_same_way(moved_on, gateway, mode):
    with connected(f"{gateway}/mcp?tag=prod", moved_on.key, mode) as agent:
        assert agent.skill(SLUG)["version"] == 1


def test_a_moved_tag_serves_the_new_revision_at_once_everywhere(gateway, mode):
    workspace = Workspace.make()
    rest = workspace.rest()
    rest.publish(pack.form(FIRST), tag="prod")
    rest.publish(pack.form(SECOND))
    with connected(workspace.mcp(gateway, tag="prod"), workspace.key, mode) as agent:
        assert agent.skill(SLUG)["version"] == 1
        rest.put(f"/v1/skills/{SLUG}/tags/prod", json={"version": 2})
        assert agent.skill(SLUG)["version"] == 2
        rest.delete(f"/v1/skills/{SLUG}/tags/prod")
        assert SLUG in agent.refusal("get_skill", id=SLUG)


@pytest.mark.parametrize("tag", ["Prod", "1", "a b", ""])
def test_what_is_no_tag_is_refused(gateway, tag):
    response = request("POST", f"{gateway}/w/main", READER, params={"tag": tag}, json={})
    assert response.status_code == 400
    assert f"`{tag}`" in response.json()["detail"]
