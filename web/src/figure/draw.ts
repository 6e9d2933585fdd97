// What is drawn of each series, in the places of the screen, and where the pointer finds its values.

import { told } from "../format";
import type { Layout } from "./layout";
import { type Cells, colourOf, type Figure, type Range, type Series, type Value } from "./model";

export interface Rectangle {
  x: number;
  y: number;
  width: number;
  height: number;
  /** Of a heat map: the colour's strength in per cents, which colour, and what stands in it. */
  strength?: number;
  colour?: number;
  text?: string;
}

/** Where a value is found: within a rectangle, or near a point. */
export interface Target {
  index: number;
  x: number;
  y: number;
  /** Left, right, top and bottom; otherwise the point. */
  box?: [number, number, number, number];
  /** How far off it counts although the pointer is within: what lies in front is found first. */
  behind?: number;
}

export interface Drawn {
  series: number;
  colour: number;
  line: string;
  area: string;
  /** Ends and shafts of intervals. */
  whiskers: { path: string; tone: string }[];
  strokes: string;
  rectangles: Rectangle[];
  dots: { x: number; y: number; tone: string; arrow: number }[];
  targets: Target[];
}

/** Narrower cells have no number. */
const LEAST_WIDTH = 36;

const near = (place: number): string => String(Math.round(place * 10) / 10);

function path(points: ([number, number] | null)[]): string {
  let [text, pen] = ["", "M"];
  for (const point of points) {
    if (point) text += `${pen}${near(point[0])} ${near(point[1])}`;
    pen = point ? "L" : "M";
  }
  return text;
}

/** A brief number for a cell. */
function brief(value: number): string {
  const size = Math.abs(value);
  if (size >= 995) return `${(value / 1000).toFixed(size >= 9950 ? 0 : 1)}k`;
  return value.toFixed(size >= 9.95 ? 0 : 1);
}

/** How strong the colour of a value is, in per cents, and which it is: the strongest for the most, or for so much around nothing. */
function shaded({ shade }: Cells, value: number, [least, most]: Range): { strength: number; colour: number } {
  const around = typeof shade === "object" && "around" in shade ? shade.around : 0;
  const inRatios = most > least ? Math.log(Math.max(value, least) / least) / Math.log(most / least) : 1;
  const part = around ? Math.min(1, Math.abs(value) / around) : typeof shade === "object" && "up_to" in shade ? Math.min(1, value / (shade.up_to || 1)) : inRatios;
  return { strength: Math.round(6 + 84 * part), colour: around && value > 0 ? 1 : 0 };
}

/** The least and the most of a heat map's positive values. */
function extremes(series: Cells): Range {
  const positive = series.values.filter((value): value is number => value !== null && value > 0);
  return [Math.min(...positive), Math.max(...positive)];
}

/** What the colours of a heat map mean: some values from one end to the other, each with its colour and its words. */
export interface ScaleStep {
  strength: number;
  colour: number;
  words: string;
}

const STEPS = 5;

export function colourScale(figure: Figure): ScaleStep[] {
  const series = figure.series.find((one): one is Cells => one.kind === "cells");
  if (!series) return [];
  const { shade } = series;
  const [least, most] = extremes(series);
  const isAround = typeof shade === "object" && "around" in shade;
  const isUpTo = typeof shade === "object" && "up_to" in shade;
  if (!isAround && !isUpTo && !(most >= least)) return [];
  const at = (part: number): number => {
    if (isAround) return shade.around * (2 * part - 1);
    return isUpTo ? shade.up_to * part : least * (most / least) ** part;
  };
  const count = !isAround && !isUpTo && most === least ? 1 : STEPS;
  return Array.from({ length: count }, (_, step) => {
    const value = at(count === 1 ? 1 : step / (count - 1));
    return { ...shaded(series, value, [least, most]), words: told(series.quantity, value) };
  });
}

