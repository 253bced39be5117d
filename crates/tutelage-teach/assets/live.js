// Taking over: the learner drives, and whoever holds the controls drives instead.

import { listen, post } from "/server.js";

const $ = (id) => document.getElementById(id);

/** How often the server hears of the person's hands, in milliseconds: who is silent has let go. */
const BEAT = 60;

export class Live {
  constructor(stage, controls, keys) {
    Object.assign(this, { stage, controls, keys, running: false, down: new Set(), last: "" });
    addEventListener("keydown", (event) => this.hold(event, true));
    addEventListener("keyup", (event) => this.hold(event, false));
    addEventListener("blur", () => { this.down.clear(); this.pause(); });
    document.addEventListener("visibilitychange", () => { if (document.hidden) this.pause(); });
    $("drive").onclick = () => { this.toggle(); $("stage-panel").focus({ preventScroll: true }); };
    setInterval(() => this.tell(), BEAT);
    listen("/api/frames", (frame) => this.show(frame));
  }

  /** Another server, another lesson: nothing is held. */
  renew() {
    this.running = false;
    this.down.clear();
  }

  /** The page shows the drive now. */
  attend() { this.label(); }

  label() {
    $("drive").firstChild.textContent = this.running ? "Pause " : "Start ";
  }

  press(what) {
    if (what !== "start") return /^act-/.test(what);
    this.toggle();
    return true;
  }

  toggle() {
    this.running = !this.running;
    this.label();
    this.tell(true);
  }

  pause() {
    if (this.running) this.toggle();
  }

  hold(event, down) {
    const what = this.keys()?.what(event);
    if (!what || !/^act-/.test(what)) return;
    if (down) this.down.add(what);
    else this.down.delete(what);
    this.tell(true);
  }

  stick(axes) {
    if (document.body.dataset.phase !== "driving") return false;
    this.leaned = this.controls().stick(axes);
    return true;
  }

  /** What the person does: keys, the pad under a finger, or a stick; null where the controls are let go. */
  action() {
    const controls = this.controls();
    return controls.held([...this.down]) ?? (controls.grabbed ? controls.action : null) ?? this.leaned ?? null;
  }

  tell(now = false) {
    if (document.body.dataset.phase !== "driving") return;
    const action = this.running ? this.action() : null;
    const said = JSON.stringify([this.running, action]);
    if (!now && said === this.last && !this.running) return;
    this.last = said;
    const number = Math.floor(1000 * (performance.timeOrigin + performance.now()));
    post("/api/live", { number, running: this.running, action }).catch(() => {});
  }

  show(frame) {
    if (!frame.clip || document.body.dataset.phase !== "driving" || !$("veil").hidden) return;
    this.stage.near = false;
    this.stage.draw(frame.clip, 0);
    const own = this.running ? this.action() : null;
    this.controls().show({ action: own, intended: frame.intended });
    document.body.classList.toggle("held", Boolean(own));
    const who = !this.running ? "Paused: press Start" : own ? "You drive" : "The learner drives";
    $("caption").textContent = `${who} · episode ${frame.episode + 1}, step ${frame.time} · ${frame.reward.toFixed(0)} earned`;
    const steps = frame.driven - (own ? frame.unsaved : 0);
    $("saved").textContent = frame.driven ? `${Math.max(steps, 0)} steps of your driving are saved in this round.` : "Nothing to save yet: you have not taken over in this round.";
    $("saved").classList.remove("unsaved");
    document.body.dataset.driven = frame.driven;
  }
}
