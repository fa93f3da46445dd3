"""Hundreds of real skills, as their authors publish them, in one upload."""

import itertools
import re
import time
from collections import Counter
from contextlib import ExitStack

import pytest

import pack
from agent import connected
from disk import MANY_SKILLS, skills_below
from server import GATEWAYS, Workspace

pytestmark = pytest.mark.skipif(
    not MANY_SKILLS.is_dir(),
    reason=f"there is no `{MANY_SKILLS}`; LOADOUT_TEST_SKILLS names a folder of skills",
)

FORMATS = {"tar.gz": pack.tar_gz, "zip": pack.zipped, "form": pack.form}
WITHIN_3 = 0.95
INDEXING_SECONDS = 120


@pytest.fixture(scope="module")
def files() -> pack.Files:
    return pack.files_below(MANY_SKILLS)


@pytest.fixture(scope="module")
def folders() -> list[str]:
    return [skill.folder.relative_to(MANY_SKILLS).as_posix() for skill in skills_below(MANY_SKILLS)]


@pytest.fixture(scope="module")
def workspace() -> Workspace:
    return Workspace.make()


@pytest.fixture(scope="module")
def imported(workspace, files) -> dict:
    """The answer to the first import."""
    return workspace.rest().publish(pack.tar_gz(files))


@pytest.fixture(scope="module")
def skills(workspace, imported) -> list[dict]:
    return workspace.rest().skills()


@pytest.fixture(scope="module")
def agents(workspace, imported):
    """An agent at each gateway, by turns."""
    with ExitStack() as stack:
        urls = [workspace.mcp(gateway) for gateway in GATEWAYS]
        yield itertools.cycle([stack.enter_context(connected(url, workspace.key)) for url in urls])


@pytest.fixture(scope="module")
def indexed(agents, imported, skills) -> None:
    """Waits, where the import said so, until every skill can be found."""
    missing = [] if imported["indexing"] == "done" else skills
    deadline = time.monotonic() + INDEXING_SECONDS
    while missing and time.monotonic() < deadline:
        missing = [skill for skill in missing if not is_first(next(agents), skill)]


def is_first(agent, skill: dict) -> bool:
    return [found["id"] for found in agent.find(skill["name"], limit=1)] == [skill["id"]]


def outcomes(answer: dict) -> Counter:
    return Counter(skill["outcome"] for skill in answer["skills"])


def first_sentence(description: str) -> str:
    return re.split(r"(?<=[.!?])\s", description.strip(), maxsplit=1)[0]


def test_every_skill_is_in_or_refused_with_a_reason(imported, folders, figure):
    assert sorted(skill["folder"] for skill in imported["skills"]) == sorted(folders)
    assert {skill["outcome"] for skill in imported["skills"]} <= {"created", "refused"}
    refused = [skill for skill in imported["skills"] if skill["outcome"] == "refused"]
    assert all(reason["message"] for skill in refused for reason in skill["reasons"])
    assert all(skill["reasons"] for skill in refused)
    figure(f"{len(folders)} skills in one upload: {dict(outcomes(imported))}")
    for skill in refused:
        figure(f"  {skill['folder']}: {skill['reasons'][0]['message']}")


def test_every_file_beside_the_skills_is_named_as_left_out(imported, files, folders):
    beside = [path for path in files if not any(path.startswith(f"{f}/") for f in folders)]
    assert imported["ignored_total"] == len(beside)
    assert sorted(one["path"] for one in imported["ignored"]) == sorted(beside)
    assert all(one["reason"] for one in imported["ignored"])


def test_the_answer_says_whether_all_can_be_found(imported, figure):
    assert imported["indexing"] in ("done", "pending")
    figure(f"  when the import answered, indexing was {imported['indexing']}")


@pytest.mark.parametrize("format", FORMATS)
def test_a_second_import_changes_nothing(workspace, imported, files, format):
    again = workspace.rest().publish(FORMATS[format](files))
    refused = outcomes(imported)["refused"]
    unchanged = len(imported["skills"]) - refused
    assert outcomes(again) == Counter({"unchanged": unchanged, "refused": refused})


@pytest.mark.parametrize("format", ["zip", "form"])
def test_each_format_brings_the_same_skills(skills, imported, files, format):
    workspace = Workspace.make()
    answer = workspace.rest().publish(FORMATS[format](files))
    assert outcomes(answer) == outcomes(imported)
    hashes = {skill["slug"]: skill["canonical_hash"] for skill in workspace.rest().skills()}
    assert hashes == {skill["slug"]: skill["canonical_hash"] for skill in skills}


def test_every_body_is_that_on_the_disk(agents, imported):
    for disk in skills_below(MANY_SKILLS):
        folder = disk.folder.relative_to(MANY_SKILLS).as_posix()
        [said] = [skill for skill in imported["skills"] if skill["folder"] == folder]
        if said["outcome"] != "refused":
            loaded = next(agents).skill(said["skill_id"])
            assert loaded["body"].encode() == disk.body, folder
            assert [file["path"] for file in loaded["files"]] == sorted(disk.files), folder


@pytest.mark.usefixtures("indexed")
def test_every_skill_is_found_first_by_its_own_name(agents, skills, figure):
    missed = [skill["slug"] for skill in skills if not is_first(next(agents), skill)]
    figure(f"{len(skills) - len(missed)} of {len(skills)} skills are first for their own name")
    assert missed == []


@pytest.mark.usefixtures("indexed")
def test_the_first_sentence_of_its_description_finds_a_skill(agents, skills, figure):
    def is_within_3(skill: dict) -> bool:
        found = next(agents).find(first_sentence(skill["description"]), limit=3)
        return skill["id"] in [one["id"] for one in found]

    missed = [skill["slug"] for skill in skills if not is_within_3(skill)]
    within = 1 - len(missed) / len(skills)
    figure(f"{within:.1%} of {len(skills)} skills are within the first 3 for their first sentence")
    assert within >= WITHIN_3, missed
