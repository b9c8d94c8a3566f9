package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/internal/chrometest"
	"github.com/wayfinder-engine/wayfinder/internal/fleet"
	"github.com/wayfinder-engine/wayfinder/server"
	"github.com/wayfinder-engine/wayfinder/server/internal/profiles"
	"github.com/wayfinder-engine/wayfinder/server/internal/replays"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

func profileKeys(t testing.TB, letter string) *profiles.Keys {
	t.Helper()
	k, err := profiles.ParseKeys(strings.NewReader(fmt.Sprintf("%x", strings.Repeat(letter, 32))))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func newProfiles(t testing.TB) *profiles.Profiles {
	return profiles.New(profiles.Shared(new(fleet.Memory), nil), profileKeys(t, "k"), nil)
}

// login is a site that knows who has logged in by a cookie and by a token in the
// local storage, and shows it.
func login(t testing.TB) string {
	mux := http.NewServeMux()
	page := func(w http.ResponseWriter, r *http.Request) {
		known := "nobody"
		if c, err := r.Cookie("session"); err == nil && c.Value == loginSecret {
			known = "ann"
		}
		w.Header().Set("content-type", "text/html; charset=utf-8")
		fmt.Fprintf(w, `<!DOCTYPE html><title>Account</title><p>Cookie of %s</p><p>Token <span id=t></span></p><form action=/login method=post><button>Log in</button></form>
			<button id=out onclick="localStorage.clear(); document.cookie='session=; path=/; max-age=0'; show()">Log out</button>
			<script>function show() { t.textContent = (localStorage.getItem('token') || 'missing').length } show()</script>`, known)
	}
	mux.HandleFunc("GET /{$}", page)
	mux.HandleFunc("POST /login", func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "session", Value: loginSecret, Path: "/"}) // ends with the browser
		w.Header().Set("content-type", "text/html; charset=utf-8")
		fmt.Fprintf(w, `<!DOCTYPE html><title>Welcome</title><p>Welcome</p><script>localStorage.setItem('token', '%s-token')</script>`, loginSecret)
	})
	site := httptest.NewServer(mux)
	t.Cleanup(site.Close)
	return site.URL
}

const loginSecret = "c00kie-4711-not-to-be-found"

func (c *client) text(path string) string {
	c.t.Helper()
	return get[string](c.t, c.must(200, c.post(path+"/extract", `{}`)), "data", "result", "pageText")
}

// TestProfileInChrome: a login is done once. The next session that names the profile
// has the cookie and the local storage, nothing of both is in the files, and what
// is removed in a session is removed from the profile.
func TestProfileInChrome(t *testing.T) {
	dir := t.TempDir()
	store, err := profiles.OpenDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	c := serve(t, startChrome(t), &server.Options{Parts: server.Parts{Kept: &server.Kept{Profiles: profiles.New(store, profileKeys(t, "k"), nil)}}})
	site := login(t)
	c.must(200, c.do(http.MethodPut, "/v1/profiles/ann", `{}`))
	const withProfile = `{"modelName":"openai/m","browser":{"profile":"ann"}}`
	visit := func(want ...string) string {
		path := c.startWith(withProfile)
		c.must(200, c.post(path+"/navigate", `{"url":"`+site+`/"}`))
		got := c.text(path)
		for _, part := range want {
			if !strings.Contains(got, part) {
				t.Errorf("the page says %q, want %q", got, part)
			}
		}
		return path
	}
	first := visit("Cookie of nobody", "Token 7")
	c.must(200, c.post(first+"/act", `{"input":{"selector":"form button","description":"log in"}}`))
	if got := c.text(first); !strings.Contains(got, "Welcome") {
		t.Fatalf("the page says %q, want a welcome", got)
	}
	f := c.wantFault(409, wire.ProfileInUse, c.post("/v1/sessions/start", withProfile))
	if id := strings.TrimPrefix(first, "/v1/sessions/"); !strings.Contains(f.Message, id) {
		t.Errorf("message = %q, want one that names %s", f.Message, id)
	}
	c.wantFault(409, wire.ProfileInUse, c.do(http.MethodDelete, "/v1/profiles/ann", ""))
	// Storage of a page that was left is kept, too.
	c.must(200, c.post(first+"/navigate", `{"url":"about:blank"}`))
	c.must(200, c.post(first+"/end", ""))

	second := visit("Cookie of ann", fmt.Sprintf("Token %d", len(loginSecret+"-token")))
	for _, name := range filesBelow(t, dir) {
		if raw, err := os.ReadFile(name); err == nil && strings.Contains(string(raw), loginSecret[:12]) {
			t.Errorf("%s has the secret in clear", name)
		}
	}
	c.must(200, c.post(second+"/act", `{"input":{"selector":"#out","description":"log out"}}`))
	c.must(200, c.post(second+"/end", ""))
	c.must(200, c.post(visit("Cookie of nobody", "Token 7")+"/end", ""))
}

