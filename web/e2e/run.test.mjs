// The room of a run: the picture that moves, Stop, and the page, which is the command's own.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { closed, installed, isWhole, petrio, picture, SCENARIO } from "./studio.mjs";

const studio = installed(SCENARIO);
const form = (one) => one.getByRole("form", { name: "Run the scenario" });

/** The page that the command writes of a scenario. */
function written(scenario, ...more) {
  const page = studio.inFolder("written.html");
  execFileSync(petrio, ["run", scenario, "--quiet", "--html", page, ...more]);
  return readFileSync(page, "utf8");
}

async function saved(one) {
  const [file] = await Promise.all([one.waitForEvent("download"), one.getByRole("link", { name: "Save page" }).press("Enter")]);
  assert.equal(file.suggestedFilename(), "random-reads-of-one-disk.html");
  return readFileSync(await file.path(), "utf8");
}

test("the page that a run leaves is the command's, shown in a frame and saved as one file", async () => {
  const one = await studio.scenario({}, "Run");
  await form(one).getByRole("button", { name: "Run" }).click();
  await one.frameLocator("iframe").getByRole("heading", { name: "Random reads of one disk" }).waitFor();
  assert.equal(await saved(one), written(studio.inFolder("scenario.toml"), "--no-what-if"));
  await one.getByText(/3,000 operations in .* s of model time/).waitFor();
  await form(one).getByLabel("then try what would change it").check();
  await form(one).getByRole("button", { name: "Run" }).click();
  await one.getByRole("link", { name: "Save page" }).waitFor({ state: "detached" });
  await one.getByRole("link", { name: "Save page" }).waitFor({ timeout: 60_000 });
  assert.equal(await saved(one), written(studio.inFolder("scenario.toml")));
  await closed(one);
});

test("a run goes on while it is watched, moves, and is stopped with what had been done by then", async () => {
  const one = await studio.scenario();
  // As it stands, without being saved.
  await one.getByLabel("The scenario as TOML").fill(SCENARIO.replace("requests = 3000", "requests = 300000000"));
  await one.getByText("not saved").waitFor();
  await one.getByRole("navigation", { name: "Rooms" }).getByRole("button", { name: "Run", exact: true }).click();
  await form(one).getByRole("button", { name: "Run" }).click();
  const told = one.getByText(/\d operations, .* s of model time/);
  await told.waitFor();
  const first = await told.textContent();
  await one.waitForFunction((first) => !document.body.textContent.includes(first.trim()), first);
  const line = one.locator("figure[aria-label='Throughput'] path").first();
  await line.waitFor();
  // The same run is looked at again after another room.
  await one.getByRole("navigation", { name: "Rooms" }).getByRole("button", { name: "Scenario", exact: true }).click();
  await one.getByRole("navigation", { name: "Rooms" }).getByRole("button", { name: "Run", exact: true }).click();
  await picture(one, "run-goes-on");
  await form(one).getByRole("button", { name: "Stop" }).click();
  await one.getByText("Stopped: what had been done by then.").waitFor();
  await one.frameLocator("iframe").getByRole("heading", { name: "Random reads of one disk" }).waitFor();
  await closed(one);
});

test("the frame is in an origin of its own, from which nothing is reached", async () => {
  const one = await studio.scenario({}, "Run");
  await form(one).getByRole("button", { name: "Run" }).click();
  const frame = one.frameLocator("iframe");
  await frame.getByRole("heading", { name: "Random reads of one disk" }).waitFor();
  const inside = one.frames().find((one) => one.url().includes("/api/pages/"));
  assert.equal(await inside.evaluate(() => self.origin), "null");
  const reached = inside.evaluate(() => fetch("../start").then(() => "reached", () => "refused"));
  assert.equal(await reached, "refused");
  one.complaints = one.complaints.filter((complaint) => !/Content Security Policy|api\/start/.test(complaint));
  await closed(one);
});

for (const [width, height, scheme] of [[1366, 900, "dark"], [380, 800, "light"]]) {
  test(`by the keyboard alone, from the scenario to its page, at a width of ${width}, ${scheme}`, async () => {
    const one = await studio.scenario({ width, height, scheme });
    const press = (...keys) => keys.reduce((before, key) => before.then(() => one.keyboard.press(key)), Promise.resolve());
    /** Goes on by Tab, or back, until something has this name. */
    const reach = async (wanted, way = "Tab") => {
      for (let i = 0; i < 120; i += 1) {
        const name = await one.evaluate(() => {
          const at = document.activeElement;
          return at?.getAttribute("aria-label") ?? at?.textContent?.trim() ?? "";
        });
        if (wanted.test(name)) return;
        await press(way);
      }
      assert.fail(`nothing called ${wanted} is reached`);
    };
    await one.evaluate(() => document.activeElement?.blur());
    await reach(/^d0\s*disk$/);
    await press("Enter");
    await reach(/^disk\.d0\.scheduler$/);
    await press("ControlOrMeta+a");
    await one.keyboard.type("fcfs");
    await press("Tab");
    await one.waitForFunction(() => document.querySelector("textarea.toml").value.includes('scheduler = "fcfs"'));
    await reach(/^Run$/, "Shift+Tab");
    await press("Enter");
    await form(one).waitFor();
    await reach(/^Save$/);
    await press("Tab");
    await reach(/^Run$/);
    await press("Enter");
    await one.getByRole("link", { name: "Save page" }).waitFor();
    await one.frameLocator("iframe").getByRole("heading", { name: "Random reads of one disk" }).waitFor();
    await reach(/^Save page$/);
    await isWhole(one);
    await picture(one, `run-${width}-${scheme}`);
    await closed(one);
  });
}
