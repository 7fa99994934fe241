// Read the path of a manifest in each line of the input, and print an exit code for each, as
// `again.py` does: `node ajv.js SCHEMA`.

const Ajv = require("ajv/dist/2020");
const { createInterface } = require("node:readline");

const accepts = new Ajv({ strict: false }).compile(require(process.argv[2]));

createInterface({ input: process.stdin }).on("line", (path) => {
  try {
    console.log(accepts(require(path)) ? 0 : 1);
  } catch {
    console.log(2);
  }
});
