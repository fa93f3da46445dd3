"""Gateways share everything: what one of them does, every one of them shows."""

import pytest

import pack
from agent import connected
from server import GATEWAYS, Rest, Workspace

SKILL = pack.skill("tea-making", "Makes a good cup of tea.", "Warm the pot\n", leaves="loose\n")


@pytest.mark.parametrize("publishing", GATEWAYS)
def test_what_one_gateway_publishes_every_gateway_finds_and_serves(publishing, gateway, mode):
    workspace = Workspace.make()
    answer = workspace.rest(publishing).publish(pack.tar_gz(SKILL))
    assert answer["indexing"] == "done"
    with connected(workspace.mcp(gateway), workspace.key, mode) as agent:
        [found] = agent.find("how do I brew tea?")
        assert agent.skill(found["id"])["body"] == "Warm the pot\n"
        assert agent.file(found["id"], "references/leaves.md")["content"] == "loose\n"


def test_a_skill_of_one_workspace_is_not_there_for_another(gateway, mode):
    publisher, stranger = Workspace.make(), Workspace.make()
    answer = publisher.rest().publish(pack.form(SKILL))
    id = answer["skills"][0]["skill_id"]
    with connected(stranger.mcp(gateway), stranger.key, mode) as agent:
        assert agent.find("tea-making") == []
        missing = "skl_" + "0" * 32
        refusals = [agent.refusal("get_skill", id=id).replace(id, missing) for id in (id, missing)]
        assert refusals[0] == refusals[1]


def test_a_dry_run_tells_what_would_happen_and_changes_nothing(gateway):
    rest: Rest = Workspace.make().rest(gateway)
    answer = rest.publish(pack.zipped(SKILL), dry_run=True)
    assert (answer["dry_run"], answer["skills"][0]["outcome"]) == (True, "created")
    assert rest.skills() == []
