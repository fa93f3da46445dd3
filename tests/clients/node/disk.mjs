// Skills as they are on the disk: what the product has to serve, byte for byte.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../../deploy/demo/skills/", import.meta.url));

export const SKILLS = readdirSync(ROOT).sort().map(read);

function read(slug) {
  const files = Object.fromEntries(below(join(ROOT, slug)).map((path) => [path, bytes(slug, path)]));
  const { "SKILL.md": whole, ...beside } = files;
  return { slug, whole, files: beside, body: whole.subarray(endOfFrontMatter(whole)) };
}

function bytes(slug, path) {
  return readFileSync(join(ROOT, slug, path));
}

function below(folder, prefix = "") {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory()
      ? below(join(folder, entry.name), `${prefix}${entry.name}/`)
      : [prefix + entry.name],
  );
}

/** Where the body begins: after the line that closes the front matter. */
function endOfFrontMatter(whole) {
  const closing = "\n---\n";
  return whole.indexOf(closing) + closing.length;
}

export function isText(content) {
  return Buffer.from(content.toString("utf8"), "utf8").equals(content);
}
