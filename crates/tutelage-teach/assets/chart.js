// Line charts as SVG, with bands, and the same numbers as a table for whoever cannot see them.

const SVG = "http://www.w3.org/2000/svg";

export const PALETTE = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a7a00", "#56b4e9", "#7a5195", "#666666"];
const DASHES = ["", "7 4", "2 4", "9 4 2 4"];

function element(name, attributes = {}, text) {
  const made = document.createElementNS(SVG, name);
  Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, value));
  if (text !== undefined) made.textContent = text;
  return made;
}

/** Round numbers that cover an interval in about `count` steps. */
export function ticks(low, high, count) {
  const raw = (high - low) / Math.max(count, 1) || 1;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * [1, 2, 2.5, 5, 10].find((factor) => factor * power >= raw * 0.999);
  const made = [];
  for (let value = Math.ceil(low / step - 1e-9) * step; value <= high + step * 1e-9; value += step) made.push(+value.toPrecision(12));
  return made;
}

export const short = (value) => {
  const size = Math.abs(value);
  if (!Number.isFinite(value)) return "–";
  return size >= 1000 ? Math.round(value).toLocaleString("en") : size >= 100 ? value.toFixed(0) : size >= 10 ? value.toFixed(1).replace(/\.0$/, "") : value.toFixed(2).replace(/\.?0+$/, "") || "0";
};

/**
 * Draws curves into a box. A series has a name and points `[x, y]` or `[x, y, low, high]`; `level` is a dashed line with a name.
 */
export function chart(box, { series, level, x = "", y = "", height = 190, title = "" }) {
  const width = Math.max(box.clientWidth, 220);
  const points = series.flatMap((one) => one.points);
  box.replaceChildren();
  if (!points.length) {
    const empty = document.createElement("p");
    empty.className = "small empty";
    empty.textContent = "Nothing yet.";
    box.append(empty);
    return;
  }
  const ys = points.map((point) => point[1]).concat(level ? [level.value] : []);
  let [low, high] = [Math.min(0, ...ys), Math.max(...ys)];
  if (high === low) high = low + 1;
  // Few seeds make wide bands, which need not be seen whole.
  const [span, ends] = [high - low, points.flatMap((point) => point.slice(2))];
  high = Math.min(Math.max(high + 0.06 * span, ...ends), high + 0.3 * span);
  low = Math.max(Math.min(low, ...ends), low - 0.2 * span);
  const within = (value) => Math.min(Math.max(value, low), high);
  const [first, last] = [Math.min(0, ...points.map((point) => point[0])), Math.max(...points.map((point) => point[0]), 1)];
  const edge = { left: 46, right: 12, top: 10, bottom: x ? 38 : 24 };
  const px = (value) => edge.left + (value - first) / (last - first) * (width - edge.left - edge.right);
  const py = (value) => height - edge.bottom - (value - low) / (high - low) * (height - edge.top - edge.bottom);
  const svg = element("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", class: "chart" });
  svg.append(element("title", {}, title || `${y} over ${x}`));
  for (const value of ticks(low, high, height / 55)) {
    svg.append(element("line", { x1: edge.left, x2: width - edge.right, y1: py(value), y2: py(value), class: "grid" }));
    svg.append(element("text", { x: edge.left - 6, y: py(value) + 4, class: "tick end" }, short(value)));
  }
  for (const value of ticks(first, last, width / 90)) {
    svg.append(element("text", { x: px(value), y: height - edge.bottom + 16, class: "tick middle" }, short(value)));
  }
  if (x) svg.append(element("text", { x: (edge.left + width - edge.right) / 2, y: height - 4, class: "tick middle" }, x));
  if (level) {
    svg.append(element("line", { x1: edge.left, x2: width - edge.right, y1: py(level.value), y2: py(level.value), class: "level" }));
    svg.append(element("text", { x: width - edge.right, y: py(level.value) - 5, class: "tick end" }, level.name));
  }
  series.forEach((one, i) => {
    const colour = one.colour ?? PALETTE[i % PALETTE.length];
    if (one.points.some((point) => point.length > 2 && point[3] > point[2])) {
      const upper = one.points.map((point) => `${px(point[0])},${py(within(point[3]))}`);
      const lower = one.points.map((point) => `${px(point[0])},${py(within(point[2]))}`).reverse();
      svg.append(element("polygon", { points: upper.concat(lower).join(" "), fill: colour, opacity: 0.18 }));
    }
  });
  series.forEach((one, i) => {
    const colour = one.colour ?? PALETTE[i % PALETTE.length];
    const path = one.points.map((point) => `${px(point[0])},${py(point[1])}`).join(" ");
    svg.append(element("polyline", { points: path, fill: "none", stroke: colour, "stroke-width": 2.2, "stroke-dasharray": DASHES[i % DASHES.length], "stroke-linejoin": "round" }));
    if (one.points.length < 40) {
      for (const point of one.points) svg.append(element("circle", { cx: px(point[0]), cy: py(point[1]), r: 2.6, fill: colour }));
    }
  });
  box.append(svg);
}

/** A legend for series drawn by `chart`. */
export function legend(series) {
  const list = document.createElement("ul");
  list.className = "legend";
  series.forEach((one, i) => {
    const item = document.createElement("li");
    const colour = one.colour ?? PALETTE[i % PALETTE.length];
    const svg = element("svg", { width: 26, height: 10, "aria-hidden": "true" });
    svg.append(element("line", { x1: 1, x2: 25, y1: 5, y2: 5, stroke: colour, "stroke-width": 2.6, "stroke-dasharray": DASHES[i % DASHES.length] }));
    item.append(svg, ` ${one.name}`);
    list.append(item);
  });
  return list;
}

/** A small curve without any axes. */
export function spark(points, colour = PALETTE[0]) {
  const [width, height] = [96, 26];
  const svg = element("svg", { width, height, class: "spark", "aria-hidden": "true" });
  if (points.length > 1) {
    const [xs, ys] = [points.map((point) => point[0]), points.map((point) => point[1])];
    const [x0, x1, y0, y1] = [Math.min(...xs), Math.max(...xs), Math.min(0, ...ys), Math.max(...ys, 1e-9)];
    const path = points.map(([x, y]) => `${2 + (x - x0) / (x1 - x0 || 1) * (width - 4)},${height - 3 - (y - y0) / (y1 - y0 || 1) * (height - 6)}`);
    svg.append(element("polyline", { points: path.join(" "), fill: "none", stroke: colour, "stroke-width": 1.8 }));
  }
  return svg;
}
