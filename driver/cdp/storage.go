package cdp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// StorageState implements driver.Browser.
func (b *browser) StorageState(ctx context.Context) (*driver.StorageState, error) {
	cookies, err := b.Cookies(ctx)
	if err != nil {
		return nil, opError("storagestate", "", err)
	}
	state := &driver.StorageState{Cookies: cookies, Origins: []driver.OriginStorage{}}
	seen := map[string]bool{}
	for _, f := range b.shownFrames() {
		o, err := localStorage(ctx, f)
		switch {
		case errors.Is(err, driver.ErrDetached), errors.Is(err, driver.ErrStale), errors.Is(err, driver.ErrCrashed):
			continue // it went away meanwhile
		case err != nil:
			return nil, opError("storagestate", f.URL, err)
		}
		if o != nil && !seen[o.Origin] {
			seen[o.Origin] = true
			state.Origins = append(state.Origins, *o)
		}
	}
	return state, nil
}

// shownFrames returns the frames of all pages.
func (b *browser) shownFrames() []frameState {
	b.mu.Lock()
	defer b.mu.Unlock()
	var list []frameState
	for _, p := range b.pages {
		for _, d := range appendFrames(nil, p.main) {
			list = append(list, frameState{d, p.frames[d.ID].session})
		}
	}
	return list
}

// localStorage reads the local storage of a frame's origin, without a script.
// It is nil if there is none, or one that belongs to an embedding site.
func localStorage(ctx context.Context, f frameState) (*driver.OriginStorage, error) {
	if !strings.HasPrefix(f.URL, "http:") && !strings.HasPrefix(f.URL, "https:") {
		return nil, nil
	}
	var key struct{ StorageKey string }
	if err := f.session.Call(ctx, "Storage.getStorageKeyForFrame", map[string]any{"frameId": f.ID}, &key); err != nil {
		return nil, err
	}
	origin, partition, _ := strings.Cut(key.StorageKey, "^")
	if partition != "" {
		return nil, nil
	}
	var items struct{ Entries [][2]string }
	id := map[string]any{"storageKey": key.StorageKey, "isLocalStorage": true}
	if err := f.session.Call(ctx, "DOMStorage.getDOMStorageItems", map[string]any{"storageId": id}, &items); err != nil {
		return nil, err
	}
	if len(items.Entries) == 0 {
		return nil, nil
	}
	o := &driver.OriginStorage{Origin: strings.TrimSuffix(origin, "/")}
	for _, e := range items.Entries {
		o.LocalStorage = append(o.LocalStorage, driver.StorageEntry{Name: e[0], Value: e[1]})
	}
	slices.SortFunc(o.LocalStorage, func(a, b driver.StorageEntry) int { return strings.Compare(a.Name, b.Name) })
	return o, nil
}

// restore brings back a state. Local storage needs a document of its origin:
// a page of ours shows an empty one for each, made up here, so that no
// request leaves; then it is closed. Nobody has seen it.
func (b *browser) restore(ctx context.Context, state *driver.StorageState) (err error) {
	if err := b.SetCookies(ctx, state.Cookies...); err != nil {
		return err
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
	if err := p.session.Call(ctx, "Fetch.enable", map[string]any{"patterns": []map[string]any{{"urlPattern": "*"}}}, nil); err != nil {
		return err
	}
	for i := range state.Origins {
		if err := p.fillStorage(ctx, &state.Origins[i]); err != nil {
			return fmt.Errorf("restoring the storage of %s: %w", state.Origins[i].Origin, err)
		}
	}
	return nil
}

func (p *page) fillStorage(ctx context.Context, o *driver.OriginStorage) error {
	if _, err := p.Navigate(ctx, o.Origin+"/", &driver.NavigateOptions{WaitUntil: driver.WaitCommit}); err != nil {
		return err
	}
	world, state, err := p.worldOf(ctx, "", driver.Isolated)
	if err != nil {
		return err
	}
	entries, err := json.Marshal(o.LocalStorage)
	if err != nil {
		return err
	}
	var result struct {
		ExceptionDetails *struct{ Exception struct{ Description string } }
	}
	err = state.session.Call(ctx, "Runtime.evaluate", map[string]any{
		"contextId":  world,
		"expression": "for (const {name, value} of " + string(entries) + ") localStorage.setItem(name, value)",
	}, &result)
	if err == nil && result.ExceptionDetails != nil {
		err = errors.New(result.ExceptionDetails.Exception.Description)
	}
	return err
}
