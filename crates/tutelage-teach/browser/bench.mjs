// Benchmark: milliseconds from a key to the next question, 200 viewers of `serve`, and memory.

import { readFileSync } from "node:fs";
import { Server, folder, launch, tutelage, wait } from "./harness.mjs";
import { look, movedOn } from "./person.mjs";

const memory = (server) => {
  const status = readFileSync(`/proc/${server.process.pid}/status`, "utf8");
  return `${(Number(/VmRSS:\s+(\d+)/.exec(status)[1]) / 1000).toFixed(0)} MB`;
};

const dir = folder();
const server = await Server.begin(["teach", "drive", "--out", "run", "--states-per-round", "200", "--repeat-every", "0"], dir);
const browser = await launch();
const page = await browser.newPage();
await page.goto(server.url);
await page.waitForFunction(() => !document.getElementById("skip").disabled);
const times = [];
for (let i = 0; i < 120; i += 1) {
  const { ticket } = await look(page);
  await wait(150); // time to look; the page fetches the next clip
  await page.evaluate(() => { window.pressed = 0; addEventListener("keydown", () => { window.pressed = performance.now(); }, { once: true, capture: true }); });
  const shown = page.evaluate((ticket) => new Promise((done) => {
    const see = () => (document.body.dataset.ticket !== ticket ? requestAnimationFrame(() => done(performance.now() - window.pressed)) : setTimeout(see, 1));
    see();
  }), ticket);
  await page.keyboard.press("a");
  times.push(await shown);
  await movedOn(page, ticket);
}
times.sort((a, b) => a - b);
console.log(`from key to next question: median ${times[60].toFixed(1)} ms, 90th percentile ${times[108].toFixed(1)} ms; server ${memory(server)}`);
await browser.close();
await server.stop();

tutelage(dir, "learn", "cart-pole", "--rounds", "3", "--states-per-round", "10", "--out", "runs/a");
const runs = await Server.begin(["serve", "runs"], dir);
const token = readFileSync(`${dir}/token`, "utf8").trim();
const headers = { Cookie: `tutelage-${runs.port}=${token}` };
const base = `http://127.0.0.1:${runs.port}`;
let errors = 0, events = 0;
const began = Date.now();
const viewers = Array.from({ length: 200 }, async () => {
  const stop = new AbortController();
  setTimeout(() => stop.abort(), 10000);
  try {
    const stream = await fetch(`${base}/api/events`, { headers, signal: stop.signal });
    if (!stream.ok) errors += 1;
    for (let i = 0; i < 5; i += 1) {
      const list = await fetch(`${base}/api/runs`, { headers });
      if (!list.ok || !(await list.json()).runs.length) errors += 1;
      await wait(500 * Math.random());
    }
    for await (const chunk of stream.body) events += chunk.length > 0;
  } catch (error) { if (error.name !== "AbortError") errors += 1; }
});
await Promise.all(viewers);
console.log(`200 viewers for ${((Date.now() - began) / 1000).toFixed(0)} s: ${errors} errors, ${events} events; server ${memory(runs)}`);
await runs.stop();
