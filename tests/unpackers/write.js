// Packs a folder with the writers of npm: node write.js FOLDER TARGET.

import { createReadStream, createWriteStream, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { ZipArchive } from "archiver";
import { zipSync } from "fflate";
import JSZip from "jszip";
import yazl from "yazl";

const [folder, target] = process.argv.slice(2);
const names = readdirSync(folder, { recursive: true })
  .filter((name) => statSync(join(folder, name)).isFile())
  .sort();
const into = (name) => createWriteStream(join(target, `${name}.zip`));

for (const streamFiles of [false, true]) {
  for (const compression of ["STORE", "DEFLATE"]) {
    const zip = new JSZip();
    for (const name of names) zip.file(name, readFileSync(join(folder, name)));
    const data = await zip.generateAsync({ type: "nodebuffer", compression, streamFiles });
    writeFileSync(join(target, `jszip ${compression}${streamFiles ? " streamed" : ""}.zip`), data);
  }
}

for (const store of [false, true]) {
  for (const how of ["folder", "files", "streams"]) {
    const archive = new ZipArchive({ store });
    const done = pipeline(archive, into(`archiver ${how}${store ? " stored" : ""}`));
    if (how === "folder") archive.directory(folder, false);
    else {
      const open = how === "files" ? readFileSync : createReadStream;
      for (const name of names) archive.append(open(join(folder, name)), { name });
    }
    await archive.finalize();
    await done;
  }
}

for (const compress of [false, true]) {
  for (const how of ["buffers", "files", "streams"]) {
    const zip = new yazl.ZipFile();
    for (const name of names) {
      const path = join(folder, name);
      if (how === "buffers") zip.addBuffer(readFileSync(path), name, { compress });
      else if (how === "files") zip.addFile(path, name, { compress });
      else zip.addReadStream(createReadStream(path), name, { compress });
    }
    zip.end();
    await pipeline(zip.outputStream, into(`yazl ${how}${compress ? "" : " stored"}`));
  }
}

const files = Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name))]));
writeFileSync(join(target, "fflate.zip"), zipSync(files));
