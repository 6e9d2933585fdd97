// Numbers for people: with the unit that suits them, and no more digits than say something.

import type { Quantity } from "./api";

export interface Unit {
  name: string;
  factor: number;
}

const UNITS: Record<Quantity, Unit[]> = {
  number: [{ name: "", factor: 1 }],
  bytes: [
    { name: "B", factor: 1 },
    { name: "KiB", factor: 1024 },
    { name: "MiB", factor: 1024 ** 2 },
    { name: "GiB", factor: 1024 ** 3 },
    { name: "TiB", factor: 1024 ** 4 },
  ],
  duration: [
    { name: "ns", factor: 1e-9 },
    { name: "µs", factor: 1e-6 },
    { name: "ms", factor: 1e-3 },
    { name: "s", factor: 1 },
    { name: "min", factor: 60 },
    { name: "h", factor: 3600 },
  ],
};

export const unitsOf = (quantity: Quantity): Unit[] => UNITS[quantity];

/** The unit in which a number of this size is a handy one. */
export function unitFor(quantity: Quantity, size: number): Unit {
  const units = UNITS[quantity];
  let best = units[0] ?? { name: "", factor: 1 };
  for (const unit of units) if (Math.abs(size) >= unit.factor) best = unit;
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

/** A quantity with its unit. */
export function amount(quantity: Quantity, number: number | null | undefined): string {
  if (number === null || number === undefined) return "∞";
  const unit = unitFor(quantity, number);
  return unit.name ? `${plain(number / unit.factor)} ${unit.name}` : plain(number);
}

/** As many digits as a hand can set; what is written into files has no tail of noise. */
export const rounded = (number: number): number => Number(number.toPrecision(6));
