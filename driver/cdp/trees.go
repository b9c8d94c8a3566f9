package cdp

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/mafredri/cdp/protocol/dom"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/protocol"
)

// A snapshot tells of each node what kind of shadow tree it is in, and not
// whose. Most often that is plain from the kinds of a node and of its parent.
// It is not where a shadow tree stands in another of its own kind, or a slot
// there has content: then our script or Chrome is asked about the element, once.

// A trees tells whose the shadow trees of a page's documents are, and has our script
// watch them. It keeps what it knows of the documents that were last captured.
type trees struct {
	mu   sync.Mutex // protects docs and the treeFacts in it
	docs map[driver.DocID]*treeFacts
}

// A treeFacts is what is known about the trees of one document.
type treeFacts struct {
	hosts map[driver.NodeID]bool // whether an element hosts a shadow root, or a slot has nodes assigned
	armed map[driver.NodeID]bool // hosts whose tree our script watches
}

// assignHosts fills in Host as far as facts allow, and returns the elements
// that somebody has to be asked about.
func assignHosts(nodes []driver.Node, facts *treeFacts) (ask []unknown) {
	asked := int32(-1)
	for i := 1; i < len(nodes); i++ {
		n := &nodes[i]
		p := &nodes[n.Parent]
		switch {
		case n.Kind == driver.PseudoNode:
			n.Host, n.Shadow = p.Host, p.Shadow
			continue
		case p.Kind == driver.DocumentNode || p.Shadow == driver.Light && n.Shadow == driver.Light:
			continue
		}
		slot := p.Name == "slot" && p.Host >= 0
		if n.Shadow != p.Shadow {
			n.Host = n.Parent
			if slot {
				n.Host = nodes[p.Host].Host
			}
			continue
		}
		n.Host = p.Host
		if slot && nodes[p.Host].Shadow != p.Shadow || !slot && !mayHost(p) {
			continue
		}
		yes, known := facts.hosts[p.ID]
		switch {
		case !known:
			if asked != n.Parent {
				asked, ask = n.Parent, append(ask, unknown{p.ID, p.Shadow == driver.ClosedShadow})
			}
		case yes && slot:
			n.Host = nodes[p.Host].Host
		case yes:
			n.Host = n.Parent
		}
	}
	return ask
}

// resolveHosts completes the document's Host fields, and reports whether it
// came upon trees that nobody watched.
func (t *trees) resolveHosts(ctx context.Context, w *world, d *driver.Document) (fresh bool, err error) {
	for range maxNesting {
		t.mu.Lock()
		unknown := assignHosts(d.Nodes, t.facts(d.Doc))
		t.mu.Unlock()
		if len(unknown) == 0 {
			return fresh, nil
		}
		// Open trees are asked of our script, all at once; it has to know
		// those that they are in.
		armed, err := t.arm(ctx, w, d)
		if err != nil {
			return fresh, err
		}
		fresh = fresh || armed
		hosts, err := nestedHosts(ctx, w)
		if err != nil {
			return fresh, err
		}
		closed, err := askClosed(ctx, w.session, unknown)
		if err != nil {
			return fresh, err
		}
		t.mu.Lock()
		f := t.facts(d.Doc)
		for _, u := range unknown {
			f.hosts[u.id] = hosts[u.id] || closed[u.id]
		}
		t.mu.Unlock()
	}
	return fresh, errors.New("shadow trees are nested too deep")
}

// maxNesting bounds the rounds of questions: one for each level of trees
// within trees of their kind.
const maxNesting = 100

// An unknown is an element that may host a tree.
type unknown struct {
	id     driver.NodeID
	closed bool // and that tree may be a closed one
}

// nestedHosts asks our script for the hosts of open trees within the trees
// that it knows, and for the slots there that are filled.
func nestedHosts(ctx context.Context, w *world) (map[driver.NodeID]bool, error) {
	var places []int // of all nodes
	nodes, err := w.ask(ctx, call{name: "nested", document: true, deep: true}, &places)
	if err != nil {
		return nil, err
	}
	hosts := make(map[driver.NodeID]bool, len(nodes))
	for _, n := range nodes[1:] {
		hosts[n.ID] = true
	}
	return hosts, nil
}

