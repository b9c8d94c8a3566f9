package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"math"
	"mime"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/internal/uuid"
	"github.com/wayfinder-engine/wayfinder/server/internal/nodes"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// A call is one request on its way through the server, and its
// http.ResponseWriter. It belongs to the goroutine that serves the request.
type call struct {
	work

	w  http.ResponseWriter
	r  *http.Request
	op *operation // nil before it is known
	id string

	pass *nodes.Pass // of a request that another node let in; nil: a client's own

	raw    []byte // the body, once it was read
	status int    // 0: no response has begun
	err    error  // what was answered, for the log

	elsewhere bool // another node has the session
}

func newCall(core *core, w http.ResponseWriter, r *http.Request) *call {
	c := &call{w: w, r: r, id: requestID(r), work: work{
		core: core, begin: time.Now(), modelKey: r.Header.Get("x-model-api-key"), language: r.Header.Get("x-language"),
	}}
	w.Header().Set("x-request-id", c.id)
	return c
}

// requestID is the client's own name for the request, if it can stand in a log.
func requestID(r *http.Request) string {
	id := r.Header.Get("x-request-id")
	if id == "" || len(id) > 128 {
		return uuid.New()
	}
	for _, c := range []byte(id) {
		if c <= ' ' || c >= 0x7f {
			return uuid.New()
		}
	}
	return id
}

// Header, Write and WriteHeader make a call a ResponseWriter, for the mux.
func (c *call) Header() http.Header { return c.w.Header() }

// Write writes a part of the body.
func (c *call) Write(p []byte) (int, error) {
	if c.status == 0 {
		c.WriteHeader(http.StatusOK)
	}
	return c.w.Write(p)
}

// WriteHeader begins the response.
func (c *call) WriteHeader(status int) {
	if c.status == 0 {
		c.status = status
		c.w.WriteHeader(status)
	}
}

// Unwrap is for http.ResponseController.
func (c *call) Unwrap() http.ResponseWriter { return c.w }

// tellSent writes whether an act has sent input. A stream's header is gone by
// then, so it goes into the trailer.
func (c *call) tellSent() {
	if c.status == 0 {
		c.Header().Set(wire.HeaderSent, string(c.sent))
	}
}

// write sends a complete body. A client that does not read it in time loses the
// connection.
func (c *call) write(status int, body []byte) error {
	c.Header().Set("content-length", strconv.Itoa(len(body)))
	deadline := time.Now().Add(c.core.limits.WriteTime)
	if err := http.NewResponseController(c.w).SetWriteDeadline(deadline); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	c.WriteHeader(status)
	_, c.err = c.w.Write(body)
	return nil // whether or not the client is gone, nothing more can be sent
}

func (c *call) writeJSON(status int, body any) error {
	raw, err := encode(body)
	if err != nil {
		return err
	}
	c.Header().Set("content-type", "application/json")
	return c.write(status, raw)
}

// encode writes JSON as it is read by other programs: without escapes of HTML.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// alike puts a value of this program into its form for clients, or the other way round,
// where both have the same JSON. What the target has, and the value leaves out, stays.
func alike(v, target any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, target)
}

// fail answers with an error, unless an answer has begun.
func (c *call) fail(err error) {
	f := faultOf(c.r.Context(), err)
	c.err = err
	if f.cause != nil {
		c.err = f.cause
	}
	if c.status != 0 {
		return
	}
	c.Header().Del(headerIgnored)
	if f.retry > 0 {
		c.Header().Set("retry-after", strconv.Itoa(int(math.Ceil(f.retry.Seconds()))))
	}
	failed := c.err
	body := wire.Failure{Error: f.message, Message: f.message, Code: f.code, Issues: f.issues}
	if err := c.writeJSON(statuses[f.code], body); err != nil {
		c.core.log.Error("an error could not be written", "request", c.id, "err", err)
	}
	c.err = failed
}

// conclude logs the request. No body, no header and no query is in it.
func (c *call) conclude() {
	attrs := []slog.Attr{
		slog.String("request", c.id), slog.String("method", c.r.Method), slog.String("path", c.r.URL.Path),
		slog.Int("status", c.status), slog.Duration("duration", time.Since(c.begin)),
	}
	if c.session != nil {
		attrs = append(attrs, slog.String("session", c.session.id))
	}
	if c.action != "" {
		attrs = append(attrs, slog.String("action", c.action))
	}
	if c.holder != nil {
		if name := c.holder.name(); name != "" {
			attrs = append(attrs, slog.String("key", name))
		}
	}
	if c.sent != "" {
		attrs = append(attrs, slog.String("sent", string(c.sent)))
	}
	level := slog.LevelInfo
	if c.err != nil {
		attrs = append(attrs, slog.String("err", c.err.Error()))
		switch {
		case c.status == http.StatusInternalServerError:
			level = slog.LevelError
		case c.status > http.StatusInternalServerError:
			level = slog.LevelWarn
		}
	}
	c.core.log.LogAttrs(c.r.Context(), level, "request", attrs...)
	if tell := c.core.opts.Hooks.Served; tell != nil {
		served := Served{Status: c.status, Duration: time.Since(c.begin)}
		if c.op != nil {
			served.Route = c.op.method + " " + c.op.path
		}
		tell(c.r.Context(), served)
	}
}

