package cdp

import (
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	cdpbrowser "github.com/mafredri/cdp/protocol/browser"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/protocol"
)

// A downloader follows the downloads of a browser that are under way.
type downloader struct {
	browser *browser
	loads   map[string]download // by Chrome's name of them; protected by browser.mu
}

// downloads is the command that says what becomes of a browser's downloads.
func (ds *downloader) downloads() conn.Command {
	args := cdpbrowser.SetDownloadBehaviorArgs{Behavior: "deny", EventsEnabled: new(true), BrowserContextID: ds.browser.contextID()}
	if dir := ds.browser.opts.DownloadDir; dir != "" {
		// Chrome names the file by the download's id: no name that a site
		// suggests reaches the disk.
		args.Behavior, args.DownloadPath = "allowAndName", &dir
	}
	return protocol.BrowserSetDownloadBehavior.With(args)
}

// downloadBegins is called with b.mu held.
func (ds *downloader) downloadBegins(e *cdpbrowser.DownloadWillBeginReply) {
	for _, p := range ds.browser.pages {
		f := p.of(e.FrameID)
		if f == nil {
			continue
		}
		ds.loads[e.GUID] = download{page: p.ID()}
		ds.browser.emit(driver.DownloadStarted{Page: p.ID(), ID: e.GUID, URL: e.URL, Name: e.SuggestedFilename})
		return
	}
}

// downloadProgresses cancels a download that is too large, and reports the end of one.
// b.mu is held.
func (ds *downloader) downloadProgresses(e *cdpbrowser.DownloadProgressReply) {
	d, ours := ds.loads[e.GUID]
	switch {
	case !ours:
	case e.State != "inProgress":
		ds.downloadEnds(d, e)
	case !d.tooLarge && ds.exceeds(e):
		d.tooLarge = true
		ds.loads[e.GUID] = d
		cancel := protocol.BrowserCancelDownload.With(cdpbrowser.CancelDownloadArgs{GUID: e.GUID, BrowserContextID: ds.browser.contextID()})
		ds.browser.later(func() { ds.browser.chrome.root.Post(cancel) })
	}
}

func (ds *downloader) exceeds(e *cdpbrowser.DownloadProgressReply) bool {
	return ds.browser.opts.MaxDownload > 0 && max(e.ReceivedBytes, e.TotalBytes) > float64(ds.browser.opts.MaxDownload)
}

// downloadEnds is called with b.mu held.
func (ds *downloader) downloadEnds(d download, e *cdpbrowser.DownloadProgressReply) {
	delete(ds.loads, e.GUID)
	complete := e.State == "completed" && ds.browser.opts.DownloadDir != ""
	end := driver.DownloadEnded{Page: d.page, ID: e.GUID, Canceled: !complete}
	path := filepath.Join(ds.browser.opts.DownloadDir, e.GUID)
	switch {
	case d.tooLarge || complete && ds.exceeds(e):
		end.Canceled, end.Err = true, driver.ErrTooLarge
		if complete { // before it could be canceled
			ds.browser.later(func() { removeDownload(path, ds.browser.chrome.log) })
		}
	case complete:
		end.Path, end.Size = path, int64(e.ReceivedBytes)
	}
	ds.browser.emit(end)
}

// removeDownload takes away a download that is not kept. Chrome itself takes away what it
// has of a canceled one: where that goes while Chrome gives it its name, an empty file of
// this name stays.
func removeDownload(path string, log *slog.Logger) {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		log.Warn("cdp: a download that is too large is still there", "path", path, "error", err)
	}
}

// A download is under way.
type download struct {
	page     driver.PageID
	tooLarge bool // and canceled by us
}
