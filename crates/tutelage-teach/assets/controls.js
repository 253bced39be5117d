// Controls to set an action: buttons, a pad or sliders, depending on the task.

import { clamp, make } from "/dom.js";

/** The step of an arrow key, as a share of half the range; and with Shift. */
const STEP = 0.25;
const FINE = 0.05;

const cap = (what) => {
  const element = make("kbd");
  element.dataset.key = what;
  return element;
};

/** Makes the controls of a task. They call `changed` when the person sets an action. */
export function makeControls(box, controls, changed) {
  box.replaceChildren();
  if (controls.choice) return new Choice(box, controls.choice, changed);
  if (controls.axes.length === 2) return new Pad(box, controls.axes, changed);
  return new Sliders(box, controls.axes, changed);
}

class Controls {
  constructor(changed) {
    this.changed = changed;
    this.action = null;
  }

  show({ action, intended }) {
    Object.assign(this, { action, intended });
    this.paint();
  }
}

/** One of a few actions: a button each. */
class Choice extends Controls {
  constructor(box, names, changed) {
    super(changed);
    this.names = names;
    this.buttons = names.map((name, i) => {
      const button = make("button", { type: "button", className: "choice" }, make("span", { textContent: name }), cap(`act-${i}`));
      button.onclick = () => this.set([i]);
      return button;
    });
    box.append(make("div", { className: "choices", role: "group" }, ...this.buttons));
  }

  set(action) {
    const again = this.action && action && this.action[0] === action[0];
    this.action = action;
    this.paint();
    if (action) this.changed(again);
  }

  paint() {
    this.buttons.forEach((button, i) => {
      button.setAttribute("aria-pressed", String(this.action?.[0] === i));
      button.classList.toggle("intended", this.intended?.[0] === i);
    });
  }

  press(what) {
    const match = /^act-(\d+)$/.exec(what);
    if (!match || +match[1] >= this.names.length) return false;
    this.set([+match[1]]);
    return true;
  }

  /** The action of the keys that are held down. */
  held(keys) {
    const key = keys.find((what) => /^act-\d+$/.test(what));
    return key ? [+key.slice(4)] : null;
  }

  stick(axes) {
    const [x = 0, y = 0] = axes;
    if (Math.hypot(x, y) < 0.5) return null;
    const word = Math.abs(x) > Math.abs(y) ? (x < 0 ? /left/i : /right/i) : (y < 0 ? /up|gas/i : /down|brake/i);
    const i = this.names.findIndex((name) => word.test(name));
    return i < 0 ? null : [i];
  }

  words(action) { return action ? this.names[action[0]] : "–"; }
}

/** What pads and sliders share. */
class Numbers extends Controls {
  constructor(axes, changed) {
    super(changed);
    this.axes = axes;
    this.mirrored = axes.map((axis) => axis.low_label === "right" || axis.high_label === "left" || axis.high_label === "down");
  }

  middle() { return this.axes.map(({ low, high }) => (low <= 0 && high >= 0 ? 0 : (low + high) / 2)); }

  set(action) {
    this.action = action && action.map((value, i) => clamp(+value.toFixed(4), this.axes[i].low, this.axes[i].high));
    this.paint();
    if (action) this.changed(false);
  }

  press(what, { fine = false } = {}) {
    const match = /^act-(\d)-(low|high)$/.exec(what);
    if (!match) return false;
    const i = +match[1];
    const { low, high } = this.axes[i];
    const step = (fine ? FINE : STEP) * (high - low) / 2 * (match[2] === "low" ? -1 : 1);
    const action = (this.action ?? this.middle()).slice();
    action[i] += step;
    this.set(action);
    return true;
  }

  held(keys) {
    const action = this.middle();
    let any = false;
    for (const what of keys) {
      const match = /^act-(\d)-(low|high)$/.exec(what);
      if (!match) continue;
      const { low, high } = this.axes[+match[1]];
      const middle = this.middle()[+match[1]];
      action[+match[1]] = middle + 0.75 * ((match[2] === "low" ? low : high) - middle);
      any = true;
    }
    return any ? action : null;
  }

  stick(axes) {
    const [x = 0, y = 0] = axes;
    if (Math.hypot(x, y) < 0.15) return null;
    return this.axes.map(({ low, high }, i) => {
      let share = (i === 0 ? x : i === 1 ? -y : axes[i]) ?? 0;
      if (this.mirrored[i]) share = -share;
      return low + (clamp(share, -1, 1) + 1) / 2 * (high - low);
    });
  }

