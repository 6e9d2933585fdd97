// A studio and a browser for the tests: the real binary, the real Chromium.

import { spawn } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { createInterface } from "node:readline";
import { chromium } from "playwright-core";

const BROWSERS = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser"];
export const browserPath = BROWSERS.find((path) => path && existsSync(path));
export const petrio = process.env.PETRIO ?? "../target/debug/petrio";
export const pictures = process.env.PETRIO_PICTURES ?? "../target/studio-pictures";
mkdirSync(pictures, { recursive: true });

/** Starts `petrio studio`, and gives its address and how to end it. */
export async function started(...more) {
  const child = spawn(petrio, ["studio", "--no-open", ...more], { stdio: ["ignore", "pipe", "inherit"] });
  const url = await new Promise((done, failed) => {
    createInterface({ input: child.stdout }).once("line", done);
    child.once("exit", (code) => failed(new Error(`petrio studio ended with ${code}`)));
    child.once("error", failed);
  });
  const ended = new Promise((done) => child.once("exit", done));
  return {
    url,
    /** As Ctrl-C does; the exit code. */
    async end() {
      child.kill("SIGINT");
      return ended;
    },
  };
}

export const browser = () => chromium.launch({ executablePath: browserPath, args: ["--no-sandbox"] });

/** A page of some size, which takes note of whatever the console complains about. */
export async function page(from, { width = 1366, height = 768, scheme = "light" } = {}) {
  const context = await from.newContext({ viewport: { width, height }, colorScheme: scheme, acceptDownloads: true });
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const one = await context.newPage();
  one.complaints = [];
  one.on("console", (message) => message.type() === "error" && one.complaints.push(message.text()));
  one.on("pageerror", (error) => one.complaints.push(String(error)));
  return one;
}

export const picture = (one, name) => one.screenshot({ path: `${pictures}/${name}.png` });
