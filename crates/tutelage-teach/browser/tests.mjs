// Browser tests: node tests.mjs [PART OF A TEST NAME…]

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { BINARY, PATIENCE, Server, assert, browserPath, folder, launch, replies, tutelage, until, wait } from "./harness.mjs";
import { answer, dice, keepBook, look, movedOn, teach } from "./person.mjs";

if (!browserPath()) {
  console.log("Chromium is missing, so the browser tests did not run (Debian: apt-get install chromium).");
  process.exit(process.env.CI === "true" ? 1 : 0);
}

let browser;
const pageErrors = []; // errors in the scripts of the pages
const tests = [];
const test = (name, run) => tests.push([name, run]);

async function open(server, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1200, height: 800 }, ...options });
  const book = await keepBook(context);
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  page.on("pageerror", (error) => pageErrors.push(error));
  await page.goto(server.url);
  return { context, page, book };
}

const asked = (page) => until(async () => (await look(page)).asks, "a question is asked");
const phase = (page, name) => until(async () => (await look(page)).phase === name, `the phase is ${name}`);

/** The last reply that the page showed as saved, by query. Repeated queries are not in the log. */
function shown(book) {
  const last = new Map();
  for (const { ticket, what, action } of book) {
    if (ticket.split(".").length === 2 && what !== "unsure") last.set(ticket, what === "skip" ? null : action);
  }
  return last;
}

/** The last reply in the log, by query, and the number of records. */
function logged(run) {
  const last = new Map();
  const all = replies(run);
  for (const { round, rows, actions } of all) {
    assert(rows.length === 1, "a record has one row");
    last.set(`${round}.${rows[0]}`, actions && JSON.stringify(actions));
  }
  return { last, records: all.length };
}

function assertKept(book, run) {
  const [saved, { last }] = [shown(book), logged(run)];
  for (const [ticket, action] of saved) {
    assert(last.has(ticket), `${ticket} was shown as saved, but is not in the log`);
    const same = action === null ? last.get(ticket) === null : JSON.stringify(JSON.parse(action)) === last.get(ticket);
    assert(same, `${ticket} was shown as ${action}, but the log has ${last.get(ticket)}`);
  }
  return saved.size;
}

/** Teaches a task by keys until the policy has 90 % of the reward of the teacher's rule. */
async function teachWell(task, args) {
  const dir = folder();
  const rule = JSON.parse(tutelage(dir, "evaluate", task, "--json").trim().split("\n").at(-1));
  const goal = 0.9 * (rule.mean_reward ?? rule.reward ?? rule.mean);
  assert(goal > 0, `the reward of the rule: ${JSON.stringify(rule)}`);
  const server = await Server.begin(["teach", task, "--out", "run", "--undo-seconds", "0.1", ...args], dir);
  const { page, book, context } = await open(server);
  const reward = () => page.evaluate(() => Number(document.getElementById("earns").textContent.replace(",", "")));
  let best = 0;
  await teach(page, task, { enough: async () => { best = Math.max(best, (await reward()) || 0); return best >= goal; } });
  best = Math.max(best, (await reward()) || 0);
  const count = assertKept(book, join(dir, "run"));
  await context.close();
  await server.stop();
  assert(best >= goal, `${task}: reward ${best} after ${count} answers, expected ${goal}`);
  return `reward ${best} of ${goal.toFixed(0)} after ${count} answers`;
}

test("noisy answers by keyboard teach cart-pole", () => teachWell("cart-pole", ["--rounds", "12", "--states-per-round", "30"]));
test("noisy answers by keyboard teach drive", () => teachWell("drive", ["--rounds", "10", "--states-per-round", "30"]));

