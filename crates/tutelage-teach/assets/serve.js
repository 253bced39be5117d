// The run browser: a list of runs, a page per run, and a comparison of algorithms.

import { chart, spark } from "/chart.js";
import { $, make, makeTable, short } from "/dom.js";
import { get, listen } from "/server.js";
import { Film } from "/stage.js";

const main = $("main");
let list = null;
let filterText = "";
let film = null;
let refreshRun = null; // updates the page of a run when the list changes
let compared = null; // the comparison of a version of the list

const card = (...children) => make("section", { className: "card" }, ...children);
const heading = (text) => make("h2", { textContent: text });
const note = (text) => make("p", { className: "small", textContent: text });

/** The status of a run, as a label. */
function badge(run) {
  const finished = run.rounds && run.lines.length >= run.rounds;
  const [text, kind] = run.trouble ? ["unreadable", "broken"]
    : finished ? ["finished", "done"]
    : run.open_queries ? [`${run.open_queries} open questions`, "waits"]
    : Date.now() / 1000 - run.changed < 60 ? ["running", "waits"] : ["not finished", ""];
  return make("span", { className: `badge ${kind}`, textContent: text });
}

const curve = (run) => run.lines.map((line) => [line.annotations, line.reward]);
const teacherOf = (run) => (run.teacher === "person" ? "a person" : run.teacher);

function showList() {
  const filter = make("input", { className: "filter", type: "search", placeholder: "Task, algorithm, folder…", value: filterText });
  filter.setAttribute("aria-label", "Filter the runs by words");
  const box = make("div");
  const update = () => {
    const words = filterText.toLowerCase().split(/\s+/).filter(Boolean);
    const shown = list.runs.filter((run) => words.every((word) => `${run.name} ${run.task} ${run.algorithm} ${run.teacher}`.toLowerCase().includes(word)));
    const rows = shown.map((run) => [
      make("a", { href: `#run=${encodeURIComponent(run.name)}`, textContent: run.task || run.name }),
      run.algorithm, run.lines.length ? short(run.lines.at(-1).reward) : "–", badge(run), spark(curve(run)),
      String(run.annotations), `${run.lines.length}${run.rounds ? ` of ${run.rounds}` : ""}`, run.seed, teacherOf(run), run.name,
    ]);
    const headings = ["Task", "Algorithm", "Reward", "Status", "Curve", "Answers", "Rounds", "Seed", "Teacher", "Folder"];
    box.replaceChildren(makeTable(headings, rows, new Set([2, 5, 6, 7])));
  };
  filter.oninput = () => { filterText = filter.value; update(); };
  update();
  main.replaceChildren(card(filter, box, list.runs.length ? "" : note("There are no runs below this folder yet. New runs appear here.")));
}

function showRun(name) {
  const run = list.runs.find((one) => one.name === name);
  if (!run) return main.replaceChildren(card(note("There is no such run.")));
  const steps = run.lines.at(-1)?.expert_steps;
  const driven = steps ? ` and ${steps} steps of driving` : "";
  const box = make("div");
  const facts = note(`${run.name} · ${run.annotations} answers${driven} by ${run.teacher === "person" ? "a person" : `the expert “${run.teacher}”`} · seed ${run.seed}`);
  const left = card(make("h2", {}, `${run.algorithm} on ${run.task} `, badge(run)), facts, box, note(run.trouble ?? ""));
  const spec = card(heading("Spec"), make("pre", { className: "spec", textContent: run.spec, tabIndex: 0 }));
  spec.classList.add("wide");
  film?.loop.stop();
  const right = run.policies.length ? filmCard(run) : card(heading("The policy"), note("No policy was kept."));
  main.replaceChildren(make("div", { className: "run-view" }, left, right, spec));
  const level = run.expert === null ? null : { name: "expert", value: run.expert };
  const draw = () => chart(box, curve(run), `The reward of ${run.name} over answers`, { level, height: 300 });
  draw();
  refreshRun = () => {
    run.lines = list.runs.find((one) => one.name === name)?.lines ?? run.lines;
    draw();
  };
}

function filmCard(run) {
  const canvas = make("canvas", { className: "run-film" });
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", "A film of the policy");
  const rounds = make("select", { className: "filter" }, ...run.policies.slice().reverse().map((round) => make("option", { value: round, textContent: round ? `after round ${round}` : "before the first round" })));
  rounds.setAttribute("aria-label", "Round of the policy");
  const caption = note("");
  film = new Film(canvas);
  const playing = film;
  rounds.onchange = async () => {
    caption.textContent = "Loading the film…";
    try {
      const clip = await get(`/api/film/${encodeURIComponent(run.name)}/${rounds.value}`);
      caption.textContent = `Reward in this film: ${short(clip.reward)}`;
      playing.play(clip);
    } catch (error) { caption.textContent = error.message; }
  };
  rounds.onchange();
  return card(heading("The policy"), rounds, canvas, caption);
}

/** A number with its interval. */
const withInterval = (interval) => interval && Number.isFinite(interval.estimate)
  ? `${short(interval.estimate)}${interval.low === null ? "" : ` [${short(interval.low)}, ${short(interval.high ?? Infinity)}]`}` : "–";

async function showCompare() {
  if (compared?.version !== list.version) {
    const { version } = list;
    const page = await get("/api/compare").catch(() => null);
    if (!page || location.hash !== "#compare") return;
    compared = { ...page, version };
  }
  const { panels, notes } = compared;
  if (!panels.length) return main.replaceChildren(card(note("A comparison needs two runs of the same task, with different algorithms or seeds.")));
  const headings = ["Algorithm", "Seeds", "Answers", "Last five rounds", "All rounds", "Answers to 90 % of the expert"];
  const cards = panels.map(({ title, figure, rows }) => {
    const image = make("img", { className: "figure", src: `data:image/svg+xml,${encodeURIComponent(figure)}`, alt: `${title}: reward over annotations, by algorithm` });
    const cells = rows.map((row) => [row.curve, String(row.seeds), short(row.annotations), withInterval(row.last_five), withInterval(row.average), withInterval(row.to_reach[2])]);
    return card(heading(title), image, note("Means over seeds with 95 % intervals, as in tutelage compare."), makeTable(headings, cells, new Set([1, 2, 3, 4, 5])));
  });
  main.replaceChildren(make("div", { className: "panels" }, ...cards), ...(notes.length ? [card(heading("Notes"), ...notes.map(note))] : []));
}

function show() {
  if (!list) return;
  const hash = location.hash.slice(1);
  $("folder").textContent = `below ${list.folder}`;
  for (const [id, selected] of [["tab-list", hash !== "compare"], ["tab-compare", hash === "compare"]]) {
    if (selected) $(id).setAttribute("aria-current", "page");
    else $(id).removeAttribute("aria-current");
  }
  refreshRun = null;
  if (hash === "compare") showCompare();
  else if (hash.startsWith("run=")) showRun(decodeURIComponent(hash.slice(4)));
  else showList();
}

addEventListener("hashchange", () => { show(); main.focus(); });

listen("/api/events", async (version) => {
  if (list?.version === version) return;
  list = await get("/api/runs").catch(() => list);
  // On the page of a run, update only the curve: the film keeps playing.
  if (refreshRun && list) refreshRun();
  else show();
}, (lost) => { $("connection").textContent = lost ? "No connection" : ""; });
