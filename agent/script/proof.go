package script

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/engine"
)

// prove holds a step that was done against what it must have changed.
func (r *replay) prove(ctx context.Context, e *engine.Evidence) error {
	if p := r.own.Opened(e); p != nil {
		r.page = p
	}
	r.follow()                                           // a step may close a page
	if _, err := r.page.Snapshot(ctx, nil); err != nil { // once it is quiet, all has been sent
		return r.refuse("a page that can be read", err.Error(), err)
	}
	want := &r.step.Expect
	if err := r.proveRequests(want.Requests); err != nil {
		return err
	}
	if !r.at.reached(want.Address, r.address()) {
		return r.refuse("to be at "+want.Address, "at "+r.at.path(r.address()), nil)
	}
	if err := r.proveEffect(want, e); err != nil {
		return err
	}
	return r.proveWords(ctx)
}

// strong are the effects that have to be the very same; the others a browser
// tells in this order or that.
var strong = []engine.Effect{engine.EffectNavigation, engine.EffectNewPage, engine.EffectDialog, engine.EffectDownload}

func (r *replay) proveEffect(want *Expect, e *engine.Evidence) error {
	switch {
	case want.Effect == e.Effect:
	case want.Effect == "":
	case slices.Contains(strong, want.Effect), slices.Contains(strong, e.Effect),
		e.Effect == engine.EffectNone && (want.Effect == engine.EffectPage || want.Effect == engine.EffectRequest || want.Effect == engine.EffectValue):
		return r.refuse("the effect "+string(want.Effect), "the effect "+string(e.Effect), nil)
	}
	if want.Value != nil {
		found := ""
		if e.Value != nil {
			found = e.Value.After
		}
		if e.Value != nil || want.Effect == engine.EffectValue && e.Effect != engine.EffectNone {
			if !sameValue(*want.Value, found) {
				return r.refuse(fmt.Sprintf("the value %q", *want.Value), fmt.Sprintf("%q", found), nil)
			}
		}
	}
	for name, value := range want.States {
		if now, ok := e.States[name]; ok && now.After != value {
			return r.refuse(name+": "+value, name+": "+now.After, nil)
		}
	}
	for i, d := range want.Dialogs {
		switch {
		case i >= len(e.Dialogs):
			return r.refuse(fmt.Sprintf("the %s %q", d.Kind, d.Message), "no such dialog", nil)
		case e.Dialogs[i].Kind != d.Kind || d.Message != "" && !sameValue(d.Message, e.Dialogs[i].Message):
			return r.refuse(fmt.Sprintf("the %s %q", d.Kind, d.Message), fmt.Sprintf("the %s %q", e.Dialogs[i].Kind, e.Dialogs[i].Message), nil)
		}
	}
	if len(e.Dialogs) > len(want.Dialogs) {
		d := e.Dialogs[len(want.Dialogs)]
		return r.refuse("no further dialog", fmt.Sprintf("the %s %q", d.Kind, d.Message), nil)
	}
	if want.Download != "" && !slices.ContainsFunc(e.Downloads, func(d engine.DownloadSeen) bool { return sameValue(want.Download, d.Name) }) {
		return r.refuse("the download "+want.Download, fmt.Sprintf("%d others", len(e.Downloads)), nil)
	}
	return nil
}

// Changing reports whether a request may change something on a server.
func Changing(method string) bool {
	switch strings.ToUpper(method) {
	case "GET", "HEAD", "OPTIONS", "TRACE", "":
		return false
	}
	return true
}

// Request writes a request as [Expect].Requests has it.
func (s *Script) Request(method, address string, status int) string {
	return placeOf(s.Start).request(method, address, status)
}

// request is [Script.Request].
func (p place) request(method, address string, status int) string {
	words := strings.ToUpper(method) + " " + p.pattern(address)
	if status >= 400 {
		words += fmt.Sprintf(" (%d)", status)
	}
	return words
}

// proveRequests holds what was sent against what had to be.
func (r *replay) proveRequests(want []string) error {
	left := slices.Clone(want)
	for _, seen := range r.own.Requests(r.began) {
		if !Changing(seen.Method) {
			continue
		}
		words := r.at.request(seen.Method, seen.URL, seen.Status)
		exact := strings.ToUpper(seen.Method) + " " + r.at.path(bare(seen.URL))
		fit := func(pattern string) bool { return pattern == words || fits(pattern, words) || fits(pattern, exact) }
		if i := slices.IndexFunc(left, fit); i >= 0 {
			left = slices.Delete(left, i, i+1)
			continue
		}
		if !slices.ContainsFunc(r.result.Script.Background, fit) {
			return r.refuse("no request but "+orNone(want), words, nil)
		}
	}
	if len(left) > 0 {
		return r.refuse("the request "+left[0], "that it was not sent", nil)
	}
	return nil
}

func bare(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	u.RawQuery, u.Fragment = "", ""
	return u.String()
}

func orNone(want []string) string {
	if len(want) == 0 {
		return "those that read"
	}
	return strings.Join(want, ", ")
}

// proveWords holds what the page says against what it has to say.
func (r *replay) proveWords(ctx context.Context) error {
	for i, text := range r.step.Expect.Texts {
		if r.comesToSay(ctx, text) {
			continue
		}
		if r.opts.Model == nil {
			return r.refuse(fmt.Sprintf("the page to say %q", text), r.instead(ctx), engine.ErrNotMet)
		}
		now, err := r.healWords(ctx, text)
		if err != nil {
			return err
		}
		texts := slices.Clone(r.step.Expect.Texts)
		texts[i] = now
		r.step.Expect.Texts = texts
		r.heals = append(r.heals, fmt.Sprintf("the page says %q in the place of %q", now, text))
	}
	return nil
}

// comesToSay reports whether the page says a text, now or in a while.
func (r *replay) comesToSay(ctx context.Context, text string) bool {
	patience := r.opts.Patience
	if patience <= 0 {
		patience = 5 * time.Second
	}
	bounded, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return r.page.WaitFor(bounded, engine.TextShown(text)) == nil
}

// instead says what the page says: its headings.
func (r *replay) instead(ctx context.Context) string {
	snap, err := r.page.Snapshot(ctx, nil)
	if err != nil {
		return err.Error()
	}
	var said []string
	for i := range snap.Nodes {
		if n := &snap.Nodes[i]; (n.Role == "heading" || n.Role == "alert" || n.Role == "status") && n.Name != "" && len(said) < 5 {
			said = append(said, fmt.Sprintf("%q", n.Name))
		}
	}
	if len(said) == 0 {
		return "a page without it"
	}
	return strings.Join(said, ", ")
}
