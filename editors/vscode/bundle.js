// Bundles the extension and what it requires into dist/extension.js, with the licenses of these packages beside it.
"use strict";

const { readdirSync, readFileSync, writeFileSync } = require("node:fs");
const { buildSync } = require("esbuild");

const { metafile } = buildSync({
  entryPoints: ["extension.js"],
  outfile: "dist/extension.js",
  bundle: true,
  minify: true,
  platform: "node",
  target: "node20",
  external: ["vscode"],
  metafile: true,
});
const folders = Object.keys(metafile.inputs).map((file) => file.match(/^.*node_modules\/(?:@[^/]+\/)?[^/]+/)?.[0]);
const licenses = [...new Set(folders)].filter(Boolean).sort().map((folder) => {
  const license = readdirSync(folder).find((file) => /^license/i.test(file));
  return `${folder.replace(/.*node_modules\//, "")}\n\n${readFileSync(`${folder}/${license}`, "utf8").trim()}\n`;
});
writeFileSync("dist/LICENSES.txt", licenses.join("\n\n"));
