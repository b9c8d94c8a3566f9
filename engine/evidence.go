package engine

import (
	"context"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
)

const (
	// longestSilence is how long an action without any effect is watched.
	longestSilence = 200 * time.Millisecond
	// longestOutcome is how long an effect that has begun (a navigation, a
	// download, a dialog) is given to say what it came to.
	longestOutcome = 2 * time.Second
	// afterLink is how long a link's or a submit button's navigation may take
	// to be told, where something else was seen first.
	afterLink = 100 * time.Millisecond
	// oneFrame is the first pause between two looks for an effect.
	oneFrame = 16 * time.Millisecond
)

// An inquest finds out what a deed did. It begins to record before the deed.
type inquest struct {
	deed     *deed
	from     string // address before
	refused  int    // requests that the policy had refused before
	recorder *recorder
	revision driver.Revision // before
	before   *Snapshot       // nil where nobody asks for changes
	evidence Evidence
	idle     bool // the page can do nothing more by itself

	// failed is why documents could not be opened, nil for those that could.
	// Each is asked for once: how often the events are gone through depends on
	// how fast they come, and a recording keeps every question.
	failed map[driver.DocID]*driver.NavigationError
}

// openInquest begins to record. changes asks for the page to be read first.
func (d *deed) openInquest(ctx context.Context, changes bool) (*inquest, error) {
	q := &inquest{deed: d, from: d.page.URL(), refused: d.page.session.guard.refusals()}
	var err error
	// What a pointer brings forth by lying there may be a matter of style alone.
	if changes || d.method == Hover {
		if _, err = d.page.capture(ctx); err != nil {
			return nil, err
		}
	}
	if changes {
		q.before = d.page.build(nil)
	}
	if q.revision, err = d.page.driver.Revision(ctx); err != nil {
		return nil, err
	}
	q.recorder = d.page.watch.record()
	return q, nil
}

func (q *inquest) close() { q.recorder.stop() }

// conclude finds out what the deed did, and returns an error if it was done and
// did not take.
func (q *inquest) conclude(ctx context.Context) error {
	verdict := q.watchOut(ctx)
	q.lookAtRevision(ctx)
	if verdict == nil && q.evidence.Effect == EffectNone && q.deed.unsure {
		q.lookCloser(ctx)
		if q.evidence.Effect == EffectNone && q.deed.vain != nil {
			verdict = q.deed.vain(ctx)
		}
	}
	if verdict == nil && q.deed.slipped && strength[q.evidence.Effect] <= strength[EffectPage] {
		verdict = q.deed.notClicked(ctx)
	}
	return verdict
}

// watchOut looks for the deed's effect, up to the first real one.
func (q *inquest) watchOut(ctx context.Context) error {
	begun := time.Now()
	pause := oneFrame
	for {
		events, changed := q.recorder.seen()
		q.fold(events)
		verdict := q.lookAtElement(ctx)
		if verdict == nil {
			verdict = q.refusal()
		}
		if verdict == nil && q.deed.sent && !q.leftDocument() && (q.evidence.Effect == EffectNone || q.deed.expect != nil) {
			q.lookAtPage(ctx)
		}
		limit := longestSilence
		switch {
		case q.outcomePending():
			limit = longestOutcome
		case verdict == nil && q.overdue():
			limit = longestOutcome
		case q.settled(verdict):
			limit = q.grace()
		}
		left := limit - time.Since(begun)
		if left <= 0 || ctx.Err() != nil {
			// What the last look has waited for may have been told meanwhile.
			if now, _ := q.recorder.seen(); len(now) == len(events) || ctx.Err() != nil {
				return verdict
			}
			continue
		}
		timer := time.NewTimer(min(pause, left))
		select {
		case <-timer.C:
		case <-changed:
		case <-ctx.Done():
		}
		timer.Stop()
		pause *= 2
	}
}

// overdue reports that an effect which the deed had before has not come yet.
func (q *inquest) overdue() bool {
	foreseen, seen := strength[q.deed.foreseen], strength[q.evidence.Effect]
	if q.idle || !q.deed.sent || !q.deed.unsure {
		return false
	}
	return foreseen > 0 && seen == 0 || foreseen >= strength[EffectDownload] && seen < foreseen
}

// settled reports that no further look could change the verdict for the better.
func (q *inquest) settled(verdict error) bool {
	if verdict != nil {
		return false
	}
	return !q.deed.unsure || q.idle || q.evidence.Effect != EffectNone
}

// grace is how long a stronger effect may come behind a weak one: a browser
// tells of a navigation or a new page some milliseconds after it has taken the
// click, and a link is there to navigate.
func (q *inquest) grace() time.Duration {
	switch {
	case q.idle || !q.deed.sent || strength[q.evidence.Effect] >= strength[EffectDownload]:
		return 0
	case q.deed.expect != nil: // a page that renders anew may take the value back
		return oneFrame
	case !q.deed.unsure:
		return 0
	case q.deed.before.Tag == "a" || q.deed.before.Type == "submit":
		return afterLink
	}
	return oneFrame
}

// outcomePending reports that an effect has begun and not said yet what it came to.
func (q *inquest) outcomePending() bool {
	if n := q.evidence.Navigation; n != nil && n.Pending {
		return true
	}
	for _, d := range q.evidence.Downloads {
		if !d.Done {
			return true
		}
	}
	return q.dialogOpen()
}
