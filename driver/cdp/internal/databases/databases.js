// This text is an expression: an object of two functions. It runs in a world of
// ours, so that nothing of what the page has changed is used.
(() => {
const kinds = {
  i8: Int8Array, ui8: Uint8Array, ui8c: Uint8ClampedArray, i16: Int16Array, ui16: Uint16Array, i32: Int32Array, ui32: Uint32Array,
  f16: globalThis.Float16Array, f32: Float32Array, f64: Float64Array, bi64: BigInt64Array, bui64: BigUint64Array,
};
const errors = { Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };

const tagOf = (v) => Object.prototype.toString.call(v).slice(8, -1);

const base64 = (bytes) => {
  if (bytes.toBase64) return bytes.toBase64();
  let text = '';
  for (let i = 0; i < bytes.length; i += 8192) text += String.fromCharCode(...bytes.subarray(i, i + 8192));
  return btoa(text);
};
const bytesOf = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
const bytesIn = (view) => new Uint8Array(view.buffer, view.byteOffset, view.byteLength);

// A Refused is why something is left out, and a Late why it is left out now.
class Refused extends Error {}
class Late extends Refused {}
// What a page deletes or upgrades meanwhile.
class Gone extends Error {}

// plain reports whether a value is what JSON says of it. seen are the objects that
// were met: one that is met twice, in a circle or not, is not plain.
const plain = (v, seen) => {
  switch (typeof v) {
    case 'string': case 'boolean': return true;
    case 'number': return Number.isFinite(v) && !Object.is(v, -0);
    case 'object': break;
    default: return false;
  }
  if (v === null) return true;
  if (seen.has(v)) return false;
  seen.add(v);
  const names = Object.keys(v);
  if (Array.isArray(v)) {
    if (names.length !== v.length) return false;
    for (let i = 0; i < v.length; i++) if (!(i in v) || !plain(v[i], seen)) return false;
    return true;
  }
  return Object.getPrototypeOf(v) === Object.prototype && names.every((name) => plain(v[name], seen));
};

// mostHoles is how many places of an array may be empty.
const mostHoles = 10000;

// encode returns the encoded form of a value. ids are those of objects that have
// one; what is not known before a Blob was read is filled in by functions in later.
const encode = (v, ids, later) => {
  const inner = (e) => encode(e, ids, later);
  switch (typeof v) {
    case 'string': case 'boolean': return v;
    case 'undefined': return { v: 'undefined' };
    case 'bigint': return { bi: String(v) };
    case 'number': return Object.is(v, -0) ? { v: '-0' } : Number.isFinite(v) ? v : { v: String(v) };
  }
  if (v === null) return { v: 'null' };
  if (ids.has(v)) return { ref: ids.get(v) };
  const withId = (form) => {
    form.id = ids.size + 1;
    ids.set(v, form.id);
    return form;
  };
  const members = (names) => names.map((k) => ({ k, v: inner(v[k]) }));
  const tag = tagOf(v);
  switch (tag) {
    case 'Array': {
      const names = Object.keys(v);
      if (v.length > names.length + mostHoles) throw new Refused('a sparse array');
      const form = withId({ a: [] });
      for (let i = 0; i < v.length; i++) form.a.push(i in v ? inner(v[i]) : { v: 'hole' });
      const more = names.filter((name) => !(String(name >>> 0) === name && name >>> 0 < v.length));
      if (more.length) form.p = members(more);
      return form;
    }
    case 'Object': {
      if (Object.getPrototypeOf(v) !== Object.prototype) break;
      const form = withId({ o: [] });
      form.o = members(Object.keys(v));
      return form;
    }
    case 'Map': {
      const form = withId({ m: [] });
      for (const [key, value] of v) form.m.push([inner(key), inner(value)]);
      return form;
    }
    case 'Set': {
      const form = withId({ s: [] });
      for (const value of v) form.s.push(inner(value));
      return form;
    }
    case 'Date': return { d: Number.isNaN(v.getTime()) ? null : v.toISOString() };
    case 'RegExp': return { r: { p: v.source, f: v.flags } };
    case 'Error': return { e: { n: String(v.name), m: String(v.message), s: String(v.stack) } };
    case 'ArrayBuffer': return { ab: { b: base64(new Uint8Array(v)) } };
    case 'DataView': return { dv: { b: base64(bytesIn(v)) } };
    case 'Blob': case 'File': {
      const bl = { b: '', t: v.type };
      if (tag === 'File') Object.assign(bl, { n: v.name, l: v.lastModified });
      later.push({ size: v.size * 4 / 3, fill: async () => { bl.b = base64(new Uint8Array(await v.arrayBuffer())); } });
      return { bl };
    }
    case 'Boolean': case 'Number': case 'String': case 'BigInt': return { w: inner(v.valueOf()) };
  }
  for (const k in kinds) if (kinds[k] && v instanceof kinds[k]) return { ta: { b: base64(bytesIn(v)), k } };
  throw new Refused(/^[AEIOU]/.test(tag) ? 'an ' + tag : 'a ' + tag);
};

// decode is the value of an encoded form.
const decode = (f, refs) => {
  if (typeof f !== 'object' || f === null) return f;
  const inner = (e) => decode(e, refs);
  const withId = (v) => {
    refs.set(f.id, v);
    return v;
  };
  const fill = (v, members) => {
    for (const { k, v: form } of members) {
      Object.defineProperty(v, k, { value: inner(form), enumerable: true, configurable: true, writable: true });
    }
    return v;
  };
  if ('ref' in f) return refs.get(f.ref);
  if ('v' in f) return { null: null, undefined, NaN, Infinity, '-Infinity': -Infinity, '-0': -0 }[f.v];
  if ('bi' in f) return BigInt(f.bi);
  if ('d' in f) return new Date(f.d ?? NaN);
  if ('r' in f) return new RegExp(f.r.p, f.r.f);
  if ('e' in f) {
    const e = new (Object.hasOwn(errors, f.e.n) ? errors[f.e.n] : Error)(f.e.m);
    Object.defineProperty(e, 'stack', { value: f.e.s, configurable: true, writable: true });
    return e;
  }
  if ('a' in f) {
    const v = withId([]);
    for (const e of f.a) e?.v === 'hole' ? v.length++ : v.push(inner(e));
    return fill(v, f.p ?? []);
  }
  if ('o' in f) return fill(withId({}), f.o);
  if ('m' in f) {
    const v = withId(new Map());
    for (const [key, value] of f.m) v.set(inner(key), inner(value));
    return v;
  }
  if ('s' in f) {
    const v = withId(new Set());
    for (const e of f.s) v.add(inner(e));
    return v;
  }
  if ('ab' in f) return bytesOf(f.ab.b).buffer;
  if ('ta' in f && kinds[f.ta.k]) return new kinds[f.ta.k](bytesOf(f.ta.b).buffer);
  if ('dv' in f) return new DataView(bytesOf(f.dv.b).buffer);
  if ('bl' in f) {
    const { b, t, n, l } = f.bl;
    return n === undefined ? new Blob([bytesOf(b)], { type: t }) : new File([bytesOf(b)], n, { type: t, lastModified: l });
  }
  if ('w' in f) return Object(inner(f.w));
  throw new Refused('a value of an unknown form: ' + Object.keys(f).join());
};

// put writes a value into a record under a name, or encoded under another. null
// is encoded, as those who write the form that we read take it for nothing.
const put = (record, name, v, later) => {
  if (v !== null && plain(v, new Set())) record[name] = v;
  else record[name + 'Encoded'] = encode(v, new Map(), later);
};
const get = (record, name) => name in record ? record[name] : decode(record[name + 'Encoded'] ?? { v: 'undefined' }, new Map());

const named = (e) => e ? e.name + ': ' + e.message : 'it was refused';

// open opens a database that is there, and closes it again once nobody wants it.
const open = (name, given) => new Promise((done, fail) => {
  const request = indexedDB.open(name);
  request.onupgradeneeded = () => request.transaction.abort(); // there is none any more
  request.onsuccess = () => given.up ? request.result.close() : done(request.result);
  request.onerror = () => fail(request.error?.name === 'AbortError' ? new Gone() : new Refused(named(request.error)));
});

const pathOf = (path) => typeof path === 'string' ? { keyPath: path } : path === null ? {} : { keyPathArray: [...path] };

// firstBatch is how many records are read at once, and mostAtOnce later on.
const firstBatch = 32;
const mostAtOnce = 512;

// readStore reads the records of a store, as texts in out.texts, or as records whose
// Blobs are still to be read in out.open.
const readStore = (store, out) => new Promise((done, fail) => {
  const beside = store.keyPath === null;
  const take = (key, value) => {
    const record = {}, later = [];
    if (beside) put(record, 'key', key, later);
    put(record, 'value', value, later);
    if (!later.length) {
      const text = JSON.stringify(record);
      out.spend(text.length);
      out.texts.push(text);
      return;
    }
    for (const l of later) out.spend(l.size);
    out.open.push({ record, later, at: out.texts.push('') - 1 });
  };
  const batch = (range, count) => {
    const keys = store.getAllKeys(range, count), values = store.getAll(range, count);
    keys.onerror = values.onerror = (e) => fail(new Refused(named(e.target.error)));
    values.onsuccess = () => {
      try {
        const k = keys.result, v = values.result;
        if (k.length === count) batch(IDBKeyRange.lowerBound(k.at(-1), true), Math.min(count * 2, mostAtOnce));
        for (let i = 0; i < k.length; i++) {
          try {
            take(k[i], v[i]);
          } catch (e) {
            out.leave(e);
          }
        }
        if (k.length < count) done();
      } catch (e) {
        fail(e);
      }
    };
  };
  batch(null, firstBatch);
});

// fillBlobs reads what is still to be read of a store's records.
const fillBlobs = async (out) => {
  for (const { record, later, at } of out.open) {
    try {
      for (const l of later) await l.fill();
      out.texts[at] = JSON.stringify(record);
    } catch (e) {
      out.leave(new Refused('a Blob that cannot be read'));
    }
  }
};

// readDatabase returns a database as JSON, and what is left out of it.
const readDatabase = async (name, limit, given) => {
  const db = await open(name, given);
  const leftOut = [];
  let spent = 0;
  try {
    const { version } = db;
    const names = [...db.objectStoreNames];
    if (!names.length) return { text: JSON.stringify({ name, version, stores: [] }), leftOut };
    const transaction = db.transaction(names, 'readonly');
    const stopped = new Promise((_, fail) => {
      const stop = (why) => {
        fail(new Late(why));
        try { transaction.abort(); } catch {} // it is over
        db.close();
      };
      db.onversionchange = () => stop('a page changes its version, or deletes it');
      given.stops.push(() => stop('late'));
    });
    stopped.catch(() => {});
    const stores = names.map((storeName) => {
      const out = {
        texts: [], open: [], store: transaction.objectStore(storeName),
        spend: (n) => {
          spent += n;
          if (spent > limit) throw new RangeError(limit);
        },
        leave: (e) => {
          if (e instanceof RangeError && e.message === String(limit)) throw e;
          const why = e instanceof Refused ? e.message : e instanceof RangeError ? 'a value that is nested too deeply' : named(e);
          const known = leftOut.find((l) => l.store === storeName && l.why === why);
          if (known) known.records++;
          else leftOut.push({ database: name, store: storeName, records: 1, why });
        },
      };
      const s = out.store;
      out.head = {
        name: storeName, ...pathOf(s.keyPath), autoIncrement: s.autoIncrement,
        indexes: [...s.indexNames].map((n) => s.index(n)).map((i) => ({ name: i.name, ...pathOf(i.keyPath), multiEntry: i.multiEntry, unique: i.unique })),
      };
      return out;
    });
    try {
      await Promise.race([stopped, Promise.all(stores.map((out) => readStore(out.store, out)))]);
      await Promise.race([stopped, Promise.all(stores.map(fillBlobs))]);
    } catch (e) {
      try { transaction.abort(); } catch {} // it is over
      if (e instanceof RangeError) throw new Refused('more than ' + limit + ' bytes');
      throw e;
    }
    const texts = stores.map((out) => JSON.stringify(out.head).slice(0, -1) + ',"records":[' + out.texts.filter((t) => t).join(',') + ']}');
    return { text: JSON.stringify({ name, version }).slice(0, -1) + ',"stores":[' + texts.join(',') + ']}', leftOut };
  } finally {
    db.close();
  }
};

// questions is how often IndexedDB answers another question before a promise is given up.
const questions = 20;

// within gives a promise up after ms milliseconds. On a machine that has no time to
// spare the other answers come late, too: a database that no page keeps busy has
// answered by then.
const within = (ms, promise) => {
  let timer, over = false;
  const late = new Promise((_, fail) => {
    timer = setTimeout(async () => {
      for (let i = 0; i < questions && !over; i++) await indexedDB.databases().catch(() => {});
      fail(new Late('it did not answer within ' + ms + ' ms'));
    }, ms);
  });
  return Promise.race([promise, late]).finally(() => {
    over = true;
    clearTimeout(timer);
  });
};

// mostDatabases is how many an origin may have to be read.
const mostDatabases = 100;

// read returns all databases of the origin that fit into limit bytes, the smallest
// first, as JSON.
const read = async (limit, ms) => {
  const given = { up: false, stops: [] };
  const leftOut = [], kept = [];
  let again = false;
  const leave = (database, e) => {
    again ||= e instanceof Late;
    leftOut.push({ database, why: e instanceof Refused ? e.message : named(e) });
  };
  const end = Date.now() + ms;
  try {
    const all = (await within(ms, indexedDB.databases())).map((d) => d.name).sort();
    const names = all.slice(0, mostDatabases);
    if (names.length < all.length) leave('', new Refused(all.length + ' are too many: ' + mostDatabases + ' are read'));
    await Promise.all(names.map(async (name) => {
      try {
        kept.push({ name, ...await within(Math.max(1, end - Date.now()), readDatabase(name, limit, given)) });
      } catch (e) {
        if (!(e instanceof Gone)) leave(name, e);
      }
    }));
  } catch (e) {
    leave('', e);
  }
  given.up = true;
  for (const stop of given.stops) stop();
  let spent = 0;
  const fit = kept.sort((a, b) => a.text.length - b.text.length).filter(({ name, text, leftOut: part }) => {
    if (spent + text.length > limit) {
      leftOut.push({ database: name, why: 'more than ' + limit + ' bytes with those that are smaller' });
      return false;
    }
    spent += text.length;
    leftOut.push(...part);
    return true;
  });
  return '{"origin":' + JSON.stringify(origin) + ',"again":' + again + ',"databases":[' + fit.map((d) => d.text).join(',') + ']' + (leftOut.length ? ',"leftOut":' + JSON.stringify(leftOut) : '') + '}';
};

// remove deletes a database that is there.
const remove = (name) => new Promise((done, fail) => {
  const request = indexedDB.deleteDatabase(name);
  request.onsuccess = () => done();
  request.onerror = () => fail(new Refused(named(request.error)));
  request.onblocked = () => fail(new Refused('a page has it open'));
});

// make makes a database, whole or not at all.
const make = (d) => new Promise((done, fail) => {
  const request = indexedDB.open(d.name, d.version);
  let why;
  request.onupgradeneeded = () => {
    let at = '';
    try {
      for (const s of d.stores ?? []) {
        at = 'store ' + JSON.stringify(s.name) + ': ';
        const store = request.result.createObjectStore(s.name, { keyPath: s.keyPathArray ?? s.keyPath ?? null, autoIncrement: !!s.autoIncrement });
        for (const i of s.indexes ?? []) {
          store.createIndex(i.name, i.keyPathArray ?? i.keyPath, { unique: !!i.unique, multiEntry: !!i.multiEntry });
        }
        for (const r of s.records ?? []) {
          const key = get(r, 'key'), here = at;
          const added = key === undefined ? store.add(get(r, 'value')) : store.add(get(r, 'value'), key);
          added.onerror = () => { why ??= new Refused(here + named(added.error)); };
        }
      }
    } catch (e) {
      why = new Refused(at + (e instanceof Refused ? e.message : named(e)));
      request.transaction.abort();
    }
  };
  request.onsuccess = () => {
    request.result.close();
    done();
  };
  request.onerror = () => fail(why ?? new Refused(named(request.error)));
  request.onblocked = () => fail(new Refused('a page has it open'));
});

// write makes databases, in the place of those that are there. It returns what
// went wrong, empty if nothing did.
const write = async (text, ms) => {
  const databases = JSON.parse(text);
  try {
    const there = new Set((await within(ms, indexedDB.databases())).map((d) => d.name));
    for (const d of databases) {
      try {
        if (there.has(d.name)) await within(ms, remove(d.name));
        await within(ms, make(d));
      } catch (e) {
        return 'database ' + JSON.stringify(d.name) + ': ' + (e instanceof Refused ? e.message : named(e));
      }
    }
  } catch (e) {
    return e instanceof Refused ? e.message : named(e);
  }
  return '';
};

return { read, write };
})()
