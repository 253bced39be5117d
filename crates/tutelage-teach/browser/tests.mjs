// The pages in a real browser: node tests.mjs [NAME…]

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { BINARY, PATIENCE, Server, assert, browserPath, folder, launch, replies, tutelage, until, wait } from "./harness.mjs";
import { answer, dice, keepBook, look, movedOn, teach } from "./person.mjs";

if (!browserPath()) {
  console.log("No Chromium on this machine: the browser tests were not run (Debian: apt-get install chromium).");
  process.exit(process.env.CI === "true" ? 1 : 0);
}

let browser;
const broken = []; // what went wrong in the pages' own scripts
const tests = [];
const test = (name, run) => tests.push([name, run]);

async function open(server, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1200, height: 800 }, ...options });
  const book = await keepBook(context);
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  page.on("pageerror", (error) => broken.push(error));
  await page.goto(server.url);
  return { context, page, book };
}

const asked = (page) => until(async () => (await look(page)).asks, "a question is asked");
const phase = (page, name) => until(async () => (await look(page)).phase === name, `the phase is ${name}`);

/** What the page showed as saved, by question: its last word. Questions asked again are not in the log. */
function shown(book) {
  const last = new Map();
  for (const { ticket, what, action } of book) {
    if (ticket.split(".").length === 2 && what !== "unsure") last.set(ticket, what === "skip" ? null : action);
  }
  return last;
}

/** What the log holds, by question: its last word, and how many records there are. */
function logged(run) {
  const last = new Map();
  const all = replies(run);
  for (const { round, rows, actions } of all) {
    assert(rows.length === 1, "one question, one record");
    last.set(`${round}.${rows[0]}`, actions && JSON.stringify(actions));
  }
  return { last, records: all.length };
}

function assertKept(book, run) {
  const [said, { last }] = [shown(book), logged(run)];
  for (const [ticket, action] of said) {
    assert(last.has(ticket), `${ticket} was shown as saved and is not in the log`);
    const same = action === null ? last.get(ticket) === null : JSON.stringify(JSON.parse(action)) === last.get(ticket);
    assert(same, `${ticket} was shown as ${action} and is logged as ${last.get(ticket)}`);
  }
  return said.size;
}

/** Teaches a task by keys until the policy earns 90 % of what the person's own rule earns. */
async function teachWell(task, args) {
  const dir = folder();
  const rule = JSON.parse(tutelage(dir, "evaluate", task, "--json").trim().split("\n").at(-1));
  const goal = 0.9 * (rule.mean_reward ?? rule.reward ?? rule.mean);
  assert(goal > 0, `what the rule earns: ${JSON.stringify(rule)}`);
  const server = await Server.begin(["teach", task, "--out", "run", "--grace", "0.1", ...args], dir);
  const { page, book, context } = await open(server);
  const earns = () => page.evaluate(() => Number(document.getElementById("earns").textContent.replace(",", "")));
  let best = 0;
  await teach(page, task, { enough: async () => { best = Math.max(best, (await earns()) || 0); return best >= goal; } });
  best = Math.max(best, (await earns()) || 0);
  const count = assertKept(book, join(dir, "run"));
  await context.close();
  await server.stop();
  assert(best >= goal, `${task}: ${best} after ${count} answers, ${goal} was wanted`);
  return `earns ${best}, the goal was ${goal.toFixed(0)}, after ${count} answers`;
}

test("a noisy person teaches cart-pole by keys", () => teachWell("cart-pole", ["--rounds", "12", "--states-per-round", "30"]));
test("a noisy person teaches drive by keys", () => teachWell("drive", ["--rounds", "10", "--states-per-round", "30"]));

