// The room of users, as a person uses it.

import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { closed, installed, picture, started, startedWith } from "./studio.mjs";

const studio = installed();

test("tables are edited, mistakes told, and only what is in order is saved", async () => {
  const one = await studio.users();
  const share = one.getByLabel("share of user-temp", { exact: true });
  assert.equal(await share.inputValue(), "38.2 %");
  await share.fill("much");
  await share.blur();
  await one.getByRole("alert").waitFor();
  assert.ok(await one.getByRole("button", { name: "Save" }).isDisabled());
  await one.getByRole("button", { name: "Undo" }).click();
  await one.getByRole("alert").waitFor({ state: "detached" });
  const files = one.getByLabel("files of user-read, used");
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
  const one = await studio.users();
  await one.getByLabel("Run", { exact: true }).getByLabel("sessions").fill("100000");
  await one.getByLabel("Run", { exact: true }).getByRole("button", { name: "Run", exact: true }).click();
  await one.getByText(/\d operations, .* s of model time/).waitFor();
  await one.getByRole("button", { name: "Cancel" }).click();
  await one.getByText("Cancelled.").waitFor();
  await closed(one);
});

test("a run ends a while after its page was closed", async () => {
  const other = await started("--grace", "1", studio.inFolder("users.toml"));
  const one = await studio.page();
  await one.goto(other.url);
  await one.getByRole("button", { name: "Users", exact: true }).click();
  await one.getByLabel("Run", { exact: true }).getByLabel("sessions").fill("100000");
  await one.getByLabel("Run", { exact: true }).getByRole("button", { name: "Run", exact: true }).click();
  await one.getByText(/\d operations, .* s of model time/).waitFor();
  await closed(one);
  await setTimeout(3_000);
  const events = await fetch(`${other.url}api/runs/1/events`, { signal: AbortSignal.timeout(5_000) });
  assert.match(await events.text(), /^event: cancelled$/m);
  assert.equal(await other.end(), 0);
});

test("a browser is let in by a file, without the secret of the address among its arguments", async () => {
  const opener = studio.inFolder("xdg-open");
  const told = studio.inFolder("told");
  writeFileSync(opener, `#!/bin/sh\nprintf %s "$*" > "${told}.part" && mv "${told}.part" "${told}"\n`, { mode: 0o755 });
  const other = await startedWith({ PATH: `${studio.inFolder("")}:${process.env.PATH}` }, studio.inFolder("users.toml"));
  while (!existsSync(told)) await setTimeout(20);
  const file = readFileSync(told, "utf8");
  assert.ok(existsSync(file) && !file.includes(other.url.split("/").at(-2)));
  const one = await studio.page();
  await one.goto(`file://${file}`);
  await one.waitForURL(other.url);
  await one.locator("path.curve").first().waitFor();
  assert.ok(!existsSync(file));
  await closed(one);
  assert.equal(await other.end(), 0);
});

for (const [name, options] of [
  ["laptop-light", {}],
  ["projector-dark", { width: 1920, height: 1080, scheme: "dark" }],
]) {
  test(`a run is analysed (${name})`, async () => {
    const one = await studio.users(options);
    if (options.width) await one.getByRole("button", { name: "Large text" }).click();
    await picture(one, `users-${name}-tables`);
    await one.getByLabel("Run", { exact: true }).getByLabel("sessions").fill("60");
    await one.getByLabel("Run", { exact: true }).getByRole("button", { name: "Run", exact: true }).click();
    await one.getByText("60 sessions of 1 process").waitFor();
    const histogram = one.getByLabel("Histogram of files of a session, 60 sessions");
    const shown = () => histogram.locator(".series").count();
    assert.equal(await shown(), 2, "counted, and smoothed");
    await histogram.getByRole("button", { name: "smoothed" }).click();
    assert.equal(await shown(), 1);
    await histogram.getByRole("button", { name: "smoothed" }).click();
    await histogram.scrollIntoViewIfNeeded();
    await picture(one, `users-${name}-run`);
    assert.deepEqual(one.complaints, []);
    await closed(one);
  });
}

const figures = (one) => one.getByLabel("Figures", { exact: true });

test("figures are measured, told of, cancelled, and exported", async () => {
  const one = await studio.users();
  const panel = figures(one);
  await panel.getByLabel("sessions").fill("20000");
  await panel.getByRole("button", { name: "Measure" }).click();
  await panel.getByText("all extremely heavy, 1 user (1 of 41)").waitFor();
  await panel.getByRole("button", { name: "Cancel" }).click();
  await panel.getByText("Cancelled.").waitFor();
  await panel.getByLabel("users, at most").fill("3");
  await panel.getByLabel("sessions").fill("3");
  await panel.getByRole("button", { name: "Measure" }).click();
  const byUsers = panel.getByLabel("Response time a byte by number of users");
  await byUsers.waitFor();
  assert.equal(await byUsers.locator("circle").count(), 6 * 3);
  assert.equal(await panel.getByLabel("Response time a byte by access size").locator("circle").count(), 5);
  assert.equal(await panel.locator("tbody tr").count(), 6 * 3 + 5);
  await panel.getByText("a straight line explains").first().waitFor();
  const saved = async (name) => {
    const [download] = await Promise.all([
      one.waitForEvent("download"),
      panel.locator("figure").first().getByRole("button", { name }).click(),
    ]);
    assert.match(download.suggestedFilename(), /^response-time-a-byte-by-number-of-users\./);
    return readFileSync(await download.path());
  };
  const svg = (await saved("Export SVG")).toString();
  assert.ok(svg.includes("100 % heavy") && svg.includes("<path") && !svg.includes("class="));
  assert.equal((await saved("Export PNG")).subarray(1, 4).toString(), "PNG");
  await byUsers.scrollIntoViewIfNeeded();
  await picture(one, "figures");
  await closed(one);
});
