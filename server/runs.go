package server

import (
	"bytes"
	"context"
	"encoding/hex"
	"io"

	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// callerKey is the key of the caller in a request's context.
type callerKey struct{}

// Caller returns whose a request to [Options.Runs] is: the SHA-256 of the
// caller's key in hexadecimal digits; empty where the server has no keys.
func Caller(ctx context.Context) string {
	caller, _ := ctx.Value(callerKey{}).(string)
	return caller
}

// As returns a context for requests that a program makes to its own [Server] in
// the name of a caller, without the key: with its rights, its sessions and its
// limits, as long as the server knows the key. Requests from a network get no
// such context.
func As(ctx context.Context, caller string) context.Context {
	return context.WithValue(ctx, callerKey{}, caller)
}

// known finds the holder for a caller that the program itself names.
func (s *Server) known(list []*holder, caller string) (*holder, error) {
	for _, h := range list {
		if h.caller() == caller {
			return h, nil
		}
	}
	return nil, newFault(wire.Unauthorized, "the key is not known here any more")
}

// caller names a holder; empty is anyone.
func (h *holder) caller() string {
	if h.digest == [len(h.digest)]byte{} {
		return ""
	}
	return hex.EncodeToString(h.digest[:])
}

// runs passes a request on to who does runs.
func (s *Server) runs(c *call) error {
	if s.opts.Runs == nil {
		return newFault(wire.NotImplemented, "this server does no runs")
	}
	s.opts.Runs.ServeHTTP(c, c.r.WithContext(As(c.r.Context(), c.holder.caller())))
	return nil
}

// runCreate holds the request against the contract first.
func (s *Server) runCreate(c *call) error {
	done, err := s.beginWork()
	if err != nil {
		return err
	}
	defer done()
	req, err := read[wire.RunCreate](c)
	if err != nil {
		return err
	}
	if req.Model == "" && s.opts.Default == nil {
		return invalid([]any{"model"}, "is required: this server's operator has named no model")
	}
	raw, err := encode(req)
	if err != nil {
		return err
	}
	c.r.Body = io.NopCloser(bytes.NewReader(raw))
	return s.runs(c)
}
