package main

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// A loopback is the server of pages that tests share in turn. It keeps what
// was sent to it.
type loopback struct {
	*httptest.Server

	mu   sync.Mutex // guards sent
	sent []string
}

const formPage = `<!doctype html><html lang="en"><title>Form</title>
<h1>A form</h1>
<form action="/send" method="post"><label>Word <input name="word"></label><button>Send</button></form>
<ul><li><a href="/one">Details</a></li><li><a href="/two">Details</a></li></ul>`

// pages starts a server of a form, two links of one name, and what was sent.
func pages(t *testing.T) *loopback {
	t.Helper()
	l := &loopback{}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, formPage) })
	mux.HandleFunc("GET /find", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.RawQuery != "" {
			l.keep(r.FormValue("word"))
		}
		fmt.Fprint(w, strings.Replace(formPage, `action="/send" method="post"`, `action="/find"`, 1))
	})
	mux.HandleFunc("POST /send", func(w http.ResponseWriter, r *http.Request) {
		l.keep(r.PostFormValue("word"))
		fmt.Fprint(w, `<!doctype html><title>Sent</title><h1>Sent</h1>`)
	})
	l.Server = httptest.NewServer(mux)
	t.Cleanup(l.Close)
	return l
}

func (l *loopback) keep(word string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sent = append(l.sent, word)
}

// received returns what was sent so far.
func (l *loopback) received() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string{}, l.sent...)
}

// untrusted starts a server with a certificate that nobody vouches for.
func untrusted(t *testing.T) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // of the handshakes, which shall fail
	server.StartTLS()
	t.Cleanup(server.Close)
	return server
}

// unanswering starts a server that takes requests and answers none.
func unanswering(t *testing.T) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	t.Cleanup(server.Close)
	return server
}
