package cdp

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	cdppage "github.com/mafredri/cdp/protocol/page"
	"github.com/mafredri/cdp/protocol/runtime"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/protocol"
)

// idleTime is how long no request may be under way for WaitNetworkIdle.
const idleTime = 500 * time.Millisecond

// A navigator moves a page from document to document.
type navigator struct {
	page     *page
	underway int // navigations that callers wait for; protected by browser.mu
}

// Navigate implements driver.Navigator.
func (n *navigator) Navigate(ctx context.Context, address string, opts *driver.NavigateOptions) (_ *driver.Response, err error) {
	defer inOp("navigate", address, &err)
	if isScript(address) {
		return nil, &driver.NavigationError{URL: address, Reason: driver.ReasonAddress, Detail: "a script"}
	}
	opts = navigateOptions(opts)
	before, end, err := n.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	args := cdppage.NavigateArgs{URL: address}
	if opts.Referer != "" {
		args.Referrer = &opts.Referer
	}
	reply, err := protocol.PageNavigate.Do(ctx, n.page.session, args)
	if refused, ok := errors.AsType[*CommandError](err); ok && strings.Contains(refused.Message, "invalid URL") {
		return nil, &driver.NavigationError{URL: address, Reason: driver.ReasonAddress, Detail: refused.Message}
	}
	if err != nil {
		return nil, err
	}
	loader, failure := driver.DocID(value(reply.LoaderID)), value(reply.ErrorText)
	switch {
	case failure != "" && !n.answered(loader):
		return nil, n.navigationError(ctx, address, failure, loader, reply.IsDownload)
	case loader == "":
		w := n.page.until(func() (bool, error) { return n.page.main.hops != before.hops, nil })
		return nil, w.wait(ctx)
	}
	shown := n.page.until(func() (bool, error) {
		m := n.page.main
		switch {
		case n.page.dialogs.freed == loader:
			return n.page.dialogs.arrived()
		case slices.Contains(m.lately, loader):
			return true, nil
		case m.failure.loader == loader && m.failure.canceled,
			m.pending != nil && m.pending.loader != "" && m.pending.loader != loader:
			return true, &driver.NavigationError{URL: address, Reason: driver.ReasonAborted}
		}
		return false, nil
	})
	if err := shown.wait(ctx); err != nil {
		return nil, err
	}
	return n.arrived(ctx, opts)
}

func navigateOptions(opts *driver.NavigateOptions) *driver.NavigateOptions {
	o := driver.NavigateOptions{}
	if opts != nil {
		o = *opts
	}
	if o.WaitUntil == "" {
		o.WaitUntil = driver.WaitLoad
	}
	return &o
}

// awaitStay waits until a page that was asked whether it may be left, and stays, has
// told Chrome so: what came before that would be given up with the navigation
// that was declined.
func (n *navigator) awaitStay(ctx context.Context) error {
	n.page.browser.mu.Lock()
	declined := n.page.dialogs.stayed
	n.page.dialogs.stayed = false
	n.page.browser.mu.Unlock()
	if !declined {
		return nil
	}
	_, err := protocol.RuntimeEvaluate.Do(ctx, n.page.session, runtime.EvaluateArgs{Expression: "0"})
	return err
}

// Reload implements driver.Navigator.
func (n *navigator) Reload(ctx context.Context, opts *driver.NavigateOptions) (*driver.Response, error) {
	res, err := n.move(ctx, navigateOptions(opts), protocol.PageReload.With(cdppage.ReloadArgs{}))
	return res, opError("reload", "", err)
}

// Back implements driver.Navigator.
func (n *navigator) Back(ctx context.Context, opts *driver.NavigateOptions) (*driver.Response, error) {
	res, err := n.travel(ctx, -1, navigateOptions(opts))
	return res, opError("back", "", err)
}

// Forward implements driver.Navigator.
func (n *navigator) Forward(ctx context.Context, opts *driver.NavigateOptions) (*driver.Response, error) {
	res, err := n.travel(ctx, +1, navigateOptions(opts))
	return res, opError("forward", "", err)
}

