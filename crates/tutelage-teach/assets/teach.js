// The page on which a person teaches.

import { chart } from "/chart.js";
import { makeControls } from "/controls.js";
import { $, make, short } from "/dom.js";
import { Keys, watchGamepad } from "/keys.js";
import { Live } from "/live.js";
import { get, post, listen, uniqueId, wait, Refused } from "/server.js";
import { Film, Loop, Stage, framesOf, isCalm } from "/stage.js";

/** Seconds for which the result of a round is shown before the next question. */
const REST = 4;

let state = null; // the last state from the server
let question = null; // the question on the page
let clip = null;
let preview = null;
let controls, keys, live;
let asked = 0; // when the question appeared
let busy = false; // an answer is being sent
let lesson = null; // the lesson that the controls are for
let resting = null; // when to stop showing the result of a round
let shownRounds = null; // the number of finished rounds that the page has shown
const clips = new Map();

const stage = new Stage($("stage"));
const film = new Film($("film"));
const mainFilm = new Film($("stage")); // the new policy, between rounds
mainFilm.stage.below = () => (getComputedStyle($("veil")).position === "absolute" ? $("veil").offsetHeight : 0);

// ---- The clip: the past, the moment in question, and the future.

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
  if (seconds < past) stage.draw(clip, Math.floor(seconds / pace));
  else {
    const shown = preview ? { ...clip, frames: preview.frames, images: preview.images } : clip;
    const frame = preview ? Math.min(step, framesOf(preview).length - 1) : here;
    stage.draw(shown, frame, ghost && step ? [[ghost, 0.38]] : []);
    clip.window = shown.window;
  }
  mark(seconds < past ? seconds - past : Math.min(future, ahead), past, ahead);
  return total;
});

