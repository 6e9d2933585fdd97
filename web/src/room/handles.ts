// The handles by which a stage is held: where each lies, and what moving it changes.
//
//   ●  mean     sideways the scale, up and down the weight
//   ◆  spread   sideways the shape, with the mean kept: it lies one standard deviation right of the mean
//   ▲  offset   sideways, on the axis

import type { Draw } from "../api";
import { hasShape, type Stage, stagesOf, withStage } from "../families";

export type Kind = "mean" | "spread" | "offset";

export interface Handle {
  key: string;
  stage: number;
  kind: Kind;
  x: number;
  label: string;
}

const SHAPE: [number, number] = [0.05, 1000];
const clamp = (value: number, [least, most]: [number, number]): number => Math.min(Math.max(value, least), most);

const meanOf = (stage: Stage): number => stage.offset + stage.shape * stage.scale;

export function handlesOf(draw: Draw): Handle[] {
  const found: Handle[] = [];
  stagesOf(draw).forEach((stage, i) => {
    const add = (kind: Kind, x: number, label: string): void => {
      found.push({ key: `${i} ${kind}`, stage: i, kind, x, label: `Stage ${i + 1}: ${label}` });
    };
    add("offset", stage.offset, "offset");
    add("mean", meanOf(stage), "scale (sideways) and weight (up and down)");
    if (hasShape(draw)) add("spread", meanOf(stage) + Math.sqrt(stage.shape) * stage.scale, "shape");
  });
  return found;
}

/**
 * Places at which no handle covers another one: those that come later are put into a lane above, as many as it takes, or, where there is no
 * room under the top, below.
 */
export function apart(places: [number, number][], room: number, top: number): [number, number][] {
  const taken: [number, number][] = [];
  for (const [x, own] of places) {
    const above = Math.max(0, Math.floor((own - top) / room));
    const lane = (i: number): number => (i <= above ? own - i * room : own + (i - above) * room);
    const covers = (y: number): boolean => taken.some(([a, b]) => Math.hypot(a - x, b - y) < 0.95 * room);
    let i = 0;
    while (covers(lane(i))) i += 1;
    taken.push([x, lane(i)]);
  }
  return taken;
}

/** How much a move of so many pixels upwards changes a weight. */
export const weightFactor = (up: number): number => Math.exp(up / 90);

/** The distribution after a handle has come to `x`, with its stage's weight `times` as large. */
export function moved(draw: Draw, handle: Handle, x: number, times: number): Draw {
  const stage = stagesOf(draw)[handle.stage];
  if (!stage) return draw;
  const least = 1e-9 * Math.max(Math.abs(x), stage.scale);
  switch (handle.kind) {
    case "offset":
      return withStage(draw, handle.stage, { offset: Math.max(0, x) });
    case "mean":
      return withStage(draw, handle.stage, {
        scale: Math.max((x - stage.offset) / stage.shape, least),
        weight: Math.max(stage.weight * times, 1e-6),
      });
    case "spread": {
      const above = meanOf(stage) - stage.offset;
      const deviation = Math.max(x - meanOf(stage), least);
      const shape = clamp((above / deviation) ** 2, SHAPE);
      return withStage(draw, handle.stage, { shape, scale: above / shape });
    }
  }
}
