// The pages that commands leave, opened from disk as a person opens them.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { launched, petrio, pictures } from "./studio.mjs";

const HOSTILE = `</script><img src=x onerror="window.hit=1">'"&<!--`;
const BYTES_MAX = 150_000;
let folder;
let browser;
const pages = {};

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "petrio-pages-"));
  const make = (name, ...command) => {
    pages[name] = join(folder, `${name}.html`);
    execFileSync(resolve(petrio), [...command, "--html", pages[name]], { cwd: resolve(".."), stdio: ["ignore", "ignore", "inherit"] });
  };
  make("run", "run", "-q", "examples/load-on-one-disk.toml");
  make("compare", "compare", "-q", "examples/load-on-one-disk.toml", "examples/queue-discipline.toml", "--replications", "3");
  make("trace", "trace", "characterise", "-q", "examples/traces/compile-files.parquet");
  make("users", "users", "figures", "-q", "examples/users/on-ext4.toml", "--users", "2", "--sessions", "2");
  // Names that are as long as people make them, of several equal parts, which have a heat map.
  writeFileSync(
    join(folder, "long.toml"),
    `title = "Long names"
[disk.a-drive-with-a-rather-long-name-of-its-own]
model = "seagate-savvio-10k4"
count = 3
[raid.an-array-with-a-long-name]
level = 5
on = "a-drive*"
[host.file-server-of-the-department]
machine = "epyc-9005-2vcpu"
kernel = "linux-6.18"
[fs.home-directories-of-everybody]
type = "ext4"
on = "an-array-with-a-long-name"
${["commits-of-the-database-of-the-accounting", "rewrites-of-a-great-many-things"]
  .map((name) => `[workload.${name}]
kind = "files"
on = "home-directories-of-everybody"
operation = "rewrite"
pattern = "random"
record = "8 KiB"
file_size = "16 MiB"
operations = 100
fsync = { every = 1 }`)
  .join("\n")}
`,
  );
  make("long", "run", "-q", "--no-what-if", join(folder, "long.toml"));
  // Figures with their intervals, and what is under way at the end: the widest cells that there are.
  make("cut", "run", "-q", "--no-what-if", join(folder, "long.toml"), "--set", "measure.stop.time=300 ms", "--set", "measure.replications=3");
  // Names that would like to be more than names.
  const title = readFileSync("../examples/load-on-one-disk.toml", "utf8").replace(/^title = .*$/m, () => `title = ${JSON.stringify(HOSTILE)}`);
  assert.ok(title.includes("onerror"));
  const traces = /"(traces\/[^"]*)"/g;
  writeFileSync(join(folder, "hostile.toml"), title.replaceAll(traces, (_, path) => JSON.stringify(resolve("../examples", path))));
  make("hostile-run", "run", "-q", join(folder, "hostile.toml"));
  const values = join(folder, HOSTILE.replaceAll("/", "") + ".txt");
  writeFileSync(values, Array.from({ length: 400 }, (_, i) => `${100 + ((i * i) % 7919)}`).join("\n"));
  make("hostile-fit", "fit", "-q", values);
  browser = await launched();
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A page, with whatever it asks for from outside and whatever it complains about. */
async function opened(name, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1180, height: 900 }, ...options });
  const one = await context.newPage();
  one.outside = [];
  one.complaints = [];
  one.on("request", (request) => request.url().startsWith("file:") || one.outside.push(request.url()));
  one.on("console", (message) => message.type() === "error" && one.complaints.push(message.text()));
  one.on("pageerror", (error) => one.complaints.push(String(error)));
  await one.goto(`file://${pages[name]}`);
  // Figures are as wide as what they stand in; a scroll bar that came with them may have changed that.
  await one.waitForFunction(() =>
    [...document.querySelectorAll("figure .drawing")].every(
      (frame) => !frame.clientWidth || frame.querySelector("svg")?.viewBox.baseVal.width === Math.max(260, frame.clientWidth),
    ),
  );
  return one;
}

async function closed(one) {
  assert.deepEqual([one.outside, one.complaints], [[], []]);
  await one.context().close();
}

const drawing = (one, title) => one.locator("figure", { has: one.locator("figcaption", { hasText: new RegExp(`^${title}$`) }) }).locator(".drawing").first();
const says = async (figure) => (await figure.locator(".says").innerText()).replaceAll(/\s+/g, " ");
const labels = (figure) => figure.locator(".grid text").allTextContents();

