// Axes: from values to places on the screen and back, with ticks at round numbers.

import { plain, told, unitFor } from "../format";
import type { Axis, Quantity, Range } from "./model";
import { namesOf } from "./model";

export interface Tick {
  value: number;
  /** Empty where there is a line but no room for a number. */
  label: string;
}

export interface Scale {
  at: (value: number) => number;
  of: (place: number) => number;
  ticks: Tick[];
  /** The unit of the labels, for the axis' title; empty where each has its own. */
  unit: string;
  range: Range;
}

/** Where a place is cut off: far outside, but still a number that can be drawn. */
const OUTSIDE = 1e5;
const held = (place: number): number => Math.min(Math.max(place, -OUTSIDE), OUTSIDE);

/** 1, 2 or 5 times a power of ten, so that there are about so many steps. */
function step(span: number, steps: number): number {
  const rough = span / Math.max(1, steps);
  const power = 10 ** Math.floor(Math.log10(rough));
  const times = rough / power;
  return (times < 1.5 ? 1 : times < 3.5 ? 2 : times < 7.5 ? 5 : 10) * power;
}

/** The same where numbers double. */
function doubling(span: number, steps: number): number {
  return 2 ** Math.ceil(Math.log2(span / Math.max(1, steps)) - 0.3);
}

/** Numbers in groups, so that long ones can be read. */
const label = (number: number): string =>
  Math.abs(number) >= 10_000 && Math.abs(number) < 1e7 ? Math.round(number).toLocaleString("en-GB") : plain(number);

export function linear(range: Range, places: Range, quantity: Quantity, steps: number): Scale {
  const [from, to] = range;
  const [start, end] = places;
  const slope = (end - start) / (to - from || 1);
  const most = Math.max(Math.abs(from), Math.abs(to));
  const unit = unitFor(quantity, most);
  const span = (to - from) / unit.factor;
  // In minutes and in bytes no person counts in tens.
  const width = quantity === "bytes" && span > 64 ? doubling(span, steps) : step(span, steps);
  const ticks = [];
  for (let i = Math.ceil(from / unit.factor / width - 1e-9); i * width <= to / unit.factor + 1e-9 * width; i += 1) {
    ticks.push({ value: i * width * unit.factor, label: label(Number((i * width).toPrecision(10))) });
  }
  return { at: (value) => held(start + (value - from) * slope), of: (place) => from + (place - start) / slope, ticks, unit: unit.name, range };
}

/** 1 to 9 times each power of ten; over many powers only these, over few 2 and 5 are numbered, too. */
function decades([from, to]: Range, unit: number): Tick[] {
  const found: Tick[] = [];
  const [low, high] = [Math.floor(Math.log10(from / unit) + 1e-9), Math.ceil(Math.log10(to / unit) - 1e-9)];
  const multiples = high - low > 8 ? [1] : [1, 2, 3, 4, 5, 6, 7, 8, 9];
  for (let power = low; power <= high; power += 1) {
    for (const multiple of multiples) {
      const value = Number(`${multiple}e${power}`) * unit;
      if (value >= from * (1 - 1e-9) && value <= to * (1 + 1e-9)) found.push({ value, label: "" });
    }
  }
  return found;
}

function doublings([from, to]: Range): Tick[] {
  const found: Tick[] = [];
  for (let power = Math.ceil(Math.log2(from) - 1e-9); power <= Math.log2(to) + 1e-9; power += 1) found.push({ value: 2 ** power, label: "" });
  return found;
}

/** Changes in per cents, as far to either side of none. */
const CHANGES = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 4, 9, 19, 49, 99];

