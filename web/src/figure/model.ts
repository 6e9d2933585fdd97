// What a figure shows, as data: the other side of crates/page/src/figure. Values are of base units; `null` is no number.

export type Quantity = "number" | "bytes" | "duration" | "rate" | "share" | "change";
export type Value = number | null;

export interface Axis {
  name: string;
  quantity: Quantity;
  scale: "linear" | "logarithmic" | { names: string[] };
  from?: number;
  to?: number;
  ends?: string[];
  headings?: number[];
}

export type Tone = "better" | "worse" | "same";

export type Marks =
  | { kind: "line"; x: Value[]; y: Value[]; dots?: boolean }
  | { kind: "steps"; x: Value[]; y: Value[]; filled?: boolean }
  | { kind: "bars"; x: Value[]; y: Value[] }
  | { kind: "stack"; values: Value[] }
  | { kind: "strokes"; x: Value[]; low: Value[]; length: Value[] }
  | { kind: "intervals"; x: Value[]; low: Value[]; y: Value[]; high: Value[]; joined?: boolean }
  | { kind: "rows"; low: Value[]; values: Value[]; high: Value[]; tones: Tone[] }
  | { kind: "cells"; columns: number[]; rows: number[]; values: Value[]; quantity: Quantity; shade: "ratios" | { around: number } | { up_to: number } };

export type Series = Marks & Named;

interface Named {
  name: string;
  colour?: number;
  dashed?: boolean;
  /** Drawn with a thicker line. */
  strong?: boolean;
  also?: { name: string; quantity: Quantity; values: Value[] }[];
}

/** A heat map. */
export type Cells = Extract<Marks, { kind: "cells" }> & Named;

export type Annotation = { at: "height"; value: number; words: string } | { at: "point"; x: number; y: number; words: string };

export interface Figure {
  title: string;
  alternative: string;
  across: Axis;
  up: Axis;
  series: Series[];
  annotations?: Annotation[];
  notes?: string[];
  key: boolean;
}

export type Range = [number, number];

export const namesOf = (axis: Axis): string[] | null => (typeof axis.scale === "object" ? axis.scale.names : null);

/** The colour of a series, by which its line is broken, too. */
export const COLOURS = 9;
export const colourOf = (series: Series, index: number): number => (series.colour ?? index) % COLOURS;

/** Many numbers by the lines of a grid, each as its distance from the one before. */
interface Grid {
  from: number;
  step: number;
  ratios?: boolean;
  by: number[];
}

function numbers({ from, step, ratios, by }: Grid): number[] {
  let line = 0;
  return by.map((lines) => {
    line += lines;
    return ratios ? from * Math.exp(line * step) : from + line * step;
  });
}

/** A figure as it is told, with all its numbers. */
export function read(told: unknown): Figure {
  const whole = (part: unknown): unknown => {
    if (Array.isArray(part)) return typeof part[0] === "object" ? part.map(whole) : part;
    if (typeof part !== "object" || part === null) return part;
    if ("by" in part) return numbers(part as Grid);
    return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, whole(value)]));
  };
  const figure = whole(told) as Figure;
  // What is usual isn't told.
  const axis = (one: Axis): Axis => ({ ...one, quantity: one.quantity ?? "number", scale: one.scale ?? "linear" });
  return { ...figure, key: figure.key ?? false, across: axis(figure.across), up: axis(figure.up) };
}
