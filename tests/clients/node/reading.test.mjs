// An agent finds, loads and reads every demo skill, and gets what is on the disk.
import assert from "node:assert/strict";
import { test } from "node:test";
import { connected } from "./agent.mjs";
import { SKILLS, isText } from "./disk.mjs";
import { GATEWAYS, READER } from "./server.mjs";

const bytesOf = ({ content, encoding }) => Buffer.from(content, encoding);

async function assertIsOnDisk(agent, id, path, onDisk) {
  const file = await agent.ask("get_skill_file", { id, path });
  assert.ok(bytesOf(file).equals(onDisk), path);
  assert.equal(file.encoding, isText(onDisk) ? "utf-8" : "base64", path);
}

test("there are at least twenty demo skills", () => {
  assert.ok(SKILLS.length >= 20);
});

for (const gateway of GATEWAYS) {
  for (const skill of SKILLS) {
    test(`${skill.slug} is found first, and is what is on the disk (${gateway})`, () =>
      connected(`${gateway}/w/main`, READER, async (agent) => {
        const [found] = await agent.find(skill.slug);
        assert.equal(found.name, skill.slug);
        const loaded = await agent.ask("get_skill", { id: found.id });
        assert.ok(Buffer.from(loaded.body, "utf8").equals(skill.body));
        const paths = loaded.files.map((file) => file.path);
        assert.deepEqual(paths, Object.keys(skill.files).sort());
        for (const path of paths) await assertIsOnDisk(agent, found.id, path, skill.files[path]);
        await assertIsOnDisk(agent, found.id, "SKILL.md", skill.whole);
      }));
  }
}
