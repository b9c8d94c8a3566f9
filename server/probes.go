package server

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"time"

	"github.com/wayfinder-engine/wayfinder/server/internal/body"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// probeCalls answer what watches over the server.
type probeCalls struct {
	Probes
	core *core
}

// ready reports whether sessions can be started.
func (p *probeCalls) ready(c *call) error {
	p.core.mu.Lock()
	draining := p.core.draining
	p.core.mu.Unlock()
	if draining {
		return c.writeJSON(http.StatusServiceUnavailable, healthNow("draining"))
	}
	if p.Ready != nil {
		if err := p.Ready(c.r.Context()); err != nil {
			p.core.log.Warn("not ready", "err", err)
			health := healthNow("unavailable")
			health.Reason = err.Error()
			return c.writeJSON(http.StatusServiceUnavailable, health)
		}
	}
	health := healthNow("ok")
	if p.Warnings != nil {
		health.Warnings = p.Warnings()
	}
	return c.writeJSON(http.StatusOK, health)
}

func (p *probeCalls) metrics(c *call) error {
	if p.Metrics == nil {
		return newFault("not_implemented", "this server has no metrics")
	}
	p.Metrics.ServeHTTP(c, c.r)
	return nil
}

// checkToken accepts requests that show the token for the metrics.
func (p *probeCalls) checkToken(r *http.Request) error {
	want, shown := sha256.Sum256([]byte(p.MetricsToken)), sha256.Sum256([]byte(bearer(r)))
	if subtle.ConstantTimeCompare(want[:], shown[:]) != 1 {
		return newFault(wire.Unauthorized, "the metrics need their token, as Authorization: Bearer")
	}
	return nil
}

// handleHealth answers as long as the process serves.
func handleHealth(c *call) error {
	return c.writeJSON(http.StatusOK, healthNow("ok"))
}

func healthNow(status string) body.Health {
	return body.Health{Status: status, Timestamp: time.Now().UTC().Format(time.RFC3339)}
}
