package cdp

import (
	"context"
	"errors"
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

// Navigate implements driver.Navigator.
func (p *page) Navigate(ctx context.Context, address string, opts *driver.NavigateOptions) (*driver.Response, error) {
	if isScript(address) {
		return nil, opError("navigate", address, &driver.NavigationError{URL: address, Reason: driver.ReasonAddress, Detail: "a script"})
	}
	opts = navigateOptions(opts)
	res, err := p.navigate(ctx, address, opts)
	return res, opError("navigate", address, err)
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

func (p *page) navigate(ctx context.Context, address string, opts *driver.NavigateOptions) (*driver.Response, error) {
	p.use()
	if err := p.awaitStay(ctx); err != nil {
		return nil, err
	}
	defer p.unblock(ctx)()
	before := p.moves()
	args := cdppage.NavigateArgs{URL: address}
	if opts.Referer != "" {
		args.Referrer = &opts.Referer
	}
	reply, err := protocol.PageNavigate.Do(ctx, p.session, args)
	if refused, ok := errors.AsType[*CommandError](err); ok && strings.Contains(refused.Message, "invalid URL") {
		return nil, &driver.NavigationError{URL: address, Reason: driver.ReasonAddress, Detail: refused.Message}
	}
	if err != nil {
		return nil, err
	}
	loader, failure := driver.DocID(value(reply.LoaderID)), value(reply.ErrorText)
	switch {
	case failure != "" && !p.answered(loader):
		return nil, p.navigationError(ctx, address, failure, loader, reply.IsDownload)
	case loader == "":
		w := p.until(func() (bool, error) { return p.main.hops != before.hops, nil })
		return nil, w.wait(ctx)
	}
	shown := p.until(func() (bool, error) {
		m := p.main
		switch {
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
	return p.arrived(ctx, opts.WaitUntil)
}

// awaitStay waits until a page that was asked whether it may be left, and stays, has
// told Chrome so: what came before that would be given up with the navigation
// that was declined.
func (p *page) awaitStay(ctx context.Context) error {
	p.browser.mu.Lock()
	declined := p.dialogs.stayed
	p.dialogs.stayed = false
	p.browser.mu.Unlock()
	if !declined {
		return nil
	}
	_, err := protocol.RuntimeEvaluate.Do(ctx, p.session, runtime.EvaluateArgs{Expression: "0"})
	return err
}

// Reload implements driver.Navigator.
func (p *page) Reload(ctx context.Context, opts *driver.NavigateOptions) (*driver.Response, error) {
	res, err := p.move(ctx, navigateOptions(opts), protocol.PageReload.With(cdppage.ReloadArgs{}))
	return res, opError("reload", "", err)
}

// Back implements driver.Navigator.
func (p *page) Back(ctx context.Context, opts *driver.NavigateOptions) (*driver.Response, error) {
	res, err := p.travel(ctx, -1, navigateOptions(opts))
	return res, opError("back", "", err)
}

// Forward implements driver.Navigator.
func (p *page) Forward(ctx context.Context, opts *driver.NavigateOptions) (*driver.Response, error) {
	res, err := p.travel(ctx, +1, navigateOptions(opts))
	return res, opError("forward", "", err)
}

// travel goes through the history.
func (p *page) travel(ctx context.Context, by int, opts *driver.NavigateOptions) (*driver.Response, error) {
	p.use()
	defer p.unblock(ctx)()
	// Chrome has no history to tell ("Not attached to an active page") while it
	// puts a document that was just committed in its place.
	if err := p.until(func() (bool, error) { return p.main.parsed, nil }).wait(ctx); err != nil {
		return nil, err
	}
	history, err := protocol.PageGetNavigationHistory.Do(ctx, p.session, conn.None{})
	if err != nil {
		return nil, err
	}
	to := history.CurrentIndex + by
	if to < 0 || to >= len(history.Entries) {
		return nil, driver.ErrNoHistory
	}
	return p.move(ctx, opts, protocol.PageNavigateToHistoryEntry.With(cdppage.NavigateToHistoryEntryArgs{EntryID: history.Entries[to].ID}))
}

// moves are the main frame's counters.
type moves struct{ commits, hops, failures int }

func (p *page) moves() moves {
	p.browser.mu.Lock()
	defer p.browser.mu.Unlock()
	return moves{p.main.commits, p.main.hops, p.main.failures}
}

// move sends a command that is answered before the page has moved, and waits
// until it has.
func (p *page) move(ctx context.Context, opts *driver.NavigateOptions, c conn.Command) (*driver.Response, error) {
	p.use()
	if err := p.awaitStay(ctx); err != nil {
		return nil, err
	}
	defer p.unblock(ctx)()
	p.browser.mu.Lock()
	p.travelled = nil
	p.browser.mu.Unlock()
	before := p.moves()
	if err := p.session.Batch(ctx, c); err != nil {
		return nil, err
	}
	within := false
	w := p.until(func() (bool, error) {
		switch m := p.main; {
		case m.commits != before.commits:
			return true, nil
		case m.hops != before.hops:
			within = true
			return true, nil
		case p.travelled != nil && p.travelled != m:
			// The entry was made by a frame, which alone goes back.
			within = true
			return p.travelled.at(opts.WaitUntil), nil
		case m.failures != before.failures:
			return true, &driver.NavigationError{URL: m.url, Reason: driver.ReasonAborted}
		}
		return false, nil
	})
	if err := w.wait(ctx); err != nil || within {
		return nil, err
	}
	return p.arrived(ctx, opts.WaitUntil)
}

// answered reports whether a server has said no, in which case a status is
// reported, as for any other answer. Where there is no text with it, Chrome shows a
// page of its own and calls it an error.
func (p *page) answered(loader driver.DocID) bool {
	p.browser.mu.Lock()
	defer p.browser.mu.Unlock()
	return p.answeredLocked(loader)
}

// arrived waits until the document that is shown is as far as until says, and
// returns its response. Where the page has gone on to what cannot be fetched,
// there is none.
func (p *page) arrived(ctx context.Context, until driver.WaitUntil) (*driver.Response, error) {
	for {
		var res *driver.Response
		var traffic int
		w := p.until(func() (bool, error) {
			m := p.main
			if m.failed != nil {
				return true, m.failed
			}
			res, traffic = copyResponse(p.responses.of(m.doc)), p.began
			return m.at(until) && (until != driver.WaitNetworkIdle || len(p.requests) == 0), nil
		})
		if err := w.wait(ctx); err != nil {
			return nil, err
		}
		if until != driver.WaitNetworkIdle {
			return res, nil
		}
		if quiet, err := p.idle(ctx, traffic); err != nil || quiet {
			return res, err
		}
	}
}

// idle reports whether there is no traffic for idleTime.
func (p *page) idle(ctx context.Context, traffic int) (bool, error) {
	short, cancel := context.WithTimeout(ctx, idleTime)
	defer cancel()
	err := p.until(func() (bool, error) { return p.began != traffic, nil }).wait(short)
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
	c.Headers = make(map[string]string, len(r.Headers))
	for k, v := range r.Headers {
		c.Headers[k] = v
	}
	return &c
}

// navigationError says what a failed navigation means. Where Chrome is about
// to show its own page about it, that page is waited for: what is read next
// is not the page that was left.
func (p *page) navigationError(ctx context.Context, address, text string, loader driver.DocID, download bool) error {
	e := &driver.NavigationError{URL: address, Reason: reasonOf(text), Detail: text}
	p.browser.mu.Lock()
	why := p.refused[string(loader)]
	delete(p.refused, string(loader))
	p.browser.mu.Unlock()
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
		w := p.until(func() (bool, error) {
			d := p.dialogs.open
			return d == nil || d.Kind != driver.BeforeUnload, nil
		})
		if err := w.wait(ctx); err != nil && ctx.Err() != nil {
			return err
		}
	default:
		w := p.until(func() (bool, error) {
			m := p.main
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
