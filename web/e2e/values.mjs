// Values for the room of distributions, and what tests do with them.

import assert from "node:assert/strict";

/** Two heaps of sizes: half of them about 2 KiB, half about 10 KiB; the same every time. */
export function values() {
  const numbers = [];
  for (let i = 0; i < 400; i += 1) {
    const p = (i + 0.5) / 400;
    const spread = Math.log(p / (1 - p));
    numbers.push(Math.max(1, 2048 + 260 * spread), Math.max(1, 10240 + 800 * spread));
  }
  return `name,size\n${numbers.map((one, i) => `f${i},${one.toFixed(1)}`).join("\n")}`;
}

export async function withValues(studio, options) {
  const one = await studio.opened(options);
  await one.getByLabel("Paste numbers").fill(values());
  await one.getByRole("button", { name: "Use pasted" }).click();
  await one.getByText("800 values").waitFor();
  return one;
}

/** Kolmogorov and Smirnov's distance in the table of figures, whose first row is that of the values. */
const ks = async (one, row) => Number.parseFloat(await one.locator(".figures tbody tr").nth(row).locator("td").nth(5).textContent());

/** How long a number has stayed as it is once nothing more is under way, in ms. */
const SETTLED = 300;

/** Waits until a distance is another one than before and stays so, and gives it. */
export async function anotherKs(one, row, before) {
  for (let i = 0; i < 50; i += 1) {
    const now = await ks(one, row);
    await one.waitForTimeout(SETTLED);
    if (now !== before && now === (await ks(one, row))) return now;
  }
  throw new Error(`the distance stays ${before}`);
}

/** Waits until a distance is what it should be. */
export const untilKs = (one, row, wanted) =>
  one.waitForFunction(
    ([row, wanted]) => Number(document.querySelectorAll(".figures tbody tr")[row].children[6]?.textContent) === wanted,
    [row, wanted],
  );

export async function fit(one, stages) {
  await one.getByLabel("Family to fit").selectOption("gamma");
  await one.getByLabel("Number of stages").fill(String(stages));
  await one.getByRole("button", { name: "Fit", exact: true }).click();
  await one.getByRole("button", { name: "Fit: gamma", exact: false }).first().waitFor();
}

/** Values, a fit of two stages, and its distance, which is small. */
export async function fitted(studio, options) {
  const one = await withValues(studio, options);
  await fit(one, 2);
  await one.waitForFunction(() => Number(document.querySelectorAll(".figures tbody tr")[2]?.children[6]?.textContent) > 0);
  const distance = await ks(one, 2);
  assert.ok(distance < 0.15, `the distance of the fit is ${distance}`);
  return { one, distance };
}

/** Drags a handle by so many pixels. */
export async function drag(one, name, [right, down]) {
  const box = await one.getByRole("slider", { name }).locator(".reach").boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await one.mouse.move(x, y);
  await one.mouse.down();
  await one.mouse.move(x + right, y + down, { steps: 8 });
  await one.mouse.up();
}
