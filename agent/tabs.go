package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/wayfinder-engine/wayfinder/engine"
)

type tabsIn struct {
	Action string `json:"action" jsonschema:"enum=list,enum=open,enum=switch,enum=close"`
	Tab    int    `json:"tab,omitempty" jsonschema:"minimum=1,description=its number in list"`
	URL    string `json:"url,omitempty" jsonschema:"description=open: where to"`
}

func tabs(ctx context.Context, r *run, in tabsIn) (*Answer, error) {
	pages := r.session.Pages()
	effect := engine.Evidence{Effect: engine.EffectNone}
	rep := &report{action: Action{Evidence: &effect}}
	if in.Action == "switch" || in.Action == "close" {
		if in.Tab < 1 || in.Tab > len(pages) {
			return nil, fmt.Errorf("%w: there is no tab %d; there are %d", engine.ErrInvalid, in.Tab, len(pages))
		}
	}
	if in.Action == "open" && in.URL != "" {
		if err := r.approveAddress(ctx, "tabs", r.addresses.restore(in.URL)); err != nil {
			return nil, err
		}
	}
	if in.Action != "list" {
		if err := r.intend(ctx, nil, nil); err != nil {
			return nil, err
		}
	}
	switch in.Action {
	case "open":
		address := r.addresses.restore(in.URL)
		page, err := r.session.NewPage(ctx)
		if err != nil {
			return nil, err
		}
		r.enterPage(page)
		rep.surprise, effect.Effect = "another tab is shown now", engine.EffectNewPage
		if address != "" {
			if _, err := page.Navigate(ctx, address, nil); err != nil {
				return &Answer{report: rep}, err
			}
		}
	case "switch":
		page := pages[in.Tab-1]
		if err := page.Activate(ctx); err != nil {
			return nil, err
		}
		r.enterPage(page)
		rep.surprise, effect.Effect = "another tab is shown now", engine.EffectNavigation
	case "close":
		page := pages[in.Tab-1]
		if err := page.Close(ctx); err != nil && !errors.Is(err, engine.ErrClosed) {
			return nil, err
		}
		effect.Effect = engine.EffectPage
		if page == r.page {
			rep.surprise = "the tab that was shown is closed"
		}
		r.followPage()
	}
	r.own.Open() // what its own have opened is its own
	var b strings.Builder
	for i, p := range r.session.Pages() {
		mark := " "
		if p == r.page {
			mark = "*"
		}
		title, err := p.Title(ctx)
		if err != nil {
			title = "(cannot be read)"
		}
		r.flows.ledger.Read(originOf(p.URL()), title+"\n"+p.URL())
		fmt.Fprintf(&b, "%s %d %s %s", mark, i+1, r.addresses.shorten(p.URL()), oneLine(title))
		if !r.own.Has(p) {
			b.WriteString(" (not opened by this run)")
		}
		b.WriteByte('\n')
	}
	text := r.session.Hide(b.String())
	rep.action.Message = "tabs: " + in.Action
	return &Answer{Text: text, report: rep}, nil
}
