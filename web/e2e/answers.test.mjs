// The rooms of answers: load, explain, sweep and compare of the scenario as it stands, each what the command says.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { closed, installed, isWhole, petrio, picture, SCENARIO } from "./studio.mjs";

const SHORT = SCENARIO.replace("requests = 3000", "requests = 600");
const studio = installed(SHORT);
const region = (one, name) => one.getByRole("region", { name, exact: true });
const room = (one, name) => one.getByRole("navigation", { name: "Rooms" }).getByRole("button", { name, exact: true }).click();

/** The page that a command writes of the scenario. */
function written(...command) {
  const page = studio.inFolder("written.html");
  execFileSync(petrio, [...command, "--quiet", "--html", page], { stdio: "ignore" });
  return readFileSync(page, "utf8");
}

async function saved(one, within) {
  const [file] = await Promise.all([one.waitForEvent("download"), within.getByRole("button", { name: "Save page" }).last().click()]);
  return readFileSync(await file.path(), "utf8");
}

test("load: the limit, the knee and a page that is the command's", async () => {
  const one = await studio.scenario({ width: 380, height: 800 }, "Load");
  const here = region(one, "Load");
  await here.getByLabel("limit").fill("60 ms");
  await here.getByLabel("limit").press("Enter");
  await here.getByText("limit", { exact: true }).last().waitFor({ timeout: 60_000 });
  await here.getByRole("row", { name: /\(today\)/ }).waitFor({ timeout: 60_000 });
  await isWhole(one);
  await picture(one, "load-380");
  assert.equal(await saved(one, here), written("load", studio.inFolder("scenario.toml"), "--limit", "60 ms"));
  await closed(one);
});

test("explain: a change that is tried stands in the text, and undo takes it back", async () => {
  const one = await studio.scenario({ scheme: "dark" }, "Explain");
  const here = region(one, "Explain");
  await here.getByLabel("replications").fill("2");
  await here.getByRole("button", { name: "Explain" }).click();
  const attempt = here.getByRole("button", { name: /^Try this change: rotation twice as fast \(/ });
  await attempt.waitFor({ timeout: 60_000 });
  await picture(one, "explain-dark");
  assert.equal(await saved(one, here), written("explain", studio.inFolder("scenario.toml"), "--replications", "2"));
  await attempt.press("Enter");
  await here.getByText(/^In the scenario's text: rotation twice as fast/).waitFor();
  await here.getByText("The scenario has changed since; this is of it as it was.").waitFor();
  await room(one, "Scenario");
  const text = one.getByLabel("The scenario as TOML");
  assert.match(await text.inputValue(), /rotation = "14400 rpm"/);
  assert.match(await text.inputValue(), /# the only one/, "comments stay");
  await one.getByRole("button", { name: "Undo" }).click();
  await one.waitForFunction(() => !document.querySelector("textarea.toml").value.includes("rotation"));
  await closed(one);
});

test("sweep: cells by the arrow keys, and the report of the one that is opened", async () => {
  const one = await studio.scenario({}, "Sweep");
  const here = region(one, "Sweep");
  await here.getByLabel("Key 1", { exact: true }).fill("disk.d0.scheduler");
  // All its words are offered where nothing is said yet.
  await here.getByLabel("Key 1", { exact: true }).press("Tab");
  await one.waitForFunction(() => document.querySelector("[aria-label='Values of key 1']").value.includes("sptf"));
  await here.getByLabel("Values of key 1").fill("fcfs,look");
  await here.getByRole("button", { name: "Another key" }).click();
  await here.getByLabel("Key 2", { exact: true }).fill("disk.d0.queue_depth");
  await here.getByLabel("Values of key 2").fill("1,2,4");
  await here.locator(".planned").waitFor();
  assert.equal(await here.locator(".planned").textContent(), "6 cases");
  await here.getByRole("button", { name: "Sweep", exact: true }).click();
  const cells = here.locator("table.heat button");
  await cells.first().waitFor({ timeout: 60_000 });
  assert.equal(await cells.count(), 6);
  await cells.first().focus();
  await one.keyboard.press("ArrowRight");
  await one.keyboard.press("ArrowDown");
  const name = await one.evaluate(() => document.activeElement.getAttribute("aria-label"));
  assert.match(name, /^case \d+: disk\.d0\.scheduler (fcfs|look), disk\.d0\.queue_depth [124]: /);
  await one.keyboard.press("Enter");
  const opened = region(one, "The case");
  await opened.getByText(/petrio run .*--set disk\.d0\.scheduler=/).waitFor({ timeout: 60_000 });
  await opened.frameLocator("iframe").getByRole("heading", { name: "Random reads of one disk" }).waitFor();
  await isWhole(one);
  await picture(one, "sweep");
  await closed(one);
});

test("sweep: what is too much, and what is no key, is told before it begins", async () => {
  const one = await studio.scenario({}, "Sweep");
  const here = region(one, "Sweep");
  await here.getByLabel("Key 1", { exact: true }).fill("disk.d0.nothing");
  await here.getByLabel("Values of key 1").fill("1,2");
  await here.getByText(/nothing/).last().waitFor();
  await here.getByLabel("Key 1", { exact: true }).fill("seed");
  await here.getByLabel("Values of key 1").fill("1..1000000000000");
  await here.locator(".planned").getByText(/1,?000,?000,?000,?000|cases/).waitFor();
  await closed(one, { refusals: 2 });
});

test("compare: a variant with its verdict, and a page that is the command's", async () => {
  const one = await studio.scenario({ width: 380, height: 800, scheme: "dark" }, "Compare");
  const here = region(one, "Compare");
  await here.getByLabel("Settings of 2").fill("disk.d0.scheduler=fcfs");
  await here.getByLabel("replications").fill("4");
  await here.getByRole("button", { name: "Compare", exact: true }).click();
  await here.getByRole("columnheader", { name: "B against A" }).waitFor({ timeout: 60_000 });
  await isWhole(one);
  await picture(one, "compare-380-dark");
  const page = await saved(one, here);
  assert.match(page, /disk\.d0\.scheduler=fcfs/);
  await closed(one);
});
