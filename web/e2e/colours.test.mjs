// The colours of series, as people see them who lack one sort of cones: still told apart from each other, and from the paper.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

/** Of sRGB in linear light, after Viénot, Brettel and Mollon (1999) and Machado, Oliveira and Fernandes (2009), at full severity. */
const SEEN = {
  "all cones": [1, 0, 0, 0, 1, 0, 0, 0, 1],
  "no red cones": [0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998],
  "no green cones": [0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.01182, 0.04294, 0.968881],
  "no blue cones": [1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.3039],
};
/** Differences in OKLab, of which 0.02 is just seen side by side. */
const APART = 0.075;
/** Contrast to the paper that WCAG 2 asks of what has to be seen. */
const CONTRAST = 3;

const light = (hex) => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
const times = (m, [r, g, b]) => [0, 3, 6].map((row) => Math.min(1, Math.max(0, m[row] * r + m[row + 1] * g + m[row + 2] * b)));
const luminance = ([r, g, b]) => 0.2126 * r + 0.7152 * g + 0.0722 * b;

function lab([r, g, b]) {
  const [l, m, s] = [
    0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b,
    0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b,
    0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b,
  ].map(Math.cbrt);
  return [0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s, 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s, 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s];
}

const css = readFileSync("src/figure/colours.css", "utf8");
const series = [0, 1, 2, 3, 4, 5].map((n) => css.match(new RegExp(`--c${n}: light-dark\\((#\\w+), (#\\w+)\\)`)).slice(1));

for (const [theme, paper] of [
  ["light", "#f6f7f9"],
  ["dark", "#1c222c"],
]) {
  const colours = series.map((pair) => light(pair[theme === "light" ? 0 : 1]));
  for (const [eyes, matrix] of Object.entries(SEEN)) {
    test(`six series are told apart, ${theme}, with ${eyes}`, () => {
      const seen = colours.map((colour) => lab(times(matrix, colour)));
      seen.forEach((a, i) => {
        seen.slice(i + 1).forEach((b, k) => {
          const far = Math.hypot(...a.map((part, n) => part - b[n]));
          assert.ok(far >= APART, `c${i} and c${i + 1 + k}: ${far.toFixed(3)}`);
        });
      });
    });
  }
  test(`each stands out from the paper, ${theme}`, () => {
    for (const [i, colour] of colours.entries()) {
      const [more, less] = [luminance(colour), luminance(light(paper))].sort((a, b) => b - a);
      const contrast = (more + 0.05) / (less + 0.05);
      assert.ok(contrast >= CONTRAST, `c${i}: ${contrast.toFixed(2)}`);
    }
  });
}
