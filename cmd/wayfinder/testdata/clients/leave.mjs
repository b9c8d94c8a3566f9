// A client of the Model Context Protocol that gives a call of the tool agent up, in one
// way each, and reports how many actions reached the site after that.
//
//	node leave.mjs WAY CLIENT ADDRESS|PROGRAM
//
// WAY is cancel, timeout or close; CLIENT is v1 (package sdk) or v2 (package client).
// Standard input gets a line "leave" when the site has seen the agent act.
import { createInterface } from 'node:readline';

const [way, version, target, ...args] = process.argv.slice(2);
const v1 = version === 'v1';
const { Client } = await import(v1 ? '@modelcontextprotocol/sdk/client/index.js' : '@modelcontextprotocol/client');
let transport;
if (target.startsWith('http')) {
  const { StreamableHTTPClientTransport } = await import(v1 ? '@modelcontextprotocol/sdk/client/streamableHttp.js' : '@modelcontextprotocol/client');
  transport = new StreamableHTTPClientTransport(new URL(target));
} else {
  const { StdioClientTransport } = await import(v1 ? '@modelcontextprotocol/sdk/client/stdio.js' : '@modelcontextprotocol/client/stdio');
  transport = new StdioClientTransport({ command: target, args, stderr: 'inherit', env: process.env });
}
const client = new Client({ name: 'leave', version: '1' });
await client.connect(transport);
const leave = new AbortController();
const options = { signal: leave.signal, timeout: way === 'timeout' ? 3000 : 600_000 };
const call = { name: 'agent', arguments: { task: 'click Ping for ever', max_steps: 200 } };
const over = (v1 ? client.callTool(call, undefined, options) : client.callTool(call, options)).then(
  (r) => `answered ${JSON.stringify(r).slice(0, 300)}`,
  (e) => `gave up: ${String(e).slice(0, 300)}`,
);
createInterface({ input: process.stdin }).once('line', async () => {
  if (way === 'cancel') leave.abort('not wanted any more');
  if (way === 'close') await client.close();
});
console.log(await over);
setInterval(() => {}, 1000); // it stays, so that its end is not what ends the call