// facts returns those of a document. t.mu is held.
func (t *trees) facts(id driver.DocID) *treeFacts {
	f := t.docs[id]
	if f == nil {
		f = &treeFacts{hosts: map[driver.NodeID]bool{}, armed: map[driver.NodeID]bool{}}
		t.docs[id] = f
	}
	return f
}

// keep forgets all documents but these.
func (t *trees) keep(docs []driver.Document) {
	t.mu.Lock()
	defer t.mu.Unlock()
	maps.DeleteFunc(t.docs, func(id driver.DocID, _ *treeFacts) bool {
		return !slices.ContainsFunc(docs, func(d driver.Document) bool { return d.Doc == id })
	})
}

// askAtOnce is how many elements Chrome is asked about in one write.
const askAtOnce = 512

// askClosed asks Chrome which elements host closed trees; no script can know.
// An element that has gone meanwhile counts as plain.
func askClosed(ctx context.Context, s *session, elements []unknown) (map[driver.NodeID]bool, error) {
	var ids []driver.NodeID
	for _, u := range elements {
		if u.closed {
			ids = append(ids, u.id)
		}
	}
	hosts := map[driver.NodeID]bool{}
	for some := range slices.Chunk(ids, askAtOnce) {
		requests := make([]*conn.Request[dom.DescribeNodeReply], len(some))
		for i, id := range some {
			requests[i] = protocol.DOMDescribeNode.With(dom.DescribeNodeArgs{BackendNodeID: new(dom.BackendNodeID(id)), Depth: new(0)})
		}
		replies, err := conn.All(ctx, s, requests)
		if err != nil && !errors.As(err, new(*CommandError)) {
			return nil, err
		}
		for i, reply := range replies {
			if reply == nil {
				continue
			}
			n := &reply.Node
			hosts[some[i]] = len(n.DistributedNodes) > 0 || len(n.ShadowRoots) > 0 && n.ShadowRoots[0].ShadowRootType != dom.ShadowRootTypeUserAgent
		}
	}
	return hosts, nil
}

// arm has our script watch the shadow trees of a document that it does
// not watch yet, and reports whether there were any.
func (t *trees) arm(ctx context.Context, w *world, d *driver.Document) (bool, error) {
	var hosts, members []driver.NodeID
	last := int32(-1)
	t.mu.Lock()
	armed := t.facts(d.Doc).armed
	for i := 1; i < len(d.Nodes); i++ {
		n := &d.Nodes[i]
		if n.Host < 0 || n.Host != n.Parent || n.Host == last || n.Kind == driver.PseudoNode {
			continue
		}
		last = n.Host
		if !armed[d.Nodes[n.Host].ID] {
			hosts, members = append(hosts, d.Nodes[n.Host].ID), append(members, n.ID)
		}
	}
	t.mu.Unlock()
	if len(hosts) == 0 {
		return false, nil
	}
	if err := watchTrees(ctx, w, members...); err != nil {
		return false, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, id := range hosts {
		armed[id] = true
	}
	return true, nil
}

// watchTrees has our script watch the trees that nodes are in, or are the roots of.
func watchTrees(ctx context.Context, w *world, nodes ...driver.NodeID) error {
	objects, err := w.resolve(ctx, nodes...)
	if err != nil {
		return err
	}
	defer release(w.session, objects...)
	_, err = w.ask(ctx, call{name: "arm", nodes: objects}, nil)
	return err
}

func mayHost(n *driver.Node) bool {
	return n.Kind == driver.ElementNode && n.Namespace == driver.HTML && (hostNames[n.Name] || strings.Contains(n.Name, "-"))
}

// hostNames are the elements that can host a shadow root, besides custom ones.
var hostNames = map[string]bool{
	"article": true, "aside": true, "blockquote": true, "body": true, "div": true, "footer": true, "h1": true, "h2": true, "h3": true,
	"h4": true, "h5": true, "h6": true, "header": true, "main": true, "nav": true, "p": true, "section": true, "span": true,
}
