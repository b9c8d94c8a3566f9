package engine_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/wayfinder-engine/wayfinder/engine"
)

// What was done once is done again without a model, with the same evidence, in
// another session, however the instruction is spaced.
func TestCacheHit(t *testing.T) {
	onBoth(t, cacheShop, func(b *cacheBench) {
		first := b.act("/", "open the cart", engine.CacheMiss, engine.ReasonAbsent, `link Cart click`)
		if !first.Cache.Kept {
			b.Errorf("the act was not kept: %+v", first.Cache)
		}
		second := b.act("/?utm_source=mail&sid=77", "  open   the cart ", engine.CacheHit, "")
		if got := second.Evidence.Navigation; got == nil || got.To != b.base+"/cart" || got.Status != http.StatusOK {
			b.Errorf("navigation = %+v, want the cart", got)
		}
		if second.Healed || len(second.Actions) != 1 || second.Actions[0].BackendNodeID == 0 {
			b.Errorf("result = %+v, want one action of this page", second)
		}
		if n := b.count("/cart"); n != 2 {
			b.Errorf("the cart was opened %d times, want 2", n)
		}
		none, err := engine.Open(b.Context(), b.driver, &engine.Options{Cache: b.cache})
		if err != nil {
			b.Fatal(err)
		}
		defer none.Close()
		if _, err := none.Page().Navigate(b.Context(), b.base+"/", nil); err != nil {
			b.Fatal(err)
		}
		if _, err := none.Page().Act(b.Context(), "open the cart", nil); err != nil {
			b.Errorf("Act without a model = %v, want a hit", err)
		}
		if _, err := b.open("/").Act(b.Context(), "open the cart", &engine.ActOptions{NoCache: true}); err == nil {
			b.Error("Act with NoCache did not ask the model")
		}
	})
}

// An act of two steps is kept whole. Where the second does not fit any more, a
// model goes on from there, and the first is not done again.
func TestCacheTwoSteps(t *testing.T) {
	onBoth(t, cacheShop, func(b *cacheBench) {
		b.act("/", "show my orders", engine.CacheMiss, engine.ReasonAbsent, `more button Account click`, `link Orders click`)
		r := b.act("/", "show my orders", engine.CacheHit, "")
		if len(r.Actions) != 2 || r.Evidence.Navigation == nil {
			b.Errorf("result = %+v, want two actions and the navigation", r)
		}
		b.set("/", strings.Replace(cacheShop["/"], ">Orders<", ">My orders<", 1))
		r = b.act("/", "show my orders", engine.CacheStale, engine.ReasonChanged, `link "My orders" click`)
		if len(r.Actions) != 2 || r.Evidence.Navigation == nil || !r.Healed || !r.Cache.Kept {
			b.Errorf("result = %+v, want the first action of the cache and the second of the model", r)
		}
		b.act("/", "show my orders", engine.CacheHit, "")
	})
}

// An entry whose element is another, gone, one of several, or cannot be used is
// not done: a model is asked, and the entry written anew.
func TestCacheStale(t *testing.T) {
	const target = `<a href="/cart">Cart</a>`
	for name, change := range map[string]struct {
		with   string
		reason engine.CacheReason
		choice string
		chrome bool
	}{
		"another element": {`<a href="/orders">Help</a><a href="/cart">Basket</a>`, engine.ReasonChanged, `link Basket click`, true},
		"gone":            {`<p><a href="/cart">Basket</a></p>`, engine.ReasonGone, `link Basket click`, false},
		"another name":    {`<a href="/cart">Basket</a>`, engine.ReasonChanged, `link Basket click`, false},
		"one of two":      {`<a href="/cart">Cart</a><i>or</i><p><a href="/orders">Cart</a></p>`, engine.ReasonChanged, `link Cart click`, false},
		"covered": {`<a href="/cart">Cart</a><div role=dialog aria-label=Ad style="position:fixed;inset:0;background:#fff"><a href="/cart">Go</a></div>`,
			engine.ReasonUnusable, `link Go click`, true},
	} {
		t.Run(name, func(t *testing.T) {
			run := func(b *cacheBench) {
				b.act("/", "open the cart", engine.CacheMiss, engine.ReasonAbsent, `link Cart click`)
				b.set("/", strings.Replace(cacheShop["/"], target, change.with, 1))
				r := b.act("/", "open the cart", engine.CacheStale, change.reason, change.choice)
				if !r.Healed || !r.Cache.Kept || r.Cache.Detail == "" {
					b.Errorf("result = %+v, cache %+v, want a healed act that is kept, and why", r, r.Cache)
				}
				if name != "covered" {
					b.act("/", "open the cart", engine.CacheHit, "")
				}
				if n := b.count("/orders"); n != 0 {
					b.Errorf("the wrong link was followed %d times", n)
				}
			}
			if change.chrome {
				onBoth(t, cacheShop, run)
			} else {
				run(inMemory(t, cacheShop, engine.NewMemoryCache(0)))
			}
		})
	}
}