/** The pieces of one series. `bases` is how high parts already stand, or how far they reach. */
function drawn(series: Series, index: number, { x, y, box }: Layout, bases: number[]): Drawn {
  const [left, right, top, bottom] = box;
  const one: Drawn = { series: index, colour: colourOf(series, index), line: "", area: "", whiskers: [], strokes: "", rectangles: [], dots: [], targets: [] };
  const at = (i: number, across: Value | undefined, up: Value | undefined): [number, number] | null => {
    if (typeof across !== "number" || typeof up !== "number") return null;
    const place: [number, number] = [x.at(across), y.at(up)];
    one.targets.push({ index: i, x: place[0], y: place[1] });
    return place;
  };
  switch (series.kind) {
    case "line": {
      const points = series.x.map((value, i) => at(i, value, series.y[i]));
      one.line = path(points);
      if (series.dots) one.dots = points.flatMap((point) => (point ? [{ x: point[0], y: point[1], tone: "", arrow: 0 }] : []));
      break;
    }
    case "steps": {
      const corners: [number, number][] = [];
      let before = bottom;
      series.y.forEach((value, i) => {
        const place = y.at(value ?? 0);
        const from = x.at(series.x[i] ?? 0);
        // What lasts to the end of the figure: a distribution function has reached all.
        const to = i + 1 < series.x.length ? x.at(series.x[i + 1] ?? 0) : right;
        if (!series.filled) corners.push([from, before]);
        corners.push([from, place], [to, place]);
        before = place;
        const flat: Target = { index: i, x: series.filled ? (from + to) / 2 : from, y: place, box: [from, to, place, series.filled ? bottom : place] };
        one.targets.push(series.filled ? { ...flat, box: [from, to, top, bottom], behind: 8 } : flat);
      });
      one.line = path(corners);
      const [first, last] = [corners[0], corners.at(-1)];
      if (series.filled && first && last) one.area = `${one.line}L${near(last[0])} ${bottom}L${near(first[0])} ${bottom}Z`;
      break;
    }
    case "bars":
      series.y.forEach((value, i) => {
        const [from, to] = [x.at(series.x[i] ?? 0), x.at(series.x[i + 1] ?? 0)];
        const place = Math.max(top - 4, Math.min(y.at(value ?? 0), value ? bottom - 1 : bottom));
        one.rectangles.push({ x: from, y: place, width: Math.max(to - from - 1, 0.5), height: Math.max(0, bottom - place) });
        one.targets.push({ index: i, x: (from + to) / 2, y: place, box: [from, to, top, bottom], behind: 8 });
      });
      break;
    case "stack":
      series.values.forEach((part, name) => {
        const value = part ?? 0;
        const base = bases[name] ?? 0;
        bases[name] = base + value;
        if (value === 0) return;
        const lying = y.range[0] < 0 && !x.ticks.some(({ value: tick }) => tick === name && x.range[0] === -0.5);
        const thick = 0.84 * Math.abs(lying ? y.at(1) - y.at(0) : x.at(1) - x.at(0));
        const rectangle = lying
          ? { x: x.at(base), y: y.at(name) - thick / 2, width: Math.max(x.at(base + value) - x.at(base) - 1, 1), height: thick }
          : { x: x.at(name) - thick / 2, y: y.at(base + value), width: Math.max(thick, 0.5), height: Math.max(y.at(base) - y.at(base + value) - 1, 0.8) };
        one.rectangles.push(rectangle);
        const { x: begin, y: above, width, height } = rectangle;
        one.targets.push({ index: name, x: begin + width / 2, y: above + (lying ? height / 2 : 0), box: [begin, begin + width, above, above + height] });
      });
      break;
    case "strokes":
      series.x.forEach((value, i) => {
        const point = at(i, value, series.low[i]);
        if (!point) return;
        const long = point[1] - y.at((series.low[i] ?? 0) + (series.length[i] ?? 0));
        one.strokes += `M${near(point[0])} ${near(point[1])}v${near(-Math.max(1.2, long))}`;
      });
      break;
    case "intervals": {
      let shafts = "";
      const points: [number, number][] = [];
      series.x.forEach((value, i) => {
        const point = at(i, value, series.y[i]);
        if (!point) return;
        const [low, high] = [series.low[i], series.high[i]];
        if (typeof low === "number" && typeof high === "number") shafts += `M${near(point[0])} ${near(y.at(low))}V${near(y.at(high))}`;
        points.push(point);
        one.dots.push({ x: point[0], y: point[1], tone: "", arrow: 0 });
      });
      one.whiskers.push({ path: shafts, tone: "" });
      if (series.joined) one.line = path(points);
      break;
    }
    case "rows":
      series.values.forEach((value, row) => {
        if (value === null) return;
        const [place, tone] = [y.at(row), series.tones[row] ?? "same"];
        const [low, high] = [series.low[row], series.high[row]];
        if (typeof low === "number" && typeof high === "number") {
          const [from, to] = [x.at(low), x.at(high)].map((edge) => Math.min(Math.max(edge, left), right)) as Range;
          const ends = [x.at(low) >= left ? from : null, x.at(high) <= right ? to : null].filter((end) => end !== null);
          one.whiskers.push({ path: `M${near(from)} ${near(place)}H${near(to)}${ends.map((end) => `M${near(end)} ${near(place - 4)}v8`).join("")}`, tone });
        }
        // An arrow at the edge: further that way.
        const free = x.at(value);
        const arrow = free > right ? 1 : free < left ? -1 : 0;
        one.dots.push({ x: arrow > 0 ? right - 4 : arrow < 0 ? left + 4 : free, y: place, tone, arrow });
        const half = Math.abs(y.at(1) - y.at(0)) / 2;
        one.targets.push({ index: row, x: Math.min(Math.max(free, left), right), y: place, box: [left, right, place - half, place + half] });
      });
      break;
    case "cells": {
      const reach = extremes(series);
      const [wide, high] = [x.at(1) - x.at(0), Math.abs(y.at(1) - y.at(0))];
      series.values.forEach((value, i) => {
        if (value === null) return;
        const [middle, line] = [x.at(series.columns[i] ?? 0), y.at(series.rows[i] ?? 0)];
        const shade = series.shade;
        const around = typeof shade === "object" && "around" in shade ? shade.around : 0;
        const scaled = series.quantity === "share" ? value * 100 : value;
        // Where there is no room for a number, the colour has to do.
        const number = around ? `${scaled > 0 ? "+" : "−"}${Math.abs(scaled).toFixed(0)}`.replace(/^.0$/, "0") : brief(scaled);
        const text = wide < LEAST_WIDTH ? "" : number;
        const rectangle = { x: middle - wide / 2, y: line - high / 2, width: wide - 1, height: high - 1 };
        one.rectangles.push({ ...rectangle, ...shaded(series, value, reach), text });
        one.targets.push({ index: i, x: middle, y: line, box: [rectangle.x, rectangle.x + wide, rectangle.y, rectangle.y + high] });
      });
      break;
    }
  }
  return one;
}

