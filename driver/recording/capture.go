package recording

import (
	"fmt"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A capture is a driver.Capture in the form that is written: parents and hosts
// by their distance, so that a part which moved stays the same, and styles by
// their place in a table.
type capture struct {
	Revision  driver.Revision `json:"revision"`
	Viewport  driver.Size     `json:"viewport"`
	Scale     float64         `json:"scale"`
	Notes     []string        `json:"notes,omitempty"`
	Documents []*document     `json:"documents"`
}

type document struct {
	Frame         driver.FrameID `json:"frame"`
	Doc           driver.DocID   `json:"doc"`
	Ordinal       int            `json:"ordinal,omitempty"`
	URL           string         `json:"url"`
	BaseURL       string         `json:"base"`
	Title         string         `json:"title,omitempty"`
	Lang          string         `json:"lang,omitempty"`
	XML           bool           `json:"xml,omitempty"`
	OwnerDocument int32          `json:"ownerDocument"`
	Owner         int32          `json:"owner"`
	Active        int32          `json:"active"`
	ScrollX       float64        `json:"x,omitempty"`
	ScrollY       float64        `json:"y,omitempty"`
	Content       driver.Size    `json:"content"`
	Styles        []driver.Style `json:"styles"`
	Count         int            `json:"nodes"` // of which each is a line below

	nodes []*node
}

type node struct {
	ID        driver.NodeID     `json:"id"`
	Up        int32             `json:"up"`             // to the parent
	Host      int32             `json:"host,omitempty"` // to the host; 0 is none
	Kind      driver.NodeKind   `json:"kind"`
	Shadow    driver.ShadowKind `json:"shadow,omitempty"`
	Namespace driver.Namespace  `json:"ns,omitempty"`
	Name      fixed             `json:"name,omitempty"`
	Attrs     []attribute       `json:"attrs,omitempty"`
	Text      string            `json:"text,omitempty"`
	Shown     string            `json:"shown,omitempty"`
	AsText    bool              `json:"asText,omitempty"` // what is shown is the text
	Value     string            `json:"value,omitempty"`
	HasValue  bool              `json:"hasValue,omitempty"`
	Checked   bool              `json:"checked,omitempty"`
	Selected  bool              `json:"selected,omitempty"`
	Clickable bool              `json:"clickable,omitempty"`
	Rendered  bool              `json:"rendered,omitempty"`
	Box       *[4]float64       `json:"box,omitempty"`
	Style     int               `json:"style,omitempty"` // place in Styles, from 1
	Rare      *driver.Rare      `json:"rare,omitempty"`
}

type attribute struct {
	Name  fixed  `json:"n"`
	Value string `json:"v"`
}

func newCapture(c *driver.Capture) *capture {
	out := &capture{Revision: c.Revision, Viewport: c.Viewport, Scale: c.Scale, Notes: c.Notes}
	for i := range c.Documents {
		d := &c.Documents[i]
		w := &document{
			Frame: d.Frame, Doc: d.Doc, Ordinal: d.Ordinal, URL: d.URL, BaseURL: d.BaseURL, Title: d.Title, Lang: d.Lang, XML: d.XML,
			OwnerDocument: d.OwnerDocument, Owner: d.Owner, Active: d.Active, ScrollX: d.ScrollX, ScrollY: d.ScrollY,
			Content: d.Content, Count: len(d.Nodes), nodes: make([]*node, len(d.Nodes)),
		}
		places := map[driver.Style]int{}
		for j := range d.Nodes {
			w.nodes[j] = newNode(&d.Nodes[j], int32(j))
			if style := d.Nodes[j].Style; style != nil {
				if places[*style] == 0 {
					w.Styles = append(w.Styles, *style)
					places[*style] = len(w.Styles)
				}
				w.nodes[j].Style = places[*style]
			}
		}
		out.Documents = append(out.Documents, w)
	}
	return out
}

func newNode(n *driver.Node, i int32) *node {
	w := &node{
		ID: n.ID, Up: i - n.Parent, Kind: n.Kind, Shadow: n.Shadow, Namespace: n.Namespace, Name: fixed(n.Name),
		Text: n.Text, Value: n.Value, HasValue: n.HasValue, Checked: n.Checked, Selected: n.Selected,
		Clickable: n.Clickable, Rendered: n.Rendered, Rare: n.Rare,
	}
	if n.Host >= 0 {
		w.Host = i - n.Host
	}
	if w.AsText = n.Shown != "" && n.Shown == n.Text; !w.AsText {
		w.Shown = n.Shown
	}
	if n.Box != (driver.Rect{}) {
		w.Box = &[4]float64{n.Box.X, n.Box.Y, n.Box.Width, n.Box.Height}
	}
	for _, a := range n.Attrs {
		w.Attrs = append(w.Attrs, attribute{fixed(a.Name), a.Value})
	}
	return w
}

// capture makes the driver's capture again.
func (c *capture) capture() *driver.Capture {
	out := &driver.Capture{Revision: c.Revision, Viewport: c.Viewport, Scale: c.Scale, Notes: c.Notes}
	for _, w := range c.Documents {
		d := driver.Document{
			Frame: w.Frame, Doc: w.Doc, Ordinal: w.Ordinal, URL: w.URL, BaseURL: w.BaseURL, Title: w.Title, Lang: w.Lang, XML: w.XML,
			OwnerDocument: w.OwnerDocument, Owner: w.Owner, Active: w.Active, ScrollX: w.ScrollX, ScrollY: w.ScrollY,
			Content: w.Content, Nodes: make([]driver.Node, len(w.nodes)),
		}
		for i, n := range w.nodes {
			d.Nodes[i] = n.node(int32(i))
			if n.Style > 0 {
				d.Nodes[i].Style = &w.Styles[n.Style-1]
			}
		}
		out.Documents = append(out.Documents, d)
	}
	return out
}

func (w *node) node(i int32) driver.Node {
	n := driver.Node{
		ID: w.ID, Parent: i - w.Up, Host: -1, Kind: w.Kind, Shadow: w.Shadow, Namespace: w.Namespace, Name: string(w.Name),
		Text: w.Text, Shown: w.Shown, Value: w.Value, HasValue: w.HasValue, Checked: w.Checked, Selected: w.Selected,
		Clickable: w.Clickable, Rendered: w.Rendered, Rare: w.Rare,
	}
	if w.Host > 0 {
		n.Host = i - w.Host
	}
	if w.AsText {
		n.Shown = w.Text
	}
	if w.Box != nil {
		n.Box = driver.Rect{X: w.Box[0], Y: w.Box[1], Width: w.Box[2], Height: w.Box[3]}
	}
	for _, a := range w.Attrs {
		n.Attrs = append(n.Attrs, driver.Attr{Name: string(a.Name), Value: a.Value})
	}
	return n
}

// check refuses indices that lead out of a capture: nobody but us writes
// recordings, and anybody can change one.
func (c *capture) check() error {
	for d, w := range c.Documents {
		if w.Count != len(w.nodes) || w.Count == 0 {
			return fmt.Errorf("document %d has %d of %d nodes", d, len(w.nodes), w.Count)
		}
		if int(w.OwnerDocument) >= d || int(w.Active) >= w.Count || d > 0 && w.OwnerDocument < 0 {
			return fmt.Errorf("document %d stands in document %d", d, w.OwnerDocument)
		}
		if w.OwnerDocument >= 0 && (w.Owner < 0 || int(w.Owner) >= c.Documents[w.OwnerDocument].Count) {
			return fmt.Errorf("document %d stands in no element", d)
		}
		for i, n := range w.nodes {
			if n.Up < 1 || int(n.Up) > i+1 || i > 0 && int(n.Up) > i || n.Host < 0 || int(n.Host) > i || n.Style < 0 || n.Style > len(w.Styles) {
				return fmt.Errorf("node %d of document %d has no parent, host or style", i, d)
			}
		}
	}
	return nil
}
