package cdp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mafredri/cdp/protocol/domstorage"
	"github.com/mafredri/cdp/protocol/fetch"
	"github.com/mafredri/cdp/protocol/indexeddb"
	cdppage "github.com/mafredri/cdp/protocol/page"
	cdpstorage "github.com/mafredri/cdp/protocol/storage"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/databases"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/protocol"
)

// A storage saves and restores what the sites of a browser have stored.
type storage struct {
	browser *browser
	known   map[storageAt]*knownDatabases // of origins whose state was asked for; protected by browser.mu
}

// A storageAt names what a storage key has, in the process that a session is of.
type storageAt struct {
	session *session
	key     string
}

// A knownDatabases is the databases of an origin as a document of it saw them.
type knownDatabases struct {
	*databases.Contents // nil before they are read

	doc   driver.DocID
	begun time.Time     // the reading
	wait  time.Duration // how long it was given
}

// StorageState implements driver.Browser.
func (st *storage) StorageState(ctx context.Context) (*driver.StorageState, error) {
	cookies, err := st.browser.Cookies(ctx)
	if err != nil {
		return nil, opError("storagestate", "", err)
	}
	state := &driver.StorageState{Cookies: cookies, Origins: []driver.OriginStorage{}}
	seen := map[string]bool{}
	frames := st.shownFrames()
	for _, f := range frames {
		o, err := st.stored(ctx, f, seen)
		switch {
		case errors.Is(err, driver.ErrDetached), errors.Is(err, driver.ErrStale), errors.Is(err, driver.ErrCrashed):
			continue // it went away meanwhile
		case err != nil:
			return nil, opError("storagestate", f.URL, err)
		}
		if o != nil {
			state.Origins = append(state.Origins, *o)
		}
	}
	st.forgetDatabases(frames)
	return state, nil
}

// A shownFrame is one whose origin may have stored something.
type shownFrame struct {
	frameState
	page *page
}

// shownFrames returns the frames of all pages.
func (st *storage) shownFrames() []shownFrame {
	st.browser.mu.Lock()
	defer st.browser.mu.Unlock()
	var list []shownFrame
	for _, p := range st.browser.pages {
		for _, f := range p.main.appendTo(nil) {
			list = append(list, shownFrame{f.state(), p})
		}
	}
	return list
}

// stored reads what a frame's origin has stored. It is nil if that is nothing, or
// belongs to an embedding site, and for an origin that was seen before.
func (st *storage) stored(ctx context.Context, f shownFrame, seen map[string]bool) (*driver.OriginStorage, error) {
	if !overHTTP(f.URL) {
		return nil, nil
	}
	reply, err := protocol.StorageGetStorageKeyForFrame.Do(ctx, f.session, cdpstorage.GetStorageKeyForFrameArgs{FrameID: cdppage.FrameID(f.ID)})
	if refused, ok := errors.AsType[*CommandError](err); ok && strings.Contains(refused.Message, "opaque origin") {
		return nil, nil // a frame in a sandbox stores nothing
	}
	if err != nil {
		return nil, err
	}
	key := string(reply.StorageKey)
	origin, partition, _ := strings.Cut(key, "^")
	origin = strings.TrimSuffix(origin, "/")
	if partition != "" || seen[origin] {
		return nil, nil
	}
	items, err := protocol.DOMStorageGetDOMStorageItems.Do(ctx, f.session, domstorage.GetDOMStorageItemsArgs{
		StorageID: domstorage.StorageID{StorageKey: new(domstorage.SerializedStorageKey(key)), IsLocalStorage: true},
	})
	if err != nil {
		return nil, err
	}
	o := &driver.OriginStorage{Origin: origin, LocalStorage: []driver.StorageEntry{}}
	for _, e := range items.Entries {
		o.LocalStorage = append(o.LocalStorage, driver.StorageEntry{Name: e[0], Value: e[1]})
	}
	slices.SortFunc(o.LocalStorage, func(a, b driver.StorageEntry) int { return strings.Compare(a.Name, b.Name) })
	if err := st.databases(ctx, f, key, o); err != nil {
		return nil, err
	}
	seen[origin] = true
	if len(o.LocalStorage)+len(o.IndexedDB)+len(o.LeftOut) == 0 {
		return nil, nil
	}
	return o, nil
}

