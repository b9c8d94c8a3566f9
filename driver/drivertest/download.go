package drivertest

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

const downloadText = "the bytes of a file\n"

func attachment(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", `attachment; filename="report.txt"`)
	w.Write([]byte(downloadText)) // a reader that is gone is no matter of ours
}

var downloadPages = pages{"/": `<p id=p>page</p><a id=a href=/file>get</a>`, "/file": attachment}

// intoDir has downloads saved in a directory of the case's own.
func intoDir(t *trial, o *driver.BrowserOptions) { o.DownloadDir = t.tempDir() }

var downloadCases = rows(Case{Doc: "BrowserOptions.DownloadDir", pages: downloadPages},
	rule("downloads/saved", "A download is saved in DownloadDir: DownloadStarted has its address and the name that the site suggests, DownloadEnded the path and the size.").at("DownloadEnded").
		under(intoDir).
		opens(func(t *trial) {
			t.trigger("#a")
			started := wait[driver.DownloadStarted](t, nil)
			t.equal("URL", started.URL, t.url("/file"))
			t.equal("Name", started.Name, "report.txt")
			t.equal("Page", started.Page, t.page.ID())
			ended := wait[driver.DownloadEnded](t, nil)
			t.equal("ID", ended.ID, started.ID)
			t.equal("Canceled", ended.Canceled, false)
			t.equal("Size", ended.Size, int64(len(downloadText)))
			data, err := os.ReadFile(ended.Path)
			t.ok("the file", err)
			t.equal("bytes", string(data), downloadText)
		}),
	rule("downloads/own-names", "Each download is saved under a name of the driver's own making: one does not take another's place.").
		under(intoDir).
		opens(func(t *trial) {
			seen := map[string]bool{}
			for range 2 {
				t.trigger("#a")
				ended := wait[driver.DownloadEnded](t, nil)
				seen[ended.Path] = true
				t.ok("the file", errOf(os.Stat(ended.Path)))
			}
			t.equal("paths", len(seen), 2)
			dirs := map[string]bool{}
			for path := range seen {
				dirs[filepath.Dir(path)] = true
			}
			t.equal("directories", len(dirs), 1)
		}),
	rule("downloads/refused", "Without DownloadDir downloads are refused, which is told by DownloadEnded with Canceled and no path.").opens(func(t *trial) {
		t.trigger("#a")
		ended := wait[driver.DownloadEnded](t, nil)
		t.equal("Canceled", ended.Canceled, true)
		t.equal("Path", ended.Path, "")
	}),
	rule("downloads/page-stays", "A click that becomes a download leaves the page: the navigation ends with NavigationEnded.").at("NavigationEnded").
		under(intoDir).
		opens(func(t *trial) {
			doc, ref := t.doc(), t.find("#p")
			t.trigger("#a")
			wait[driver.DownloadEnded](t, nil)
			wait[driver.NavigationEnded](t, nil)
			t.equal("Doc", t.doc(), doc)
			t.ok("State of a node of the page", errOf(t.page.State(t.ctx, ref)))
		}),
	rule("downloads/navigate", "Navigate to what starts a download gives an error that wraps ErrDownload, and the page stays.").at("Navigator.Navigate").
		under(intoDir).
		opens(func(t *trial) {
			doc := t.doc()
			t.events.mark()
			t.fails("Navigate", errOf(t.page.Navigate(t.ctx, t.url("/file"), nil)), driver.ErrDownload)
			t.equal("Doc", t.doc(), doc)
			t.equal("Size", wait[driver.DownloadEnded](t, nil).Size, int64(len(downloadText)))
		}),
	rule("downloads/attribute", "A link with the download attribute is downloaded, whatever its type, under the name that it gives.").at("DownloadStarted").
		with(pages{"/": `<a id=a href=/text download=mine.html>get</a>`, "/text": "<p>text"}).
		under(intoDir).
		opens(func(t *trial) {
			t.trigger("#a")
			t.equal("Name", wait[driver.DownloadStarted](t, nil).Name, "mine.html")
			t.equal("Canceled", wait[driver.DownloadEnded](t, nil).Canceled, false)
		}),
	rule("downloads/redirected", "What such a link downloads is what its redirects lead to.").at("DownloadEnded").
		with(pages{"/": `<a id=a href=/moved download>get</a>`, "/moved": redirect("/again", http.StatusFound), "/again": redirect("/file", http.StatusFound), "/file": attachment}).
		under(intoDir).
		opens(func(t *trial) {
			t.trigger("#a")
			ended := wait[driver.DownloadEnded](t, nil)
			t.equal("Canceled", ended.Canceled, false)
			t.equal("Size", ended.Size, int64(len(downloadText)))
		}),
	rule("downloads/redirected-elsewhere", "Such a link whose redirect leads to another origin is followed as any other.").at("DownloadStarted").
		with(pages{
			"/":      `<a id=a href="/moved?{{other}}/two" download>get</a>`,
			"/moved": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.RawQuery, http.StatusFound) },
			"/two":   "<p id=p>two",
		}).
		under(intoDir).
		opens(func(t *trial) {
			t.trigger("#a")
			wait(t, func(e driver.Navigated) bool { return e.URL == t.elsewhere("/two") })
		}),
	rule("downloads/failed", "A download whose request fails ends as canceled.").at("DownloadEnded").
		with(pages{"/": `<a id=a href=/cut download>get</a>`, "/cut": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }}).
		under(intoDir).
		opens(func(t *trial) {
			t.trigger("#a")
			ended := wait[driver.DownloadEnded](t, nil)
			t.must(ended.Canceled && ended.Path == "", "the download ended with %+v, want it to be canceled", ended)
		}),
	rule("downloads/too-large", "A download of more than MaxDownload is canceled with ErrTooLarge, nothing of it is kept, and the next one is saved.").at("BrowserOptions.MaxDownload").
		with(pages{"/": `<a id=a href=/large>get</a><a id=b href=/file>get</a>`, "/file": attachment, "/large": largeAttachment}).
		under(func(t *trial, o *driver.BrowserOptions) {
			intoDir(t, o)
			o.MaxDownload = int64(len(downloadText))
			t.downloads = o.DownloadDir
		}).
		opens(func(t *trial) {
			t.trigger("#a")
			ended := wait[driver.DownloadEnded](t, nil)
			t.equal("Canceled", ended.Canceled, true)
			t.equal("Path", ended.Path, "")
			t.must(errors.Is(ended.Err, driver.ErrTooLarge), "Err is %v, want ErrTooLarge", ended.Err)
			t.later("the directory is empty", func() bool {
				kept, err := os.ReadDir(t.downloads)
				t.ok("ReadDir", err)
				return len(kept) == 0
			})
			t.trigger("#b")
			ended = wait[driver.DownloadEnded](t, nil)
			t.equal("Size", ended.Size, int64(len(downloadText)))
			t.equal("Err", ended.Err, error(nil))
		}),
)

