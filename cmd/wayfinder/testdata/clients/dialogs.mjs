// A client of the DevTools protocol that attaches to a session, answers the dialogs of
// the page itself, and opens a session of its own with it. It writes one line of JSON.
//
//	node dialogs.mjs CLIENT ADDRESS
//
// CLIENT is puppeteer or playwright; ADDRESS is the session's cdpUrl.
const [which, address] = process.argv.slice(2);
const playwright = which === 'playwright';
let browser, page, session;
if (playwright) {
  const { chromium } = await import('playwright-core');
  browser = await chromium.connectOverCDP(address);
  page = browser.contexts()[0].pages()[0];
  session = await page.context().newCDPSession(page);
} else {
  const { default: puppeteer } = await import('puppeteer-core');
  browser = await puppeteer.connect({ browserWSEndpoint: address, defaultViewport: null });
  page = (await browser.pages())[0];
  session = await page.createCDPSession();
}
const heard = [];
let answer;
page.on('dialog', (d) => {
  heard.push(`${d.type()} ${d.message()}`);
  return answer(d);
});
const said = {};
answer = (d) => d.accept();
said.accepted = await page.evaluate(() => confirm('Sure?'));
answer = (d) => d.dismiss();
said.dismissed = await page.evaluate(() => confirm('Sure?'));
answer = (d) => d.accept('Ann');
said.prompt = await page.evaluate(() => prompt('Name?', 'Ada'));
said.heard = heard;
said.title = (await session.send('Runtime.evaluate', { expression: 'document.title' })).result.value;
await session.detach();
await (playwright ? browser.close() : browser.disconnect());
console.log(JSON.stringify(said));
process.exit(0);
