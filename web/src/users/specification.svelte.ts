// The specification that is edited: its text is the truth, every change goes through the server, and undo is the text before.

import { type Change, type Complaint, type Json, post, sentence, type SpecificationView } from "../api";

export type Table = { [key: string]: Json };

export const table = (json: Json | undefined): Table =>
  json !== null && typeof json === "object" && !Array.isArray(json) ? json : {};

/** What is TOML as it was typed: tables, lists, quoted texts, numbers. */
const BARE = /^([[{"']|true$|false$|[-+]?\d+(\.\d+)?$)/;

/** A name as a key of TOML. */
export const keyOf = (name: string): string => (/^[\w-]+$/.test(name) ? name : JSON.stringify(name));

class Specification {
  view = $state.raw<SpecificationView | null>(null);
  /** What it said when it last was TOML: the tables stay while a mistake in the text is being mended. */
  says = $state.raw<Table>({});
  /** The text as the file has it. */
  onDisk = $state.raw("");
  /** Path of the scenario in which its users work; empty for the studio's own. */
  scenario = $state("");
  notice = $state("");
  past = $state.raw<string[]>([]);
  future = $state.raw<string[]>([]);

  categories = $derived(table(this.says["category"]));
  users = $derived(table(this.says["user"]));
  populations = $derived(table(this.says["population"]));
  complaints = $derived<Complaint[]>(this.view?.complaints ?? []);
  #texts = $derived(new Map((this.view?.places ?? []).map((place) => [JSON.stringify(place.path), place.text])));

  /** What a cell shows: a text without its quotes, anything else as it is written. */
  shown(path: string[]): string {
    const value = path.reduce<Json | undefined>((json, key) => table(json)[key], this.says);
    if (value === undefined) return "";
    return typeof value === "string" ? value : (this.#texts.get(JSON.stringify(path)) ?? JSON.stringify(value));
  }

  #turn = Promise.resolve();

  /** Does something that may be refused, after what was begun before. */
  #attempt(work: () => Promise<string | void>): Promise<void> {
    this.#turn = this.#turn.then(async () => {
      try {
        this.notice = (await work()) ?? "";
      } catch (error) {
        this.notice = sentence(error);
      }
    });
    return this.#turn;
  }

  #take(view: SpecificationView): void {
    this.view = view;
    if (view.written !== null) this.says = table(view.written);
  }

  /** Takes what is new; what was before can be had again. */
  #step(view: SpecificationView): void {
    const before = this.view?.text;
    if (before === undefined || view.text === before) return;
    this.past = [...this.past, before];
    this.future = [];
    this.#take(view);
  }

  #checked(text: string): Promise<SpecificationView> {
    return post<SpecificationView>("specification/check", { path: this.view?.path, text });
  }

  open(path: string): Promise<void> {
    return this.#attempt(async () => {
      const view = await post<SpecificationView>("specification/open", { path });
      this.#take(view);
      this.onDisk = view.text;
      this.past = [];
      this.future = [];
    });
  }

  edit(...changes: Change[]): Promise<void> {
    return this.#attempt(async () => {
      if (!this.view) return;
      const { path, text } = this.view;
      this.#step(await post<SpecificationView>("specification/edit", { path, text, changes }));
    });
  }

  /** Sets a key to what was typed: TOML where it is TOML and may be, a text otherwise. */
  set(path: string[], typed: string, words = false): Promise<void> {
    const text = typed.trim();
    const value = text === "" ? null : BARE.test(text) && !words ? text : JSON.stringify(text);
    return this.edit({ kind: "set", path, value });
  }

  /** Takes a text that was edited as a whole. */
  write(text: string): Promise<void> {
    return this.#attempt(async () => this.#step(await this.#checked(text)));
  }

  undo(): Promise<void> {
    return this.#attempt(async () => {
      const before = this.past.at(-1);
      if (before === undefined || !this.view) return;
      const { text } = this.view;
      this.#take(await this.#checked(before));
      this.past = this.past.slice(0, -1);
      this.future = [text, ...this.future];
    });
  }

  redo(): Promise<void> {
    return this.#attempt(async () => {
      const [after, ...rest] = this.future;
      if (after === undefined || !this.view) return;
      const { text } = this.view;
      this.#take(await this.#checked(after));
      this.past = [...this.past, text];
      this.future = rest;
    });
  }

  save(): Promise<void> {
    return this.#attempt(async () => {
      if (!this.view) return;
      const { path, text } = this.view;
      await post("specification/save", { path, text, before: this.onDisk });
      this.onDisk = text;
      return `Saved: ${path}`;
    });
  }
}

export const specification = new Specification();