/** The pieces of all series that aren't hidden. */
export function allDrawn(figure: Figure, hidden: ReadonlySet<number>, at: Layout): Drawn[] {
  const bases: number[] = [];
  return figure.series.flatMap((series, index) => (hidden.has(index) ? [] : [drawn(series, index, at, bases)]));
}

export interface Found {
  drawn: Drawn;
  target: Target;
}

/** The value nearest to a place, among those that are seen. */
export function nearest(all: Drawn[], [left, right]: Layout["box"], x: number, y: number): Found | null {
  let [best, least] = [null as Found | null, Infinity];
  for (const drawn of all) {
    for (const target of drawn.targets) {
      const [from, to, above, below] = target.box ?? [target.x, target.x, target.y, target.y];
      if (to < left - 1 || from > right + 1) continue;
      const far = Math.hypot(Math.max(from - x, x - to, 0), Math.max(above - y, y - below, 0)) + (target.behind ?? 0);
      if (far < least) [best, least] = [{ drawn, target }, far];
    }
  }
  return best;
}

/** What is told of a value: its series, where it lies, how much it is, and what else is known of it. */
export function words(figure: Figure, { drawn: { series: number }, target: { index } }: Found): { name: string; lines: [string, string][] } {
  const series = figure.series[number];
  if (!series) return { name: "", lines: [] };
  const { across, up } = figure;
  const [x, y] = [across.name || "value", up.name || "value"];
  const name = (axis: typeof across, at: number | undefined): string => (typeof axis.scale === "object" ? (axis.scale.names[at ?? 0] ?? "") : "");
  const lines: [string, string][] = [];
  const tell = (what: string, quantity: typeof across.quantity, value: Value | undefined): void => void lines.push([what, told(quantity, value)]);
  const interval = (quantity: typeof across.quantity, low: Value | undefined, high: Value | undefined): void => {
    if (typeof low === "number" && typeof high === "number") lines.push(["interval", `${told(quantity, low)} to ${told(quantity, high)}`]);
  };
  switch (series.kind) {
    case "line":
      tell(x, across.quantity, series.x[index]);
      tell(y, up.quantity, series.y[index]);
      break;
    case "steps":
    case "bars": {
      const [from, to] = [series.x[index], series.x[index + 1]];
      if (series.kind === "steps" && series.x.length === series.y.length) tell(x, across.quantity, from);
      else if (Number.isInteger((from ?? 0) + 0.5) && (to ?? 0) - (from ?? 0) === 1) tell(x, across.quantity, (from ?? 0) + 0.5);
      else lines.push([x, `${told(across.quantity, from)} to ${told(across.quantity, to)}`]);
      tell(y, up.quantity, series.y[index]);
      break;
    }
    case "stack": {
      const stands = typeof across.scale === "object";
      const [names, values] = stands ? [across, up] : [up, across];
      const where = name(names, index);
      if (where) lines.push([names.name, where]);
      tell(values.name, values.quantity, series.values[index]);
      break;
    }
    case "strokes":
      tell(x, across.quantity, series.x[index]);
      tell(y, up.quantity, series.low[index]);
      tell("length", up.quantity, series.length[index]);
      break;
    case "intervals":
      lines.push([x, name(across, series.x[index] ?? 0) || told(across.quantity, series.x[index])]);
      tell(y, up.quantity, series.y[index]);
      interval(up.quantity, series.low[index], series.high[index]);
      break;
    case "rows":
      lines.push([up.name, name(up, index)]);
      tell(x, across.quantity, series.values[index]);
      interval(across.quantity, series.low[index], series.high[index]);
      if (up.ends?.[index]) lines.push(["", up.ends[index]]);
      break;
    case "cells":
      lines.push([x, name(across, series.columns[index])], [y, name(up, series.rows[index])]);
      tell(series.name, series.quantity, series.values[index]);
      break;
  }
  for (const also of series.also ?? []) tell(also.name, also.quantity ?? "number", also.values[index]);
  return { name: figure.series.length > 1 || series.kind === "stack" ? series.name : "", lines };
}
