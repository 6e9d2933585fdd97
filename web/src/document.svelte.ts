// What is on the page: distributions, values, axes. Every change is a new document, so that undo is the one before.

import { type DataView, type Draw, type Evaluated, type Loaded, type Quantity, get, post, sentence, type Start } from "./api";
import { begun, USUAL } from "./families";

export interface Item {
  id: number;
  name: string;
  draw: Draw;
  shown: boolean;
  colour: number;
}

export interface Document {
  quantity: Quantity;
  items: Item[];
  selected: number;
  data: Loaded | null;
  source: string;
}

export interface Look {
  curve: "density" | "cdf";
  logX: boolean;
  logY: boolean;
  /** Set by hand; otherwise what the values and distributions need. */
  from: number | null;
  to: number | null;
}

/** Colours that lines can have (see studio.css). */
export const COLOURS = 6;
const POINTS = 401;
const BINS = 41;
const HISTORY_MAX = 200;

function first(quantity: Quantity): Document {
  const item: Item = { id: 1, name: "Gamma", draw: begun("gamma", USUAL[quantity]), shown: true, colour: 0 };
  return { quantity, items: [item], selected: 1, data: null, source: "" };
}

class Studio {
  document = $state.raw<Document>(first("bytes"));
  look = $state.raw<Look>({ curve: "density", logX: false, logY: false, from: null, to: null });
  evaluated = $state.raw<Record<number, Evaluated>>({});
  refused = $state.raw<Record<number, string>>({});
  /** What each of the evaluated was made of. */
  #drawn = $state.raw<Record<number, Draw>>({});
  view = $state.raw<DataView | null>(null);
  start = $state.raw<Start | null>(null);
  notice = $state("");
  past = $state.raw<Document[]>([]);
  future = $state.raw<Document[]>([]);
  dragging = $state(false);
  selectedHandle = $state("");
  #merge = "";
  #held: [number, number] | null = null;

  selected = $derived(this.document.items.find((item) => item.id === this.document.selected) ?? null);

  async begin(): Promise<void> {
    await this.attempt(async () => {
      this.start = await get<Start>("start");
    });
  }

