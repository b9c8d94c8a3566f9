// Times actions on the same page with Playwright, Puppeteer, Stagehand, chromedp and
// ours, one after the other, twice. See README.md.
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, writeFileSync, mkdtempSync } from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";

const peers = process.env.PEERS ?? process.cwd();
const chrome = process.env.CHROME ?? "/usr/bin/chromium";
const times = Number(process.env.TIMES ?? 15);
const acts = ["click", "fill", "select", "check", "press", "hover"];
const flags = ["--no-sandbox", "--headless=new"];
const load = (name) => import(pathToFileURL(createRequire(path.join(peers, "package.json")).resolve(name)));
const rest = (ms) => new Promise((done) => setTimeout(done, ms));

// ---- the page: what is acted on, and 1,000 elements behind it

const cards = Array.from({ length: 54 }, (_, i) => `<div class=card><div><h3>Item ${i}</h3><p>A description of item ${i} with <b>some</b> words.</p>
<table><tr><td>Price<td>${i}.50<tr><td>Stock<td>${i % 7}</table><label>Count <input type=number value=1></label><a href="/item/${i}">More about item ${i}</a>
<div role=button tabindex=0 aria-label="Keep ${i}"><svg width=9 height=9><path d="M0 0h9v9z"/></svg></div></div></div>`);
const html = `<!DOCTYPE html><html lang=en><title>Acts</title><style>#hint:hover{color:red}</style><body>
<button id=go onclick="this.dataset.n = (this.dataset.n | 0) + 1">Go</button><input id=field aria-label=Field>
<select id=list aria-label=List><option>one<option>two<option>three</select><input id=box type=checkbox aria-label=Box><a id=hint href=/>Hint</a>${cards.join("")}`;
const file = path.join(mkdtempSync(path.join(os.tmpdir(), "acts-")), "page.html");
writeFileSync(file, html);
const page = pathToFileURL(file).href;

// measure times each act, with a pause before it in which the page comes to rest.
async function measure(does) {
  const took = {};
  for (const act of acts) {
    took[act] = [];
    for (let i = 0; i <= times; i++) {
      await rest(250);
      const begun = performance.now();
      await does[act](i);
      if (i > 0) took[act].push(performance.now() - begun); // the first warms up
    }
  }
  return took;
}

// ---- the tools

const value = (i) => ["one", "two", "three"][i % 3];

async function playwright() {
  const { chromium } = (await load("playwright-core")).default;
  const browser = await chromium.launch({ executablePath: chrome, args: flags });
  const p = await browser.newPage();
  await p.goto(page);
  const at = (id) => p.locator(id);
  const took = await measure({
    click: () => at("#go").click(), fill: (i) => at("#field").fill(`text ${i}`), select: (i) => at("#list").selectOption(value(i)),
    check: (i) => at("#box").setChecked(i % 2 === 0), press: () => at("#field").press("a"), hover: (i) => at(i % 2 ? "#hint" : "#go").hover(),
  });
  await browser.close();
  return took;
}

async function puppeteer() {
  const { launch } = (await load("puppeteer-core")).default;
  const browser = await launch({ executablePath: chrome, args: flags, headless: true });
  const p = await browser.newPage();
  await p.goto(page);
  const took = await measure({
    click: () => p.locator("#go").click(), fill: (i) => p.locator("#field").fill(`text ${i}`), select: (i) => p.select("#list", value(i)),
    check: () => p.locator("#box").click(), press: async () => (await p.$("#field")).press("a"), hover: (i) => p.locator(i % 2 ? "#hint" : "#go").hover(),
  });
  await browser.close();
  return took;
}

async function stagehand() {
  const { Stagehand } = await load("@browserbasehq/stagehand");
  const s = new Stagehand({
    env: "LOCAL", verbose: 0, disablePino: true, model: { modelName: "openai/none", apiKey: "none" },
    localBrowserLaunchOptions: { executablePath: chrome, headless: true, args: flags },
  });
  await s.init();
  await s.context.pages()[0].goto(page);
  const act = (id, method, ...args) => s.act({ selector: `xpath=//*[@id='${id}']`, description: id, method, arguments: args });
  const took = await measure({
    click: () => act("go", "click"), fill: (i) => act("field", "fill", `text ${i}`), select: (i) => act("list", "selectOptionFromDropdown", value(i)),
    check: () => act("box", "click"), press: () => act("field", "press", "a"), hover: (i) => act(i % 2 ? "hint" : "go", "hover"),
  });
  await s.close();
  return took;
}

