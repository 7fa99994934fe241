// Reads YAML texts, a JSON array on standard input, with the npm packages `yaml`, which editors use, and
// `js-yaml`; for each text it writes what each of them says: {"value": ...}, {"error": ...} or
// {"documents": n}. An integer is written as "\0int" and its digits, and what JSON has no word for
// as "\0odd".
import { readFileSync } from "node:fs";

import { load } from "js-yaml";
import { parseAllDocuments } from "yaml";

const options = {
  version: "1.2",
  schema: "core",
  uniqueKeys: false,
  intAsBigInt: true,
  prettyErrors: false,
  logLevel: "silent",
};

function byYaml(text) {
  try {
    const documents = parseAllDocuments(text, options);
    const error = documents.flatMap((each) => each.errors)[0];
    if (error) return { error: error.code };
    if (documents.length !== 1) return { documents: documents.length };
    return { value: documents[0].toJS({ maxAliasCount: -1 }) };
  } catch (error) {
    return { error: error.message }; // an alias without its anchor is found only here
  }
}

function byJsYaml(text) {
  try {
    return { value: load(text) };
  } catch (error) {
    return { error: error.message };
  }
}

function plain(name, value) {
  if (typeof value === "bigint") return `\0int${value}`;
  const isOdd = typeof value === "number" && !Number.isFinite(value);
  const given = this[name]; // a Date has been made a text of before it comes here
  const isObject = [Date, Map, Set, Uint8Array].some((kind) => given instanceof kind);
  return isOdd || isObject || value === undefined ? "\0odd" : value;
}

const texts = JSON.parse(readFileSync(0, "utf8"));
const answers = texts.map((text) => ({ yaml: byYaml(text), "js-yaml": byJsYaml(text) }));
process.stdout.write(JSON.stringify(answers, plain));