// TestProfileOfIndexedDB: a login that a site keeps in IndexedDB alone, as many do, is
// there in the next session before the site's own script looks for it, and gone from
// the profile once it is removed.
func TestProfileOfIndexedDB(t *testing.T) {
	chrometest.Long(t)
	c := serve(t, startChrome(t), &server.Options{Parts: server.Parts{Kept: &server.Kept{Profiles: newProfiles(t)}}})
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("content-type", "text/html; charset=utf-8")
		fmt.Fprint(w, `<!DOCTYPE html><title>Account</title><p>Account of <span id=who>…</span></p><button id=in>Log in</button><button id=out>Log out</button><script>
			const store = (mode, f) => {
				const r = indexedDB.open('firebaseLocalStorageDb', 1);
				r.onupgradeneeded = () => r.result.createObjectStore('users', { keyPath: 'key' });
				r.onsuccess = () => {
					const t = r.result.transaction('users', mode);
					f(t.objectStore('users'));
					t.oncomplete = () => { r.result.close(); if (mode === 'readwrite') show(); };
				};
			};
			const show = () => store('readonly', (s) => { s.get('user').onsuccess = (e) => { who.textContent = e.target.result?.since instanceof Date ? e.target.result.name : 'nobody'; }; });
			document.getElementById('in').onclick = () => store('readwrite', (s) => s.put({ key: 'user', name: 'Ann', since: new Date() }));
			document.getElementById('out').onclick = () => store('readwrite', (s) => s.delete('user'));
			show();
		</script>`)
	})
	site := httptest.NewServer(mux)
	t.Cleanup(site.Close)
	c.must(200, c.do(http.MethodPut, "/v1/profiles/ann", `{}`))
	// says waits for what the page shows once its database has answered: nothing
	// of that is the page's settling.
	says := func(path, want string) {
		t.Helper()
		got := c.text(path)
		for end := time.Now().Add(30 * time.Second); !strings.Contains(got, want) && time.Now().Before(end); got = c.text(path) {
		}
		if !strings.Contains(got, want) {
			t.Fatalf("the page says %q, want %q", got, want)
		}
	}
	visit := func(want string) string {
		path := c.startWith(`{"modelName":"openai/m","browser":{"profile":"ann"}}`)
		c.must(200, c.post(path+"/navigate", `{"url":"`+site.URL+`/"}`))
		says(path, want)
		return path
	}
	first := visit("Account of nobody")
	c.must(200, c.post(first+"/act", `{"input":{"selector":"#in","description":"log in"}}`))
	says(first, "Account of Ann")
	c.must(200, c.post(first+"/navigate", `{"url":"about:blank"}`))
	c.must(200, c.post(first+"/end", ""))

	second := visit("Account of Ann")
	c.must(200, c.post(second+"/act", `{"input":{"selector":"#out","description":"log out"}}`))
	says(second, "Account of nobody")
	c.must(200, c.post(second+"/end", ""))
	c.must(200, c.post(visit("Account of nobody")+"/end", ""))
	if got := c.must(200, c.do(http.MethodGet, "/v1/profiles/ann", "")); strings.Contains(string(got.body), "leftOut") {
		t.Errorf("GET = %s, want nothing left out", got.body)
	}
}

