package agent

import (
	"context"
	"fmt"
	"strings"

	"github.com/wayfinder-engine/wayfinder/engine"
)

type (
	navigateIn struct {
		URL string `json:"url" jsonschema:"minLength=1"`
	}
	noIn struct{}
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
		e.Navigation.Status = status
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
