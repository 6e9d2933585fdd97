// The room of the scenario, as a person uses it: forms and text are two views of the same.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { closed, installed, isWhole, picture, SCENARIO } from "./studio.mjs";

const studio = installed(SCENARIO);
const text = (one) => one.getByLabel("The scenario as TOML");
const written = (one) => text(one).inputValue();
const part = (one, name) => one.getByRole("navigation", { name: "Parts" }).getByRole("button", { name });
const key = (one, path) => one.getByLabel(path, { exact: true });
/** Waits until the text is this. */
const becomes = (one, wanted) =>
  one.waitForFunction((wanted) => document.querySelector("textarea.toml").value === wanted, wanted, { timeout: 5_000 });

test("a change in a form changes its place in the text alone, and a change of the text changes the form", async () => {
  const one = await studio.scenario();
  await part(one, "d0 disk").click();
  const scheduler = key(one, "disk.d0.scheduler");
  assert.equal(await scheduler.inputValue(), "look");
  await scheduler.fill("sstf");
  await scheduler.press("Tab");
  const changed = SCENARIO.replace('"look"  ', '"sstf"  ');
  await becomes(one, changed);
  await text(one).fill(changed.replace("queue_depth = 1", "queue_depth = 4"));
  await one.waitForFunction(() => document.getElementById("key:disk.d0.queue_depth").value === "4");
  // What is cleared is left out, and its default is told.
  await key(one, "disk.d0.queue_depth").fill("");
  await key(one, "disk.d0.queue_depth").press("Tab");
  await becomes(one, changed.replace("queue_depth = 1\n", ""));
  for (const wanted of [changed.replace("queue_depth = 1", "queue_depth = 4"), changed, SCENARIO]) {
    await one.getByRole("button", { name: "Undo" }).click();
    await becomes(one, wanted);
  }
  await one.getByRole("button", { name: "Redo" }).click();
  await becomes(one, changed);
  await one.getByText("not saved").waitFor();
  await one.getByRole("button", { name: "Save" }).click();
  await one.getByText("Saved: ").waitFor();
  assert.equal(readFileSync(studio.inFolder("scenario.toml"), "utf8"), changed);
  writeFileSync(studio.inFolder("scenario.toml"), SCENARIO);
  await closed(one);
});

test("a mistake stands at its key and at its line, and what leads there is a button", async () => {
  const one = await studio.scenario();
  await part(one, "d0 disk").click();
  const model = key(one, "disk.d0.model");
  await model.fill("ibm-ultrastar-18se");
  await model.press("Tab");
  await one.getByText("1 mistake", { exact: true }).first().waitFor();
  assert.equal(await model.getAttribute("aria-invalid"), "true");
  const told = await one.locator(`[id="${await model.getAttribute("aria-describedby")}"]`).textContent();
  assert.match(told, /no drive "ibm-ultrastar-18se".*did you mean "ibm-ultrastar-18es"/);
  assert.match(await one.locator(".lines .wrong").textContent(), /● 5/);
  // The catalogue is offered, and what has mistakes can be put aside.
  const offered = await one.evaluate(() => [...document.getElementById("key:disk.d0.model:list").options].map((option) => option.value));
  assert.ok(offered.includes("ibm-ultrastar-18es") && offered.length > 5, offered.join(", "));
  await one.keyboard.press("ControlOrMeta+s");
  await one.getByText("Saved: ").waitFor();
  assert.ok(readFileSync(studio.inFolder("scenario.toml"), "utf8").includes('"ibm-ultrastar-18se"'));
  writeFileSync(studio.inFolder("scenario.toml"), SCENARIO);
  await part(one, "The whole").click();
  await one.getByRole("button", { name: /^Line 5: / }).click();
  await one.waitForFunction(() => document.activeElement?.id === "key:disk.d0.model");
  const selected = await text(one).evaluate((area) => area.value.slice(area.selectionStart, area.selectionEnd));
  assert.equal(selected, 'model = "ibm-ultrastar-18se"');
  // What is missing has a field in which it can be put.
  await text(one).fill(SCENARIO.replace('on = "d0"\n', ""));
  await part(one, "users workload 1 mistake").click();
  await one.getByLabel("workload.users.on", { exact: true }).fill("d0");
  await one.getByLabel("workload.users.on", { exact: true }).press("Tab");
  await one.getByText("In order: ").waitFor();
  await closed(one);
});

test("while the text is no TOML the forms keep still and say so", async () => {
  const one = await studio.scenario();
  await part(one, "d0 disk").click();
  await text(one).fill(SCENARIO.replace('model = "', "model = "));
  await one.getByText("The text isn't TOML just now").waitFor();
  assert.equal(await key(one, "disk.d0.model").inputValue(), "ibm-ultrastar-18es");
  assert.ok(await key(one, "disk.d0.model").isDisabled());
  await text(one).fill(SCENARIO);
  await one.getByText("In order: ").waitFor();
  assert.ok(await key(one, "disk.d0.model").isEnabled());
  await closed(one);
});

