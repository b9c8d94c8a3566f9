package engine

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// mostKeys bounds the keys that a slider of the page's own is moved by.
const mostKeys = 1000

// slides reports that an element is a slider or spin button of the page's own,
// which arrow keys move. Its value is in an attribute alone.
func (d *deed) slides(ctx context.Context) (bool, error) {
	if d.before.Tag == "input" || d.before.Editable {
		return false, nil
	}
	role, err := d.attribute(ctx, "role")
	role = strings.ToLower(strings.TrimSpace(role))
	return role == "slider" || role == "spinbutton", err
}

// attribute reads an attribute of the element as it is now.
func (d *deed) attribute(ctx context.Context, name string) (string, error) {
	if _, err := d.page.capture(ctx); err != nil {
		return "", err
	}
	at, ok := placeOf(d.page.seen.capture, d.node)
	if !ok {
		return "", driver.ErrStale
	}
	value, _ := at.node().Attr(name)
	return value, nil
}

// number reads an attribute that is a number.
func (d *deed) number(ctx context.Context, name string) (n float64, ok bool, _ error) {
	text, err := d.attribute(ctx, name)
	if err != nil {
		return 0, false, err
	}
	n, failure := strconv.ParseFloat(strings.TrimSpace(text), 64)
	return n, failure == nil, nil
}

// slide moves a slider of the page's own to a value by the arrow keys, as a
// person without a pointer does.
func (d *deed) slide(ctx context.Context, text string) error {
	want, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || math.IsNaN(want) || math.IsInf(want, 0) {
		return fmt.Errorf("%w: %q does not go into a slider; write a number", ErrInvalid, text)
	}
	now, ok, err := d.number(ctx, "aria-valuenow")
	if err == nil && !ok {
		return d.unfit("it does not say its value (aria-valuenow); press its arrow keys")
	}
	for _, bound := range []struct {
		name string
		sign float64
	}{{"aria-valuemin", -1}, {"aria-valuemax", 1}} {
		limit, known, e := d.number(ctx, bound.name)
		if err = cmp.Or(err, e); known && (want-limit)*bound.sign > 0 {
			return fmt.Errorf("%w: %s is beyond the slider's end, %v", ErrInvalid, text, limit)
		}
	}
	if err != nil {
		return err
	}
	at, err := d.takeFocus(ctx, needVisible|needEnabled)
	if err != nil {
		return err
	}
	d.unsure = true
	keys := 1
	for sent := 0; now != want && sent < mostKeys; sent += keys {
		key := "ArrowUp"
		if want < now {
			key = "ArrowDown"
		}
		var events []driver.InputEvent
		for range keys {
			events = append(events, driver.KeyDown{Key: key}, driver.KeyUp{Key: key})
		}
		if err := d.send(ctx, at, events...); err != nil {
			return err
		}
		at = nil // what it says changes with its value
		next, err := d.moved(ctx, now)
		switch {
		case err != nil:
			return err
		case next == now:
			return fmt.Errorf("%w: %s does not move the slider from %v", ErrNoEffect, key, now)
		case (next-want)*(now-want) < 0 && keys == 1:
			return fmt.Errorf("%w: the slider went from %v to %v, and does not stop at %s", ErrNoEffect, now, next, text)
		}
		step := math.Abs(next-now) / float64(keys)
		now = next
		keys = max(1, min(int(math.Abs(want-now)/step+1e-9), mostKeys-sent))
	}
	if now != want {
		return fmt.Errorf("%w: the slider is at %v", ErrNoEffect, now)
	}
	return nil
}

// moved waits for the slider to leave a value, for as long as an action without
// effect is watched, and returns where it is.
func (d *deed) moved(ctx context.Context, from float64) (float64, error) {
	deadline := time.Now().Add(longestSilence)
	for {
		_, changed, _ := d.page.watch.blocked()
		idle := d.page.idle(ctx)
		now, ok, err := d.number(ctx, "aria-valuenow")
		if err != nil || ok && now != from || idle || !time.Now().Before(deadline) || ctx.Err() != nil {
			if !ok {
				now = from
			}
			return now, cmp.Or(err, context.Cause(ctx))
		}
		rest(ctx, oneFrame, changed)
	}
}
