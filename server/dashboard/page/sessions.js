// The list of sessions.
import { chip, keep, link, make, one, show, since, tell, write } from "./dom.js";
import { past } from "./ended.js";
import { again, get, post } from "./service.js";

/** stateOf names a session's state, for a chip. */
export function stateOf(s) {
  if (s.taken) return ["taken", "a person has it"];
  return s.working ? ["working", "at work"] : ["idle", "idle"];
}

function create(s) {
  const a = link("#/session/" + encodeURIComponent(s.id), "card");
  a.append(
    make("span", "row", make("b", "title"), make("span", "chip")),
    make("span", "address"), make("span", "step"), make("span", "meta"),
  );
  return make("li", "", a);
}

function update(e, s) {
  write(one(".title", e), s.title || s.url || "no page");
  chip(one(".chip", e), stateOf(s));
  write(one(".address", e), s.url);
  write(one(".step", e), s.doing ? (s.doing.over ? "last: " : "now: ") + s.doing.text : "nothing was done yet");
  write(one(".meta", e), [s.key, s.node, s.run && "for a run", s.model, "open for " + since(s.createdAt)].filter(Boolean).join(" · "));
}

/** sessions shows the list, and starts sessions. */
export async function sessions(box, signal) {
  document.title = "Sessions · Wayfinder";
  const form = one("form", box), failure = one(".failure", form), list = one("[data-list]", box);
  form.addEventListener("submit", async (e) => {
    e.preventDefault();
    const button = one("button", form);
    button.disabled = true;
    tell(failure, null);
    try {
      const model = form.elements.model.value.trim(), url = form.elements.url.value.trim();
      const started = await post("/v1/sessions/start", { ...(model && { modelName: model }), ...(form.elements.trace.checked && { trace: true }) }, { signal });
      const path = "/v1/sessions/" + started.sessionId;
      if (url) await post(path + "/navigate", { url }, { signal });
      location.hash = "#/session/" + started.sessionId;
    } catch (err) {
      if (!signal.aborted) tell(failure, err);
    }
    button.disabled = false;
  });
  const readPast = past(box, signal);
  let first = true, open = new Set(), due = 2, turns = 0; // a node tells of an end within a second: what has ended is read twice
  await again(2500, signal, async () => {
    const found = await get("/v1/sessions", { signal });
    keep(list, found.sessions, (s) => s.id, create, update);
    show(one("[data-empty]", box), found.sessions.length === 0);
    write(one("[data-count]", box), found.sessions.length ? String(found.sessions.length + (found.omitted || 0)) : "");
    tell(one("[data-unreachable]", box), found.unreachable ? "These nodes do not answer, and their sessions are not in the list: " + found.unreachable.join(", ") : null);
    if (first && !found.sessions.length) one("[data-start]", box).open = true;
    first = false;
    const now = new Set(found.sessions.map((s) => s.id));
    if ([...open].some((id) => !now.has(id)) || ++turns % 12 === 0) due = 2;
    open = now;
    if (due > 0) {
      due--;
      await readPast();
    }
  });
}
