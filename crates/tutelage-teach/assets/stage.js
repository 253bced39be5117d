// Draws clips on a canvas, in the colors of the page.

const INKS = ["paper", "field", "faint", "grey", "slate", "dark", "blue", "orange", "green", "red", "yellow"];

/** The color of each ink, from the light or dark theme. */
function shades(element) {
  const style = getComputedStyle(element);
  return Object.fromEntries(INKS.map((ink) => [ink, style.getPropertyValue(`--ink-${ink}`).trim() || "#888"]));
}

const dark = matchMedia("(prefers-color-scheme: dark)");
const calm = matchMedia("(prefers-reduced-motion: reduce)");

function trace(context, points) {
  context.beginPath();
  points.forEach(([x, y], i) => (i ? context.lineTo(x, y) : context.moveTo(x, y)));
}

function drawShape(context, shape, colors, hair) {
  context.fillStyle = context.strokeStyle = colors[shape.ink];
  if (shape.polygon) {
    trace(context, shape.polygon);
    context.closePath();
    context.fill("evenodd");
  } else if (shape.circle) {
    context.beginPath();
    context.arc(...shape.circle, shape.radius, 0, 2 * Math.PI);
    context.fill();
  } else {
    trace(context, shape.line.length > 1 ? shape.line : [shape.line[0], shape.line[0]]);
    context.lineWidth = Math.max(shape.width, hair);
    context.lineCap = context.lineJoin = "round";
    context.stroke();
  }
}

/** The bounding box of the shapes of some frames. */
function extent(frames) {
  const box = [Infinity, Infinity, -Infinity, -Infinity];
  const add = ([x, y], r = 0) => {
    box[0] = Math.min(box[0], x - r);
    box[1] = Math.min(box[1], y - r);
    box[2] = Math.max(box[2], x + r);
    box[3] = Math.max(box[3], y + r);
  };
  for (const shape of frames.flat()) {
    if (shape.circle) add(shape.circle, shape.radius);
    (shape.polygon ?? shape.line ?? []).forEach((point) => add(point));
  }
  return box;
}

/** The part of a clip to show: if `near`, only where shapes move, provided that this is a small part. */
function visiblePart(clip, near) {
  const [left, low, right, high] = clip.view;
  if (!near || !clip.frames.length) return clip.view;
  const box = extent(clip.frames);
  const [width, height] = [box[2] - box[0], box[3] - box[1]];
  if (!(Math.max(width / (right - left), height / (high - low)) < 0.5)) return clip.view;
  const margin = 0.12 * Math.max(width, height);
  return [box[0] - margin, box[1] - margin, box[2] + margin, box[3] + margin];
}

/** The frames of a clip: shapes or images. */
export const framesOf = (clip) => (clip.images.length ? clip.images : clip.frames);

/** A canvas that shows frames of clips. */
export class Stage {
  constructor(canvas, { near = true } = {}) {
    this.canvas = canvas;
    this.near = near;
    this.images = new Map();
    this.ghostly = document.createElement("canvas");
    this.below = () => 0; // the height that another element covers, from below
    // Stages can share a canvas; only the one that drew last redraws.
    new ResizeObserver(() => { if (canvas.painter === this) this.redraw?.(); }).observe(canvas);
    dark.addEventListener("change", () => { this.colors = null; if (canvas.painter === this) this.redraw?.(); });
  }

  /** Sets the transform: y points up, the view is centered, and both axes have the same scale. Returns the size of a pixel. */
  prepare(context, view, width, height) {
    const [left, low, right, high] = view;
    const scale = Math.min(width / (right - left), height / (high - low));
    context.setTransform(scale, 0, 0, -scale,
      (width - scale * (left + right)) / 2, (height + scale * (low + high)) / 2);
    return 1 / scale;
  }

