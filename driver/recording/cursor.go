package recording

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A cursor is how far a log was played.
type cursor struct {
	items []*item
	next  int   // what is before it has happened
	last  *call // the last action that was played
}

// lead passes what happens by itself from here on.
func (c *cursor) lead() []*item {
	from, open := c.next, false
	for ; c.next < len(c.items); c.next++ {
		it := c.items[c.next]
		switch it.event.(type) {
		case driver.DialogOpened:
			open = true
		case driver.DialogClosed:
			open = false
		}
		if !it.waits() {
			continue
		}
		end := c.unaware()
		if !open || end < 0 {
			break
		}
		c.next = end - 1
	}
	return c.items[from:c.next]
}

// unaware returns where the dialog that is open here was answered, if all that
// was asked until then met the dialog, and an element's state was asked for
// next. Who asked had not heard of the dialog yet, and watched for what it came
// to. Who has heard of it asks nothing before its end, and shall hear of that.
// Otherwise unaware returns -1.
func (c *cursor) unaware() int {
	closed := -1
	for i := c.next; i < len(c.items); i++ {
		it := c.items[i]
		if _, ok := it.event.(driver.DialogClosed); ok && closed < 0 {
			closed = i
		}
		switch {
		case !it.waits():
		case closed < 0 && it.call != nil && !acting[it.call.Op] && !it.call.open && errors.Is(it.call.Err.err(), driver.ErrDialog):
		case closed >= 0 && it.call != nil && it.call.Op == "state":
			return closed
		default:
			return -1
		}
	}
	return -1
}

// frames consumes a recorded call of Frames if it comes next and returns its
// answer; the events after it are due from then on. It returns nil if something
// else comes next.
func (c *cursor) frames() *item {
	if c.next >= len(c.items) || !c.items[c.next].asked {
		return nil
	}
	c.next++
	return c.items[c.next-1]
}

// seek finds the answer to a call and moves behind it. It returns the recorded
// call, and the events before and after it that were not delivered yet.
func (c *cursor) seek(asked *call, full bool) (*call, []*item, error) {
	i, barrier := c.ahead(asked)
	if i < 0 {
		if again := c.before(asked); again != nil {
			return again, nil, nil
		}
		return nil, nil, c.missing(asked, barrier, full)
	}
	from := c.next
	found := c.items[i].call
	if found.open {
		return nil, nil, fmt.Errorf("%w: the recording ends before %s was answered", ErrNotRecorded, asked)
	}
	c.next = i + 1
	if acting[found.Op] {
		c.last = found
	}
	c.lead()
	return found, c.items[from:c.next], nil
}

// ahead finds a call in what comes up to the next action, that included. If it
// is not there, it returns the action. A question for activity that was asked
// before passes nothing else over: what was read behind that is read yet.
func (c *cursor) ahead(asked *call) (int, *call) {
	for i := c.next; i < len(c.items); i++ {
		candidate := c.items[i].call
		switch {
		case candidate == nil:
		case candidate.same(asked):
			return i, nil
		case asked.Op == "activity" && c.before(asked) != nil:
			return -1, candidate
		case acting[candidate.Op]:
			return -1, candidate
		}
	}
	return -1, nil
}

// before finds the last answer to a question since the last action.
func (c *cursor) before(asked *call) *call { return c.beforeItem(c.next, asked) }

// beforeItem is before, as it is at an item.
func (c *cursor) beforeItem(at int, asked *call) *call {
	for i := at - 1; i >= 0; i-- {
		candidate := c.items[i].call
		switch {
		case candidate == nil:
		case acting[candidate.Op]:
			return nil
		case candidate.same(asked) && !candidate.open:
			return candidate
		}
	}
	return nil
}

// missing says what the recording has in the place of a call.
func (c *cursor) missing(asked, barrier *call, full bool) error {
	after := "at its beginning"
	if c.last != nil {
		after = "after " + c.last.String()
	}
	switch {
	case barrier == nil && full:
		return fmt.Errorf("%w: %s: %s the recording ends, because the recorder was full", ErrNotRecorded, asked, after)
	case barrier == nil:
		return fmt.Errorf("%w: %s: %s the recording ends", ErrNotRecorded, asked, after)
	case acting[asked.Op]:
		return fmt.Errorf("%w: %s: %s the recording continues with %s", ErrNotRecorded, asked, after, barrier)
	}
	return fmt.Errorf("%w: %s: nobody asked for it %s and before %s", ErrNotRecorded, asked, after, barrier)
}

// answered reports that a dialog was answered before the recording ended.
func (c *cursor) answered() bool {
	return slices.ContainsFunc(c.items, func(it *item) bool { _, ok := it.event.(driver.DialogClosed); return ok })
}

// rest completes the answer to a question for activity. Who asked for an
// element's state next watched the page for something to happen, and shall do
// so now, and so shall who gets another answer to a question before the next
// action than the last one. For all others, and where there is nothing more, the
// page is at rest, so that no time need pass.
func (c *cursor) rest(found *call, again bool) *call {
	a, _ := found.Answer.(activity)
	if again {
		a = activity{} // what was under way has ended
	}
	out := *found
	out.Answer = rest{a, !c.awaited(again)}
	return &out
}

// awaited reports that what was read from here on was watched for, or differs
// from what was read since the last action.
func (c *cursor) awaited(again bool) bool {
	for i, first := c.next, true; i < len(c.items); i++ {
		next := c.items[i].call
		switch {
		case next == nil:
			continue
		case first && !again && next.Op == "state":
			return true
		case acting[next.Op]:
			return false
		case next.Op != "activity":
			if before := c.beforeItem(i, next); before != nil && !reflect.DeepEqual(before.Answer, next.Answer) {
				return true
			}
		}
		first = false
	}
	return false
}

// rest is an activity with what a replay knows of it.
type rest struct {
	activity
	idle bool
}