// TestProfileGivenDatabases: what other tools write of IndexedDB is taken, and a
// session begins with it.
func TestProfileGivenDatabases(t *testing.T) {
	kept := newProfiles(t)
	c := serve(t, shop, &server.Options{Parts: server.Parts{Kept: &server.Kept{Profiles: kept}}})
	c.must(200, c.do(http.MethodPut, "/v1/profiles/ann", `{"storageState":{"origins":[{"origin":"https://shop.test","localStorage":[],"indexedDB":[{"name":"d","version":3,"stores":[
		{"name":"s","keyPath":"","autoIncrement":false,"indexes":[{"name":"i","keyPathArray":["a","b"],"multiEntry":false,"unique":true}],"records":[{"value":{"id":1}}]},
		{"name":"t","autoIncrement":true,"indexes":[],"records":[{"key":1,"valueEncoded":{"v":"null"}}]}]}],"leftOut":[{"database":"large","why":"it is"}]}]}}`))
	path := c.startWith(`{"modelName":"openai/m","browser":{"profile":"ann"}}`)
	c.must(200, c.post(path+"/end", ""))
	hold, err := kept.Hold(t.Context(), "", "ann", "the test")
	if err != nil {
		t.Fatal(err)
	}
	want := []driver.OriginStorage{{Origin: "https://shop.test", LocalStorage: []driver.StorageEntry{}, IndexedDB: []driver.Database{{Name: "d", Version: 3, Stores: []driver.ObjectStore{
		{Name: "s", KeyPath: new(""), Indexes: []driver.Index{{Name: "i", KeyPathArray: []string{"a", "b"}, Unique: true}}, Records: []driver.Record{{Value: []byte(`{"id":1}`)}}},
		{Name: "t", AutoIncrement: true, Indexes: []driver.Index{}, Records: []driver.Record{{Key: []byte("1"), ValueEncoded: []byte(`{"v":"null"}`)}}},
	}}}}}
	if diff := cmp.Diff(want, hold.State().Origins); diff != "" {
		t.Errorf("it has (-want +got):\n%s", diff)
	}
	for body, word := range map[string]string{
		`{"name":"d","version":0,"stores":[]}`: "version", `{"version":1,"stores":[]}`: "name", `{"name":"d","version":1,"stores":[{"name":"s"}]}`: "records",
	} {
		f := c.wantFault(400, wire.InvalidRequest, c.do(http.MethodPut, "/v1/profiles/x", `{"storageState":{"origins":[{"origin":"https://a.test","localStorage":[],"indexedDB":[`+body+`]}]}}`))
		if !strings.Contains(f.Message, word) {
			t.Errorf("%s: %s", body, f.Message)
		}
	}
}

func filesBelow(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, path)
		}
		return err
	})
	if err != nil || len(names) == 0 {
		t.Fatalf("%d files in %s: %v", len(names), dir, err)
	}
	return names
}

