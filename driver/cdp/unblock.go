package cdp

import (
	"context"
	"fmt"
	"time"

	"github.com/mafredri/cdp/protocol/runtime"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/protocol"
)

const (
	// stuckAfter is how long a page that is about to be left may take to
	// answer, and then to end its script. It is counted in stuckAnswers.
	stuckAfter   = time.Second
	stuckAnswers = 20

	// crashLimit is how long Chrome may take to end a page's process.
	crashLimit = 5 * time.Second
)

// An unblocker makes way on a page whose script does not end.
type unblocker struct {
	page      *page
	crashing  bool // we end the process of its document; protected by browser.mu, as the next
	noProcess bool // its document has no process, for that reason
}

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
func (u *unblocker) unblock(ctx context.Context) (left func()) {
	if u.revive() || !u.abandon(ctx) || u.answers(ctx, "0") {
		return u.endCrash
	}
	log := u.page.browser.chrome.log
	log.Debug("cdp: a script that does not end is ended", "page", u.page.target)
	u.page.session.Post(protocol.RuntimeTerminateExecution.With(conn.None{}))
	// What blocks again does so by a timer, most likely.
	if u.answers(ctx, "new Promise(done => setTimeout(done, 250))") {
		return u.endCrash
	}
	log.Warn("cdp: a page that does not let go is left by ending its process", "page", u.page.target)
	u.crash(ctx)
	return u.endCrash
}

// abandon gives up what is on its way, which the next navigation would do as well.
// It reports whether the page takes commands then.
func (u *unblocker) abandon(ctx context.Context) bool {
	stopped := u.page.until(func() (bool, error) { return u.page.main.pending == nil, nil })
	if stopped.fulfilled() {
		return true
	}
	u.page.session.Post(protocol.PageStopLoading.With(conn.None{}))
	limited, cancel := context.WithTimeout(ctx, stuckAfter)
	defer cancel()
	return stopped.wait(limited) == nil
}

// answers reports whether the page evaluates an expression, or cannot for
// another reason than a script that does not end.
func (u *unblocker) answers(ctx context.Context, expression string) bool {
	dialog := u.page.dialogSignal()
	calls, err := u.page.session.Start(ctx, protocol.RuntimeEvaluate.With(runtime.EvaluateArgs{
		Expression: expression, AwaitPromise: new(true), Silent: new(true),
	}))
	if err != nil {
		return true // which the navigation says as well
	}
	limited, cancel := counted(ctx, u.page.browser.chrome.root, stuckAfter)
	defer cancel()
	select {
	case <-calls[0].Done():
	case <-dialog: // withholds the answer
	case <-limited.Done():
		select {
		case <-calls[0].Done(): // at the same time
		default:
			calls[0].Forget()
			return ctx.Err() != nil
		}
	}
	return true
}

// counted returns a context that ends d later, counted in answers of the browser's own
// process: where that one has to wait for the processor, a page that does is not stuck.
func counted(ctx context.Context, root *session, d time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		defer cancel()
		for range stuckAnswers {
			select {
			case <-ctx.Done():
				return
			case <-time.After(d / stuckAnswers):
			}
			if err := root.Batch(ctx, protocol.BrowserGetVersion.With(conn.None{})); err != nil {
				return
			}
		}
	}()
	return ctx, cancel
}

// crash ends the process of the page's document and waits until it is gone.
func (u *unblocker) crash(ctx context.Context) {
	u.page.browser.mu.Lock()
	u.crashing = true
	u.page.browser.mu.Unlock()
	gone := u.page.until(func() (bool, error) { return !u.crashing, nil })
	u.page.session.Post(protocol.PageCrash.With(conn.None{}))
	limited, cancel := context.WithTimeout(ctx, crashLimit)
	defer cancel()
	if err := gone.wait(limited); err != nil {
		u.page.browser.chrome.log.Debug("cdp: a page's process does not end", "page", u.page.target, "err", err)
	}
}

// errEnded is what calls get to hear of a process that crash has ended.
var errEnded = fmt.Errorf("the page's process was ended, because it did not respond: %w", driver.ErrCrashed)

// revive has a page take commands that has no process, and reports whether it is
// such a page. None but those that go elsewhere come of anything.
func (u *unblocker) revive() bool {
	u.page.browser.mu.Lock()
	defer u.page.browser.mu.Unlock()
	if u.noProcess {
		u.page.session.Revive()
	}
	return u.noProcess
}

// endCrash has all calls but navigations fail on a page that has no process
// still: there was nothing to go to.
func (u *unblocker) endCrash() {
	u.page.browser.mu.Lock()
	defer u.page.browser.mu.Unlock()
	if u.noProcess {
		u.page.session.Refuse(errEnded)
	}
}

// crashed drops the process that crash has ended. What was under way
// fails. browser.mu is held.
func (u *unblocker) crashed() {
	u.noProcess = true
	u.page.closeDialog(driver.DialogAnswer{})
	u.page.main.dropChildren()
	u.page.main.endRequests("")
	clear(u.page.main.worlds)
	u.page.main.leaveTools()
	u.page.main.endLoading()
	u.page.main.doc, u.page.main.url, u.page.main.name = "", "", "" // nothing is shown
	s := u.page.session
	u.page.browser.later(func() {
		s.Fail(errEnded)
		s.Revive() // for the navigation, which the browser process takes
		// Not before: what comes next must not fail as well.
		u.page.browser.locked(func() {
			u.crashing = false
			u.page.wake()
		})
	})
}

// targetReloaded: a page or frame whose process had ended has a new one.
func (u *unblocker) targetReloaded(s *session, _ *struct{}) {
	if s == u.page.session {
		u.noProcess = false
		defer u.page.browser.later(func() { s.Post(u.page.askTree(s)) }) // it may show nothing as yet
	}
	u.page.browser.later(func() { s.Revive() })
}
