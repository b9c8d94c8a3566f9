package server

import (
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// handleNavigate goes to an address.
func handleNavigate(c *call) error {
	req, err := read[wire.NavigateRequest](c)
	if err != nil {
		return err
	}
	j, err := c.navigation(req)
	if err != nil {
		return err
	}
	return c.operate(j)
}

// navigateResult is nil where nothing was fetched.
func navigateResult(r *driver.Response) *wire.NavigateResult {
	if r == nil {
		return nil
	}
	headers := r.Headers
	if headers == nil {
		headers = map[string]string{}
	}
	return &wire.NavigateResult{URL: r.URL, Status: r.Status, OK: r.OK(), Headers: headers}
}
