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

// seal closes the ways that interception does not see, for the documents and the
// workers that begin from now on, and ends shared workers. It returns the sessions that the
// script has to be sent to.
func (b *browser) seal() (to []*session) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.sealed {
		return nil
	}
	b.sealed = true
	for _, w := range b.workers {
		if w.kind != "shared_worker" {
			// Interception that begins now covers a service worker.
			w.Post(protocol.RuntimeEvaluate.With(runtime.EvaluateArgs{Expression: sealScript}))
			continue
		}
		b.endWorker(w)
	}
	for _, p := range b.pages {
		p.open = slices.Clone(p.responses.docs) // those of the tab's history may come back
		if p.main != nil && (p.main.url != "about:blank" || p.opener != "") {
			p.open = append(p.open, p.main.doc) // not that of a new window, in which no script has run
		}
		to = append(append(to, p.session), p.extra...)
	}
	return to
}

// Covers implements driver.Interceptor.
func (b *browser) Covers(id driver.PageID) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.sealed {
		return false
	}
	for _, p := range b.pages {
		if p.ID() == id && p.main != nil {
			return !slices.Contains(p.open, p.main.doc)
		}
	}
	return false
}
