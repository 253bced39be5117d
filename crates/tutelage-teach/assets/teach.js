// The page on which a person teaches.

import { chart, short } from "/chart.js";
import { makeControls } from "/controls.js";
import { Keys, watchGamepad } from "/keys.js";
import { Live } from "/live.js";
import { get, post, listen, freshName, wait, Refused } from "/server.js";
import { Film, Loop, Stage, framesOf, isCalm } from "/stage.js";

const $ = (id) => document.getElementById(id);

/** How long the result of a round is shown before the next question, in seconds. */
const REST = 4;

let state = null; // what the server told last
let question = null; // the question on the page
let clip = null;
let preview = null;
let controls, keys, live;
let asked = 0; // when the question appeared
let busy = false; // an answer is on its way
let begun = null; // what the controls were made for
let resting = null; // until when the result of a round is shown
let shownRounds = null; // how many rounds had a result when the page last looked
const clips = new Map();

const stage = new Stage($("stage"));
const film = new Film($("film"));
const mainFilm = new Film($("stage")); // between rounds the new policy has the stage
mainFilm.stage.below = () => (getComputedStyle($("veil")).position === "absolute" ? $("veil").offsetHeight : 0);

// ---- The clip: what happened, the moment in question, and what would come of it.

const HOLD = 0.7;

const loop = new Loop((seconds) => {
  if (!clip) return 1;
  const { here, pace } = clip;
  const last = framesOf(clip).length - 1;
  const past = preview ? 0 : here * pace;
  const ahead = (preview ? framesOf(preview).length - 1 : last - here) * pace;
  const total = past + HOLD + ahead + HOLD;
  if (isCalm()) seconds = total;
  const future = Math.max(0, seconds - past - HOLD);
  const step = Math.floor(future / pace);
  const ghost = framesOf(clip)[Math.min(here + step, last)];
  if (seconds < past) {
    stage.draw(clip, Math.floor(seconds / pace));
    mark(seconds - past, past, ahead);
  } else if (!preview) {
    stage.draw(clip, here, ghost && step ? [[ghost, 0.38]] : []);
    mark(Math.min(future, ahead), past, ahead);
  } else {
    const mine = { ...clip, frames: preview.frames, images: preview.images, window: clip.window };
    stage.draw(mine, Math.min(step, framesOf(preview).length - 1), ghost && step ? [[ghost, 0.38]] : []);
    clip.window = mine.window;
    mark(Math.min(future, ahead), past, ahead);
  }
  return total;
});

/** Where in time the picture is. */
function mark(seconds, past, ahead) {
  const all = past + ahead || 1;
  $("cursor").style.left = `${100 * (seconds + past) / all}%`;
  $("now-mark").style.left = `${100 * past / all}%`;
  const text = seconds < -0.04 ? `${(-seconds).toFixed(1)} s before the question`
    : seconds < 0.04 ? "The moment in question: what should be done?"
    : preview ? `In ${seconds.toFixed(1)} s, if you do this (the pale one: the learner's way)`
    : `In ${seconds.toFixed(1)} s, as the learner would have it`;
  if ($("caption").textContent !== text) $("caption").textContent = text;
}

async function fetchClip(round, row) {
  const name = `${state.began}.${round}.${row}`;
  if (!clips.has(name)) {
    if (clips.size > 30) clips.delete(clips.keys().next().value);
    const promise = get(`/api/clip/${round}/${row}`);
    promise.catch(() => clips.delete(name));
    clips.set(name, promise);
  }
  return clips.get(name);
}

// ---- Showing what the server told.

function take(told) {
  if (state && told.began === state.began && told.version < state.version) return;
  const fresh = !state || told.began !== state.began;
  state = told;
  if (fresh) begin();
  render();
}

function begin() {
  live?.renew();
  shownRounds ??= state.curve.length;
  // A server that was started anew goes on with the same lesson: what the person was about to say stays.
  const lesson = JSON.stringify([state.task, state.controls, state.takes_over]);
  if (begun === lesson) return;
  begun = lesson;
  document.body.classList.toggle("takes-over", state.takes_over);
  keys = new Keys(state.controls);
  controls = makeControls($("controls"), state.controls, chosen);
  keys.label();
  if (state.takes_over) live ??= new Live(stage, () => controls, () => keys);
  question = null;
}

