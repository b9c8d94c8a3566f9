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

// downloads is the command that says what becomes of a browser's downloads.
func (b *browser) downloads() conn.Command {
	args := cdpbrowser.SetDownloadBehaviorArgs{Behavior: "deny", EventsEnabled: new(true), BrowserContextID: b.contextID()}
	if dir := b.opts.DownloadDir; dir != "" {
		// Chrome names the file by the download's id: no name that a site
		// suggests reaches the disk.
		args.Behavior, args.DownloadPath = "allowAndName", &dir
	}
	return protocol.BrowserSetDownloadBehavior.With(args)
}

type downloadWillBegin struct {
	FrameID           driver.FrameID
	GUID              string
	URL               string
	SuggestedFilename string
}

type downloadProgress struct {
	GUID          string
	State         string
	ReceivedBytes float64
	TotalBytes    float64 // 0 where the server does not say
}

// downloadBegins is called with b.mu held.
func (b *browser) downloadBegins(e *downloadWillBegin) {
	for _, p := range b.pages {
		f := p.frames[e.FrameID]
		if f == nil {
			continue
		}
		b.loads[e.GUID] = download{page: p.ID()}
		b.emit(driver.DownloadStarted{Page: p.ID(), ID: e.GUID, URL: e.URL, Name: e.SuggestedFilename})
		return
	}
}

// downloadGoesOn cancels a download that is too large. b.mu is held.
func (b *browser) downloadGoesOn(e *downloadProgress) {
	d, ours := b.loads[e.GUID]
	if !ours || d.tooLarge || !b.exceeds(e) {
		return
	}
	d.tooLarge = true
	b.loads[e.GUID] = d
	cancel := protocol.BrowserCancelDownload.With(cdpbrowser.CancelDownloadArgs{GUID: e.GUID, BrowserContextID: b.contextID()})
	b.later(func() { b.chrome.root.Post(cancel) })
}

func (b *browser) exceeds(e *downloadProgress) bool {
	return b.opts.MaxDownload > 0 && max(e.ReceivedBytes, e.TotalBytes) > float64(b.opts.MaxDownload)
}

// downloadEnds is called with b.mu held.
func (b *browser) downloadEnds(e *downloadProgress) {
	d, ours := b.loads[e.GUID]
	if !ours {
		return
	}
	delete(b.loads, e.GUID)
	end := driver.DownloadEnded{Page: d.page, ID: e.GUID, Canceled: e.State != "completed" || b.opts.DownloadDir == ""}
	if d.tooLarge || !end.Canceled && b.exceeds(e) {
		// It may have been complete before it could be canceled.
		end.Canceled, end.Err = true, driver.ErrTooLarge
		path := filepath.Join(b.opts.DownloadDir, e.GUID)
		b.later(func() { removeDownload(path, b.chrome.log) })
	}
	if !end.Canceled {
		end.Path, end.Size = filepath.Join(b.opts.DownloadDir, e.GUID), int64(e.ReceivedBytes)
	}
	b.emit(end)
}

// removeDownload takes away what there is of a download that is not kept.
func removeDownload(path string, log *slog.Logger) {
	for _, p := range []string{path, path + ".crdownload"} {
		if err := os.Remove(p); err != nil && !errors.Is(err, fs.ErrNotExist) {
			log.Warn("cdp: a canceled download is still there", "path", p, "error", err)
		}
	}
}

// A download is under way.
type download struct {
	page     driver.PageID
	tooLarge bool // and canceled by us
}
