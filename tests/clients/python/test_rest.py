"""REST gives what the tools give."""

import pytest

from disk import DEMO_SKILLS, skills_below
from server import READER, Rest, request

CALLS = {
    "find_skills": {"query": "postgres", "limit": 3},
    "get_skill": {"id": "threat-modelling"},
    "get_skill_file": {"id": "threat-modelling", "path": "assets/data-flow.png"},
}


@pytest.mark.parametrize("tool", CALLS)
def test_a_tool_answers_the_same_object(agent, gateway, tool):
    arguments = CALLS[tool]
    answered = Rest(gateway, READER).post(f"/v1/tools/{tool}", json=arguments)
    assert answered == agent.ask(tool, **arguments)


def test_a_refusal_says_the_same(agent, gateway):
    arguments = {"query": "postgres", "limit": 51}
    response = request("POST", f"{gateway}/v1/tools/find_skills", READER, json=arguments)
    assert response.status_code == 400
    assert response.json()["detail"] == agent.refusal("find_skills", **arguments)


def test_the_list_of_skills_is_whole_and_sorted(gateway):
    listed = [skill["slug"] for skill in Rest(gateway, READER).skills()]
    assert listed == sorted(listed)
    assert {skill.slug for skill in skills_below(DEMO_SKILLS)} <= set(listed)


def test_the_pages_of_a_list_are_the_list(gateway):
    rest, pages, cursor = Rest(gateway, READER), [], {}
    while not pages or cursor["cursor"]:
        page = rest.get("/v1/skills", params={"limit": 7, **cursor})
        pages.append([skill["slug"] for skill in page["skills"]])
        cursor = {"cursor": page.get("next_cursor")}
    assert [len(page) for page in pages[:-1]] == [7] * (len(pages) - 1)
    assert sum(pages, []) == [skill["slug"] for skill in rest.skills()]


@pytest.mark.parametrize("skill", skills_below(DEMO_SKILLS), ids=str)
def test_every_file_is_served_byte_for_byte(gateway, skill):
    for path, content in {**skill.files, "SKILL.md": skill.whole}.items():
        response = request("GET", f"{gateway}/v1/skills/{skill.slug}/files/{path}", READER)
        assert response.content == content, path


def test_the_openapi_document_has_every_tool(gateway):
    document = request("GET", f"{gateway}/v1/openapi.json").json()
    assert document["openapi"].startswith("3.1")
    assert "/v1/tools/{name}" in document["paths"]
