// What an author's editor must answer, whichever engine it has. An engine is asked with a text in
// which `|` is where the cursor stands.

import assert from "node:assert/strict";
import { test } from "node:test";

import { schemaOf } from "./schemas.js";

const schema = schemaOf("2020-12");
const { permission, capability } = schema.$defs;

const described = (items, label) => {
  const found = items.filter((item) => item.label === label);
  assert.equal(found.length, 1, `${label} is offered once in ${items.map((item) => item.label)}`);
  return found[0].documentation;
};

/** Markdown without the backslashes before what Markdown would take for its own. */
const unescaped = (markdown) => markdown.replaceAll(/\\(.)/g, "$1");

/** Ask all there is to ask: `texts` are the same manifests in the engine's syntax. */
export function ask(name, engine, texts) {
  const title = (what) => `${name}: ${what}`;

  test(title("every member is offered with what it is for"), async () => {
    const items = await engine.complete(texts.emptyManifest);
    for (const [member, { description }] of Object.entries(schema.properties)) {
      assert.ok(described(items, member).includes(description), member);
    }
  });

  test(title("members of an activity are offered, but for those that are there"), async () => {
    const { properties } = schema.properties.activities.items;
    const items = await engine.complete(texts.activityWithId);
    for (const [member, { description }] of Object.entries(properties)) {
      if (member !== "id") assert.ok(described(items, member).includes(description), member);
    }
    assert.ok(!items.some((item) => item.label === "id"));
  });

  for (const [member, list] of [["permissions", permission], ["capabilities", capability]]) {
    test(title(`every value of ${member} is offered with what it means`), async () => {
      const items = await engine.complete(texts.emptyItem(member));
      list.enum.forEach((value, index) => {
        const label = items.some((item) => item.label === value) ? value : `"${value}"`;
        assert.ok(described(items, label).includes(list.markdownEnumDescriptions[index]), value);
      });
    });
  }

  test(title("a member says on hover what it is for"), async () => {
    const shown = unescaped(await engine.hover(texts.onEntrypoint));
    assert.ok(shown.includes(schema.properties.runtime.properties.entrypoint.description), shown);
  });

  test(title("a value says on hover what it means"), async () => {
    const shown = unescaped(await engine.hover(texts.onValue));
    assert.ok(shown.includes("Use the host's haptics, such as vibration."), shown);
  });

  test(title("a value that is not listed is marked, with those that are"), async () => {
    const problems = await engine.diagnose(texts.wrongValue);
    assert.equal(problems.length, 1, JSON.stringify(problems));
    for (const value of permission.enum) assert.ok(problems[0].includes(`"${value}"`), problems[0]);
  });

  test(title("missing, mistyped and unknown members are marked, and no good manifest"), async () => {
    const problems = (await engine.diagnose(texts.faulty)).join("\n");
    for (const words of ["sdk_version", "string", "banner", "1"]) {
      assert.ok(problems.includes(words), `${words} in ${problems}`);
    }
    assert.deepEqual(await engine.diagnose(texts.good), []);
  });
}
