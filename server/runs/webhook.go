package runs

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/wayfinder-engine/wayfinder/internal/fleet"
	"github.com/wayfinder-engine/wayfinder/policy"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

const (
	mostDeliveries  = 20 // of one webhook, over about a day
	deliveryLimit   = 20 * time.Second
	longestInterval = 2 * time.Hour
)

// interval is how long a delivery waits after an attempt.
func interval(attempt int) time.Duration {
	return min(5*time.Second<<min(attempt-1, 20), longestInterval)
}

// A delivery is a webhook that has to be sent.
type delivery struct {
	Run     string `json:"run"`
	Home    string `json:"home"`
	Address string `json:"address"`
}

// webhooks are those of runs that are over, and not delivered yet.
type webhooks struct {
	queue *fleet.Queue
	rules *policy.Rules // of their addresses
	log   *slog.Logger
	over  func(ctx context.Context, run string) (wire.Run, error) // waits for a run's end
}

// add has a webhook delivered. It may be called again for one run.
func (h *webhooks) add(ctx context.Context, d delivery) error {
	payload, err := json.Marshal(d)
	if err != nil {
		return err
	}
	_, _, err = h.queue.Enqueue(ctx, fleet.Request{Owner: d.Home, Key: d.Run, Payload: payload})
	return err
}

// deliver sends one webhook, and has it sent again later if that fails.
func (h *webhooks) deliver(ctx context.Context, c *fleet.Claim, client *http.Client) error {
	err := h.send(ctx, c, client)
	switch {
	case err == nil:
		return c.Finish(ctx, nil)
	case errors.Is(err, fleet.ErrNotFound) || c.Job.Attempt >= mostDeliveries:
		h.log.Warn("a webhook is given up", "run", c.Job.ID, "attempts", c.Job.Attempt, "err", err)
		return c.Finish(ctx, nil)
	}
	h.log.Info("a webhook was not delivered", "attempt", c.Job.Attempt, "again", interval(c.Job.Attempt), "err", err)
	return c.GiveUp(ctx, interval(c.Job.Attempt))
}

func (h *webhooks) send(ctx context.Context, c *fleet.Claim, client *http.Client) error {
	raw, err := h.queue.Payload(ctx, c.Job.ID)
	if err != nil {
		return err
	}
	var d delivery
	if err := json.Unmarshal(raw, &d); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, deliveryLimit)
	defer cancel()
	run, err := h.over(ctx, d.Run)
	if err != nil {
		return err
	}
	body, err := json.Marshal(wire.RunData{Run: run})
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, d.Address, bytes.NewReader(body))
	if err != nil {
		return err
	}
	stamp := strconv.FormatInt(time.Now().Unix(), 10)
	req.Header.Set("content-type", "application/json")
	req.Header.Set("user-agent", "wayfinder")
	req.Header.Set("webhook-id", d.Run)
	req.Header.Set("webhook-timestamp", stamp)
	req.Header.Set("webhook-signature", "v1,"+sign(d.Home, d.Run, stamp, body))
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, _ = io.CopyN(io.Discard, resp.Body, 64<<10) // so that the connection can be used again
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("the receiver answered %s", resp.Status)
	}
	return nil
}

// sign is the signature of Standard Webhooks, under the digest of the caller's key.
// The holder of the key can check it.
func sign(home, id, stamp string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(home))
	fmt.Fprintf(mac, "%s.%s.%s", id, stamp, body)
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// newClient sends webhooks: to where the policy allows, by the address that is
// dialed, past no proxy, and not on to where an answer points.
func (h *webhooks) newClient() *http.Client {
	return &http.Client{
		Transport:     &http.Transport{DialContext: h.rules.NewDialer(nil).DialContext, MaxIdleConnsPerHost: 1, IdleConnTimeout: time.Minute},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
