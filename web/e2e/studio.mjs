// A studio and a browser for the tests: the real binary, the real Chromium.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
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

/** For the tests of a file: a folder with the thesis' users, or with a scenario of this text; a studio that has it open, and a browser. */
export function installed(scenario) {
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
    /** The same in a room of the scenario, once that is there. */
    async scenario(options, room = "Scenario") {
      const one = await page(chromiumOfAll, options);
      await one.goto(all.url);
      await one.getByText("In order: ").waitFor();
      await one.getByRole("navigation", { name: "Rooms" }).getByRole("button", { name: room, exact: true }).click();
      return one;
    },
    page: (options) => page(chromiumOfAll, options),
    inFolder: (name) => join(all.folder, name),
  };
  before(async () => {
    all.folder = mkdtempSync(join(tmpdir(), "petrio-studio-"));
    const file = all.inFolder(scenario === undefined ? "users.toml" : "scenario.toml");
    if (scenario === undefined) copyFileSync("../examples/users/thesis.toml", file);
    else writeFileSync(file, scenario);
    all.studio = await started(file);
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

/** A scenario that is run within a moment. */
export const SCENARIO = `# Of one disk.
title = "Random reads of one disk"

[disk.d0]                 # the only one
model = "ibm-ultrastar-18es"
scheduler = "look"        # the queue decides
queue_depth = 1

# Nobody waits for others.
[workload.users]
kind = "synthetic"
on = "d0"
requests = 3000

[[workload.users.generators]]
read_fraction = "66 %"
inter_arrival = { exponential = { mean = "20 ms" } }
size = { exponential = { base = "4 KiB", mean = "4 KiB" } }
`;

/** Whether the page scrolls sideways, or something to press or to type into stands out of its panel. */
export async function isWhole(one) {
  const wider = await one.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.equal(wider, 0, "the page scrolls sideways");
  const outside = await one.evaluate(() =>
    [...document.querySelectorAll("button, input, select")]
      .filter((element) => {
        const panel = element.closest(".scroll, .panel, aside, section, header")?.getBoundingClientRect();
        const box = element.getBoundingClientRect();
        return panel && box.width > 2 && (box.right > panel.right + 1 || box.left < panel.left - 1);
      })
      .map((element) => element.outerHTML.slice(0, 120)),
  );
  assert.deepEqual(outside, []);
}
