package client

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"strconv"

	"github.com/wayfinder-engine/wayfinder/server/wire"
)

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
	data, _, err := readAnswer[wire.RunData](response, err, path)
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
