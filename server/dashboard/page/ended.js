// Sessions that have ended: their list, and what was done in each.
import { chip, clock, keep, link, make, one, show, span, tell, write } from "./dom.js";
import { Failure, get } from "./service.js";
import { line, saveJSON, saveTrace } from "./history.js";

const list = (query, signal) => get("/v1/sessions?ended=true" + query, { signal });

/** find returns a session that has ended; null: nothing is kept of it. */
export async function find(id, signal) {
  const found = await list("&id=" + encodeURIComponent(id), signal).catch((err) => {
    if (err instanceof Failure && err.status === 501) return { sessions: [] }; // nothing is kept here
    throw err;
  });
  return found.sessions[0] || null;
}

/** times is when a session was and how long. */
function times(s) {
  if (!s.endedAt) return `from ${clock(s.createdAt)}; its process ended before it could say so`;
  return `${clock(s.endedAt)}, after ${span(new Date(s.endedAt) - new Date(s.createdAt))}`;
}

function create(s) {
  return make("li", "", link("#/ended/" + encodeURIComponent(s.id), "",
    make("span", "row", make("b", "title"), make("span", "chip traced", "trace")), make("span", "address"), make("span", "step"), make("span", "meta")));
}

function update(e, s) {
  write(one(".title", e), s.title || s.url || "no page");
  show(one(".chip", e), Boolean(s.traced));
  write(one(".address", e), s.title ? s.url : "");
  write(one(".step", e), s.doing ? `last: ${s.doing.operation} ${s.doing.text === s.url ? "" : s.doing.text}` : "");
  write(one(".meta", e), [(s.endedAt ? "ended " : "") + times(s), s.key, s.run && "for a run", s.model].filter(Boolean).join(" · "));
}

/** past has the list of sessions that have ended work; what it returns reads it again. */
export function past(box, signal) {
  const place = one("[data-past]", box), more = one("[data-more]", box), failure = one(".failure", place);
  let parts = 1, reading = null;

  /** read shows as many parts of the list as somebody has asked for. */
  async function read() {
    const all = [];
    let next = "";
    for (let i = 0; i < parts && (i === 0 || next); i++) {
      const found = await list(next && "&before=" + encodeURIComponent(next), signal);
      all.push(...found.sessions);
      next = found.next || "";
    }
    tell(failure, null);
    keep(one("[data-past-list]", place), all, (s) => s.id, create, update);
    show(one("[data-past-none]", place), all.length === 0);
    show(more, next !== "");
    show(place, true);
  }

  async function again() {
    await reading;
    reading = read().catch((err) => {
      if (signal.aborted || err instanceof Failure && err.status === 501) return; // nothing is kept here, and nothing shown
      tell(failure, err);
      show(place, true);
    });
    await reading;
  }

  more.addEventListener("click", async () => {
    parts++;
    more.disabled = true;
    await again();
    more.disabled = false;
  });
  return again;
}

const atOnce = 200; // lines

/** ended shows one session that has ended. */
export async function ended(box, signal, id) {
  const failure = one("[data-failure]", box), traceButton = one("[data-trace]", box), saveButton = one("[data-save]", box), earlier = one("[data-earlier]", box);
  const history = one("[data-history]", box);
  const fail = (err) => { if (!signal.aborted) tell(failure, err); };
  document.title = "Session · Wayfinder";
  write(one("[data-title]", box), "Session");
  write(one("[data-url]", box), id);
  const about = await find(id, signal);
  if (about) {
    const title = about.title || about.url || "Session";
    document.title = title + " · Wayfinder";
    write(one("[data-title]", box), title);
    write(one("[data-url]", box), about.url);
    const run = one("[data-run]", box);
    if (about.run) run.href = "#/run/" + encodeURIComponent(about.run);
    show(run, Boolean(about.run));
    chip(one("[data-state]", box), about.endedAt ? ["idle", "ended"] : ["bad", "gone"]);
    write(one("[data-when]", box), [times(about), about.model, about.key].filter(Boolean).join(" · "));
    show(one("[data-now]", box), true);
    show(traceButton, Boolean(about.traced));
  }
  traceButton.addEventListener("click", () => {
    tell(failure, null);
    saveTrace(traceButton, id, signal).catch(fail);
  });
  const replay = await get(`/v1/sessions/${encodeURIComponent(id)}/replay`, { signal });
  saveButton.addEventListener("click", () => saveJSON(replay, id));
  show(saveButton, true);
  const calls = replay.pages.flatMap((page) => page.actions.map((action) => [action, page.url])).reverse(); // the latest first
  const add = () => {
    history.append(...calls.splice(0, atOnce).map(([action, url]) => line(action, url)));
    show(earlier, calls.length > 0);
  };
  write(one("[data-entries]", box), String(calls.length));
  earlier.addEventListener("click", add);
  add();
  show(one("[data-nothing]", box), history.children.length === 0);
}