test("parts are added, also into others, renamed with what refers to them, and removed", async () => {
  const one = await studio.scenario();
  await part(one, "d0 disk").click();
  const name = one.getByLabel("name of disk d0");
  await name.fill("store");
  await name.press("Tab");
  await becomes(one, SCENARIO.replace("[disk.d0]", "[disk.store]").replace('on = "d0"', 'on = "store"'));
  const adds = one.getByRole("form", { name: "Add a part" });
  await adds.getByLabel("Kind of the new part").selectOption("box");
  await adds.getByLabel("Name of the new part").fill("shelf");
  await adds.getByRole("button", { name: "Add" }).click();
  await part(one, "shelf box").waitFor();
  await adds.getByLabel("Kind of the new part").selectOption("disk");
  await adds.getByLabel("Name of the new part").fill("d1");
  await adds.getByLabel("inside shelf").check();
  await adds.getByRole("button", { name: "Add" }).click();
  await key(one, "box.shelf.disk.d1.model").fill("ibm-ultrastar-18es");
  await key(one, "box.shelf.disk.d1.model").press("Tab");
  await one.waitForFunction(() => document.querySelector("textarea.toml").value.includes('[box.shelf.disk.d1]\nmodel = "ibm-ultrastar-18es"'));
  await part(one, "shelf box").click();
  await one.getByRole("button", { name: "Remove box shelf" }).click();
  await one.getByText("In order: ").waitFor();
  assert.ok(!(await written(one)).includes("shelf"));
  await closed(one);
});

test("tables of a list have fields, are added and are removed", async () => {
  const one = await studio.scenario();
  await part(one, "users workload").click();
  const reads = key(one, "workload.users.generators.0.read_fraction");
  assert.equal(await reads.inputValue(), "66 %");
  await reads.fill("50 %");
  await reads.press("Tab");
  const changed = SCENARIO.replace("66 %", "50 %");
  await becomes(one, changed);
  await one.getByRole("button", { name: "Add to generators" }).click();
  await becomes(one, `${changed}\n[[workload.users.generators]]\n`);
  await key(one, "workload.users.generators.1.size").fill('{ constant = "8 KiB" }');
  await key(one, "workload.users.generators.1.size").press("Tab");
  await becomes(one, `${changed}\n[[workload.users.generators]]\nsize = { constant = "8 KiB" }\n`);
  await one.getByRole("button", { name: "Remove generators 2" }).click();
  await becomes(one, changed);
  await closed(one);
});

test("every key that an example has has a field, or is told to be in the text", async () => {
  const one = await studio.scenario();
  for (const example of ["nfs", "raid-5-loses-a-disk", "with-confidence", "mail-server"]) {
    await one.getByLabel("Path of the scenario").fill(`../examples/${example}.toml`);
    await one.getByLabel("Path of the scenario").press("Enter");
    await one.waitForFunction((name) => document.querySelector(".of-scenario input").value.includes(name), example);
    await one.getByText("In order: ").waitFor();
    const answer = await one.evaluate(async (path) => {
      const headers = { "content-type": "application/json" };
      const body = JSON.stringify({ path });
      return (await fetch("api/scenario/open", { method: "POST", headers, body })).json();
    }, `../examples/${example}.toml`);
    const buttons = one.getByRole("navigation", { name: "Parts" }).locator("button.part");
    const shown = new Set();
    for (let i = 0; i < (await buttons.count()); i += 1) {
      await buttons.nth(i).click();
      for (const id of await one.evaluate(() => [...document.querySelectorAll("[id^='key:']")].map((field) => field.id.slice(4)))) shown.add(id);
    }
    const isShown = (path) => path.some((_, i) => shown.has(path.slice(0, i + 1).join(".")));
    const hidden = answer.cells.filter((cell) => !isShown(cell.path)).map((cell) => cell.path.join("."));
    assert.ok(answer.cells.length > 5 && shown.size > answer.cells.length / 2);
    assert.deepEqual(hidden, [], example);
  }
  await closed(one);
});

for (const [width, height] of [[1366, 768], [380, 800]]) {
  for (const scheme of ["light", "dark"]) {
    test(`nothing is cut off at a width of ${width}, ${scheme}`, async () => {
      const one = await studio.scenario({ width, height, scheme });
      await part(one, "d0 disk").click();
      await key(one, "disk.d0.scheduler").fill("lok");
      await key(one, "disk.d0.scheduler").press("Tab");
      await one.getByText("1 mistake", { exact: true }).first().waitFor();
      await one.locator("details.more summary").first().click();
      await isWhole(one);
      await picture(one, `scenario-${width}-${scheme}`);
      await closed(one);
    });
  }
}
