package profiles

import (
	"cmp"
	"context"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// Merge joins what a browser was given with what it says now. Its cookies are those
// of now, since a browser lists all it has. It tells the storage only of origins that it
// shows, so that of the others, and databases that it leaves out, stay as they were.
// Either may be nil. The result shares its entries with both.
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
			origins[o.Origin] = o.After(origins[o.Origin])
		}
	}
	merged.Cookies = slices.Clone(merged.Cookies)
	slices.SortFunc(merged.Cookies, func(a, b driver.Cookie) int {
		return strings.Compare(a.Domain+"\x00"+a.Path+"\x00"+a.Name, b.Domain+"\x00"+b.Path+"\x00"+b.Name)
	})
	for _, origin := range slices.Sorted(maps.Keys(origins)) {
		if o := origins[origin]; len(o.LocalStorage)+len(o.IndexedDB)+len(o.LeftOut) > 0 {
			merged.Origins = append(merged.Origins, o)
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
		raw, err := p.Evaluate(ctx, counts, nil)
		if err == nil && string(raw) == `["`+origin+`",0]` { // else it stays
			empty[origin] = true
		}
	}
	return empty
}

// counts are a page's origin and how much it has stored. A page that keeps its
// databases busy does not say.
const counts = `Promise.race([indexedDB.databases(), new Promise((_, no) => setTimeout(no, 100))]).then((d) => [location.origin, localStorage.length + d.length])`

// fitting returns a state without its largest databases: so many that it has excess
// bytes less, or none is left. state itself stays as it is.
func fitting(state *driver.StorageState, excess int) *driver.StorageState {
	type one struct{ origin, at, size int }
	var all []one
	for i, o := range state.Origins {
		for j := range o.IndexedDB {
			all = append(all, one{i, j, o.IndexedDB[j].Size()})
		}
	}
	slices.SortFunc(all, func(a, b one) int { return cmp.Compare(b.size, a.size) })
	out := map[int]map[int]bool{} // those that are left out, by origin and place
	for _, d := range all {
		if excess <= 0 {
			break
		}
		if out[d.origin] == nil {
			out[d.origin] = map[int]bool{}
		}
		out[d.origin][d.at] = true
		excess -= d.size
	}
	fit := *state
	fit.Origins = slices.Clone(state.Origins)
	for i, gone := range out {
		o := &fit.Origins[i]
		databases := o.IndexedDB
		o.IndexedDB, o.LeftOut = nil, slices.Clone(o.LeftOut)
		for j := range databases {
			if gone[j] {
				o.LeftOut = append(o.LeftOut, driver.LeftOut{Database: databases[j].Name, Why: "the profile has no place for it"})
			} else {
				o.IndexedDB = append(o.IndexedDB, databases[j])
			}
		}
	}
	return &fit
}

// leftOut counts what a state does not have of its browser's IndexedDB: databases
// and records.
func leftOut(state *driver.StorageState) (n int) {
	for _, o := range state.Origins {
		for _, l := range o.LeftOut {
			n += max(1, l.Records)
		}
	}
	return n
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
