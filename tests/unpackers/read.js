// Reads archives with the readers of npm: a line of JSON for each archive and reader.
//
// node read.js FOLDER: each *.zip in it. A line holds the archive, the reader, the digest of each
// file and the folders; an `error` says that the reader refuses it.

import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import * as fflate from "fflate";
import JSZip from "jszip";
import unzipStream from "unzip-stream";
import unzipper from "unzipper";
import yauzl from "yauzl";

const PATIENCE = 20000; // milliseconds for one archive
const CHUNK = 64 * 1024; // as files are streamed

class Found {
  files = {};
  folders = [];

  add(name, content) {
    if (name.endsWith("/") && content.length === 0) this.folders.push(name);
    else this.files[name] = createHash("sha256").update(content).digest("hex");
  }
}

function streamed(data) {
  const chunks = [];
  for (let at = 0; at < data.length; at += CHUNK) chunks.push(data.subarray(at, at + CHUNK));
  return Readable.from(chunks);
}

// What comes out of a stream of entries; rejects when anything fails, at any time.
function parsed(data, parser, found) {
  return new Promise((resolve, reject) => {
    const left = [];
    parser.on("entry", (entry) => {
      const chunks = [];
      left.push(
        new Promise((done, failed) => {
          entry.on("data", (chunk) => chunks.push(chunk));
          entry.on("error", failed);
          entry.on("end", () => {
            found.add(entry.path, Buffer.concat(chunks));
            done();
          });
        }).catch(reject),
      );
    });
    parser.on("error", reject);
    parser.on("finish", () => setImmediate(() => Promise.all(left).then(resolve)));
    streamed(data).on("error", reject).pipe(parser);
  });
}

const READERS = {
  "unzipper, streaming": (data, found) => parsed(data, unzipper.Parse(), found),
  "unzip-stream": (data, found) => parsed(data, unzipStream.Parse(), found),

  unzipper: async (data, found) => {
    const directory = await unzipper.Open.buffer(data);
    for (const file of directory.files) found.add(file.path, await file.buffer());
  },

  "fflate, streaming": (data, found) => {
    const unfinished = new Set();
    const unzip = new fflate.Unzip((file) => {
      const chunks = [];
      unfinished.add(file.name);
      file.ondata = (error, chunk, final) => {
        if (error) throw error;
        chunks.push(chunk);
        if (final) {
          unfinished.delete(file.name);
          found.add(file.name, Buffer.concat(chunks));
        }
      };
      file.start();
    });
    unzip.register(fflate.UnzipInflate);
    for (let at = 0; at < data.length; at += CHUNK) {
      unzip.push(new Uint8Array(data.subarray(at, at + CHUNK)), at + CHUNK >= data.length);
    }
    if (unfinished.size) throw new Error(`no end of ${[...unfinished]}`);
  },

  fflate: (data, found) => {
    for (const [name, content] of Object.entries(fflate.unzipSync(new Uint8Array(data)))) {
      found.add(name, content);
    }
  },

  yauzl: async (data, found) => {
    const zip = await yauzl.fromBufferPromise(data);
    for await (const entry of zip.eachEntry()) {
      const chunks = [];
      if (!entry.fileName.endsWith("/")) {
        const content = await zip.openReadStreamPromise(entry);
        for await (const chunk of content) chunks.push(chunk);
      }
      found.add(entry.fileName, Buffer.concat(chunks));
    }
  },

  jszip: async (data, found) => {
    const zip = await JSZip.loadAsync(data, { checkCRC32: true });
    for (const file of Object.values(zip.files)) {
      found.add(file.name, await file.async("nodebuffer"));
    }
  },
};

let fail = () => {};
process.on("uncaughtException", (error) => fail(error));
process.on("unhandledRejection", (error) => fail(error));

async function read(data, reader) {
  const found = new Found();
  let timer;
  try {
    await Promise.race([
      (async () => reader(data, found))(),
      new Promise((_, reject) => {
        fail = reject;
        timer = setTimeout(() => reject(new Error("no end")), PATIENCE);
      }),
    ]);
    return found;
  } catch (error) {
    return { ...found, error: String(error?.message ?? error) };
  } finally {
    clearTimeout(timer);
    fail = () => {};
  }
}

const folder = process.argv[2];
for (const archive of readdirSync(folder).filter((name) => name.endsWith(".zip")).sort()) {
  const data = readFileSync(join(folder, archive));
  for (const [reader, how] of Object.entries(READERS)) {
    console.log(JSON.stringify({ archive, reader, ...(await read(data, how)) }));
  }
}
