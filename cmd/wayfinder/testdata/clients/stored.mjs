// Makes Playwright's own locator for each numbered element of the sites, and finds it
// again on the changed ones. Usage: stored.mjs DIRECTORY SITES CHANGES
import { readFileSync } from "node:fs"
import { chromium } from "playwright-core"
const [dir, sites, changes] = process.argv.slice(2)
const browser = await chromium.launch({ executablePath: process.env.WAYFINDER_CHROME || "/usr/bin/chromium", args: ["--no-sandbox"] })
const page = await browser.newPage()
const show = (name) => page.setContent(readFileSync(`${dir}/${name}.html`, "utf8"))
const found = Array.from({ length: +changes }, () => [])
for (let i = 0; i < +sites; i++) {
  await show(i)
  const stored = []
  for (const element of await page.locator("[data-n]").all()) stored.push([await element.getAttribute("data-n"), await element.normalize()])
  for (let c = 0; c < +changes; c++) {
    await show(`${i}-${c}`)
    for (const [n, locator] of stored) {
      const all = await locator.all()
      found[c].push([n, all.length === 1 ? (await all[0].getAttribute("data-n")) ?? "none" : ""])
    }
  }
}
await browser.close()
console.log(JSON.stringify(found))