test("thirty kills lose nothing, count nothing twice, and end like a run without any", async () => {
  const dir = folder();
  const args = ["--rounds", "4", "--states-per-round", "25", "--grace", "0.1"];
  const server = await Server.begin(["teach", "cart-pole", "--out", "run", ...args], dir);
  const { page, book, context } = await open(server);
  const roll = dice(7);
  let over = false;
  const killer = (async () => {
    const moments = dice(99);
    while (server.kills < 40) {
      await wait(100 + 500 * moments());
      if (over) break;
      await server.kill();
      await server.start();
    }
  })();
  for (let carried = 0; ;) {
    const seen = await look(page);
    if (seen.phase === "finished") break;
    // Nothing is answered beyond this until the kills have happened.
    const held = carried >= 90 && server.kills < 30;
    if (!seen.asks || held) {
      if (seen.goOn && !held) await page.keyboard.press("Enter");
      await page.waitForTimeout(20);
      continue;
    }
    await answer(page, "cart-pole", seen, roll, 0.05);
    // A kill may come between two keys; a person who sees that nothing happened presses them again.
    carried += 1;
    await movedOn(page, seen.ticket, 5000).catch(() => {});
  }
  over = true;
  await killer;
  assert(server.kills >= 30, `only ${server.kills} kills`);
  const count = assertKept(book, join(dir, "run"));
  const { last, records } = logged(join(dir, "run"));
  assert(records === last.size && last.size === 100, `${records} records for ${last.size} questions`);
  await context.close();
  await server.stop();

  // The same answers, in the same order, without any interruption.
  const again = await Server.begin(["teach", "cart-pole", "--out", "again", "--again", "0", ...args.slice(0, 4), "--grace", "0"], dir);
  for (const { round, rows, actions } of replies(join(dir, "run"))) {
    const ticket = `${round}.${rows[0]}`;
    const reply = { ticket, id: `x${ticket}`, what: "answer", action: actions, before: "open", seconds: 1 };
    await until(async () => (await again.request("/api/reply", reply)).status === 200, `${ticket} is taken`);
  }
  await until(async () => (await again.request("/api/state")).said.phase === "finished", "the second run ends");
  await again.stop();
  const [one, other] = ["run", "again"].map((run) => readFileSync(join(dir, run, "log.bin")));
  assert(one.equals(other), "the logs differ");
  for (const round of ["001", "004"]) {
    const [one, other] = ["run", "again"].map((run) => readFileSync(join(dir, run, "policies", `round-${round}.safetensors`)));
    assert(one.equals(other), `the policies of round ${round} differ`);
  }
  return `${server.kills} kills, ${count} answers shown as saved, ${records} in the log`;
});

test("two tabs, a reload, and a connection that goes and comes back", async () => {
  const dir = folder();
  const server = await Server.begin(["teach", "cart-pole", "--out", "run", "--rounds", "2", "--states-per-round", "12", "--grace", "0.1", "--again", "0"], dir);
  const { page, book, context } = await open(server);
  const second = await context.newPage();
  await second.goto(server.url);
  await asked(page);
  await asked(second);
  const roll = dice(3);
  // Both answer the same question at once, one left, one right: one of the two stands.
  const { ticket } = await look(page);
  assert((await look(second)).ticket === ticket, "both tabs ask the same");
  await Promise.all([page.keyboard.press("ArrowLeft"), second.keyboard.press("ArrowRight")]);
  await Promise.all([page.keyboard.press("Enter"), second.keyboard.press("Enter")]);
  await movedOn(page, ticket);
  await movedOn(second, ticket);
  await asked(second);
  assert(logged(join(dir, "run")).records === 1, "one answer counts");
  await until(async () => (await look(second)).ticket === (await look(page)).ticket, "both tabs have moved on");
  await second.close();
  // Offline: not shown as saved, and sent when the connection is back.
  await asked(page);
  const offline = await look(page);
  const before = book.length;
  await context.setOffline(true);
  await answer(page, "cart-pole", offline, roll, 0);
  await page.waitForFunction(() => /Not saved yet/.test(document.getElementById("saved").textContent));
  await wait(400);
  assert(book.length === before && (await look(page)).ticket === offline.ticket, "nothing is shown as saved without a connection");
  await context.setOffline(false);
  await movedOn(page, offline.ticket);
  await page.waitForFunction(() => /^Saved/.test(document.getElementById("saved").textContent));
  await until(() => book.length === before + 1, "it is saved, now that the connection is back");
  // A reload shows the same question.
  await asked(page);
  const here = await look(page);
  await page.reload();
  await asked(page);
  assert((await look(page)).ticket === here.ticket, "the same question after a reload");
  await teach(page, "cart-pole", { noise: 0 });
  assertKept(book, join(dir, "run"));
  const { last, records } = logged(join(dir, "run"));
  assert(records === 24 && last.size === 24, `${records} records for ${last.size} questions`);
  await context.close();
  await server.stop();
  return `${records} answers, each once`;
});

