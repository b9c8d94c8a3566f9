package cdp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

var (
	errFacts = errors.New("unexpected answer of our script")

	// errMoved: the page has gone on between two parts of one look.
	errMoved = errors.New("the page changed while it was read")
)

// A processLook is one reading of what one process renders: commands of one
// session, sent in one write.
type processLook struct {
	session *session
	worlds  []world
	owners  []driver.FrameID // frames of other processes whose owners are here

	calls []*pending

	ticks    []string // of the worlds, and what the process counts
	snapshot []byte
	facts    []*factSheet // of the worlds
	hashes   []byte       // the facts as they came
	owner    map[driver.FrameID]driver.NodeID
}

// frameStates returns the frames in document order.
func (p *page) frameStates() ([]frameState, error) {
	p.browser.mu.Lock()
	defer p.browser.mu.Unlock()
	if p.gone != nil {
		return nil, p.gone
	}
	var list []frameState
	var walk func(f *frame)
	walk = func(f *frame) {
		list = append(list, frameState{f.describe(), f.session})
		for _, c := range f.children {
			walk(c)
		}
	}
	walk(p.main)
	return list, nil
}

// allWorlds returns our worlds in all frames, by process, that of the main
// frame first. A frame that goes away meanwhile is left out.
func (p *page) allWorlds(ctx context.Context) ([]*processLook, error) {
	frames, err := p.frameStates()
	if err != nil {
		return nil, err
	}
	var looks []*processLook
	of := func(s *session) *processLook {
		i := slices.IndexFunc(looks, func(l *processLook) bool { return l.session == s })
		if i < 0 {
			looks = append(looks, &processLook{session: s})
			i = len(looks) - 1
		}
		return looks[i]
	}
	sessions := make(map[driver.FrameID]*session, len(frames))
	for i, f := range frames {
		w, err := p.isolated(ctx, f.ID)
		if err != nil {
			if i > 0 && isGone(err) {
				continue
			}
			return nil, err
		}
		sessions[f.ID] = w.session
		l := of(w.session)
		l.worlds = append(l.worlds, w)
		if parent := sessions[f.Parent]; i > 0 && parent != nil && parent != w.session {
			up := of(parent)
			up.owners = append(up.owners, f.ID)
		}
	}
	return looks, nil
}

// isGone reports that an error is about a document or a frame that is no more.
func isGone(err error) bool {
	return errors.Is(err, driver.ErrStale) || errors.Is(err, driver.ErrDetached) || errors.Is(err, errMoved)
}

// start sends the commands of the look.
func (l *processLook) start(ctx context.Context, p *page) error {
	var list []command
	for i := range l.worlds {
		list = append(list, p.equip(&l.worlds[i])...)
	}
	skip := len(list)
	each := func(c call) {
		for i := range l.worlds {
			list = append(list, c.command(&l.worlds[i]))
		}
	}
	each(call{name: "flush"})
	list = append(list, command{method: "Performance.getMetrics"},
		command{method: "DOMSnapshot.captureSnapshot", params: map[string]any{"computedStyles": computedStyles}})
	each(call{name: "facts", deep: true})
	for _, id := range l.owners {
		list = append(list, command{method: "DOM.getFrameOwner", params: map[string]any{"frameId": id}})
	}
	calls, err := l.session.start(ctx, list...)
	if err != nil {
		return err
	}
	l.calls = calls[skip:]
	return nil
}

// wait takes in the answers.
func (l *processLook) wait(ctx context.Context) error {
	results := make([][]byte, len(l.calls))
	fixed := len(l.calls) - len(l.owners)
	for i, c := range l.calls {
		raw, err := c.wait(ctx)
		if err != nil && (i < fixed || !errors.As(err, new(*CommandError))) {
			return err
		}
		results[i] = raw
	}
	l.calls = nil // they hold the snapshot, too
	n := len(l.worlds)
	var err error
	if l.ticks, err = readings(results[:n], results[n]); err != nil {
		return err
	}
	l.snapshot = results[n+1]
	for i, raw := range results[n+2 : 2*n+2] {
		o, err := readOutcome(raw)
		if err != nil {
			return err
		}
		f, err := readFacts(o.Result.DeepSerializedValue)
		if err != nil {
			return err
		}
		if f.document.Doc != l.worlds[i].Doc {
			return errMoved
		}
		release(l.session, o.Result.ObjectID)
		l.facts = append(l.facts, f)
		l.hashes = append(l.hashes, o.Result.DeepSerializedValue.Value...)
	}
	l.owner = make(map[driver.FrameID]driver.NodeID, len(l.owners))
	for i, raw := range results[fixed:] {
		var reply struct{ BackendNodeID driver.NodeID }
		if raw != nil && json.Unmarshal(raw, &reply) == nil {
			l.owner[l.owners[i]] = reply.BackendNodeID
		}
	}
	return nil
}

// readings are the ticks of worlds, and what the process counts, as text.
func readings(ticks [][]byte, metrics []byte) ([]string, error) {
	list := make([]string, 0, len(ticks)+1)
	for _, raw := range ticks {
		o, err := readOutcome(raw)
		if err != nil {
			return nil, err
		}
		list = append(list, string(o.Result.Value))
	}
	var reply struct {
		Metrics []struct {
			Name  string
			Value float64
		}
	}
	if err := json.Unmarshal(metrics, &reply); err != nil {
		return nil, err
	}
	var counts []string
	for _, m := range reply.Metrics {
		if m.Name == "RecalcStyleCount" || m.Name == "LayoutCount" {
			counts = append(counts, fmt.Sprint(m.Value))
		}
	}
	if len(counts) != 2 {
		return nil, fmt.Errorf("the browser does not count layouts: %w", errors.ErrUnsupported)
	}
	return append(list, strings.Join(counts, " ")), nil
}

// tuple is a reading of all processes as one text: documents, worlds, ticks,
// counts.
func tuple(looks []*processLook) string {
	var b strings.Builder
	for _, l := range looks {
		for i := range l.worlds {
			fmt.Fprintf(&b, "%s %s %d ", l.worlds[i].ID, l.worlds[i].Doc, l.worlds[i].id)
		}
		b.WriteString(strings.Join(l.ticks, " "))
		b.WriteByte('\n')
	}
	return b.String()
}