function changes([from, to]: Range, at: Scale["at"], room: (text: string) => number): Tick[] {
  const around = from < 1 && to > 1 ? Math.max(Math.min(to, 1 / from), 1.01) : Math.max(to, 1 / from);
  const far = CHANGES.filter((one) => 1 + one <= around);
  // The widest, and as many nearer ones as have room.
  const kept: number[] = [];
  let before = Infinity;
  for (const change of far.reverse()) {
    const [place, half] = [at(1 + change), room(told("change", 1 / (1 + change))) / 2];
    if (place + half > before || place - half < at(1) + half) continue;
    kept.push(1 + change, 1 / (1 + change));
    before = place - half;
  }
  const found = [1, ...kept].filter((value) => value >= from && value <= to).sort((a, b) => a - b);
  return found.map((value) => ({ value, label: told("change", value) }));
}

/** Numbers at as many ticks as have room: at every power, every other, every third …, and over few powers of ten at 2 and 5, too. */
function numbered(ticks: Tick[], at: Scale["at"], quantity: Quantity, base: 2 | 10, unit: number, room: (text: string) => number): Tick[] {
  const most = ticks.at(-1)?.value ?? 1;
  const power = (value: number): number => Math.log(value / unit) / Math.log(base);
  const isWhole = (number: number): boolean => Math.abs(number - Math.round(number)) < 1e-6;
  const everyNth = (n: number) => (value: number): boolean => isWhole(power(value) / n);
  const all = [1, 2, 3, 4, 5, 10, 20].map(everyNth);
  if (base === 10 && most / (ticks[0]?.value ?? 1) < 300) {
    all.unshift((value) => [1, 2, 5].some((digit) => isWhole(power(value / digit))));
  }
  for (const chosen of all) {
    const labels = ticks.map(({ value }) => ({ value, label: chosen(value) ? told(quantity, value) : "" }));
    let end = -Infinity;
    const places = labels.filter(({ label }) => label).map(({ value, label }) => [at(value), room(label) / 2] as const);
    const overlap = places.sort((a, b) => a[0] - b[0]).some(([place, half]) => {
      const touches = place - half < end;
      end = place + half;
      return touches;
    });
    if (!overlap && places.length > 0) return labels;
  }
  return ticks;
}

/** In equal ratios. `room` is how long a label is along the axis, with the gap to the next. */
export function logarithmic(range: Range, places: Range, quantity: Quantity, room: (text: string) => number): Scale {
  const [from, to] = range.map(Math.log) as Range;
  const [start, end] = places;
  const slope = (end - start) / (to - from || 1);
  const at = (value: number): number => held(start + (Math.log(Math.max(value, Number.MIN_VALUE)) - from) * slope);
  const of = (place: number): number => Math.exp(from + (place - start) / slope);
  const scale = (ticks: Tick[]): Scale => ({ at, of, ticks, unit: "", range });
  if (quantity === "change") return scale(changes(range, at, room));
  const binary = (quantity === "bytes" || quantity === "rate") && range[1] / range[0] >= 4;
  // Round numbers are those of the unit in which they are read.
  const unit = quantity === "duration" ? 1 : unitFor(quantity, range[1]).factor;
  const ticks = binary ? doublings(range) : decades(range, unit);
  const labelled = numbered(ticks, at, quantity, binary ? 2 : 10, binary ? 1 : unit, room);
  if (labelled.filter(({ label }) => label).length > 1) return scale(labelled);
  // So narrow a range has no power in it.
  const narrow = linear(range, places, quantity, 5).ticks.map(({ value }) => ({ value, label: told(quantity, value) }));
  return scale(narrow);
}

/** A place for each name. */
export function named(axis: Axis, places: Range, room: (text: string) => number): Scale {
  const names = namesOf(axis) ?? [];
  const [start, end] = places;
  const width = (end - start) / Math.max(1, names.length);
  const at = (value: number): number => start + (value + 0.5) * width;
  const longest = Math.max(1, ...names.map(room));
  const every = Math.max(1, Math.ceil(longest / Math.abs(width) - 1e-9));
  const ticks = names.map((label, value) => ({ value, label: value % every === 0 ? label : "" }));
  return { at, of: (place) => (place - start) / width - 0.5, ticks, unit: "", range: [-0.5, names.length - 0.5] };
}