/** Shows the time of the frame. */
function mark(seconds, past, ahead) {
  const all = past + ahead || 1;
  $("cursor").style.left = `${100 * (seconds + past) / all}%`;
  $("now-mark").style.left = `${100 * past / all}%`;
  const text = seconds < -0.04 ? `${(-seconds).toFixed(1)} s before the question`
    : seconds < 0.04 ? "The moment in question: what should be done?"
    : preview ? `In ${seconds.toFixed(1)} s, if you do this (translucent: the learner)`
    : `In ${seconds.toFixed(1)} s, if the learner continues`;
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

// ---- The state from the server.

function take(received) {
  if (state && received.began === state.began && received.version < state.version) return;
  const fresh = !state || received.began !== state.began;
  state = received;
  if (fresh) begin();
  render();
}

function begin() {
  live?.renew();
  shownRounds ??= state.curve.length;
  // A restarted server usually continues the same lesson; then an unsaved answer stays.
  const received = JSON.stringify([state.task, state.controls, state.takes_over]);
  if (lesson === received) return;
  lesson = received;
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
  $("trouble").textContent = state.trouble ? `The run failed: ${state.trouble}` : "";
  $("left").textContent = phase === "asking" ? String(left) : "–";
  const each = state.teacher.seconds;
  $("time-left").textContent = phase === "asking" && each ? duration(each * left) : "–";
  $("answers").textContent = String(state.annotations);
  $("account").textContent = state.teacher_words;
  const last = curve.at(-1);
  $("earns").textContent = last ? short(last[1]) : "–";
  chart($("curve"), curve, "The reward of the policy over answers");
  if (curve.length > shownRounds) resting = performance.now() + 1000 * REST;
  shownRounds = curve.length;
  showFilm();
  showQuestion();
}

const duration = (seconds) => (seconds < 90 ? `${Math.max(1, Math.round(seconds))} s` : `${Math.round(seconds / 60)} min`);

let filmed = null;
async function showFilm() {
  const name = `${state.began}.${state.film}`;
  if (state.film === null || filmed === name) return;
  filmed = name;
  const clip = await get("/api/film").catch(() => null);
  if (!clip) return;
  $("film-box").hidden = false;
  $("film-caption").textContent = state.film ? `The policy after round ${state.film}: reward ${short(clip.reward)}` : "The policy before any answer";
  film.play(clip);
  mainFilm.next = clip;
  if (!$("veil").hidden) playMain();
}

/** Shows the film on the large canvas. */
function playMain() {
  loop.stop();
  if (!mainFilm.next || mainFilm.loop.running) return;
  mainFilm.play(mainFilm.next);
}

function showQuestion() {
  const asks = state.phase === "asking" && state.question;
  if (state.phase === "driving" && !resting) return showDriving();
  if (!asks || resting) return showBetween();
  mainFilm.loop.stop();
  document.body.classList.remove("between");
  $("veil").hidden = true;
  for (const { round, row } of state.next) fetchClip(round, row).catch(() => {});
  const same = question && question.ticket === state.question.ticket && JSON.stringify(question.standing) === JSON.stringify(state.question.standing);
  $("undo").disabled = !state.can_undo;
  if (same) return enable(true);
  question = state.question;
  [clip, preview, asked] = [null, null, performance.now()];
  const answered = question.standing.answered ?? null;
  controls.show({ action: answered, intended: question.intended });
  const back = question.standing !== "open";
  $("ask").textContent = back ? "Change your answer: what should be done here?" : "What should be done here?";
  document.body.dataset.ticket = question.ticket;
  $("state-box").dataset.state = JSON.stringify(question.state);
  showState();
  describe();
  enable(true);
  const mine = question;
  fetchClip(question.question_round, question.row).then((received) => {
    if (question !== mine) return;
    clip = { ...received };
    loop.start();
    if (answered) tryOut();
  }, (error) => { $("caption").textContent = error.message; });
}

function showState() {
  const { state: values, reward, time } = question;
  const line = (name, value) => make("div", {}, make("dt", { textContent: name }), make("dd", { textContent: value }));
  const list = make("dl", { className: "numbers" });
  if (time !== null) list.append(line("Step of the episode", time), line("Reward so far", short(reward)));
  values.forEach((value, i) => list.append(line(state.state_names[i] ?? `number ${i + 1}`, value.toFixed(3))));
  $("state").replaceChildren(list);
}

/** Names the chosen action and the learner's. */
function describe() {
  const learner = question?.intended.length ? controls.words(question.intended) : null;
  const own = controls.action ? `You: ${controls.words(controls.action)}. ` : "";
  $("choice-text").textContent = own + (learner ? `Learner: ${learner}.` : "");
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
  const result = now ? `The reward is ${short(now[1])}${before ? `, previously ${short(before[1])}` : ""}.` : "";
  const text = {
    beginning: "Starting…",
    collecting: "The learner collects states…",
    driving: "The learner starts to drive.",
    asking: "The next questions are ready.",
    closing: "All questions of this round are answered. Training starts in a moment.",
    training: `The learner trains on ${state.annotations === 1 ? "your answer" : `your ${state.annotations} answers`}…`,
    evaluating: "The new policy is evaluated…",
    finished: "All rounds are finished. Thank you.",
    stopped: "The run was stopped. Everything is saved; it resumes here next time.",
    failed: "The run failed. Your saved answers are safe.",
  }[phase];
  $("ask").textContent = { finished: "Done", closing: "Round answered", failed: "Stopped", stopped: "Stopped" }[phase] ?? "Between rounds";
  $("veil").hidden = false;
  playMain();
  $("veil-text").textContent = text;
  $("veil-more").textContent = ["finished", "asking", "driving", "collecting"].includes(phase) ? result : "";
  $("go-on").hidden = !(phase === "closing" || resting);
  $("go-on").firstChild.textContent = phase === "closing" ? "Train now " : "Continue ";
  const bar = $("veil-bar");
  bar.hidden = ["finished", "stopped", "failed"].includes(phase);
  progress(bar, elapsed, usual);
  if (phase === "training") watchTraining();
}

let ticking = 0;
let trained = null; // the finished share of the training, if known

/** Fills the bar by the finished share, or else by the time that the phase took in the last round. */
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

/** Polls the progress of the training. */
async function watchTraining() {
  if (watchTraining.running) return;
  watchTraining.running = true;
  for (trained = null; state.phase === "training"; await wait(150)) {
    trained = (await get("/api/training").catch(() => ({ share: null }))).share;
  }
  watchTraining.running = false;
}

/** Continues with training or the next question. */
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
  $("ask").textContent = "Take over when you would act differently";
  question = null;
  enable(false);
  live.label();
}