func TestProfilesOfKeys(t *testing.T) {
	c := serve(t, shop, &server.Options{Parts: server.Parts{Kept: &server.Kept{Profiles: newProfiles(t)}}, Keys: []server.Key{server.NewKey("alice", "a"), server.NewKey("bob", "b")}})
	c.key = "a"
	// As other tools write it.
	state := `{"storageState":{"cookies":[{"name":"session","value":"s3cret","domain":"shop.test","path":"/","expires":-1,"httpOnly":true,"secure":true,"sameSite":"Lax"},
		{"name":"later","value":"x","domain":".shop.test","path":"/","expires":4102444800.5}],"origins":[{"origin":"https://shop.test","localStorage":[{"name":"token","value":"s3cret-token"}]}]}}`
	got := c.must(200, c.do(http.MethodPut, "/v1/profiles/ann@shop.test", state))
	if strings.Contains(string(got.body), "s3cret") {
		t.Errorf("PUT tells what is in the profile: %s", got.body)
	}
	path := c.startWith(`{"modelName":"openai/m","browser":{"profile":"ann@shop.test"}}`)
	got = c.must(200, c.do(http.MethodGet, "/v1/profiles/ann@shop.test", ""))
	if session := get[string](t, got, "data", "profile", "inUse", "sessionId"); !strings.HasSuffix(path, session) {
		t.Errorf("it is in use by %s, want %s", session, path)
	}
	c.must(200, c.post(path+"/end", ""))
	c.must(200, c.do(http.MethodPatch, "/v1/profiles/ann@shop.test", `{"name":"ann"}`))
	c.must(200, c.do(http.MethodPut, "/v1/profiles/zoe", `{}`))
	got = c.must(200, c.do(http.MethodGet, "/v1/profiles", ""))
	if a, z := get[string](t, got, "data", "profiles", 0, "name"), get[string](t, got, "data", "profiles", 1, "name"); a != "ann" || z != "zoe" {
		t.Errorf("GET = %s, want ann and zoe", got.body)
	}
	c.wantFault(409, wire.ProfileExists, c.do(http.MethodPatch, "/v1/profiles/ann", `{"name":"zoe"}`))
	c.key = "b"
	if got = c.must(200, c.do(http.MethodGet, "/v1/profiles", "")); strings.Contains(string(got.body), "ann") {
		t.Errorf("bob sees alice's: %s", got.body)
	}
	c.wantFault(404, wire.ProfileNotFound, c.do(http.MethodGet, "/v1/profiles/ann", ""))
	c.wantFault(404, wire.ProfileNotFound, c.do(http.MethodDelete, "/v1/profiles/ann", ""))
	c.wantFault(404, wire.ProfileNotFound, c.post("/v1/sessions/start", `{"modelName":"openai/m","browser":{"profile":"ann"}}`))
	c.key = "a"
	c.must(200, c.do(http.MethodDelete, "/v1/profiles/ann", ""))
	c.wantFault(404, wire.ProfileNotFound, c.do(http.MethodGet, "/v1/profiles/ann", ""))
	for body, path := range map[string]string{
		`{"storageState":{"cookies":[{"name":"a","value":"b","path":"/"}]}}`:                               "domain",
		`{"storageState":{"cookies":[{"name":"a","value":"b","domain":"d","path":"/","expires":"soon"}]}}`: "expires",
		`{"storageState":{"origins":[{"origin":"https://a.test/path","localStorage":[]}]}}`:                "origin",
	} {
		if f := c.wantFault(400, wire.InvalidRequest, c.do(http.MethodPut, "/v1/profiles/x", body)); !strings.Contains(f.Message, path) {
			t.Errorf("%s: %s", body, f.Message)
		}
	}
	c.wantFault(400, wire.InvalidRequest, c.do(http.MethodPut, "/v1/profiles/a%20b", `{}`))
	c.wantFault(400, wire.InvalidRequest, c.post("/v1/sessions/start", `{"modelName":"openai/m","browser":{"profile":"../x"}}`))
}

func TestNoProfiles(t *testing.T) {
	c := serve(t, shop, &server.Options{Allow: server.Allow{CDPURL: true}})
	for _, got := range []answer{
		c.do(http.MethodGet, "/v1/profiles", ""), c.do(http.MethodPut, "/v1/profiles/a", `{}`),
		c.post("/v1/sessions/start", `{"modelName":"openai/m","browser":{"profile":"a"}}`),
	} {
		if f := c.wantFault(501, wire.NotImplemented, got); !strings.Contains(f.Message, "--profile-key-file") {
			t.Errorf("message = %q, want the flag's name", f.Message)
		}
	}
	c.wantFault(400, wire.InvalidRequest, c.post("/v1/sessions/start", `{"modelName":"openai/m","browser":{"profile":"a","cdpUrl":"http://127.0.0.1:1"}}`))
}

