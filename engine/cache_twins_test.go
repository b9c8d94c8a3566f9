package engine_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/wayfinder-engine/wayfinder/engine"
)

// Where several look the same, what stands around tells which was meant: a list
// that was put in another order gets no click on what is now in the place.
func TestCacheTellsTwinsApart(t *testing.T) {
	list := func(items ...string) string {
		page := "<title>Shop</title><ul>"
		for _, item := range items {
			page += fmt.Sprintf(`<li><h2>%[1]s</h2><form action="/%[1]s"><button>Add</button></form></li>`, item)
		}
		return page + "</ul>"
	}
	flat := func(items ...string) string {
		page := "<title>Shop</title>"
		for _, item := range items {
			page += fmt.Sprintf(`<p>%[1]s</p><button formaction="/%[1]s" form=f%[1]s>Add</button>`, item)
		}
		for _, item := range items {
			page += fmt.Sprintf(`<form id=f%[1]s></form>`, item)
		}
		return page
	}
	for name, form := range map[string]func(...string) string{"in items": list, "side by side": flat} {
		t.Run(name, func(t *testing.T) {
			onBoth(t, map[string]string{"/": form("kettle", "teapot", "cup"), "/teapot": "added", "/kettle": "added", "/cup": "added"}, func(b *cacheBench) {
				second := func(page *engine.Page) string {
					snap, err := page.Snapshot(b.Context(), nil)
					if err != nil {
						b.Fatal(err)
					}
					var refs []string
					for i := range snap.Nodes {
						if snap.Nodes[i].Name == "Add" {
							refs = append(refs, string(snap.Nodes[i].Ref))
						}
					}
					return fmt.Sprintf(`raw {"found":true,"ref":%q,"method":"click","arguments":[],"description":"","reason":"","more":false}`, refs[1])
				}
				page := b.openChoosing("/", second)
				if r, err := page.Act(b.Context(), "add the teapot", nil); err != nil || !r.Cache.Kept {
					b.Fatalf("Act = %+v, %v, want one that is kept", r, err)
				}
				b.act("/", "add the teapot", engine.CacheHit, "")
				b.set("/", form("teapot", "kettle", "cup"))
				page = b.open("/", `none "the model is asked"`)
				r, err := page.Act(b.Context(), "add the teapot", nil)
				if !errors.Is(err, engine.ErrNotFound) {
					b.Errorf("Act = %v, want the model's answer", err)
				}
				b.wantUse(page, r, engine.CacheStale, engine.ReasonChanged)
				if n, wrong := b.count("/teapot"), b.count("/kettle")+b.count("/cup"); n != 2 || wrong != 0 {
					b.Errorf("added %d teapots and %d others, want 2 and none", n, wrong)
				}
			})
		})
	}
}

// openChoosing opens a session whose model answers what choose makes of the page.
func (b *cacheBench) openChoosing(path string, choose func(*engine.Page) string) *engine.Page {
	b.Helper()
	model := &chooser{}
	session, err := engine.Open(b.Context(), b.driver, &engine.Options{Model: model, Cache: b.cache})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { session.Close() })
	if _, err := session.Page().Navigate(b.Context(), b.base+path, nil); err != nil {
		b.Fatal(err)
	}
	model.choices = []string{choose(session.Page())}
	return session.Page()
}
