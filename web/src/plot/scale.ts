// Axes: from values to places on the screen and back, with ticks at round numbers.

import type { Quantity } from "../api";
import { plain, unitFor } from "../format";

export interface Scale {
  at: (value: number) => number;
  of: (place: number) => number;
  ticks: { value: number; label: string }[];
  /** The unit of the labels, for the axis' title. */
  unit: string;
}

/** 1, 2 or 5 times a power of ten, so that there are about so many steps. */
function step(span: number, steps: number): number {
  const rough = span / Math.max(1, steps);
  const power = 10 ** Math.floor(Math.log10(rough));
  const times = rough / power;
  return (times < 1.5 ? 1 : times < 3.5 ? 2 : times < 7.5 ? 5 : 10) * power;
}

export function linear(range: [number, number], places: [number, number], quantity: Quantity, steps: number): Scale {
  const [from, to] = range;
  const [start, end] = places;
  const slope = (end - start) / (to - from);
  const unit = unitFor(quantity, Math.max(Math.abs(from), Math.abs(to)));
  const width = step((to - from) / unit.factor, steps);
  const ticks = [];
  for (let i = Math.ceil(from / unit.factor / width - 1e-9); i * width <= to / unit.factor + 1e-9 * width; i += 1) {
    ticks.push({ value: i * width * unit.factor, label: plain(Number((i * width).toPrecision(10))) });
  }
  return { at: (value) => start + (value - from) * slope, of: (place) => from + (place - start) / slope, ticks, unit: unit.name };
}

export function logarithmic(range: [number, number], places: [number, number], quantity: Quantity, steps: number): Scale {
  const [from, to] = range.map(Math.log) as [number, number];
  const [start, end] = places;
  const slope = (end - start) / (to - from);
  const unit = unitFor(quantity, range[1]);
  const ticks = [];
  const [low, high] = range.map((edge) => Math.log10(edge / unit.factor)) as [number, number];
  const every = Math.max(1, Math.ceil((high - low) / Math.max(1, steps)));
  const multiples = (high - low) * 3 <= steps ? [1, 2, 5] : [1];
  for (let power = Math.floor(low); power <= Math.ceil(high); power += 1) {
    if (power % every !== 0) continue;
    for (const multiple of multiples) {
      const value = multiple * 10 ** power * unit.factor;
      if (value >= range[0] * (1 - 1e-9) && value <= range[1] * (1 + 1e-9)) {
        ticks.push({ value, label: plain(Number((multiple * 10 ** power).toPrecision(6))) });
      }
    }
  }
  return {
    at: (value) => start + (Math.log(Math.max(value, Number.MIN_VALUE)) - from) * slope,
    of: (place) => Math.exp(from + (place - start) / slope),
    ticks,
    unit: unit.name,
  };
}
