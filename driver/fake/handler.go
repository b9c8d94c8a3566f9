package fake

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/network"
)

// intercepts reports a request that a handler may take part in, or that the network's
// absence stops: it is not answered at once, even where that could be done.
func (p *page) intercepts(info driver.RequestInfo) bool {
	return p.Connection == driver.Offline || p.browser.handler(info) != nil
}

// handler is the one that takes part in a request; nil if none does.
func (b *browser) handler(info driver.RequestInfo) *driver.Handler {
	h := b.opts.Handler
	if h == nil || h.Handle == nil || !overHTTP(info.URL) || h.Match != nil && !h.Match(info) {
		return nil
	}
	return h
}

func overHTTP(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https")
}

// fetch answers a request: by the handler that takes part in it, else by what
// answers this browser. It runs without the page's lock.
func (b *browser) fetch(ctx context.Context, r *request) (*response, error) {
	if r.offline {
		return nil, &driver.NavigationError{URL: r.url.String(), Reason: driver.ReasonOther, Detail: "net::ERR_INTERNET_DISCONNECTED"}
	}
	h := b.handler(r.info)
	if h == nil {
		return b.send(ctx, r)
	}
	held := &driver.Request{RequestInfo: r.info, Header: r.header.Clone(), Body: []byte(r.body)}
	var sent *response
	held.Send = func(ctx context.Context) (*driver.Reply, error) {
		if sent != nil {
			return nil, errSentTwice
		}
		got, err := b.sendChanged(ctx, r, held)
		if err != nil {
			return nil, err
		}
		if got.rest != nil {
			if got.body, err = got.rest.Whole(ctx, got.header.Get("Content-Type")); err != nil {
				return nil, err
			}
			got.rest = nil
		}
		sent = got
		return &driver.Reply{Status: got.status, Header: got.header.Clone(), Body: []byte(got.body)}, nil
	}
	reply, err := h.Handle(ctx, held)
	switch {
	case err != nil:
		return nil, &driver.NavigationError{URL: r.url.String(), Reason: driver.ReasonBlocked, Detail: err.Error(), Err: err}
	case reply != nil:
		return b.replied(ctx, r, reply)
	case sent != nil:
		return sent, nil
	}
	return b.sendChanged(ctx, r, held)
}

var errSentTwice = errors.New("a request can be sent once")

// sendChanged sends what a handler has made of a request.
func (b *browser) sendChanged(ctx context.Context, r *request, held *driver.Request) (*response, error) {
	again := *r
	again.method, again.header, again.body = held.Method, held.Header, string(held.Body)
	if held.URL != r.info.URL {
		u, err := url.Parse(held.URL)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" {
			return nil, fmt.Errorf("a handler sent a request to %q: it can go to addresses over http and https", held.URL)
		}
		if allow := b.opts.Allow; allow != nil {
			if err := allow(held.RequestInfo); err != nil {
				return nil, errors.Join(driver.ErrBlocked, err)
			}
		}
		again.url = u
	}
	got, err := b.send(ctx, &again)
	if err != nil {
		return nil, err
	}
	got.url = r.url // the page sees its own address
	return got, nil
}

// replied is the answer that a handler gave.
func (b *browser) replied(ctx context.Context, r *request, reply *driver.Reply) (*response, error) {
	status := reply.Status
	if status == 0 {
		status = http.StatusOK
	}
	header := reply.Header.Clone()
	if header == nil {
		header = http.Header{}
	}
	text, err := network.Receive(ctx, io.NopCloser(bytes.NewReader(reply.Body)), b.driver.opts.MaxBytes)
	if err != nil {
		return nil, network.Failure(r.url, err)
	}
	return answered(r.url, &response{status: status, text: http.StatusText(status), header: header}, text)
}

// send asks the map, the handler or the network, with the credentials that a
// server asks for.
func (b *browser) send(ctx context.Context, r *request) (*response, error) {
	if res, ok, err := b.driver.instant(r.method, r.url); ok {
		return res, err
	}
	res, err := b.ask(ctx, r)
	if err != nil || res.status != http.StatusUnauthorized || r.header.Get("Authorization") != "" {
		return res, err
	}
	for _, c := range b.opts.Credentials {
		if dom.OriginOf(c.Origin) == dom.OriginOf(r.url.String()) {
			again := *r
			again.header = r.header.Clone()
			again.header.Set("Authorization", basicAuth(c.Username, c.Password))
			return b.ask(ctx, &again)
		}
	}
	return res, nil
}