  /** Draws a frame, and translucent frames `[frame, opacity]` with it. */
  draw(clip, frame, ghosts = []) {
    this.redraw = () => this.draw(clip, frame, ghosts);
    const { canvas } = this;
    canvas.painter = this;
    const ratio = Math.min(devicePixelRatio || 1, 2);
    const [width, height] = [Math.round(canvas.clientWidth * ratio), Math.round(canvas.clientHeight * ratio)];
    if (!width || !height) return;
    // An image that is still loading calls `redraw`; until then the last one stays.
    if (clip.images.length && !this.image(clip.images[frame])) return;
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    this.colors ??= shades(document.documentElement);
    const context = canvas.getContext("2d");
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.fillStyle = this.colors[clip.background] ?? this.colors.paper;
    context.fillRect(0, 0, width, height);
    const free = Math.max(height - Math.round(ratio * this.below()), 1);
    if (clip.images.length) {
      this.drawImage(context, clip.images[frame], 1, width, free);
      for (const [ghost, opacity] of ghosts) this.drawImage(context, ghost, opacity, width, free);
      return;
    }
    clip.window ??= visiblePart(clip, this.near);
    const hair = this.prepare(context, clip.window, width, free) * ratio;
    clip.still.forEach((shape) => drawShape(context, shape, this.colors, hair));
    for (const [ghost, opacity] of ghosts) this.drawGhost(context, clip, ghost, opacity, width, free, hair);
    (clip.frames[frame] ?? []).forEach((shape) => drawShape(context, shape, this.colors, hair));
  }

  /** Draws a translucent frame on a separate canvas first, so that its shapes do not show through each other. */
  drawGhost(context, clip, shapes, opacity, width, height, hair) {
    const { ghostly } = this;
    [ghostly.width, ghostly.height] = [width, height];
    const other = ghostly.getContext("2d");
    this.prepare(other, clip.window, width, height);
    shapes.forEach((shape) => drawShape(other, shape, this.colors, hair));
    context.save();
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.globalAlpha = opacity;
    context.drawImage(ghostly, 0, 0);
    context.restore();
  }

  /** An image, or null while it loads. */
  image(address) {
    let image = this.images.get(address);
    if (!image) {
      image = new Image();
      image.src = address;
      image.onload = () => { if (this.canvas.painter === this) this.redraw?.(); };
      if (this.images.size > 500) this.images.clear();
      this.images.set(address, image);
    }
    return image.complete && image.width ? image : null;
  }

  drawImage(context, address, opacity, width, height) {
    const image = this.image(address);
    if (!image) return;
    const scale = Math.min(width / image.width, height / image.height);
    context.globalAlpha = opacity;
    context.drawImage(image, (width - scale * image.width) / 2, (height - scale * image.height) / 2,
      scale * image.width, scale * image.height);
    context.globalAlpha = 1;
  }
}

/** Repeats an animation: `show(seconds)` draws, and returns the total length. */
export class Loop {
  constructor(show) {
    this.show = show;
    this.run = this.run.bind(this);
  }

  start() {
    this.began = performance.now();
    if (!this.running) {
      this.running = true;
      requestAnimationFrame(this.run);
    }
  }

  stop() { this.running = false; }

  run(now) {
    if (!this.running) return;
    const seconds = (now - this.began) / 1000;
    const length = this.show(Math.max(seconds, 0));
    if (seconds > length) this.began = now;
    if (calm.matches) this.running = false;
    else requestAnimationFrame(this.run);
  }
}

/** Whether the user prefers reduced motion. */
export const isCalm = () => calm.matches;

/** Repeats a film on a canvas. */
export class Film {
  constructor(canvas) {
    this.stage = new Stage(canvas, { near: false });
    this.loop = new Loop((seconds) => {
      const { clip } = this;
      const count = framesOf(clip).length;
      const frame = isCalm() ? count - 1 : Math.min(Math.floor(seconds / clip.pace), count - 1);
      if (frame !== this.shown) this.stage.draw(clip, frame);
      this.shown = frame;
      return count * clip.pace + 1;
    });
  }

  play(clip) {
    this.clip = clip;
    this.shown = -1;
    const [left, low, right, high] = clip.view;
    if (right > left && this.stage.canvas.id !== "stage") this.stage.canvas.style.aspectRatio = String((right - left) / (high - low));
    this.loop.start();
  }
}
