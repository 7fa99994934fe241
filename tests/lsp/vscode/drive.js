"use strict";
// What VS Code does with the extension and `manifest lsp`; the picture goes to PICTURE, if that is set.
//   node drive.js URL FILE

const assert = require("node:assert");
const fs = require("node:fs");
const { chromium } = require("playwright-core");

const [url, file] = process.argv.slice(2);
const name = file.split("/").pop();
const PATIENCE = { timeout: 120_000 };

// The palette closes where focus moves at the same time: then once more.
async function palette(page, command) {
  const input = page.locator(".quick-input-widget input").first();
  const row = page.locator(".quick-input-list .monaco-list-row", { hasText: command }).first();
  for (const end = Date.now() + PATIENCE.timeout; ; ) {
    try {
      await page.keyboard.press("F1");
      await input.fill(`>${command}`, { timeout: 5_000 });
      return await row.click({ timeout: 5_000 });
    } catch (error) {
      if (Date.now() > end) throw error;
    }
  }
}

async function saved(page, condition, what) {
  for (const end = Date.now() + PATIENCE.timeout; Date.now() < end; ) {
    await page.keyboard.press("Control+S");
    await page.waitForTimeout(500);
    const text = fs.readFileSync(file, "utf8");
    if (condition(text)) return text;
  }
  throw new Error(`${what} is not to be seen in ${fs.readFileSync(file, "utf8")}`);
}

async function main(page) {
  await page.goto(url);
  await page.locator(".explorer-folders-view .monaco-list-row", { hasText: name }).dblclick(PATIENCE);
  await page.locator(".monaco-editor .squiggly-error").first().waitFor(PATIENCE);
  await palette(page, "Problems: Focus on Problems View");
  const problems = page.locator(".markers-panel .monaco-list-row");
  await problems.filter({ hasText: "duplicate-item" }).first().waitFor(PATIENCE);
  const shown = (await problems.allInnerTexts()).join("\n");
  for (const each of ["unknown-permission", "[Ln 7, Col 45]", "duplicate-item"])
    assert(shown.includes(each), `${each} is not among ${shown}`);
  if (process.env.PICTURE) await page.screenshot({ path: process.env.PICTURE });

  await problems.filter({ hasText: "unknown-permission" }).first().dblclick();
  await palette(page, "Quick Fix...");
  await page.locator(".action-widget .monaco-list-row", { hasText: "host.haptics" }).first().waitFor(PATIENCE);
  await page.keyboard.press("Enter");
  await saved(page, (text) => text.includes('"host.haptics"'), "the quick fix");

  const isFixed = (text) => text.split('"host.timer.start"').length === 2;
  await saved(page, isFixed, "what is fixed on saving");

  await palette(page, "Format Document");
  await saved(page, (text) => /"permissions"[^]*\n {2}"capabilities"/.test(text), "the formatted text");
  await page.locator(".statusbar-item", { hasText: /^\s*0\s*0\s*$/ }).first().waitFor(PATIENCE);

  await page.keyboard.press("Control+End");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("End");
  await page.keyboard.type(",\n");
  await page.keyboard.type('"pres');
  const offer = page.locator(".suggest-widget .monaco-list-row", { hasText: "presentation" });
  await offer.first().waitFor(PATIENCE);
  await page.keyboard.press("Enter");
  await saved(page, (text) => /"presentation": ?\{/.test(text), "the completed member");
}

(async () => {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
    args: ["--no-sandbox"],
  });
  const page = await browser.newPage({ viewport: { width: 1100, height: 620 } });
  try {
    await main(page);
    console.log("VS Code: diagnostics, quick fix, fix all on saving, formatting, completion");
  } catch (error) {
    await page.screenshot({ path: process.env.PICTURE || "failed.png" });
    throw error;
  } finally {
    await browser.close();
  }
})();
