// What was done in a session, line by line, and its trace.
import { clock, make, save } from "./dom.js";
import { file } from "./service.js";

/** line is a call of the history. */
export function line(e, url) {
  const good = e.result.success !== false;
  const words = e.parameters.instruction || e.parameters.url || (e.result.actions || []).map((a) => a.description).join(", ");
  const li = make("li", e.parent ? "part" : "",
    make("time", "", clock(e.endTime)), make("span", "chip " + (good ? "" : "bad"), e.method),
    make("span", "said", words || ""), make("span", "came", e.result.message || ""), make("span", "meta", url && url !== words ? url : ""));
  li.dataset.id = e.id;
  return li;
}

/** saveJSON has the browser keep a history. */
export function saveJSON(replay, id) {
  save(new Blob([JSON.stringify(replay, null, 2)], { type: "application/json" }), `session-${id}.json`);
}

/** saveTrace has the browser keep what was recorded of a session. */
export async function saveTrace(button, id, signal) {
  button.disabled = true; // to make it takes a moment
  try {
    save(await file(`/v1/sessions/${encodeURIComponent(id)}/trace`, { signal }), `trace-${id}.html`);
  } finally {
    button.disabled = false;
  }
}
