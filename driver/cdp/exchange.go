package cdp

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/mafredri/cdp/protocol/fetch"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/protocol"
)

// An exchange is a request that a handler takes part in.
type exchange struct {
	browser *browser
	session *session
	paused  *requestPaused
	request *driver.Request
	info    driver.RequestInfo // as the page sent it

	answered *requestPaused // the answer, once it was sent for
}

var errSentTwice = errors.New("a request can be sent once")

// send lets the request out and waits for the answer.
func (x *exchange) send(ctx context.Context) (*driver.Reply, error) {
	if x.answered != nil {
		return nil, errSentTwice
	}
	args, err := x.outgoing()
	if err != nil {
		return nil, err
	}
	args.SetInterceptResponse(true)
	id := x.paused.RequestID
	answer := make(chan *requestPaused, 1)
	x.browser.answers.Store(id, answer)
	defer x.browser.answers.Delete(id)
	if _, err := protocol.FetchContinueRequest.Do(ctx, x.session, *args); err != nil {
		return nil, err
	}
	select {
	case x.answered = <-answer:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if reason := x.answered.failure; reason != "" {
		return nil, fmt.Errorf("%s could not be fetched: %s", x.request.URL, reason)
	}
	reply := &driver.Reply{Status: x.answered.status, Header: http.Header{}}
	for _, h := range x.answered.headers {
		reply.Header.Add(h.Name, h.Value)
	}
	if reply.Status >= 300 && reply.Status < 400 && reply.Header.Get("Location") != "" {
		return reply, nil // Chrome has no body of a redirect
	}
	got, err := protocol.FetchGetResponseBody.Do(ctx, x.session, fetch.GetResponseBodyArgs{RequestID: id})
	if err != nil {
		return nil, err
	}
	reply.Body = []byte(got.Body)
	if got.Base64Encoded {
		if reply.Body, err = base64.StdEncoding.DecodeString(got.Body); err != nil {
			return nil, err
		}
	}
	return reply, nil
}

// outgoing is the request as the handler left it.
func (x *exchange) outgoing() (*fetch.ContinueRequestArgs, error) {
	r, args := x.request, fetch.NewContinueRequestArgs(x.paused.RequestID)
	if r.URL != x.info.URL {
		u, err := url.Parse(r.URL)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" {
			return nil, fmt.Errorf("a handler sent a request to %q: it can go to addresses over http and https", r.URL)
		}
		if allow := x.browser.opts.Allow; allow != nil {
			if err := allow(r.RequestInfo); err != nil {
				return nil, err
			}
		}
		args.SetURL(r.URL)
	}
	if r.Method != x.info.Method {
		args.SetMethod(r.Method)
	}
	if body := x.paused.body(); string(body) != string(r.Body) {
		args.SetPostData(r.Body)
	}
	if !sameHeader(r.Header, x.paused.header()) {
		args.SetHeaders(headerEntries(r.Header))
	}
	return args, nil
}

// fulfill gives the page a reply.
func (x *exchange) fulfill(reply *driver.Reply) {
	status := reply.Status
	if status == 0 {
		status = http.StatusOK
	}
	header := reply.Header.Clone()
	for _, name := range []string{"Content-Encoding", "Content-Length", "Transfer-Encoding"} {
		header.Del(name) // of the body as it was on the wire
	}
	args := fetch.NewFulfillRequestArgs(x.paused.RequestID, status).SetResponseHeaders(headerEntries(header)).SetBody(reply.Body)
	if text := http.StatusText(status); text != "" {
		args.SetResponsePhrase(text)
	}
	x.session.Post(protocol.FetchFulfillRequest.With(*args))
}

func headerEntries(h http.Header) []fetch.HeaderEntry {
	entries := []fetch.HeaderEntry{}
	for name, values := range h {
		for _, v := range values {
			entries = append(entries, fetch.HeaderEntry{Name: name, Value: v})
		}
	}
	return entries
}

func sameHeader(a, b http.Header) bool {
	if len(a) != len(b) {
		return false
	}
	for name, values := range a {
		if strings.Join(values, "\n") != strings.Join(b[name], "\n") {
			return false
		}
	}
	return true
}
