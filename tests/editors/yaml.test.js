// yaml-language-server, which VS Code's YAML extension, Neovim, Helix, Emacs and others run.

import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { after } from "node:test";

import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from "vscode-jsonrpc/node.js";

import { ask } from "./questions.js";
import { addressOf, folder, schemaFile, workspaceSettings } from "./schemas.js";

const SERVER = createRequire(import.meta.url).resolve("yaml-language-server/bin/yaml-language-server");

async function start(schemas) {
  const server = spawn(process.execPath, [SERVER, "--stdio"], { stdio: ["pipe", "pipe", "inherit"] });
  const connection = createMessageConnection(
    new StreamMessageReader(server.stdout),
    new StreamMessageWriter(server.stdin),
  );
  const yaml = { validate: true, hover: true, completion: true, schemas, schemaStore: { enable: false } };
  const configured = new Promise((resolve) => {
    connection.onRequest("workspace/configuration", ({ items }) => {
      resolve();
      return items.map(({ section }) => (section === "yaml" ? yaml : null));
    });
  });
  connection.onRequest("client/registerCapability", () => null);
  const waiting = new Map();
  connection.onNotification("textDocument/publishDiagnostics", ({ uri, diagnostics }) => {
    waiting.get(uri)?.(diagnostics);
  });
  connection.listen();
  await connection.sendRequest("initialize", {
    processId: process.pid,
    rootUri: addressOf(""),
    workspaceFolders: [{ uri: addressOf(""), name: folder }],
    capabilities: {
      workspace: { configuration: true },
      textDocument: {
        completion: { completionItem: { documentationFormat: ["markdown"] } },
        hover: { contentFormat: ["markdown"] },
      },
    },
  });
  await connection.sendNotification("initialized", {});
  await connection.sendNotification("workspace/didChangeConfiguration", { settings: { yaml } });
  await configured;
  return {
    connection,
    diagnosed: (uri) => new Promise((resolve) => waiting.set(uri, resolve)),
    stop: () => {
      connection.dispose();
      server.kill();
    },
  };
}

let opened = 0;

function engine({ settings = {}, reference }) {
  const running = start(settings);
  after(async () => (await running).stop());

  const open = async (marked) => {
    const { connection, diagnosed } = await running;
    const whole = reference ? `# yaml-language-server: $schema=${reference}\n${marked}` : marked;
    const before = whole.slice(0, Math.max(whole.indexOf("|"), 0)).split("\n");
    const uri = addressOf(`${++opened}.activity-provider.yaml`);
    const diagnostics = diagnosed(uri);
    await connection.sendNotification("textDocument/didOpen", {
      textDocument: { uri, languageId: "yaml", version: 1, text: whole.replace("|", "") },
    });
    const position = { line: before.length - 1, character: before.at(-1).length };
    const request = async (method) => {
      await diagnostics; // by then the server has its settings and the schema
      return connection.sendRequest(`textDocument/${method}`, { textDocument: { uri }, position });
    };
    return { request, diagnostics };
  };

  return {
    async complete(marked) {
      const { request } = await open(marked);
      const { items } = await request("completion");
      return items.map(({ label, documentation }) => ({
        label,
        documentation: documentation?.value ?? documentation ?? "",
      }));
    },
    async hover(marked) {
      const { request } = await open(marked);
      return (await request("hover"))?.contents.value ?? "";
    },
    async diagnose(marked) {
      const { diagnostics } = await open(marked);
      return (await diagnostics).map((problem) => problem.message);
    },
  };
}

const yaml = ({
  runtime = "{ entrypoint: dist/index.js, sdk_version: '1.0' }",
  activities = "[{ id: box, name: Box breathing }]",
  permissions = "[host.haptics]",
  more = "",
}) => `schema_version: "1.0"
provider: { id: com.example.box, name: Box, version: "1.0.0" }
runtime: ${runtime}
activities: ${activities}
permissions: ${permissions}
capabilities: []
${more}`;

const texts = {
  emptyManifest: "|",
  activityWithId: "activities:\n  - id: box\n    |",
  emptyItem: (member) => `${member}:\n  - |`,
  onEntrypoint: yaml({ runtime: "{ entry|point: dist/index.js, sdk_version: '1.0' }" }),
  onValue: yaml({ permissions: "[host.hap|tics]" }),
  wrongValue: yaml({ permissions: "[host.camera]" }),
  faulty: yaml({ runtime: "{ entrypoint: 1 }", activities: "[]", more: "presentation: { banner: x }" }),
  good: yaml({}),
};

for (const draft of ["2020-12", "7"]) {
  const { name, uri } = schemaFile(draft);
  const settings = { [uri]: ["*.activity-provider.yaml"] };
  ask(`YAML, draft ${draft}, by settings`, engine({ settings }), texts);
  ask(`YAML, draft ${draft}, by modeline`, engine({ reference: `./${name}` }), texts);
}

const settings = workspaceSettings()["yaml.schemas"];
ask("YAML, by the settings on the page", engine({ settings }), texts);
