// The keys of a scenario as petrio's schema tells them: which parts there are, what each may have, and how what was typed is written as TOML.
// Nothing here knows a key by name.

import type { Json } from "../api";
import { table, type Table } from "../users/specification.svelte";

export interface Word {
  /** As it is written, in TOML. */
  word: string;
  about: string;
}

export interface Variant {
  /** The key that says which it is, mostly `kind`; of a table that is told by a key of its own, that key. */
  by: string;
  word: string;
  about: string;
  keys: Key[];
}

export interface Key {
  name: string;
  about: string;
  /** What is written behind it, in words. */
  takes: string;
  /** What it is where it is left out, as TOML. */
  default?: string;
  required: boolean;
  /** Whether names of one's own stand below it. */
  named: boolean;
  /** Whether it is a list of tables. */
  list: boolean;
  words?: Word[];
  keys?: Key[];
  variants?: Variant[];
  /** Other parts that it may own. */
  owns?: string[];
}

export interface Keys {
  scenario: Key;
  /** Names of what is in the catalogue, by the word for it: "drive". */
  catalogue: { [what: string]: string[] };
}

export type Path = string[];

export interface Node {
  kind: string;
  name: string;
  path: Path;
  key: Key;
  parts: Node[];
}

export const isTable = (json: Json | undefined): boolean => json !== null && typeof json === "object" && !Array.isArray(json);

/** The kinds of part: what has names of one's own. */
export const kindsOf = (whole: Key): Key[] => (whole.keys ?? []).filter((key) => key.named);

/** The parts of a scenario, with those that they own. */
export function partsOf(whole: Key, says: Table, at: Path = [], kinds: Key[] = kindsOf(whole)): Node[] {
  // In the order of the text.
  const written = Object.keys(says).flatMap((name) => kinds.find((kind) => kind.name === name) ?? []);
  return written.flatMap((key) =>
    Object.entries(table(says[key.name])).map(([name, value]) => {
      const path = [...at, key.name, name];
      const owns = kindsOf(whole).filter((one) => key.owns?.includes(one.name));
      return { kind: key.name, name, path, key, parts: owns.length ? partsOf(whole, table(value), path, owns) : [] };
    }),
  );
}

export const flat = (nodes: Node[]): Node[] => nodes.flatMap((node) => [node, ...flat(node.parts)]);

/** Whether it is a table with keys of its own. */
export const hasKeys = (key: Key): boolean => Boolean(key.keys?.length || key.variants?.length);

/** Whether it may be written as anything but a table. */
export const mayBeValue = (key: Key): boolean => key.takes.split(", or ").some((form) => form !== "a table" && form !== "a table for each name");

export const bare = (word: string): string => (/^".*"$/.test(word) ? word.slice(1, -1) : word);

/** The words that may be written for it: a table's sort is a word of its own where a word will do. */
export function wordsOf(key: Key): Word[] {
  const sorts = key.takes.includes("a word") ? (key.variants ?? []) : [];
  return [...(key.words ?? []), ...sorts.map(({ word, about }) => ({ word: JSON.stringify(word), about }))];
}

/** Whether nothing but one of its words will do. */
export const isChoice = (key: Key): boolean => key.takes === "a word" && !key.list && !key.named;

/** The sort of a table as it is written, where it is told by a key. */
export function sortOf(key: Key, says: Table): Variant | undefined {
  const sorts = (key.variants ?? []).filter((one) => one.by !== one.word);
  return sorts.find((one) => says[one.by] === one.word);
}

/** The keys that a table may have, as it is written. */
export function keysOf(key: Key, says: Table): Key[] {
  const own = key.keys ?? [];
  const sorts = key.variants ?? [];
  // A table that is told by a key of its own shows each of these.
  const told = sorts.filter((one) => one.by === one.word).flatMap((one) => one.keys);
  const all = [...own, ...told, ...(sortOf(key, says)?.keys ?? [])];
  return all.filter((one, i) => all.findIndex((other) => other.name === one.name) === i);
}

/** By which keys a table says its sort, each with its sorts. */
export function sortsOf(key: Key): [string, Variant[]][] {
  const sorts = (key.variants ?? []).filter((one) => one.by !== one.word);
  const by = [...new Set(sorts.map((one) => one.by))];
  return by.map((name) => [name, sorts.filter((one) => one.by === name)]);
}

/** What may be meant: parts of the catalogue by name, or parts of the scenario, where the key's words speak of such. */
export function suggestions(key: Key, keys: Keys, parts: Node[]): string[] {
  const words = wordsOf(key).map((one) => bare(one.word));
  if (!key.takes.includes("text")) return words;
  for (const [what, names] of Object.entries(keys.catalogue)) {
    if (new RegExp(`\\b${what} of the catalogue`).test(key.about)) return names;
  }
  const kinds = kindsOf(keys.scenario).map((one) => one.name);
  const about = key.about.toLowerCase();
  const speaks = [...kinds, "array"].some((kind) => new RegExp(`\\b${kind}s?\\b`).test(about));
  return speaks && /^(on|disks?|members?|hosts?|over|of|[a-z]+s?)$/.test(key.name) ? [...words, ...parts.map((part) => part.name)] : words;
}

/** What was typed, as TOML; nothing where the key is to go. */
export function asToml(key: Key, typed: string): string | null {
  const text = typed.trim();
  if (text === "") return null;
  const word = wordsOf(key).find((one) => bare(one.word) === text);
  if (word) return word.word;
  if (key.takes === "text") return JSON.stringify(text);
  if (/^([[{"']|true$|false$|[-+]?[\d_]+(\.\d+)?([eE][-+]?\d+)?$)/.test(text)) return text;
  return JSON.stringify(text);
}

/** The field of a key. */
export const idOf = (path: Path): string => `key:${path.join(".")}`;