// TestProfileKey: a profile under another key is reported, not overwritten, and can
// be removed.
func TestProfileKey(t *testing.T) {
	var memory fleet.Memory
	old := profiles.New(profiles.Shared(&memory, nil), profileKeys(t, "o"), nil)
	if _, err := old.Put(t.Context(), "", "a", nil); err != nil {
		t.Fatal(err)
	}
	c := serve(t, shop, &server.Options{Parts: server.Parts{Kept: &server.Kept{Profiles: profiles.New(profiles.Shared(&memory, nil), profileKeys(t, "n"), nil)}}})
	c.wantFault(422, wire.ProfileUnreadable, c.post("/v1/sessions/start", `{"modelName":"openai/m","browser":{"profile":"a"}}`))
	c.wantFault(422, wire.ProfileUnreadable, c.do(http.MethodPut, "/v1/profiles/a", `{}`))
	c.must(200, c.do(http.MethodGet, "/v1/profiles/a", ""))
	if _, err := old.Put(t.Context(), "", "a", nil); err != nil {
		t.Error(err)
	}
	c.must(200, c.do(http.MethodDelete, "/v1/profiles/a", ""))
}

// TestProfileEnds: a profile is saved and given back however its session ends, and
// who ends it is told where that did not succeed.
func TestProfileEnds(t *testing.T) {
	for _, test := range []struct {
		name string
		end  func(c *client, d *counted, path string)
	}{
		{"by its client", func(c *client, _ *counted, path string) { c.must(200, c.post(path+"/end", "")) }},
		{"idle", func(*client, *counted, string) { time.Sleep(time.Hour) }},
		{"the browser is gone", func(_ *client, d *counted, _ string) { d.crash(0) }},
		{"shutdown", func(c *client, _ *counted, _ string) { _ = c.server.Shutdown(ended) }},
		{"too large", func(c *client, d *counted, path string) {
			d.setCookie(c.t, "big", strings.Repeat("x", 5000))
			f := c.wantFault(500, wire.ProfileNotSaved, c.post(path+"/end", ""))
			if !strings.Contains(f.Message, "too large") {
				c.t.Errorf("message = %q", f.Message)
			}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				kept := profiles.New(profiles.Shared(new(fleet.Memory), nil), profileKeys(t, "k"), &profiles.Options{MaxBytes: 4000})
				if _, err := kept.Put(t.Context(), "", "a", nil); err != nil {
					t.Fatal(err)
				}
				d := &counted{Driver: shop}
				c := inBubble(t, d, server.Options{Parts: server.Parts{Kept: &server.Kept{Profiles: kept}}})
				path := c.startWith(`{"modelName":"openai/m","browser":{"profile":"a"}}`)
				d.setCookie(t, "session", "4711")
				c.must(200, c.post(path+"/navigate", `{"url":"https://shop.test/"}`))
				time.Sleep(3 * time.Second) // it is saved meanwhile
				test.end(c, d, path)
				synctest.Wait()
				hold, err := kept.Hold(t.Context(), "", "a", "the test")
				if err != nil {
					t.Fatal(err)
				}
				if s := hold.State(); len(s.Cookies) != 1 || s.Cookies[0].Value != "4711" {
					t.Errorf("it remembers %+v", s.Cookies)
				}
			})
		})
	}
}

// setCookie sets a cookie in the first browser.
func (c *counted) setCookie(t testing.TB, name, value string) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.browsers[0].SetCookies(context.Background(), driver.Cookie{Name: name, Value: value, Domain: "shop.test", Path: "/"}); err != nil {
		t.Fatal(err)
	}
}

