package cdp

import (
	"context"
	"time"
)

// stuckAfter is how long a page that is about to be left may take to answer,
// and then to end its script.
const stuckAfter = time.Second

// unblock ends the script of a page that is about to be left, if it answers
// nothing. Such a document lets no other take its place: it is asked first, and
// the next one may be shown by the same process. It has to be done before,
// because Chrome withholds commands for a page from the moment at which another
// document is on its way, and gives them to that one.
func (p *page) unblock(ctx context.Context) {
	dialog := p.dialogSignal()
	if p.onItsWay() {
		return
	}
	calls, err := p.session.start(ctx, command{method: "Runtime.evaluate", params: map[string]any{"expression": "0"}})
	if err != nil {
		return // which the navigation says as well
	}
	answered := func() bool {
		t := time.NewTimer(stuckAfter)
		defer t.Stop()
		select {
		case <-calls[0].done:
		case <-dialog: // withholds the answer
		case <-ctx.Done():
		case <-t.C:
			return false
		}
		return true
	}
	if answered() || p.onItsWay() {
		return
	}
	p.browser.chrome.log.Debug("cdp: a script that does not end is ended", "page", p.target)
	p.session.post(command{method: "Runtime.terminateExecution"})
	answered()
}

// onItsWay reports that another document is.
func (p *page) onItsWay() bool {
	p.browser.mu.Lock()
	defer p.browser.mu.Unlock()
	return p.main.pending != nil
}
