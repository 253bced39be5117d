// A learning curve as SVG.

import { makeSvg, short } from "/dom.js";

const COLOR = "#0072b2";

/** Round numbers that cover an interval in about `count` steps. */
function ticks(low, high, count) {
  const raw = (high - low) / Math.max(count, 1) || 1;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * [1, 2, 2.5, 5, 10].find((factor) => factor * power >= raw * 0.999);
  const first = Math.ceil(low / step - 1e-9);
  return Array.from({ length: Math.floor(high / step + 1e-9) - first + 1 }, (_, i) => +((first + i) * step).toPrecision(12));
}

const joined = (points) => points.map((point) => point.join()).join(" ");

/** Draws the points `[answers, reward]` into a box; `level` is a dashed line with a name. */
export function chart(box, points, title, { level = null, height = 190 } = {}) {
  if (!points.length) {
    box.textContent = "No results yet.";
    return;
  }
  const width = Math.max(box.clientWidth, 220);
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y).concat(level ? [level.value] : [])];
  const low = Math.min(0, ...ys);
  const top = Math.max(...ys);
  const high = low + 1.06 * (top - low || 1);
  const last = Math.max(1, ...xs);
  const [left, right, bottom] = [46, width - 12, height - 38];
  const px = (x) => left + x / last * (right - left);
  const py = (y) => bottom - (y - low) / (high - low) * (bottom - 10);
  const svg = makeSvg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", class: "chart" });
  const text = (x, y, anchor, words) => svg.append(makeSvg("text", { x, y, class: `tick ${anchor}` }, words));
  const rule = (y, kind) => svg.append(makeSvg("line", { x1: left, x2: right, y1: py(y), y2: py(y), class: kind }));
  svg.append(makeSvg("title", {}, title));
  for (const value of ticks(low, high, height / 55)) {
    rule(value, "grid");
    text(left - 6, py(value) + 4, "end", short(value));
  }
  for (const value of ticks(0, last, width / 90)) text(px(value), bottom + 16, "middle", short(value));
  text((left + right) / 2, height - 4, "middle", "answers");
  if (level) {
    rule(level.value, "level");
    text(right, py(level.value) - 5, "end", level.name);
  }
  svg.append(makeSvg("polyline", { points: joined(points.map(([x, y]) => [px(x), py(y)])), fill: "none", stroke: COLOR, "stroke-width": 2.2, "stroke-linejoin": "round" }));
  if (points.length < 40) points.forEach(([x, y]) => svg.append(makeSvg("circle", { cx: px(x), cy: py(y), r: 2.6, fill: COLOR })));
  box.replaceChildren(svg);
}

/** A small curve without axes. */
export function spark(points) {
  const [width, height] = [96, 26];
  const svg = makeSvg("svg", { width, height, class: "spark", "aria-hidden": "true" });
  if (points.length > 1) {
    const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
    const [x0, x1, y0, y1] = [Math.min(...xs), Math.max(...xs), Math.min(0, ...ys), Math.max(...ys, 1e-9)];
    const path = points.map(([x, y]) => [2 + (x - x0) / (x1 - x0 || 1) * (width - 4), height - 3 - (y - y0) / (y1 - y0 || 1) * (height - 6)]);
    svg.append(makeSvg("polyline", { points: joined(path), fill: "none", stroke: COLOR, "stroke-width": 1.8 }));
  }
  return svg;
}
