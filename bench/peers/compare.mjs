// Counts what two agents send to a model for the same tasks and the same oracle
// answers. See README.md.
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import path from "node:path";

// ---- the site

const html = (title, body) =>
  `<!doctype html><title>${title}</title><nav><a href=/>Home</a> <a href=/cart>Cart</a> <a href=/address>Address</a> <a href=/people>People</a></nav><h1>${title}</h1>${body}`;
const range = (n) => Array.from({ length: n }, (_, i) => i + 1);
const shop = () => html("Teapots", range(40).map((n) =>
  `<article><h2>Teapot ${n}</h2><p>A teapot of ${n} dl, made by hand, glazed twice.</p><p>€${n}.50</p><form action=/cart><input type=hidden name=n value=${n}><button>Add Teapot ${n}</button></form></article>`).join(""));
const cart = () => html("Your cart", `<p>One teapot.</p><form action=/thanks><label>Voucher <input name=v></label><button>Order</button></form>`);
const address = () => html("Your address", `<form action=/thanks>${["Name", "Street", "House", "City", "Postcode", "Country", "Email", "Phone", "Company", "Note"].map((f) => `<label>${f} <input name=${f}></label>`).join("")}<button>Save address</button></form>`);
const people = (q) => html("People", `<form><label>Filter <input name=q value="${q}"></label><button>Apply filter</button></form><table><tr><th>Name<th>Role<th>Since<th>Action</tr>${
  range(60).filter((n) => `Person ${n}`.includes(q)).map((n) => `<tr><td>Person ${n}<td>${n % 3 ? "clerk" : "chief"}<td>20${10 + (n % 15)}<td><a href="/thanks?n=${n}">Edit Person ${n}</a></tr>`).join("")}</table>`);
const thanks = () => html("Thank you", "<p>It is done.</p>");
const pages = { "/": shop, "/cart": cart, "/address": address, "/people": people, "/thanks": thanks };

const site = createServer((req, res) => {
  const url = new URL(req.url, "http://site");
  const page = pages[url.pathname];
  res.writeHead(page ? 200 : 404, { "Content-Type": "text/html; charset=utf-8" });
  res.end(page ? page(url.searchParams.get("q") ?? "") : "");
});

// ---- the tasks, with the oracle's answers

const click = (role, name) => ({ method: "click", role, name, words: `click the ${role} '${name}'` });
const fill = (name, value) => ({ method: "fill", role: "textbox", name, value, words: `type '${value}' into the field '${name}'` });
const tasks = [
  { name: "order a teapot", start: "/", steps: [click("button", "Add Teapot 17"), fill("Voucher", "TEA"), click("button", "Order")] },
  { name: "enter an address", start: "/address", steps: [fill("Name", "Ada"), fill("Street", "High Street"), fill("City", "Vienna"), fill("Email", "ada@example.com"), click("button", "Save address")] },
  { name: "edit a person", start: "/people", steps: [fill("Filter", "Person 4"), click("button", "Apply filter"), click("link", "Edit Person 42")] },
  { name: "find the way", start: "/", steps: [click("link", "People"), click("link", "Address"), click("link", "Cart"), click("button", "Order")] },
];

// ---- the model: Chat Completions, and an oracle

globalThis.AI_SDK_LOG_WARNINGS = false;
let task, at, looked, sent;
const call = (name, args) => ({ role: "assistant", content: null, tool_calls: [{ id: `call_${at}_${sent.length}`, type: "function", function: { name, arguments: JSON.stringify(args) } }] });
const newest = (text, step) => {
  const all = [...text.matchAll(/\[(\d+-\d+)\] ([a-z]+): ([^\n]*)/gi)].filter((m) => m[2].toLowerCase() === step.role && m[3].startsWith(step.name));
  return all.at(-1)?.[1];
};
const wordsOf = (messages) => messages.map((m) => (typeof m.content === "string" ? m.content : (m.content ?? []).map((p) => p.text ?? "").join("\n"))).join("\n");