test("undo, skip, unsure, agree, other keys, a gamepad", async () => {
  const dir = folder();
  const server = await Server.begin(["teach", "drive", "--out", "run", "--rounds", "1", "--states-per-round", "6", "--grace", "60", "--again", "0"], dir);
  const { page, book, context } = await open(server);
  const press = async (...keys) => {
    await asked(page);
    const { ticket } = await look(page);
    for (const key of keys) await page.keyboard.press(key);
    await movedOn(page, ticket);
    return ticket;
  };
  assert((await press("u")) === "1.0", "the first question is put off");
  assert((await press("ArrowLeft", "ArrowUp", "Enter")) === "1.1", "the next comes");
  await asked(page);
  const next = (await look(page)).ticket;
  await page.keyboard.press("Backspace");
  await page.waitForFunction(() => document.body.dataset.ticket === "1.1" && /Once more/.test(document.getElementById("ask").textContent));
  assert((await press("ArrowRight", "ArrowRight", "Enter")) === "1.1", "undo leads back");
  await asked(page);
  assert((await look(page)).ticket === next, "and on again");
  await press("s"); // 1.2
  await press("a"); // 1.3
  // Keys can be changed: x skips now.
  await page.click("#settings-button");
  await page.click('.key-line[data-what="skip"]');
  await page.keyboard.press("x");
  await page.click("#settings-close");
  await page.click("#stage");
  // They stay changed, and the page says so.
  await page.reload();
  await asked(page);
  assert((await page.textContent('#skip kbd')) === "X", "the page names the new key");
  await press("x"); // 1.4
  await page.click("#settings-button");
  await page.click("#keys-reset");
  await page.click("#settings-close");
  await page.click("#stage");
  assert((await page.textContent('#skip kbd')) === "S", "the usual keys are back");
  // A gamepad: stick left and up, then its first button.
  await asked(page);
  const { ticket } = await look(page);
  await page.evaluate(() => {
    const buttons = [{ pressed: false }, { pressed: false }, { pressed: false }, { pressed: false }];
    window.pad = { axes: [-0.5, -1], buttons };
    navigator.getGamepads = () => [window.pad];
  });
  await page.waitForFunction(() => !document.getElementById("save").disabled);
  await page.evaluate(() => { window.pad.buttons[0].pressed = true; });
  await movedOn(page, ticket);
  await page.evaluate(() => { window.pad = { axes: [0, 0], buttons: [] }; });
  await asked(page);
  assert((await look(page)).ticket === "1.0", "what was put off comes back");
  await page.keyboard.press("u");
  await phase(page, "closing");
  const { last } = logged(join(dir, "run"));
  const expected = { "1.0": null, "1.1": "[-0.25,0.25]", "1.2": null, "1.4": null, "1.5": "[0.5,1]" };
  for (const [ticket, action] of Object.entries(expected)) assert(last.get(ticket) === action, `${ticket}: ${last.get(ticket)} instead of ${action}`);
  assert(last.get("1.3") !== null, "the learner's own");
  await page.keyboard.press("Enter");
  await phase(page, "finished");
  assertKept(book, join(dir, "run"));
  await context.close();
  await server.stop();
});

