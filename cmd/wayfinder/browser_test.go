package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver/cdp"
	"github.com/wayfinder-engine/wayfinder/internal/chrometest"
)

// shared is the one Chrome that tests attach to. TestMain ends it.
var shared struct {
	once   sync.Once
	chrome *cdp.Chrome
	err    error
}

// attachable returns the address of a running Chrome.
func attachable(t *testing.T) string {
	t.Helper()
	needChrome(t)
	shared.once.Do(func() {
		shared.chrome, shared.err = cdp.Start(context.Background(), cdp.Launch{Port: -1, Args: []string{"--disable-features=SpareRendererForSitePerProcess"}})
	})
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.chrome.Endpoint()
}

// browsers are the flags for each kind of browser. Chrome is the shared one:
// TestJSON and others start their own.
func browsers(t *testing.T) map[string][]string {
	list := map[string][]string{"memory": {"--driver", "memory"}}
	if _, err := cdp.Find(); err == nil || chrometest.Required() {
		list["chrome"] = []string{"--cdp", attachable(t)}
	}
	return list
}

// TestCommands runs each command as people do, without --json.
func TestCommands(t *testing.T) {
	for name, flags := range browsers(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			site := pages(t)
			cases := []struct {
				args []string
				code int
				out  string // stands in the output
				err  string // stands on standard error
			}{
				{[]string{"snapshot", site.URL}, exitDone, "heading: A form (level 1)\n", ""},
				{[]string{"snapshot", site.URL, "--selector", "ul", "--max-tokens", "500"}, exitDone, "link: Details", ""},
				{[]string{"snapshot", site.URL, "--selector", "#none"}, exitNotDone, "", `the selector "#none" matches nothing`},
				{[]string{"snapshot", site.URL, "--wait-for", "text=a form", "--wait-for", "selector=ul a", "--wait-for", "address=/", "--wait-for", "quiet"}, exitDone, "link: Details", ""},
				{[]string{"snapshot", site.URL, "--wait-for", "text-gone=A form", "--timeout", "1s"}, exitNotDone, "", "not met"},
				{[]string{"act", site.URL, "click Send", "--wait-for", "A form"}, exitUsage, "", `condition "A form"; write selector=`},
				{[]string{"observe", site.URL}, exitDone, "click button \"Send\"\n    role=button[name=\"Send\"]\n", ""},
				{[]string{"observe", site.URL, "the unicorns"}, exitNotDone, "", "nothing was found"},
				{[]string{"act", site.URL, "type tea into Word", "click Send"}, exitDone, "clicked button \"Send\": went to " + site.URL + "/send (200)\n", ""},
				{[]string{"act", site.URL, "click Purchase"}, exitNotDone, "", `nothing on the page is named "Purchase"`},
				{[]string{"act", site.URL, "click", "Purchase"}, exitNotDone, "", `→ these are 2 instructions; if they were meant as one, write it in quotes: "click Purchase"`},
				{[]string{"act", site.URL, "click Details"}, exitNotDone, "", `"Details"; `},
				{[]string{"act", site.URL, "--action", `{"selector":"a"}`}, exitNotDone, "", "more than one element fits (2)"},
				{[]string{"act", site.URL, "--action", `{"selector":"#none"}`}, exitNotDone, "", "element not found"},
				{[]string{"act", site.URL, "--action", `{"selector":"button","fingerprint":{"role":"button","name":"Delete all","tag":"button"}}`}, exitNotDone, "", "another element is there"},
				{[]string{"extract", site.URL}, exitDone, "A form\n", ""},
				{[]string{"extract", site.URL, "the heading"}, exitDone, "A form\n", ""},
			}
			for _, c := range cases {
				got := wayfinder(t, append(c.args, flags...)...)
				if got.code != c.code || !strings.Contains(got.out, c.out) || !strings.Contains(got.err, c.err) || (c.err == "") != (got.err == "") {
					t.Errorf("wayfinder %q: exit %d, want %d with %q, and on standard error %q\n%s%s", c.args, got.code, c.code, c.out, c.err, got.out, got.err)
				}
			}
			if sent := site.received(); len(sent) != 1 || sent[0] != "tea" {
				t.Errorf("the site got %q, want tea once", sent)
			}
		})
	}
}

