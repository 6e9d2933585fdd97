// The specification that is edited: its text is the truth, every change goes through the server, and undo is the text before.

import { type Complaint, type Json, post, sentence, type SpecificationView } from "../api";

export type Table = { [key: string]: Json };

export const table = (json: Json | undefined): Table =>
  json !== null && typeof json === "object" && !Array.isArray(json) ? json : {};

class Specification {
  view = $state.raw<SpecificationView | null>(null);
  /** What it said when it last made sense: the tables stay while a mistake is being mended. */
  says = $state.raw<Table>({});
  /** The text as the file has it. */
  onDisk = $state.raw("");
  notice = $state("");
  past = $state.raw<string[]>([]);
  future = $state.raw<string[]>([]);

  categories = $derived(table(this.says["category"]));
  users = $derived(table(this.says["user"]));
  complaints = $derived<Complaint[]>(this.view?.complaints ?? []);
  texts = $derived(new Map((this.view?.places ?? []).map((place) => [place.path.join("."), place.text])));

  async attempt(work: () => Promise<string | void>): Promise<void> {
    try {
      this.notice = (await work()) ?? "";
    } catch (error) {
      this.notice = sentence(error);
    }
  }

  #take(view: SpecificationView): void {
    this.view = view;
    if (view.specification !== null) this.says = table(view.specification);
  }

  open(path: string): Promise<void> {
    return this.attempt(async () => {
      const view = await post<SpecificationView>("specification/open", { path });
      this.#take(view);
      this.onDisk = view.text;
      this.past = [];
      this.future = [];
    });
  }

  /** Sets a key to what was typed: TOML where it is TOML, a text otherwise. */
  set(path: string[], typed: string): Promise<void> {
    return this.attempt(async () => {
      if (!this.view) return;
      const before = this.view.text;
      const bare = /^([[{"']|true$|false$|[-+]?\d+(\.\d+)?$)/.test(typed.trim());
      const value = typed.trim() === "" ? null : bare ? typed.trim() : JSON.stringify(typed.trim());
      const changes = [{ path, value }];
      const view = await post<SpecificationView>("specification/edit", { path: this.view.path, text: before, changes });
      if (view.text === before) return;
      this.past = [...this.past, before];
      this.future = [];
      this.#take(view);
    });
  }

  async #show(text: string): Promise<void> {
    await this.attempt(async () => {
      this.#take(await post<SpecificationView>("specification/check", { path: this.view?.path, text }));
    });
  }

  async undo(): Promise<void> {
    const before = this.past.at(-1);
    if (before === undefined || !this.view) return;
    this.future = [this.view.text, ...this.future];
    this.past = this.past.slice(0, -1);
    await this.#show(before);
  }

  async redo(): Promise<void> {
    const [after, ...rest] = this.future;
    if (after === undefined || !this.view) return;
    this.past = [...this.past, this.view.text];
    this.future = rest;
    await this.#show(after);
  }

  save(): Promise<void> {
    return this.attempt(async () => {
      if (!this.view) return;
      await post("specification/save", { path: this.view.path, text: this.view.text, before: this.onDisk });
      this.onDisk = this.view.text;
      return `Saved: ${this.view.path}`;
    });
  }
}

export const specification = new Specification();