test("taking over: a person drives, a kill in between, and what was driven is learned from", async () => {
  const dir = folder();
  const server = await Server.begin(["teach", "drive", "-a", "take-over-1", "--out", "run", "--rounds", "1", "--states-per-round", "10", "--sampling", "stride(4)"], dir);
  const { page, context } = await open(server);
  const driving = () => until(async () => { const { phase, veiled } = await look(page); return phase === "driving" && !veiled; }, "the learner drives");
  const driven = () => page.evaluate(() => Number(document.body.dataset.driven ?? 0));
  const drive = async (enough) => {
    await page.keyboard.press(" ");
    // Hands off the controls now and then: the learner drives on by itself.
    for (let beat = 0; !(await enough()); beat += 1) {
      await page.keyboard[beat % 8 === 7 ? "up" : "down"]("ArrowUp");
      await wait(50);
      assert(beat < PATIENCE / 50, `the drive does not come to an end: ${await page.textContent("#caption")}`);
    }
    await page.keyboard.up("ArrowUp");
  };
  await driving();
  await page.click("#stage");
  await drive(async () => (await driven()) >= 15);
  await page.waitForFunction(() => /^The learner drives/.test(document.getElementById("caption").textContent));
  const saved = async () => Number(/^\d+/.exec(await page.textContent("#saved")));
  await until(async () => (await saved()) === (await driven()), "all that was driven is shown as saved");
  const before = await driven();
  await server.kill();
  await page.evaluate(() => { delete document.body.dataset.driven; });
  await server.start();
  await until(async () => (await driven()) > 0, "the drive goes on after the kill");
  const kept = await driven();
  assert(kept === before, `${kept} of ${before} steps were kept`);
  await driving();
  const finished = () => page.evaluate(() => document.body.dataset.phase !== "driving");
  await drive(finished);
  await phase(page, "finished");
  const all = replies(join(dir, "run"));
  assert(all.length === 10, `${all.length} answers`);
  assert(all.every(({ actions }) => Math.abs(actions[1] - 0.75) < 1e-6), "they are what was driven");
  await context.close();
  await server.stop();
  return `${kept} of ${before} steps were there after the kill`;
});

test("some questions are asked again, and how far the person is from themselves is told", async () => {
  const dir = folder();
  const server = await Server.begin(["teach", "cart-pole", "--out", "run", "--rounds", "1", "--states-per-round", "30", "--grace", "60", "--again", "5"], dir);
  const { page, context } = await open(server);
  // Says left to everything, and right to two of the questions that it hears for the second time.
  let again = 0;
  for (;;) {
    const seen = await look(page);
    if (seen.phase === "closing") break;
    if (!seen.asks) { await wait(10); continue; }
    const repeated = seen.ticket.split(".").length === 3;
    again += repeated;
    await page.keyboard.press(repeated && again <= 2 ? "ArrowRight" : "ArrowLeft");
    await page.keyboard.press("Enter");
    await movedOn(page, seen.ticket);
  }
  assert(again >= 4 && again <= 6, `${again} of 30 were asked again, one in five was wanted`);
  await page.waitForFunction((again) => document.getElementById("account").textContent.includes(`Asked again about ${again}, you chose otherwise in 2.`), again);
  const { last, records } = logged(join(dir, "run"));
  assert(records === 30 && [...last.values()].every((action) => action === "[0]"), "nothing is learned from what was said the second time");
  const notes = readFileSync(join(dir, "run", "teacher.jsonl"), "utf8").trim().split("\n").map((line) => JSON.parse(line));
  const losses = notes.filter(({ what }) => what === "again").map(({ loss }) => loss);
  assert(losses.length === again && losses.reduce((sum, loss) => sum + loss, 0) === 2, `losses ${losses}`);
  assert(notes.every(({ seconds }) => seconds > 0), "every answer has its time");
  await context.close();
  await server.stop();
  return `${again} of 30 asked again`;
});

