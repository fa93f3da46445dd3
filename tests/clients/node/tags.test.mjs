// A connection that is pinned to a tag.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { connected } from "./agent.mjs";
import { GATEWAYS, READER, makeWorkspace, publish } from "./server.mjs";

const SLUG = "release-checklist";

const skill = (description, body) => ({
  [`${SLUG}/SKILL.md`]: `---\nname: ${SLUG}\ndescription: ${description}\n---\n${body}`,
});

let workspace;

before(async () => {
  workspace = await makeWorkspace();
  await publish(workspace.key, skill("Checks a release.", "First body\n"), "prod");
  await publish(workspace.key, skill("Checks a launch.", "Second body\n"));
});

for (const gateway of GATEWAYS) {
  test(`the demo skills are there under prod (${gateway})`, () =>
    connected(`${gateway}/w/main?tag=prod`, READER, async (agent) => {
      const [found] = await agent.find("commit-messages");
      assert.equal(found.name, "commit-messages");
      assert.equal((await agent.ask("get_skill", { id: found.id })).version, 1);
    }));

  test(`a tag that no skill has finds nothing (${gateway})`, () =>
    connected(`${gateway}/w/main?tag=nope`, READER, async (agent) => {
      assert.deepEqual(await agent.find("commit-messages"), []);
    }));

  test(`a tag still serves its revision after the skill moved on (${gateway})`, async () => {
    const url = `${gateway}/w/${workspace.slug}`;
    const get = (agent) => agent.ask("get_skill", { id: SLUG });
    const current = await connected(url, workspace.key, get);
    const pinned = await connected(`${url}?tag=prod`, workspace.key, get);
    assert.deepEqual([current.version, current.body], [2, "Second body\n"]);
    assert.deepEqual([pinned.version, pinned.body], [1, "First body\n"]);
  });

  test(`each connection finds the description of its own revision (${gateway})`, async () => {
    const url = `${gateway}/w/${workspace.slug}`;
    const find = async (agent) => (await agent.find(SLUG)).map((found) => found.description);
    assert.deepEqual(await connected(url, workspace.key, find), ["Checks a launch."]);
    const pinned = await connected(`${url}?tag=prod`, workspace.key, find);
    assert.deepEqual(pinned, ["Checks a release."]);
  });
}
