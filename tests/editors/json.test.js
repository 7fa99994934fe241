// VS Code's own engine for JSON.

import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

import engines from "vscode-json-languageservice";

import { ask } from "./questions.js";
import { addressOf, schemaFile, workspaceSettings } from "./schemas.js";

const { getLanguageService, TextDocument } = engines;
const NAME = "own.activity-provider.json";

function engine({ settings, reference }) {
  const service = getLanguageService({
    schemaRequestService: (uri) => readFile(fileURLToPath(uri), "utf8"),
    workspaceContext: { resolveRelativePath: (path, base) => new URL(path, base).href },
    clientCapabilities: {
      textDocument: { completion: { completionItem: { documentationFormat: ["markdown"] } } },
    },
  });
  service.configure({ validate: true, schemas: settings });
  const open = (marked) => {
    const whole = reference ? marked.replace("{", `{ "$schema": "${reference}", `) : marked;
    const at = whole.indexOf("|");
    const text = whole.replace("|", "");
    const document = TextDocument.create(addressOf(NAME), "json", 1, text);
    return [document, document.positionAt(Math.max(at, 0)), service.parseJSONDocument(document)];
  };
  return {
    async complete(marked) {
      const { items } = await service.doComplete(...open(marked));
      return items.map(({ label, documentation }) => ({
        label,
        documentation: documentation?.value ?? documentation ?? "",
      }));
    },
    async hover(marked) {
      const hover = await service.doHover(...open(marked));
      return [hover?.contents ?? ""].flat().map((part) => part.value ?? part).join("\n");
    },
    async diagnose(marked) {
      const [document, , json] = open(marked);
      return (await service.doValidation(document, json)).map((problem) => problem.message);
    },
  };
}

const good = {
  schema_version: "1.0",
  provider: { id: "com.example.box", name: "Box", version: "1.0.0" },
  runtime: { entrypoint: "dist/index.js", sdk_version: "1.0" },
  activities: [{ id: "box", name: "Box breathing" }],
  permissions: ["host.haptics"],
  capabilities: [],
};
const json = (changes) => JSON.stringify({ ...good, ...changes });

const texts = {
  emptyManifest: '{ "|" }',
  activityWithId: '{ "activities": [{ "id": "box", "|" }] }',
  emptyItem: (member) => `{ "${member}": ["|"] }`,
  onEntrypoint: json({}).replace('"entrypoint"', '"entry|point"'),
  onValue: json({}).replace('"host.haptics"', '"host.hap|tics"'),
  wrongValue: json({ permissions: ["host.camera"] }),
  faulty: json({ runtime: { entrypoint: 1 }, presentation: { banner: "" }, activities: [] }),
  good: json({}),
};

for (const draft of ["2020-12", "7"]) {
  const { name, uri } = schemaFile(draft);
  const settings = [{ uri, fileMatch: ["*.activity-provider.json"] }];
  ask(`JSON, draft ${draft}, by settings`, engine({ settings }), texts);
  ask(`JSON, draft ${draft}, by $schema`, engine({ reference: `./${name}` }), texts);
}

// VS Code itself counts an address that begins with a dot from the workspace's folder.
const settings = workspaceSettings()["json.schemas"].map(({ url, fileMatch }) => ({
  uri: addressOf(url),
  fileMatch,
}));
ask("JSON, by the settings on the page", engine({ settings }), texts);
