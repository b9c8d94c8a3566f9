package server

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm/middleware"
	"github.com/wayfinder-engine/wayfinder/server/internal/body"
	"github.com/wayfinder-engine/wayfinder/server/internal/live"
	"github.com/wayfinder-engine/wayfinder/server/internal/traces"
)

// The parts of a session that can be looked at.
const (
	statePart   = "state"
	picturePart = "picture"
	outlinePart = "outline"
)

const (
	stateEvery   = 250 * time.Millisecond
	pictureEvery = 150 * time.Millisecond
	outlineEvery = time.Second

	repaint    = time.Second     // after which a picture is taken although no change was noticed
	titleTime  = time.Second     // for a page to say its title
	lookTime   = 5 * time.Second // for a page to be pictured or read
	jpegFair   = 60              // quality of pictures
	mostTokens = 20_000          // of an outline

	mostViewers = 16  // of a session
	mostPast    = 200 // calls of the history that a viewer gets first
)

// A view reads what those who look at a session see.
type view struct {
	session *session

	// Only the reader of pictures uses these: what the last one shows, and since when.
	page     driver.PageID
	revision driver.Revision
	taken    time.Time
}

// newHub returns the hub that shows the session to its viewers.
func newHub(s *session) *live.Hub {
	v := &view{session: s}
	return live.New(
		live.Part{Name: statePart, Every: stateEvery, Read: func(ctx context.Context) json.RawMessage {
			return event(&body.LiveEvent{Type: statePart, State: v.state(ctx)})
		}},
		live.Part{Name: picturePart, Every: pictureEvery, Read: v.picture},
		live.Part{Name: outlinePart, Every: outlineEvery, Read: v.outline},
	)
}

// event is an event as JSON; nil if it can't be written.
func event(e *body.LiveEvent) json.RawMessage {
	raw, err := encode(e)
	if err != nil {
		return nil // a text of a page that is no text
	}
	return raw
}

// longestShown is how many letters of a page's own texts stand in lists.
const longestShown = 300

func short(text string) string {
	for at, n := 0, 0; at < len(text); n++ {
		if n == longestShown {
			return text[:at] + "…"
		}
		for at++; at < len(text) && text[at]&0xc0 == 0x80; at++ {
		}
	}
	return text
}

// state is where the session stands.
func (v *view) state(ctx context.Context) *body.LiveState {
	s := v.session
	now := &body.LiveState{Pages: []body.LivePage{}, Doing: s.doing.Load(), Traced: s.record != nil}
	s.mu.Lock()
	now.Working = s.working > 0
	if p := s.person; p != nil {
		now.Asked = p.viewer
		if p.has {
			now.Asked, now.Taken = "", p.viewer
			now.Working = s.working > 1
		}
	}
	s.mu.Unlock()
	for _, page := range s.engine.Pages() {
		now.Pages = append(now.Pages, body.LivePage{ID: string(page.ID()), URL: short(s.shownURL(page))})
	}
	if page := s.engine.Page(); page != nil {
		now.Page, now.URL, now.Title = string(page.ID()), s.shownURL(page), s.titleOf(ctx, page)
	}
	return now
}

// picture takes a picture of the active page; nil: the page looks as before, or can't be
// pictured now.
func (v *view) picture(ctx context.Context) json.RawMessage {
	page := v.session.engine.Page()
	if page == nil {
		return event(&body.LiveEvent{Type: picturePart, Picture: &body.LivePicture{None: "the session has no open page"}})
	}
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	revision, err := page.Driver().Revision(ctx)
	if err == nil && page.ID() == v.page && revision == v.revision && time.Since(v.taken) < repaint {
		return nil
	}
	shown := &body.LivePicture{Page: string(page.ID())}
	picture, err := page.Driver().Screenshot(ctx, &driver.ScreenshotOptions{Format: driver.JPEG, Quality: jpegFair})
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		shown.None = "this browser paints nothing: it opens pages in memory"
		return event(&body.LiveEvent{Type: picturePart, Picture: shown})
	case err != nil:
		return nil // the next one is soon
	}
	var size [2]float64
	raw, err := page.Driver().Evaluate(ctx, "[innerWidth, innerHeight]", nil)
	if err != nil || json.Unmarshal(raw, &size) != nil || size[0] <= 0 || size[1] <= 0 {
		return nil
	}
	v.page, v.revision, v.taken = page.ID(), revision, time.Now()
	shown.Width, shown.Height, shown.JPEG = size[0], size[1], base64.StdEncoding.EncodeToString(picture)
	return event(&body.LiveEvent{Type: picturePart, Picture: shown})
}

// outline reads what the active page says, between the works of others.
func (v *view) outline(ctx context.Context) json.RawMessage {
	page := v.session.engine.Page()
	if page == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(traces.Unseen(ctx), lookTime)
	defer cancel()
	look, err := page.Snapshot(ctx, &engine.SnapshotOptions{MaxTokens: mostTokens, Timeout: lookTime})
	if err != nil {
		return nil // it is at work, or between two documents
	}
	return event(&body.LiveEvent{Type: outlinePart, Outline: &body.LiveOutline{Page: string(page.ID()), Text: look.Outline()}})
}

// pastEvent is a call of the history as an event.
func pastEvent(e *engine.Entry) json.RawMessage {
	prices, err := middleware.ListPrices()
	if err != nil {
		return nil
	}
	done := written(replayAction(e, prices))
	return event(&body.LiveEvent{Type: "entry", URL: cmp.Or(e.Arrived, e.PageURL), Entry: &done})
}

// handleLive streams what the session shows until its client goes away or it ends.
func handleLive(c *call) error {
	parts := []string{statePart}
	query := c.r.URL.Query()
	for _, part := range []string{picturePart, outlinePart} {
		switch query.Get(part) {
		case "true":
			parts = append(parts, part)
		case "", "false":
		default:
			return invalid([]any{part}, "is true or false, not %q", query.Get(part))
		}
	}
	name, v, err := c.session.join(parts)
	if err != nil {
		return err
	}
	defer c.session.leaveView(name)
	c.core.streams.Add(1)
	defer c.core.streams.Add(-1)
	st := beginStream(c, "no-store")
	st.event(event(&body.LiveEvent{Type: "hello", Viewer: name}))
	// Calls that end from now on come by themselves, these perhaps twice.
	past := c.session.engine.History()
	for i := max(0, len(past)-mostPast); i < len(past); i++ {
		if !past[i].End.IsZero() {
			st.event(pastEvent(&past[i]))
		}
	}
	for st.failed == nil {
		select {
		case <-v.More():
			for _, e := range v.Take() {
				st.event(e)
			}
		case <-st.silence():
			st.keepAlive()
		case <-c.r.Context().Done():
			return nil
		case <-c.session.ctx.Done():
			for _, e := range v.Take() {
				st.event(e)
			}
			st.event(event(&body.LiveEvent{Type: "over", Message: faultOf(c.session.ctx, context.Cause(c.session.ctx)).message}))
			return nil
		}
	}
	c.err = st.failed
	return nil
}