const (
	// mostIndexedDB is how many bytes of an origin's databases are read.
	mostIndexedDB = 4 << 20
	// longestReading is how long the databases of an origin may take to be read, and
	// a few answers more: see [databases.Reading].
	// Where that was not enough, a later reading may take laterReading, until seldom
	// times the first one's time has passed.
	longestReading, laterReading = time.Second, 100 * time.Millisecond
	seldom                       = 10
	// longestWriting is how long a database may take to be written.
	longestWriting = 10 * time.Second
)

// databases says what a frame's origin has in IndexedDB. It is read where it has
// changed since it was read last, or is another document's.
func (st *storage) databases(ctx context.Context, f shownFrame, key string, o *driver.OriginStorage) error {
	b := st.browser
	limit := cmp.Or(b.opts.MaxIndexedDB, mostIndexedDB)
	if limit < 0 {
		return nil
	}
	at := storageAt{f.session, key}
	b.mu.Lock()
	known := st.known[at]
	if known != nil && known.doc == f.Doc && known.Contents != nil && !known.Again {
		o.IndexedDB, o.LeftOut = slices.Clone(known.Databases), slices.Clone(known.LeftOut)
		b.mu.Unlock()
		return nil
	}
	wait := longestReading
	if end, ok := ctx.Deadline(); ok { // there is to be time for what else ctx is for
		wait = min(wait, time.Until(end)/2)
	}
	next := &knownDatabases{doc: f.Doc, begun: time.Now(), wait: wait}
	if known != nil && known.doc == f.Doc && wait <= known.wait && time.Since(known.begun) < seldom*known.wait {
		next.begun, next.wait = known.begun, known.wait
		wait = min(wait, laterReading)
	}
	st.known[at] = next
	b.mu.Unlock()
	c, err := readDatabases(ctx, f, key, limit, wait)
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case err != nil:
		delete(st.known, at)
		return err
	case c.Origin != "" && c.Origin != o.Origin:
		delete(st.known, at)
		return driver.ErrStale // another document has come
	}
	if known != nil && known.doc == f.Doc && known.Contents != nil && st.known[at] == next {
		c.Keep(known.Contents)
	}
	next.Contents = c
	o.IndexedDB, o.LeftOut = slices.Clone(c.Databases), slices.Clone(c.LeftOut)
	return nil
}

// readDatabases reads an origin's databases by a script of ours, as the protocol
// does not give values. What is not read in time is left out.
func readDatabases(ctx context.Context, f shownFrame, key string, limit int64, wait time.Duration) (*databases.Contents, error) {
	// The script has its own clock; ours is for a page that has come to a stop. What
	// Chrome needs to begin and to answer is no less for a short wait.
	reading, cancel := counted(ctx, f.page.browser.chrome.root, wait+longestReading/2)
	defer cancel()
	// From here on Chrome tells of changes.
	_, err := protocol.StorageTrackIndexedDBForStorageKey.Do(reading, f.session, cdpstorage.TrackIndexedDBForStorageKeyArgs{StorageKey: key})
	var names indexeddb.RequestDatabaseNamesReply
	if err == nil {
		names, err = protocol.IndexedDBRequestDatabaseNames.Do(reading, f.session, indexeddb.RequestDatabaseNamesArgs{StorageKey: &key})
	}
	c := new(databases.Contents)
	if err == nil && len(names.DatabaseNames) > 0 {
		var text string
		if text, err = f.page.text(reading, f.ID, databases.Reading(limit, wait)); err == nil {
			c, err = databases.Parse(text)
		}
	}
	switch {
	case err == nil:
		return c, nil
	case ctx.Err() != nil, errors.Is(err, driver.ErrDetached), errors.Is(err, driver.ErrStale), errors.Is(err, driver.ErrCrashed), errors.Is(err, driver.ErrClosed):
		return nil, err
	case reading.Err() != nil:
		err = fmt.Errorf("the page did not answer within %v", wait)
	}
	return &databases.Contents{LeftOut: []driver.LeftOut{{Why: err.Error()}}, Again: true}, nil
}

