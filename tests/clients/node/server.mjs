// The server under test: its addresses, its keys, and REST as a program calls it.
import { readFileSync } from "node:fs";
import { randomBytes } from "node:crypto";

const demo = JSON.parse(readFileSync(process.env.LOADOUT_E2E_DEMO, "utf8"));
const urls = (process.env.LOADOUT_E2E_URLS ?? "").split(/[\s,]+/).filter(Boolean);

export const GATEWAYS = urls.length > 0 ? urls : [demo.url];
export const OWNER = demo.keys.owner;
export const READER = demo.keys.skills_read;

export const bearer = (key) => (key ? { Authorization: `Bearer ${key}` } : {});

export function request(method, url, key, more = {}) {
  return fetch(url, { method, ...more, headers: { ...more.headers, ...bearer(key) } });
}

/** One request that has to succeed. */
export async function rest(method, path, key, body) {
  const json = { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } };
  const more = body === undefined ? {} : body instanceof FormData ? { body } : json;
  const response = await request(method, GATEWAYS[0] + path, key, more);
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

export async function makeKey(scopes, workspace = "main", tools = []) {
  const made = await rest("POST", "/v1/keys", OWNER, { name: "e2e", workspace, scopes, tools });
  return made.secret;
}

/** A workspace of the demo organization that no other test uses. */
export async function makeWorkspace() {
  const slug = `e2e-${randomBytes(6).toString("hex")}`;
  await rest("POST", "/v1/workspaces", OWNER, { slug });
  return { slug, key: await makeKey(["skills:read", "skills:write"], slug) };
}

/** Publishes files by path. */
export function publish(key, files, tag) {
  const form = new FormData();
  for (const [path, text] of Object.entries(files)) form.append("file", new Blob([text]), path);
  return rest("POST", `/v1/skills/import${tag ? `?tag=${tag}` : ""}`, key, form);
}
