// What the tools refuse, and how they say it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { connected } from "./agent.mjs";
import { GATEWAYS, READER } from "./server.mjs";

for (const gateway of GATEWAYS) {
  const withAgent = (use) => connected(`${gateway}/w/main`, READER, use);

  test(`a limit of 1 and of 50 is kept (${gateway})`, () =>
    withAgent(async (agent) => {
      assert.equal((await agent.find("postgres", { limit: 1 })).length, 1);
      const many = await agent.find("postgres", { limit: 50 });
      assert.ok(many.length >= 20 && many.length <= 50, `${many.length}`);
    }));

  for (const limit of [0, 51]) {
    test(`a limit of ${limit} is refused with the limit and the actual value (${gateway})`, () =>
      withAgent(async (agent) => {
        const refusal = await agent.refusal("find_skills", { query: "postgres", limit });
        assert.equal(refusal, `\`limit\` is ${limit}, allowed are 1 to 50`);
      }));
  }

  test(`an unknown argument is refused by name (${gateway})`, () =>
    withAgent(async (agent) => {
      const refusal = await agent.refusal("get_skill", { id: "commit-messages", surplus: 1 });
      assert.match(refusal, /^unknown argument `surplus`; the arguments are `id`, `version`$/);
    }));

  test(`a skill that is not there is named (${gateway})`, () =>
    withAgent(async (agent) => {
      assert.match(await agent.refusal("get_skill", { id: "no-such-skill" }), /`no-such-skill`/);
    }));
}
