package journal

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/agent/internal/owned"
	"github.com/wayfinder-engine/wayfinder/agent/runs"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// longestState is how long a browser may take to say what it holds.
const longestState = 10 * time.Second

// known is what a log has by now of a run's browser.
type known struct {
	origins   map[string]engine.OriginStorage // by origin: a browser tells those that are open
	storage   string                          // cookies and local storage, as they were written last
	databases map[string]string               // so, too, by origin
	tabs      []string                        // so, too
	active    int
}

// mostDatabases is how many bytes of an origin's IndexedDB a log takes: it is
// written anew with each step that has changed it.
const mostDatabases = 128 << 10

var tooManyBytes = fmt.Sprintf("the log of a run takes %d bytes of an origin", mostDatabases)

// now is [Log.Browser].
func (k *known) now(ctx context.Context, own *owned.Pages, page *engine.Page) *Browser {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), longestState)
	defer cancel()
	s, b := own.Session(), &Browser{}
	if len(s.Pages()) == 0 {
		return nil // it has ended
	}
	for i, p := range own.Open() {
		b.Tabs = append(b.Tabs, p.URL())
		if p == page {
			b.Active = i
		}
	}
	if state, err := s.StorageState(ctx); err == nil {
		b.IndexedDB = k.databasesNow(state.Origins)
		origins := []engine.OriginStorage{}
		for _, name := range slices.Sorted(maps.Keys(k.origins)) {
			o := k.origins[name]
			o.IndexedDB, o.LeftOut = nil, nil
			origins = append(origins, o)
		}
		if raw, err := json.Marshal(map[string]any{"cookies": state.Cookies, "origins": origins}); err == nil && string(raw) != k.storage {
			b.Storage, k.storage = raw, string(raw)
		}
	}
	if b.Storage == nil && len(b.IndexedDB) == 0 && slices.Equal(b.Tabs, k.tabs) && b.Active == k.active {
		return nil
	}
	k.tabs, k.active = b.Tabs, b.Active
	return b
}

// databasesNow takes over what origins have stored, and returns the databases of
// those where they are others than the log has.
func (k *known) databasesNow(origins []engine.OriginStorage) map[string]json.RawMessage {
	if k.origins == nil {
		k.origins, k.databases = map[string]engine.OriginStorage{}, map[string]string{}
	}
	changed := map[string]json.RawMessage{}
	for _, o := range origins {
		o = o.After(k.origins[o.Origin]).Within(mostDatabases, tooManyBytes)
		k.origins[o.Origin] = o
		if len(o.IndexedDB)+len(o.LeftOut) == 0 && k.databases[o.Origin] == "" {
			continue
		}
		raw, err := json.Marshal(map[string]any{"indexedDB": o.IndexedDB, "leftOut": o.LeftOut})
		if err == nil && string(raw) != k.databases[o.Origin] { // what is no JSON comes from no browser
			changed[o.Origin], k.databases[o.Origin] = raw, string(raw)
		}
	}
	return changed
}

// A Browser is what a new one begins with.
type Browser struct {
	Storage   json.RawMessage            `json:"storage,omitempty"`   // nil: as before
	IndexedDB map[string]json.RawMessage `json:"indexedDB,omitempty"` // what Storage lacks, by origin; others are as before
	Tabs      []string                   `json:"tabs,omitempty"`      // addresses
	Active    int                        `json:"active,omitempty"`    // index in Tabs
}

// Stored reports that what sites have stored is not as it was before b.
func (b *Browser) Stored() bool { return b != nil && (b.Storage != nil || len(b.IndexedDB) > 0) }

// Take has b be what the next entry of a log, of an agent or of a script, says.
func (b *Browser) Take(entry any) {
	var now *Browser
	switch e := entry.(type) {
	case *Began:
		now = e.Browser
	case *Ended:
		now = e.Browser
	case *Told:
		now = e.Browser
	case *Arrived:
		now = e.Browser
	case *Did:
		now = e.Browser
	}
	if now == nil {
		return
	}
	storage, databases := b.Storage, b.IndexedDB
	*b = *now
	if b.Storage == nil {
		b.Storage = storage
	}
	b.IndexedDB = maps.Clone(databases)
	for origin, raw := range now.IndexedDB {
		if b.IndexedDB == nil {
			b.IndexedDB = map[string]json.RawMessage{}
		}
		b.IndexedDB[origin] = raw
	}
}

