package cdp

import (
	"path/filepath"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A download is under way.
type download struct {
	page driver.PageID
}

// downloads is the command that says what becomes of a browser's downloads.
func (b *browser) downloads() command {
	params := map[string]any{"behavior": "deny", "eventsEnabled": true}
	if dir := b.opts.DownloadDir; dir != "" {
		// Chrome names the file by the download's id: no name that a site
		// suggests reaches the disk.
		params["behavior"], params["downloadPath"] = "allowAndName", dir
	}
	if b.context != b.chrome.base {
		params["browserContextId"] = b.context
	}
	return command{method: "Browser.setDownloadBehavior", params: params}
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
}

// download handles an event of a download, which Chrome tells for all
// browsers in one place.
func (c *Chrome) download(method string, params []byte) {
	switch strings.TrimPrefix(method, "Browser.") {
	case "downloadWillBegin":
		var e downloadWillBegin
		if !c.read(method, params, &e) {
			return
		}
		for _, b := range c.browsers() {
			b.locked(func() { b.downloadBegins(&e) })
		}
	case "downloadProgress":
		var e downloadProgress
		if !c.read(method, params, &e) || e.State == "inProgress" {
			return
		}
		for _, b := range c.browsers() {
			b.locked(func() { b.downloadEnds(&e) })
		}
	}
}

// downloadBegins is called with b.mu held.
func (b *browser) downloadBegins(e *downloadWillBegin) {
	for _, p := range b.pages {
		f := p.frames[e.FrameID]
		if f == nil {
			continue
		}
		b.loads[e.GUID] = download{page: p.ID()}
		b.tell(driver.DownloadStarted{Page: p.ID(), ID: e.GUID, URL: e.URL, Name: e.SuggestedFilename})
		return
	}
}

// downloadEnds is called with b.mu held.
func (b *browser) downloadEnds(e *downloadProgress) {
	d, ours := b.loads[e.GUID]
	if !ours {
		return
	}
	delete(b.loads, e.GUID)
	end := driver.DownloadEnded{Page: d.page, ID: e.GUID, Canceled: e.State != "completed" || b.opts.DownloadDir == ""}
	if !end.Canceled {
		end.Path, end.Size = filepath.Join(b.opts.DownloadDir, e.GUID), int64(e.ReceivedBytes)
	}
	b.tell(end)
}
