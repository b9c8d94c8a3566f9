package drivertest

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"

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

var downloadCases = []Case{{
	Name:  "downloads/saved",
	Rule:  "A download is saved in DownloadDir: DownloadStarted has its address and the name that the site suggests, DownloadEnded the path and the size.",
	Doc:   "DownloadEnded",
	pages: downloadPages, options: intoDir,
	check: func(t *trial) {
		t.open("/")
		t.events.mark()
		t.click("#a")
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
	},
}, {
	Name:  "downloads/own-names",
	Rule:  "Each download is saved under a name of the driver's own making: one does not take another's place.",
	Doc:   "BrowserOptions.DownloadDir",
	pages: downloadPages, options: intoDir,
	check: func(t *trial) {
		t.open("/")
		seen := map[string]bool{}
		for range 2 {
			t.events.mark()
			t.click("#a")
			ended := wait[driver.DownloadEnded](t, nil)
			seen[ended.Path] = true
			_, err := os.Stat(ended.Path)
			t.ok("the file", err)
		}
		t.equal("paths", len(seen), 2)
		dirs := map[string]bool{}
		for path := range seen {
			dirs[filepath.Dir(path)] = true
		}
		t.equal("directories", len(dirs), 1)
	},
}, {
	Name:  "downloads/refused",
	Rule:  "Without DownloadDir downloads are refused, which is told by DownloadEnded with Canceled and no path.",
	Doc:   "BrowserOptions.DownloadDir",
	pages: downloadPages,
	check: func(t *trial) {
		t.open("/")
		t.events.mark()
		t.click("#a")
		ended := wait[driver.DownloadEnded](t, nil)
		t.equal("Canceled", ended.Canceled, true)
		t.equal("Path", ended.Path, "")
	},
}, {
	Name:  "downloads/page-stays",
	Rule:  "A click that becomes a download leaves the page: the navigation ends with NavigationEnded.",
	Doc:   "NavigationEnded",
	pages: downloadPages, options: intoDir,
	check: func(t *trial) {
		t.open("/")
		doc, ref := t.doc(), t.find("#p")
		t.events.mark()
		t.click("#a")
		wait[driver.DownloadEnded](t, nil)
		wait[driver.NavigationEnded](t, nil)
		t.equal("Doc", t.doc(), doc)
		_, err := t.page.State(t.ctx, ref)
		t.ok("State of a node of the page", err)
	},
}, {
	Name:  "downloads/navigate",
	Rule:  "Navigate to what starts a download gives an error that wraps ErrDownload, and the page stays.",
	Doc:   "Navigator.Navigate",
	pages: downloadPages, options: intoDir,
	check: func(t *trial) {
		t.open("/")
		doc := t.doc()
		t.events.mark()
		_, err := t.page.Navigate(t.ctx, t.url("/file"), nil)
		t.fails("Navigate", err, driver.ErrDownload)
		t.equal("Doc", t.doc(), doc)
		ended := wait[driver.DownloadEnded](t, nil)
		t.equal("Size", ended.Size, int64(len(downloadText)))
	},
}, {
	Name:  "downloads/attribute",
	Rule:  "A link with the download attribute is downloaded, whatever its type, under the name that it gives.",
	Doc:   "DownloadStarted",
	pages: pages{"/": `<a id=a href=/text download=mine.html>get</a>`, "/text": "<p>text"}, options: intoDir,
	check: func(t *trial) {
		t.open("/")
		t.events.mark()
		t.click("#a")
		t.equal("Name", wait[driver.DownloadStarted](t, nil).Name, "mine.html")
		t.equal("Canceled", wait[driver.DownloadEnded](t, nil).Canceled, false)
	},
}, {
	Name:  "downloads/too-large",
	Rule:  "A download of more than MaxDownload is canceled with ErrTooLarge, nothing of it is kept, and the next one is saved.",
	Doc:   "BrowserOptions.MaxDownload",
	pages: pages{"/": `<a id=a href=/large>get</a><a id=b href=/file>get</a>`, "/file": attachment, "/large": largeAttachment},
	options: func(t *trial, o *driver.BrowserOptions) {
		intoDir(t, o)
		o.MaxDownload = int64(len(downloadText))
		t.downloads = o.DownloadDir
	},
	check: func(t *trial) {
		t.open("/")
		t.events.mark()
		t.click("#a")
		ended := wait[driver.DownloadEnded](t, nil)
		t.equal("Canceled", ended.Canceled, true)
		t.equal("Path", ended.Path, "")
		t.must(errors.Is(ended.Err, driver.ErrTooLarge), "Err is %v, want ErrTooLarge", ended.Err)
		t.later("the directory is empty", func() bool {
			kept, err := os.ReadDir(t.downloads)
			t.ok("ReadDir", err)
			return len(kept) == 0
		})
		t.events.mark()
		t.click("#b")
		ended = wait[driver.DownloadEnded](t, nil)
		t.equal("Size", ended.Size, int64(len(downloadText)))
		t.equal("Err", ended.Err, error(nil))
	},
}}

// largeAttachment sends more than fits into any buffer on the way.
func largeAttachment(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", `attachment; filename="large.bin"`)
	w.Write(make([]byte, 4<<20)) // a reader that is gone is no matter of ours
}
