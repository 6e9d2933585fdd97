// How the studio looks: on a laptop and on a projector, in the light and in the dark.

import assert from "node:assert/strict";
import { test } from "node:test";
import { closed, installed, picture } from "./studio.mjs";
import { fit, withValues } from "./values.mjs";

const studio = installed();

test("the switch of the theme counts more than the system, and goes round", async () => {
  const one = await studio.opened({ scheme: "dark" });
  const paper = () => one.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const dark = await paper();
  const theme = one.getByRole("button", { name: "Theme: " });
  await theme.click();
  assert.equal(await theme.textContent(), "Theme: light");
  const light = await paper();
  assert.notEqual(light, dark);
  await theme.click();
  assert.equal(await theme.textContent(), "Theme: dark");
  assert.equal(await paper(), dark);
  await one.emulateMedia({ colorScheme: "light" });
  assert.equal(await paper(), dark, "what was chosen stays");
  await theme.click();
  assert.equal(await paper(), light, "as the system has it");
  await closed(one);
});

for (const [size, width, height] of [
  ["laptop", 1366, 768],
  ["projector", 1920, 1080],
]) {
  for (const scheme of ["light", "dark"]) {
    test(`nothing is cut off on a ${size}, ${scheme}`, async () => {
      const one = await withValues(studio, { width, height, scheme });
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
      await closed(one);
    });
  }
}
