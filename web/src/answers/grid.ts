// Cases as a grid of two of their keys: of all others, one value each.

import type { Case, SweepFound } from "./found";

export interface Cell {
  at: Case;
  told: string;
  /** From the least to the most of what is shown, 0 to 1. */
  part: number;
  isBest: boolean;
}

export interface Grid {
  columns: string[];
  rows: string[];
  /** By row and column; nothing where there is no such case. */
  cells: (Cell | null)[][];
}

/** Values of a key that a heat map has room for. */
const MOST = 40;

/** The values of each key, in their order. */
export function valuesOf({ values, findings }: SweepFound): string[][] {
  return findings.keys.map((_, key) => values[key] ?? [...new Set(findings.cases.map((one) => one.values[key] ?? ""))]);
}

/** Which keys a heat map can have across and up; none where cases were drawn. */
export function drawable(found: SweepFound): number[] {
  const values = valuesOf(found);
  return found.findings.keys.map((_, key) => key).filter((key) => found.values[key] != null && (values[key]?.length ?? 0) <= MOST);
}

/** The grid of the cases that have these values of the other keys. `up` may be no key: then there is one row. */
export function grid(found: SweepFound, across: number, up: number | null, fixed: (string | undefined)[]): Grid {
  const values = valuesOf(found);
  const columns = values[across] ?? [];
  const rows = up === null ? [""] : (values[up] ?? []);
  const { cases, more_is_better } = found.findings;
  const here = cases
    .map((at, i) => ({ at, told: found.told[i] ?? "" }))
    .filter(({ at }) => at.values.every((value, key) => key === across || key === up || fixed[key] === undefined || fixed[key] === value));
  const means = here.map(({ at }) => at.mean);
  const [least, most] = [Math.min(...means), Math.max(...means)];
  const best = more_is_better ? most : least;
  const cell = (row: string, column: string): Cell | null => {
    const one = here.find(({ at }) => at.values[across] === column && (up === null || at.values[up] === row));
    if (!one) return null;
    const part = most > least ? (one.at.mean - least) / (most - least) : 0.5;
    return { ...one, part, isBest: one.at.mean === best };
  };
  return { columns, rows, cells: rows.map((row) => columns.map((column) => cell(row, column))) };
}
