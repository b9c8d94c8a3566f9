package engine

import (
	"cmp"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// fold makes evidence of the events so far.
func (q *inquest) fold(events []driver.Event) {
	q.evidence = Evidence{Effect: EffectNone, Scroll: q.deed.scroll}
	if s := q.deed.scroll; s != nil && s.moved() || q.deed.brought {
		q.raise(EffectScroll)
	}
	q.foldRefused()
	for i, e := range events {
		if main := driver.FrameID(q.deed.page.id); !q.foldNavigation(e, main) {
			q.foldOther(e, events[:i])
		}
	}
	if q.evidence.Navigation != nil {
		q.raise(EffectNavigation)
	}
}

// raise makes an effect the strongest if it is.
func (q *inquest) raise(e Effect) {
	if strength[e] > strength[q.evidence.Effect] {
		q.evidence.Effect = e
	}
}

// foldNavigation takes the events of the main frame's navigations.
func (q *inquest) foldNavigation(e driver.Event, main driver.FrameID) bool {
	ev := &q.evidence
	switch e := e.(type) {
	case driver.NavigationRequested:
		if e.Frame != main {
			q.raise(EffectPage)
			break
		}
		ev.Navigation = &NavigationSeen{From: q.from, To: e.URL, Pending: true}
	case driver.NavigationEnded:
		if e.Frame == main {
			ev.Navigation = nil
		}
	case driver.Navigated:
		if e.Frame == main {
			ev.Navigation = &NavigationSeen{From: q.from, To: e.URL, Status: e.Status, SameDocument: e.SameDocument}
			q.foldFailure(e)
		} else {
			q.raise(EffectPage)
		}
	default:
		return false
	}
	return true
}

// foldFailure names what could not be opened, where the browser shows a page of
// its own about that.
func (q *inquest) foldFailure(e driver.Navigated) {
	if n, why := q.evidence.Navigation, q.failure(e); why != nil {
		n.To, n.failed = cmp.Or(why.URL, n.To), why
		n.Failed = cmp.Or(why.Detail, string(why.Reason))
	}
}

// failure returns why a document could not be opened, nil if it could.
func (q *inquest) failure(e driver.Navigated) *driver.NavigationError {
	if why, known := q.failed[e.Doc]; known || e.SameDocument {
		return why
	}
	var why *driver.NavigationError
	for _, f := range q.deed.page.driver.Frames() {
		if f.ID == e.Frame && f.Doc == e.Doc {
			why = f.Failed
		}
	}
	if q.failed == nil {
		q.failed = map[driver.DocID]*driver.NavigationError{}
	}
	q.failed[e.Doc] = why
	return why
}

func (q *inquest) foldOther(e driver.Event, earlier []driver.Event) {
	ev := &q.evidence
	switch e := e.(type) {
	case driver.PageOpened:
		ev.NewPages = append(ev.NewPages, NewPageSeen{ID: string(e.Page), URL: e.URL})
		q.raise(EffectNewPage)
	case driver.DialogOpened:
		ev.Dialogs = append(ev.Dialogs, DialogSeen{Kind: string(e.Dialog.Kind), Message: e.Dialog.Message, Open: true})
		q.raise(EffectDialog)
	case driver.DialogClosed:
		if n := len(ev.Dialogs); n > 0 {
			ev.Dialogs[n-1].Open = false
			ev.Dialogs[n-1].Accepted = e.Answer.Accept
			ev.Dialogs[n-1].Answer = e.Answer.Text
		}
	case driver.DownloadStarted:
		ev.Downloads = append(ev.Downloads, DownloadSeen{URL: e.URL, Name: e.Name})
		q.raise(EffectDownload)
	case driver.DownloadEnded:
		endDownload(ev.Downloads, earlier, e)
	case driver.RequestStarted:
		ev.Requests++
		q.raise(EffectRequest)
	case driver.FileChooserOpened:
		ev.FileChooser = true
		q.raise(EffectPage)
	case driver.PageClosed:
		q.raise(EffectPage)
	}
}

// endDownload marks the download that ended; seen is in the order of the
// events that started them.
func endDownload(seen []DownloadSeen, events []driver.Event, end driver.DownloadEnded) {
	i := 0
	for _, e := range events {
		started, ok := e.(driver.DownloadStarted)
		if !ok {
			continue
		}
		if started.ID == end.ID && i < len(seen) {
			seen[i].Done, seen[i].Canceled = true, end.Canceled
			seen[i].Path, seen[i].Size = end.Path, end.Size
			if end.Err != nil {
				seen[i].Reason = end.Err.Error()
			}
			return
		}
		i++
	}
}

// strength orders the effects.
var strength = map[Effect]int{
	EffectNone: 0, EffectScroll: 1, EffectFocus: 2, EffectRequest: 3, EffectPage: 4, EffectValue: 5,
	EffectDownload: 6, EffectDialog: 7, EffectNewPage: 8, EffectNavigation: 9,
}