function render() {
  const { task, aim, phase, round, rounds, left, total, curve } = state;
  document.body.dataset.phase = phase;
  document.title = `${task} · Tutelage`;
  $("task").textContent = `Teaching ${task}`;
  $("aim").textContent = `${aim[0].toUpperCase()}${aim.slice(1)} · ${state.algorithm}`;
  $("round-text").textContent = round ? `Round ${Math.min(round, rounds)} of ${rounds}` : "";
  $("round-bar").value = phase === "finished" ? 1 : total ? (total - left) / total : 0;
  $("trouble").hidden = !state.trouble;
  $("trouble").textContent = state.trouble ? `The run could not go on: ${state.trouble}` : "";
  $("left").textContent = phase === "asking" ? String(left) : "–";
  const each = state.teacher.seconds;
  $("time-left").textContent = phase === "asking" && each ? duration(each * left) : "–";
  $("answers").textContent = String(state.annotations);
  $("account").textContent = state.teacher_words;
  const last = curve.at(-1);
  $("earns").textContent = last ? short(last[1]) : "–";
  chart($("curve"), { series: [{ name: "reward", points: curve }], x: "answers", y: "reward", title: "What the policy earns, over answers" });
  if (curve.length > shownRounds) resting = performance.now() + 1000 * REST;
  shownRounds = curve.length;
  showFilm();
  showQuestion();
}

function duration(seconds) {
  return seconds < 90 ? `${Math.max(1, Math.round(seconds))} s` : `${Math.round(seconds / 60)} min`;
}

let filmed = null;
async function showFilm() {
  const name = `${state.began}.${state.film}`;
  if (state.film === null || filmed === name) return;
  filmed = name;
  const told = await get("/api/film").catch(() => null);
  if (!told) return;
  $("film-box").hidden = false;
  $("film-caption").textContent = state.film ? `What it does after round ${state.film}: ${short(told.reward)} earned here` : "What it does before any answer";
  film.play(told);
  mainFilm.told = told;
  if (!$("veil").hidden) playMain();
}

/** Shows what the policy does now on the large stage. */
function playMain() {
  loop.stop();
  if (!mainFilm.told || mainFilm.loop.running) return;
  mainFilm.play(mainFilm.told);
}

function showQuestion() {
  const asks = state.phase === "asking" && state.question;
  if (state.phase === "driving" && !resting) return showDriving();
  if (!asks || resting) return showBetween();
  mainFilm.loop.stop();
  document.body.classList.remove("between");
  $("veil").hidden = true;
  for (const [round, row] of state.next) fetchClip(round, row).catch(() => {});
  const same = question && question.ticket === state.question.ticket && JSON.stringify(question.standing) === JSON.stringify(state.question.standing);
  $("undo").disabled = !state.can_undo;
  if (same) return enable(true);
  question = state.question;
  [clip, preview, asked] = [null, null, performance.now()];
  const answered = question.standing.answered ?? null;
  controls.show({ action: answered, intended: question.intended });
  const back = question.standing !== "open";
  $("ask").textContent = back ? "Once more: what should be done here?" : "What should be done here?";
  document.body.dataset.ticket = question.ticket;
  $("state-box").dataset.state = JSON.stringify(question.state);
  numbers();
  words();
  enable(true);
  const mine = question;
  fetchClip(question.question_round, question.row).then((told) => {
    if (question !== mine) return;
    clip = { ...told };
    loop.start();
    if (answered) tryOut();
  }, (error) => { $("caption").textContent = error.message; });
}

function numbers() {
  const { state: values, reward, time } = question;
  const line = (name, value) => {
    const row = document.createElement("div");
    row.append(Object.assign(document.createElement("dt"), { textContent: name }), Object.assign(document.createElement("dd"), { textContent: value }));
    return row;
  };
  const list = document.createElement("dl");
  list.className = "numbers";
  if (time !== null) list.append(line("Step of its episode", time), line("Earned before it", short(reward)));
  values.forEach((value, i) => list.append(line(state.state_names[i] ?? `number ${i + 1}`, value.toFixed(3))));
  $("state").replaceChildren(list);
}

/** Says what is chosen and what the learner would do. */
function words() {
  const learner = question?.intended.length ? controls.words(question.intended) : null;
  const own = controls.action ? `You: ${controls.words(controls.action)}. ` : "";
  $("choice-text").textContent = own + (learner ? `The learner would: ${learner}.` : "");
}

