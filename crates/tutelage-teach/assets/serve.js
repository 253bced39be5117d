// The page of the runs: a list, each run by itself, and algorithms side by side.

import { chart, legend, short, spark } from "/chart.js";
import { get, listen } from "/server.js";
import { Film } from "/stage.js";

const main = document.getElementById("main");
let list = null;
let wanted = "";

const make = (name, attributes = {}, ...children) => {
  const element = Object.assign(document.createElement(name), attributes);
  element.append(...children.filter((child) => child !== null));
  return element;
};

const card = (...children) => make("section", { className: "card" }, ...children);

/** How a run stands: a word, and how it looks. */
function standing(run) {
  if (run.trouble) return ["cannot be read", "broken"];
  if (run.rounds && run.lines.length >= run.rounds) return ["finished", "done"];
  if (run.open_questions) return [`${run.open_questions} questions wait`, "waits"];
  return Date.now() / 1000 - run.changed < 60 ? ["running", "waits"] : ["not finished", ""];
}

const badge = (run) => {
  const [word, look] = standing(run);
  return make("span", { className: `badge ${look}`, textContent: word });
};

/** The steps that the teacher drove, where it drove any. */
const driven = (run) => {
  const steps = run.lines.at(-1)?.expert_steps;
  return steps ? ` and ${steps} steps driven` : "";
};

const curve = (run) => run.lines.map((line) => [line.annotations, line.reward]);
const address = (run) => `#run=${encodeURIComponent(run.name)}`;
const isPerson = (run) => run.teacher === "person";

function showList() {
  const filter = make("input", { className: "filter", type: "search", placeholder: "Task, algorithm, folder…", value: wanted });
  filter.setAttribute("aria-label", "Show only runs with these words");
  const body = make("tbody");
  const rows = () => {
    const words = wanted.toLowerCase().split(/\s+/).filter(Boolean);
    const shown = list.runs.filter((run) => words.every((word) => `${run.name} ${run.task} ${run.algorithm} ${run.teacher}`.toLowerCase().includes(word)));
    body.replaceChildren(...shown.map((run) => {
      const last = run.lines.at(-1);
      const cell = (content, name = "") => make("td", { className: name }, content);
      return make("tr", {},
        cell(make("a", { href: address(run), textContent: run.task || run.name })),
        cell(run.algorithm), cell(last ? short(last.reward) : "–", "number"),
        cell(badge(run)), cell(spark(curve(run))),
        cell(String(run.annotations), "number"),
        cell(`${run.lines.length}${run.rounds ? ` of ${run.rounds}` : ""}`, "number"), cell(run.seed, "number"),
        cell(isPerson(run) ? "a person" : run.teacher), cell(run.name));
    }));
  };
  filter.oninput = () => { wanted = filter.value; rows(); };
  rows();
  const heads = [["Task"], ["Algorithm"], ["Earns", 1], ["State"], ["Curve"], ["Answers", 1], ["Rounds", 1], ["Seed", 1], ["Teacher"], ["Folder"]];
  const head = make("tr", {}, ...heads.map(([text, number]) => make("th", { textContent: text, scope: "col", className: number ? "number" : "" })));
  const empty = list.runs.length ? null : make("p", { textContent: "There is no run below this folder yet. They appear here by themselves." });
  main.replaceChildren(card(filter, make("div", { className: "table-box" }, make("table", {}, make("thead", {}, head), body)), ...(empty ? [empty] : [])));
}

let film = null;
function showRun(name) {
  const run = list.runs.find((one) => one.name === name);
  if (!run) return main.replaceChildren(card(make("p", { textContent: "There is no such run." })));
  const box = make("div");
  const title = make("h2", {}, `${run.algorithm} on ${run.task} `, badge(run));
  const facts = make("p", { className: "small", textContent: `${run.name} · ${run.annotations} answers${driven(run)} by ${isPerson(run) ? "a person" : `the expert “${run.teacher}”`} · seed ${run.seed}` });
  const left = card(title, facts, box, make("p", { className: "small", textContent: run.trouble ?? "" }));
  const canvas = make("canvas", { className: "run-film" });
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", "A film of the policy");
  const rounds = make("select", { className: "filter" }, ...run.policies.slice().reverse().map((round) => make("option", { value: round, textContent: round ? `after round ${round}` : "before the first round" })));
  rounds.setAttribute("aria-label", "Which policy");
  const words = make("p", { className: "small" });
  const play = async () => {
    words.textContent = "Filming…";
    try {
      const told = await get(`/api/film?run=${encodeURIComponent(name)}&round=${rounds.value}`);
      words.textContent = `${short(told.reward)} earned in this film.`;
      if (film?.name !== name) film = Object.assign(new Film(canvas), { name });
      film.play(told);
    } catch (error) { words.textContent = error.message; }
  };
  rounds.onchange = play;
  const right = run.policies.length ? card(make("h2", { textContent: "What it does" }), rounds, canvas, words) : card(make("h2", { textContent: "What it does" }), make("p", { className: "small", textContent: "No policy was kept." }));
  const spec = card(make("h2", { textContent: "Spec" }), make("pre", { className: "spec", textContent: run.spec, tabIndex: 0 }));
  spec.classList.add("wide");
  main.replaceChildren(make("div", { className: "run-view" }, left, right, spec));
  film?.loop.stop();
  film = null;
  const draw = () => chart(box, { series: [{ name: run.algorithm, points: curve(run) }], level: run.expert === null ? null : { name: "expert", value: run.expert }, x: "answers", y: "reward", height: 300, title: `What ${run.name} earns, over answers` });
  draw();
  showRun.refresh = (fresh) => {
    const now = fresh.runs.find((one) => one.name === name);
    if (!now) return;
    run.lines = now.lines;
    draw();
  };
  if (run.policies.length) play();
}

