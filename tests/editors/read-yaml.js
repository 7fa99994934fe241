// Reads YAML texts, a JSON array on standard input, with the reader that editors use; for each it
// writes {"value": ...}, {"error": ...} or {"documents": n}. An integer is written as "\0int" and
// its digits, and what JSON has no word for as "\0odd".
import { readFileSync } from "node:fs";

import { parseAllDocuments } from "yaml";

const options = {
  version: "1.2",
  schema: "core",
  uniqueKeys: false,
  intAsBigInt: true,
  prettyErrors: false,
  logLevel: "silent",
};

function read(text) {
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

function plain(name, value) {
  if (typeof value === "bigint") return `\0int${value}`;
  const isOdd = typeof value === "number" && !Number.isFinite(value);
  return isOdd || value instanceof Map || value instanceof Set ? "\0odd" : value;
}

const texts = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(texts.map(read), plain));
