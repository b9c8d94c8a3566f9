package cdp

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/mafredri/cdp/protocol/runtime"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/protocol"
)

// errorPage is the address of what Chrome shows where a fetch failed.
const errorPage = "chrome-error:"

const (
	// stuckAfter is how long a page that is about to be left may take to
	// answer, and then to end its script. It is counted in answers of the
	// browser's own process: where that one has to wait for the processor, a
	// page that does is not stuck.
	stuckAfter   = time.Second
	stuckAnswers = 20

	// crashLimit is how long Chrome may take to end a page's process.
	crashLimit = 5 * time.Second
)

// unblock sees to it that a page that is about to be left can be. A document
// whose script does not end lets no other take its place: it is asked first, and
// the next one may be shown by the same process. Its script is ended; if it
// does not end, or the next blocks at once, the page's process is. The page lives
// on without: Chrome gives it another with the next document.
//
// It has to be done before, because Chrome withholds commands for a page from the
// moment at which another document is on its way, and gives them to that one.
//
// left is to be called when the page was left, or could not be.
func (p *page) unblock(ctx context.Context) (left func()) {
	if p.revive() || !p.abandon(ctx) || p.answers(ctx, "0") {
		return p.endCrash
	}
	log := p.browser.chrome.log
	log.Debug("cdp: a script that does not end is ended", "page", p.target)
	p.session.Post(protocol.RuntimeTerminateExecution.With(conn.None{}))
	// What blocks again does so by a timer, most likely.
	if p.answers(ctx, "new Promise(done => setTimeout(done, 250))") {
		return p.endCrash
	}
	log.Warn("cdp: a page that does not let go is left by ending its process", "page", p.target)
	p.crash(ctx)
	return p.endCrash
}

// abandon gives up what is on its way, which the next navigation would do as well.
// It reports whether the page takes commands then.
func (p *page) abandon(ctx context.Context) bool {
	stopped := p.until(func() (bool, error) { return p.main.pending == nil, nil })
	if stopped.fulfilled() {
		return true
	}
	p.session.Post(protocol.PageStopLoading.With(conn.None{}))
	limited, cancel := context.WithTimeout(ctx, stuckAfter)
	defer cancel()
	return stopped.wait(limited) == nil
}

// answers reports whether the page evaluates an expression, or cannot for
// another reason than a script that does not end.
func (p *page) answers(ctx context.Context, expression string) bool {
	dialog := p.dialogSignal()
	calls, err := p.session.Start(ctx, protocol.RuntimeEvaluate.With(runtime.EvaluateArgs{
		Expression: expression, AwaitPromise: new(true), Silent: new(true),
	}))
	if err != nil {
		return true // which the navigation says as well
	}
	for range stuckAnswers {
		select {
		case <-calls[0].Done():
			return true
		case <-dialog: // withholds the answer
			return true
		case <-ctx.Done():
			return true
		case <-time.After(stuckAfter / stuckAnswers):
		}
		if err := p.browser.chrome.root.Batch(ctx, protocol.BrowserGetVersion.With(conn.None{})); err != nil {
			return true
		}
	}
	calls[0].Forget()
	return false
}

// crash ends the process of the page's document and waits until it is gone.
func (p *page) crash(ctx context.Context) {
	p.browser.mu.Lock()
	p.crashing = true
	p.browser.mu.Unlock()
	gone := p.until(func() (bool, error) { return !p.crashing, nil })
	p.session.Post(protocol.PageCrash.With(conn.None{}))
	limited, cancel := context.WithTimeout(ctx, crashLimit)
	defer cancel()
	if err := gone.wait(limited); err != nil {
		p.browser.chrome.log.Debug("cdp: a page's process does not end", "page", p.target, "err", err)
	}
}

// errEnded is what calls get to hear of a process that crash has ended.
var errEnded = fmt.Errorf("the page's process was ended, because it did not respond: %w", driver.ErrCrashed)

// revive has a page take commands that has no process, and reports whether it is
// such a page. None but those that go elsewhere come of anything.
func (p *page) revive() bool {
	p.browser.mu.Lock()
	defer p.browser.mu.Unlock()
	if p.noProcess {
		p.session.Revive()
	}
	return p.noProcess
}

// endCrash has all calls but navigations fail on a page that has no process
// still: there was nothing to go to.
func (p *page) endCrash() {
	p.browser.mu.Lock()
	defer p.browser.mu.Unlock()
	if p.noProcess {
		p.session.Refuse(errEnded)
	}
}

func (p *page) answeredLocked(loader driver.DocID) bool {
	r := p.responses.of(loader)
	return r != nil && r.Status >= http.StatusBadRequest && !(p.main.failure.loader == loader && p.main.failure.canceled)
}