function enable(on) {
  for (const id of ["save", "agree", "skip", "unsure"]) $(id).disabled = !on || busy;
  if (on) $("save").disabled = busy || !controls.action;
  if (on) $("agree").disabled = busy || !question?.intended.length;
}

// ---- Answering.

/** The person has set an action; choosing the same button again answers. */
function chosen(again) {
  if (state.takes_over || !question) return;
  describe();
  enable(true);
  if (again || (state.controls.choice && $("at-once").checked)) return reply("answer");
  tryOut();
}

let trying = false, wanted = false;
/** Requests a preview of the action; while one is computed, only the last request is kept. */
async function tryOut() {
  if (trying) { wanted = true; return; }
  trying = true;
  do {
    wanted = false;
    const mine = question;
    if (!mine || !controls.action) break;
    const body = { round: mine.question_round, row: mine.row, action: controls.action, then: $("then-learner").checked ? "learner" : "hold" };
    const received = await post("/api/preview", body).catch(() => null);
    if (received && question === mine && !wanted && controls.action) {
      preview = received;
      document.body.dataset.previewed = mine.ticket;
      loop.start();
      if (received.ended) $("choice-text").textContent += " The episode would end there.";
    }
  } while (wanted);
  trying = false;
}

/** Sends a reply until the server has saved it, and only then shows it as saved. */
async function reply(what) {
  if (busy || !question) return;
  if (what === "answer" && !controls.action) return say("Choose an action first, with the keys or the mouse.");
  const mine = question;
  const action = what === "answer" ? controls.action : what === "agree" ? mine.intended : null;
  const body = {
    ticket: mine.ticket,
    id: uniqueId(),
    what,
    action: what === "answer" ? action : null,
    before: mine.standing,
    seconds: (performance.now() - asked) / 1000,
  };
  busy = true;
  enable(false);
  for (let pause = 100; ; pause = Math.min(1.5 * pause, 600)) {
    try {
      const saving = await post("/api/reply", body);
      busy = false;
      saved(mine, what, action);
      take(saving.state);
      enable(Boolean(question)); // an event may have shown the next question already, with disabled buttons
      break;
    } catch (error) {
      if (error instanceof Refused && error.status < 500) {
        busy = false;
        explain(error);
        question = null;
        await get("/api/state").then(take, () => {});
        break;
      }
      say(error instanceof Refused ? `Not saved yet: ${error.message}` : "Not saved yet: no connection. Retrying…", true);
      await wait(pause);
    }
  }
}

function saved(mine, what, action) {
  const text = { answer: controls.words(action), agree: `the learner is right (${controls.words(action)})`, skip: "skipped", unsure: "unsure" }[what];
  say(`Saved: ${text}.`);
  const item = make("li", { textContent: `Round ${mine.question_round}, question ${mine.row + 1}: ${text}` });
  Object.assign(item.dataset, { ticket: mine.ticket, what, action: JSON.stringify(action) });
  $("last").prepend(item);
  while ($("last").children.length > 8) $("last").lastChild.remove();
}

function say(text, trouble = false) {
  $("saved").textContent = text;
  $("saved").classList.toggle("unsaved", trouble);
}

const explain = (error) => say(error.message, true);

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
  const sliding = event.target.matches?.("input[type=range]") && event.key.startsWith("Arrow");
  // A focused button or checkbox handles Enter and Space itself.
  const handled = event.target.matches?.("button, summary, input[type=checkbox], a") && [" ", "Enter"].includes(event.key);
  if (!what || sliding || handled) return;
  if (event.repeat && !what.startsWith("act-")) return event.preventDefault();
  if (act(what, event)) event.preventDefault();
});

for (const id of ["save", "agree", "skip", "unsure", "undo"]) $(id).onclick = () => { act(id); $("stage-panel").focus({ preventScroll: true }); };
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
  if (lost) say("No connection to the server. Your saved answers are safe; the page continues when the server is back.", true);
  else if ($("saved").classList.contains("unsaved") && !busy) say("Connected.");
});
