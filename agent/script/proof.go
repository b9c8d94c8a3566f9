package script

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/engine"
)

// A prover holds what a step did against what the script says that it has to do. Words
// that are not as the script has them it lets the model look for.
type prover struct{ asker }

// prove holds a step that was done against what it must have changed.
func (p *prover) prove(ctx context.Context, e *engine.Evidence) error {
	if opened := p.own.Opened(e); opened != nil {
		p.page = opened
	}
	p.follow()                                           // a step may close a page
	if _, err := p.page.Snapshot(ctx, nil); err != nil { // once it is quiet, all has been sent
		return p.refuse("a page that can be read", err.Error(), err)
	}
	want := &p.step.Expect
	if err := p.proveRequests(want.Requests); err != nil {
		return err
	}
	if !p.at.reached(want.Address, p.address()) {
		return p.refuse("to be at "+want.Address, "at "+p.at.path(p.address()), nil)
	}
	if err := p.proveEffect(want, e); err != nil {
		return err
	}
	return p.proveWords(ctx)
}

// strong are the effects that have to be the very same; the others a browser
// tells in this order or that.
var strong = []engine.Effect{engine.EffectNavigation, engine.EffectNewPage, engine.EffectDialog, engine.EffectDownload}

func (p *prover) proveEffect(want *Expect, e *engine.Evidence) error {
	switch {
	case want.Effect == e.Effect:
	case want.Effect == "":
	case slices.Contains(strong, want.Effect), slices.Contains(strong, e.Effect),
		e.Effect == engine.EffectNone && (want.Effect == engine.EffectPage || want.Effect == engine.EffectRequest || want.Effect == engine.EffectValue):
		return p.refuse("the effect "+string(want.Effect), "the effect "+string(e.Effect), nil)
	}
	if want.Value != nil && (e.Value != nil || want.Effect == engine.EffectValue && e.Effect != engine.EffectNone) {
		if found := cmp.Or(e.Value, &engine.Change{}).After; !sameValue(*want.Value, found) {
			return p.refuse(fmt.Sprintf("the value %q", *want.Value), fmt.Sprintf("%q", found), nil)
		}
	}
	for name, value := range want.States {
		if now, ok := e.States[name]; ok && now.After != value {
			return p.refuse(name+": "+value, name+": "+now.After, nil)
		}
	}
	for i, d := range want.Dialogs {
		switch {
		case i >= len(e.Dialogs):
			return p.refuse(fmt.Sprintf("the %s %q", d.Kind, d.Message), "no such dialog", nil)
		case e.Dialogs[i].Kind != d.Kind || d.Message != "" && !sameValue(d.Message, e.Dialogs[i].Message):
			return p.refuse(fmt.Sprintf("the %s %q", d.Kind, d.Message), fmt.Sprintf("the %s %q", e.Dialogs[i].Kind, e.Dialogs[i].Message), nil)
		}
	}
	if len(e.Dialogs) > len(want.Dialogs) {
		d := e.Dialogs[len(want.Dialogs)]
		return p.refuse("no further dialog", fmt.Sprintf("the %s %q", d.Kind, d.Message), nil)
	}
	if want.Download != "" && !slices.ContainsFunc(e.Downloads, func(d engine.DownloadSeen) bool { return sameValue(want.Download, d.Name) }) {
		return p.refuse("the download "+want.Download, fmt.Sprintf("%d others", len(e.Downloads)), nil)
	}
	return nil
}

// Changing reports whether a request may change something on a server.
func Changing(method string) bool {
	return !slices.Contains([]string{"GET", "HEAD", "OPTIONS", "TRACE", ""}, strings.ToUpper(method))
}

// proveRequests holds what was sent against what had to be.
func (p *prover) proveRequests(want []string) error {
	left := slices.Clone(want)
	for _, seen := range p.own.Requests(p.began) {
		if !Changing(seen.Method) {
			continue
		}
		words := p.at.request(seen.Method, seen.URL, seen.Status)
		exact := strings.ToUpper(seen.Method) + " " + p.at.path(bare(seen.URL))
		fit := func(pattern string) bool { return pattern == words || fits(pattern, words) || fits(pattern, exact) }
		if i := slices.IndexFunc(left, fit); i >= 0 {
			left = slices.Delete(left, i, i+1)
			continue
		}
		if !slices.ContainsFunc(p.result.Script.Background, fit) {
			return p.refuse("no request but "+cmp.Or(strings.Join(want, ", "), "those that read"), words, nil)
		}
	}
	if len(left) > 0 {
		return p.refuse("the request "+left[0], "that it was not sent", nil)
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

// proveWords holds what the page says against what it has to say.
func (p *prover) proveWords(ctx context.Context) error {
	for i, text := range p.step.Expect.Texts {
		if p.comesToSay(ctx, text) {
			continue
		}
		if p.opts.Model == nil {
			return p.refuse(fmt.Sprintf("the page to say %q", text), p.instead(ctx), engine.ErrNotMet)
		}
		now, err := p.healWords(ctx, text)
		if err != nil {
			return err
		}
		texts := slices.Clone(p.step.Expect.Texts)
		texts[i] = now
		p.step.Expect.Texts = texts
		p.heals = append(p.heals, fmt.Sprintf("the page says %q in the place of %q", now, text))
	}
	return nil
}

// comesToSay reports whether the page says a text, now or in a while.
func (p *prover) comesToSay(ctx context.Context, text string) bool {
	bounded, cancel := context.WithTimeout(ctx, cmp.Or(max(p.opts.Patience, 0), 5*time.Second))
	defer cancel()
	return p.page.WaitFor(bounded, engine.TextShown(text)) == nil
}

// instead says what the page says: its headings.
func (p *prover) instead(ctx context.Context) string {
	snap, err := p.page.Snapshot(ctx, nil)
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

// healWords has the model find what the page says in the place of a text. It has
// to be new: what was there before the step proves nothing.
func (p *prover) healWords(ctx context.Context, text string) (string, error) {
	expected := fmt.Sprintf("the page to say %q", text)
	snap, err := p.page.Snapshot(ctx, nil)
	if err != nil {
		return "", p.refuse(expected, err.Error(), err)
	}
	answer, node, err := p.ask(ctx, wordsPrompt, "words: "+text, snap)
	switch {
	case err != nil:
		return "", p.refuse(expected, p.instead(ctx)+"; the model could not mend it: "+err.Error(), err)
	case node == nil:
		return "", p.refuse(expected, p.instead(ctx)+"; the model found nothing that means the same: "+answer.Reason, engine.ErrNotMet)
	case strings.TrimSpace(node.Name) == "":
		return "", p.refuse(expected, "a line without words", engine.ErrNotMet)
	}
	now := p.session.Hide(node.Name)
	if p.before != nil && strings.Contains(p.before.Text(), node.Name) {
		return "", p.refuse(expected, fmt.Sprintf("%q, which the page said before the step, too", now), engine.ErrNotMet)
	}
	return now, nil
}
