// What the house asks of every tracked file, of the built ones too: a line feed at the end, and no blanks at ends of lines. And the hash of
// the script that pages carry inside them, by which a browser lets it run, and no other.
//
//   node scripts/finish.mjs [FOLDER…]

import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

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
  if (existsSync(script)) writeFileSync(`${script}.sha256`, `${createHash("sha256").update(readFileSync(script)).digest("base64")}\n`);
}