// An element that stands elsewhere by now, and is the only one that it can be, needs
// no model.
func TestCacheFollowsWhatMoved(t *testing.T) {
	const target = `<a href="/cart">Cart</a>`
	for name, with := range map[string]string{
		"another in its place": `<a href="/orders">Help</a><a href="/cart">Cart</a>`,
		"wrapped":              `<p><a href="/cart">Cart</a></p>`,
		"one before all":       `<div>News</div><section><h2>Shop</h2><a href="/orders">Orders</a><a href="/cart">Cart</a></section>`,
	} {
		t.Run(name, func(t *testing.T) {
			onBoth(t, cacheShop, func(b *cacheBench) {
				b.act("/", "open the cart", engine.CacheMiss, engine.ReasonAbsent, `link Cart click`)
				b.set("/", strings.Replace(cacheShop["/"], target, with, 1))
				r := b.act("/", "open the cart", engine.CacheHit, "")
				page := b.open("/")
				if _, err := page.Do(b.Context(), r.Actions[0], nil); err != nil {
					b.Errorf("Do of the action that a hit returned = %v", err)
				}
				if n := b.count("/orders"); n != 0 {
					b.Errorf("the wrong link was followed %d times", n)
				}
			})
		})
	}
}

// The only item of a list is no other one because it is the only one.
func TestCacheMindsTheOnlyRow(t *testing.T) {
	basket := func(item string) string {
		return fmt.Sprintf(`<title>Basket</title><h1>Basket</h1><ul><li>%[1]s <a href="/%[1]s">Remove</a></li></ul>`, item)
	}
	onBoth(t, map[string]string{"/": basket("Teapot"), "/Teapot": "removed", "/Kettle": "removed"}, func(b *cacheBench) {
		b.act("/", "remove the teapot", engine.CacheMiss, engine.ReasonAbsent, `link Remove click`)
		b.set("/", `<p>News</p>`+basket("Teapot"))
		b.act("/", "remove the teapot", engine.CacheHit, "")
		b.set("/", basket("Kettle"))
		page := b.open("/", `none "the model is asked"`)
		r, err := page.Act(b.Context(), "remove the teapot", nil)
		if !errors.Is(err, engine.ErrNotFound) {
			b.Errorf("Act = %v, want the model's answer", err)
		}
		b.wantUse(page, r, engine.CacheStale, engine.ReasonChanged)
		if n, wrong := b.count("/Teapot"), b.count("/Kettle"); n != 2 || wrong != 0 {
			b.Errorf("removed %d teapots and %d kettles, want 2 and none", n, wrong)
		}
	})
}

