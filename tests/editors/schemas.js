// The published schema as `manifest schema` writes it.

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

/** The workspace's settings as `manifest editor vscode --write` leaves them. */
export function workspaceSettings() {
  execFileSync("manifest", ["editor", "vscode", "--write"], { cwd: folder, stdio: "ignore" });
  return JSON.parse(readFileSync(join(folder, ".vscode", "settings.json"), "utf8"));
}

export const addressOf = (name) => pathToFileURL(join(folder, name)).href;