// TestProfileThatDoesNotOpen is given back when the browser does not begin with it.
func TestProfileThatDoesNotOpen(t *testing.T) {
	kept := newProfiles(t)
	c := serve(t, fake.Web{}, &server.Options{Parts: server.Parts{Kept: &server.Kept{Profiles: kept}}})
	state, err := json.Marshal(wire.ProfilePut{StorageState: &wire.StorageState{Cookies: []wire.Cookie{{Name: "a;b", Value: "c", Domain: "x y", Path: "/"}}}})
	if err != nil {
		t.Fatal(err)
	}
	c.must(200, c.do(http.MethodPut, "/v1/profiles/a", string(state)))
	if got := c.post("/v1/sessions/start", `{"modelName":"openai/m","browser":{"profile":"a"}}`); got.status == 200 {
		t.Skip("the browser took it")
	}
	c.must(200, c.do(http.MethodDelete, "/v1/profiles/a", ""))
}

// TestReplayAfterTheEnd: what was done in a session is answered when it has ended,
// and by another process with the same store; to its own key.
func TestReplayAfterTheEnd(t *testing.T) {
	store := new(fleet.Memory)
	keys := []server.Key{server.NewKey("alice", "a"), server.NewKey("bob", "b")}
	kept := replays.New(store, nil)
	c := serve(t, shop, &server.Options{Keys: keys, Parts: server.Parts{Kept: &server.Kept{Replays: kept}}})
	c.key = "a"
	path := c.start()
	c.must(200, c.post(path+"/act", `{"input":{"selector":"a","description":"the cart"}}`))
	live := c.must(200, c.do(http.MethodGet, path+"/replay", ""))
	c.must(200, c.post(path+"/end", ""))
	ended := c.must(200, c.do(http.MethodGet, path+"/replay", ""))
	if diff := cmp.Diff(get[any](t, live), get[any](t, ended)); diff != "" {
		t.Errorf("after the end it is another: %s", diff)
	}
	c.wantFault(404, wire.SessionNotFound, c.post(path+"/act", `{"input":{"selector":"a","description":"the cart"}}`))
	c.key = "b"
	c.wantFault(403, wire.Forbidden, c.do(http.MethodGet, path+"/replay", ""))

	other := serve(t, shop, &server.Options{Keys: keys, Parts: server.Parts{Kept: &server.Kept{Replays: replays.New(store, nil)}}})
	other.key = "a"
	again := other.must(200, other.do(http.MethodGet, path+"/replay", ""))
	if diff := cmp.Diff(get[any](t, live), get[any](t, again)); diff != "" {
		t.Errorf("at another process it is another: %s", diff)
	}
	other.wantFault(404, wire.SessionNotFound, other.do(http.MethodGet, "/v1/sessions/never-was/replay", ""))
	other.key = "wrong"
	other.wantFault(401, wire.Unauthorized, other.do(http.MethodGet, path+"/replay", ""))
}