// travel goes through the history.
func (n *navigator) travel(ctx context.Context, by int, opts *driver.NavigateOptions) (*driver.Response, error) {
	n.page.use()
	defer n.page.unblock(ctx)()
	history, err := n.history(ctx)
	if err != nil {
		return nil, err
	}
	to := history.CurrentIndex + by
	if to < 0 || to >= len(history.Entries) {
		return nil, driver.ErrNoHistory
	}
	return n.move(ctx, opts, protocol.PageNavigateToHistoryEntry.With(cdppage.NavigateToHistoryEntryArgs{EntryID: history.Entries[to].ID}))
}

// betweenPages is how long we wait before we ask Chrome again that was between two pages.
const betweenPages = 20 * time.Millisecond

// history returns the page's history. Chrome has none to tell while it puts a document that
// was just committed in its place. To wait until that is parsed would be wrong: some never
// are, and can be left.
func (n *navigator) history(ctx context.Context) (*cdppage.GetNavigationHistoryReply, error) {
	ctx, cancel := context.WithTimeout(ctx, conn.CommandLimit)
	defer cancel()
	for {
		history, err := protocol.PageGetNavigationHistory.Do(ctx, n.page.session, conn.None{})
		if refused, ok := errors.AsType[*CommandError](err); !ok || !strings.Contains(refused.Message, "Not attached to an active page") {
			return &history, err
		}
		select {
		case <-time.After(betweenPages):
		case <-ctx.Done():
			return nil, err
		}
	}
}

// moves are the main frame's counters.
type moves struct{ commits, hops, failures int }

// begin begins a navigation that a caller waits for, until end is called, on a page that can
// be left, and returns the counters before it.
func (n *navigator) begin(ctx context.Context) (before moves, end func(), err error) {
	n.page.use()
	if err := n.awaitStay(ctx); err != nil {
		return moves{}, nil, err
	}
	left := n.page.unblock(ctx)
	b := n.page.browser
	b.mu.Lock()
	defer b.mu.Unlock()
	n.underway++
	n.page.travelled = nil
	n.page.dialogs.freed, n.page.dialogs.instead, n.page.dialogs.failed = "", "", nil
	end = func() {
		b.mu.Lock()
		n.underway--
		b.mu.Unlock()
		left()
	}
	return moves{n.page.main.commits, n.page.main.hops, n.page.main.failures}, end, nil
}

// move sends a command that is answered before the page has moved, and waits
// until it has.
func (n *navigator) move(ctx context.Context, opts *driver.NavigateOptions, c conn.Command) (*driver.Response, error) {
	before, end, err := n.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	if err := n.page.session.Batch(ctx, c); err != nil {
		return nil, err
	}
	within := false
	w := n.page.until(func() (bool, error) {
		switch m := n.page.main; {
		case n.page.dialogs.freed != "":
			return n.page.dialogs.arrived()
		case m.commits != before.commits:
			return true, nil
		case m.hops != before.hops:
			within = true
			return true, nil
		case n.page.travelled != nil && n.page.travelled != m:
			// The entry was made by a frame, which alone goes back.
			within = true
			return n.page.travelled.at(opts.WaitUntil), nil
		case m.failures != before.failures:
			return true, &driver.NavigationError{URL: m.url, Reason: driver.ReasonAborted}
		}
		return false, nil
	})
	if err := w.wait(ctx); err != nil || within {
		return nil, err
	}
	return n.arrived(ctx, opts)
}

// answered reports whether a server has said no, in which case a status is
// reported, as for any other answer. Where there is no text with it, Chrome shows a
// page of its own and calls it an error.
func (n *navigator) answered(loader driver.DocID) bool {
	n.page.browser.mu.Lock()
	defer n.page.browser.mu.Unlock()
	return n.answeredLocked(loader)
}

