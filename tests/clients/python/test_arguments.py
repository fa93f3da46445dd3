"""What the tools refuse, and how they say it."""

import pytest

UNKNOWN_ID = "skl_" + "0" * 32


def test_a_limit_of_1_and_of_50_is_kept(agent):
    assert len(agent.find("postgres", limit=1)) == 1
    assert 20 <= len(agent.find("postgres", limit=50)) <= 50


def test_without_a_limit_ten_skills_are_found(agent):
    assert len(agent.find("postgres")) == 10


@pytest.mark.parametrize("limit", [0, 51, -1])
def test_a_limit_outside_of_1_to_50_is_refused_with_both(agent, limit):
    refusal = agent.refusal("find_skills", query="postgres", limit=limit)
    assert refusal == f"`limit` is {limit}, allowed are 1 to 50"


def test_a_query_of_8000_characters_is_taken(agent):
    assert agent.find("é" * 8000, limit=1)


@pytest.mark.parametrize("query, characters", [("", 0), ("   ", 0), ("é" * 8001, 8001)])
def test_a_query_of_another_length_is_refused_with_both(agent, query, characters):
    refusal = agent.refusal("find_skills", query=query)
    assert refusal == f"`query` has {characters} characters, allowed are 1 to 8000"


@pytest.mark.parametrize(
    "tool, arguments, known",
    [
        ("find_skills", {"query": "a"}, {"query", "limit"}),
        ("get_skill", {"id": "a"}, {"id", "version"}),
        ("get_skill_file", {"id": "a", "path": "b"}, {"id", "path", "version"}),
    ],
)
def test_an_unknown_argument_is_refused_by_name(agent, tool, arguments, known):
    refusal = agent.refusal(tool, **arguments, surplus=1)
    said, _, listed = refusal.partition("; the arguments are ")
    assert said == "unknown argument `surplus`"
    assert {name.strip("`") for name in listed.split(", ")} == known


def test_a_missing_argument_is_named(agent):
    assert "`query`" in agent.refusal("find_skills")
    assert "`path`" in agent.refusal("get_skill_file", id="a")


@pytest.mark.parametrize("arguments", [{"query": 1}, {"query": "a", "limit": "1"}, {"query": None}])
def test_an_argument_of_another_type_is_refused_by_name(agent, arguments):
    name = next(name for name in reversed(arguments))
    assert f"`{name}`" in agent.refusal("find_skills", **arguments)


@pytest.mark.parametrize("id", [UNKNOWN_ID, "no-such-skill", "skl_8f2"])
def test_a_skill_that_is_not_there_is_named(agent, id):
    assert f"`{id}`" in agent.refusal("get_skill", id=id)


@pytest.mark.parametrize("path", ["nothing.md", "../commit-messages/SKILL.md", "/etc/passwd", "."])
def test_a_file_that_is_not_there_is_named(agent, path):
    assert f"`{path}`" in agent.refusal("get_skill_file", id="commit-messages", path=path)


def test_a_version_that_is_not_there_is_named(agent):
    refusal = agent.refusal("get_skill", id="commit-messages", version=999)
    assert "999" in refusal and "commit-messages" in refusal
    assert agent.refusal("get_skill", id="commit-messages", version=0).startswith("`version` is 0")
