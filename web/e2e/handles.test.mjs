// Handles in the plot, by mouse and by keys.

import assert from "node:assert/strict";
import { test } from "node:test";
import { closed, installed, picture } from "./studio.mjs";
import { anotherKs, drag, fitted, untilKs } from "./values.mjs";

const studio = installed();

test("handles are moved by arrow keys alone", async () => {
  const one = await studio.opened();
  const handle = one.getByRole("slider", { name: "Stage 1: scale" });
  await handle.focus();
  const was = Number(await handle.getAttribute("aria-valuenow"));
  for (let i = 0; i < 5; i += 1) await one.keyboard.press("ArrowRight");
  const is = Number(await handle.getAttribute("aria-valuenow"));
  assert.ok(is > was * 1.02, `${was} became ${is}`);
  await one.keyboard.press("Control+z");
  assert.equal(Number(await handle.getAttribute("aria-valuenow")), was, "all of it is one step of undo");
  await closed(one);
});

/** What a field of a stage shows, as a number. */
const shown = async (one, stage, label) =>
  Number(await one.locator("fieldset").nth(stage - 1).getByLabel(label, { exact: true }).inputValue());

for (const { name, handle, by, field } of [
  { name: "scale", handle: "Stage 2: scale", by: [90, 0], field: "scale" },
  { name: "weight", handle: "Stage 2: scale", by: [0, -70], field: "weight" },
  { name: "offset", handle: "Stage 2: offset", by: [80, 0], field: "offset" },
  { name: "shape", handle: "Stage 1: shape", by: [45, 0], field: "shape" },
]) {
  test(`dragging a handle of ${name} changes its number, the curve and the distance; undo takes it back`, async () => {
    const { one, distance } = await fitted(studio);
    const stage = Number(handle[6]);
    const curve = () => one.locator("path.curve.selected").getAttribute("d");
    const [was, drawn] = [await shown(one, stage, field), await curve()];
    await drag(one, handle, by);
    const after = await anotherKs(one, 2, distance);
    assert.ok(after > distance, `the distance of the fit was ${distance}, and became ${after}`);
    const is = await shown(one, stage, field);
    if (name === "shape") assert.ok(is < 0.9 * was, `wider is a smaller shape: ${was} became ${is}`);
    else assert.ok(is > 1.05 * was, `${was} became ${is}`);
    assert.notEqual(await curve(), drawn);
    await one.getByRole("button", { name: "Undo" }).click();
    await untilKs(one, 2, distance);
    assert.equal(await shown(one, stage, field), was);
    await one.keyboard.press("Control+Shift+Z");
    await untilKs(one, 2, after);
    await closed(one);
  });
}

test("handles at one place lie in lanes, and each is reached by mouse and by Tab", async () => {
  const one = await studio.opened();
  for (let i = 0; i < 3; i += 1) await one.getByRole("button", { name: "Add a stage" }).click();
  for (let i = 0; i < 4; i += 1) {
    const stage = one.locator("fieldset").nth(i);
    for (const [label, value] of [["offset", "0"], ["weight", "1"]]) {
      await stage.getByLabel(label, { exact: true }).fill(value);
      await stage.getByLabel(label, { exact: true }).blur();
    }
  }
  await one.waitForTimeout(200);
  await picture(one, "lanes");
  const sliders = one.getByRole("slider", { name: /^Stage \d: (offset|scale|shape)/ });
  assert.equal(await sliders.count(), 12);
  // The place of each belongs to no other one.
  for (let i = 0; i < 12; i += 1) {
    const own = await sliders.nth(i).evaluate((element) => {
      const box = element.querySelector(".reach").getBoundingClientRect();
      return document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2)?.closest("[role=slider]") === element;
    });
    assert.ok(own, `handle ${i} lies under another one`);
  }
  await drag(one, "Stage 3: offset", [120, 0]);
  const offsets = await Promise.all([1, 2, 3, 4].map((stage) => shown(one, stage, "offset")));
  assert.ok(offsets[2] > 0, String(offsets));
  assert.deepEqual([offsets[0], offsets[1], offsets[3]], [0, 0, 0]);
  await sliders.first().focus();
  const reached = [await one.evaluate(() => document.activeElement.getAttribute("aria-label"))];
  for (let i = 1; i < 12; i += 1) {
    await one.keyboard.press("Tab");
    reached.push(await one.evaluate(() => document.activeElement.getAttribute("aria-label")));
  }
  assert.equal(new Set(reached).size, 12, reached.join("; "));
  await one.getByRole("slider", { name: "Stage 4: offset" }).focus();
  await one.keyboard.press("Shift+ArrowRight");
  assert.ok((await shown(one, 4, "offset")) > 0);
  await closed(one);
});
