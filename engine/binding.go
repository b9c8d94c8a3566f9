package engine

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/policy"
)

// used returns the names of the variables that stand in arguments.
func used(args []string, vars map[string]Variable) []string {
	var names []string
	for _, arg := range args {
		for _, name := range Placeholders(arg) {
			if _, ok := vars[name]; ok && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// checkBinding refuses values that may not be typed into the document of a
// node, and reports whether any is bound to hosts.
func (p *Page) checkBinding(node driver.NodeRef, args []string, vars map[string]Variable) (bound bool, _ error) {
	for _, name := range used(args, vars) {
		v := vars[name]
		if len(v.Hosts) == 0 {
			continue
		}
		hosts, err := policy.ParseHosts(v.Hosts)
		if err != nil {
			return false, fmt.Errorf("%w: variable %s: %w", ErrInvalid, name, err)
		}
		address, err := p.sourceOf(node)
		if err != nil {
			return false, err
		}
		if !hosts.Holds(address) {
			return false, fmt.Errorf("%w: %%%s%% is for %s, and the element is in a document of %s",
				ErrWrongHost, name, strings.Join(v.Hosts, ", "), hostName(address))
		}
		bound = true
	}
	return bound, nil
}

// sourceOf returns the address that the document of a node came from. One
// without an address of its own (about:blank, srcdoc) has its parent's.
func (p *Page) sourceOf(node driver.NodeRef) (string, error) {
	frames := map[driver.FrameID]driver.Frame{}
	for _, f := range p.driver.Frames() {
		frames[f.ID] = f
	}
	frame, ok := frames[node.Frame]
	if !ok || frame.Doc != node.Doc {
		return "", fmt.Errorf("the element's document is gone: %w", driver.ErrStale)
	}
	for range len(frames) {
		parent, ok := frames[frame.Parent]
		if !strings.HasPrefix(frame.URL, "about:") || !ok {
			break
		}
		frame = parent
	}
	return strings.TrimPrefix(frame.URL, "blob:"), nil
}

// hostName says where an address leads, for people.
func hostName(address string) string {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return "no host"
	case u.Hostname() == "":
		return "no host (" + u.Scheme + ":)"
	}
	return u.Hostname()
}

// keepFocus makes sure that keys go to the element, where they carry a value
// that is bound to its document: a page can move the focus into another.
func (d *deed) keepFocus(ctx context.Context, events []driver.InputEvent) error {
	if !d.bound || !slices.ContainsFunc(events, writes) {
		return nil
	}
	now, err := d.state(ctx)
	if err != nil {
		return err
	}
	if !now.Focused {
		return errors.Join(ErrNoEffect, errors.New("the focus left the element before anything was typed"))
	}
	return nil
}

// writes reports input that goes where the focus is.
func writes(e driver.InputEvent) bool {
	switch e.(type) {
	case driver.KeyDown, driver.KeyUp, driver.InsertText:
		return true
	}
	return false
}
