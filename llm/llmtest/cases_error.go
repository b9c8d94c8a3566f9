package llmtest

import (
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/llm"
)

// raw is an answer of a server that is not, or not quite, the vendor's.
func raw(status int, contentType, body string, headers ...string) *Said {
	return &Said{Raw: func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", contentType)
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		io.WriteString(w, body) // the client may be gone
	}}
}

// vendorError is a case for an error in the vendor's form.
func vendorError(kind llm.ErrorKind, needs Feature) conformanceCase {
	return conformanceCase{name: "error: " + string(kind), needs: needs, said: []*Said{{Fail: kind}}, check: func(t *testing.T, c *conversation) {
		e := wantKind(t, c.err, kind)
		if !strings.Contains(e.Message, "the words of the server") || e.Status == 0 {
			t.Errorf("error = %+v, want the server's words and the status", e)
		}
		if len(c.heard) != 1 {
			t.Errorf("the server was asked %d times, want once: retries are the caller's", len(c.heard))
		}
	}}
}

func errorCases() []conformanceCase {
	cases := []conformanceCase{vendorError(llm.KindQuota, FeatureQuota)}
	for _, kind := range []llm.ErrorKind{llm.KindAuth, llm.KindInvalid, llm.KindNotFound, llm.KindRateLimited, llm.KindOverloaded, llm.KindUnavailable, llm.KindTooLong} {
		cases = append(cases, vendorError(kind, ""))
	}
	return append(cases, []conformanceCase{
		{name: "error: retry-after in seconds", said: []*Said{raw(429, "application/json", `{"error":{"message":"slow down"}}`, "Retry-After", "7")}, check: func(t *testing.T, c *conversation) {
			if e := wantKind(t, c.err, llm.KindRateLimited); e.RetryAfter != 7*time.Second || !e.Temporary() {
				t.Errorf("RetryAfter = %v, want 7s", e.RetryAfter)
			}
		}},
		{name: "error: retry-after as a date that is past", said: []*Said{raw(503, "application/json", `{}`, "Retry-After", "Mon, 02 Jan 2006 15:04:05 GMT")}, check: func(t *testing.T, c *conversation) {
			if e := wantKind(t, c.err, llm.KindOverloaded); e.RetryAfter != 0 {
				t.Errorf("RetryAfter = %v, want 0", e.RetryAfter)
			}
		}},
		{name: "error: a proxy's page", said: []*Said{raw(502, "text/html", "<html><body>Bad Gateway</body></html>")}, check: func(t *testing.T, c *conversation) {
			if e := wantKind(t, c.err, llm.KindUnavailable); e.Status != 502 {
				t.Errorf("Status = %d, want 502", e.Status)
			}
		}},
		{name: "error: a page in place of an answer", said: []*Said{raw(200, "text/html; charset=utf-8", "<!doctype html><title>Login</title>")}, check: func(t *testing.T, c *conversation) {
			if e := wantKind(t, c.err, llm.KindMalformed); !strings.Contains(e.Message, "text/html") {
				t.Errorf("error = %v, want it to say what came", e)
			}
		}},
		{name: "error: JSON that breaks off", said: []*Said{raw(200, "application/json", `{"id":"x","choices":[{"mess`)}, check: fails(llm.KindMalformed)},
		{name: "error: another JSON", said: []*Said{raw(200, "application/json", `{}`)}, check: fails(llm.KindMalformed)},
		{name: "error: nothing", said: []*Said{raw(200, "application/json", ``)}, check: fails(llm.KindMalformed)},
		{name: "error: an error without words", said: []*Said{raw(500, "application/json", ``)}, check: fails(llm.KindUnavailable)},
		{name: "error: the connection breaks", said: []*Said{{Raw: func(w http.ResponseWriter) { panic(http.ErrAbortHandler) }}}, check: fails(llm.KindUnavailable)},
		{name: "error: fewer bytes than were promised", said: []*Said{{Raw: func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Length", "1000")
			io.WriteString(w, `{"id":`) // the rest is the fault
		}}}, check: fails(llm.KindUnavailable)},
	}...)
}

// unreachable checks a model whose server is down.
func unreachable(t *testing.T, h Harness) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := "http://" + listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	_, err = h.New(t, address).Generate(t.Context(), plain())
	if e := wantKind(t, err, llm.KindUnavailable); !e.Temporary() {
		t.Errorf("error %v is not temporary", e)
	}
}
