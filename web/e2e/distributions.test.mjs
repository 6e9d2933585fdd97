// The room of distributions, as a person uses it.

import assert from "node:assert/strict";
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { browser, page, picture, started } from "./studio.mjs";

let studio;
let chromium;
let folder;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "petrio-studio-"));
  copyFileSync("../examples/users/thesis.toml", join(folder, "users.toml"));
  studio = await started(join(folder, "users.toml"));
  chromium = await browser();
});

after(async () => {
  await chromium?.close();
  assert.equal(await studio?.end(), 0, "Ctrl-C ends the studio without failure");
  rmSync(folder, { recursive: true, force: true });
});

/** Two heaps of sizes: half of them about 2 KiB, half about 10 KiB; the same every time. */
function values() {
  const numbers = [];
  for (let i = 0; i < 400; i += 1) {
    const p = (i + 0.5) / 400;
    const spread = Math.log(p / (1 - p));
    numbers.push(Math.max(1, 2048 + 260 * spread), Math.max(1, 10240 + 800 * spread));
  }
  return `name,size\n${numbers.map((one, i) => `f${i},${one.toFixed(1)}`).join("\n")}`;
}

async function opened(options) {
  const one = await page(chromium, options);
  await one.goto(studio.url);
  await one.locator("path.curve").first().waitFor();
  return one;
}

async function withValues(options) {
  const one = await opened(options);
  await one.getByLabel("Paste numbers").fill(values());
  await one.getByRole("button", { name: "Use pasted" }).click();
  await one.getByText("800 values").waitFor();
  return one;
}

const ks = async (one, row) => Number(await one.locator(".figures tbody tr").nth(row).locator("td").nth(5).textContent());

async function fit(one, stages) {
  await one.getByLabel("Family to fit").selectOption("gamma");
  await one.getByLabel("Number of stages").fill(String(stages));
  await one.getByRole("button", { name: "Fit", exact: true }).click();
  await one.getByRole("button", { name: "Fit: gamma", exact: false }).first().waitFor();
}

test("without its token the studio shows nothing", async () => {
  const one = await page(chromium);
  const answer = await one.goto(new URL("/", studio.url).href);
  assert.equal(answer.status(), 403);
});

test("values are loaded, a distribution is fitted, and a dragged handle moves curve, moments and distance", async () => {
  const one = await withValues();
  await fit(one, 2);
  await one.waitForFunction(() => document.querySelectorAll(".figures tbody tr").length === 3);
  await one.waitForFunction(() => document.querySelectorAll(".figures tbody tr")[2].children[6]?.textContent !== "–");
  const fitted = await ks(one, 2);
  assert.ok(fitted < 0.15, `KS of the fit is ${fitted}`);
  const curve = () => one.locator("path.curve.selected").getAttribute("d");
  const before = await curve();
  const handle = one.getByRole("slider", { name: "Stage 2: scale (sideways) and weight (up and down)" });
  const box = await handle.locator(".reach").boundingBox();
  await one.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await one.mouse.down();
  await one.mouse.move(box.x + box.width / 2 + 90, box.y + box.height / 2, { steps: 8 });
  await one.mouse.up();
  await one.waitForFunction((old) => document.querySelector("path.curve.selected").getAttribute("d") !== old, before);
  await one.waitForFunction(
    (old) => Number(document.querySelectorAll(".figures tbody tr")[2].children[6].textContent) > old + 0.02,
    fitted,
  );
  await one.getByRole("button", { name: "Undo" }).click();
  await one.waitForFunction(
    (old) => Math.abs(Number(document.querySelectorAll(".figures tbody tr")[2].children[6].textContent) - old) < 1e-9,
    fitted,
  );
  await one.keyboard.press("Control+Shift+Z");
  await one.waitForFunction(
    (old) => Number(document.querySelectorAll(".figures tbody tr")[2].children[6].textContent) > old + 0.02,
    fitted,
  );
  assert.deepEqual(one.complaints, []);
  await one.context().close();
});