function showBetween() {
  question = null;
  document.body.classList.add("between");
  controls.show({ action: null, intended: [] });
  $("choice-text").textContent = $("caption").textContent = "";
  enable(false);
  $("undo").disabled = !(state.phase === "closing" && state.can_undo);
  const { phase, curve, usual, elapsed } = state;
  const [now, before] = [curve.at(-1), curve.at(-2)];
  const result = now ? `It earns ${short(now[1])} now${before ? `, ${short(before[1])} before` : ""}.` : "";
  const text = {
    beginning: "The lesson begins…",
    collecting: "The learner tries it out…",
    driving: "The learner is about to drive.",
    asking: "The next questions are ready.",
    closing: "All questions of this round are answered. Training begins in a moment.",
    training: `The learner trains on ${state.annotations === 1 ? "your answer" : `your ${state.annotations} answers`}…`,
    evaluating: "The new policy plays its episodes…",
    finished: "That was the last round. Thank you.",
    stopped: "The run was stopped. Everything is saved; it goes on from here next time.",
    failed: "The run could not go on. What you saved is safe.",
  }[phase];
  $("ask").textContent = { finished: "Done", closing: "Round answered", failed: "Stopped", stopped: "Stopped" }[phase] ?? "Between rounds";
  $("veil").hidden = false;
  playMain();
  $("veil-text").textContent = text;
  $("veil-more").textContent = ["finished", "asking", "driving", "collecting"].includes(phase) ? result : "";
  $("go-on").hidden = !(phase === "closing" || resting);
  $("go-on").firstChild.textContent = phase === "closing" ? "Train now " : "Go on ";
  const bar = $("veil-bar");
  bar.hidden = ["finished", "stopped", "failed"].includes(phase);
  progress(bar, elapsed, usual);
  if (phase === "training") watchTraining();
}

let ticking = 0;
let trained = null; // the share of the training that is done, where the learner can tell

/** Fills the bar: by what is done where that is known, by how long it took the last time where not. */
function progress(bar, elapsed, usual) {
  cancelAnimationFrame(ticking);
  const began = performance.now() - 1000 * elapsed;
  const tick = () => {
    const share = state.phase === "training" && !resting ? trained : null;
    if (resting) bar.value = 1 - Math.max(0, resting - performance.now()) / (1000 * REST);
    else if (share !== null) bar.value = share;
    else if (usual) bar.value = Math.min(0.98, (performance.now() - began) / (1000 * usual));
    else bar.removeAttribute("value");
    if (share !== null) $("veil-more").textContent = `${Math.round(100 * share)} % of the training is done.`;
    if (resting && performance.now() > resting) return goOn();
    if (!$("veil").hidden) ticking = requestAnimationFrame(tick);
  };
  tick();
}

/** Asks how far training has come, for as long as it takes. */
async function watchTraining() {
  if (watchTraining.under_way) return;
  watchTraining.under_way = true;
  for (trained = null; state.phase === "training"; await wait(150)) {
    trained = (await get("/api/training").catch(() => ({ share: null }))).share;
  }
  watchTraining.under_way = false;
}

/** On to what comes next. */
function goOn() {
  if (state.phase === "closing") return post("/api/close").then(take, explain);
  if (!resting) return;
  resting = null;
  render();
}

function showDriving() {
  mainFilm.loop.stop();
  document.body.classList.remove("between");
  $("veil").hidden = true;
  $("ask").textContent = "Take over when you would do otherwise";
  question = null;
  enable(false);
  live.attend();
}

function enable(on) {
  for (const id of ["save", "agree", "skip", "unsure"]) $(id).disabled = !on || busy;
  if (on) $("save").disabled = busy || !controls.action;
  if (on) $("agree").disabled = busy || !question?.intended.length;
}

// ---- Answering.

/** The person has set an action; the same one twice means it. */
function chosen(again) {
  if (state.takes_over || !question) return;
  words();
  enable(true);
  if (again || (state.controls.choice && $("at-once").checked)) return reply("answer");
  tryOut();
}

let trying = false, wanted = false;
/** Asks what the action would lead to; while one preview is made, only the last wish counts. */
async function tryOut() {
  if (trying) { wanted = true; return; }
  trying = true;
  do {
    wanted = false;
    const mine = question;
    if (!mine || !controls.action) break;
    const body = { round: mine.question_round, row: mine.row, action: controls.action, then: $("then-learner").checked ? "learner" : "hold" };
    const told = await post("/api/preview", body).catch(() => null);
    if (told && question === mine && !wanted && controls.action) {
      preview = told;
      document.body.dataset.previewed = mine.ticket;
      loop.start();
      if (told.ended) $("choice-text").textContent += " The episode would end there.";
    }
  } while (wanted);
  trying = false;
}