function ours(body) {
  const step = task.steps[at++];
  if (!step) {
    const proof = { criterion: "it is done", evidence: [{ kind: "action", step: task.steps.length }] };
    return call("done", { success: true, message: "done", criteria: [proof] });
  }
  const ref = newest(wordsOf(body.messages), step);
  return step.method === "click" ? call("click", { ref }) : call("fill", { ref, text: step.value });
}

function theirs(body) {
  const names = (body.tools ?? []).map((t) => t.function.name);
  if (names.includes("act")) {
    if (!looked) {
      looked = true;
      return call("ariaTree", {});
    }
    const step = task.steps[at];
    if (step) return call("act", { action: step.words });
    return names.includes("done") ? call("done", { reasoning: "done", taskComplete: true }) : { role: "assistant", content: "It is done." };
  }
  if (names.includes("done")) return call("done", { reasoning: "done", taskComplete: true });
  const step = task.steps[at++];
  const elementId = newest(wordsOf(body.messages), step);
  return { role: "assistant", content: JSON.stringify({ action: { elementId, description: step.words, method: step.method, arguments: step.value ? [step.value] : [] }, twoStep: false }) };
}

const model = createServer((req, res) => {
  let raw = "";
  req.on("data", (piece) => (raw += piece));
  req.on("end", () => {
    sent.push(Buffer.byteLength(raw));
    const message = req.url.startsWith("/ours/") ? ours(JSON.parse(raw)) : theirs(JSON.parse(raw));
    if (process.env.SHOW) console.error(req.url, sent.at(-1), JSON.stringify(message).slice(0, 200));
    const stop = message.tool_calls ? "tool_calls" : "stop";
    res.writeHead(200, { "Content-Type": "application/json" });
    res.end(JSON.stringify({ id: "x", object: "chat.completion", created: 1, model: "oracle", choices: [{ index: 0, message, finish_reason: stop }], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } }));
  });
});

// ---- the runs

const listen = (server) => new Promise((ok) => server.listen(0, "127.0.0.1", () => ok(`http://127.0.0.1:${server.address().port}`)));
const [siteURL, modelURL] = [await listen(site), await listen(model)];

async function runOurs(name, start) {
  const child = spawn("go", ["run", path.join(import.meta.dirname, "ours.go"), `${modelURL}/ours/v1`, siteURL + start, name], { stdio: ["ignore", "inherit", "inherit"] });
  return new Promise((ok) => child.on("exit", (code) => ok(code === 0)));
}

const peer = path.join(process.env.PEERS ?? process.cwd(), "package.json");
const { Stagehand } = await import(pathToFileURL(createRequire(peer).resolve("@browserbasehq/stagehand")));

async function runTheirs(name, start) {
  const options = { modelName: "togetherai/oracle", apiKey: "none", baseURL: `${modelURL}/theirs/v1` };
  const stagehand = new Stagehand({
    env: "LOCAL", verbose: 0, disablePino: true, model: options,
    localBrowserLaunchOptions: { executablePath: process.env.CHROME ?? "/usr/bin/chromium", headless: true, args: ["--no-sandbox", "--headless=new"] },
  });
  await stagehand.init();
  try {
    await stagehand.context.pages()[0].goto(siteURL + start);
    const result = await stagehand.agent({ model: options, mode: "dom" }).execute({ instruction: name, maxSteps: 20 });
    return result.success;
  } finally {
    await stagehand.close();
  }
}

const tokens = () => Math.ceil(sent.reduce((a, b) => a + b, 0) / 4);
const totals = [0, 0];
for (task of tasks) {
  const row = [];
  for (const [i, run] of [runOurs, runTheirs].entries()) {
    [at, looked, sent] = [0, false, []];
    const ok = await run(task.name, task.start);
    row.push({ ok: ok && at >= task.steps.length, questions: sent.length, tokens: tokens() });
    totals[i] += tokens();
  }
  console.log(`${task.name}: ours ${JSON.stringify(row[0])}, theirs ${JSON.stringify(row[1])}: ${((100 * row[0].tokens) / row[1].tokens).toFixed(0)} %`);
}
console.log(`all: ${totals[0]} tokens, ${totals[1]} tokens: ${((100 * totals[0]) / totals[1]).toFixed(0)} %`);
process.exit(0);