// arrived waits until the document that is shown is as far as the options say, and
// returns its response. Where the page has gone on to what cannot be fetched,
// there is none.
func (n *navigator) arrived(ctx context.Context, opts *driver.NavigateOptions) (*driver.Response, error) {
	bounded, until := ctx, opts.WaitUntil
	if opts.AtMost > 0 {
		var cancel context.CancelFunc
		bounded, cancel = context.WithTimeout(ctx, opts.AtMost)
		defer cancel()
	}
	for {
		var res *driver.Response
		var traffic int
		w := n.page.until(func() (bool, error) {
			m := n.page.main
			if m.failed != nil {
				return true, m.failed
			}
			res, traffic = copyResponse(n.page.responses.of(m.doc)), n.page.began
			return m.at(until) && (until != driver.WaitNetworkIdle || len(n.page.requests) == 0), nil
		})
		err := w.wait(bounded)
		quiet := err == nil && until != driver.WaitNetworkIdle
		if err == nil && !quiet {
			quiet, err = n.idle(bounded, traffic)
		}
		switch {
		case err != nil && bounded.Err() != nil && ctx.Err() == nil:
			return res, nil // it is used as it is
		case err != nil:
			return nil, err
		case quiet:
			return res, nil
		}
	}
}

// idle reports whether there is no traffic for idleTime.
func (n *navigator) idle(ctx context.Context, traffic int) (bool, error) {
	short, cancel := context.WithTimeout(ctx, idleTime)
	defer cancel()
	err := n.page.until(func() (bool, error) { return n.page.began != traffic, nil }).wait(short)
	switch {
	case err == nil:
		return false, nil
	case ctx.Err() != nil:
		return false, ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		return true, nil
	}
	return false, err
}

func copyResponse(r *driver.Response) *driver.Response {
	if r == nil {
		return nil
	}
	c := *r
	c.Headers = maps.Clone(r.Headers)
	return &c
}

// navigationError says what a failed navigation means. Where Chrome is about
// to show its own page about it, that page is waited for: what is read next
// is not the page that was left.
func (n *navigator) navigationError(ctx context.Context, address, text string, loader driver.DocID, download bool) error {
	e := &driver.NavigationError{URL: address, Reason: reasonOf(text), Detail: text}
	n.page.browser.mu.Lock()
	why := n.page.refused[string(loader)]
	delete(n.page.refused, string(loader))
	n.page.browser.mu.Unlock()
	switch {
	case download:
		e.Reason, e.Err = driver.ReasonAborted, driver.ErrDownload
	case why != nil:
		return refusal(address, why)
	case text == "net::ERR_ABORTED":
		if !knownScheme(address) {
			e.Reason = driver.ReasonAddress
		}
		// The end of the dialog in which this was declined comes later.
		w := n.page.until(func() (bool, error) {
			d := n.page.dialogs.open
			return d == nil || d.Kind != driver.BeforeUnload, nil
		})
		if err := w.wait(ctx); err != nil && ctx.Err() != nil {
			return err
		}
	default:
		w := n.page.until(func() (bool, error) {
			m := n.page.main
			return m.doc == loader || m.pending == nil || m.pending.loader != loader, nil
		})
		if err := w.wait(ctx); err != nil && ctx.Err() != nil {
			return err
		}
	}
	return e
}

// knownScheme reports whether Chrome opens such addresses itself.
func knownScheme(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	switch strings.ToLower(u.Scheme) {
	case "http", "https", "file", "data", "about", "blob", "chrome", "view-source", "filesystem", "ftp", "chrome-extension":
		return true
	}
	return false
}

// isScript reports a javascript: address, which Chrome would run. It reads
// addresses as the URL Standard does: without spaces and controls in front,
// and without tabs and line breaks anywhere.
func isScript(address string) bool {
	address = strings.TrimLeftFunc(address, func(r rune) bool { return r <= ' ' })
	scheme, _, _ := strings.Cut(strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(address), ":")
	return strings.EqualFold(scheme, "javascript")
}

func (n *navigator) answeredLocked(loader driver.DocID) bool {
	r := n.page.responses.of(loader)
	return r != nil && r.Status >= http.StatusBadRequest && !(n.page.main.failure.loader == loader && n.page.main.failure.canceled)
}