/** Sends a reply until the server has it, and shows it as saved only then. */
async function reply(what) {
  if (busy || !question) return;
  if (what === "answer" && !controls.action) return say("Choose an action first, with the keys or the mouse.");
  const mine = question;
  const action = what === "answer" ? controls.action : what === "agree" ? mine.intended : null;
  const body = {
    ticket: mine.ticket,
    id: freshName(),
    what,
    action: what === "answer" ? action : null,
    before: mine.standing,
    seconds: (performance.now() - asked) / 1000,
  };
  busy = true;
  enable(false);
  for (let pause = 100; ; pause = Math.min(1.5 * pause, 600)) {
    try {
      const told = await post("/api/reply", body);
      busy = false;
      saved(mine, what, action);
      take(told.state);
      enable(Boolean(question)); // the same news may have come before, while the answer was under way
      break;
    } catch (error) {
      if (error instanceof Refused && error.status < 500) {
        busy = false;
        explain(error);
        question = null;
        await get("/api/state").then(take, () => {});
        break;
      }
      say(error instanceof Refused ? `Not saved yet: ${error.message}` : "Not saved yet: there is no connection. Trying again…", true);
      await wait(pause);
    }
  }
}

function saved(mine, what, action) {
  const text = { answer: controls.words(action), agree: `the learner is right (${controls.words(action)})`, skip: "skipped", unsure: "unsure" }[what];
  say(`Saved: ${text}.`);
  const item = document.createElement("li");
  item.textContent = `Round ${mine.question_round}, question ${mine.row + 1}: ${text}`;
  Object.assign(item.dataset, { ticket: mine.ticket, what, action: JSON.stringify(action) });
  $("last").prepend(item);
  while ($("last").children.length > 8) $("last").lastChild.remove();
}

function say(text, trouble = false) {
  $("saved").textContent = text;
  $("saved").classList.toggle("unsaved", trouble);
}

function explain(error) {
  say(error.message ?? String(error), true);
}

async function undo() {
  if (busy || $("undo").disabled) return;
  await post("/api/undo").then(take, explain);
}

// ---- Keys, buttons, gamepad.

function act(what, event = {}) {
  if (!state || $("settings").open) return false;
  if (state.takes_over && state.phase === "driving" && !resting && live.press(what)) return true;
  if (what === "save" && !$("veil").hidden) { goOn(); return true; }
  if (what === "undo") { undo(); return true; }
  if (!question) return false;
  if (controls.press(what, { fine: event.shiftKey })) return true;
  switch (what) {
    case "save": reply("answer"); return true;
    case "agree": case "skip": case "unsure": reply(what); return true;
    case "replay": preview = null; loop.start(); return true;
    case "then": $("then-learner").checked = !$("then-learner").checked; tryOut(); return true;
    case "zoom": stage.near = !stage.near; if (clip) clip.window = null; return true;
    default: return false;
  }
}

addEventListener("keydown", (event) => {
  const what = keys?.what(event);
  const typing = event.target.matches?.("input[type=range]") && event.key.startsWith("Arrow");
  // Buttons and boxes that have the focus keep Enter and Space for themselves.
  const theirs = event.target.matches?.("button, summary, input[type=checkbox], a") && [" ", "Enter"].includes(event.key);
  if (!what || typing || theirs) return;
  if (event.repeat && !what.startsWith("act-")) return event.preventDefault();
  if (act(what, event)) event.preventDefault();
});

for (const id of ["agree", "skip", "unsure"]) $(id).onclick = () => { reply(id); $("stage-panel").focus({ preventScroll: true }); };
$("save").onclick = () => { reply("answer"); $("stage-panel").focus({ preventScroll: true }); };
$("undo").onclick = () => { undo(); $("stage-panel").focus({ preventScroll: true }); };
$("go-on").onclick = goOn;
$("then-learner").onchange = tryOut;
$("stage").onclick = () => { preview = null; loop.start(); };
$("settings-button").onclick = () => { keys.list($("key-list")); $("settings").showModal(); };
$("settings-close").onclick = () => $("settings").close();
$("keys-reset").onclick = () => { keys.reset(); keys.list($("key-list")); };
$("at-once").checked = localStorage.getItem("tutelage-at-once") === "yes";
$("at-once").onchange = () => localStorage.setItem("tutelage-at-once", $("at-once").checked ? "yes" : "no");

watchGamepad(({ axes, fresh }) => {
  if (live?.stick(axes)) return;
  const action = question && !busy ? controls.stick(axes) : null;
  if (action && JSON.stringify(action) !== JSON.stringify(controls.action)) controls.set(action);
  ["save", "undo", "agree", "skip"].forEach((what, i) => { if (fresh[i]) act(what); });
});

listen("/api/events", take, (lost) => {
  document.body.classList.toggle("offline", lost);
  if (lost) say("There is no connection to the server. What you saved is safe; the page goes on by itself when it is back.", true);
  else if ($("saved").classList.contains("unsaved") && !busy) say("Connected.");
});
