// Playwright's trace viewer as a person sees it: it opens a trace that the viewer
// serves, presses each action, and writes one line of JSON: the pictures of the film
// strip, and the width of each picture that stands in the place of a snapshot.
//
//	node viewer.mjs CHROME ADDRESS
import { chromium } from 'playwright-core';

const [executablePath, address] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
await page.goto(address);
await page.locator('.film-strip-frame').first().waitFor();
const strip = await page.evaluate(() => Promise.all([...document.querySelectorAll('.film-strip-frame')].map(async (e) => {
  const image = new Image();
  image.src = getComputedStyle(e).backgroundImage.slice(5, -2);
  await image.decode();
  return image.naturalWidth;
})));
const snapshots = [];
for (const action of await page.locator('.action-title').all()) {
  await action.click();
  const picture = page.frameLocator('iframe.snapshot-visible').locator('img');
  await picture.waitFor();
  snapshots.push(await picture.evaluate(async (i) => (await i.decode(), i.naturalWidth)));
}
console.log(JSON.stringify({ strip, snapshots }));
await browser.close();
