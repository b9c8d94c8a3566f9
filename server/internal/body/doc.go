// Package body has the bodies for which package client has no call: those of the
// dashboard, of probes and of other vendors' clients. Package wire has the rest.
package body

// Health is the answer of /healthz and /readyz.
type Health struct {
	Status    string `json:"status"`    // ok, unavailable or draining
	Timestamp string `json:"timestamp"` // RFC 3339

	Reason   string   `json:"reason,omitempty"`   // why it is not ok
	Warnings []string `json:"warnings,omitempty"` // what an operator has to look at, though it is
}

// Ended is the answer to the end of a session.
type Ended struct {
	Success bool `json:"success"` // true
}
