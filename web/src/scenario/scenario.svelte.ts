// The scenario that all rooms share: its text is the truth, every change is a change of the text, and undo is the text before. What is typed
// is checked a moment later; what was read from it last stays while it is no TOML.

import { type Change, type Json, post, type ScenarioComplaint, type ScenarioView, sentence } from "../api";
import { table, type Table } from "../users/specification.svelte";

/** How long somebody who types hasn't typed, before it is checked. */
const QUIET_MS = 300;
const HISTORY_MAX = 200;

class Scenario {
  /** Where it is, or is to be. */
  path = $state("");
  /** As it stands, saved or not. */
  text = $state("");
  /** As the file has it. */
  onDisk = $state<string | null>(null);
  complaints = $state.raw<ScenarioComplaint[]>([]);
  /** Its tables when it last was TOML. */
  says = $state.raw<Table>({});
  /** Whether the text is TOML now. */
  isToml = $state(true);
  /** What it is in a line, where it is in order. */
  line = $state<string | null>(null);
  /** Whether what is known here is older than the text. */
  isStale = $state(false);
  notice = $state("");
  past = $state.raw<string[]>([]);
  future = $state.raw<string[]>([]);
  #cells = $state.raw(new Map<string, string>());

  isOpen = $derived(this.onDisk !== null);
  edited = $derived(this.onDisk !== null && this.text !== this.onDisk);
  /** Whether it can be run, as far as is known. */
  errors = $derived(this.complaints.filter((one) => one.error).length);

  #turn: Promise<void> = Promise.resolve();
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Whether the last step came of typing, to which the next letter belongs. */
  #typing = false;

  /** Does something that may be refused, after what was begun before; whether it was done. */
  async #attempt(work: () => Promise<string | void>): Promise<boolean> {
    let done = true;
    this.#turn = this.#turn.then(async () => {
      try {
        this.notice = (await work()) ?? "";
      } catch (error) {
        this.notice = sentence(error);
        done = false;
      }
    });
    await this.#turn;
    return done;
  }

  /** What is known of the text; of an older one, nothing is taken. */
  #take(view: ScenarioView): void {
    if (view.text !== this.text) return;
    this.complaints = view.complaints;
    this.line = view.line;
    this.isToml = view.written !== null;
    this.isStale = false;
    if (view.written === null) return;
    this.says = table(view.written);
    this.#cells = new Map(view.cells.map((cell) => [JSON.stringify(cell.path), cell.text]));
  }

  /** Another text; what was before can be had again. Letters that are typed one after the other are one step. */
  #step(text: string, typing = false): void {
    if (text === this.text) return;
    if (!(typing && this.#typing)) this.past = [...this.past.slice(-HISTORY_MAX), this.text];
    this.#typing = typing;
    this.future = [];
    this.text = text;
    this.isStale = true;
  }

  async #checked(): Promise<void> {
    clearTimeout(this.#timer);
    const { path, text } = this;
    this.#take(await post<ScenarioView>("scenario/check", { path, text }));
  }

  open(path: string): Promise<boolean> {
    return this.#attempt(async () => {
      const view = await post<ScenarioView>("scenario/open", { path });
      clearTimeout(this.#timer);
      [this.path, this.text, this.onDisk] = [view.path, view.text, view.text];
      [this.past, this.future, this.#typing] = [[], [], false];
      // Nothing of what was open before is left, where this is no TOML.
      [this.says, this.#cells] = [{}, new Map()];
      this.#take(view);
    });
  }

  /** Checks it, unless that was done since its last change. */
  check(): Promise<boolean> {
    return this.#attempt(async () => {
      if (this.isStale) await this.#checked();
    });
  }

  /** Takes the text as it is being typed. */
  type(text: string): void {
    this.#step(text, true);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.check(), QUIET_MS);
  }

  /** Whoever typed has gone elsewhere: what comes next is a step of its own. */
  settle(): void {
    this.#typing = false;
  }

  /** Takes another text as a whole, such as one with a change that was found. */
  write(text: string): Promise<boolean> {
    return this.#attempt(async () => {
      this.#step(text);
      await this.#checked();
    });
  }

  /** Changes the text at its places alone; whether that could be done. */
  edit(...changes: Change[]): Promise<boolean> {
    return this.#attempt(async () => {
      const { path, text } = this;
      const view = await post<ScenarioView>("scenario/edit", { path, text, changes });
      if (this.text !== text) return "the text has changed meanwhile; make the change again";
      this.#step(view.text);
      this.#take(view);
    });
  }

  /** The value of a key as it is written, if it is. */
  value(path: string[]): Json | undefined {
    return path.reduce<Json | undefined>((json, key) => (Array.isArray(json) ? json[Number(key)] : table(json)[key]), this.says);
  }

  /** What a field shows: a text without its quotes, anything else as it is written. */
  shown(path: string[]): string {
    const value = this.value(path);
    if (value === undefined) return "";
    return typeof value === "string" ? value : (this.#cells.get(JSON.stringify(path)) ?? "");
  }

  #back(to: "past" | "future"): Promise<boolean> {
    return this.#attempt(async () => {
      const text = to === "past" ? this.past.at(-1) : this.future[0];
      if (text === undefined) return;
      if (to === "past") [this.past, this.future] = [this.past.slice(0, -1), [this.text, ...this.future]];
      else [this.past, this.future] = [[...this.past, this.text], this.future.slice(1)];
      [this.text, this.isStale, this.#typing] = [text, true, false];
      await this.#checked();
    });
  }

  undo(): Promise<boolean> {
    return this.#back("past");
  }

  redo(): Promise<boolean> {
    return this.#back("future");
  }

  save(): Promise<boolean> {
    return this.#attempt(async () => {
      const { path, text } = this;
      await post("scenario/save", { path, text, before: this.onDisk });
      this.onDisk = text;
      return `Saved: ${path}`;
    });
  }
}

export const scenario = new Scenario();