test("between rounds: how far training is, a film, and a curve that grows", async () => {
  const dir = folder();
  const server = await Server.begin(["teach", "cart-pole", "--out", "run", "--rounds", "2", "--states-per-round", "8", "--grace", "0.1", "--budget", "iterations=120000"], dir);
  const { page, context } = await open(server);
  await page.evaluate(() => {
    window.shares = [];
    const words = document.getElementById("veil-more");
    new MutationObserver(() => {
      const match = /^(\d+) % of the training/.exec(words.textContent);
      if (match) window.shares.push(Number(match[1]));
    }).observe(words, { childList: true, characterData: true, subtree: true });
  });
  await teach(page, "cart-pole", { noise: 0, enough: () => page.evaluate(() => document.querySelectorAll("#curve circle").length > 0) });
  const shares = [...new Set(await page.evaluate(() => window.shares))];
  assert(shares.length > 1 && shares.every((share, i) => share >= 0 && share <= 100 && (!i || share > shares[i - 1])), `it told ${shares}`);
  await page.waitForFunction(() => /^What it does after round 1/.test(document.getElementById("film-caption").textContent));
  await painted(page, "#film");
  await painted(page, "#stage");
  await teach(page, "cart-pole", { noise: 0 });
  await page.waitForFunction(() => document.querySelectorAll("#curve circle").length === 2);
  await context.close();
  await server.stop();
  return `training was told in ${shares.length} steps`;
});

/** Waits until a canvas shows something: several colours. */
const painted = (page, canvas) => page.waitForFunction((canvas) => {
  const element = document.querySelector(canvas);
  if (!element?.width) return false;
  const { data } = element.getContext("2d").getImageData(0, 0, element.width, element.height);
  const colours = new Set();
  for (let i = 0; i < data.length; i += 4 * 97) colours.add(`${data[i]},${data[i + 1]},${data[i + 2]}`);
  return colours.size > 2;
}, canvas);

test("a world of one's own with three numbers to set: sliders, by mouse and by keys alone", async () => {
  const dir = folder();
  const server = await Server.example(dir);
  const { page, book, context } = await open(server);
  await asked(page);
  await painted(page, "#stage");
  assert((await page.locator(".slider").count()) === 3, "three sliders");
  assert(await page.isDisabled("#save"), "nothing is chosen yet");
  const { ticket } = await look(page);
  // By mouse: the first slider's right end, then the last one's left end.
  const box = await page.locator(".slider input").nth(0).boundingBox();
  await page.mouse.click(box.x + box.width - 2, box.y + box.height / 2);
  const other = await page.locator(".slider input").nth(2).boundingBox();
  await page.mouse.click(other.x + 2, other.y + other.height / 2);
  await page.waitForFunction(() => document.body.dataset.previewed === document.body.dataset.ticket);
  await page.click("#save");
  await movedOn(page, ticket);
  // By keys: to the second slider by Tab, set by arrows, saved by Enter.
  await asked(page);
  const next = (await look(page)).ticket;
  await page.locator(".slider input").nth(0).focus();
  await page.keyboard.press("Tab");
  for (let i = 0; i < 50; i += 1) await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await movedOn(page, next);
  await until(() => book.length === 2, "both answers are saved");
  const actions = book.map(({ action }) => JSON.parse(action));
  const near = (found, wanted) => found.every((value, i) => Math.abs(value - wanted[i]) < 0.05);
  assert(near(actions[0], [1, 0, -1]) && near(actions[1], [0, 0.5, 0]), JSON.stringify(actions));
  assertKept(book, join(dir, "run"));
  await context.close();
  await server.stop("SIGKILL");
});