// TestAddressesThatDoNotAnswer: what is missing is told, with what to do.
func TestAddressesThatDoNotAnswer(t *testing.T) {
	secure, silent := untrusted(t), unanswering(t)
	cases := []struct {
		name, address, says string
		flags               []string
	}{
		{"refused", unused(t), "→ check that the server is running", nil},
		{"unknown host", "http://nowhere.invalid/", "→ check the spelling of the address", nil},
		{"certificate", secure.URL, "→ check the server's certificate", nil},
		{"silence", silent.URL, "did not answer within 1s\n  → a longer --timeout", []string{"--timeout", "1s"}},
	}
	for name, browser := range browsers(t) {
		for _, c := range cases {
			t.Run(name+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				got := wayfinder(t, append(append([]string{"snapshot", c.address}, c.flags...), browser...)...)
				if got.code != exitEnvironment || got.out != "" || !strings.Contains(got.err, c.says) {
					t.Errorf("exit %d, want 3 with %q\n%s%s", got.code, c.says, got.out, got.err)
				}
				if n := strings.Count(got.err, strings.TrimSuffix(c.address, "/")); n != 1 {
					t.Errorf("the address stands %d times in the error, want once: %s", n, got.err)
				}
			})
		}
	}
}

// A browser that is missing is told, with the command that says more.
func TestMissingBrowser(t *testing.T) {
	none := filepath.Join(t.TempDir(), "none")
	got := wayfinderIn(t, []string{"WAYFINDER_CHROME=" + none}, "snapshot", "https://shop.test/")
	for _, want := range []string{none, "WAYFINDER_CHROME names no program", "wayfinder doctor", "--driver memory"} {
		if got.code != exitEnvironment || !strings.Contains(got.err, want) {
			t.Errorf("snapshot without a browser: exit %d, want 3 with %q\n%s", got.code, want, got.err)
		}
	}
	got = wayfinder(t, "snapshot", "https://shop.test/", "--cdp", unused(t))
	if got.code != exitEnvironment || !strings.Contains(got.err, "→ start Chrome with --remote-debugging-port=9222") {
		t.Errorf("snapshot --cdp where no Chrome is: exit %d, want 3 and how one is started\n%s", got.code, got.err)
	}
}

// What is open in somebody else's browser stays as it is.
func TestAttachLeavesPagesAlone(t *testing.T) {
	endpoint := attachable(t)
	theirs := openPage(t, endpoint)
	before := openPages(t, endpoint)
	site := pages(t)
	got := wayfinder(t, "act", site.URL, "type tea into Word", "--cdp", endpoint)
	if got.code != exitDone {
		t.Fatalf("act --cdp: exit %d\n%s%s", got.code, got.out, got.err)
	}
	if after := openPages(t, endpoint); strings.Join(after, " ") != strings.Join(before, " ") || !strings.Contains(strings.Join(after, " "), theirs) {
		t.Errorf("open pages after the command = %q, want %q as before, with %s", after, before, theirs)
	}
	if got := wayfinder(t, "doctor", "--cdp", endpoint); got.code != exitDone || !strings.Contains(got.out, "started and read a page") {
		t.Errorf("doctor --cdp: exit %d\n%s%s", got.code, got.out, got.err)
	}
}

// TestAttachStaysOnItsPage: a page that somebody else opens between two actions is not
// the one that the second is for.
func TestAttachStaysOnItsPage(t *testing.T) {
	endpoint := attachable(t)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/sent" {
			openPage(t, endpoint)
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, `<form action="/sent"><label>Word <input name=word></label><button>Send</button></form>`)
	}))
	t.Cleanup(site.Close)
	if got := wayfinder(t, "act", site.URL, "click Send", "type tea into Word", "--cdp", endpoint); got.code != exitDone {
		t.Errorf("act --cdp: exit %d\n%s%s", got.code, got.out, got.err)
	}
}

