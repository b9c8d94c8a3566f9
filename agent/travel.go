package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/wayfinder-engine/wayfinder/engine"
)

type (
	navigateIn struct {
		URL string `json:"url" jsonschema:"minLength=1"`
	}
	noIn   struct{}
	tabsIn struct {
		Action string `json:"action" jsonschema:"enum=list,enum=open,enum=switch,enum=close"`
		Tab    int    `json:"tab,omitempty" jsonschema:"minimum=1,description=the number of the tab\\, as list says it"`
		URL    string `json:"url,omitempty" jsonschema:"description=open: where to"`
	}
)

// travelTools go somewhere else.
func travelTools() []Tool {
	back := built("back", acts, "Goes back in the tab's history.", func(ctx context.Context, r *run, _ noIn) (*Answer, error) {
		return r.travel(ctx, "went back", func() error { _, err := r.page.Back(ctx, nil); return err })
	})
	back.exempt = true
	return []Tool{
		built("navigate", acts, "Opens an address in this tab.", func(ctx context.Context, r *run, in navigateIn) (*Answer, error) {
			address := r.addresses.restore(in.URL)
			if !strings.Contains(address, ":") {
				address = "https://" + address
			}
			if err := r.approveAddress(ctx, "navigate", address); err != nil {
				return nil, err
			}
			return r.travel(ctx, "went to", func() error { _, err := r.page.Navigate(ctx, address, nil); return err })
		}),
		back,
		built("forward", acts, "Goes forward in the tab's history.", func(ctx context.Context, r *run, _ noIn) (*Answer, error) {
			return r.travel(ctx, "went forward", func() error { _, err := r.page.Forward(ctx, nil); return err })
		}),
		built("reload", acts, "Loads the page again.", func(ctx context.Context, r *run, _ noIn) (*Answer, error) {
			return r.travel(ctx, "loaded again", func() error { _, err := r.page.Reload(ctx, nil); return err })
		}),
		built(toolTabs, acts, "Lists the tabs, opens one, goes to one, or closes one.", tabs),
	}
}

// travel moves the page to another document.
func (r *run) travel(ctx context.Context, words string, move func() error) (*Answer, error) {
	if err := r.intend(ctx, nil, nil); err != nil {
		return nil, err
	}
	from := r.address()
	err := move()
	to := r.address()
	effect := engine.EffectNavigation
	if from == to && err != nil {
		effect = engine.EffectNone
	}
	e := engine.Evidence{Effect: effect, Navigation: &engine.NavigationSeen{From: from, To: to}}
	shown := r.addresses.shorten(r.page.URL())
	rep := &report{action: Action{Evidence: &e}, surprise: "the page is another document now: " + shown}
	if err != nil {
		return &Answer{report: rep}, err
	}
	text := words + ": " + shown
	if status := r.lastStatus(); status >= 400 {
		text += fmt.Sprintf(" (answered %d)", status)
	}
	rep.action.Message = text
	return &Answer{Text: text, report: rep}, nil
}

// lastStatus is that of the newest document's answer, 0 if it is not known.
func (r *run) lastStatus() int {
	seen := r.session.Requests(r.began)
	for i := len(seen) - 1; i >= 0; i-- {
		if seen[i].Page == r.page.ID() && seen[i].URL == r.address() {
			return seen[i].Status
		}
	}
	return 0
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
		r.page, rep.surprise, effect.Effect = page, "another tab is shown now", engine.EffectNewPage
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
		r.page, rep.surprise, effect.Effect = page, "another tab is shown now", engine.EffectNavigation
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
		fmt.Fprintf(&b, "%s %d %s %s\n", mark, i+1, r.addresses.shorten(p.URL()), oneLine(title))
	}
	text := r.session.Hide(b.String())
	rep.action.Message = "tabs: " + in.Action
	return &Answer{Text: text, report: rep}, nil
}
