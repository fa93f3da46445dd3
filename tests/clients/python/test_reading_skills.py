"""An agent finds, loads and reads every demo skill, and gets what is on the disk."""

import base64

import pytest

from disk import DEMO_SKILLS, is_text, skills_below

SKILLS = skills_below(DEMO_SKILLS)

every_demo_skill = pytest.mark.parametrize("skill", SKILLS, ids=str)


def content(file: dict) -> bytes:
    decode = {"utf-8": str.encode, "base64": base64.b64decode}[file["encoding"]]
    return decode(file["content"])


def find_first(agent, skill) -> dict:
    [found] = agent.find(skill.name, limit=1)
    return found


def test_there_are_at_least_twenty_demo_skills():
    assert len(SKILLS) >= 20


@every_demo_skill
def test_its_own_name_finds_a_skill_first(agent, skill):
    found = agent.find(skill.name)
    assert found[0]["name"] == skill.name
    assert set(found[0]) == {"id", "name", "description", "score"}
    assert all(-1 <= one["score"] <= 1 for one in found)


@every_demo_skill
def test_the_body_is_what_stands_after_the_front_matter(agent, skill):
    found = find_first(agent, skill)
    loaded = agent.skill(found["id"])
    assert set(loaded) == {"id", "version", "name", "body", "files"}
    assert loaded["body"].encode() == skill.body
    assert (loaded["id"], loaded["name"]) == (found["id"], skill.name)


@every_demo_skill
def test_the_list_of_files_is_that_of_the_folder(agent, skill):
    loaded = agent.skill(find_first(agent, skill)["id"])
    assert [file["path"] for file in loaded["files"]] == sorted(skill.files)
    assert all(set(file) == {"path", "kind"} for file in loaded["files"])
    assert {file["kind"] for file in loaded["files"]} <= {"doc", "script", "asset"}


@every_demo_skill
def test_every_file_is_the_one_on_the_disk(agent, skill):
    loaded = agent.skill(find_first(agent, skill)["id"])
    for listed in loaded["files"]:
        file = agent.file(loaded["id"], listed["path"], version=loaded["version"])
        on_disk = skill.files[listed["path"]]
        assert content(file) == on_disk, listed["path"]
        assert file["encoding"] == ("utf-8" if is_text(on_disk) else "base64")
        assert (file["path"], file["kind"]) == (listed["path"], listed["kind"])


@every_demo_skill
def test_skill_md_itself_is_the_whole_file(agent, skill):
    file = agent.file(find_first(agent, skill)["id"], "SKILL.md")
    assert set(file) == {"id", "version", "path", "kind", "encoding", "content"}
    assert content(file) == skill.whole
    assert file["kind"] == "doc"


def test_some_demo_file_is_no_text():
    assert any(not is_text(file) for skill in SKILLS for file in skill.files.values())


def test_scripts_documents_and_pictures_are_told_apart(agent):
    def kinds(slug):
        return {file["path"]: file["kind"] for file in agent.skill(slug)["files"]}

    migrations = kinds("zero-downtime-postgres-migrations")
    assert migrations["scripts/check_migration.py"] == "script"
    assert migrations["references/lock-levels.md"] == "doc"
    assert kinds("threat-modelling")["assets/data-flow.png"] == "asset"


def test_a_slug_loads_what_the_id_loads(agent):
    found = agent.find("commit-messages", limit=1)[0]
    assert agent.skill("commit-messages") == agent.skill(found["id"])


def test_words_of_a_task_find_the_skill_for_it(agent):
    found = agent.find("add a column without downtime")
    assert found[0]["name"] == "zero-downtime-postgres-migrations"
