// The room of users, as a person uses it.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { closed, installed, picture } from "./studio.mjs";

const studio = installed();

async function opened(options) {
  const one = await studio.opened(options);
  await one.getByRole("button", { name: "Users", exact: true }).click();
  await one.getByLabel("share of user-temp").first().waitFor();
  return one;
}

test("tables are edited, mistakes told, and only what is in order is saved", async () => {
  const one = await opened();
  const share = one.getByLabel("share of user-temp").first();
  assert.equal(await share.inputValue(), "38.2 %");
  await share.fill("much");
  await share.blur();
  await one.getByRole("alert").waitFor();
  assert.ok(await one.getByRole("button", { name: "Save" }).isDisabled());
  await one.getByRole("button", { name: "Undo" }).click();
  await one.getByRole("alert").waitFor({ state: "detached" });
  const files = one.getByLabel("files of user-read", { exact: true });
  const expected = one.getByLabel("Specification").locator("tr", { has: files }).locator("td").nth(4);
  assert.equal(await expected.textContent(), "6");
  await files.fill("{ geometric = { mean = 12.0 } }");
  await files.blur();
  await one.waitForFunction(() => [...document.querySelectorAll("td")].some((cell) => cell.textContent === "12"));
  await one.getByRole("button", { name: "Save" }).click();
  await one.getByText("Saved: ").waitFor();
  assert.match(readFileSync(studio.inFolder("users.toml"), "utf8"), /files = \{ geometric = \{ mean = 12\.0 \} \}/);
  await closed(one);
});

test("a long run tells how far it is, and is cancelled", async () => {
  const one = await opened();
  await one.getByLabel("sessions", { exact: true }).fill("100000");
  await one.getByRole("button", { name: "Run", exact: true }).click();
  await one.getByText(/\d operations, .* s of model time/).waitFor();
  await one.getByRole("button", { name: "Cancel" }).click();
  await one.getByText("Cancelled.").waitFor();
  await closed(one);
});

for (const [name, options] of [
  ["laptop-light", {}],
  ["projector-dark", { width: 1920, height: 1080, scheme: "dark" }],
]) {
  test(`a run is analysed (${name})`, async () => {
    const one = await opened(options);
    if (options.width) await one.getByRole("button", { name: "Large text" }).click();
    await picture(one, `users-${name}-tables`);
    await one.getByLabel("sessions", { exact: true }).fill("60");
    await one.getByRole("button", { name: "Run", exact: true }).click();
    await one.getByText("60 sessions of 1 process").waitFor();
    const bars = () => one.getByLabel("Histogram of sessions by files referenced").locator("rect").first().getAttribute("height");
    const before = await bars();
    await one.getByLabel("smoothed").check();
    assert.notEqual(await bars(), before);
    await one.getByLabel("Histogram of sessions by files referenced").scrollIntoViewIfNeeded();
    await picture(one, `users-${name}-run`);
    assert.deepEqual(one.complaints, []);
    await closed(one);
  });
}
