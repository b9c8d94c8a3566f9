// Elements. What comes from pages is always set as text.

/** one returns the first element that a selector matches. */
export const one = (selector, from = document) => from.querySelector(selector);

/** all returns the elements that a selector matches. */
export const all = (selector, from = document) => [...from.querySelectorAll(selector)];

/** make makes an element with classes and children; a string is a text. */
export function make(tag, classes = "", ...children) {
  const e = document.createElement(tag);
  if (classes) e.className = classes;
  e.append(...children.filter((c) => c !== null && c !== undefined && c !== ""));
  return e;
}

/** write sets a text, if it is another one: selections and readers are left alone. */
export function write(e, text) {
  text = text ?? "";
  if (e.textContent !== text) e.textContent = text;
}

/** link makes a link. Only addresses of this page's own are given to it. */
export function link(href, classes, ...children) {
  const e = make("a", classes, ...children);
  e.href = href;
  return e;
}

/** save has the browser keep a file. */
export function save(blob, name) {
  const a = make("a");
  a.href = URL.createObjectURL(blob);
  a.download = name;
  a.click();
  URL.revokeObjectURL(a.href);
}

/** show hides an element or shows it. */
export function show(e, shown) {
  if (e.hidden === shown) e.hidden = !shown;
}

/** tell shows a failure in its place, or none. */
export function tell(place, failure) {
  write(place, failure ? failure.message || String(failure) : "");
  show(place, Boolean(failure));
}

/** chip shows a state. */
export function chip(e, [kind, words]) {
  e.className = "chip " + kind;
  write(e, words);
}

/** view makes what a template has. */
export function view(name) {
  const box = make("div", "view " + name);
  box.append(one(`#${name}-view`).content.cloneNode(true));
  return box;
}

/**
 * keep makes the children of a list those of items, in order. An item that was
 * there before keeps its element, and with it the focus.
 */
export function keep(list, items, id, create, update) {
  const known = new Map([...list.children].map((e) => [e.dataset.id, e]));
  let before = null;
  for (const item of items) {
    let e = known.get(id(item));
    known.delete(id(item));
    if (!e) {
      e = create(item);
      e.dataset.id = id(item);
    }
    update(e, item);
    const place = before ? before.nextSibling : list.firstChild;
    if (place !== e) list.insertBefore(e, place);
    before = e;
  }
  for (const e of known.values()) e.remove();
}

/** clock is a moment as people read it: the time, and the day if it is another. */
export function clock(moment) {
  const d = new Date(moment), time = d.toLocaleTimeString();
  return d.toDateString() === new Date().toDateString() ? time : d.toLocaleDateString() + " " + time;
}

/** since is how long ago a moment is, in words. */
export const since = (moment) => span(Date.now() - new Date(moment));

/** span is so many milliseconds, in words. */
export function span(ms) {
  const s = Math.max(0, Math.round(ms / 1000));
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min`;
  return s < 86400 ? `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min` : `${Math.floor(s / 86400)} d`;
}
