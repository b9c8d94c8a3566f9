package profiles

import (
	"context"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// Merge returns what a browser remembers that was given before and says now: the
// cookies of now, as they are told whole, and local storage by its origin. That of
// now counts, but a browser tells only of origins that it shows, so the others are
// as they were before. Either may be nil. What is returned shares its entries with
// both.
func Merge(before, now *driver.StorageState) *driver.StorageState {
	return merge(before, now, nil)
}

// merge is Merge where the storage of some origins is known to be empty.
func merge(before, now *driver.StorageState, empty map[string]bool) *driver.StorageState {
	merged := &driver.StorageState{Cookies: []driver.Cookie{}, Origins: []driver.OriginStorage{}}
	origins := map[string]driver.OriginStorage{}
	if before != nil {
		merged.Cookies = before.Cookies
		for _, o := range before.Origins {
			if !empty[o.Origin] {
				origins[o.Origin] = o
			}
		}
	}
	if now != nil {
		merged.Cookies = now.Cookies
		for _, o := range now.Origins {
			origins[o.Origin] = o
		}
	}
	merged.Cookies = slices.Clone(merged.Cookies)
	slices.SortFunc(merged.Cookies, func(a, b driver.Cookie) int {
		return strings.Compare(a.Domain+"\x00"+a.Path+"\x00"+a.Name, b.Domain+"\x00"+b.Path+"\x00"+b.Name)
	})
	for _, origin := range slices.Sorted(maps.Keys(origins)) {
		if len(origins[origin].LocalStorage) > 0 {
			merged.Origins = append(merged.Origins, origins[origin])
		}
	}
	return merged
}

// read asks a browser what it remembers, after it was given before.
func read(ctx context.Context, b driver.Browser, before *driver.StorageState) (*driver.StorageState, error) {
	now, err := b.StorageState(ctx)
	if err != nil {
		return nil, err
	}
	return merge(before, now, emptied(ctx, b, before, now)), nil
}

// emptied are the origins that had a storage before, and have none now. That a
// browser does not tell of one says nothing: its page may be about to be left. So
// the page itself is asked, for both in one.
func emptied(ctx context.Context, b driver.Browser, before, now *driver.StorageState) map[string]bool {
	if before == nil {
		return nil
	}
	silent := map[string]bool{}
	for _, o := range before.Origins {
		silent[o.Origin] = true
	}
	for _, o := range now.Origins {
		delete(silent, o.Origin)
	}
	empty := map[string]bool{}
	for _, p := range b.Pages() {
		origin := originOf(p)
		if !silent[origin] || empty[origin] {
			continue
		}
		raw, err := p.Evaluate(ctx, "[location.origin, localStorage.length]", nil)
		if err == nil && string(raw) == `["`+origin+`",0]` { // else it stays
			empty[origin] = true
		}
	}
	return empty
}

// originOf is that of a page's document; empty if it has none.
func originOf(p driver.Page) string {
	frames := p.Frames()
	if len(frames) == 0 {
		return ""
	}
	u, err := url.Parse(frames[0].URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	return u.Scheme + "://" + strings.ToLower(u.Host)
}