  words(action) {
    if (!action) return "–";
    return this.axes.map(({ name, low, high, low_label, high_label }, i) => {
      const value = action[i];
      const middle = this.middle()[i];
      const share = value >= middle ? (value - middle) / (high - middle) : (middle - value) / (middle - low);
      const end = value >= middle ? high_label : low_label;
      return share < 0.005 ? `${name} none` : `${name} ${end} ${Math.round(100 * share)} %`;
    }).join(", ");
  }
}

/** Two numbers: a square to point into. */
class Pad extends Numbers {
  constructor(box, axes, changed) {
    super(axes, changed);
    const label = (side, text, what) => make("span", { className: `end ${side}` }, make("span", { textContent: text }), cap(what));
    const [first, second] = axes;
    const [l, r] = this.mirrored[0] ? ["high", "low"] : ["low", "high"];
    this.learner = make("div", { className: "dot learner" });
    this.learner.title = "The learner's action";
    this.own = make("div", { className: "dot own" });
    this.square = make("div", { className: "pad", tabIndex: 0 }, make("div", { className: "cross" }), this.learner, this.own);
    this.square.setAttribute("role", "group");
    this.square.setAttribute("aria-label", `${first.name} and ${second.name}: arrow keys, or point`);
    box.append(make("div", { className: "pad-box" },
      label("above", second.high_label, "act-1-high"), label("left", first[`${l}_label`], `act-0-${l}`), this.square,
      label("right", first[`${r}_label`], `act-0-${r}`), label("below", second.low_label, "act-1-low")));
    const point = (event) => {
      const area = this.square.getBoundingClientRect();
      const shares = [(event.clientX - area.left) / area.width, 1 - (event.clientY - area.top) / area.height];
      this.set(axes.map(({ low, high }, i) => low + clamp(this.mirrored[i] ? 1 - shares[i] : shares[i], 0, 1) * (high - low)));
    };
    this.square.onpointerdown = (event) => { this.square.setPointerCapture(event.pointerId); this.grabbed = true; point(event); };
    this.square.onpointermove = (event) => { if (this.grabbed) point(event); };
    this.square.onpointerup = this.square.onpointercancel = () => { this.grabbed = false; };
  }

  place(dot, action) {
    dot.hidden = !action;
    if (!action) return;
    const share = (i) => {
      const { low, high } = this.axes[i];
      const share = clamp((action[i] - low) / (high - low), 0, 1);
      return this.mirrored[i] ? 1 - share : share;
    };
    dot.style.left = `${100 * share(0)}%`;
    dot.style.top = `${100 * (1 - share(1))}%`;
  }

  paint() {
    this.place(this.own, this.action);
    this.place(this.learner, this.intended?.length ? this.intended : null);
  }
}

/** One, three or four numbers: a slider each. */
class Sliders extends Numbers {
  constructor(box, axes, changed) {
    super(axes, changed);
    if (axes.length > 4) {
      box.append(make("p", { className: "small", textContent: `An action has ${axes.length} numbers, too many to set by hand. Choose “Learner is right” or skip.` }));
      this.inputs = [];
      return;
    }
    this.inputs = axes.map((axis, i) => {
      const input = make("input", { type: "range", min: axis.low, max: axis.high, step: (axis.high - axis.low) / 200 });
      input.setAttribute("aria-label", axis.name);
      input.oninput = () => {
        const action = (this.action ?? this.middle()).slice();
        action[i] = +input.value;
        this.set(action);
      };
      return input;
    });
    this.learners = axes.map(() => make("div", { className: "tick-mark", title: "The learner's action" }));
    axes.forEach((axis, i) => {
      const ends = this.mirrored[i] ? ["high", "low"] : ["low", "high"];
      if (this.mirrored[i]) this.inputs[i].dir = "rtl";
      const end = (which) => make("span", {}, axis[`${which}_label`], axes.length <= 2 ? cap(`act-${i}-${which}`) : "");
      box.append(make("div", { className: "slider" },
        make("span", { className: "name", textContent: axis.name }),
        make("div", { className: "track" }, this.inputs[i], this.learners[i]),
        make("div", { className: "ends" }, end(ends[0]), end(ends[1]))));
    });
  }

  paint() {
    this.inputs.forEach((input, i) => {
      input.value = (this.action ?? this.middle())[i];
      input.classList.toggle("unset", !this.action);
      const { low, high } = this.axes[i];
      const mark = this.learners[i];
      mark.hidden = !this.intended?.length;
      if (mark.hidden) return;
      const share = (this.intended[i] - low) / (high - low);
      mark.style.left = `${100 * (this.mirrored[i] ? 1 - share : share)}%`;
    });
  }
}
