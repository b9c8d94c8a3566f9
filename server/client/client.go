package client

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// A Client calls one service. It may be used by several goroutines at once.
type Client struct {
	base    string // without a slash at its end
	options Options
}

// Options refine a client. The zero value shows no key.
type Options struct {
	// APIKey is the service's key.
	APIKey string

	// ModelAPIKey is the key for the model's provider that sessions use where
	// a request has none of its own. Empty: the service's.
	ModelAPIKey string

	// HTTPClient sends the requests; nil is [http.DefaultClient]. A limit of
	// time in it ends streams, too: prefer one in the context.
	HTTPClient *http.Client
}

// New returns a client of the service at an address such as
// "http://127.0.0.1:8080". opts may be nil.
func New(address string, opts *Options) (*Client, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("client: the service's address: %w", err)
	}
	if u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("client: the service's address is %q; write it as http://127.0.0.1:8080", address)
	}
	return &Client{base: strings.TrimRight(address, "/"), options: *cmp.Or(opts, &Options{})}, nil
}

// Start starts a session. The caller ends it.
func (c *Client) Start(ctx context.Context, request *wire.SessionStart) (*Session, error) {
	started, err := call[wire.SessionStarted](ctx, c, http.MethodPost, "/v1/sessions/start", request)
	if err != nil {
		return nil, err
	}
	s := c.Session(started.SessionID)
	if started.CDPURL != nil {
		s.cdpURL = *started.CDPURL
	}
	return s, nil
}

// Session returns the session with an id that is known, without asking the
// service for it.
func (c *Client) Session(id string) *Session { return &Session{client: c, id: id} }

// Sessions returns the sessions of the key that are open, the latest first, up to 100.
func (c *Client) Sessions(ctx context.Context) (*wire.SessionList, error) {
	return call[wire.SessionList](ctx, c, http.MethodGet, "/v1/sessions", nil)
}

// EndedSessions returns the sessions of the key that have ended, the latest first, as
// far as the service keeps what was done in them. [Session.Replay] tells it. The
// service is asked for them as they are read.
func (c *Client) EndedSessions(ctx context.Context) iter.Seq2[wire.SessionSummary, error] {
	return func(yield func(wire.SessionSummary, error) bool) {
		for next := ""; ; {
			list, err := call[wire.SessionList](ctx, c, http.MethodGet, "/v1/sessions?ended=true&before="+url.QueryEscape(next), nil)
			if err != nil {
				yield(wire.SessionSummary{}, err)
				return
			}
			for _, one := range list.Sessions {
				if !yield(one, nil) {
					return
				}
			}
			if next = list.Next; next == "" {
				return
			}
		}
	}
}

// most bounds the bytes of an answer and of a frame of a stream.
const most = 64 << 20

// call sends a request and returns the data of its answer. A nil body is none.
func call[T any](ctx context.Context, c *Client, method, path string, body any) (*T, error) {
	response, err := c.send(ctx, method, path, body, false)
	return readAnswer[T](response, err, path)
}

// callForSent is call for an operation of a session whose answer's header says what input
// was sent; sent is the data's place for that.
func callForSent[T any](ctx context.Context, s *Session, operation string, body any, sent func(*T) *wire.Sent) (*T, error) {
	path := s.path(operation)
	response, err := s.client.send(ctx, http.MethodPost, path, body, false)
	data, err := readAnswer[T](response, err, path)
	if err == nil {
		*sent(data) = wire.Sent(response.Header.Get(wire.HeaderSent))
	}
	return data, err
}

// readAnswer reads what send has returned.
func readAnswer[T any](response *http.Response, err error, path string) (*T, error) {
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	var answer wire.Success[T]
	if err := readJSON(response, &answer); err != nil {
		return nil, fmt.Errorf("client: %s: the answer: %w", path, err)
	}
	return &answer.Data, nil
}

// send sends a request. An answer that is no success becomes an *Error.
func (c *Client) send(ctx context.Context, method, path string, body any, stream bool) (*http.Response, error) {
	headers := map[string]string{}
	if method == http.MethodPost {
		headers["x-stream-response"] = fmt.Sprint(stream)
	}
	return c.sendWith(ctx, method, path, body, headers)
}

// sendWith sends a request with headers of its own.
func (c *Client) sendWith(ctx context.Context, method, path string, body any, headers map[string]string) (*http.Response, error) {
	var reader io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return nil, fmt.Errorf("client: %s: the request: %w", path, err)
		}
		reader = bytes.NewReader(raw)
	}
	request, err := http.NewRequestWithContext(ctx, method, c.base+path, reader)
	if err != nil {
		return nil, fmt.Errorf("client: %s: %w", path, err)
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	for name, value := range map[string]string{"x-svc-api-key": c.options.APIKey, "x-model-api-key": c.options.ModelAPIKey} {
		if value != "" {
			request.Header.Set(name, value)
		}
	}
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	response, err := cmp.Or(c.options.HTTPClient, http.DefaultClient).Do(request)
	if err != nil {
		return nil, fmt.Errorf("client: %w", err)
	}
	if response.StatusCode/100 != 2 {
		defer response.Body.Close()
		return nil, errorOf(response)
	}
	return response, nil
}

