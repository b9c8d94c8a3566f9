// Runs: tasks of agents that nobody has to wait for.
import { chip, clock, keep, link, make, one, show, since, tell, write } from "./dom.js";
import { again, call, get, lost, pause, post, seen, stream, trouble } from "./service.js";
import { find } from "./ended.js";
import { saveTrace } from "./history.js";

const kinds = { queued: ["idle", "waits"], running: ["working", "at work"], succeeded: ["good", "succeeded"], completed: ["idle", "done, not proven"], failed: ["bad", "failed"], canceled: ["idle", "canceled"] };
const over = (r) => r.status !== "queued" && r.status !== "running";

/** times is when a run was made and how long it took. */
function times(r) {
  if (!r.startedAt) return `made ${clock(r.createdAt)}`;
  if (!r.endedAt) return `began ${clock(r.startedAt)}, ${since(r.startedAt)} ago`;
  return `ended ${clock(r.endedAt)}, took ${((new Date(r.endedAt) - new Date(r.startedAt)) / 1000).toFixed(1)} s`;
}

function create(r) {
  return make("li", "", link("#/run/" + encodeURIComponent(r.id), "card",
    make("span", "row", make("b", "title"), make("span", "chip")), make("span", "step"), make("span", "meta")));
}

function update(e, r) {
  write(one(".title", e), r.task || r.id);
  chip(one(".chip", e), kinds[r.status] || ["idle", r.status]);
  write(one(".step", e), r.error ? r.error.message : "");
  write(one(".meta", e), times(r));
}

/** runs shows the list, and begins runs. */
export async function runs(box, signal) {
  document.title = "Runs · Wayfinder";
  const form = one("form", box), failure = one(".failure", form), list = one("[data-list]", box);
  form.addEventListener("submit", async (e) => {
    e.preventDefault();
    tell(failure, null);
    const body = { task: form.elements.task.value.trim() };
    for (const name of ["url", "model"]) {
      if (form.elements[name].value.trim()) body[name] = form.elements[name].value.trim();
    }
    if (form.elements.trace.checked) body.trace = true;
    const button = one("button", form);
    button.disabled = true;
    try {
      const { run } = await post("/v1/runs", body, { signal, headers: { "idempotency-key": crypto.randomUUID?.() ?? String(Math.random()) } });
      location.hash = "#/run/" + encodeURIComponent(run.id);
    } catch (err) {
      if (!signal.aborted) tell(failure, err);
    }
    button.disabled = false;
  });
  let first = true;
  await again(2500, signal, async () => {
    const found = (await get("/v1/runs", { signal })).runs;
    keep(list, found, (r) => r.id, create, update);
    show(one("[data-empty]", box), found.length === 0);
    write(one("[data-count]", box), found.length ? String(found.length) : "");
    if (first && !found.length) one("[data-start]", box).open = true;
    first = false;
  });
}

/** run shows one run: where it stands, and what happens in it. */
export async function run(box, signal, id) {
  const path = "/v1/runs/" + encodeURIComponent(id), failure = one("[data-failure]", box);
  const events = one("[data-events]", box), cancel = one("[data-cancel]", box), watch = one("[data-watch]", box), trace = one("[data-trace]", box), past = one("[data-past]", box);
  document.title = "Run · Wayfinder";
  write(one("[data-id]", box), id);
  cancel.addEventListener("click", async () => {
    cancel.disabled = true;
    try {
      paint((await call("DELETE", path, undefined, { signal })).run);
    } catch (err) {
      if (!signal.aborted) tell(failure, err);
    }
    cancel.disabled = false;
  });
  let recorded = ""; // the session that has a trace: the last one, where another process went on
  trace.addEventListener("click", () => saveTrace(trace, recorded, signal).catch((err) => {
    if (!signal.aborted) tell(failure, err);
  }));
  function paint(r) {
    write(one("[data-title]", box), r.task || "Run");
    document.title = (r.task || "Run") + " · Wayfinder";
    chip(one("[data-state]", box), kinds[r.status] || ["idle", r.status]);
    write(one("[data-when]", box), times(r));
    show(cancel, !over(r));
    tell(failure, r.error);
    show(one("[data-result]", box), Boolean(r.result));
    if (r.result) {
      write(one("[data-message]", box), r.result.message);
      write(one("[data-json]", box), JSON.stringify(r.result, null, 2));
    }
    if (over(r)) show(watch, false);
  }
  async function findSession() {
    const list = await get("/v1/sessions", { signal });
    const own = list.sessions.find((s) => s.run === id);
    if (own) watch.href = "#/session/" + encodeURIComponent(own.id);
    show(watch, Boolean(own));
  }
  /** findPast shows where what was done is kept. */
  async function findPast() {
    if (!session || !await find(session, signal)) return;
    past.href = "#/ended/" + encodeURIComponent(session);
    show(past, true);
  }
  let last = "", session = "";
  while (!signal.aborted) {
    await seen(signal);
    try {
      const { run } = await get(path, { signal });
      trouble("");
      paint(run);
      for await (const { id: number, data } of stream("GET", path + "/events", undefined, { signal, headers: last ? { "last-event-id": last } : {} })) {
        if (data.type === "over") {
          paint(data.run);
          await findPast();
          return;
        }
        last = number || last;
        if (data.session) session = data.session;
        if (data.traced) recorded = data.session;
        show(trace, recorded !== "");
        show(one("[data-nothing]", box), false);
        events.append(make("li", "", make("time", "", clock(data.time)), make("span", "chip", data.type), make("span", "said", data.message || "")));
        if (data.type !== "step") paint((await get(path, { signal })).run);
        await findSession();
      }
      await pause(1000, signal);
    } catch (err) {
      await pause(lost(err, signal), signal);
    }
  }
}
