// The room of distributions, as a person uses it.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { closed, installed, picture } from "./studio.mjs";
import { values, withValues } from "./values.mjs";

const studio = installed();

test("without its token the studio shows nothing", async () => {
  const one = await studio.page();
  const answer = await one.goto(new URL("/", studio.url).href);
  assert.equal(answer.status(), 403);
});

test("the text is copied, changed and refused with its reason", async () => {
  const one = await studio.opened();
  await one.getByRole("button", { name: "Copy as TOML" }).click();
  const copied = await one.evaluate(() => navigator.clipboard.readText());
  assert.match(copied, /^\{ gamma = \{ stages = \[\{ weight = 1/);
  const text = one.getByLabel("The distribution as TOML");
  const curve = await one.locator("path.curve").getAttribute("d");
  await text.fill('{ weibull = { shape = 1.5, scale = "3 KiB" } }');
  await text.blur();
  await one.getByLabel("scale, slider").waitFor();
  // What is evaluated is written into the text once more, and would undo the selection that `fill` makes.
  await one.waitForFunction((before) => document.querySelector("path.curve").getAttribute("d") !== before, curve);
  assert.equal(await one.getByLabel("scale", { exact: true }).inputValue(), "3");
  await text.fill("{ weibull = { shape = 1.5, scale = 3 } }");
  await text.blur();
  await one.getByText("has no unit").waitFor();
  // It can be mended where it stands, and goes when the distribution changes otherwise.
  assert.equal(await text.inputValue(), "{ weibull = { shape = 1.5, scale = 3 } }");
  await one.getByLabel("shape", { exact: true }).fill("2");
  await one.getByLabel("shape", { exact: true }).blur();
  await one.waitForFunction(() => /shape = 2/.test(document.querySelector("textarea.toml").value));
  await closed(one, { refusals: 1 });
});

test("a text belongs to the distribution for which it was typed", async () => {
  const one = await studio.opened();
  await one.getByLabel("Family of the new distribution").selectOption("normal");
  await one.getByRole("button", { name: "Add", exact: true }).click();
  // The answer comes when another one is selected.
  await one.route("**/api/text*", async (route) => {
    await new Promise((done) => setTimeout(done, 400));
    await route.continue();
  });
  const text = one.getByLabel("The distribution as TOML");
  await text.fill('{ constant = "7 KiB" }');
  await text.blur();
  await one.getByRole("button", { name: "Gamma", exact: true }).click();
  await one.waitForTimeout(800);
  assert.match(await text.inputValue(), /gamma/);
  await closed(one);
});

test("tables are edited, and cells of a spreadsheet pasted", async () => {
  const one = await studio.opened();
  await one.getByLabel("Family of the new distribution").selectOption("cumulative-table");
  await one.getByRole("button", { name: "Add", exact: true }).click();
  const cell = one.getByLabel("x of row 1");
  await cell.click();
  await one.evaluate(() => navigator.clipboard.writeText("0\t0\n1\t0.25\n4\t0.75\n9\t1"));
  await one.keyboard.press("Control+v");
  await one.getByLabel("x of row 4").waitFor();
  assert.equal(await one.getByLabel("probability of row 3").inputValue(), "0.75");
  await one.getByLabel("probability of row 2").fill("0.5");
  await one.getByLabel("probability of row 2").blur();
  await one.waitForFunction(() => document.querySelector(".toml").value.includes("p = [0.0, 0.5, 0.75, 1.0]"));
  await one.getByRole("button", { name: "CDF", exact: true }).click();
  await picture(one, "table");
  await closed(one);
});

test("a distribution is saved into the specification, whose comments stay", async () => {
  const one = await studio.opened();
  const path = studio.inFolder("users.toml");
  const before = readFileSync(path, "utf8");
  const panel = one.getByLabel("Selected distribution");
  await panel.getByRole("button", { name: "Open", exact: true }).click();
  await panel.getByRole("combobox").selectOption("category.user-temp.size");
  await panel.getByRole("button", { name: "Save" }).click();
  await one.getByText("Saved as category.user-temp.size").waitFor();
  const changed = readFileSync(path, "utf8");
  assert.match(changed, /size = \{ gamma = \{ stages/);
  assert.equal(changed.split("\n").length, before.split("\n").length);
  assert.equal(changed.split("\n")[0], before.split("\n")[0]);
  await closed(one);
});

test("the plot is exported as SVG and PNG", async () => {
  const one = await withValues(studio);
  const saved = async (name) => {
    const [download] = await Promise.all([one.waitForEvent("download"), one.getByRole("button", { name }).click()]);
    return readFileSync(await download.path());
  };
  const svg = (await saved("Export SVG")).toString();
  assert.match(svg, /^<svg[^>]*xmlns="http:\/\/www.w3.org\/2000\/svg"/);
  assert.ok(svg.includes("<path") && !svg.includes("slider") && !svg.includes("class="));
  assert.equal((await saved("Export PNG")).subarray(1, 4).toString(), "PNG");
  await closed(one);
});

test("a file is dropped onto the values, and another opened by its path", async () => {
  const one = await studio.opened();
  const dropped = await one.evaluateHandle((text) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([text], "dropped.csv", { type: "text/csv" }));
    return transfer;
  }, values());
  const field = one.getByLabel("Paste numbers");
  await field.dispatchEvent("dragover", { dataTransfer: dropped });
  assert.ok(await field.evaluate((element) => element.classList.contains("over")));
  await field.dispatchEvent("drop", { dataTransfer: dropped });
  await one.getByText("dropped.csv").waitFor();
  await one.getByText("800 values").waitFor();
  writeFileSync(studio.inFolder("sizes.txt"), "1\n2\n3\n6\n");
  const path = one.getByLabel("Path of a CSV or a trace");
  const open = one.getByLabel("Values", { exact: true }).getByRole("button", { name: "Open" });
  await path.fill(studio.inFolder("sizes.txt"));
  await open.click();
  await one.getByText("4 values").waitFor();
  await one.getByText("mean 3 B").waitFor();
  await path.fill(studio.inFolder("none.txt"));
  await open.click();
  await one.getByText("can't be read").waitFor();
  await closed(one, { refusals: 1 });
});

test("a curve is duplicated, hidden, shown again and removed", async () => {
  const one = await studio.opened();
  const curves = one.locator("path.curve");
  await one.getByRole("button", { name: "Duplicate Gamma" }).click();
  await one.getByRole("button", { name: "Gamma (copy)", exact: true }).waitFor();
  await curves.nth(1).waitFor();
  await one.getByRole("button", { name: "Show Gamma", exact: true }).click();
  await curves.nth(1).waitFor({ state: "detached" });
  assert.equal(await one.locator(".figures tbody tr").count(), 1);
  await one.getByRole("button", { name: "Show Gamma", exact: true }).click();
  await curves.nth(1).waitFor();
  await one.getByRole("button", { name: "Remove Gamma", exact: true }).click();
  await curves.nth(1).waitFor({ state: "detached" });
  assert.equal(await one.locator(".items li").count(), 1);
  await one.getByRole("button", { name: "Undo" }).click();
  await curves.nth(1).waitFor();
  await closed(one);
});

test("the y axis goes by factors, and back", async () => {
  const one = await withValues(studio);
  const labels = () => one.locator(".grid text[text-anchor=end]").allTextContents();
  const before = await labels();
  assert.equal(before[0], "0");
  await one.getByRole("button", { name: "log y" }).click();
  await one.waitForFunction(() => document.querySelector(".grid text[text-anchor=end]").textContent !== "0");
  const powers = (await labels()).map((label) => Math.log10(Number(label)));
  const steps = powers.slice(1).map((power, i) => power - powers[i]);
  assert.ok(steps.every((step) => step > 0), String(powers));
  assert.ok(powers.at(-1) - powers[0] >= 2, String(powers));
  await picture(one, "log-y");
  await one.getByRole("button", { name: "log y" }).click();
  await one.waitForFunction(() => document.querySelector(".grid text[text-anchor=end]").textContent === "0");
  assert.deepEqual(await labels(), before);
  await closed(one);
});

test("a range dragged in the plot is that of the axis, until a double click takes it back", async () => {
  const one = await withValues(studio);
  const [from, to] = [0, 1].map((n) => one.locator(".axis-field input").nth(n));
  const ends = async () => [await from.inputValue(), await to.inputValue()];
  const before = await ends();
  const box = await one.locator(".plot svg").boundingBox();
  const at = (part) => [box.x + box.width * part, box.y + box.height * 0.3];
  await one.mouse.move(...at(0.5));
  await one.mouse.down();
  await one.mouse.move(...at(0.7), { steps: 5 });
  await one.mouse.up();
  const [low, high] = (await ends()).map(Number);
  assert.ok(low > 0 && high > low, `${low} to ${high}`);
  await one.mouse.dblclick(...at(0.6));
  assert.deepEqual(await ends(), before);
  // A plot that is drawn anew meanwhile doesn't know where the mouse rests: it has to move there.
  const told = one.locator(".plot .says.told").getByText("size");
  for (let moves = 0; moves < 100 && !(await told.isVisible()); moves += 1) {
    await one.mouse.move(...at(0.62 + 0.001 * (moves % 20)));
    await one.waitForTimeout(50);
  }
  await told.waitFor();
  await closed(one);
});
