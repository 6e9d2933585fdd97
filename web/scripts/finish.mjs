// What the house asks of every tracked file, of the built ones too: a line feed at the end, and no blanks at ends of lines. And the script
// that every page carries inside it: packed, since it would be half of most pages, with a few words before it that unpack and run it; and the
// hashes of both, by which a browser lets these two run, and no other.
//
//   node scripts/finish.mjs [FOLDER…]

import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gzipSync } from "fflate";

const hash = (text) => createHash("sha256").update(text).digest("base64");

const UNPACK = `new Response(new Blob([Uint8Array.from(atob(packed), (one) => one.charCodeAt(0))]).stream().pipeThrough(new DecompressionStream("gzip")))
  .text()
  .then((text) => {
    const script = document.createElement("script");
    script.textContent = text;
    document.body.append(script);
  });
`;

const given = process.argv.slice(2);
for (const folder of given.length ? given : ["../crates/studio/assets", "../crates/page/assets"]) {
  const all = resolve(folder);
  for (const name of readdirSync(all)) {
    const file = join(all, name);
    const text = readFileSync(file, "utf8");
    const clean = `${text.replace(/[ \t\r]+$/gm, "").trimEnd()}\n`;
    if (clean !== text) writeFileSync(file, clean);
  }
  const script = join(all, "figure.js");
  if (!existsSync(script)) continue;
  // Packed by a library in JavaScript: what is built into node differs from one version to the next.
  const plain = readFileSync(script, "utf8");
  const packed = Buffer.from(gzipSync(new TextEncoder().encode(plain), { level: 9, mem: 12, mtime: 1 })).toString("base64");
  const whole = `const packed = "${packed}";\n${UNPACK}`;
  writeFileSync(script, whole);
  writeFileSync(`${script}.sha256`, `${hash(whole)}\n${hash(plain)}\n`);
}
