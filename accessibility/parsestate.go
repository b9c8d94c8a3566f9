package accessibility

import (
	"strconv"
	"strings"
)

// property reads name="value".
func (p *lineParser) property(it *Item) {
	name := p.word()
	p.expect("=")
	s, cut := p.quoted()
	switch name {
	case "value":
		it.Value, it.Cut.Value = s, cut
	case "placeholder":
		it.Placeholder, it.Cut.Placeholder = s, cut
	case "description":
		it.Description, it.Cut.Description = s, cut
	case "url":
		it.URL, it.Cut.URL = s, cut
	default:
		p.fail("unknown property " + strconv.Quote(name))
	}
}

// state reads what stands between parentheses.
func (p *lineParser) state(it *Item) {
	word := p.word()
	s := &it.States
	for i := range flags {
		if flags[i].word == word {
			*flags[i].ref(it) = true
			return
		}
	}
	switch word {
	case "checked":
		s.Checked = On
	case "mixed":
		s.Checked = Mixed
	case "pressed":
		s.Pressed = On
	case "partly":
		p.expect(" pressed")
		s.Pressed = Mixed
	case "expanded":
		s.Expanded = On
	case "collapsed":
		s.Expanded = Off
	case "selected":
		s.Selected = On
	case "level":
		p.expect(" ")
		s.Level = p.percent().Value
	case "heading":
		p.expect(" ")
		it.Heading = p.percent().Value
	case "invalid":
		s.Invalid = p.stateValue()
	case "popup":
		s.HasPopup = p.stateValue()
	case "current":
		s.Current = p.stateValue()
	case "sort":
		s.Sort = p.stateValue()
	case "scrollable":
		p.expect(" ")
		if p.accept("across ") {
			it.ScrollX = p.percent()
		} else {
			it.ScrollY = p.percent()
		}
		p.expect("%")
	case "options":
		p.options(it)
	default:
		p.fail("unknown state " + strconv.Quote(word))
	}
}

// stateValue reads the value of a state, if it has one.
func (p *lineParser) stateValue() string {
	if !p.accept(": ") {
		return "true"
	}
	return p.closed("|)")
}

// closed reads a text within parentheses.
func (p *lineParser) closed(stop string) string {
	if strings.HasPrefix(p.rest, `"`) {
		s, _ := p.quoted()
		return s
	}
	n := strings.IndexAny(p.rest, stop)
	if n < 0 {
		p.fail("unclosed parenthesis")
		return ""
	}
	s := p.rest[:n]
	if p.rest[n] == '|' {
		s = strings.TrimSuffix(s, " ")
	}
	p.rest = p.rest[len(s):]
	return s
}

func (p *lineParser) options(it *Item) {
	p.expect(":")
	for p.err == nil {
		p.expect(" ")
		if p.accept("… ") {
			it.MoreOptions = p.count()
			p.expect(" more")
			return
		}
		it.Options = append(it.Options, p.closed("|)"))
		if !p.accept(" |") {
			return
		}
	}
}
