// Keyboard shortcuts, which can be changed, and gamepads.

import { make } from "/dom.js";

const STORE = "tutelage-keys";

/** The default keys. */
const DEFAULTS = {
  save: ["Enter", "Save the answer"],
  agree: ["a", "The learner is right"],
  skip: ["s", "Skip the question"],
  unsure: ["u", "Unsure: ask me again later"],
  undo: ["Backspace", "Undo: back to the last question"],
  replay: ["r", "Show the clip again"],
  then: ["h", "After my action: hold it, or let the learner continue"],
  zoom: ["z", "Zoom in or out"],
  start: [" ", "Start or pause (when taking over)"],
};

const ARROWS = { left: "ArrowLeft", right: "ArrowRight", up: "ArrowUp", down: "ArrowDown", gas: "ArrowUp", brake: "ArrowDown" };

/** The name of a key for display. */
export function keyName(key) {
  return { " ": "Space", ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", Backspace: "⌫", Enter: "⏎", Escape: "Esc" }[key]
    ?? (key.length === 1 ? key.toUpperCase() : key);
}

/** Ignores the case of letters. */
const plain = (key) => (key.length === 1 ? key.toLowerCase() : key);

export class Keys {
  constructor(controls) {
    this.defaults = { ...DEFAULTS };
    if (controls.choice) {
      controls.choice.forEach((name, i) => {
        const word = name.toLowerCase().split(" ").find((part) => ARROWS[part]);
        const taken = Object.values(this.defaults).some(([key]) => key === ARROWS[word]);
        this.defaults[`act-${i}`] = [word && !taken ? ARROWS[word] : String(i + 1), `Act: ${name}`];
      });
    } else if (controls.axes.length <= 2) {
      const [first, second] = controls.axes;
      const mirrored = first.low_label === "right" || first.high_label === "left";
      this.defaults["act-0-low"] = [mirrored ? "ArrowRight" : "ArrowLeft", `${first.name}: ${first.low_label}`];
      this.defaults["act-0-high"] = [mirrored ? "ArrowLeft" : "ArrowRight", `${first.name}: ${first.high_label}`];
      if (second) {
        this.defaults["act-1-low"] = ["ArrowDown", `${second.name}: ${second.low_label}`];
        this.defaults["act-1-high"] = ["ArrowUp", `${second.name}: ${second.high_label}`];
      }
    }
    let stored = {};
    try { stored = JSON.parse(localStorage.getItem(STORE) ?? "{}"); } catch { /* use the defaults */ }
    this.assign(stored);
  }

  /** The command of a key, if any. */
  what(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return null;
    return Object.keys(this.keys).find((what) => plain(this.keys[what]) === plain(event.key)) ?? null;
  }

  /** Assigns a key; if another command has it, they swap keys. */
  change(what, key) {
    const other = Object.keys(this.keys).find((one) => plain(this.keys[one]) === plain(key));
    if (other) this.keys[other] = this.keys[what];
    this.keys[what] = key;
    this.keep();
  }

  assign(changed) {
    this.keys = Object.fromEntries(Object.entries(this.defaults).map(([what, [key]]) => [what, typeof changed[what] === "string" ? changed[what] : key]));
  }

  reset() {
    this.assign({});
    this.keep();
  }

  keep() {
    try { localStorage.setItem(STORE, JSON.stringify(this.keys)); } catch { /* private windows may forbid storage */ }
    this.label();
  }

  /** Writes the keys on the buttons. */
  label(root = document) {
    for (const cap of root.querySelectorAll("kbd[data-key]")) {
      const key = this.keys[cap.dataset.key];
      cap.textContent = key ? keyName(key) : "";
      cap.hidden = !key;
    }
  }

  /** Fills the list in the settings. */
  list(box) {
    box.replaceChildren(...Object.entries(this.defaults).map(([what, [, about]]) => {
      const cap = make("kbd", { textContent: keyName(this.keys[what]) });
      const line = make("button", { type: "button", className: "key-line" }, about, cap);
      line.dataset.what = what;
      line.onclick = () => {
        cap.textContent = "press a key";
        line.classList.add("waiting");
        const take = (event) => {
          event.preventDefault();
          event.stopPropagation();
          if (["Shift", "Control", "Alt", "Meta"].includes(event.key)) return;
          removeEventListener("keydown", take, true);
          if (event.key !== "Escape" && event.key !== "Tab") this.change(what, event.key);
          this.list(box);
          box.querySelector(`[data-what="${what}"]`)?.focus();
        };
        addEventListener("keydown", take, true);
      };
      return line;
    }));
  }
}

/** Polls the first gamepad; `receive` gets its axes and the buttons that were just pressed. */
export function watchGamepad(receive) {
  let before = [];
  const look = () => {
    const pad = Array.from(navigator.getGamepads?.() ?? []).find(Boolean);
    if (pad) {
      const pressed = pad.buttons.map((button) => button.pressed);
      receive({ axes: Array.from(pad.axes), fresh: pressed.map((now, i) => now && !before[i]) });
      before = pressed;
    }
    setTimeout(look, pad ? 33 : 500);
  };
  look();
}
