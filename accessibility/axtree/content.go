package axtree

// maxDepth bounds the recursion of names. The limit of visited items ends nearly
// all of them sooner, but presentational items do not count towards that.
const maxDepth = 2 * maxVisited

// content joins the alternatives of what an item contains (accname 2F.i), with
// a space between two that do not read as one word.
func (b *builder) content(i int32, v *visitSet, root int32, recursive bool) string {
	if b.depth++; b.depth > maxDepth {
		b.depth--
		return ""
	}
	defer func() { b.depth-- }()
	if b.items[i].is(isElement) && !b.canHaveChildren(i) {
		if recursive {
			return ""
		}
		return b.innerText(i)
	}
	var (
		j        joiner
		prev     = none
		lastFrom = fromNothing
		actions  []int32
		summary  bool
	)
	if b.items[i].tag == tagDetails && b.firstOfTag(i, tagSummary) == none {
		summary = true // the one that browsers supply
		j.add("Details")
	}
	if b.items[i].any(ariaActions) {
		actions = b.references(i, "aria-actions")
	}
	for c := b.includedChild(i); c != none; c = b.includedNext(i, c) {
		if v.len() > maxVisited {
			break
		}
		if contains(actions, c) || b.hiddenInName(c, root) {
			continue
		}
		var s string
		from := fromNothing
		if b.items[c].kind.is(presentational) {
			s = b.content(c, v, root, true)
		} else {
			s, from = b.recursiveFrom(c, root, v)
		}
		if s != "" {
			if j.open() && !isSpace(s[0]) && (prev == none && summary || prev != none && b.apart(prev, c, lastFrom, from)) {
				j.add(" ")
			}
			j.add(s)
			lastFrom = from
		}
		// It separates its neighbours, whether it has a text or not.
		prev = c
	}
	return j.String()
}

func contains(list []int32, i int32) bool {
	for _, x := range list {
		if x == i {
			return true
		}
	}
	return false
}

// A joiner joins strings, and copies nothing if there is only one.
type joiner struct {
	one string
	buf []byte
}

func (j *joiner) add(s string) {
	switch {
	case j.buf != nil:
		j.buf = append(j.buf, s...)
	case j.one == "":
		j.one = s
	default:
		j.buf = make([]byte, 0, len(j.one)+len(s)+32)
		j.buf = append(append(j.buf, j.one...), s...)
	}
}

// open reports whether the text so far ends in something that could run
// together with what follows.
func (j *joiner) open() bool {
	if j.buf != nil {
		return !isSpace(j.buf[len(j.buf)-1])
	}
	return j.one != "" && !isSpace(j.one[len(j.one)-1])
}

func (j *joiner) String() string {
	if j.buf != nil {
		return string(j.buf)
	}
	return j.one
}

// apart reports whether a space belongs between the texts of two items that
// follow one another.
func (b *builder) apart(prev, next int32, last, from nameFrom) bool {
	p, n := &b.items[prev], &b.items[next]
	switch {
	case !p.is(inlineLevel) || !n.is(inlineLevel) || p.run != n.run:
		return true
	case p.is(atomic) || n.is(atomic):
		return true
	case last.separate() || from.separate():
		return true
	}
	return b.isControl(prev) || b.isControl(next)
}

// A nameFrom is where a name was found. One that does not come from plain text is
// set apart by spaces, and a description must not repeat it.
type nameFrom uint8

const (
	fromNothing nameFrom = iota
	fromEmpty            // an alternative text that is empty on purpose
	fromContents
	fromAttribute
	fromCaption
	fromPseudoAlt
	fromPlaceholder
	fromRelated
	fromTitle
	fromValue
	fromPopover
)

// separate reports whether a text from there stands apart from its neighbours.
func (f nameFrom) separate() bool { return f > fromContents }
