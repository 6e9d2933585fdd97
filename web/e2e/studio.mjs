// A studio and a browser for the tests: the real binary, the real Chromium.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before } from "node:test";
import { chromium } from "playwright-core";

const BROWSERS = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser"];
const browserPath = BROWSERS.find((path) => path && existsSync(path));
export const petrio = process.env.PETRIO ?? "../target/debug/petrio";
export const pictures = process.env.PETRIO_PICTURES ?? "../target/studio-pictures";
mkdirSync(pictures, { recursive: true });

export const launched = () => chromium.launch({ executablePath: browserPath, args: ["--no-sandbox"] });

/** Starts `petrio studio`, and gives its address and how to end it. */
export const started = (...more) => startedWith({}, "--no-open", ...more);

/** The same with other variables in its environment. */
export async function startedWith(variables, ...more) {
  const env = { ...process.env, ...variables };
  const child = spawn(petrio, ["studio", ...more], { env, stdio: ["ignore", "pipe", "inherit"] });
  const url = await new Promise((done, failed) => {
    createInterface({ input: child.stdout }).once("line", done);
    child.once("exit", (code) => failed(new Error(`petrio studio ended with ${code}`)));
    child.once("error", failed);
  });
  const ended = new Promise((done) => child.once("exit", done));
  return {
    url,
    /** As Ctrl-C does; the exit code. */
    async end() {
      child.kill("SIGINT");
      return ended;
    },
  };
}

/** For the tests of a file: a folder with the thesis' users, a studio that has them open, and a browser. */
export function installed() {
  let chromiumOfAll;
  const all = {
    /** A page of the studio. */
    async opened(options) {
      const one = await page(chromiumOfAll, options);
      await one.goto(all.url);
      await one.locator("path.curve").first().waitFor();
      return one;
    },
    /** The same in the room of users, once the specification is there. */
    async users(options) {
      const one = await all.opened(options);
      await one.getByRole("button", { name: "Users", exact: true }).click();
      await one.getByLabel("title", { exact: true }).waitFor();
      return one;
    },
    page: (options) => page(chromiumOfAll, options),
    inFolder: (name) => join(all.folder, name),
  };
  before(async () => {
    all.folder = mkdtempSync(join(tmpdir(), "petrio-studio-"));
    copyFileSync("../examples/users/thesis.toml", all.inFolder("users.toml"));
    all.studio = await started(all.inFolder("users.toml"));
    all.url = all.studio.url;
    chromiumOfAll = await launched();
  });
  after(async () => {
    await chromiumOfAll?.close();
    assert.equal(await all.studio?.end(), 0, "Ctrl-C ends the studio without failure");
    rmSync(all.folder, { recursive: true, force: true });
  });
  return all;
}

/** Ends a test: nothing that the console complained about but refusals that were asked for, and no page left. */
export async function closed(one, { refusals = 0 } = {}) {
  const refused = (complaint) => complaint.includes("status of 422");
  assert.deepEqual(one.complaints.filter((complaint) => !refused(complaint)), []);
  assert.equal(one.complaints.filter(refused).length, refusals, "refusals");
  await one.context().close();
}

/** A page of some size, which takes note of whatever the console complains about. */
async function page(from, { width = 1366, height = 768, scheme = "light" } = {}) {
  const context = await from.newContext({ viewport: { width, height }, colorScheme: scheme, acceptDownloads: true });
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const one = await context.newPage();
  one.complaints = [];
  one.on("console", (message) => message.type() === "error" && one.complaints.push(message.text()));
  one.on("pageerror", (error) => one.complaints.push(String(error)));
  return one;
}

export const picture = (one, name) => one.screenshot({ path: `${pictures}/${name}.png` });
