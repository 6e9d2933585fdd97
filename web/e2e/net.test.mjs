// The room of the net: the command's drawings, page by page, by mouse and keyboard, coloured by where time is spent.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { closed, installed, isWhole, petrio, picture, SCENARIO } from "./studio.mjs";

const studio = installed(SCENARIO);
const room = (one, name) => one.getByRole("navigation", { name: "Rooms" }).getByRole("button", { name, exact: true }).click();
const drawn = (one) => one.getByRole("group", { name: "What is drawn" });

/** What the command draws, without the colours that it brings. */
function written(...more) {
  const file = studio.inFolder("net.svg");
  execFileSync(petrio, ["net", studio.inFolder("scenario.toml"), "--svg", file, ...more], { stdio: "ignore" });
  return readFileSync(file, "utf8").replace(/<style>[\s\S]*?<\/style>/, "");
}
/** All that has a place in a drawing. */
const places = (svg) => [...svg.matchAll(/(?:d|x|y|cx|cy)="([^"]+)"/g)].map((found) => found[1]);
const shown = (one) => one.locator(".net-drawing > svg").first().evaluate((svg) => svg.outerHTML);

test("it is what the command draws, and a page is entered and left by the keyboard", async () => {
  const one = await studio.scenario({}, "Net");
  await drawn(one).getByRole("button", { name: "page d0/seek" }).waitFor();
  assert.deepEqual(places(await shown(one)), places(written("--overview")));
  await drawn(one).getByRole("button", { name: "page d0", exact: true }).focus();
  await one.keyboard.press("Enter");
  await one.getByRole("heading", { name: "d0", exact: true }).waitFor();
  await drawn(one).getByRole("button", { name: "place d0/queue" }).waitFor();
  assert.deepEqual(places(await shown(one)), places(written("--page", "d0")));
  // Everything with a name is reached, and tells it whole.
  const named = await drawn(one).getByRole("button").count();
  assert.equal(named, await one.locator(".net-drawing > svg").first().locator(".place, .transition, .page").count());
  await drawn(one).getByRole("button", { name: "place d0/queue" }).focus();
  await one.getByText("place d0/queue", { exact: true }).waitFor();
  await one.keyboard.press("Escape");
  await one.getByRole("heading", { name: "The outermost page" }).waitFor();
  await one.keyboard.press("Escape");
  await one.getByRole("heading", { name: "All pages" }).waitFor();
  await closed(one);
});

/** With another disk and its load. */
const load = SCENARIO.slice(SCENARIO.indexOf("[workload.users]"));
const MORE = `${SCENARIO}
[disk.other]
model = "ibm-ultrastar-18es"

${load.replaceAll("workload.users", "workload.others").replace('"d0"', '"other"')}`;

test("a change elsewhere leaves the drawing of a page as it is", async () => {
  const one = await studio.scenario({}, "Net");
  await one.getByLabel("Page", { exact: true }).selectOption("d0");
  await drawn(one).getByRole("button", { name: "place d0/queue" }).waitFor();
  const before = await shown(one);
  await room(one, "Scenario");
  await one.getByLabel("The scenario as TOML").fill(MORE);
  await one.getByText("not saved").waitFor();
  await one.getByRole("navigation", { name: "Parts" }).getByRole("button", { name: "others workload" }).waitFor();
  await room(one, "Net");
  await one.getByLabel("Page", { exact: true }).selectOption("d0");
  await drawn(one).getByRole("button", { name: "place d0/queue" }).waitFor();
  assert.deepEqual(places(await shown(one)), places(before));
  await closed(one);
});

for (const [width, height, scheme] of [[1366, 768, "light"], [380, 800, "dark"]]) {
  test(`after a run it tells where the time was spent, at a width of ${width}, ${scheme}`, async () => {
    const one = await studio.scenario({ width, height, scheme }, "Run");
    await one.getByRole("form", { name: "Run the scenario" }).getByRole("button", { name: "Run" }).click();
    await one.getByRole("link", { name: "Save page" }).waitFor();
    await room(one, "Net");
    await one.getByRole("heading", { name: "Where the time is spent" }).waitFor();
    const rows = await one.locator("table.figures tbody tr").allInnerTexts();
    const shares = rows.map((row) => Number(/\t(?:< )?(\d+) %/.exec(row)?.[1]));
    assert.ok(rows.length >= 3 && shares.every((share, i) => i === 0 || share <= shares[i - 1]), rows.join("; "));
    const sum = shares.reduce((all, share) => all + share, 0);
    assert.ok(sum > 95 && sum <= 100 + rows.length, `${sum} % in all`);
    // The disk is busy with its mechanics, in which the seeks are; as a number too, and not by a colour alone.
    const seek = drawn(one).getByRole("button", { name: /^page d0\/seek: of the time, d0\/mechanics \d+ %/ });
    const opaque = await seek.locator("rect").getAttribute("fill-opacity");
    const bus = await drawn(one).getByRole("button", { name: /^page d0\/bus/ }).locator("rect").getAttribute("fill-opacity");
    assert.ok(Number(opaque) > Number(bus), `${opaque} and ${bus}`);
    assert.match(await seek.locator("text").textContent(), /^\d+ %$/);
    await isWhole(one);
    await picture(one, `net-${width}-${scheme}`);
    await one.getByRole("button", { name: "Fit to width" }).click();
    await drawn(one).getByRole("button", { name: /^page d0:/ }).click();
    await drawn(one).getByRole("button", { name: "place d0/queue" }).waitFor();
    await isWhole(one);
    await picture(one, `net-page-${width}-${scheme}`);
    await closed(one);
  });
}
