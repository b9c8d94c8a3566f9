package trace

import (
	"fmt"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/recording"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// event takes what a page told of itself.
func (b *builder) event(m recording.Moment) {
	step, t := b.step, b.t
	switch e := m.Event.(type) {
	case driver.ConsoleMessage:
		b.message(Message{m.At, step, e.Level, e.Text, place(e.URL, e.Line)})
	case driver.PageError:
		b.message(Message{m.At, step, driver.ConsoleError, e.Text, place(e.URL, e.Line)})
	case driver.RequestStarted:
		r := &Request{At: m.At, Step: step, Kind: e.Kind, Method: e.Method, URL: e.URL}
		b.requests[string(e.Page)+" "+e.ID] = r
		t.Requests = append(t.Requests, r)
		if step != nil {
			step.Requests = append(step.Requests, r)
		}
	case driver.RequestEnded:
		if r := b.requests[string(e.Page)+" "+e.ID]; r != nil {
			r.Status, r.Failed, r.Ended, r.Took = e.Status, e.Failed, true, m.At-r.At
		}
	case driver.DialogOpened:
		t.Dialogs = append(t.Dialogs, Dialog{At: m.At, Step: step, Dialog: e.Dialog})
	case driver.DialogClosed:
		for i := range t.Dialogs {
			if d := &t.Dialogs[i]; d.Answer == nil && d.Dialog == e.Dialog {
				answer := e.Answer
				d.Answer = &answer
				break
			}
		}
	case driver.DownloadStarted:
		d := &Download{At: m.At, Step: step, Name: e.Name, URL: e.URL}
		b.loads[e.ID] = d
		t.Downloads = append(t.Downloads, d)
		if step != nil {
			step.Downloads = append(step.Downloads, d)
		}
	case driver.DownloadEnded:
		if d := b.loads[e.ID]; d != nil {
			d.Size, d.Canceled, d.Done = e.Size, e.Canceled, !e.Canceled
		}
	}
}

func (b *builder) message(m Message) {
	b.t.Console = append(b.t.Console, m)
	if m.Step != nil {
		m.Step.Console = append(m.Step.Console, m)
	}
}

func place(url string, line int) string {
	if url == "" || line == 0 {
		return url
	}
	return fmt.Sprintf("%s:%d", url, line)
}

func (b *builder) picture(m recording.Moment) {
	p := b.page(m.Page)
	shot := &Shot{Picture: *m.Picture}
	switch {
	case m.Picture.Before && b.step != nil:
		if b.step.Shot == nil || b.step.actions == 0 {
			b.step.Shot = shot
		}
		if p.actor != nil && p.actor != b.step && p.actor.After == nil {
			p.actor.After = shot
		}
	case p.actor != nil:
		p.actor.After = shot
	}
	p.shot = shot
}

// approved gives a step the question that an entry holds.
func (b *builder) approved(e *engine.Entry) {
	if e.Approval == nil {
		return
	}
	step := b.byEntry[e.ID]
	if step == nil {
		step = b.step
	}
	if step == nil {
		return
	}
	a := Approval{Approval: *e.Approval, Asked: e.Instruction, At: b.since(e.Begin), Took: e.End.Sub(e.Begin)}
	step.Approvals = append(step.Approvals, a)
	b.t.spans = append(b.t.spans, span{"person", a.At, a.Took, step, a.words()})
}
