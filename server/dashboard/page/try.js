// What a person tries in a session: one operation at a time, streamed.
import { all, make, one, show, write } from "./dom.js";
import { stream } from "./service.js";

/** words is what came of an operation, as elements. */
function shown(kind, result, again) {
  if (kind === "observe") {
    if (!result.length) return [make("p", "", "Nothing was found that fits.")];
    return [make("ul", "found", ...result.map((a) => {
      const b = make("button", "", "Do it");
      b.type = "button";
      b.setAttribute("aria-label", "Do it: " + a.description);
      b.addEventListener("click", () => again(a));
      return make("li", "", make("span", "", a.description), b);
    }))];
  }
  const parts = [];
  if (kind === "act" || kind === "agentExecute") {
    const chip = make("span", "chip " + (result.success ? "good" : "bad"), result.success ? "done" : result.completed ? "not confirmed" : "not done");
    parts.push(make("p", "verdict", chip, " ", result.message || ""));
  }
  if (kind === "navigate" && result) parts.push(make("p", "", `${result.status} ${result.url}`));
  if (kind === "extract" && typeof result.pageText === "string") return [make("pre", "", result.pageText)];
  if (kind === "extract") return [make("pre", "", JSON.stringify(result, null, 2))];
  const more = make("details", "fold", make("summary", "", "All of it"), make("pre", "", JSON.stringify(result, null, 2)));
  parts.push(more);
  return parts;
}

/** body is the request that a form asks for; it throws what is wrong with it. */
function body(form) {
  const f = form.elements, kind = f.kind.value, text = f.instruction.value.trim();
  const model = f.model.value.trim() ? { modelName: f.model.value.trim() } : null;
  if (model && f.modelKey.value) model.apiKey = f.modelKey.value;
  const options = model ? { model } : {};
  switch (kind) {
    case "act":
      if (!text) throw new Error("Say what is to be done, as: add the teapot to the cart");
      return { input: text, options };
    case "observe":
      return { ...(text && { instruction: text }), options };
    case "extract": {
      const request = { ...(text && { instruction: text }), options };
      if (f.schema.value.trim()) {
        try {
          request.schema = JSON.parse(f.schema.value);
        } catch (err) {
          throw new Error("The schema is not JSON: " + err.message);
        }
      }
      return request;
    }
    case "agentExecute":
      if (!text) throw new Error("Say what the task is.");
      return { agentConfig: model ? { model } : {}, executeOptions: { instruction: text, maxSteps: Number(f.steps.value) || 20 } };
    default:
      if (!f.url.value.trim()) throw new Error("Say where to go, as: https://example.com/");
      return { url: f.url.value.trim() };
  }
}

/** trial has a session's form work. */
export function trial(box, path, signal) {
  const form = one("[data-try]", box), out = one("[data-outcome]", box), stop = one("[data-stop]", box), go = one("[data-run]", box);
  let under = null; // ends what is under way
  const choose = () => {
    const kind = form.elements.kind.value;
    for (const part of all("[data-for]", form)) show(part, part.dataset.for.split(" ").includes(kind));
    write(one("[data-label]", form), { act: "What to do", observe: "What to look for (empty is everything)", extract: "What to read (empty is all text)", agentExecute: "Task" }[kind] || "");
  };
  form.addEventListener("change", choose);
  choose();

  async function run(kind, request) {
    if (under) return;
    under = new AbortController();
    const own = AbortSignal.any([signal, under.signal]);
    const lines = make("ol", "lines");
    out.replaceChildren(lines);
    go.disabled = true;
    show(stop, true);
    let told = false;
    try {
      for await (const { data } of stream("POST", `${path}/${kind}`, { ...request, streamResponse: true }, { signal: own })) {
        const d = data.data;
        if (d.status === "running") lines.append(make("li", "", d.message));
        if (d.status === "error") throw new Error(d.error);
        if (d.status === "finished") {
          told = true;
          out.append(...shown(kind, d.result, (a) => run("act", { input: a })));
        }
      }
      if (!told) throw new Error("The stream ended before the work was over. What was done is in the history.");
    } catch (err) {
      if (!signal.aborted) out.append(make("p", "failure", own.aborted ? "It was stopped. What was done is in the history." : err.message));
    }
    under = null;
    go.disabled = false;
    show(stop, false);
  }
  form.addEventListener("submit", (e) => {
    e.preventDefault();
    try {
      run(form.elements.kind.value, body(form));
    } catch (err) {
      out.replaceChildren(make("p", "failure", err.message));
    }
  });
  stop.addEventListener("click", () => under?.abort());
}
