package agent

import (
	"context"
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
	back := moving("back", "Goes back in the tab's history.", "went back", (*engine.Page).Back)
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
		moving("forward", "Goes forward in the tab's history.", "went forward", (*engine.Page).Forward),
		moving("reload", "Loads the page again.", "loaded again", (*engine.Page).Reload),
		built(toolTabs, acts, "Lists the tabs, opens one, goes to one, or closes one.", tabs),
	}
}

// moving is a tool that goes elsewhere without an address.
func moving[R any](name, description, words string, move func(*engine.Page, context.Context, *engine.NavigateOptions) (R, error)) Tool {
	return built(name, acts, description, func(ctx context.Context, r *run, _ noIn) (*Answer, error) {
		return r.travel(ctx, words, func() error { _, err := move(r.page, ctx, nil); return err })
	})
}
