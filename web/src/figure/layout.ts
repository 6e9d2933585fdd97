// Where everything lies: the box of what is plotted, its scales, and the key below.

import { seenUp, wholeAcross } from "./extent";
import { colourScale, type ScaleStep } from "./draw";
import { colourOf, type Axis, type Figure, namesOf, type Range, type Series } from "./model";
import { linear, logarithmic, named, type Scale } from "./scale";

export interface KeyEntry {
  name: string;
  colour: number;
  index: number;
  x: number;
  y: number;
  width: number;
}

export interface Layout {
  x: Scale;
  y: Scale;
  /** Left, right, top and bottom of what is plotted. */
  box: [number, number, number, number];
  height: number;
  /** The size of the text, by which places go. */
  em: number;
  across: string;
  up: string;
  entries: KeyEntry[];
  /** What the colours of a heat map mean, below all else. */
  colours: { name: string; x: number; y: number; steps: (ScaleStep & { x: number; width: number })[] } | null;
}

let ruler: CanvasRenderingContext2D | null | undefined;

/** How wide a text is, in the page's font. */
export function widthOf(text: string, em: number): number {
  ruler ??= document.createElement("canvas").getContext("2d");
  if (!ruler) return text.length * em * 0.58;
  ruler.font = `${em}px ${getComputedStyle(document.body).fontFamily}`;
  return ruler.measureText(text).width;
}

/** As much of a text as has room. */
export function fitting(text: string, em: number, room: number): string {
  if (widthOf(text, em) <= room) return text;
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (widthOf(`${text.slice(0, middle)}…`, em) <= room) low = middle;
    else high = middle - 1;
  }
  return `${text.slice(0, low)}…`;
}

const titled = (axis: Axis, unit: string): string => (unit && unit !== "%" ? `${axis.name}, ${unit}` : unit ? `% ${axis.name}` : axis.name);

/** The lines of a key: entries one after the other, as many as a line holds. */
function keyed(figure: Figure, width: number, em: number): { entries: KeyEntry[]; lines: number } {
  const entries: KeyEntry[] = [];
  if (!figure.key) return { entries, lines: 0 };
  const [left, line] = [4, 1.7 * em];
  let [x, y] = [left, 0];
  figure.series.forEach((series, index) => {
    const long = Math.min(widthOf(series.name, em) + 3.4 * em, width - left);
    if (x > left && x + long > width) [x, y] = [left, y + line];
    entries.push({ name: fitting(series.name, em, long - 3.2 * em), colour: colourOf(series, index), index, x, y, width: long });
    x += long + 1.2 * em;
  });
  return { entries, lines: y / line + 1 };
}

/** The widest that a step of a colour scale is, in sizes of the text. */
const WIDEST_STEP = 7;

/** What the colours of a heat map mean, in one line: its name, and beside it steps with their words below. */
function coloursOf(figure: Figure, [from, to]: Range, y: number, em: number): Layout["colours"] {
  const steps = colourScale(figure);
  if (!steps.length) return null;
  const name = fitting(figure.series.find(({ kind }) => kind === "cells")?.name ?? "", em, (to - from) / 3);
  const x = from + (name ? widthOf(name, em) + em : 0);
  const width = Math.min((to - x) / steps.length, WIDEST_STEP * em);
  return { name, x: from, y, steps: steps.map((step, i) => ({ ...step, words: fitting(step.words, em, width), x: x + i * width, width })) };
}

/** How high a figure is, where nobody says: names have a line each. */
function rows(figure: Figure, em: number): number {
  const names = namesOf(figure.up);
  if (!names) return 16.5 * em;
  const isMap = figure.series.some(({ kind }) => kind === "cells");
  return names.length * (isMap ? 1.75 : 2) * em;
}

/** As many steps as there are whole numbers, where only these are counted: there is no half a user. */
function wholeSteps({ across }: Figure, shown: Series[], range: Range): number {
  const isWhole = shown.every((one) => one.kind === "line" && one.dots && one.x.every(Number.isInteger));
  return across.quantity === "number" && isWhole ? Math.max(1, range[1] - range[0]) : Infinity;
}

export function layout(figure: Figure, shown: Series[], zoom: Range | null, width: number, em: number, whole: number | null): Layout {
  const { entries, lines } = keyed(figure, width, em);
  const [acrossNames, upNames] = [namesOf(figure.across), namesOf(figure.up)];
  const room = (text: string): number => widthOf(text, em) + 0.8 * em;
  const isBare = upNames !== null && figure.across.name === "";
  const top = figure.up.name || !upNames ? 2 * em : 0.4 * em;
  const below = (isBare ? 0.4 : 3.4) * em;
  const isMap = figure.series.some(({ kind }) => kind === "cells");
  const key = (lines ? (lines * 1.7 + 0.6) * em : 0) + (isMap ? 2.8 * em : 0);
  const bottom = whole === null ? top + rows(figure, em) : Math.max(top + 4 * em, whole - below - key);
  const height = whole ?? bottom + below + key;

  const range = zoom ?? wholeAcross(figure, shown);
  const y = upNames
    ? named(figure.up, [top, bottom], () => 0)
    : ((places: Range): Scale =>
        figure.up.scale === "logarithmic"
          ? logarithmic(seenUp(figure, shown, range), places, figure.up.quantity, () => 1.5 * em)
          : linear(seenUp(figure, shown, range), places, figure.up.quantity, (bottom - top) / (3 * em)))([bottom, top]);
  const labels = upNames ?? y.ticks.map(({ label }) => label);
  const left = Math.min(Math.max(...labels.map((label) => widthOf(label, em)), 1.5 * em) + 1 * em, 0.4 * width);
  const ends = figure.up.ends?.length ? Math.min(Math.max(...figure.up.ends.map((end) => widthOf(end, em))) + em, 0.4 * width) : 0;
  const places: Range = [left, width - Math.max(ends, 2.2 * em)];
  const x = acrossNames
    ? named(figure.across, places, room)
    : figure.across.scale === "logarithmic"
      ? logarithmic(range, places, figure.across.quantity, room)
      : linear(range, places, figure.across.quantity, Math.min((places[1] - places[0]) / (6 * em), wholeSteps(figure, shown, range)));
  return {
    x,
    y,
    box: [places[0], places[1], top, bottom],
    height,
    em,
    across: titled(figure.across, x.unit),
    up: titled(figure.up, y.unit),
    colours: coloursOf(figure, [4, width - 4], height - 2 * em, em),
    entries: entries.map((entry) => ({ ...entry, y: bottom + below + entry.y + 1.2 * em })),
  };
}
