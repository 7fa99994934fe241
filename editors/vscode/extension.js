"use strict";

const { commands, window, workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

const LANGUAGES = ["json", "jsonc", "yaml"];
const SCHEMES = ["file", "untitled"];

let client;

// What is a manifest, the server knows: by its name and the configuration.
const documentSelector = LANGUAGES.flatMap((language) =>
  SCHEMES.map((scheme) => ({ language, scheme })),
);

async function start() {
  const [command, ...args] = workspace.getConfiguration("manifestkit").get("command");
  const server = { command, args };
  client = new LanguageClient("manifestkit", "manifestkit", server, { documentSelector });
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    window.showErrorMessage(
      `\`${command}\` cannot be started: ${error.message}. Install it with` +
        " pip install 'manifestkit[lsp]', or name it in the setting manifestkit.command.",
    );
  }
}

async function stop() {
  const running = client;
  client = undefined;
  await running?.stop();
}

async function restart() {
  await stop();
  await start();
}

async function activate(context) {
  context.subscriptions.push(
    commands.registerCommand("manifestkit.restart", restart),
    workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("manifestkit.command")) return restart();
    }),
  );
  await start();
}

module.exports = { activate, deactivate: stop };
