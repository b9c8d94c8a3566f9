package server

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/internal/weburl"
	"github.com/wayfinder-engine/wayfinder/server/internal/body"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// What a hosted vendor's clients send and read, so that they work with this
// server unmodified. Its objects have no success and no data around them.

// takeVendorParams gives a request's browser what the vendor's parameters say
// of it, and returns the names of those that have no effect.
func takeVendorParams(req *wire.SessionStart) (ignored []string, _ error) {
	const member = "browserbaseSessionCreateParams"
	raw := req.BrowserbaseSessionCreateParams
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	var params body.VendorParams
	if err := wire.Decode(raw, &params); err != nil {
		return nil, invalid([]any{member}, "%v", err)
	}
	size, own := params.BrowserSettings.Viewport, req.Browser.LaunchOptions
	taken := size != nil && size.Width > 0 && size.Height > 0 && own.Viewport == nil
	if taken {
		own.Viewport = &wire.Viewport{Width: size.Width, Height: size.Height}
	}
	for _, name := range namesIn(raw) {
		if name != "browserSettings" {
			ignored = append(ignored, member+"."+name)
			continue
		}
		for _, inner := range namesIn(partOf(raw, []any{name})) {
			if inner != "viewport" || !taken {
				ignored = append(ignored, member+"."+name+"."+inner)
			}
		}
	}
	return ignored, nil
}

// namesIn are the members of an object that can stand in a header, in order.
func namesIn(object []byte) []string {
	var members map[string]json.RawMessage
	if json.Unmarshal(object, &members) != nil {
		return nil
	}
	names := slices.Sorted(maps.Keys(members))
	return slices.DeleteFunc(names, func(name string) bool {
		return bytes.Equal(members[name], []byte("null")) || len(name) > 100 ||
			strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r > '~' || r == ',' })
	})
}

// vendorCalls answer what the vendor's clients ask of a session.
type vendorCalls struct {
	endpoint func(driver.Browser) string // where others attach; nil: nowhere
}

// retrieve answers with a session's state.
func (v *vendorCalls) retrieve(c *call) error {
	if err := c.session.over(); err != nil {
		return err
	}
	return c.writeJSON(http.StatusOK, v.session(c, "RUNNING"))
}

// update ends a session, the only change that is asked for.
func (v *vendorCalls) update(c *call, _ *body.VendorUpdate) error {
	told := v.session(c, "COMPLETED")
	told.ConnectURL = ""
	if err := c.session.endAndTell(); err != nil {
		return err
	}
	return c.writeJSON(http.StatusOK, told)
}

func (v *vendorCalls) session(c *call, status string) body.VendorSession {
	one := c.session
	begun := one.begun.UTC().Format(time.RFC3339)
	expires := one.begun.Add(min(one.limits.Lifetime, longestLife)).UTC().Format(time.RFC3339)
	return body.VendorSession{
		ID: one.id, Status: status, CreatedAt: begun, StartedAt: begun, UpdatedAt: time.Now().UTC().Format(time.RFC3339),
		ExpiresAt: expires, Region: "us-west-2", ConnectURL: v.endpointOf(c),
	}
}

// longestLife is reported for sessions that have no end.
const longestLife = 10 * 365 * 24 * time.Hour

// debug answers with the addresses of a session's pages.
func (v *vendorCalls) debug(c *call) error {
	if err := c.session.over(); err != nil {
		return err
	}
	address := v.endpointOf(c)
	data := body.VendorDebug{WSURL: address, Pages: []body.VendorPage{}}
	for _, page := range c.session.engine.Pages() {
		shown, _ := weburl.WithoutPassword(page.URL())
		inspector := ""
		if c.session.address == nil { // Chrome's own port serves its developer tools; we don't
			inspector = inspectorOf(address, string(page.ID()))
		}
		data.Pages = append(data.Pages, body.VendorPage{ID: string(page.ID()), URL: shown, DebuggerURL: inspector, DebuggerFullscreenURL: inspector})
		if data.DebuggerURL == "" {
			data.DebuggerURL, data.DebuggerFullscreenURL = inspector, inspector
		}
	}
	return c.writeJSON(http.StatusOK, data)
}

// inspectorOf is where Chrome shows its developer tools for a page; empty where
// no one can attach.
func inspectorOf(endpoint, page string) string {
	u, err := url.Parse(endpoint)
	if endpoint == "" || err != nil {
		return ""
	}
	return "http://" + u.Host + "/devtools/inspector.html?ws=" + u.Host + "/devtools/page/" + page
}

// endpointOf is the address at which others can attach to a session's browser.
func (v *vendorCalls) endpointOf(c *call) string {
	if c.session.address != nil {
		return c.session.address(c.r)
	}
	if v.endpoint == nil {
		return ""
	}
	return v.endpoint(c.session.engine.Browser())
}
