package agent

import (
	"context"
	"errors"

	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// look waits until the page is quiet and returns what the model is to know of
// it. Without a page, or with one that cannot be read, it says so.
func (r *run) look(ctx context.Context) ([]llm.Part, error) {
	r.followPage()
	if r.page == nil {
		return []llm.Part{llm.Text{Text: "All tabs are closed. Open one with tabs."}}, nil
	}
	snap, err := r.page.Snapshot(ctx, &engine.SnapshotOptions{MaxTokens: r.outlineTokens()})
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		r.view.stale = true
		return []llm.Part{
			llm.Text{Text: "The page cannot be read now; navigate, go back, reload or open another tab:"},
			llm.Page{Kind: kindError, Text: r.session.Hide(err.Error())},
		}, nil
	}
	r.moved = 0
	r.seen.page(snap, r.page.URL())
	shown := r.view.show(r.page, snap, r.session.Hide(head(r.page, &r.addresses)))
	if r.vendor != nil {
		return r.vendor.look(ctx, r, snap, shown)
	}
	parts := []llm.Part{shown}
	if r.pictures {
		picture, err := r.picture(ctx)
		if err == nil {
			parts = append(parts, *picture)
		} else if ctx.Err() == nil {
			parts = append(parts, llm.Text{Text: "There is no picture of the page:"}, llm.Page{Kind: kindError, Text: firstLine(r.session.Hide(err.Error()))})
		}
	}
	return parts, nil
}

// picture takes a picture of the viewport, at one pixel for each CSS pixel and
// at most longestEdge on its longer side.
func (r *run) picture(ctx context.Context) (*llm.Image, error) {
	data, scale, err := r.page.Picture(ctx, longestEdge)
	if err != nil {
		r.pictures = r.pictures && !errors.Is(err, errors.ErrUnsupported) // said once is enough
		return nil, err
	}
	r.scale = scale
	return &llm.Image{MediaType: mediaType(data), Data: data}, nil
}