test("the page fits from 360 to 2560 pixels", async () => {
  const dir = folder();
  const server = await Server.begin(["teach", "drive", "--out", "run"], dir);
  const { page, context } = await open(server);
  await asked(page);
  for (const width of [360, 480, 819, 820, 1249, 1250, 1920, 2560]) {
    await page.setViewportSize({ width, height: 800 });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert(wide <= 0, `${wide} pixels too wide at ${width}`);
  }
  await context.close();
  await server.stop();
});

test("films of pendulum, grid and a robot play in the browser", async () => {
  const dir = folder();
  for (const task of ["pendulum", "grid", "hopper"]) {
    tutelage(dir, "learn", task, "-a", "dagger", "--rounds", "1", "--states-per-round", "10", "--episodes", "1", "--budget", "iterations=50", "--out", `runs/${task}`);
  }
  const server = await Server.begin(["serve", "runs"], dir);
  const { page, context } = await open(server);
  for (const task of ["pendulum", "grid", "hopper"]) {
    await page.goto(`${server.url.split("?")[0]}#run=${task}`);
    await page.waitForFunction((task) => document.querySelector("h2")?.textContent.includes(task) && /earned in this film/.test(document.body.textContent), task);
    await painted(page, ".run-film");
  }
  await context.close();
  await server.stop();
});

test("runs are listed, grow before one's eyes, are compared and filmed", async () => {
  const dir = folder();
  const learn = (seed) => tutelage(dir, "learn", "cart-pole", "-a", "dagger", "--rounds", "2", "--states-per-round", "10", "--seed", String(seed), "--out", `runs/${seed}`);
  learn(1);
  const server = await Server.begin(["serve", "runs"], dir);
  const { page, context } = await open(server);
  await page.waitForFunction(() => document.querySelectorAll("tbody tr").length === 1);
  learn(2);
  await page.waitForFunction(() => document.querySelectorAll("tbody tr").length === 2);
  await page.click("#tab-compare");
  await page.waitForSelector(".chart polygon");
  assert((await page.textContent(".panels")).includes("95 % intervals"), "as compare has them");
  assert((await page.locator(".panels tbody tr td").nth(1).textContent()) === "2", "two seeds");
  await page.click("#tab-list");
  await page.click("tbody a");
  await page.waitForFunction(() => /earned in this film/.test(document.body.textContent));
  for (const width of [360, 2560]) {
    await page.setViewportSize({ width, height: 800 });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert(wide <= 0, `${wide} pixels too wide at ${width}`);
  }
  await context.close();
  await server.stop();
});

/** The longest that a test may take, in minutes. */
const LIMIT = 12;

/** Runs a test; leaves no server and no window behind. */
async function attempt(run) {
  let timer;
  const late = new Promise((_, failed) => { timer = setTimeout(() => failed(new Error(`not done after ${LIMIT} minutes`)), 60_000 * LIMIT); });
  try {
    const more = await Promise.race([run(), late]);
    if (broken.length) throw broken[0];
    return more;
  } finally {
    clearTimeout(timer);
    broken.length = 0;
    for (const context of browser.contexts()) await context.close();
    for (const server of Server.all) await server.stop("SIGKILL");
    Server.all.clear();
  }
}

const wanted = process.argv.slice(2);
const started = Date.now();
browser = await launch();
let failed = 0;
for (const [name, run] of tests.filter(([name]) => !wanted.length || wanted.some((word) => name.includes(word)))) {
  const began = Date.now();
  const seconds = () => `${((Date.now() - began) / 1000).toFixed(1)} s`;
  try {
    const more = await attempt(run);
    console.log(`ok    ${name} (${seconds()})${more ? `: ${more}` : ""}`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED ${name} (${seconds()}): ${error.stack}`);
  }
}
await browser.close();
console.log(`${failed ? `${failed} failed` : "all passed"} in ${((Date.now() - started) / 1000).toFixed(0)} s, with ${BINARY}`);
process.exit(failed ? 1 : 0);
