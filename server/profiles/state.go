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
	shown := shownBy(b)
	now, err := b.StorageState(ctx)
	if err != nil {
		return nil, err
	}
	// An origin that is shown and not told of has an empty storage, or its page
	// was being replaced at that moment: who asks twice knows.
	empty := silent(shown, shownBy(b), now, before)
	if len(empty) > 0 {
		again, err := b.StorageState(ctx)
		if err != nil {
			return nil, err
		}
		empty, now = silent(empty, shownBy(b), again, before), again
	}
	return merge(before, now, empty), nil
}

// silent are the origins that were shown, are shown, had a storage before and
// have none now.
func silent(was, is map[string]bool, now, before *driver.StorageState) map[string]bool {
	if before == nil {
		return nil
	}
	told := map[string]bool{}
	for _, o := range now.Origins {
		told[o.Origin] = true
	}
	empty := map[string]bool{}
	for _, o := range before.Origins {
		if was[o.Origin] && is[o.Origin] && !told[o.Origin] {
			empty[o.Origin] = true
		}
	}
	return empty
}

// shownBy are the origins of a browser's pages.
func shownBy(b driver.Browser) map[string]bool {
	shown := map[string]bool{}
	for _, p := range b.Pages() {
		frames := p.Frames()
		if len(frames) == 0 {
			continue
		}
		if u, err := url.Parse(frames[0].URL); err == nil && u.Host != "" {
			shown[u.Scheme+"://"+strings.ToLower(u.Host)] = true
		}
	}
	return shown
}
