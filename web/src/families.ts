// The families of distributions: which parameters they have, what they begin with, and their stages as the handles see them.

import type { Draw, Json, Quantity } from "./api";
import { rounded } from "./format";

export interface Parameter {
  key: string;
  label: string;
  /** Whether it has the quantity's unit. */
  unit: boolean;
  /** Whether it must be more than zero, and is set by factors. */
  positive: boolean;
}

export interface Stage {
  weight: number;
  shape: number;
  scale: number;
  offset: number;
}

const parameter = (key: string, label: string, unit: boolean, positive = true): Parameter => ({
  key,
  label,
  unit,
  positive,
});

/** Families that are set by a few numbers. */
const SIMPLE: Record<string, Parameter[]> = {
  constant: [parameter("constant", "value", true, false)],
  uniform: [parameter("min", "smallest", true, false), parameter("max", "largest", true, false)],
  exponential: [parameter("mean", "mean", true), parameter("base", "base", true, false)],
  normal: [parameter("mean", "mean", true, false), parameter("standard_deviation", "standard deviation", true)],
  lognormal: [
    parameter("median", "median", true),
    parameter("spread", "spread", false),
    parameter("offset", "offset", true, false),
  ],
  weibull: [
    parameter("shape", "shape", false),
    parameter("scale", "scale", true),
    parameter("offset", "offset", true, false),
  ],
  pareto: [parameter("shape", "shape", false), parameter("minimum", "smallest", true)],
};

export const FAMILIES = [
  "gamma",
  "phase-type",
  ...Object.keys(SIMPLE).filter((name) => name !== "constant"),
  "constant",
  "density-table",
  "cumulative-table",
];

export const familyOf = (draw: Draw): string => Object.keys(draw)[0] ?? "";
export const parametersOf = (family: string): Parameter[] => SIMPLE[family] ?? [];
export const isStaged = (draw: Draw): boolean => ["gamma", "phase-type"].includes(familyOf(draw));
export const isTable = (draw: Draw): boolean => familyOf(draw).endsWith("-table");
export const hasShape = (draw: Draw): boolean => familyOf(draw) === "gamma";

const object = (json: Json | undefined): { [key: string]: Json } =>
  json !== null && typeof json === "object" && !Array.isArray(json) ? json : {};
const numeric = (json: Json | undefined, otherwise: number): number => (typeof json === "number" ? json : otherwise);

export const bodyOf = (draw: Draw): { [key: string]: Json } => object(draw[familyOf(draw)]);

export function valueOf(draw: Draw, key: string): number {
  if (key === "constant") return numeric(draw["constant"], 0);
  return numeric(bodyOf(draw)[key], 0);
}

export function withValue(draw: Draw, key: string, value: number): Draw {
  const family = familyOf(draw);
  if (key === "constant") return { constant: rounded(value) };
  return { [family]: { ...bodyOf(draw), [key]: rounded(value) } };
}

export function stagesOf(draw: Draw): Stage[] {
  const body = bodyOf(draw);
  const stages = Array.isArray(body["stages"]) ? body["stages"] : [body];
  return stages.map((json) => {
    const stage = object(json);
    return {
      weight: numeric(stage["weight"], 1),
      shape: numeric(stage["shape"], 1),
      scale: numeric(stage["scale"] ?? stage["mean"], 1),
      offset: numeric(stage["offset"], 0),
    };
  });
}

export function withStages(draw: Draw, stages: Stage[]): Draw {
  const family = familyOf(draw);
  const written = stages.map(({ weight, shape, scale, offset }): Json =>
    family === "gamma"
      ? { weight: rounded(weight), shape: rounded(shape), scale: rounded(scale), offset: rounded(offset) }
      : { weight: rounded(weight), mean: rounded(scale), offset: rounded(offset) },
  );
  return { [family]: { stages: written } };
}

export function withStage(draw: Draw, at: number, change: Partial<Stage>): Draw {
  return withStages(
    draw,
    stagesOf(draw).map((stage, i) => (i === at ? { ...stage, ...change } : stage)),
  );
}

export interface Table {
  x: number[];
  y: number[];
}

const valueKey = (draw: Draw): string => (familyOf(draw) === "density-table" ? "density" : "p");
const numbers = (json: Json | undefined): number[] =>
  Array.isArray(json) ? json.map((one) => numeric(one, Number.NaN)) : [];

export const tableOf = (draw: Draw): Table => ({ x: numbers(bodyOf(draw)["x"]), y: numbers(bodyOf(draw)[valueKey(draw)]) });

export function withTable(draw: Draw, table: Table): Draw {
  return { [familyOf(draw)]: { ...bodyOf(draw), x: table.x, [valueKey(draw)]: table.y } };
}

/** How large numbers of a quantity are where nothing else is known. */
export const USUAL: Record<Quantity, number> = { number: 5, bytes: 8192, duration: 0.005 };

/** A distribution of a family with about this mean. */
export function begun(family: string, mean: number): Draw {
  const m = rounded(mean);
  const part = (share: number): number => rounded(mean * share);
  switch (family) {
    case "phase-type":
      return { "phase-type": { stages: [{ weight: 1, mean: m, offset: 0 }] } };
    case "uniform":
      return { uniform: { min: 0, max: part(2) } };
    case "exponential":
      return { exponential: { base: 0, mean: m } };
    case "normal":
      return { normal: { mean: m, standard_deviation: part(0.25) } };
    case "lognormal":
      return { lognormal: { median: part(0.75), spread: 0.75, offset: 0 } };
    case "weibull":
      return { weibull: { shape: 1.5, scale: part(1.1), offset: 0 } };
    case "pareto":
      return { pareto: { shape: 2.5, minimum: part(0.6) } };
    case "constant":
      return { constant: m };
    case "density-table":
      return { "density-table": { x: [0, part(0.5), m, part(1.5), part(2)], density: [0, 0.8, 1, 0.4, 0] } };
    case "cumulative-table":
      return { "cumulative-table": { x: [0, part(0.5), m, part(2)], p: [0, 0.3, 0.7, 1], interpolation: "linear" } };
    default:
      return { gamma: { stages: [{ weight: 1, shape: 2, scale: part(0.5), offset: 0 }] } };
  }
}
