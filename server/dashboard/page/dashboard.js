// The page as a whole: which view is shown, and the key.
import { all, one, show, tell, view } from "./dom.js";
import { Failure, get, hasKey, onKeyWanted, useKey } from "./service.js";
import { sessions } from "./sessions.js";
import { session } from "./session.js";
import { ended } from "./ended.js";
import { runs, run } from "./runs.js";
import { nodes } from "./nodes.js";

const main = one("#main"), forget = one("#forget");
let shown = null; // ends with the view

const views = [
  [/^#?\/?$/, "sessions", sessions],
  [/^#\/session\/([^/]+)$/, "sessions", session],
  [/^#\/ended\/([^/]+)$/, "sessions", ended],
  [/^#\/runs$/, "runs", runs],
  [/^#\/run\/([^/]+)$/, "runs", run],
  [/^#\/nodes$/, "nodes", nodes],
];

function open() {
  if (location.hash === "#main") return;
  shown?.abort();
  shown = new AbortController();
  const { signal } = shown;
  const [pattern, name, fill] = views.find(([pattern]) => pattern.test(location.hash)) || views[0];
  for (const a of all("nav a")) {
    if (a.dataset.view === name) a.setAttribute("aria-current", "page");
    else a.removeAttribute("aria-current");
  }
  show(forget, hasKey());
  document.title = "Wayfinder";
  const id = (location.hash.match(pattern) || [])[1];
  const box = view(fill.name);
  main.replaceChildren(box);
  Promise.resolve(fill(box, signal, id && decodeURIComponent(id))).catch((failure) => {
    if (signal.aborted || failure.status === 401) return;
    const words = failure instanceof Failure ? failure.message : `Something went wrong in this page: ${failure.message}`;
    const place = one(".failure", box) || box.appendChild(document.createElement("p"));
    place.className = "failure";
    tell(place, words);
  });
}

function askForKey(wrong) {
  shown?.abort();
  useKey("");
  show(forget, false);
  const box = view("key"), form = one("form", box);
  main.replaceChildren(box);
  document.title = "Key · Wayfinder";
  tell(one(".failure", box), wrong);
  form.addEventListener("submit", (e) => {
    e.preventDefault();
    useKey(form.elements.key.value.trim());
    begin();
  });
  form.elements.key.focus();
}

/** begin opens the view that the address names, and shows operators their nodes. */
async function begin() {
  open();
  try {
    const list = await get("/v1/sessions");
    show(one('[data-view="nodes"]'), list.operator);
  } catch {
    // the view says what is wrong
  }
}

onKeyWanted(askForKey);
addEventListener("hashchange", () => {
  open();
  if (location.hash !== "#main") main.focus({ preventScroll: true });
});
// A page that a browser keeps for its button Back looks at nothing.
addEventListener("pagehide", () => shown?.abort());
addEventListener("pageshow", (e) => { if (e.persisted) open(); });
forget.addEventListener("click", () => askForKey(""));
begin();