// readJSON reads a body that has to be JSON.
func readJSON(response *http.Response, target any) error {
	if kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type")); kind != "application/json" {
		return fmt.Errorf("is %q, not JSON; is this the service's address?", response.Header.Get("Content-Type"))
	}
	raw, err := io.ReadAll(io.LimitReader(response.Body, most+1))
	switch {
	case err != nil:
		return err
	case len(raw) > most:
		return fmt.Errorf("is longer than %d bytes", most)
	}
	return json.Unmarshal(raw, target)
}

// Profiles returns what the service tells of the key's profiles, in the order of
// their names.
func (c *Client) Profiles(ctx context.Context) ([]wire.Profile, error) {
	list, err := call[wire.ProfileList](ctx, c, http.MethodGet, "/v1/profiles", nil)
	if err != nil {
		return nil, err
	}
	return list.Profiles, nil
}

// Profile tells of one profile.
func (c *Client) Profile(ctx context.Context, name string) (*wire.Profile, error) {
	return c.profile(ctx, http.MethodGet, name, nil)
}

// PutProfile makes a profile, or replaces one that no session has. A nil state is
// an empty one.
func (c *Client) PutProfile(ctx context.Context, name string, state *wire.StorageState) (*wire.Profile, error) {
	return c.profile(ctx, http.MethodPut, name, wire.ProfilePut{StorageState: state})
}

// RenameProfile gives a profile that no session has another name.
func (c *Client) RenameProfile(ctx context.Context, name, to string) (*wire.Profile, error) {
	return c.profile(ctx, http.MethodPatch, name, wire.ProfileRename{Name: to})
}

// DeleteProfile removes a profile that no session has.
func (c *Client) DeleteProfile(ctx context.Context, name string) error {
	response, err := c.send(ctx, http.MethodDelete, profilePath(name), nil, false)
	if err != nil {
		return err
	}
	return response.Body.Close()
}

func (c *Client) profile(ctx context.Context, method, name string, body any) (*wire.Profile, error) {
	data, err := call[wire.ProfileData](ctx, c, method, profilePath(name), body)
	if err != nil {
		return nil, err
	}
	return &data.Profile, nil
}

func profilePath(name string) string { return "/v1/profiles/" + url.PathEscape(name) }

// StartRun has the service do a task, or replay a script, after the call has
// returned. With a key, which is any text of the caller's own, a request whose answer
// was lost can be sent again: the run that the first one made is returned. Empty is
// none.
func (c *Client) StartRun(ctx context.Context, run *wire.RunCreate, key string) (*wire.Run, error) {
	headers := map[string]string{}
	if key != "" {
		headers["idempotency-key"] = key
	}
	const path = "/v1/runs"
	response, err := c.sendWith(ctx, http.MethodPost, path, run, headers)
	data, err := readAnswer[wire.RunData](response, err, path)
	if err != nil {
		return nil, err
	}
	return &data.Run, nil
}

// Run tells where a run stands, with its result when it is over.
func (c *Client) Run(ctx context.Context, id string) (*wire.Run, error) {
	return c.run(ctx, http.MethodGet, id)
}

// CancelRun ends a run. One that has begun ends after what it is doing right then.
func (c *Client) CancelRun(ctx context.Context, id string) (*wire.Run, error) {
	return c.run(ctx, http.MethodDelete, id)
}

func (c *Client) run(ctx context.Context, method, id string) (*wire.Run, error) {
	data, err := call[wire.RunData](ctx, c, method, runPath(id), nil)
	if err != nil {
		return nil, err
	}
	return &data.Run, nil
}

// Runs returns the runs of the key, the latest first, without their results: those of
// a status, or all if that is empty.
func (c *Client) Runs(ctx context.Context, status wire.RunStatus) ([]wire.Run, error) {
	path := "/v1/runs"
	if status != "" {
		path += "?status=" + url.QueryEscape(string(status))
	}
	list, err := call[wire.RunList](ctx, c, http.MethodGet, path, nil)
	if err != nil {
		return nil, err
	}
	return list.Runs, nil
}

func runPath(id string) string { return "/v1/runs/" + url.PathEscape(id) }

// A RunEvent is one of a run's events with its number; the last one has none.
type RunEvent struct {
	Number int
	wire.RunEvent
}

// RunEvents returns what happens in a run after the event of a number; 0 is from the
// beginning. The last event has the run. If the sequence ends with an error before,
// ask again, with the number of the last event that was read.
func (c *Client) RunEvents(ctx context.Context, id string, after int) iter.Seq2[RunEvent, error] {
	return func(yield func(RunEvent, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		headers := map[string]string{}
		if after > 0 {
			headers["last-event-id"] = strconv.Itoa(after)
		}
		path := runPath(id) + "/events"
		response, err := c.sendWith(ctx, http.MethodGet, path, nil, headers)
		if err != nil {
			yield(RunEvent{}, err)
			return
		}
		defer response.Body.Close()
		events := bufio.NewReader(response.Body)
		for {
			number, data, err := readEvent(events)
			var e RunEvent
			if err == nil {
				err = json.Unmarshal(data, &e.RunEvent)
			}
			if err == nil && number != "" {
				e.Number, err = strconv.Atoi(number)
			}
			if err != nil {
				yield(e, fmt.Errorf("client: %s: the stream: %w", path, err))
				return
			}
			if !yield(e, nil) || e.Run != nil {
				return
			}
		}
	}
}
