package engine

import (
	"fmt"
	"net/http"
)

// outcomeOf is what evidence says of an action's outcome that has to come again.
func outcomeOf(ev *Evidence, hide func(string) string) Outcome {
	o := Outcome{Effect: ev.Effect}
	if n := ev.Navigation; n != nil && !n.Pending {
		o.Address, o.Failed = addressShape(n.To, hide), n.Status >= http.StatusBadRequest
	}
	if len(ev.Dialogs) > 0 {
		o.Dialog = ev.Dialogs[0].Kind
	}
	return o
}

// confirmed are methods that make sure by themselves that they took: that a
// field held the text before is as good as that it holds it now.
var confirmed = map[Method]bool{
	Fill: true, Clear: true, SelectOption: true, Check: true, Uncheck: true, Focus: true, Blur: true,
	ScrollTo: true, ScrollIntoView: true, NextChunk: true, PrevChunk: true, ScrollByPixelOffset: true,
}

// differs says in words what came otherwise, empty if nothing did. An effect
// that is more than the expected one is none: evidence ends at the first, and
// which comes first is a matter of milliseconds. href is where the element
// leads by itself, if it is a link: a link that was changed is still the link.
func (o *Outcome) differs(method Method, ev *Evidence, href string, hide func(string) string) string {
	switch {
	case o.Effect == EffectNavigation && ev.Navigation == nil:
		return "it led to " + o.Address + " before, and stays where it is now"
	case o.Effect == EffectNewPage && len(ev.NewPages) == 0:
		return "it opened a page before, and none now"
	case o.Effect == EffectDownload && len(ev.Downloads) == 0:
		return "a download began before, and none now"
	case o.Dialog != "" && (len(ev.Dialogs) == 0 || ev.Dialogs[0].Kind != o.Dialog):
		return "it opened a dialog (" + o.Dialog + ") before, and none of the kind now"
	case o.Effect != EffectNone && ev.Effect == EffectNone && !confirmed[method]:
		return fmt.Sprintf("it had an effect (%s) before, and none now", o.Effect)
	}
	n := ev.Navigation
	if n == nil || n.Pending || o.Address == "" {
		return ""
	}
	if got := addressShape(n.To, hide); got != o.Address && (href == "" || got != addressShape(href, hide)) {
		return "it led to " + o.Address + " before, and to " + got + " now"
	}
	if n.Status >= http.StatusBadRequest && !o.Failed {
		return fmt.Sprintf("it led to a page before, and to an error (%d) now", n.Status)
	}
	return ""
}
