import createClient from 'openapi-fetch';
import type { paths } from './openapi.js';

declare const process: { argv: string[] };

// What a program does with the service, by nothing but the types that its
// description gives: without a cast.
const [, , service, site] = process.argv;
const client = createClient<paths>({ baseUrl: service });

const started = await client.POST('/v1/sessions/start', { body: { modelName: 'offline', browser: { type: 'local' } } });
if (started.error) throw new Error(`${started.error.code}: ${started.error.message}`);
const path = { id: started.data.data.sessionId };

const gone = await client.POST('/v1/sessions/{id}/navigate', { params: { path }, body: { url: site } });
if (gone.error) throw new Error(gone.error.message);

const observed = await client.POST('/v1/sessions/{id}/observe', { params: { path }, body: {} });
if (observed.error) throw new Error(observed.error.message);
const seen = observed.data.data;
if ('status' in seen) throw new Error('a stream that nobody asked for');
for (const action of seen.result) {
  const acted = await client.POST('/v1/sessions/{id}/act', { params: { path }, body: { input: action } });
  if (acted.error) throw new Error(acted.error.message);
  const did = acted.data.data;
  if ('status' in did) throw new Error('a stream that nobody asked for');
  console.log(`${did.result.success}: ${did.result.message}`);
}
const ended = await client.POST('/v1/sessions/{id}/end', { params: { path } });
if (ended.error) throw new Error(ended.error.message);