let compared = null; // the comparison of a version of the list

/** A number with its interval. */
const between = (interval) => interval && Number.isFinite(interval.estimate)
  ? `${short(interval.estimate)}${interval.low === null ? "" : ` [${short(interval.low)}, ${short(interval.high ?? Infinity)}]`}` : "–";

async function showCompare() {
  if (compared?.version !== list.version) {
    const version = list.version;
    const told = await get("/api/compare").catch(() => null);
    if (!told || location.hash !== "#compare") return;
    compared = { ...told, version };
  }
  const { panels, notes, level } = compared;
  if (!panels.length) {
    return main.replaceChildren(card(make("p", { textContent: "Nothing to compare yet: it takes two runs of one task, by other algorithms or seeds." })));
  }
  const boxes = [];
  const percent = `${Math.round(100 * level)} %`;
  const cards = panels.map(({ title, expert, curves }) => {
    const box = make("div");
    const series = curves.map(({ name, runs, points }) => ({ name: `${name} (${runs.length} ${runs.length === 1 ? "seed" : "seeds"})`, points: points.map((point) => (point[2] === null ? point.slice(0, 2) : point)) }));
    boxes.push(() => chart(box, { series, level: expert === null ? null : { name: "expert", value: expert }, x: "answers", y: "reward", height: 320, title: `${title}: reward over answers, by algorithm` }));
    const heads = ["Algorithm", "Seeds", "Answers", "Last five rounds", "All rounds", "Answers to 90 % of the expert"];
    const head = make("tr", {}, ...heads.map((text, i) => make("th", { textContent: text, scope: "col", className: i ? "number" : "" })));
    const body = curves.filter(({ row }) => row).map(({ name, row }) => make("tr", {},
      ...[name, String(row.seeds), short(row.annotations), between(row.last_five), between(row.average), between(row.to_reach[2])]
        .map((text, i) => make("td", { textContent: text, className: i ? "number" : "" }))));
    return card(make("h2", { textContent: title }), box, legend(series),
      make("p", { className: "small", textContent: `Means over seeds with ${percent} intervals, as tutelage compare computes them.` }),
      make("div", { className: "table-box" }, make("table", {}, make("thead", {}, head), make("tbody", {}, ...body))));
  });
  const remarks = notes.length ? [card(make("h2", { textContent: "Notes" }), ...notes.map((note) => make("p", { className: "small", textContent: note })))] : [];
  main.replaceChildren(make("div", { className: "panels" }, ...cards), ...remarks);
  boxes.forEach((draw) => draw());
}

function show() {
  if (!list) return;
  const hash = location.hash.slice(1);
  const compares = hash === "compare";
  document.getElementById("folder").textContent = `below ${list.folder}`;
  document.getElementById("tab-list").toggleAttribute("aria-current", false);
  for (const [id, on] of [["tab-list", !compares], ["tab-compare", compares]]) {
    const tab = document.getElementById(id);
    if (on) tab.setAttribute("aria-current", "page");
    else tab.removeAttribute("aria-current");
  }
  showRun.refresh = null;
  if (compares) showCompare();
  else if (hash.startsWith("run=")) showRun(decodeURIComponent(hash.slice(4)));
  else showList();
}

addEventListener("hashchange", () => { show(); main.focus(); });
let timer;
addEventListener("resize", () => { clearTimeout(timer); timer = setTimeout(() => { if (!location.hash.startsWith("#run=")) show(); }, 150); });

listen("/api/events", async (version) => {
  if (list?.version === version) return;
  list = await get("/api/runs").catch(() => list);
  // A film that plays is not interrupted by a curve that grows.
  if (showRun.refresh && list) showRun.refresh(list);
  else show();
}, (lost) => { document.getElementById("connection").textContent = lost ? "No connection" : ""; });
