// Numbers for people: with the unit that suits them, and no more digits than say something.

import type { Quantity } from "./figure/model";

export interface Unit {
  name: string;
  factor: number;
  /** From which size on it is used, where that isn't one of it. */
  from?: number;
}

const BYTES = ["", "Ki", "Mi", "Gi", "Ti"].map((name, i) => ({ name: `${name}B`, factor: 1024 ** i }));

const UNITS: Record<Quantity, Unit[]> = {
  number: [{ name: "", factor: 1 }],
  bytes: BYTES,
  duration: [
    { name: "ns", factor: 1e-9 },
    { name: "µs", factor: 1e-6 },
    { name: "ms", factor: 1e-3 },
    { name: "s", factor: 1 },
    { name: "min", factor: 60, from: 600 },
    { name: "h", factor: 3600, from: 7200 },
  ],
  rate: BYTES.map(({ name, factor }) => ({ name: `${name}/s`, factor })),
  share: [{ name: "%", factor: 0.01 }],
  change: [{ name: "", factor: 1 }],
};

export const unitsOf = (quantity: Quantity): Unit[] => UNITS[quantity];

/** The unit in which a number of this size is a handy one. */
export function unitFor(quantity: Quantity, size: number): Unit {
  const units = UNITS[quantity];
  let best = units[0] ?? { name: "", factor: 1 };
  for (const unit of units) if (Math.abs(size) >= (unit.from ?? unit.factor) * (1 - 1e-9)) best = unit;
  if (size === 0 && quantity === "duration") best = { name: "s", factor: 1 };
  return best;
}

/** A number with four significant digits. */
export function plain(number: number | null | undefined): string {
  if (number === null || number === undefined) return "∞";
  if (number === 0) return "0";
  const size = Math.abs(number);
  if (size >= 1e7 || size < 1e-4) return number.toExponential(2).replace("e+", "e");
  return String(Number(number.toPrecision(4)));
}

/** A number as it is counted: whole ones in full, in groups. */
function counted(number: number): string {
  const is_whole = Number.isInteger(number) && Math.abs(number) < 1e15;
  if (is_whole || (Math.abs(number) >= 1000 && Math.abs(number) < 1e15)) return Math.round(number).toLocaleString("en-GB");
  return plain(number);
}

/** A ratio as what it is more or less than one. */
function change(ratio: number): string {
  const more = (ratio - 1) * 100;
  const digits = Math.abs(more) >= 10 ? 0 : Math.abs(more) >= 1 ? 1 : 2;
  return more === 0 ? "0" : `${more < 0 ? "−" : "+"}${Number(Math.abs(more).toFixed(digits))} %`;
}

/** A quantity with its unit. */
export function amount(quantity: Quantity, number: number | null | undefined): string {
  if (number === null || number === undefined) return "∞";
  if (quantity === "change") return change(number);
  const unit = unitFor(quantity, number);
  return unit.name ? `${plain(number / unit.factor)} ${unit.name}` : plain(number);
}

/** The same as a figure tells it: no number is a dash, and large ones are in groups. */
export function told(quantity: Quantity, number: number | null | undefined): string {
  if (number === null || number === undefined) return "–";
  return quantity === "number" ? counted(number) : amount(quantity, number);
}

/** As many digits as a hand can set; what is written into files has no tail of noise. */
export const rounded = (number: number): number => Number(number.toPrecision(6));
