package cdp

import (
	"slices"

	"github.com/mafredri/cdp/protocol/runtime"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/protocol"
)

// sealScript takes away what connects past interception. It runs in each document and
// each worker before any script of theirs, in the empty documents of new frames, too.
// Interception of a shared worker begins when Chrome gives its thread another loader,
// for which a waiting worker does not wait: its first request may be out by then, up to
// every second one where many begin together (TestWaysOut). A worker gets its
// WebTransport after this script has run, unless it has a property of that name that
// cannot be configured (TestSealRefuses).
const sealScript = `for (const name of ["WebSocket", "WebSocketStream", "WebTransport", "RTCPeerConnection", "webkitRTCPeerConnection", "SharedWorker"]) delete globalThis[name];
if (!globalThis.document) Object.defineProperty(globalThis, "WebTransport", {});`

// A sealer closes the ways to the network that interception does not see. browser.mu
// protects it.
type sealer struct {
	browser *browser
	sealed  bool
	open    map[*page][]driver.DocID // documents that began before
}

// seal closes the ways that interception does not see, for the documents and the
// workers that begin from now on, and ends shared workers. It returns the sessions that the
// script has to be sent to.
func (sl *sealer) seal() (to []*session) {
	b := sl.browser
	b.mu.Lock()
	defer b.mu.Unlock()
	if sl.sealed {
		return nil
	}
	sl.sealed, sl.open = true, map[*page][]driver.DocID{}
	for _, w := range b.workers {
		if w.kind != "shared_worker" {
			// Interception that begins now covers a service worker.
			w.Post(protocol.RuntimeEvaluate.With(runtime.EvaluateArgs{Expression: sealScript}))
			continue
		}
		b.endWorker(w)
	}
	for _, p := range b.pages {
		open := slices.Clone(p.responses.docs) // those of the tab's history may come back
		if p.main != nil && (p.main.url != "about:blank" || p.opener != "") {
			open = append(open, p.main.doc) // not that of a new window, in which no script has run
		}
		sl.open[p] = open
		to = append(to, p.sessionsLocked()...)
	}
	return to
}

// Covers implements driver.Interceptor.
func (sl *sealer) Covers(id driver.PageID) bool {
	sl.browser.mu.Lock()
	defer sl.browser.mu.Unlock()
	p := sl.browser.pageLocked(string(id))
	return sl.sealed && p != nil && p.main != nil && !slices.Contains(sl.open[p], p.main.doc)
}