// An action that was done and had another outcome is told as what it was, is
// not done again by a model, and is forgotten.
func TestCacheRefuted(t *testing.T) {
	for name, c := range map[string]struct{ before, after, says string }{
		"another page": {`<form action="/cart"><button>Go on</button></form>`, `<form action="/login"><button>Go on</button></form>`, "/login"},
		"an error":     {`<form action="/cart"><button>Go on</button></form>`, `<form action="/cart"><button>Go on</button></form>`, "404"},
		"nothing":      {`<form action="/cart"><button>Go on</button></form>`, `<div><button>Go on</button></div>`, "stays where it is"},
	} {
		t.Run(name, func(t *testing.T) {
			onBoth(t, pagesOf(cacheShop, "/login", "Sign in", "/", c.before), func(b *cacheBench) {
				b.act("/", "go on", engine.CacheMiss, engine.ReasonAbsent, `button "Go on" click`)
				b.set("/", strings.NewReplacer("<div>", "<form onsubmit='return false' method=dialog>", "</div>", "</form>").Replace(c.after))
				if name == "an error" {
					b.mu.Lock()
					delete(b.pages, "/cart")
					b.mu.Unlock()
				}
				page := b.open("/")
				r, err := page.Act(b.Context(), "go on", nil)
				if !errors.Is(err, engine.ErrUnexpected) || !strings.Contains(err.Error(), c.says) {
					b.Fatalf("Act = %v, want %v that says %q", err, engine.ErrUnexpected, c.says)
				}
				b.wantUse(page, r, engine.CacheRefuted, engine.ReasonOutcome)
				if r.Success || len(r.Actions) != 1 {
					b.Errorf("result = %+v, want a failure with the one action that was done", r)
				}
				if n := b.count("/login") + b.count("/cart"); name == "another page" && n != 2 {
					b.Errorf("the button was pressed %d times, want once on each page", n)
				}
				b.act("/", "go on", engine.CacheMiss, engine.ReasonAbsent, `button "Go on" click`)
			})
		})
	}
}

// A toggle is not set by what was right when it stood otherwise, and a number
// that was reckoned from the page is not entered into another page.
func TestCacheMindsState(t *testing.T) {
	const form = `<title>Form</title><label><input type=checkbox%s> News</label><label>Quantity <input value="%s"></label><button>Save</button>`
	onBoth(t, map[string]string{"/": fmt.Sprintf(form, "", "1")}, func(b *cacheBench) {
		b.act("/", "toggle the news", engine.CacheMiss, engine.ReasonAbsent, `checkbox News check`)
		b.act("/", "one more", engine.CacheMiss, engine.ReasonAbsent, `textbox Quantity fill 2`)
		b.act("/", "order 5", engine.CacheMiss, engine.ReasonAbsent, `textbox Quantity fill 5`)
		b.act("/", "toggle the news", engine.CacheHit, "")
		b.act("/", "one more", engine.CacheHit, "")
		b.set("/", fmt.Sprintf(form, " checked", "4"))
		b.act("/", "toggle the news", engine.CacheStale, engine.ReasonChanged, `checkbox News uncheck`)
		b.act("/", "one more", engine.CacheStale, engine.ReasonChanged, `textbox Quantity fill 5`)
		r := b.act("/", "order 5", engine.CacheHit, "") // says itself what to enter
		if v := r.Evidence.Value; v == nil || v.After != "5" {
			b.Errorf("value = %+v, want 5", v)
		}
	})
}

// What failed, and what had no effect, is not kept.
func TestCacheKeepsNoFailures(t *testing.T) {
	cache := engine.NewMemoryCache(0)
	b := inMemory(t, map[string]string{"/": `<title>X</title><button>Idle</button><button disabled>Off</button>`}, cache)
	b.act("/", "press it", engine.CacheMiss, engine.ReasonAbsent, `button Idle click`)
	page := b.open("/", `button Idle selectOption x`)
	if _, err := page.Act(t.Context(), "choose x", nil); err == nil {
		t.Error("Act = nil error")
	}
	if n := cache.Len(); n != 0 {
		t.Errorf("%d entries are kept", n)
	}
}

// The scope is a part of the key, and what an entry names must lie in it.
func TestCacheScope(t *testing.T) {
	const page = `<title>X</title><main><a href="/cart">Cart</a></main><nav><a href="/orders">Orders</a></nav>`
	b := inMemory(t, pagesOf(cacheShop, "/", page), engine.NewMemoryCache(0))
	act := func(selector string, want engine.CacheResult, reason engine.CacheReason, choices ...string) {
		t.Helper()
		page := b.open("/", choices...)
		r, err := page.Act(t.Context(), "follow the link", &engine.ActOptions{Selector: selector})
		if err != nil {
			t.Fatalf("within %q: %v", selector, err)
		}
		b.wantUse(page, r, want, reason)
	}
	act("main", engine.CacheMiss, engine.ReasonAbsent, `link Cart click`)
	act("nav", engine.CacheMiss, engine.ReasonAbsent, `link Orders click`)
	act("main", engine.CacheHit, "")
	act("nav", engine.CacheHit, "")
	b.set("/", `<title>X</title><main><b>Nothing</b></main><nav><a href="/cart">Cart</a></nav>`)
	if r, err := b.open("/", `none "the model is asked"`).Act(t.Context(), "follow the link", &engine.ActOptions{Selector: "main"}); err == nil || r.Cache.Result != engine.CacheStale {
		t.Errorf("outside of the scope: %+v, %v; want it stale", r, err)
	}
}

