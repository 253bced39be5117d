// Shorthands for the DOM.

const SVG = "http://www.w3.org/2000/svg";

export const $ = (id) => document.getElementById(id);

/** An element with properties and children. */
export function make(name, properties = {}, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

/** An SVG element with attributes and a text. */
export function makeSvg(name, attributes = {}, text = "") {
  const element = document.createElementNS(SVG, name);
  Object.entries(attributes).forEach(([key, value]) => element.setAttribute(key, value));
  element.append(text);
  return element;
}

/** A table with a heading per column; the columns in `numeric` are right-aligned. Cells are texts or elements. */
export function makeTable(headings, rows, numeric) {
  const line = (kind, cells) => make("tr", {}, ...cells.map((cell, i) => make(kind, { className: numeric.has(i) ? "number" : "", ...(kind === "th" && { scope: "col" }) }, cell)));
  const body = make("tbody", {}, ...rows.map((cells) => line("td", cells)));
  return make("div", { className: "table-box" }, make("table", {}, make("thead", {}, line("th", headings)), body));
}

export const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

/** A number in a few characters. */
export function short(value) {
  if (!Number.isFinite(value)) return "–";
  const digits = [[100, 0], [10, 1], [0, 2]].find(([size]) => Math.abs(value) >= size)[1];
  return value.toLocaleString("en", { maximumFractionDigits: digits });
}