// read takes the request's body, holds it against its schema and decodes it.
func read[T any](c *call) (*T, error) {
	raw, err := c.body()
	if err != nil {
		return nil, err
	}
	c.raw = raw
	v := new(T)
	if len(raw) == 0 && !c.op.needed {
		return v, nil
	}
	if err := c.op.body.Validate(raw); err != nil {
		return nil, invalidDocument(sharpen(raw, err))
	}
	if err := wire.Decode(raw, v); err != nil {
		return nil, invalid([]any{}, "%v", err)
	}
	unused := wire.Unused(raw, v)
	switch any(v).(type) {
	case *wire.SessionStart, *wire.RunCreate:
		if err := misplaced(unused); err != nil {
			return nil, err
		}
	}
	c.ignore(unused)
	return v, nil
}

// headerIgnored names the members of a request that have no effect.
const headerIgnored = "x-ignored-members"

// ignore has the answer name members that have no effect, where a header can.
func (c *call) ignore(paths []string) {
	paths = slices.DeleteFunc(slices.Clone(paths), func(path string) bool {
		return len(path) > 100 || strings.ContainsFunc(path, func(r rune) bool { return r <= ' ' || r > '~' || r == ',' })
	})
	if before := c.Header().Get(headerIgnored); before != "" {
		paths = append(paths, strings.Split(before, ", ")...)
	}
	if len(paths) > 0 {
		slices.Sort(paths)
		c.Header().Set(headerIgnored, strings.Join(slices.Compact(paths), ", "))
	}
}

// misplaced refuses what would set up a browser and stands where it does not: one
// without its proxy sends to the wrong place.
func misplaced(unused []string) error {
	for _, path := range unused {
		name := strings.TrimPrefix(path, "browser.")
		switch {
		case wire.Knows(wire.LaunchOptions{}, name):
			return invalid([]any{path}, "stands in the wrong object, where it has no effect: it is a member of browser.launchOptions")
		case path == name && wire.Knows(wire.Browser{}, name):
			return invalid([]any{path}, "stands in the wrong object, where it has no effect: it is a member of browser")
		}
	}
	return nil
}

// body reads the request's body within its limits.
func (c *call) body() ([]byte, error) {
	limits := c.core.limits
	control := http.NewResponseController(c.w)
	if err := control.SetReadDeadline(time.Now().Add(limits.BodyTime)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return nil, err
	}
	raw, err := io.ReadAll(http.MaxBytesReader(c.w, c.r.Body, limits.Body))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, newFault(wire.TooLarge, "the request has more than %d bytes", limits.Body)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, newFault(wire.Timeout, "the request was not complete within %v", limits.BodyTime)
	case err != nil:
		return nil, invalid([]any{}, "it could not be read to its end")
	}
	// The deadline would end the work, too: the server keeps reading to see
	// whether the client is still there.
	if err := control.SetReadDeadline(time.Time{}); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return nil, err
	}
	if len(raw) > 0 {
		// Also where no type is given: a web page can send that to any
		// address without asking, and JSON it can not.
		kind, _, err := mime.ParseMediaType(c.r.Header.Get("content-type"))
		if err != nil || kind != "application/json" {
			return nil, newFault(wire.UnsupportedMediaType, "the content-type must be application/json")
		}
	}
	return raw, nil
}

// writeRun answers with a run, unless there is an error.
func (c *call) writeRun(status int) func(wire.Run, error) error {
	return func(run wire.Run, err error) error {
		if err != nil {
			return err
		}
		return c.writeJSON(status, wire.Success[wire.RunData]{Success: true, Data: wire.RunData{Run: run}})
	}
}

// operated makes the handler of an operation that is a job on a page: job says which.
func operated[T any](job func(*call, *T) (job, error)) func(*call) error {
	return reading(func(c *call, req *T) error {
		j, err := job(c, req)
		if err != nil {
			return err
		}
		return c.operate(j)
	})
}

// reading makes the handler of an operation that begins with the request's body.
func reading[T any](handle func(*call, *T) error) func(*call) error {
	return func(c *call) error {
		req, err := read[T](c)
		if err != nil {
			return err
		}
		return handle(c, req)
	}
}

// operate does a job and answers, in one body or as a stream.
func (c *call) operate(j job) error {
	streamed, err := wantsStream(c.r, j.stream)
	if err != nil {
		return err
	}
	return c.onPage(c.r.Context(), j, func(ctx context.Context, cancel context.CancelCauseFunc, page *engine.Page) error {
		if streamed {
			return beginStream(c, "no-cache").do(ctx, cancel, page, j)
		}
		out, err := c.do(ctx, page, j, nil)
		if c.sent != "" {
			c.tellSent()
		}
		if err != nil {
			return err
		}
		if out.note != "" {
			c.Header().Set(j.trailer, out.note)
		}
		return c.writeJSON(http.StatusOK, wire.Success[any]{Success: true, Data: out.data})
	})
}