/** A place of what is plotted, by parts of its width and height. */
async function place(figure, across, up) {
  const svg = figure.locator("svg");
  await svg.scrollIntoViewIfNeeded();
  const box = await svg.boundingBox();
  return [box.x + box.width * across, box.y + box.height * up];
}

test("every page is small, draws all its figures and complains of nothing", async () => {
  for (const name of Object.keys(pages)) {
    assert.ok(statSync(pages[name]).size < BYTES_MAX, `${name}: ${statSync(pages[name]).size} bytes`);
    const one = await opened(name);
    const figures = await one.locator("figure[data-figure]").count();
    assert.ok(figures > 0 && (await one.locator("figure .drawing > svg").count()) === figures, name);
    const wider = await one.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.equal(wider, 0, `${name} scrolls sideways`);
    const broken = await one.evaluate(() => /NaN|Infinity|undefined/.test([...document.querySelectorAll("figure svg")].map((svg) => svg.outerHTML).join()));
    assert.ok(!broken, `${name}: a place is not a number`);
    await one.screenshot({ path: `${pictures}/page-${name}-light.png`, fullPage: true });
    await closed(one);
  }
});

for (const width of [400, 800, 1200, 1600]) {
  test(`tables keep their last column and heat maps say what colours mean at ${width} pixels`, async () => {
    const viewport = { width, height: 900 };
    for (const name of ["long", "cut"]) {
      const one = await opened(name, { viewport });
      const tables = await one.evaluate(() =>
        [...document.querySelectorAll(".wide")].map((table) => [table.querySelector("thead").textContent, table.scrollWidth - table.clientWidth]),
      );
      assert.ok(tables.length > 2);
      assert.deepEqual(tables.filter(([, beyond]) => beyond > 0), []);
      await closed(one);
    }
    const one = await opened("long", { viewport });
    const scale = await one.locator(".colours").first().locator("text").allTextContents();
    assert.deepEqual(scale, ["utilisation", "0 %", "25 %", "50 %", "75 %", "100 %"]);
    await closed(one);
  });
}

test("words of a figure neither overlap nor are cut off", async () => {
  for (const name of Object.keys(pages)) {
    const one = await opened(name);
    const wrong = await one.evaluate(() => {
      const found = [];
      for (const svg of document.querySelectorAll("figure svg")) {
        const outer = svg.getBoundingClientRect();
        const boxes = [...svg.querySelectorAll("text:not(.value)")].map((text) => [text.textContent, text.getBoundingClientRect()]);
        const seen = boxes.filter(([words, box]) => words.trim() && box.width > 0);
        for (const [words, box] of seen) if (box.left < outer.left - 1 || box.right > outer.right + 1 || box.bottom > outer.bottom + 1) found.push(`cut: ${words}`);
        seen.forEach(([words, a], i) => {
          for (const [others, b] of seen.slice(i + 1)) {
            const over = [Math.min(a.right, b.right) - Math.max(a.left, b.left), Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)];
            if (over[0] > 1 && over[1] > 4) found.push(`${svg.getAttribute("aria-label").slice(0, 60)}: ${words} over ${others}`);
          }
        });
      }
      return found;
    });
    assert.deepEqual(wrong, [], name);
    await closed(one);
  }
});

test("the pointer, and the arrow keys, tell the nearest value with its unit", async () => {
  const one = await opened("run");
  const latency = drawing(one, "Latency");
  await one.mouse.move(...(await place(latency, 0.6, 0.4)));
  assert.match(await says(latency), /latency [\d.]+ (µs|ms) to [\d.]+ (µs|ms) .*of \w+ [\d.]+ %/);
  await one.mouse.move(0, 0);
  assert.equal(await says(latency), "");
  await latency.locator("svg").focus();
  await one.keyboard.press("ArrowRight");
  const first = await says(latency);
  await one.keyboard.press("ArrowRight");
  assert.notEqual(await says(latency), first);
  const over = drawing(one, "Throughput over time");
  await one.mouse.move(...(await place(over, 0.5, 0.5)));
  assert.match(await says(over), /model time [\d.]+ (ms|s|min) to .* throughput [\d.]+ [KM]iB\/s/);
  await closed(one);
});