  /** Does something that may be refused, and says so where it is. */
  async attempt(work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      this.notice = "";
      return true;
    } catch (error) {
      this.notice = sentence(error);
      return false;
    }
  }

  /** Changes the document. Changes of one name that follow each other are one step of undo. */
  change(next: Partial<Document>, name = ""): void {
    if (name === "" || name !== this.#merge) {
      this.past = [...this.past.slice(-HISTORY_MAX), this.document];
    }
    this.#merge = name;
    this.future = [];
    this.document = { ...this.document, ...next };
  }

  /** The next change is a step of its own, whatever its name. */
  settle(): void {
    this.#merge = "";
  }

  undo(): void {
    const before = this.past.at(-1);
    if (!before) return;
    this.future = [this.document, ...this.future];
    this.past = this.past.slice(0, -1);
    this.document = before;
    this.settle();
  }

  redo(): void {
    const [after, ...rest] = this.future;
    if (!after) return;
    this.past = [...this.past, this.document];
    this.future = rest;
    this.document = after;
    this.settle();
  }

  changeItem(id: number, change: Partial<Item>, name = ""): void {
    const items = this.document.items.map((item) => (item.id === id ? { ...item, ...change } : item));
    this.change({ items }, name && `${id} ${name}`);
  }

  add(name: string, draw: Draw): void {
    const ids = this.document.items.map((item) => item.id);
    const id = Math.max(0, ...ids) + 1;
    const used = new Set(this.document.items.map((item) => item.colour));
    let colour = 0;
    while (used.has(colour) && colour < COLOURS - 1) colour += 1;
    if (used.has(colour)) colour = id % COLOURS;
    this.change({ items: [...this.document.items, { id, name, draw, shown: true, colour }], selected: id });
  }

  remove(id: number): void {
    const at = this.document.items.findIndex((item) => item.id === id);
    const items = this.document.items.filter((item) => item.id !== id);
    const selected = items[Math.min(at, items.length - 1)]?.id ?? 0;
    this.change({ items, selected });
  }

  setQuantity(quantity: Quantity): void {
    this.look = { ...this.look, from: null, to: null };
    this.change(first(quantity));
  }

  /** Typical size of the numbers, for what begins. */
  typical = $derived(this.document.data?.mean || USUAL[this.document.quantity]);

  /** The range of the axis. While a handle is dragged it stays where it is. */
  range = $derived.by((): [number, number] => {
    const { look, document, evaluated } = this;
    if (this.dragging && this.#held) return this.#held;
    let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    if (document.data) {
      [from, to] = [document.data.min, Math.min(document.data.max, 1.15 * document.data.p99)];
    } else {
      for (const item of document.items) {
        const range = item.shown ? evaluated[item.id]?.range : undefined;
        if (range && range[0] !== null && range[1] !== null) {
          [from, to] = [Math.min(from, range[0]), Math.max(to, range[1])];
        }
      }
    }
    if (!(to > from)) {
      const middle = Number.isFinite(from) && from !== 0 ? from : this.typical;
      [from, to] = [middle < 0 ? 2 * middle : 0, middle < 0 ? 0 : 2 * middle];
    }
    // Axes of what can't be negative begin at zero.
    if (from > 0 && !look.logX) from = from < 0.3 * to ? 0 : from;
    if (look.logX) from = Math.max(from, to / 1e6, Number.MIN_VALUE);
    from = look.from ?? from;
    to = look.to ?? to;
    if (look.logX && from <= 0) from = to / 1e4;
    if (!(to > from)) to = from + 1;
    // The same range is the same object, so that nothing is asked for twice.
    if (this.#held?.[0] !== from || this.#held[1] !== to) this.#held = [from, to];
    return this.#held;
  });

  #asked = new Map<number, Draw>();
  #askedFor: unknown[] = [];

  /** Brings every curve up to date that isn't: one distribution's change asks for one curve, the axis' or the values' for all. */
  evaluateAll(items: Item[], data: Loaded | null, axis: unknown[]): void {
    const now = [data, ...axis];
    const all = now.some((one, i) => one !== this.#askedFor[i]);
    this.#askedFor = now;
    for (const item of items) {
      if (!all && this.#asked.get(item.id) === item.draw) continue;
      this.#asked.set(item.id, item.draw);
      void this.evaluate(item.id);
    }
  }

  #busy = new Set<number>();
  #again = new Set<number>();

  /** Brings one distribution's curve up to date; while an answer is under way, only the latest state is asked for next. */
  async evaluate(id: number): Promise<void> {
    if (this.#busy.has(id)) {
      this.#again.add(id);
      return;
    }
    const item = this.document.items.find((one) => one.id === id);
    if (!item) return;
    this.#busy.add(id);
    const [from, to] = this.range;
    try {
      const evaluated = await post<Evaluated>("evaluate", {
        quantity: this.document.quantity,
        draw: item.draw,
        axis: { from, to, points: POINTS, log: this.look.logX },
        data: this.document.data?.id ?? null,
      });
      this.evaluated = { ...this.evaluated, [id]: evaluated };
      this.#drawn = { ...this.#drawn, [id]: item.draw };
      const { [id]: _, ...rest } = this.refused;
      this.refused = rest;
    } catch (error) {
      this.refused = { ...this.refused, [id]: sentence(error) };
    }
    this.#busy.delete(id);
    if (this.#again.delete(id)) void this.evaluate(id);
  }

  /** A distribution's text as it is now; nothing while it is being made, or can't be. */
  textOf(item: Item): string {
    return this.#drawn[item.id] === item.draw ? (this.evaluated[item.id]?.toml ?? "") : "";
  }

  #shown: unknown[] = [];

  async showData(data: Loaded | null, axis: unknown[]): Promise<void> {
    const now = [data, ...axis];
    if (now.every((one, i) => one === this.#shown[i])) return;
    this.#shown = now;
    if (!data) {
      this.view = null;
      return;
    }
    const [from, to] = this.range;
    await this.attempt(async () => {
      const axis = { from, to, points: BINS, log: this.look.logX };
      const view = await post<DataView>("data/view", { id: data.id, axis });
      if (this.document.data?.id === data.id) this.view = view;
    });
  }
}

export const studio = new Studio();
