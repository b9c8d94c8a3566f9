package cdp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mafredri/cdp/protocol/network"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/databases"
)

func TestCookies(t *testing.T) {
	base := handle(t, map[string]http.HandlerFunc{
		"/": func(w http.ResponseWriter, r *http.Request) {
			http.SetCookie(w, &http.Cookie{Name: "fromSite", Value: "1", HttpOnly: true, SameSite: http.SameSiteLaxMode})
			html(r.Header.Get("Cookie"))(w, r)
		},
	})
	p := testPage(t)
	b := p.browser
	expires := time.Now().Add(time.Hour).Truncate(time.Second).UTC()
	set := []driver.Cookie{
		{Name: "byURL", Value: "2", URL: base},
		{Name: "byDomain", Value: "3", Domain: ".example.test", Path: "/a", Secure: true, HTTPOnly: true, SameSite: "None", Expires: expires},
	}
	if err := b.SetCookies(t.Context(), set...); err != nil {
		t.Fatal(err)
	}
	goTo(t, p, base)
	if got := evaluate(t, p, "document.body.innerText"); got != "byURL=2" {
		t.Errorf("the site was sent %q", got)
	}
	all, err := b.Cookies(t.Context())
	if err != nil || len(all) != 3 {
		t.Fatalf("Cookies() = %+v, %v, want three", all, err)
	}
	got, err := b.Cookies(t.Context(), "https://sub.example.test/a/b")
	if err != nil || len(got) != 1 {
		t.Fatalf("Cookies(sub.example.test) = %+v, %v", got, err)
	}
	if diff := cmp.Diff(set[1], got[0]); diff != "" {
		t.Errorf("cookie (-set +got):\n%s", diff)
	}
	// Another browser of the same Chrome sees none of them.
	if other, err := testBrowser(t).Cookies(t.Context()); err != nil || len(other) != 0 {
		t.Errorf("another browser has %+v, %v", other, err)
	}
	if err := b.SetCookies(t.Context(), driver.Cookie{Name: "good", Value: "x", URL: base}, driver.Cookie{Name: "bad", Domain: "example.test", Path: "no-slash", SameSite: "Nonsense"}); err == nil {
		t.Error("SetCookies took a cookie that is none")
	}
	if err := b.SetCookies(t.Context(), driver.Cookie{Name: "homeless"}); err == nil {
		t.Error("SetCookies took a cookie without a domain")
	}
	if err := b.ClearCookies(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left, err := b.Cookies(t.Context()); err != nil || len(left) != 0 {
		t.Errorf("after ClearCookies: %+v, %v", left, err)
	}
}

func TestCookieSentTo(t *testing.T) {
	for _, c := range []struct {
		domain, path string
		secure       bool
		url          string
		want         bool
	}{
		{"a.test", "/", false, "http://a.test", true},
		{"a.test", "/", false, "http://b.a.test/", false},
		{".a.test", "/", false, "http://b.a.test/", true},
		{".a.test", "/", false, "http://ba.test/", false},
		{"a.test", "/x", false, "http://a.test/x/y", true},
		{"a.test", "/x", false, "http://a.test/xy", false},
		{"a.test", "/x/", false, "http://a.test/x/y", true},
		{"a.test", "/", true, "http://a.test/", false},
		{"a.test", "/", true, "https://a.test/", true},
		{"localhost", "/", true, "http://localhost:80/", true},
	} {
		u, err := url.Parse(c.url)
		if err != nil {
			t.Fatal(err)
		}
		w := &network.Cookie{Domain: c.domain, Path: c.path, Secure: c.secure}
		if got := sentTo(w, u); got != c.want {
			t.Errorf("%+v sent to %s = %t", w, c.url, got)
		}
	}
}

func TestStorageState(t *testing.T) {
	const noIcon = "<link rel=icon href='data:,'>"
	var mu sync.Mutex
	var requests []string
	base := handle(t, map[string]http.HandlerFunc{"/": func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		requests = append(requests, r.URL.Path)
		mu.Unlock()
		html(noIcon+"<title>x</title><iframe src='"+elsewhere("http://"+r.Host)+"/frame'></iframe>")(w, r)
	}, "/frame": html("<script>try { localStorage.embedded = 1 } catch {}</script>")})
	p := visit(t, base)
	evaluate(t, p, "localStorage.b = '2'; localStorage.a = '\\u2028\"<'; document.cookie = 'c=3'; 1")
	state, err := p.browser.StorageState(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []driver.OriginStorage{{Origin: base, LocalStorage: []driver.StorageEntry{{Name: "a", Value: "\u2028\"<"}, {Name: "b", Value: "2"}}}}
	if diff := cmp.Diff(want, state.Origins); diff != "" || len(state.Cookies) != 1 || state.Cookies[0].Name != "c" {
		t.Errorf("StorageState() = %+v\n%s", state, diff)
	}

	mu.Lock()
	requests = nil
	mu.Unlock()
	b, err := testChrome(t).Open(t.Context(), &driver.BrowserOptions{StorageState: state})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	mu.Lock()
	defer mu.Unlock()
	if len(requests) != 0 || len(b.Pages()) != 1 {
		t.Errorf("restoring sent %v and left %d pages", requests, len(b.Pages()))
	}
	q := b.Pages()[0].(*page)
	mu.Unlock()
	defer mu.Lock()
	if _, err := q.Back(t.Context(), nil); err == nil {
		t.Error("restoring left a history")
	}
	goTo(t, q, base)
	if got := evaluate(t, q, "localStorage.a + localStorage.b + document.cookie"); got != "\u2028\"<2c=3" {
		t.Errorf("restored = %q", got)
	}
}

// fillDatabases fills databases of a page as sites do, and with all that they may
// hold; sumDatabases says what they hold, in the page's own words.
const fillDatabases = `(async () => {
	const done = (r) => new Promise((ok, no) => { r.onsuccess = () => ok(r.result); r.onerror = () => no(r.error); });
	const make = async (name, version, upgrade) => {
		const request = indexedDB.open(name, version);
		request.onupgradeneeded = () => upgrade(request.result);
		(await done(request)).close();
	};
	await make('empty', 7, () => {});
	await make('login', 3, (db) => {
		db.createObjectStore('users', { keyPath: 'fbase_key' }).put({ fbase_key: 'user', value: { uid: '4711', token: 'a"\u2028ü' } });
		const pairs = db.createObjectStore('pairs', { keyPath: ['a.b', 'c'] });
		pairs.createIndex('by c', 'c', { unique: true });
		pairs.createIndex('by tags', 'tags', { multiEntry: true });
		pairs.createIndex('by both', ['c', 'a.b']);
		pairs.put({ a: { b: 1 }, c: new Date(5), tags: ['x', 'y'] });
		const own = db.createObjectStore('own', { keyPath: 'id', autoIncrement: true });
		for (const v of ['a', 'b']) own.put({ v });
		db.createObjectStore('itself', { keyPath: '' }).put('the value is the key');
		const beside = db.createObjectStore('beside', { autoIncrement: true });
		beside.put('first');
		for (const key of [-Infinity, 0, 'text', '', new Date(1e12), new Uint8Array([1, 255]).buffer, [1, ['two', new Date(3)], []]]) beside.put(key, key);
		const circle = { name: 'circle', twice: [1] };
		circle.self = circle;
		circle.again = circle.twice;
		const named = [1, , 'x'];
		named.name = 'with a name';
		const proto = JSON.parse('{"__proto__": {"x": 1}, "y": {}}');
		const values = { undefined, null: null, false: false, zero: 0, minus: -0, nan: NaN, infinity: -Infinity, empty: '', big: 2n ** 70n,
			plain: { a: [1, 'b', { c: null }], 'ä': 1e300 }, hole: { x: undefined }, date: new Date(1234567890123), invalid: new Date(NaN),
			regexp: /a"\/b/giu, error: new RangeError('out'), map: new Map([[{ k: 1 }, new Set([1, NaN])], ['m', new Map()]]), circle, named, proto,
			buffer: new Uint8Array([0, 1, 128, 255]).buffer, typed: new Int16Array([1, -2]), part: new Uint8Array([9, 8, 7]).subarray(1), floats: new Float64Array([0.1, NaN]),
			bigs: new BigUint64Array([2n ** 63n]), view: new DataView(new ArrayBuffer(3)), wrapped: Object('text'), number: Object(5), surrogate: '\ud800',
			blob: new Blob(['some ', new Uint8Array([0, 200])], { type: 'text/x' }), file: new File(['inside'], 'a.txt', { lastModified: 99 }) };
		for (const name in values) beside.put(values[name], 'value ' + name);
		beside.put([{ key: 1, blob: new Blob(['nested']) }, new Date(7)], 'value nested');
	});
	for (let i = 0; i < 100; i++) await 0;
	await make('', 1, (db) => { const s = db.createObjectStore(''); for (let i = 0; i < 1100; i++) s.put(i + 'x', i); });
	return '';
})()`

const sumDatabases = `(async () => {
	const done = (r) => new Promise((ok, no) => { r.onsuccess = () => ok(r.result); r.onerror = () => no(r.error); });
	const hex = (b) => [...new Uint8Array(b.buffer ?? b, b.byteOffset ?? 0, b.byteLength)].join(' ');
	const say = async (v, met = []) => {
		if (typeof v === 'bigint') return v + 'n';
		if (typeof v === 'string') return JSON.stringify(v);
		if (Object.is(v, -0)) return '-0';
		if (typeof v !== 'object' || v === null) return String(v);
		if (met.includes(v)) return 'again ' + met.indexOf(v);
		met.push(v);
		const kind = Object.prototype.toString.call(v) + (Object.getPrototypeOf(v).constructor?.name ?? 'no constructor') + ' ';
		if (v instanceof Date) return kind + v.getTime();
		if (v instanceof RegExp) return kind + v;
		if (v instanceof Error) return kind + v.name + v.message + (v.stack.length > 0);
		if (v instanceof ArrayBuffer || ArrayBuffer.isView(v)) return kind + hex(v);
		if (v instanceof Blob) return kind + [v.type, v.name, v.lastModified, v.size, hex(await v.arrayBuffer())];
		if (v instanceof String || v instanceof Number) return kind + v;
		const list = [];
		if (v instanceof Map) for (const [k, e] of v) list.push(await say(k, met) + ' => ' + await say(e, met));
		else if (v instanceof Set) for (const e of v) list.push(await say(e, met));
		else for (const k of Object.keys(v)) list.push(k + ': ' + await say(v[k], met));
		return kind + (v.length ?? v.size ?? '') + '{' + list.join(', ') + '}';
	};
	let text = '';
	for (const { name, version } of (await indexedDB.databases()).sort((a, b) => a.name < b.name ? -1 : 1)) {
		text += 'database ' + name + ' ' + version + '\n';
		const db = await done(indexedDB.open(name));
		for (const s of db.objectStoreNames) {
			const store = db.transaction(s).objectStore(s);
			text += '\tstore ' + [s, store.keyPath === null ? 'beside' : JSON.stringify(store.keyPath), store.autoIncrement] + '\n';
			for (const n of store.indexNames) { const i = store.index(n); text += '\t\tindex ' + [n, JSON.stringify(i.keyPath), i.unique, i.multiEntry] + '\n'; }
			const [keys, values] = await Promise.all([done(store.getAllKeys()), done(store.getAll())]);
			for (let i = 0; i < keys.length; i++) text += '\t\t' + await say(keys[i]) + ' = ' + await say(values[i]) + '\n';
		}
		db.close();
	}
	return text;
})()`

// TestIndexedDB: what a page keeps in IndexedDB is there in another browser, to the
// last value, before the page's own scripts open it.
func TestIndexedDB(t *testing.T) {
	base := handle(t, map[string]http.HandlerFunc{"/": html("<link rel=icon href='data:,'>"), "/login": html(`<link rel=icon href='data:,'><script>
		const r = indexedDB.open('login', 3);
		r.onupgradeneeded = () => { document.title = 'nobody'; r.transaction.abort(); };
		r.onsuccess = () => { r.result.transaction('users').objectStore('users').get('user').onsuccess = (e) => { document.title = e.target.result.value.uid; }; };
	</script>`)})
	p := visit(t, base)
	evaluate(t, p, fillDatabases)
	want := evaluate(t, p, sumDatabases)
	state, err := p.browser.StorageState(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(state.Origins) != 1 || len(state.Origins[0].IndexedDB) != 3 || len(state.Origins[0].LeftOut) != 0 {
		t.Fatalf("StorageState() = %+v", state)
	}
	// As it is kept in a file.
	raw, err := json.Marshal(state)
	if err != nil {
		t.Fatal(err)
	}
	state = new(driver.StorageState)
	if err := json.Unmarshal(raw, state); err != nil {
		t.Fatal(err)
	}
	b, err := testChrome(t).Open(t.Context(), &driver.BrowserOptions{StorageState: state})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	q := b.Pages()[0].(*page)
	goTo(t, q, base+"/login")
	if got := evaluate(t, q, "new Promise((ok) => setInterval(() => document.title && ok(document.title)))"); got != "4711" {
		t.Errorf("the page's own script knows %q", got)
	}
	if diff := cmp.Diff(want, evaluate(t, q, sumDatabases)); diff != "" {
		t.Errorf("restored (-was +is):\n%s", diff)
	}
	// And once more: nothing changes on the way.
	state, err = b.StorageState(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(state)
	if diff := cmp.Diff(string(raw), string(again)); err != nil || diff != "" {
		t.Errorf("StorageState() of the second, %v (-first +second):\n%s", err, diff)
	}
}

// databasesNow are those of the only origin that has any, and what is left out.
func databasesNow(t *testing.T, b driver.Browser) (names []string, leftOut []driver.LeftOut) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	state, err := b.StorageState(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range state.Origins {
		for _, d := range o.IndexedDB {
			names = append(names, d.Name)
		}
		leftOut = append(leftOut, o.LeftOut...)
	}
	return names, leftOut
}

// openIndexedDB is a function for pages: open(name, version, upgrade) is a promise
// of a connection, and end(transaction) of its end.
const openIndexedDB = `globalThis.openDB = (name, version, upgrade = () => {}) => new Promise((ok, no) => {
	const r = indexedDB.open(name, version);
	r.onupgradeneeded = () => upgrade(r.result);
	r.onsuccess = () => ok(r.result);
	r.onerror = () => no(r.error);
});
globalThis.put = (db, value, key) => new Promise((ok, no) => {
	const t = db.transaction('s', 'readwrite');
	t.objectStore('s').put(value, key);
	t.oncomplete = () => ok('');
	t.onabort = () => no(t.error);
});`

// TestIndexedDBChanges: what was read is read anew where a page, another page or a
// worker has written since, at once and each time.
func TestIndexedDBChanges(t *testing.T) {
	base := handle(t, map[string]http.HandlerFunc{"/": html("<link rel=icon href='data:,'><script>" + openIndexedDB + "</script>"), "/worker.js": func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		_, _ = w.Write([]byte(openIndexedDB + "onmessage = async (e) => { const db = await openDB('d', 1); await put(db, e.data, 'k'); db.close(); postMessage(''); }"))
	}})
	p := visit(t, base)
	b := p.browser
	if names, leftOut := databasesNow(t, b); len(names)+len(leftOut) != 0 {
		t.Errorf("before there is any: %v, %v", names, leftOut)
	}
	evaluate(t, p, "openDB('d', 1, (db) => { db.createObjectStore('s'); }).then((db) => { globalThis.db = db; return ''; })")
	made, err := b.NewPage(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	q := made.(*page)
	goTo(t, q, base)
	evaluate(t, q, "openDB('d', 1).then((db) => { globalThis.db = db; globalThis.worker = new Worker('/worker.js'); return ''; })")
	for i := range 60 {
		at, how := p, "put(db, %d, 'k')"
		switch i % 4 {
		case 1:
			at = q
		case 2:
			at, how = q, "new Promise((ok) => { worker.onmessage = ok; worker.postMessage(%d); }).then(() => '')"
		case 3:
			goTo(t, p, elsewhere(base))
			goTo(t, p, base)
			evaluate(t, p, "openDB('d', 1).then((d) => { globalThis.db = d; return ''; })")
		}
		evaluate(t, at, fmt.Sprintf(how, i))
		for range 2 {
			state, err := b.StorageState(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if got := string(state.Origins[0].IndexedDB[0].Stores[0].Records[0].Value); got != strconv.Itoa(i) {
				t.Fatalf("change %d: the state has %s", i, got)
			}
		}
	}
	evaluate(t, q, "db.close(); ''")
	evaluate(t, p, "db.close(); ''")
	evaluate(t, p, "new Promise((ok) => { indexedDB.deleteDatabase('d').onsuccess = () => ok(''); })")
	if names, leftOut := databasesNow(t, b); len(names)+len(leftOut) != 0 {
		t.Errorf("after it was deleted: %v, %v", names, leftOut)
	}
}

// TestIndexedDBHangs: a database that a page keeps to itself is left out, and named;
// the others are there, and nothing waits for it.
func TestIndexedDBHangs(t *testing.T) {
	base := handle(t, map[string]http.HandlerFunc{"/": html("<link rel=icon href='data:,'><script>" + openIndexedDB + "</script>")})
	for name, keep := range map[string]string{
		"a transaction without end": `const s = db.transaction('s', 'readwrite').objectStore('s'); const again = () => { s.get(1).onsuccess = again; }; again();`,
		"a blocked upgrade":         `indexedDB.open('busy', 2);`,
		"a blocked removal":         `indexedDB.deleteDatabase('busy');`,
		"an upgrade without end":    `db.close(); openDB('busy', 2, (db) => { const s = db.createObjectStore('more'); const again = () => { s.get(1).onsuccess = again; }; again(); });`,
	} {
		t.Run(name, func(t *testing.T) {
			p := visit(t, base)
			evaluate(t, p, "openDB('calm', 1, (db) => { db.createObjectStore('s'); }).then(async (db) => { await put(db, 1, 1); db.close(); return ''; })")
			evaluate(t, p, "openDB('busy', 1, (db) => { db.createObjectStore('s'); }).then((db) => { globalThis.db = db; "+keep+" return ''; })")
			for range 2 {
				names, leftOut := databasesNow(t, p.browser)
				if !slices.Equal(names, []string{"calm"}) || len(leftOut) != 1 || leftOut[0].Database != "busy" || leftOut[0].Records != 0 {
					t.Errorf("it has %v, and left out are %v", names, leftOut)
				}
			}
		})
	}
}

// TestIndexedDBOfABusyMachine: a database is late where others were answered before it,
// and not where a clock says so.
func TestIndexedDBOfABusyMachine(t *testing.T) {
	const lateOpen = `(() => {
		const { databases, open } = IDBFactory.prototype;
		let answered = 0, begin;
		IDBFactory.prototype.databases = function () {
			return databases.call(this).finally(() => { if (++answered === %d) begin(); });
		};
		IDBFactory.prototype.open = function (name) {
			const late = {};
			begin = () => {
				const r = open.call(this, name);
				r.onsuccess = () => { late.result = r.result; late.onsuccess(); };
			};
			return late;
		};
	})(); ''`
	for before, want := range map[int]int{3: 1, 1000: 0} {
		p := visit(t, handle(t, map[string]http.HandlerFunc{"/": html("<link rel=icon href='data:,'><script>" + openIndexedDB + "</script>")}))
		evaluate(t, p, "openDB('d', 1, (db) => { db.createObjectStore('s'); }).then((db) => { db.close(); return ''; })")
		evaluate(t, p, fmt.Sprintf(lateOpen, before))
		c, err := databases.Parse(evaluate(t, p, databases.Reading(mostIndexedDB, time.Millisecond)))
		if err != nil || len(c.Databases) != want || len(c.LeftOut) != 1-want {
			t.Errorf("opened after %d other answers: %+v, %v, want %d read", before, c, err, want)
		}
	}
}

// TestIndexedDBIsNotHeld: that we read a database keeps no page from upgrading or
// deleting it.
func TestIndexedDBIsNotHeld(t *testing.T) {
	p := visit(t, handle(t, map[string]http.HandlerFunc{"/": html("<link rel=icon href='data:,'><script>" + openIndexedDB + "</script>")}))
	evaluate(t, p, "openDB('d', 1, (db) => { const s = db.createObjectStore('s'); for (let i = 0; i < 2000; i++) s.put('x'.repeat(500), i); }).then((db) => { db.close(); return ''; })")
	stop := make(chan struct{})
	var reading sync.WaitGroup
	reading.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			if _, err := p.browser.StorageState(t.Context()); err != nil {
				t.Error(err)
				return
			}
		}
	})
	const change = `(async () => {
		let blocked = 0;
		for (let version = 2; version < 30; version++) {
			await new Promise((ok, no) => {
				const r = indexedDB.open('d', version);
				r.onblocked = () => blocked++;
				r.onupgradeneeded = () => r.transaction.objectStore('s').put(version, 0);
				r.onsuccess = () => { r.result.close(); ok(); };
				r.onerror = () => no(r.error);
			});
		}
		await new Promise((ok) => { const r = indexedDB.deleteDatabase('d'); r.onblocked = () => blocked++; r.onsuccess = ok; });
		return (await indexedDB.databases()).length + ' ' + blocked;
	})()`
	got := evaluate(t, p, change)
	close(stop)
	reading.Wait()
	if got != "0 0" {
		t.Errorf("databases left and times blocked = %s, want 0 0", got)
	}
}

// TestIndexedDBLeftOut: what has no form is left out and counted, not the record
// beside it.
func TestIndexedDBLeftOut(t *testing.T) {
	p := visit(t, handle(t, map[string]http.HandlerFunc{"/": html("<link rel=icon href='data:,'><script>" + openIndexedDB + "</script>")}))
	evaluate(t, p, `(async () => {
		const key = (await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign'])).privateKey;
		const db = await openDB('d', 1, (db) => { db.createObjectStore('s'); });
		await put(db, key, 'a');
		await put(db, { deep: [key] }, 'b');
		await put(db, new DOMRect(1, 2, 3, 4), 'c');
		await put(db, new Array(1e9), 'd');
		await put(db, 'kept', 'e');
		return '';
	})()`)
	state, err := p.browser.StorageState(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	o := state.Origins[0]
	if got := o.IndexedDB[0].Stores[0].Records; len(got) != 1 || string(got[0].Value) != `"kept"` {
		t.Errorf("records = %s", got)
	}
	want := []driver.LeftOut{
		{Database: "d", Store: "s", Records: 2, Why: "a CryptoKey"}, {Database: "d", Store: "s", Records: 1, Why: "a DOMRect"},
		{Database: "d", Store: "s", Records: 1, Why: "a sparse array"},
	}
	if diff := cmp.Diff(want, o.LeftOut); diff != "" {
		t.Errorf("LeftOut (-want +got):\n%s", diff)
	}
	if got, want := o.LeftOut[0].String(), `2 records of "s" in database "d": a CryptoKey`; got != want {
		t.Errorf("LeftOut = %s, want %s", got, want)
	}
}

// TestManyDatabases: a page that makes databases without end does not have us open
// all of them.
func TestManyDatabases(t *testing.T) {
	p := visit(t, handle(t, map[string]http.HandlerFunc{"/": html("<link rel=icon href='data:,'><script>" + openIndexedDB + "</script>")}))
	evaluate(t, p, "(async () => { for (let i = 0; i < 105; i++) (await openDB('d' + (1000 + i), 1)).close(); return ''; })()")
	names, leftOut := databasesNow(t, p.browser)
	if len(names) != 100 || names[99] != "d1099" || len(leftOut) != 1 || leftOut[0].Database != "" || !strings.Contains(leftOut[0].Why, "105") {
		t.Errorf("%d databases, and left out are %v, want 100 of 105", len(names), leftOut)
	}
}

// TestIndexedDBOfOthers: a file of Playwright's is taken, and what is not a database
// is refused, by its name.
func TestIndexedDBOfOthers(t *testing.T) {
	base := handle(t, map[string]http.HandlerFunc{"/": html("<link rel=icon href='data:,'>")})
	open := func(text string) (*page, error) {
		state := new(driver.StorageState)
		if err := json.Unmarshal([]byte(strings.ReplaceAll(text, "ORIGIN", base)), state); err != nil {
			t.Fatal(err)
		}
		b, err := testChrome(t).Open(t.Context(), &driver.BrowserOptions{StorageState: state})
		if err != nil {
			return nil, err
		}
		t.Cleanup(func() { _ = b.Close() })
		return b.Pages()[0].(*page), nil
	}
	p, err := open(`{"cookies":[{"name":"a","value":"1","domain":"127.0.0.1","path":"/","expires":-1,"httpOnly":true,"secure":false,"sameSite":"Lax"},
		{"name":"b","value":"2","domain":"127.0.0.1","path":"/","expires":4102444800.5,"httpOnly":false,"secure":false,"sameSite":"Lax"}],
	"origins":[{"origin":"ORIGIN","localStorage":[{"name":"k","value":"v"}],"indexedDB":[{"name":"firebaseLocalStorageDb","version":1,"stores":[
		{"name":"firebaseLocalStorage","keyPath":"fbase_key","autoIncrement":false,"indexes":[],"records":[{"value":{"fbase_key":"user","value":{"uid":"4711"}}}]},
		{"name":"encoded","autoIncrement":false,"indexes":[{"name":"i","keyPathArray":["a","b"],"multiEntry":false,"unique":false}],"records":[
			{"keyEncoded":{"d":"2026-10-01T00:00:00.000Z"},"valueEncoded":{"o":[{"k":"list","v":{"a":[{"v":"NaN"},{"ref":1},{"bi":"12"}],"id":2}},{"k":"none","v":{"v":"null"}}],"id":1}}]}]}]}]}`)
	if err != nil {
		t.Fatal(err)
	}
	goTo(t, p, base)
	if got, want := evaluate(t, p, sumDatabases), `database firebaseLocalStorageDb 1
	store encoded,beside,false
		index i,["a","b"],false,false
		[object Date]Date 1790812800000 = [object Object]Object {list: [object Array]Array 3{0: NaN, 1: again 0, 2: 12n}, none: null}
	store firebaseLocalStorage,"fbase_key",false
		"user" = [object Object]Object {fbase_key: "user", value: [object Object]Object {uid: "4711"}}
`; got != want {
		t.Errorf("it has\n%s\nwant\n%s", got, want)
	}
	if got := evaluate(t, p, "document.cookie + localStorage.k"); got != "b=2v" {
		t.Errorf("cookies and storage = %s", got)
	}
	for what, text := range map[string]string{
		`"d" has the version 0`: `{"name":"d","version":0}`,
		`"d": store "s": `:      `{"name":"d","version":1,"stores":[{"name":"s","records":[{"value":1}]}]}`,
		`unknown form: zz`:      `{"name":"d","version":1,"stores":[{"name":"s","records":[{"key":1,"valueEncoded":{"zz":1}}]}]}`,
		`ConstraintError`:       `{"name":"d","version":1,"stores":[{"name":"s","records":[{"key":1,"value":1},{"key":1,"value":2}]}]}`,
	} {
		_, err := open(`{"origins":[{"origin":"ORIGIN","indexedDB":[` + text + `]}]}`)
		if err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("Open with %s = %v, want %s", text, err, what)
		}
	}
}

// TestIndexedDBOfFrames: what a frame of another origin of the same site has is that
// origin's; a frame of another site, or without an origin, has nothing of its own.
func TestIndexedDBOfFrames(t *testing.T) {
	const fill = "<link rel=icon href='data:,'><script>" + openIndexedDB + `
		openDB('of ' + name, 1, (db) => { db.createObjectStore('s'); }).then((db) => db.close(), () => {}).then(() => parent.postMessage('', '*'));
	</script>`
	other := handle(t, map[string]http.HandlerFunc{"/": html(fill)})
	base := handle(t, map[string]http.HandlerFunc{"/": html(`<link rel=icon href='data:,'><script>let n = 0; onmessage = () => { if (++n === 3) document.title = 'full'; };</script>
		<iframe name=kin src='` + other + `'></iframe><iframe name=stranger src='` + elsewhere(other) + `'></iframe><iframe name=nobody sandbox=allow-scripts src='` + other + `'></iframe>`)})
	p := visit(t, base)
	evaluate(t, p, "new Promise((ok) => setInterval(() => document.title === 'full' && ok('')))")
	state, err := p.browser.StorageState(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(state.Origins) != 1 || state.Origins[0].Origin != other || len(state.Origins[0].IndexedDB) != 1 || state.Origins[0].IndexedDB[0].Name != "of kin" {
		t.Errorf("StorageState() = %+v, want the kin's database alone", state.Origins)
	}
}

// TestIndexedDBReplaced: in a profile that has a database already, that of the state
// takes its place.
func TestIndexedDBReplaced(t *testing.T) {
	testChrome(t) // skips where there is none
	base := handle(t, map[string]http.HandlerFunc{"/": html("<link rel=icon href='data:,'><script>" + openIndexedDB + "</script>")})
	l := Launch{UserDataDir: t.TempDir(), PreserveUserDataDir: true}
	value := func(state *driver.StorageState, then string) string {
		b, err := l.Open(t.Context(), &driver.BrowserOptions{StorageState: state})
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := b.Close(); err != nil {
				t.Error(err)
			}
		}()
		p := b.Pages()[0].(*page)
		goTo(t, p, base)
		return evaluate(t, p, then)
	}
	value(nil, "openDB('d', 5, (db) => { db.createObjectStore('s').put('old', 1); }).then((db) => { db.close(); return ''; })")
	state := &driver.StorageState{Origins: []driver.OriginStorage{{Origin: base, IndexedDB: []driver.Database{
		{Name: "d", Version: 2, Stores: []driver.ObjectStore{{Name: "s", Records: []driver.Record{{Key: []byte("1"), Value: []byte(`"new"`)}}}}},
	}}}}
	const read = "openDB('d').then((db) => new Promise((ok) => { db.transaction('s').objectStore('s').get(1).onsuccess = (e) => ok(db.version + e.target.result); }))"
	if got := value(state, read); got != "2new" {
		t.Errorf("it has %s, want 2new", got)
	}
}
