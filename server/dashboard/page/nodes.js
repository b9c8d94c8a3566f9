// The processes that the service is made of.
import { keep, make, one, write } from "./dom.js";
import { again, get } from "./service.js";

function create() {
  return make("li", "", make("div", "card",
    make("span", "row", make("b", "title"), make("span", "chip")),
    make("span", "address"), make("meter"), make("span", "meta"),
  ));
}

function update(e, n) {
  write(one(".title", e), n.id);
  const chip = one(".chip", e);
  chip.className = "chip " + (n.draining ? "taken" : "working");
  write(chip, n.draining ? "draining" : "serves");
  write(one(".address", e), [n.address, n.here && "this page is from here", ...Object.entries(n.labels || {}).map(([k, v]) => `${k}=${v}`)].filter(Boolean).join(" · "));
  const meter = one("meter", e), words = n.capacity ? `${n.sessions} of ${n.capacity} sessions` : `${n.sessions} sessions`;
  meter.max = n.capacity || Math.max(1, n.sessions);
  meter.value = n.sessions;
  meter.setAttribute("aria-label", words);
  write(one(".meta", e), `${words} · pressure ${Math.round(n.pressure * 100)} %`);
}

/** nodes shows the nodes, and the queue of runs. */
export async function nodes(box, signal) {
  document.title = "Nodes · Wayfinder";
  const facts = one("[data-facts]", box), list = one("[data-list]", box);
  await again(2500, signal, async () => {
    const found = await get("/v1/nodes", { signal });
    const figures = [["Nodes", found.nodes.length], ["Sessions", found.nodes.reduce((n, one) => n + one.sessions, 0)]];
    if (found.queue) figures.push(["Runs that wait", found.queue.waiting], ["Runs at work", found.queue.running]);
    keep(facts, figures, ([name]) => name, ([name]) => make("div", "", make("dt", "", name), make("dd")), (e, [, n]) => write(one("dd", e), String(n)));
    keep(list, found.nodes, (n) => n.id, create, update);
  });
}
