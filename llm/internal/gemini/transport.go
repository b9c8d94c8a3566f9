package gemini

import (
	"context"
	"errors"
	"io"
	"maps"
	"mime"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/internal/modelhttp"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// noKey is what the SDK has for a key. It never leaves.
const noKey = "held back"

// version is the last part of an address that has the interface's version.
var version = regexp.MustCompile(`^v\d+(?:(?:alpha|beta)\d*)?$`)

// A transport sends the SDK's requests, signed, and looks at each response
// before the SDK does.
type transport struct {
	next    http.RoundTripper
	options *Options
	models  string // the path before /models/…; empty leaves it to the SDK
}

// RoundTrip gives back what may be an answer; all else is an *llm.Error.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	x := exchangeOf(req.Context())
	resp, err := modelhttp.Inspect(req, t.send, codes)
	if err != nil {
		x.failed = err
		return nil, err
	}
	mediaType, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")) // none is none
	if mediaType == "text/event-stream" {
		resp.Body = newEvents(resp.Body)
	}
	resp.Body = &noting{resp.Body, x}
	return resp, nil
}

func (t *transport) send(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	if _, rest, ok := strings.Cut(req.URL.Path, "/models/"); ok && t.models != "" {
		req.URL.Path, req.URL.RawPath = t.models+"/models/"+rest, ""
	}
	req.Header.Del("X-Goog-Api-Key")
	if err := t.options.Sign(req.Context(), req.Header); err != nil {
		req.Body.Close()
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(t.options.Headers)) {
		req.Header.Set(name, t.options.Headers[name])
	}
	resp, err := t.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode == http.StatusUnauthorized && t.options.Refused != nil {
		t.options.Refused(req.Header)
	}
	return Tidy(resp)
}

// An exchange is what the transport reports of one request, where the SDK says
// too little. The SDK works on the caller's goroutine alone.
type exchange struct {
	failed  error // what kept the answer from coming, if it did not come whole
	outside bool  // the caller's own code is at work
}

type exchangeKey struct{}

func (x *exchange) with(ctx context.Context) context.Context {
	return context.WithValue(ctx, exchangeKey{}, x)
}

func exchangeOf(ctx context.Context) *exchange {
	x, ok := ctx.Value(exchangeKey{}).(*exchange)
	if !ok {
		return &exchange{} // nobody listens
	}
	return x
}

// callSDK calls the SDK. Whatever it makes of an answer that came, but is none,
// is an error of KindMalformed; it panics where an object is a list.
func (x *exchange) callSDK(ask func() error) (err error) {
	defer func() {
		if x.outside {
			return // a panic of the caller's is none of ours
		}
		if r := recover(); r != nil {
			err = modelhttp.Malformed("the answer has another form than Gemini's")
		}
	}()
	err = ask()
	var known *llm.Error
	switch {
	case x.failed != nil:
		return x.failed
	case errors.As(err, &known):
		return known
	case err == nil, err == errLeft:
		return err
	default:
		return readError(err)
	}
}

// noting notes the error that a body ends with. The SDK would write it to the
// log, where a stream is concerned, and sees an end instead.
type noting struct {
	io.ReadCloser
	x *exchange
}

func (w *noting) Read(p []byte) (int, error) {
	n, err := w.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		w.x.failed, err = err, io.EOF
	}
	return n, err
}