test("thirty kills leave the log and policies unchanged", async () => {
  const dir = folder();
  const args = ["--rounds", "4", "--states-per-round", "25", "--undo-seconds", "0.1"];
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
    // Keep some questions until all kills have happened.
    const held = carried >= 90 && server.kills < 30;
    if (!seen.asks || held) {
      if (seen.goOn && !held) await page.keyboard.press("Enter");
      await page.waitForTimeout(20);
      continue;
    }
    await answer(page, "cart-pole", seen, roll, 0.05);
    // A kill may come between two keys; then they are pressed again.
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

  // The same answers in the same order, without interruption.
  const again = await Server.begin(["teach", "cart-pole", "--out", "again", "--repeat-every", "0", ...args.slice(0, 4), "--undo-seconds", "0"], dir);
  for (const { round, rows, actions } of replies(join(dir, "run"))) {
    const ticket = `${round}.${rows[0]}`;
    const reply = { ticket, id: `x${ticket}`, what: "answer", action: actions, before: "open", seconds: 1 };
    await until(async () => (await again.request("/api/reply", reply)).status === 200, `${ticket} is taken`);
  }
  await until(async () => (await again.request("/api/state")).body.phase === "finished", "the second run is finished");
  await again.stop();
  const [one, other] = ["run", "again"].map((run) => readFileSync(join(dir, run, "log.bin")));
  assert(one.equals(other), "the logs differ");
  for (const round of ["001", "004"]) {
    const [one, other] = ["run", "again"].map((run) => readFileSync(join(dir, run, "policies", `round-${round}.safetensors`)));
    assert(one.equals(other), `the policies of round ${round} differ`);
  }
  return `${server.kills} kills, ${count} answers shown as saved, ${records} in the log`;
});

