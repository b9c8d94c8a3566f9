package engine

import "sync"

// given are the elements of actions that a session gave out, so that one that
// comes back without what tells its element from others (over HTTP an Action has
// room for neither fingerprint nor surroundings) is held to it all the same.
type given struct {
	mu    sync.Mutex // protects what follows
	known map[givenKey]givenElement
	order []givenKey // oldest first
}

type givenKey struct {
	selector string
	node     int64
}

type givenElement struct {
	print  Fingerprint
	around *Surroundings
}

// mostGiven bounds the memory; the oldest are forgotten first.
const mostGiven = 10_000

// note remembers an action that is given out.
func (g *given) note(a Action) {
	if a.Fingerprint == nil || a.BackendNodeID == 0 {
		return
	}
	key := givenKey{a.Selector, a.BackendNodeID}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.known == nil {
		g.known = map[givenKey]givenElement{}
	}
	if _, ok := g.known[key]; !ok {
		if len(g.order) >= mostGiven {
			delete(g.known, g.order[0])
			g.order = g.order[1:]
		}
		g.order = append(g.order, key)
	}
	g.known[key] = givenElement{*a.Fingerprint, a.Surroundings}
}

// complete puts back what an action has lost. One that was not given out stays
// as it is.
func (g *given) complete(a Action) Action {
	if a.Fingerprint != nil || a.BackendNodeID == 0 {
		return a
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if e, ok := g.known[givenKey{a.Selector, a.BackendNodeID}]; ok {
		a.Fingerprint, a.Surroundings = &e.print, e.around
	}
	return a
}