test("a dragged range is brought nearer, and a double click or Escape brings all back", async () => {
  const one = await opened("run");
  const figure = drawing(one, "Throughput over time");
  const whole = await labels(figure);
  const drag = async () => {
    await one.mouse.move(...(await place(figure, 0.4, 0.5)));
    await one.mouse.down();
    await one.mouse.move(...(await place(figure, 0.5, 0.5)), { steps: 4 });
    await one.mouse.up();
    assert.notDeepEqual(await labels(figure), whole);
  };
  await drag();
  await one.mouse.dblclick(...(await place(figure, 0.5, 0.5)));
  assert.deepEqual(await labels(figure), whole);
  await drag();
  await figure.locator("svg").focus();
  await one.keyboard.press("Escape");
  assert.deepEqual(await labels(figure), whole);
  await one.keyboard.press("+");
  assert.notDeepEqual(await labels(figure), whole);
  await figure.getByRole("button", { name: "Show all" }).click();
  assert.deepEqual(await labels(figure), whole);
  await closed(one);
});

test("a name in the key hides its series and shows it again", async () => {
  const one = await opened("trace");
  const figure = drawing(one, "Run lengths");
  const entry = figure.getByRole("button", { name: "reads, by number" });
  const series = () => figure.locator(".series").count();
  const all = await series();
  await entry.click();
  assert.equal(await series(), all - 1);
  assert.equal(await entry.getAttribute("aria-pressed"), "false");
  await entry.press("Enter");
  assert.equal(await series(), all);
  await closed(one);
});

test("it is dark where the system is, or where it is asked for, and on paper it is light", async () => {
  const one = await opened("run", { colorScheme: "dark" });
  const lightness = (selector, property) =>
    one.evaluate(
      ([selector, property]) => {
        const canvas = document.createElement("canvas").getContext("2d");
        canvas.fillStyle = getComputedStyle(document.querySelector(selector))[property];
        canvas.fillRect(0, 0, 1, 1);
        return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3).reduce((sum, part) => sum + part, 0) / 765;
      },
      [selector, property],
    );
  assert.ok((await lightness("body", "backgroundColor")) < 0.2 && (await lightness(".drawing .title", "fill")) > 0.8);
  await one.screenshot({ path: `${pictures}/page-run-dark.png`, fullPage: true });
  await one.emulateMedia({ media: "print", colorScheme: "dark" });
  assert.ok((await lightness("body", "backgroundColor")) > 0.9 && (await lightness(".drawing .title", "fill")) < 0.3);
  assert.ok(!(await one.locator(".theme").isVisible()));
  await one.screenshot({ path: `${pictures}/page-run-print.png`, fullPage: true });
  await one.emulateMedia({ media: "screen", colorScheme: "dark" });
  const theme = one.getByRole("button", { name: "Theme: auto" });
  await theme.click();
  assert.ok((await lightness("body", "backgroundColor")) > 0.9, "light was asked for");
  await closed(one);
});

test("what is printed has its figures, in light colours", async () => {
  const one = await opened("compare", { colorScheme: "dark" });
  const pdf = await one.pdf({ format: "A4" });
  assert.ok(pdf.length > 10_000);
  assert.ok(await one.evaluate(() => matchMedia("(prefers-color-scheme: dark)").matches));
  await closed(one);
});

test("without scripts a page has its tables, and each figure is one", async () => {
  const one = await opened("run", { javaScriptEnabled: false });
  const figures = one.locator("figure[data-figure]");
  assert.equal(await figures.locator("table").count(), await figures.count());
  assert.match(await figures.filter({ hasText: "Latency, cumulative" }).innerText(), /p?\d+(\.\d+)? (µs|ms)/);
  assert.ok(await one.getByRole("heading", { name: "Latency figures" }).isVisible());
  await closed(one);
});

for (const name of ["hostile-run", "hostile-fit"]) {
  test(`names stay names: ${name}`, async () => {
    const one = await opened(name);
    assert.equal(await one.evaluate(() => window.hit), undefined);
    assert.equal(await one.locator("img").count(), 0);
    assert.ok((await one.locator("h1").innerText()).includes("onerror"), "the name is there, as text");
    await closed(one);
  });
}

test("a script that isn't the page's own isn't run", async () => {
  const page = readFileSync(pages.run, "utf8");
  pages.infected = join(folder, "infected.html");
  writeFileSync(pages.infected, page.replace("</main>", "</main><script>window.hit = 1</script>"));
  const one = await opened("infected");
  assert.equal(await one.evaluate(() => window.hit), undefined);
  assert.ok(one.complaints.some((complaint) => complaint.includes("Content Security Policy")));
  await one.context().close();
});