// Text that is entered is not the same with other spaces in it.
func TestCacheMindsSpacesInText(t *testing.T) {
	b := inMemory(t, map[string]string{"/": `<title>X</title><label>Note <input></label>`}, engine.NewMemoryCache(0))
	b.act("/", "type a  b", engine.CacheMiss, engine.ReasonAbsent, `textbox Note fill "a  b"`)
	b.act("/", "type a b", engine.CacheMiss, engine.ReasonWording, `textbox Note fill "a b"`)
	b.act("/", "type a b", engine.CacheHit, "")
}

// Sessions that share a cache do not disturb each other.
func TestCacheConcurrent(t *testing.T) {
	dir, err := engine.NewDirCache(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, cache := range map[string]engine.Cache{"memory": engine.NewMemoryCache(2), "directory": dir} {
		t.Run(name, func(t *testing.T) {
			b := inMemory(t, cacheShop, cache)
			b.act("/", "open the cart", engine.CacheMiss, engine.ReasonAbsent, `link Cart click`)
			var wait sync.WaitGroup
			for i := range 8 {
				page := b.open("/", `link Cart click`, `link Cart click`, `link Cart click`)
				wait.Go(func() {
					for _, what := range []string{"open the cart", fmt.Sprintf("open cart %d", i), "go to the cart"} {
						if _, err := page.Act(t.Context(), what, nil); err != nil {
							t.Errorf("Act(%q) = %v", what, err)
						}
						if _, err := page.Navigate(t.Context(), b.base+"/", nil); err != nil {
							t.Error(err)
						}
					}
				})
			}
			wait.Wait()
		})
	}
}

func TestMemoryCacheIsBounded(t *testing.T) {
	c := engine.NewMemoryCache(2)
	ctx := t.Context()
	key := func(s string) engine.CacheKey { return engine.CacheKey{Instruction: s} }
	for _, s := range []string{"a", "b"} {
		if err := c.Put(ctx, key(s), &engine.CacheEntry{Instruction: s}); err != nil {
			t.Fatal(err)
		}
	}
	if e, _ := c.Get(ctx, key("a")); e == nil {
		t.Fatal("a is not kept")
	}
	if err := c.Put(ctx, key("c"), &engine.CacheEntry{}); err != nil {
		t.Fatal(err)
	}
	for s, want := range map[string]bool{"a": true, "b": false, "c": true} {
		if e, err := c.Get(ctx, key(s)); (e != nil) != want || err != nil {
			t.Errorf("Get(%s) = %v, %v, want an entry: %t", s, e, err, want)
		}
	}
	if err := errors.Join(c.Delete(ctx, key("a")), c.Delete(ctx, key("a"))); err != nil || c.Len() != 1 {
		t.Errorf("Delete = %v, %d entries left, want 1", err, c.Len())
	}
}

// A cache of one's own that fails does not fail the act.
func TestCacheThatFails(t *testing.T) {
	b := inMemory(t, cacheShop, brokenCache{})
	r := b.act("/", "open the cart", engine.CacheMiss, engine.ReasonUnreadable, `link Cart click`)
	if r.Cache.Kept || !strings.Contains(r.Cache.Detail, "out of order") {
		t.Errorf("cache = %+v, want why it did not serve", r.Cache)
	}
}

// A brokenCache fails at everything.
type brokenCache struct{}

var errBroken = errors.New("out of order")

func (brokenCache) Get(context.Context, engine.CacheKey) (*engine.CacheEntry, error) {
	return nil, errBroken
}
func (brokenCache) Put(context.Context, engine.CacheKey, *engine.CacheEntry) error { return errBroken }
func (brokenCache) Delete(context.Context, engine.CacheKey) error                  { return errBroken }
