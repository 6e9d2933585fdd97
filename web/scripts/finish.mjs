// What the house asks of every tracked file, of the built ones too: a line feed at the end, and no blanks at ends of lines.
//
//   node scripts/finish.mjs [FOLDER]

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const folder = resolve(process.argv[2] ?? "../crates/studio/assets");
for (const name of readdirSync(folder)) {
  const file = join(folder, name);
  const text = readFileSync(file, "utf8");
  const clean = `${text.replace(/[ \t\r]+$/gm, "").trimEnd()}\n`;
  if (clean !== text) writeFileSync(file, clean);
}
