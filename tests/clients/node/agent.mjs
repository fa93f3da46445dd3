// An agent that uses the product through the official MCP client library.
import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { bearer } from "./server.mjs";

export class Agent {
  constructor(client) {
    this.client = client;
  }

  async tools() {
    const { tools, nextCursor } = await this.client.listTools();
    assert.equal(nextCursor, undefined, "the list must be whole in one page");
    return tools;
  }

  async toolNames() {
    return (await this.tools()).map((tool) => tool.name);
  }

  call(name, args = {}) {
    return this.client.callTool({ name, arguments: args });
  }

  /** What a tool answers; its text has to be the same object. */
  async ask(name, args) {
    const result = await this.call(name, args);
    assert.ok(!result.isError, JSON.stringify(result.content));
    assert.equal(result.content.length, 1);
    assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
    return result.structuredContent;
  }

  /** Why a tool that the key may call fails. */
  async refusal(name, args) {
    const result = await this.call(name, args);
    assert.ok(result.isError, JSON.stringify(result.structuredContent));
    return result.content[0].text;
  }

  async find(query, more = {}) {
    return (await this.ask("find_skills", { query, ...more })).results;
  }
}

/** Connects, lets `use` have the agent, and closes. */
export async function connected(url, key, use) {
  const client = new Client({ name: "loadout-e2e", version: "1.0.0" });
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: bearer(key) },
  });
  try {
    await client.connect(transport);
    return await use(new Agent(client));
  } finally {
    await client.close();
  }
}
