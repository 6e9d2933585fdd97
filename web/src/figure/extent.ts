// From where to where the values of a figure go.

import type { Axis, Figure, Marks, Range, Series, Value } from "./model";
import { namesOf } from "./model";

const isNumber = (value: Value | undefined): value is number => typeof value === "number" && Number.isFinite(value);

/** Where the marks lie across; of parts beside each other, how far they reach. */
function across(marks: Marks): Value[] {
  if ("x" in marks) return marks.x;
  if (marks.kind === "rows") return [...marks.low, ...marks.values, ...marks.high];
  return [];
}

/** Which of the marks' values are within a range across. */
function heights(marks: Marks, [from, to]: Range): Value[] {
  if (!("x" in marks)) return [];
  const within = (i: number, next: number): boolean => (marks.x[next] ?? Infinity) >= from && (marks.x[i] ?? -Infinity) <= to;
  switch (marks.kind) {
    case "line": {
      // With the neighbours: the line goes on to them.
      const near = (i: number): boolean => (marks.x[i + 1] ?? Infinity) >= from && (marks.x[i - 1] ?? -Infinity) <= to;
      return marks.y.filter((_, i) => near(i));
    }
    case "steps":
    case "bars":
      return marks.y.filter((_, i) => within(i, i + 1));
    case "strokes":
      return marks.low.flatMap((low, i) => (within(i, i) ? [low, (low ?? 0) + (marks.length[i] ?? 0)] : []));
    case "intervals":
      return [...marks.low, ...marks.y, ...marks.high].filter((_, i) => within(i % marks.x.length, i % marks.x.length));
  }
}

/** The sums of parts at each name. */
export function sums(series: Series[]): number[] {
  const found: number[] = [];
  for (const one of series) {
    if (one.kind === "stack") one.values.forEach((value, at) => (found[at] = (found[at] ?? 0) + (value ?? 0)));
  }
  return found.map((sum) => sum ?? 0);
}

/** A range with some length, and above nothing where ratios count. */
function proper([from, to]: Range, isLogarithmic: boolean): Range {
  if (!isLogarithmic) return to > from ? [from, to] : [from, from + (Math.abs(from) || 1)];
  const [low, high] = [from > 0 ? from : to > 0 ? to / 1e3 : 1e-3, to > 0 ? to : 1];
  return high > low * 1.0001 ? [low, high] : [low / 2, low * 2];
}

function rangeOf(axis: Axis, values: Value[], margin: number): Range {
  const isLogarithmic = axis.scale === "logarithmic";
  let [least, most] = [Infinity, -Infinity];
  for (const value of values) {
    if (!isNumber(value) || (isLogarithmic && value <= 0)) continue;
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  if (least > most) [least, most] = isLogarithmic ? [1, 10] : [0, 1];
  if (isLogarithmic && margin > 0) [least, most] = [least / (1 + margin), most * (1 + margin)];
  return proper([axis.from ?? least, axis.to ?? (isLogarithmic ? most : most + margin * (most - (axis.from ?? least)))], isLogarithmic);
}

/** The whole of the axis across. */
export function wholeAcross(figure: Figure, shown: Series[]): Range {
  const { across: axis } = figure;
  if (namesOf(axis)) return [0, 1];
  if (shown.some(({ kind }) => kind === "stack")) return rangeOf({ ...axis, from: axis.from ?? 0 }, sums(shown), 0.02);
  const loose = shown.some((one) => one.kind === "intervals" || (one.kind === "line" && one.dots)) ? 0.03 : 0;
  const values = shown.flatMap(across);
  if (axis.quantity === "change") {
    // As far to either side, and a little more than the widest, so that its end is seen.
    const far = Math.min(10, Math.max(1.02, ...values.filter(isNumber).map((value) => (value > 0 ? Math.max(value, 1 / value) : 1))));
    return [far ** -1.06, far ** 1.06];
  }
  const range = rangeOf(axis, values, axis.scale === "logarithmic" ? 2 * loose : 0);
  if (axis.scale === "logarithmic" || !loose || axis.from !== undefined) return range;
  return [range[0] - loose * (range[1] - range[0]), range[1] + loose * (range[1] - range[0])];
}

/** The axis upwards, over what is seen. */
export function seenUp(figure: Figure, shown: Series[], range: Range): Range {
  const { up: axis } = figure;
  if (namesOf(axis)) return [0, 1];
  if (shown.some(({ kind }) => kind === "stack")) return rangeOf({ ...axis, from: axis.from ?? 0 }, sums(shown), 0.05);
  const whole: Range = namesOf(figure.across) ? [-1, Infinity] : range;
  const marks = (figure.annotations ?? []).map((one) => (one.at === "height" ? one.value : one.y));
  return rangeOf(axis, [...shown.flatMap((one) => heights(one, whole)), ...marks], axis.scale === "logarithmic" ? 0.12 : 0.05);
}
