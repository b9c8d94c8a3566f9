package agent

import (
	"context"
	"strings"
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
