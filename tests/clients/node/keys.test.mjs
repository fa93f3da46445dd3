// What a key shows and allows. A tool that it does not see is as if there were none.
import assert from "node:assert/strict";
import { test } from "node:test";
import { connected } from "./agent.mjs";
import { GATEWAYS, OWNER, READER, makeKey, makeWorkspace, request } from "./server.mjs";

/** How a tool that is not there is refused, its name left out. */
async function errorOf(agent, name) {
  const error = await agent.call(name, { id: "commit-messages" }).then(
    () => assert.fail(`${name} was called`),
    (error) => error,
  );
  return { code: error.code, message: error.message.replace(name, "…") };
}

/** How a connection fails. */
const failure = (url, key) =>
  connected(url, key, () => assert.fail("it is connected")).catch((error) => error);

for (const gateway of GATEWAYS) {
  test(`whoami tells whom the key stands for (${gateway})`, () =>
    connected(`${gateway}/mcp`, READER, async (agent) => {
      const me = await agent.ask("whoami");
      assert.deepEqual([me.organization.slug, me.workspace.slug], ["acme", "main"]);
      assert.deepEqual(Object.keys(me.key).sort(), ["expiresAt", "id", "name"]);
      assert.deepEqual([me.scopes, me.member, me.tools], [["skills:read"], null, null]);
    }));

  test(`a key limited to get sees two tools, and no other exists (${gateway})`, async () => {
    const key = await makeKey(["skills:read"], "main", ["get_*"]);
    await connected(`${gateway}/mcp`, key, async (agent) => {
      assert.deepEqual(await agent.toolNames(), ["get_skill", "get_skill_file"]);
      assert.deepEqual(await errorOf(agent, "find_skills"), await errorOf(agent, "no_such_tool"));
    });
  });

  test(`a key without the scope sees no tool of it, and none exists (${gateway})`, async () => {
    const key = await makeKey(["memory:read"]);
    await connected(`${gateway}/w/main`, key, async (agent) => {
      assert.deepEqual(await agent.toolNames(), []);
      assert.deepEqual(await errorOf(agent, "get_skill"), await errorOf(agent, "no_such_tool"));
    });
  });

  test(`without a key nothing is connected (${gateway})`, async () => {
    const response = await request("POST", `${gateway}/w/main`);
    assert.equal(response.status, 401);
    assert.match(response.headers.get("WWW-Authenticate"), /^Bearer/);
    assert.equal((await failure(`${gateway}/w/main`)).code, 401);
  });

  test(`another workspace is as one that does not exist (${gateway})`, async () => {
    const { slug } = await makeWorkspace();
    const [there, nowhere] = await Promise.all(
      [slug, "e2e-nowhere"].map((slug) => failure(`${gateway}/w/${slug}`, OWNER)),
    );
    assert.deepEqual([there.code, nowhere.code], [404, 404]);
    const plain = (error, slug) =>
      error.message.replace(slug, "…").replace(/"request_id":"[^"]*"/, "");
    assert.equal(plain(there, slug), plain(nowhere, "e2e-nowhere"));
  });

  test(`only POST is answered (${gateway})`, async () => {
    for (const method of ["GET", "DELETE"]) {
      assert.equal((await request(method, `${gateway}/w/main`, READER)).status, 405, method);
    }
  });
}