test("handles are moved by arrow keys alone", async () => {
  const one = await opened();
  const handle = one.getByRole("slider", { name: "Stage 1: scale" });
  await handle.focus();
  const was = Number(await handle.getAttribute("aria-valuenow"));
  for (let i = 0; i < 5; i += 1) await one.keyboard.press("ArrowRight");
  const is = Number(await handle.getAttribute("aria-valuenow"));
  assert.ok(is > was * 1.02, `${was} became ${is}`);
  await one.keyboard.press("Control+z");
  assert.equal(Number(await handle.getAttribute("aria-valuenow")), was, "all of it is one step of undo");
  await one.context().close();
});

test("the text is copied, changed and refused with its reason", async () => {
  const one = await opened();
  await one.getByRole("button", { name: "Copy as TOML" }).click();
  const copied = await one.evaluate(() => navigator.clipboard.readText());
  assert.match(copied, /^\{ gamma = \{ stages = \[\{ weight = 1/);
  const text = one.getByLabel("The distribution as TOML");
  await text.fill('{ weibull = { shape = 1.5, scale = "3 KiB" } }');
  await text.blur();
  await one.getByLabel("scale, slider").waitFor();
  assert.equal(await one.getByLabel("scale", { exact: true }).inputValue(), "3");
  await text.fill("{ weibull = { shape = 1.5, scale = 3 } }");
  await text.blur();
  await one.getByText("has no unit").waitFor();
  await one.context().close();
});

test("tables are edited, and cells of a spreadsheet pasted", async () => {
  const one = await opened();
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
  await one.context().close();
});

test("a distribution is saved into the specification, whose comments stay", async () => {
  const one = await opened();
  const path = join(folder, "users.toml");
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
  await one.context().close();
});

test("the plot is exported as SVG and PNG", async () => {
  const one = await withValues();
  const saved = async (name) => {
    const [download] = await Promise.all([one.waitForEvent("download"), one.getByRole("button", { name }).click()]);
    return readFileSync(await download.path());
  };
  const svg = (await saved("Export SVG")).toString();
  assert.match(svg, /^<svg[^>]*xmlns="http:\/\/www.w3.org\/2000\/svg"/);
  assert.ok(svg.includes("<path") && !svg.includes("slider") && !svg.includes("class="));
  assert.equal((await saved("Export PNG")).subarray(1, 4).toString(), "PNG");
  assert.deepEqual(one.complaints, []);
  await one.context().close();
});

for (const [size, width, height] of [
  ["laptop", 1366, 768],
  ["projector", 1920, 1080],
]) {
  for (const scheme of ["light", "dark"]) {
    test(`nothing is cut off on a ${size}, ${scheme}`, async () => {
      const one = await withValues({ width, height, scheme });
      if (size === "projector") await one.getByRole("button", { name: "Large text" }).click();
      await fit(one, 2);
      await one.waitForFunction(() => document.querySelectorAll("path.curve").length === 2);
      await one.waitForTimeout(300);
      await picture(one, `${size}-${scheme}-density`);
      await one.getByRole("button", { name: "CDF", exact: true }).click();
      await one.getByRole("button", { name: "log x" }).click();
      await one.waitForTimeout(300);
      await picture(one, `${size}-${scheme}-cdf`);
      const wider = await one.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.equal(wider, 0, "the page scrolls sideways");
      const outside = await one.evaluate(() =>
        [...document.querySelectorAll("button, input, select")].filter((element) => {
          const panel = element.closest("aside, section, header")?.getBoundingClientRect();
          const box = element.getBoundingClientRect();
          return panel && box.width > 2 && (box.right > panel.right + 1 || box.left < panel.left - 1);
        }).map((element) => element.outerHTML.slice(0, 80)),
      );
      assert.deepEqual(outside, []);
      await one.context().close();
    });
  }
}
