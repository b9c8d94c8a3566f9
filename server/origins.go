package server

import (
	"net/http"
	"slices"
)

// origins are those whose scripts the operator lets in.
type origins []string

// trusts reports whether the operator lets the scripts of an origin in.
func (o origins) trusts(origin string) bool {
	return origin != "" && (slices.Contains(o, origin) || slices.Contains(o, "*"))
}

// letIn lets the scripts of the operator's origins in, and answers the
// browsers' questions before a request. It reports whether it has answered.
func (o origins) letIn(c *call) bool {
	origin := c.r.Header.Get("origin")
	if !o.trusts(origin) {
		return false
	}
	header := c.Header()
	header.Set("access-control-allow-origin", origin)
	header.Add("vary", "origin")
	header.Set("access-control-expose-headers", "x-request-id, x-should-retry, x-action-sent, x-extract-grounded, retry-after, x-ignored-members")
	if c.r.Method != http.MethodOptions || c.r.Header.Get("access-control-request-method") == "" {
		return false
	}
	header.Set("access-control-allow-methods", "GET, POST")
	if asked := c.r.Header.Get("access-control-request-headers"); asked != "" {
		header.Set("access-control-allow-headers", asked)
	}
	header.Set("access-control-max-age", "600")
	c.WriteHeader(http.StatusNoContent)
	return true
}
