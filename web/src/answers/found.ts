// What studies find; its other side is crates/studio/src/api/answers.

import { post, type ScenarioView } from "../api";
import type { Figure } from "../figure/model";

export interface Point {
  factor: number;
  metric: number;
  half_width: number | null;
  response_ms: number | null;
  rate: number;
  busiest: [string, number] | null;
  overloaded: boolean;
  replications: number;
}

export interface LoadFound {
  page: number;
  said: [string, string][];
  /** Each point's load in words, and the command that runs it. */
  loads: [string, string][];
  figures: Figure[];
  findings: { metric: string; limit?: number; closed: boolean; points: Point[]; highest?: { factor: number }; knee?: { factor: number } };
}

export interface Gain {
  times: number;
  interval: [number, number];
}

export interface Tried {
  change: { words: string; part: string; price?: string };
  rate: Gain;
  mean: Gain;
  p99: Gain;
}

export interface Part {
  cause: string;
  ms: number;
}

export interface One {
  issued_s: number;
  took_ms: number;
  parts: Part[];
}

export interface Stage {
  name: string;
  arrivals: number;
  utilisation: number | null;
  mean_service_ms: number | null;
  mean_wait_ms: number | null;
}

export interface ExplainFound {
  page: number;
  said: [string, string][];
  figures: Figure[];
  /** What makes each change, in the order of pairs, better, worse. */
  edits: { sets: [string[], string][]; command: string }[];
  findings: {
    by_rate: boolean;
    stages: Stage[];
    life: { usual: One; slow: One };
    pairs: Tried[];
    better: Tried[];
    worse: Tried[];
  };
}

export interface Case {
  case: number;
  values: string[];
  mean: number;
  half_width: number | null;
  busiest: [string, number] | null;
}

export interface SweepFound {
  study: number;
  page: number;
  measures: string[];
  /** What each key takes; nothing of one that is drawn from a range. */
  values: (string[] | null)[];
  said: string[];
  /** Each case's figure with its unit, in the order of the findings. */
  told: string[];
  findings: { measure: string; more_is_better: boolean; keys: string[]; done: number; of: number; cases: Case[] };
}

export interface CaseFound {
  page: number;
  case: number;
  settings: string[];
  command: string;
}

export interface Key {
  path: string;
  now: string;
  /** The other words that it may be. */
  words: string[];
}

export type Outcome = "first-better" | "second-better" | "too-small" | "no-difference" | "untold";

export interface Estimate {
  value: number;
  half_width: number | null;
}

export interface CompareFound {
  page: number;
  verdicts?: string[];
  rows?: { name: string; unit: string; values: string[]; against: ({ change: string; words: string; outcome: Outcome } | null)[] }[];
  findings?: { contenders: { letter: string; name: string }[]; notes: { text: string }[] };
  beside?: {
    contenders: { letter: string; name: string }[];
    rows: { name: string; kind: string; figure: string; unit: string; measured: Estimate; predicted: ({ workload: string; value: Estimate; ratio: Estimate } | null)[] }[];
    notes: { text: string }[];
  };
}

/** The keys of the scenario as it stands; none where it isn't in order. */
export const keysOf = (view: Pick<ScenarioView, "path" | "text">): Promise<Key[]> =>
  post<Key[]>("answers/keys", { path: view.path, text: view.text }).catch(() => []);
