package direct

import (
	"regexp"
	"strings"
)

// A record is one of several parts of a page that are built alike.
type record struct {
	node  int32
	facts []fact
}

// A group is a list of records.
type group struct {
	at      int32 // what holds them
	nodes   []int32
	table   *table
	records []record
	total   int // how many the page says that there are; 0 if it doesn't
}

// groups finds the lists of records below a node, outermost first. Parts of
// records are lists of their own.
func (p *page) groups(root int32) []group {
	var out []group
	aside := p.nodes[root].aside
	for i := root; i < p.nodes[root].end; {
		n := &p.nodes[i]
		if n.aside && !aside || n.leaf {
			i = n.end
			continue
		}
		if n.kind == elementNode && isTable(n) {
			t := p.tableAt(i)
			if t.header > 0 && len(t.rows) > t.header {
				out = append(out, group{at: i, table: t})
			}
			if t.turned(p) {
				out = append(out, group{at: i, records: t.columnsAsRecords(p)})
			}
			i = n.end
			continue
		}
		if n.kind == elementNode && !n.is("dl", "select") {
			out = append(out, p.alike(i)...)
		}
		i++
	}
	return out
}

// alike returns the groups among an element's children.
func (p *page) alike(at int32) []group {
	by := map[string][]int32{}
	var order []string
	p.children(at, func(c int32) {
		n := &p.nodes[c]
		if n.kind != elementNode || n.leaf || n.aside || n.end-c < 2 || inlineOnly[n.dom.Name] {
			return
		}
		key := p.build(c)
		if by[key] == nil {
			order = append(order, key)
		}
		by[key] = append(by[key], c)
	})
	var out []group
	for _, key := range order {
		if nodes := by[key]; len(nodes) > 1 && !p.nested(nodes, key) && !p.interrupted(nodes) {
			g := group{at: at, nodes: nodes}
			for _, c := range nodes {
				g.total = max(g.total, number(attr(p.nodes[c].dom, "aria-setsize")))
			}
			out = append(out, g)
		}
	}
	return out
}

var inlineOnly = setOf("span b strong em i small br p h1 h2 h3 h4 h5 h6 label time img button script style")

// build says what an element is made as: siblings of one list are made alike.
func (p *page) build(c int32) string {
	n := &p.nodes[c]
	if n.is("li", "article") {
		return n.dom.Name // all of a list, however some of them are marked
	}
	class, _, _ := strings.Cut(strings.TrimSpace(attr(n.dom, "class")), " ")
	return n.dom.Name + "." + class + "." + string(n.object.Role)
}

// nested reports whether a list's records hold or stand in others that are made
// alike: replies below replies are no flat list.
func (p *page) nested(nodes []int32, key string) bool {
	if strings.HasPrefix(key, "div..") || strings.HasPrefix(key, "section..") || key == "li" && !p.repeats(nodes, key) {
		return false
	}
	for i := p.nodes[nodes[0]].parent; i >= 0; i = p.nodes[i].parent {
		if p.nodes[i].kind == elementNode && p.build(i) == key {
			return true
		}
	}
	return p.repeats(nodes, key)
}

// interrupted reports whether something of the same size, made otherwise, stands
// between the records: it may be one, too, and would be left out.
func (p *page) interrupted(nodes []int32) bool {
	size := int32(0)
	for _, c := range nodes {
		size += p.nodes[c].end - c
	}
	size /= int32(len(nodes))
	for k, c := range nodes[1:] {
		for between := p.nodes[nodes[k]].end; between < c; between = p.nodes[between].end {
			n := &p.nodes[between]
			if n.kind == elementNode && !n.aside && n.is(p.nodes[c].dom.Name) && 2*(n.end-between) > size {
				return true
			}
		}
	}
	return false
}

// repeats reports whether what is made alike stands below one of the nodes.
func (p *page) repeats(nodes []int32, key string) bool {
	for _, c := range nodes {
		for i := c + 1; i < p.nodes[c].end; i++ {
			if p.nodes[i].kind == elementNode && p.build(i) == key {
				return true
			}
		}
	}
	return false
}

var sponsored = regexp.MustCompile(`(?i)^(?:sponsored|ad|advertisement|promoted|anzeige|gesponsert|sponsorisé|広告)$`)

// isSponsored reports whether a record says that it is an advertisement.
func (p *page) isSponsored(at int32) bool {
	for i := at; i < p.nodes[at].end; i++ {
		if n := &p.nodes[i]; n.kind == textNode && n.to-n.from < 16 && sponsored.MatchString(collapse(p.text[n.from:n.to])) {
			return true
		}
	}
	return false
}

// read collects the facts of a group's records.
func (g *group) read(p *page) {
	if g.records != nil {
		return
	}
	if g.table != nil {
		g.records = g.table.records(p)
		g.total = max(g.table.total-g.table.header, 0)
		return
	}
	for _, c := range g.nodes {
		g.records = append(g.records, record{node: c, facts: p.described(c, true, p.facts(c, true))})
	}
}

// caption returns what a group is called: its own name or caption, or the heading
// before it.
func (p *page) caption(at int32) string {
	if name := strings.TrimSpace(p.nodes[at].object.Name); name != "" {
		return name
	}
	for depth := 0; at >= 0 && depth < 3; depth++ {
		parent := p.nodes[at].parent
		if parent < 0 {
			return ""
		}
		last := int32(-1)
		for c := parent + 1; c < at; c = p.nodes[c].end {
			if p.nodes[c].object.Role == "heading" {
				last = c
			}
		}
		if last >= 0 {
			return p.span(last)
		}
		at = parent
	}
	return ""
}

// onlyLinks reports whether the records are links and nothing else.
func (g *group) onlyLinks() bool {
	for _, r := range g.records {
		for _, f := range r.facts {
			switch f.key[0] {
			case 'U':
			case 'K', 'C', 'P':
				if f.url == "" && f.key != "K:linked" && f.key != "K:first" {
					return false
				}
			default:
				return false
			}
		}
	}
	return true
}