// TestSessionsThatHaveEnded: those of the key are listed, the latest first and some
// at a time, also by another process; those that are open are not, and those whose
// process was killed are.
func TestSessionsThatHaveEnded(t *testing.T) {
	store := new(fleet.Memory)
	boss := server.NewKey("boss", "boss")
	boss.Operator = true
	keys := []server.Key{server.NewKey("alice", "a"), server.NewKey("bob", "b"), boss}
	kept := replays.New(store, nil)
	c := serve(t, shop, &server.Options{Keys: keys, Parts: server.Parts{Kept: &server.Kept{Replays: kept, Traces: openTraces(t, t.TempDir())}}})
	list := func(c *client, key, query string) wire.SessionList {
		t.Helper()
		c.key = key
		var answer wire.Success[wire.SessionList]
		if err := json.Unmarshal(c.must(200, c.do(http.MethodGet, "/v1/sessions?ended=true"+query, "")).body, &answer); err != nil {
			t.Fatal(err)
		}
		return answer.Data
	}
	begin := func(key, body string) string {
		t.Helper()
		c.key = key
		path := c.startWith(body)
		c.must(200, c.post(path+"/navigate", `{"url":"https://shop.test/"}`))
		return path
	}
	const n = 65
	var want []string
	for range n {
		path := begin("a", `{"modelName":"openai/m","trace":true}`)
		c.must(200, c.post(path+"/act", `{"input":{"selector":"a","description":"the cart"},"options":{"variables":{"cart":"secret-cart"}}}`))
		c.must(200, c.post(path+"/end", ""))
		want = append([]string{strings.TrimPrefix(path, "/v1/sessions/")}, want...)
	}
	c.must(200, c.post(begin("b", `{"modelName":"openai/m"}`)+"/end", ""))
	c.must(200, c.post(c.startWith(`{"modelName":"openai/m"}`)+"/end", "")) // nothing was done
	open := strings.TrimPrefix(begin("a", `{"modelName":"openai/m"}`), "/v1/sessions/")

	var got []string
	next := ""
	for {
		page := list(c, "a", "&before="+next)
		for _, one := range page.Sessions {
			got = append(got, one.ID)
			if one.Ended == "" || one.Created == "" || one.Working || one.Taken || !one.Traced || one.URL != "https://shop.test/cart" || one.Title != "Cart" || one.Model != "openai/m" ||
				one.Doing == nil || one.Doing.Operation != "do" || one.Key != "" {
				t.Errorf("one is %+v, %+v", one, one.Doing)
			}
		}
		if len(page.Sessions) > 30 || page.Operator {
			t.Errorf("a page has %d sessions, operator %v", len(page.Sessions), page.Operator)
		}
		if next = page.Next; next == "" {
			break
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the list is another: %s", diff)
	}
	if all := list(c, "b", "").Sessions; len(all) != 1 {
		t.Errorf("bob has %+v", all)
	}
	if all := list(c, "b", "&id="+want[0]).Sessions; len(all) != 0 {
		t.Errorf("bob is shown %+v", all)
	}
	if all := list(c, "a", "&id="+want[40]); len(all.Sessions) != 1 || all.Sessions[0].ID != want[40] || all.Next != "" {
		t.Errorf("by its id there is %+v", all)
	}
	if page := list(c, "boss", ""); !page.Operator || len(page.Sessions) != 30 || page.Sessions[0].Key != "bob" || page.Sessions[1].Key != "alice" {
		t.Errorf("an operator is shown %+v", page)
	}
	kept.Flush(t.Context())
	other := serve(t, shop, &server.Options{Keys: keys, Parts: server.Parts{Kept: &server.Kept{Replays: replays.New(store, nil)}}})
	for key, status := range map[string]int{"a": 410, "b": 404} {
		other.key = key
		if got := other.post("/v1/sessions/"+open+"/act", `{"input":"click Cart"}`); got.status != status {
			t.Errorf("%s acts in a session of a process that is gone: %d %s, want %d", key, got.status, got.body, status)
		}
	}
	other.key = "a"
	other.wantFault(404, wire.SessionNotFound, other.post("/v1/sessions/"+want[0]+"/act", `{"input":"click Cart"}`))
	if page := list(other, "a", ""); page.Sessions[0].ID != open || page.Sessions[0].Ended != "" || page.Sessions[1].ID != want[0] {
		t.Errorf("after a kill there is %+v", page.Sessions[:2])
	}
	without := serve(t, shop, &server.Options{Keys: keys})
	without.key = "a"
	if f := without.wantFault(501, wire.NotImplemented, without.do(http.MethodGet, "/v1/sessions?ended=true", "")); !strings.Contains(f.Message, "--data") {
		t.Errorf("message = %q, want the flag in it", f.Message)
	}
}