// openPage opens a page of somebody else's in a Chrome, and returns its id.
func openPage(t *testing.T, endpoint string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPut, "http://"+hostOf(endpoint)+"/json/new?about:blank", nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var target struct{ ID string }
	if err := json.NewDecoder(response.Body).Decode(&target); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if response, err := http.Get("http://" + hostOf(endpoint) + "/json/close/" + target.ID); err == nil {
			response.Body.Close()
		}
	})
	return target.ID
}

// hostOf is where a Chrome listens.
func hostOf(endpoint string) string {
	host := strings.TrimPrefix(strings.TrimPrefix(endpoint, "ws://"), "http://")
	host, _, _ = strings.Cut(host, "/")
	return host
}

// openPages lists the addresses that are open in a Chrome.
func openPages(t *testing.T, endpoint string) []string {
	t.Helper()
	response, err := http.Get("http://" + hostOf(endpoint) + "/json/list")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var targets []struct{ ID, Type, URL string }
	if err := json.NewDecoder(response.Body).Decode(&targets); err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, target := range targets {
		if target.Type == "page" {
			list = append(list, target.ID+" "+target.URL)
		}
	}
	return list
}

// A variable's value reaches the page and no output: not as it is, and not as
// it stands in the address that a form leads to.
func TestValuesAreNotShown(t *testing.T) {
	const value = "xyzzy 42 & more"
	for name, browser := range browsers(t) {
		for _, c := range []struct{ name, path, flag string }{
			{"a form that posts", "/", ""},
			{"a form that posts, as JSON", "/", "--json"},
			{"a form that shows it in its address", "/find", ""},
			{"a form that shows it in its address, as JSON", "/find", "--json"},
		} {
			t.Run(name+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				site := pages(t)
				args := append([]string{"act", site.URL + c.path, "type %pw% into Word", "click Send", "--var-env", "pw=THE_PASSWORD"}, browser...)
				if c.flag != "" {
					args = append(args, c.flag)
				}
				got := wayfinderIn(t, []string{"THE_PASSWORD=" + value}, args...)
				if sent := site.received(); got.code != exitDone || len(sent) != 1 || sent[0] != value {
					t.Errorf("exit %d, the site got %q, want the value\n%s", got.code, sent, got.err)
				}
				if strings.Contains(got.out+got.err, "xyzzy") {
					t.Errorf("the value is shown:\n%s%s", got.out, got.err)
				}
			})
		}
	}
}

// A page that needs scripts says so in memory, whatever is done with it, and
// nowhere else.
func TestPagesThatNeedScripts(t *testing.T) {
	const note = "note: This page seems to need its scripts"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("content-type", "text/html")
		fmt.Fprint(w, `<!doctype html><title>App</title><div id=app></div><script>document.querySelector("#app").innerHTML = "<button>Order</button>"</script>`)
	}))
	defer server.Close()
	for name, browser := range browsers(t) {
		for _, args := range [][]string{
			{"snapshot", server.URL}, {"snapshot", server.URL, "--json"}, {"observe", server.URL}, {"observe", server.URL, "the button"},
			{"act", server.URL, "click Order"}, {"act", server.URL, "--action", `{"selector":"button"}`},
			{"extract", server.URL}, {"extract", server.URL, "the button"},
			{"record", server.URL, "--act", "click Order", "-o", filepath.Join(t.TempDir(), "x.wayfinder")},
		} {
			got := wayfinder(t, append(args, browser...)...)
			if n := strings.Count(got.err, note); name == "memory" && n != 1 || name == "chrome" && n != 0 {
				t.Errorf("%s: wayfinder %q says %d times that scripts are needed\n%s%s", name, args, n, got.out, got.err)
			}
		}
	}
}