// largeAttachment sends more than fits into any buffer on the way.
func largeAttachment(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", `attachment; filename="large.bin"`)
	w.Write(make([]byte, 4<<20)) // a reader that is gone is no matter of ours
}

var errNotHere = errors.New("not in this house")

// refuses has Allow keep the browser from some requests.
func refuses(which func(driver.RequestInfo) bool) func(*trial, *driver.BrowserOptions) {
	return func(_ *trial, o *driver.BrowserOptions) {
		o.Allow = func(r driver.RequestInfo) error {
			if which(r) {
				return errNotHere
			}
			return nil
		}
	}
}

// keepSecret has Allow refuse what a case's site serves as /secret.
var keepSecret = refuses(func(r driver.RequestInfo) bool { return strings.HasSuffix(r.URL, "/secret") })

// keepSecretBehindRedirects refuses it only where a redirect leads to it.
var keepSecretBehindRedirects = refuses(func(r driver.RequestInfo) bool { return strings.HasSuffix(r.URL, "/secret") && r.Redirected })

var allowCases = rows(Case{Doc: "BrowserOptions.Allow"},
	rule("allow/stylesheet", "Allow decides about subresources; the page is shown without what is refused.").
		with(pages{"/": `<link rel=stylesheet href=/secret><p id=p>one`, "/secret": "p { display: none }"}).
		under(keepSecret).
		opens(shownWithoutSecret),
	rule("allow/stylesheet-redirect", "Allow is asked about the address that the redirect of a subresource leads to, with Redirected set.").at("RequestInfo.Redirected").
		with(pages{"/": `<link rel=stylesheet href=/moved><p id=p>one`, "/moved": redirect("/secret", http.StatusFound), "/secret": "p { display: none }"}).
		under(keepSecretBehindRedirects).
		opens(func(t *trial) {
			shownWithoutSecret(t)
			t.request("/moved")
		}),
	rule("allow/frame-redirect", "Allow is asked about the address that the redirect of a frame leads to, with Redirected set.").at("RequestInfo.Redirected").
		with(pages{"/": `<p id=p>one</p><iframe src=/moved></iframe>`, "/moved": redirect("/secret", http.StatusFound), "/secret": "<p>secret"}).
		under(keepSecretBehindRedirects).
		opens(func(t *trial) {
			wait(t, func(e driver.RequestEnded) bool { return e.Failed })
			t.equal("text", t.text("#p"), "one")
			t.unasked("/secret")
		}),
	rule("allow/popup", "Allow decides about what a link with a target opens.").
		with(pages{"/": `<a id=a href=/secret target=_blank>go</a><a id=b href=/two>two</a>`, "/secret": "<p>secret", "/two": "<p id=p>two"}).
		under(keepSecret).
		opens(func(t *trial) { opensNoSecret(t, "#a") }),
	rule("allow/popup-by-script", "Allow decides about what a script opens in a window of its own.").
		with(pages{"/": `<button id=b>open</button>`, "/secret": "<p>secret", "/two": "<p id=p>two"}).
		doing(on("click", "#b", Action{Kind: OpenWindow, Text: "/secret"})).
		under(keepSecret).
		opens(func(t *trial) { opensNoSecret(t, "#b") }),
	rule("allow/popup-redirect", "Allow is asked about the address that the redirect of a popup leads to.").at("RequestInfo.Redirected").
		with(pages{"/": `<a id=a href=/moved target=_blank>go</a>`, "/moved": redirect("/secret", http.StatusFound), "/secret": "<p>secret", "/two": "<p>two"}).
		under(keepSecretBehindRedirects).
		opens(func(t *trial) {
			t.trigger("#a")
			t.request("/moved")
			wait(t, func(e driver.RequestEnded) bool { return e.Failed })
			t.unasked("/secret")
		}),
	rule("allow/script-navigation", "Allow decides about the navigations that a script begins.").
		with(pages{"/": `<p id=p>one</p><button id=b>go</button>`, "/secret": "<p>secret"}).
		doing(on("click", "#b", Action{Kind: GoTo, Text: "/secret"})).
		under(keepSecret).
		opens(func(t *trial) {
			t.trigger("#b")
			wait[driver.NavigationEnded](t, nil)
			t.equal("text", t.text("#p"), "one")
			t.unasked("/secret")
		}),
	rule("allow/form", "Allow is asked about a form that is sent, with its method.").at("RequestInfo.Method").
		with(pages{"/": `<p id=p>one</p><form method=post action=/sent><button id=b>send</button></form>`, "/sent": "<p>sent"}).
		under(refuses(func(r driver.RequestInfo) bool { return r.Method == http.MethodPost })).
		opens(func(t *trial) {
			t.trigger("#b")
			wait[driver.NavigationEnded](t, nil)
			t.equal("text", t.text("#p"), "one")
			t.unasked("/sent")
		}),
	rule("allow/download", "Allow decides about downloads; nothing is saved of what is refused.").
		with(pages{"/": `<a id=a href=/secret download>get</a>`, "/secret": attachment}).
		under(func(t *trial, o *driver.BrowserOptions) { intoDir(t, o); keepSecret(t, o) }).
		opens(downloadsNoSecret),
	rule("allow/download-redirect", "Allow is asked about the address that the redirect of a download leads to.").at("RequestInfo.Redirected").
		with(pages{"/": `<a id=a href=/moved download>get</a>`, "/moved": redirect("/secret", http.StatusFound), "/secret": attachment}).
		under(func(t *trial, o *driver.BrowserOptions) { intoDir(t, o); keepSecretBehindRedirects(t, o) }).
		opens(downloadsNoSecret),
)

// shownWithoutSecret waits for a request that failed, and checks that the page is
// shown and /secret was not asked for.
func shownWithoutSecret(t *trial) {
	wait(t, func(e driver.RequestEnded) bool { return e.Failed })
	t.equal("Rendered", t.capture().element("p").Rendered, true)
	t.unasked("/secret")
}

// downloadsNoSecret presses a link, and checks that its download was canceled and
// /secret was not asked for.
func downloadsNoSecret(t *trial) {
	t.trigger("#a")
	ended := wait[driver.DownloadEnded](t, nil)
	t.must(ended.Canceled && ended.Path == "", "the download ended with %+v, want it to be canceled", ended)
	t.unasked("/secret")
}

// opensNoSecret clicks what opens /secret, and checks that it was not asked for
// when another page has been loaded.
func opensNoSecret(t *trial, selector string) {
	t.click(selector)
	t.ok("Activate", t.page.Activate(t.ctx))
	t.open("/two")
	t.unasked("/secret")
}
