// What a client is shown once it is connected.
import assert from "node:assert/strict";
import { test } from "node:test";
import { connected } from "./agent.mjs";
import { GATEWAYS, OWNER, READER } from "./server.mjs";

const THREE = ["find_skills", "get_skill", "get_skill_file"];

for (const gateway of GATEWAYS) {
  test(`a workspace has exactly three tools in order (${gateway})`, () =>
    connected(`${gateway}/w/main`, READER, async (agent) => {
      assert.deepEqual(await agent.toolNames(), THREE);
    }));

  test(`the organization has these and whoami (${gateway})`, () =>
    connected(`${gateway}/mcp`, OWNER, async (agent) => {
      assert.deepEqual(await agent.toolNames(), [...THREE, "whoami"]);
    }));

  test(`every tool has schemas of what it takes and gives (${gateway})`, () =>
    connected(`${gateway}/mcp`, OWNER, async (agent) => {
      for (const tool of await agent.tools()) {
        assert.equal(tool.inputSchema.type, "object", tool.name);
        assert.equal(tool.inputSchema.additionalProperties, false, tool.name);
        assert.equal(tool.outputSchema.type, "object", tool.name);
      }
    }));

  test(`the server says who it is and how to use it (${gateway})`, () =>
    connected(`${gateway}/w/main`, READER, async (agent) => {
      assert.equal(agent.client.getServerVersion().name, "loadout");
      for (const tool of THREE) assert.match(agent.client.getInstructions(), new RegExp(tool));
    }));
}
