// The tables of users, and the text that they stand for.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { closed, installed, picture } from "./studio.mjs";

const studio = installed();
const thesis = readFileSync("../examples/users/thesis.toml", "utf8");

const text = (one) => one.getByLabel("The specification as TOML").inputValue();

/** Types into a field, leaves it, and waits until the text has a part. */
async function typed(one, label, value, part) {
  const field = one.getByLabel(label, { exact: true });
  await field.fill(value);
  await field.blur();
  await has(one, part);
}

const has = (one, part) =>
  one.waitForFunction((part) => document.querySelector("[aria-label='The specification as TOML']").value.includes(part), part);

/** Undoes until nothing is left to undo: the text is as it was. */
async function undone(one) {
  const undo = one.getByRole("button", { name: "Undo" });
  for (let i = 0; i < 20 && (await undo.isEnabled()); i += 1) {
    const before = await text(one);
    await undo.click();
    await one.waitForFunction(
      (before) => document.querySelector("[aria-label='The specification as TOML']").value !== before,
      before,
    );
  }
  assert.equal(await text(one), thesis);
}

test("a category is added, described, renamed and used; its comments stay", async () => {
  const one = await studio.users();
  await one.getByLabel("Name of the new category").fill("mail");
  await one.getByRole("button", { name: "Add a category" }).click();
  await one.getByLabel("share of mail", { exact: true }).waitFor();
  await one.getByLabel("type of mail", { exact: true }).selectOption("directory");
  await has(one, '[category.mail]\nowner = "user"\nuse = "read-only"\nshare = "1 %"\nsize = { exponential = { mean = "8 KiB" } }\ntype = "directory"');
  await one.getByLabel("type of mail", { exact: true }).selectOption("file");
  await one.getByLabel("use of mail", { exact: true }).selectOption("read-write");
  await typed(one, "order of mail", "random", 'order = "random"');
  await typed(one, "depth of mail", "{ constant = 2 }", "depth = { constant = 2 }");
  await one.getByLabel("New use").selectOption("mail");
  await one.getByRole("button", { name: "Add a use" }).click();
  await one.getByLabel("files of mail, used", { exact: true }).waitFor();
  assert.ok(!(await one.getByLabel("New use").locator("option").allTextContents()).includes("mail"));
  await typed(one, "name of category mail", "letters", "[user.heavy.uses.letters]");
  await typed(one, "name of category user-read", "own", "[user.heavy.uses.own]");
  const now = await text(one);
  assert.ok(now.includes("[category.letters]") && !now.includes(".mail]") && !now.includes(".user-read]"));
  assert.equal(now.split("\n")[0], thesis.split("\n")[0]);
  assert.equal(await one.getByRole("alert").count(), 0);
  await typed(one, "name of category own", "letters", "[category.own]");
  await one.getByText('there is category "letters" already').waitFor();
  assert.equal(await one.getByLabel("name of category own", { exact: true }).inputValue(), "own");
  await picture(one, "tables-category");
  await undone(one);
  await closed(one, { refusals: 1 });
});

test("a type is added, and renamed where others are like it and in populations", async () => {
  const one = await studio.users();
  await one.getByLabel("Name of the new type").fill("idle");
  await one.getByRole("button", { name: "Add a type" }).click();
  await one.getByLabel("like, of idle").waitFor();
  assert.equal(await one.getByLabel("like, of idle").inputValue(), "heavy");
  await typed(one, "pause of idle", '{ exponential = { mean = "1 min" } }', 'pause = { exponential = { mean = "1 min" } }');
  await typed(one, "sessions at once of idle", "2", "sessions_at_once = 2");
  await typed(one, "open files of idle", "3", "open_files = 3");
  await one.getByLabel("Name of the new population").fill("none at work");
  await one.getByRole("button", { name: "Add a population" }).click();
  await typed(one, "share of idle in none at work", "1", '"none at work" = { heavy = 1, idle = 1 }');
  await typed(one, "share of heavy in none at work", "", '"none at work" = { idle = 1 }');
  await typed(one, "name of population none at work", "idle", "idle = { idle = 1 }");
  await typed(one, "name of type heavy", "busy", "[user.busy]");
  const now = await text(one);
  for (const part of ['like = "busy"', '"100 % heavy" = { busy = 1 }', "{ busy = 0.8, light = 0.2 }", "[user.busy.uses.user-temp]"]) {
    assert.ok(now.includes(part), part);
  }
  assert.equal(await one.getByRole("alert").count(), 0);
  assert.equal(await one.getByLabel("like, of light").inputValue(), "busy");
  await picture(one, "tables-type");
  await undone(one);
  await closed(one);
});

test("what others need can be removed; the check complains, and undo mends it", async () => {
  const one = await studio.users();
  for (const [button, complaint] of [
    ["Remove category user-read", "no such category"],
    ["Remove type heavy", "there is no type"],
  ]) {
    await one.getByRole("button", { name: button, exact: true }).click();
    await one.getByRole("alert").filter({ hasText: complaint }).waitFor();
    assert.equal(await one.getByRole("button", { name: button, exact: true }).count(), 0);
    assert.ok(await one.getByRole("button", { name: "Save" }).isDisabled());
    assert.ok(await one.getByRole("button", { name: "Measure" }).isDisabled());
    await one.getByRole("button", { name: "Undo" }).click();
    await one.getByRole("alert").waitFor({ state: "detached" });
  }
  await one.getByRole("button", { name: "Remove use of notes-read" }).click();
  await one.getByRole("button", { name: "Remove use of notes-read" }).waitFor({ state: "detached" });
  await one.getByRole("button", { name: "Remove population 100 % light" }).click();
  await one.getByRole("button", { name: "Remove population 100 % light" }).waitFor({ state: "detached" });
  assert.equal(await one.getByRole("alert").count(), 0);
  assert.ok((await text(one)).includes("# Table 5.4 and figures 5.6 to 5.11."));
  await undone(one);
  await closed(one);
});

test("title and numbers of files are edited, and the rest as text", async () => {
  const one = await studio.users();
  await typed(one, "title", "5", 'title = "5"');
  await typed(one, "number of files", "2000", "count = 2000");
  await typed(one, "users who have files", "8", "users = 8");
  await one.getByText("Text", { exact: true }).click();
  const field = one.getByLabel("The specification as TOML");
  const now = await field.inputValue();
  await field.fill(`${now}\n[readings]\nkept_sessions = 3\n`);
  await field.blur();
  await one.getByRole("button", { name: "Save" }).waitFor();
  assert.equal(await one.getByRole("alert").count(), 0);
  const wrong = `${await field.inputValue()}choice = "worst"\n`;
  await field.fill(wrong);
  await field.blur();
  const line = wrong.split("\n").length - 1;
  await one.getByRole("alert").filter({ hasText: `users.toml:${line}:` }).waitFor();
  await field.fill("title = ");
  await field.blur();
  await one.getByRole("alert").filter({ hasText: "this is not TOML" }).waitFor();
  assert.ok(await one.getByLabel("share of user-temp", { exact: true }).isVisible(), "the tables stay");
  await field.scrollIntoViewIfNeeded();
  await picture(one, "text");
  await undone(one);
  assert.equal(await one.getByRole("alert").count(), 0);
  await closed(one);
});
