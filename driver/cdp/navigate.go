package cdp

import (
	"context"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// Navigate implements driver.Navigator.
func (p *page) Navigate(ctx context.Context, url string, opts *driver.NavigateOptions) (*driver.Response, error) {
	if opts == nil {
		opts = &driver.NavigateOptions{}
	}
	params := map[string]any{"url": url}
	if opts.Referer != "" {
		params["referrer"] = opts.Referer
	}
	var reply struct {
		LoaderID   driver.DocID
		ErrorText  string
		IsDownload bool
	}
	if err := p.session.call(ctx, "Page.navigate", params, &reply); err != nil {
		return nil, opError("navigate", url, err)
	}
	if reply.ErrorText != "" {
		return nil, opError("navigate", url, &driver.NavigationError{URL: url, Reason: driver.ReasonOther, Detail: reply.ErrorText})
	}
	if reply.LoaderID == "" {
		return nil, nil
	}
	w := p.watch(func() (bool, error) { return p.main.doc == reply.LoaderID && p.main.loaded, nil })
	return nil, opError("navigate", url, w.wait(ctx))
}
