// The picture of a page, and the hand of the person who has taken the session.
import { one, show, write } from "./dom.js";
import { post } from "./service.js";

const buttons = ["left", "middle", "right"];
const modifiers = (e) => {
  const held = {};
  if (e.altKey) held.alt = true;
  if (e.ctrlKey) held.ctrl = true;
  if (e.metaKey) held.meta = true;
  if (e.shiftKey) held.shift = true;
  return held;
};
const silent = new Set(["Shift", "Control", "Alt", "Meta", "AltGraph", "CapsLock", "Dead", "Process", "Unidentified"]);

/** A Screen shows pictures, and sends what a person does on them. */
export class Screen {
  /**
   * path is the session's, signal ends the view, and lost is called with the error
   * where input was not taken.
   */
  constructor(box, path, signal, lost) {
    this.box = one("[data-screen]", box);
    this.image = one("[data-picture]", box);
    this.none = one("[data-none]", box);
    this.path = path;
    this.signal = signal;
    this.lost = lost;
    this.page = "";
    this.viewer = "";
    this.active = false; // the person has the session
    this.queue = [];
    this.sending = false;
    this.listen();
  }

  /** show shows a picture. */
  show(p) {
    this.page = p.page;
    this.box.classList.toggle("blank", Boolean(p.none));
    if (p.none) {
      write(this.none, `There is no picture: ${p.none}. The outline says what is there.`);
      show(this.image, false);
      show(this.none, true);
      return;
    }
    this.width = p.width;
    this.height = p.height;
    this.box.style.aspectRatio = `${p.width} / ${p.height}`;
    this.image.src = "data:image/jpeg;base64," + p.jpeg;
    show(this.image, true);
    show(this.none, false);
  }

  /** name says what the picture shows, for those who don't see it. */
  name(title) {
    const words = "The page " + (title || "without a title");
    if (this.image.alt !== words) this.image.alt = words;
    if (this.active) this.box.setAttribute("aria-label", words + ". Click and type; Shift+Escape leaves it.");
  }

  /** give lets a viewer's hand in, or with none keeps everybody out. */
  give(viewer) {
    this.viewer = viewer;
    const active = Boolean(viewer);
    if (active === this.active) return;
    this.active = active;
    this.queue = [];
    this.box.classList.toggle("taken", active);
    if (active) {
      this.box.tabIndex = 0;
      this.box.setAttribute("role", "application");
      this.name(this.image.alt.slice("The page ".length));
      this.box.focus({ preventScroll: true });
    } else {
      this.box.removeAttribute("tabindex");
      this.box.removeAttribute("role");
      this.box.removeAttribute("aria-label");
    }
  }

  /** do adds events to what is sent; several moves, and turns of the wheel, become one. */
  do(...events) {
    if (!this.active) return;
    for (const e of events) {
      const last = this.queue.at(-1);
      if (e.type === "move" && last?.type === "move") this.queue.pop();
      if (e.type === "wheel" && last?.type === "wheel") {
        last.deltaX += e.deltaX;
        last.deltaY += e.deltaY;
      } else {
        this.queue.push(e);
      }
    }
    if (!this.sending) this.send();
  }

  async send() {
    this.sending = true;
    while (this.queue.length && this.active && !this.signal.aborted) {
      const events = this.queue.splice(0, 100);
      try {
        await post(this.path + "/input", { viewer: this.viewer, page: this.page, events }, { signal: this.signal });
      } catch (err) {
        this.queue = [];
        if (!this.signal.aborted) this.lost(err);
      }
    }
    this.sending = false;
  }

  /** at is where an event of the pointer is on the page. */
  at(e) {
    const r = this.image.getBoundingClientRect();
    const within = (n, most) => Math.round(Math.min(Math.max(n, 0), most - 1) * 10) / 10;
    return { x: within(((e.clientX - r.left) / r.width) * this.width, this.width), y: within(((e.clientY - r.top) / r.height) * this.height, this.height) };
  }

  listen() {
    const on = (name, f) => this.box.addEventListener(name, (e) => { if (this.active && !this.image.hidden) f(e); }, { passive: false });
    let clicks = 0, before = 0, touch = null;
    const count = (e) => {
      clicks = e.timeStamp - before < 400 && clicks < 3 ? clicks + 1 : 1;
      before = e.timeStamp;
      return clicks;
    };
    on("pointerdown", (e) => {
      e.preventDefault();
      this.box.focus({ preventScroll: true });
      if (e.pointerType === "touch") {
        touch = { x: e.clientX, y: e.clientY, moved: false };
        return;
      }
      this.box.setPointerCapture(e.pointerId);
      this.do({ type: "move", ...this.at(e), ...modifiers(e) }, { type: "down", ...this.at(e), button: buttons[e.button] || "left", clicks: count(e), ...modifiers(e) });
    });
    on("pointermove", (e) => {
      if (e.pointerType !== "touch") {
        this.do({ type: "move", ...this.at(e), ...modifiers(e) });
      } else if (touch) {
        const scale = this.width / this.image.clientWidth, dx = (touch.x - e.clientX) * scale, dy = (touch.y - e.clientY) * scale;
        if (!touch.moved && Math.hypot(dx, dy) < 8 * scale) return;
        Object.assign(touch, { x: e.clientX, y: e.clientY, moved: true });
        this.do({ type: "wheel", ...this.at(e), deltaX: dx, deltaY: dy });
      }
    });
    on("pointerup", (e) => {
      if (e.pointerType !== "touch") {
        this.do({ type: "up", ...this.at(e), button: buttons[e.button] || "left", clicks: Math.max(1, clicks), ...modifiers(e) });
      } else if (touch && !touch.moved) {
        const n = count(e);
        this.do({ type: "move", ...this.at(e) }, { type: "down", ...this.at(e), clicks: n }, { type: "up", ...this.at(e), clicks: n });
      }
      touch = null;
    });
    on("pointercancel", () => { touch = null; });
    on("contextmenu", (e) => e.preventDefault());
    on("dragstart", (e) => e.preventDefault());
    on("wheel", (e) => {
      e.preventDefault();
      const lines = e.deltaMode === 1 ? 20 : 1;
      this.do({ type: "wheel", ...this.at(e), deltaX: e.deltaX * lines, deltaY: e.deltaY * lines, ...modifiers(e) });
    });
    on("keydown", (e) => {
      if (e.key === "Escape" && e.shiftKey) {
        e.preventDefault();
        this.box.blur();
        one("[data-take]").focus();
        return;
      }
      if (silent.has(e.key) || e.isComposing || (e.key.toLowerCase() === "v" && (e.ctrlKey || e.metaKey))) return;
      e.preventDefault();
      this.do({ type: "keydown", key: e.key, ...modifiers(e) });
    });
    on("keyup", (e) => {
      if (!silent.has(e.key) && !e.isComposing) this.do({ type: "keyup", key: e.key, ...modifiers(e) });
    });
    on("paste", (e) => {
      e.preventDefault();
      const text = e.clipboardData.getData("text/plain");
      if (text) this.do({ type: "text", text });
    });
  }
}