// Settled are methods that bring a control to a state: to do one again on a page that
// was loaded anew, and does not have that state, is no second time.
var Settled = []engine.Method{engine.Fill, engine.Clear, engine.SelectOption, engine.Check, engine.Uncheck, engine.SetInputFiles}

// Restore has a session begin with the cookies and the storage of b, for a run that needs
// variables of these names. A value that is not there is an error that wraps invalid.
func (b *Browser) Restore(opts *engine.Options, run string, names []string, vars map[string]engine.Variable, invalid error) error {
	for _, name := range names {
		if _, ok := vars[name]; !ok {
			return fmt.Errorf("%w: to continue run %s give a value for the variable %%%s%%: no log holds it", invalid, run, name)
		}
	}
	if b.Storage == nil {
		return nil
	}
	kept := Browser{Storage: b.Storage, IndexedDB: b.IndexedDB}
	raw, err := json.Marshal(kept)
	if err == nil {
		raw, err = MapTexts(raw, func(text string) string { return WithValues(text, vars, nil) })
	}
	kept = Browser{}
	if err == nil {
		err = json.Unmarshal(raw, &kept)
	}
	if err == nil {
		err = json.Unmarshal(kept.Storage, &opts.Browser.StorageState)
	}
	if err != nil {
		return fmt.Errorf("run %s: %w: cookies and storage: %w", run, runs.ErrDamaged, err)
	}
	for i := range opts.Browser.StorageState.Origins {
		o := &opts.Browser.StorageState.Origins[i]
		if raw := kept.IndexedDB[o.Origin]; raw != nil {
			if err := json.Unmarshal(raw, o); err != nil {
				return fmt.Errorf("run %s: %w: IndexedDB: %w", run, runs.ErrDamaged, err)
			}
		}
	}
	return nil
}

// A Lost is a tab that cannot be opened again.
type Lost struct {
	Tab     int    // from 1
	Address string // without values
	Err     error
}

// Reopen opens the tabs of b in another browser than it was, which is what fresh says,
// and returns the one that was at the front. page is where the first one is opened, and
// the run owns all of them. It is the same browser if page shows something, or a tab of
// the session shows what b does; other runs' tabs say nothing.
func (b *Browser) Reopen(ctx context.Context, own *owned.Pages, page *engine.Page, vars map[string]engine.Variable) (active *engine.Page, fresh bool, lost []Lost) {
	own.Add(page)
	for _, p := range own.Session().Pages() {
		address := p.URL()
		if blank(address) {
			continue
		}
		if p == page || slices.ContainsFunc(b.Tabs, func(tab string) bool { return WithValues(tab, vars, url.QueryEscape) == address }) {
			return page, false, nil
		}
	}
	active, front := page, ""
	for i, address := range b.Tabs {
		tab := page
		if i > 0 {
			var err error
			if tab, err = own.Session().NewPage(ctx); err != nil {
				return active, true, append(lost, Lost{i + 1, address, err})
			}
			own.Add(tab)
		}
		if i == b.Active {
			active, front = tab, address
		}
		if blank(address) {
			continue
		}
		if _, err := tab.Navigate(ctx, WithValues(address, vars, url.QueryEscape), nil); err != nil {
			lost = append(lost, Lost{i + 1, address, err})
		}
	}
	if len(b.Tabs) > 1 && active != nil {
		if err := active.Activate(ctx); err != nil {
			lost = append(lost, Lost{b.Active + 1, front, err})
		}
	}
	return active, true, lost
}

// blank reports whether a page with an address shows nothing.
func blank(address string) bool { return address == "" || address == "about:blank" }

// WithValues puts values in the place of their placeholders, spelled as spell does;
// nil spells them as they are.
func WithValues(text string, vars map[string]engine.Variable, spell func(string) string) string {
	for name, v := range vars {
		if v.TOTP != nil || !strings.Contains(text, "%"+name+"%") {
			continue
		}
		value := v.Value
		if spell != nil {
			value = spell(value)
		}
		text = strings.ReplaceAll(text, "%"+name+"%", value)
	}
	return text
}
