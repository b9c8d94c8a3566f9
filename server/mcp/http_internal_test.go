package mcp

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfinder-engine/wayfinder/engine"
)

// TestRequestsEnd: a call ends with its own request, by its end or by the good-bye of its
// client, and one whose request has ended is not begun.
func TestRequestsEnd(t *testing.T) {
	l := &requests{}
	type one struct {
		ctx   context.Context
		extra *sdk.RequestExtra
		done  func()
	}
	begin := func(owner, session string) one {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", nil)
		r.Header.Set(sessionHeader, session)
		named, done := l.begin(owner, r)
		extra := &sdk.RequestExtra{Header: named.Header}
		ctx, cancel := l.follow(t.Context(), extra)
		t.Cleanup(cancel)
		return one{ctx, extra, done}
	}
	ada, other, bob := begin("ada", "1"), begin("ada", "2"), begin("bob", "1")
	l.end("ada", client{id: "1"})
	<-ada.ctx.Done()
	if err := context.Cause(ada.ctx); !errors.Is(err, errLeft) {
		t.Errorf("the call that ended: %v", err)
	}
	for who, of := range map[string]one{"another client": other, "another caller": bob} {
		if err := of.ctx.Err(); err != nil {
			t.Errorf("the call of %s: %v", who, err)
		}
	}
	bob.done()
	<-bob.ctx.Done()
	late, cancel := l.follow(t.Context(), bob.extra)
	defer cancel()
	if err := context.Cause(late); !errors.Is(err, errLeft) {
		t.Errorf("a call whose request has ended: %v", err)
	}
	streams, cancel := l.follow(t.Context(), nil)
	defer cancel()
	if err := streams.Err(); err != nil {
		t.Errorf("a call over streams: %v", err)
	}
}

// TestBodyTooLarge: a body that could hold anything is not read to its end.
func TestBodyTooLarge(t *testing.T) {
	s, err := New(Options{Open: func(context.Context) (*engine.Session, error) { return nil, errors.New("there is none") }})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for size, want := range map[int64]int{0: http.StatusBadRequest, sdk.DefaultMaxRequestBodyBytes: http.StatusRequestEntityTooLarge} {
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader("["+strings.Repeat(" ", int(size))+"]"))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, r)
		if w.Code != want {
			t.Errorf("a body of %d bytes: %d %s, want %d", size, w.Code, w.Body, want)
		}
	}
}