test("two tabs, a reload and a lost connection keep each answer once", async () => {
  const dir = folder();
  const server = await Server.begin(["teach", "cart-pole", "--out", "run", "--rounds", "2", "--states-per-round", "12", "--undo-seconds", "0.1", "--repeat-every", "0"], dir);
  const { page, book, context } = await open(server);
  const second = await context.newPage();
  await second.goto(server.url);
  await asked(page);
  await asked(second);
  const roll = dice(3);
  // Both tabs answer the same question at once, differently: one answer counts.
  const { ticket } = await look(page);
  assert((await look(second)).ticket === ticket, "both tabs show the same question");
  await Promise.all([page.keyboard.press("ArrowLeft"), second.keyboard.press("ArrowRight")]);
  await Promise.all([page.keyboard.press("Enter"), second.keyboard.press("Enter")]);
  await movedOn(page, ticket);
  await movedOn(second, ticket);
  await asked(second);
  assert(logged(join(dir, "run")).records === 1, "one answer counts");
  await until(async () => (await look(second)).ticket === (await look(page)).ticket, "both tabs have moved on");
  await second.close();
  // Offline, the answer is not shown as saved; it is sent when the connection is back.
  await asked(page);
  const offline = await look(page);
  const before = book.length;
  await context.setOffline(true);
  await answer(page, "cart-pole", offline, roll, 0);
  await page.waitForFunction(() => /Not saved yet/.test(document.getElementById("saved").textContent));
  await wait(400);
  assert(book.length === before && (await look(page)).ticket === offline.ticket, "an answer was shown as saved offline");
  await context.setOffline(false);
  await movedOn(page, offline.ticket);
  await page.waitForFunction(() => /^Saved/.test(document.getElementById("saved").textContent));
  await until(() => book.length === before + 1, "the answer is saved");
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

test("undo, skip, unsure, agree, changed keys and a gamepad work", async () => {
  const dir = folder();
  const server = await Server.begin(["teach", "drive", "--out", "run", "--rounds", "1", "--states-per-round", "6", "--undo-seconds", "60", "--repeat-every", "0"], dir);
  const { page, book, context } = await open(server);
  const press = async (...keys) => {
    await asked(page);
    const { ticket } = await look(page);
    for (const key of keys) await page.keyboard.press(key);
    await movedOn(page, ticket);
    return ticket;
  };
  assert((await press("u")) === "1.0", "the first question is postponed");
  assert((await press("ArrowLeft", "ArrowUp", "Enter")) === "1.1", "the second question is next");
  await asked(page);
  const next = (await look(page)).ticket;
  await page.keyboard.press("Backspace");
  await page.waitForFunction(() => document.body.dataset.ticket === "1.1" && /^Change your answer/.test(document.getElementById("ask").textContent));
  assert((await press("ArrowRight", "ArrowRight", "Enter")) === "1.1", "undo returns to the question");
  await asked(page);
  assert((await look(page)).ticket === next, "then the next one is shown");
  await press("s"); // 1.2
  await press("a"); // 1.3
  // Change a key: x skips.
  await page.click("#settings-button");
  await page.click('.key-line[data-what="skip"]');
  await page.keyboard.press("x");
  await page.click("#settings-close");
  await page.click("#stage");
  // The change survives a reload.
  await page.reload();
  await asked(page);
  assert((await page.textContent('#skip kbd')) === "X", "the button shows the new key");
  await press("x"); // 1.4
  await page.click("#settings-button");
  await page.click("#keys-reset");
  await page.click("#settings-close");
  await page.click("#stage");
  assert((await page.textContent('#skip kbd')) === "S", "the default keys are back");
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
  assert((await look(page)).ticket === "1.0", "the postponed question is repeated");
  await page.keyboard.press("u");
  await phase(page, "closing");
  const { last } = logged(join(dir, "run"));
  const expected = { "1.0": null, "1.1": "[-0.25,0.25]", "1.2": null, "1.4": null, "1.5": "[0.5,1]" };
  for (const [ticket, action] of Object.entries(expected)) assert(last.get(ticket) === action, `${ticket}: expected ${action}, got ${last.get(ticket)}`);
  assert(last.get("1.3") !== null, "agreeing saves the learner's action");
  await page.keyboard.press("Enter");
  await phase(page, "finished");
  assertKept(book, join(dir, "run"));
  await context.close();
  await server.stop();
});

test("driving survives a kill and becomes labels", async () => {
  const dir = folder();
  const server = await Server.begin(["teach", "drive", "-a", "take-over-1", "--out", "run", "--rounds", "1", "--states-per-round", "10", "--sampling", "stride(4)"], dir);
  const { page, context } = await open(server);
  const driving = () => until(async () => { const { phase, veiled } = await look(page); return phase === "driving" && !veiled; }, "the learner drives");
  const driven = () => page.evaluate(() => Number(document.body.dataset.driven ?? 0));
  const drive = async (enough) => {
    await page.keyboard.press(" ");
    // Release the controls now and then, so that the learner drives.
    for (let beat = 0; !(await enough()); beat += 1) {
      await page.keyboard[beat % 8 === 7 ? "up" : "down"]("ArrowUp");
      await wait(50);
      assert(beat < PATIENCE / 50, `the drive does not end: ${await page.textContent("#caption")}`);
    }
    await page.keyboard.up("ArrowUp");
  };
  await driving();
  await page.click("#stage");
  await drive(async () => (await driven()) >= 15);
  await page.waitForFunction(() => /^The learner drives/.test(document.getElementById("caption").textContent));
  const saved = async () => Number(/^\d+/.exec(await page.textContent("#saved")));
  await until(async () => (await saved()) === (await driven()), "all steps are shown as saved");
  const before = await driven();
  await server.kill();
  await page.evaluate(() => { delete document.body.dataset.driven; });
  await server.start();
  await until(async () => (await driven()) > 0, "the drive resumes after the kill");
  const kept = await driven();
  assert(kept === before, `${kept} of ${before} steps survived`);
  await driving();
  const finished = () => page.evaluate(() => document.body.dataset.phase !== "driving");
  await drive(finished);
  await phase(page, "finished");
  const all = replies(join(dir, "run"));
  assert(all.length === 10, `${all.length} answers`);
  assert(all.every(({ actions }) => Math.abs(actions[1] - 0.75) < 1e-6), "the labels are the driven actions");
  await context.close();
  await server.stop();
  return `${kept} of ${before} steps survived`;
});

test("repeated questions measure consistency", async () => {
  const dir = folder();
  const server = await Server.begin(["teach", "cart-pole", "--out", "run", "--rounds", "1", "--states-per-round", "30", "--undo-seconds", "60", "--repeat-every", "5"], dir);
  const { page, context } = await open(server);
  // Answers left to everything, except right to two of the repeated questions.
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
  assert(again >= 4 && again <= 6, `${again} of 30 were repeated, expected one in five`);
  await page.waitForFunction((again) => document.getElementById("account").textContent.includes(`Repeated questions: ${again}, of which you answered 2 differently.`), again);
  const { last, records } = logged(join(dir, "run"));
  assert(records === 30 && [...last.values()].every((action) => action === "[0]"), "repeated answers must not be labels");
  const notes = readFileSync(join(dir, "run", "teacher.jsonl"), "utf8").trim().split("\n").map((line) => JSON.parse(line));
  const losses = notes.filter(({ what }) => what === "again").map(({ loss }) => loss);
  assert(losses.length === again && losses.reduce((sum, loss) => sum + loss, 0) === 2, `losses ${losses}`);
  assert(notes.every(({ seconds }) => seconds > 0), "every answer has a time");
  await context.close();
  await server.stop();
  return `${again} of 30 repeated`;
});

test("training progress, a film and a growing curve show between rounds", async () => {
  const dir = folder();
  const server = await Server.begin(["teach", "cart-pole", "--out", "run", "--rounds", "2", "--states-per-round", "8", "--undo-seconds", "0.1", "--budget", "iterations=120000"], dir);
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
  assert(shares.length > 1 && shares.every((share, i) => share >= 0 && share <= 100 && (!i || share > shares[i - 1])), `the progress was ${shares}`);
  await page.waitForFunction(() => /^The policy after round 1/.test(document.getElementById("film-caption").textContent));
  await painted(page, "#film");
  await painted(page, "#stage");
  await teach(page, "cart-pole", { noise: 0 });
  await page.waitForFunction(() => document.querySelectorAll("#curve circle").length === 2);
  await context.close();
  await server.stop();
  return `${shares.length} steps of progress`;
});

/** Waits until a canvas shows several colors. */
const painted = (page, canvas) => page.waitForFunction((canvas) => {
  const element = document.querySelector(canvas);
  if (!element?.width) return false;
  const { data } = element.getContext("2d").getImageData(0, 0, element.width, element.height);
  const colors = new Set();
  for (let i = 0; i < data.length; i += 4 * 97) colors.add(`${data[i]},${data[i + 1]},${data[i + 2]}`);
  return colors.size > 2;
}, canvas);

test("sliders work by mouse and by keys", async () => {
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
    await page.waitForFunction((task) => document.querySelector("h2")?.textContent.includes(task) && /Reward in this film/.test(document.body.textContent), task);
    await painted(page, ".run-film");
  }
  await context.close();
  await server.stop();
});

test("runs are listed live, compared and filmed", async () => {
  const dir = folder();
  const learn = (seed) => tutelage(dir, "learn", "cart-pole", "-a", "dagger", "--rounds", "2", "--states-per-round", "10", "--seed", String(seed), "--out", `runs/${seed}`);
  learn(1);
  const server = await Server.begin(["serve", "runs"], dir);
  const { page, context } = await open(server);
  await page.waitForFunction(() => document.querySelectorAll("tbody tr").length === 1);
  learn(2);
  await page.waitForFunction(() => document.querySelectorAll("tbody tr").length === 2);
  await page.click("#tab-compare");
  await page.waitForFunction(() => document.querySelector(".panels .figure")?.naturalWidth > 0);
  assert((await page.locator(".panels tbody tr td").nth(1).textContent()) === "2", "two seeds");
  await page.click("#tab-list");
  await page.click("tbody a");
  await page.waitForFunction(() => /Reward in this film/.test(document.body.textContent));
  for (const width of [360, 2560]) {
    await page.setViewportSize({ width, height: 800 });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert(wide <= 0, `${wide} pixels too wide at ${width}`);
  }
  await context.close();
  await server.stop();
});

/** The time limit of a test, in minutes. */
const LIMIT = 12;

/** Runs a test, and then stops its servers and closes its windows. */
async function attempt(run) {
  let timer;
  const late = new Promise((_, failed) => { timer = setTimeout(() => failed(new Error(`not finished after ${LIMIT} minutes`)), 60_000 * LIMIT); });
  try {
    const more = await Promise.race([run(), late]);
    if (pageErrors.length) throw pageErrors[0];
    return more;
  } finally {
    clearTimeout(timer);
    pageErrors.length = 0;
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