const run = (command, args, options) => {
  const out = spawnSync(command, args, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"], ...options });
  if (out.status !== 0) throw new Error(`${command} ${args[0]} fails`);
  return JSON.parse(out.stdout);
};

function ours() {
  const program = path.join(path.dirname(file), "main.go");
  copyFileSync(path.join(import.meta.dirname, "acts.go.txt"), program);
  return run("go", ["run", program, chrome, page, String(times)], { cwd: import.meta.dirname });
}

// chromedp is another module: its program is written beside the other tools.
function chromedp() {
  const dir = path.join(peers, "chromedp");
  mkdirSync(dir, { recursive: true });
  writeFileSync(path.join(dir, "main.go"), `package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

func main() {
	times, _ := strconv.Atoi(os.Args[3])
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(os.Args[1]), chromedp.NoSandbox)
	all, end := chromedp.NewExecAllocator(context.Background(), options...)
	defer end()
	ctx, leave := chromedp.NewContext(all)
	defer leave()
	if err := chromedp.Run(ctx, chromedp.Navigate(os.Args[2])); err != nil {
		panic(err)
	}
	value := func(i int) string { return []string{"one", "two", "three"}[i%3] }
	hover := func(id string) chromedp.Action {
		return chromedp.QueryAfter(id, func(ctx context.Context, _ runtime.ExecutionContextID, _ ...*cdp.Node) error {
			var at []float64
			script := fmt.Sprintf("(() => { const r = document.querySelector('%s').getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2] })()", id)
			if err := chromedp.Evaluate(script, &at).Do(ctx); err != nil {
				return err
			}
			return chromedp.MouseEvent(input.MouseMoved, at[0], at[1]).Do(ctx)
		}, chromedp.ByQuery)
	}
	took := map[string][]float64{}
	for _, act := range []struct {
		name string
		does func(i int) chromedp.Action
	}{
		{"click", func(int) chromedp.Action { return chromedp.Click("#go", chromedp.ByQuery) }},
		{"fill", func(i int) chromedp.Action {
			return chromedp.Tasks{chromedp.Clear("#field", chromedp.ByQuery), chromedp.SendKeys("#field", fmt.Sprint("text ", i), chromedp.ByQuery)}
		}},
		{"select", func(i int) chromedp.Action { return chromedp.SetValue("#list", value(i), chromedp.ByQuery) }},
		{"check", func(int) chromedp.Action { return chromedp.Click("#box", chromedp.ByQuery) }},
		{"press", func(int) chromedp.Action { return chromedp.SendKeys("#field", "a", chromedp.ByQuery) }},
		{"hover", func(i int) chromedp.Action { return hover([]string{"#go", "#hint"}[i%2]) }},
	} {
		for i := 0; i <= times; i++ {
			time.Sleep(250 * time.Millisecond)
			begun := time.Now()
			if err := chromedp.Run(ctx, act.does(i)); err != nil {
				panic(err)
			}
			if i > 0 {
				took[act.name] = append(took[act.name], float64(time.Since(begun).Microseconds())/1000)
			}
		}
	}
	json.NewEncoder(os.Stdout).Encode(took)
}
`);
  return run("go", ["run", ".", chrome, page, String(times)], { cwd: dir });
}

// ---- the table

const tools = { ours, Playwright: playwright, Puppeteer: puppeteer, Stagehand: stagehand, chromedp };
const all = {};
for (let round = 0; round < 2; round++) {
  for (const [name, measured] of Object.entries(tools)) {
    if (process.env.ONLY && !process.env.ONLY.split(",").includes(name)) continue;
    console.error(name);
    try {
      const took = await measured();
      for (const act of acts) ((all[name] ??= {})[act] ??= []).push(...took[act]);
    } catch (e) {
      console.error(`${name} is left out: ${e.message}`);
    }
  }
}
const median = (list) => list.sort((a, b) => a - b)[list.length >> 1].toFixed(1);
console.log(`| ms, the middle of ${2 * times} | ${acts.join(" | ")} |\n|---|${acts.map(() => "---|").join("")}`);
for (const [name, took] of Object.entries(all)) console.log(`| ${name} | ${acts.map((act) => median(took[act])).join(" | ")} |`);
process.exit(0);
