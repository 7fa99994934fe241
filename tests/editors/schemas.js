// The published schema as `manifest schema` writes it, and the settings on the page for editors.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const written = new Map();
export const folder = mkdtempSync(join(tmpdir(), "manifest-editors-"));

const text = (draft) => {
  if (!written.has(draft)) {
    written.set(draft, execFileSync("manifest", ["schema", "--draft", draft], { encoding: "utf8" }));
  }
  return written.get(draft);
};

export const schemaOf = (draft) => JSON.parse(text(draft));

/** The schema as a file; its name in the folder and its address. */
export function schemaFile(draft) {
  const name = `draft-${draft}.schema.json`;
  writeFileSync(join(folder, name), text(draft));
  return { name, uri: pathToFileURL(join(folder, name)).href };
}

/** The workspace's settings, and the schema that they name, as docs/editors.md says. */
export function workspaceSettings() {
  const page = readFileSync(new URL("../../docs/editors.md", import.meta.url), "utf8");
  const [, command] = page.match(/^```sh\nmanifest (.*)\n```$/m);
  execFileSync("manifest", command.split(" "), { cwd: folder, stdio: "ignore" });
  return JSON.parse(page.match(/^```json\n([^`]*"json\.schemas"[^`]*)^```$/m)[1]);
}

export const addressOf = (name) => pathToFileURL(join(folder, name)).href;