// indexedDBChanged has databases read anew when they are asked for again. Chrome
// tells of changes before it answers a command that comes after them, also of those
// by other pages and by workers: TestIndexedDBChanges.
func indexedDBChanged(p *page, s *session, e *cdpstorage.IndexedDBListUpdatedReply) {
	st, at := &p.browser.storage, storageAt{s, e.StorageKey}
	if _, known := st.known[at]; known {
		delete(st.known, at)
		p.browser.later(func() { s.Post(untrack(at)) })
	}
}

// untrack ends what Chrome tells of an origin's databases.
func untrack(at storageAt) conn.Command {
	return protocol.StorageUntrackIndexedDBForStorageKey.With(cdpstorage.UntrackIndexedDBForStorageKeyArgs{StorageKey: at.key})
}

// forgetDatabases forgets those of documents that are not shown any more.
func (st *storage) forgetDatabases(shown []shownFrame) {
	docs := map[driver.DocID]bool{}
	for _, f := range shown {
		docs[f.Doc] = true
	}
	st.browser.mu.Lock()
	defer st.browser.mu.Unlock()
	for at, known := range st.known {
		if !docs[known.doc] {
			delete(st.known, at)
			at.session.Post(untrack(at))
		}
	}
}

// restore brings back a state. Storage needs a document of its origin: a page of
// ours shows an empty one for each, made up here, so that no request leaves; then
// it is closed. Nobody has seen it.
func (st *storage) restore(ctx context.Context, state *driver.StorageState) (err error) {
	if state == nil {
		return nil
	}
	b := st.browser
	if err := b.SetCookies(ctx, state.Cookies...); err != nil {
		return err
	}
	for i := range state.Origins {
		if err := databases.Check(state.Origins[i].IndexedDB); err != nil {
			return fmt.Errorf("restoring the storage of %s: %w", state.Origins[i].Origin, err)
		}
	}
	if len(state.Origins) == 0 {
		return nil
	}
	made, err := b.NewPage(ctx)
	if err != nil {
		return err
	}
	p := made.(*page)
	defer func() { err = errors.Join(err, p.Close(context.WithoutCancel(ctx))) }()
	b.mu.Lock()
	p.blank = true
	b.mu.Unlock()
	if _, err := protocol.FetchEnable.Do(ctx, p.session, fetch.EnableArgs{Patterns: allRequests}); err != nil {
		return err
	}
	for i := range state.Origins {
		if err := fillStorage(ctx, p, &state.Origins[i]); err != nil {
			return fmt.Errorf("restoring the storage of %s: %w", state.Origins[i].Origin, err)
		}
	}
	return nil
}

func fillStorage(ctx context.Context, p *page, o *driver.OriginStorage) error {
	if _, err := p.Navigate(ctx, o.Origin+"/", &driver.NavigateOptions{WaitUntil: driver.WaitCommit}); err != nil {
		return err
	}
	entries, err := json.Marshal(o.LocalStorage)
	if err != nil {
		return err
	}
	if len(o.LocalStorage) > 0 {
		if _, err := p.text(ctx, "", "for (const {name, value} of "+string(entries)+") localStorage.setItem(name, value); ''"); err != nil {
			return err
		}
	}
	if len(o.IndexedDB) == 0 {
		return nil
	}
	expression, err := databases.Writing(o.IndexedDB, longestWriting)
	if err != nil {
		return err
	}
	wrong, err := p.text(ctx, "", expression)
	if err == nil && wrong != "" {
		err = errors.New(wrong)
	}
	return err
}
