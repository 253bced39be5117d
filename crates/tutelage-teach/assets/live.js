// Taking over: the learner drives until the person uses the controls.

import { $ } from "/dom.js";
import { listen, post } from "/server.js";

/** Milliseconds between messages; the server treats silence as released controls. */
const BEAT = 60;

export class Live {
  constructor(stage, controls, keys) {
    Object.assign(this, { stage, controls, keys, running: false, down: new Set(), last: "" });
    addEventListener("keydown", (event) => this.hold(event, true));
    addEventListener("keyup", (event) => this.hold(event, false));
    addEventListener("blur", () => { this.down.clear(); this.pause(); });
    document.addEventListener("visibilitychange", () => { if (document.hidden) this.pause(); });
    $("drive").onclick = () => { this.toggle(); $("stage-panel").focus({ preventScroll: true }); };
    setInterval(() => this.report(), BEAT);
    listen("/api/frames", (frame) => this.show(frame));
  }

  /** After a restart of the server, nothing is held. */
  renew() {
    this.running = false;
    this.down.clear();
  }

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
    this.report(true);
  }

  pause() {
    if (this.running) this.toggle();
  }

  hold(event, down) {
    const what = this.keys()?.what(event);
    if (!what || !/^act-/.test(what)) return;
    if (down) this.down.add(what);
    else this.down.delete(what);
    this.report(true);
  }

  stick(axes) {
    if (document.body.dataset.phase !== "driving") return false;
    this.leaned = this.controls().stick(axes);
    return true;
  }

  /** The person's action by keys, pad or stick; null if all controls are released. */
  action() {
    const controls = this.controls();
    return controls.held([...this.down]) ?? (controls.grabbed ? controls.action : null) ?? this.leaned ?? null;
  }

  report(now = false) {
    if (document.body.dataset.phase !== "driving") return;
    const action = this.running ? this.action() : null;
    const message = JSON.stringify([this.running, action]);
    if (!now && message === this.last && !this.running) return;
    this.last = message;
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
    $("caption").textContent = `${who} · episode ${frame.episode + 1}, step ${frame.time} · ${frame.reward.toFixed(0)} reward`;
    const steps = frame.driven - (own ? frame.unsaved : 0);
    $("saved").textContent = frame.driven ? `${Math.max(steps, 0)} steps of your driving in this round are saved.` : "You have not taken over in this round yet.";
    $("saved").classList.remove("unsaved");
    document.body.dataset.driven = frame.driven;
  }
}
