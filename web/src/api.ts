// What the server answers; its side is crates/studio/src/api.

import type { Figure } from "./figure/model";

export type Quantity = "number" | "bytes" | "duration";
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
/** A distribution with plain numbers of the base unit: one key, its family. */
export type Draw = { [family: string]: Json };

export interface Axis {
  from: number;
  to: number;
  points: number;
  log: boolean;
}

export interface Start {
  version: string;
  specification: string | null;
  scenario: string | null;
  families: string[];
}

export interface Loaded {
  id: number;
  count: number;
  mean: number;
  deviation: number;
  min: number;
  median: number;
  p99: number;
  max: number;
  left_out: number;
  columns: { name: string; numbers: number }[];
  column: number | null;
  measures: string[];
  measure: string | null;
}

export interface DataView {
  edges: number[];
  density: number[];
  x: number[];
  cdf: number[];
  outside: [number, number];
}

export interface Shape {
  mean: number | null;
  deviation: number | null;
  skewness: number | null;
  kurtosis: number | null;
  median: number | null;
  p90: number | null;
  p99: number | null;
}

export interface Evaluated {
  x: number[];
  density: (number | null)[];
  cdf: number[];
  shape: Shape;
  range: [number | null, number | null];
  has_atoms: boolean;
  goodness: { kolmogorov_smirnov: number; area: number } | null;
  plain: Draw;
  toml: string;
}

export interface Place {
  path: string[];
  quantity: Quantity | "other";
  text: string;
}

/** A change of a specification's text. */
export type Change =
  | { kind: "set"; path: string[]; value: string | null }
  | { kind: "add"; path: string[]; text: string }
  | { kind: "append"; path: string[]; text: string }
  | { kind: "remove"; path: string[] }
  | { kind: "rename"; path: string[]; to: string };

export interface Complaint {
  location: string | null;
  message: string;
  help: string | null;
}

export interface SpecificationView {
  path: string;
  text: string;
  /** Its tables as they are written; nothing where it is no TOML. */
  written: Json;
  complaints: Complaint[];
  expected: { user: string; category: string; files: number; bytes: number }[];
  places: Place[];
}

/** What is wrong with a scenario, with its place in the text and its key. */
export interface ScenarioComplaint extends Complaint {
  line: number | null;
  column: number | null;
  /** Empty for the text as a whole; nothing where it is about another file. */
  key: string[] | null;
  /** Whether it keeps the scenario from running. */
  error: boolean;
}

export interface ScenarioView {
  path: string;
  text: string;
  /** Its tables as they are written; nothing where it is no TOML. */
  written: Json;
  /** The text of every value. */
  cells: { path: string[]; text: string }[];
  complaints: ScenarioComplaint[];
  /** What it is in a line, where it is in order. */
  line: string | null;
}

export interface CallUsage {
  call: string;
  calls: number;
  bytes_mean: number;
  bytes_deviation: number;
  response_us_mean: number;
  response_us_deviation: number;
}

export interface SessionUsage {
  files: number;
  bytes: number;
  file_size: number;
  accesses_per_byte: number;
}

export interface Ran {
  report: { title: string; [key: string]: Json };
  usage: {
    processes: number;
    sessions: SessionUsage[];
    accesses: CallUsage;
    response_us_per_byte: number;
    calls: CallUsage[];
  };
  figures: Figure[];
}

export interface Measured {
  users: number;
  access_bytes?: number;
  response_us_per_byte: number;
  accesses: CallUsage;
}

export interface FiguresMade {
  populations: { population: string; points: Measured[]; slope: number; r_squared: number }[];
  access_sizes: Measured[];
  figures: Figure[];
}

/** What a run has done so far, a number for each span of the model's time. */
export interface Moving {
  span_s: number;
  per_s: number[];
  bytes_per_s: number[];
  mean_ms: (number | null)[];
  max_ms: (number | null)[];
  completed: number;
  mean_ms_of_all: number | null;
}

/** A row of a report's stages, handed back as it came. */
export type StageFigures = { name: string; [figure: string]: Json };

export interface RanScenario {
  /** The number of its report's page. */
  page: number;
  title: string;
  system: string;
  simulated_s: number;
  stopped: boolean;
  moving: Moving;
  warnings: number;
  stages: StageFigures[];
}

export interface DrawnNode {
  kind: "page" | "place" | "transition";
  path: string;
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Spent {
  stage: string;
  share: number;
  utilisation: number | null;
  places: string[];
  pages: string[];
}

export interface DrawnNet {
  page: string | null;
  svg: string;
  width: number;
  height: number;
  nodes: DrawnNode[];
  pages: { path: string; parent: number | null; places: number; transitions: number }[];
  spent: Spent[];
}

/** How far a run is, or the runs of which figures are made. */
export type Far = { completed: number; model_s: number; trying?: number; moving?: Moving } | { what: string; run: number; runs: number };

/** A refusal in the server's own words. */
export class Refusal extends Error {
  constructor(
    message: string,
    readonly help: string | null = null,
  ) {
    super(message);
  }
}

async function asked<T>(path: string, init?: RequestInit): Promise<T> {
  let answer: Response;
  try {
    answer = await fetch(`api/${path}`, init);
  } catch {
    throw new Refusal("the studio doesn't answer", "start petrio studio again, and open the address that it prints");
  }
  if (answer.ok) return (await answer.json()) as T;
  const refusal = (await answer.json().catch(() => null)) as { error: string; help: string | null } | null;
  throw new Refusal(refusal?.error ?? `the studio answered ${answer.status}`, refusal?.help ?? null);
}

export const get = <T>(path: string): Promise<T> => asked<T>(path);

export const post = <T>(path: string, body: unknown): Promise<T> =>
  asked<T>(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });

/** What went wrong, in a sentence. */
export function sentence(error: unknown): string {
  if (error instanceof Refusal) return error.help ? `${error.message} (${error.help})` : error.message;
  return String(error);
}
