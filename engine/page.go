package engine

import (
	"context"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A Page is one tab or window of a session. Its methods take turns: a second
// call waits until the first is done, or its context ends.
type Page struct {
	session *Session
	id      driver.PageID
	driver  driver.Page // set once, under Session.mu, before the page is handed out
	watch   *watch
	turn    chan struct{} // holds one token: whose turn it is

	seen seen // what the last look gave; only touched by whose turn it is
}

func newPage(s *Session, id driver.PageID) *Page {
	p := &Page{session: s, id: id, watch: newWatch(id), turn: make(chan struct{}, 1)}
	return p
}

// ID names the page. It is the id of the page's main frame.
func (p *Page) ID() driver.PageID { return p.id }

// Session returns the session that the page belongs to.
func (p *Page) Session() *Session { return p.session }

// Driver returns the driver's page, for what the engine has no word for. Calls
// on it do not take turns with the engine's.
func (p *Page) Driver() driver.Page { return p.driver }

// URL returns the address that the page shows.
func (p *Page) URL() string {
	for _, f := range p.driver.Frames() {
		return f.URL
	}
	return ""
}

// Title returns the title of the document.
func (p *Page) Title(ctx context.Context) (string, error) {
	look, err := p.Snapshot(ctx, nil)
	if err != nil {
		return "", err
	}
	return look.Capture.Documents[0].Title, nil
}

// Screenshot returns an encoded picture of the page; opts may be nil: the
// viewport as PNG.
func (p *Page) Screenshot(ctx context.Context, opts *driver.ScreenshotOptions) ([]byte, error) {
	ctx, cancel := p.session.opts.limitOf(0, defaultLimit).bound(ctx)
	defer cancel()
	picture, err := p.driver.Screenshot(ctx, opts)
	if err != nil {
		return nil, p.session.explain("screenshot", late(ctx, err))
	}
	return picture, nil
}

// Activate brings the page to the front and makes it the session's active one.
func (p *Page) Activate(ctx context.Context) error {
	if err := p.driver.Activate(ctx); err != nil {
		return p.session.explain("activate page", err)
	}
	p.session.activate(p.id)
	return nil
}

// Close closes the page.
func (p *Page) Close(ctx context.Context) error {
	if err := p.driver.Close(ctx); err != nil {
		return p.session.explain("close page", err)
	}
	return nil
}
