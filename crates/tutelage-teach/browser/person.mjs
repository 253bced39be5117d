// A scripted teacher: reads the state from the page, presses keys, and makes some mistakes.

import { PATIENCE } from "./harness.mjs";

/** A random generator with a seed. */
export function dice(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const clamp = (value) => Math.min(Math.max(value, -1), 1);

/** The teacher's action by task; the rules of the tasks' experts. */
const RULES = {
  "cart-pole": ([place, speed, angle, spin]) => [0.4 * place + 0.5 * speed + angle + 1.5 * spin > 0 ? 1 : 0],
  drive: (state) => {
    const angles = [-1.57, -1.05, -0.6, -0.26, 0, 0.26, 0.6, 1.05, 1.57];
    const ranges = state.slice(0, 9).map((range) => Math.max(range, 1e-3));
    const weights = ranges.map((range) => range ** 3);
    const open = angles.reduce((sum, angle, i) => sum + angle * weights[i], 0) / weights.reduce((sum, weight) => sum + weight, 0);
    const [right, left] = [ranges[0] + ranges[1], ranges[7] + ranges[8]];
    const wanted = Math.sqrt(9 + 2 * 0.4 * 8 * 25 * ranges[4]);
    return [clamp(2 * open + (left - right) / (left + right)), clamp(0.5 * (wanted - 20 * state[9]))];
  },
};

/** The keys for an action: one for a choice, steps of a quarter for numbers. */
const KEYS = {
  "cart-pole": ([side]) => [side ? "ArrowRight" : "ArrowLeft"],
  drive: ([steering, throttle]) => {
    const steps = (value, low, high) => Array(Math.abs(Math.round(4 * value))).fill(value < 0 ? low : high);
    const keys = [...steps(steering, "ArrowRight", "ArrowLeft"), ...steps(throttle, "ArrowDown", "ArrowUp")];
    return keys.length ? keys : ["ArrowUp", "ArrowDown"];
  },
};

/** What the page shows; `asks` if it shows a question that can be answered. */
export const look = (page) => page.evaluate(() => {
  const { phase, ticket } = document.body.dataset;
  const veiled = !document.getElementById("veil").hidden;
  return {
    phase,
    ticket,
    veiled,
    asks: phase === "asking" && Boolean(ticket) && !veiled && !document.getElementById("skip").disabled,
    state: JSON.parse(document.getElementById("state-box").dataset.state ?? "null"),
    goOn: veiled && !document.getElementById("go-on").hidden,
  };
});

/** Collects every reply that the page shows as saved, across reloads. */
export async function keepBook(context) {
  const book = [];
  await context.exposeBinding("noteSaved", (_, entry) => book.push(entry));
  await context.addInitScript(() => addEventListener("DOMContentLoaded", () => {
    const list = document.getElementById("last");
    if (list) new MutationObserver((changes) => changes.flatMap((change) => [...change.addedNodes]).forEach((item) => {
      if (item.dataset?.ticket) window.noteSaved({ ...item.dataset });
    })).observe(list, { childList: true });
  }));
  return book;
}

/** Answers the question on the page by keys; `noise` is the share of random answers. */
export async function answer(page, task, seen, roll, noise) {
  let action = RULES[task](seen.state);
  if (roll() < noise) action = task === "cart-pole" ? [1 - action[0]] : action.map(() => clamp(2 * roll() - 1));
  for (const key of KEYS[task](action)) await page.keyboard.press(key);
  await page.keyboard.press("Enter");
}

/** Waits until the page has moved on from a question. */
export const movedOn = (page, ticket, timeout = PATIENCE) => page.waitForFunction((ticket) => {
  const { dataset } = document.body;
  return dataset.phase !== "asking" || dataset.ticket !== ticket || !document.getElementById("veil").hidden;
}, ticket, { polling: 5, timeout });

/** Teaches until the lesson ends, or until `enough` returns true between rounds. */
export async function teach(page, task, { noise = 0.05, seed = 1, enough = async () => false } = {}) {
  const roll = dice(seed);
  for (;;) {
    const seen = await look(page);
    if (seen.phase === "finished") return;
    if (seen.veiled && (await enough())) return;
    if (!seen.asks) {
      if (seen.goOn) await page.keyboard.press("Enter");
      await page.waitForTimeout(15);
      continue;
    }
    await answer(page, task, seen, roll, noise);
    await movedOn(page, seen.ticket);
  }
}
