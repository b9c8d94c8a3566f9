package engine

import (
	"fmt"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
)

// An Excerpt says which part of a [Snapshot] is written for a model, and how
// much of it. The zero value is all of it.
type Excerpt struct {
	Ref       accessibility.Ref // this node and what is below it; empty is the whole snapshot
	MaxTokens int               // 0 is no limit
	URLs      bool              // of an outline: say where links go

	// From is the line at which a text begins, counted from 0, for who goes on
	// reading.
	From int
}

// OutlineOf writes the outline of a snapshot without values of variables, those
// that became known after it was taken included. Its refs are the snapshot's. A
// Ref that is not in the snapshot is [ErrNotFound].
func (s *Session) OutlineOf(snap *Snapshot, e Excerpt) (string, error) {
	part, err := s.part(snap, e)
	if err != nil {
		return "", fmt.Errorf("outline: %w", err)
	}
	return part.Outline(), nil
}

// TextOf writes what a snapshot says as text, a line for each block, without
// values of variables. Where MaxTokens leaves lines out, the last line says how
// many, and from which one to go on.
func (s *Session) TextOf(snap *Snapshot, e Excerpt) (string, error) {
	part, err := s.part(snap, e)
	if err != nil {
		return "", fmt.Errorf("text: %w", err)
	}
	text := s.secrets.hide(part.Text())
	if e.MaxTokens <= 0 && e.From <= 0 {
		return text, nil
	}
	return pageOf(strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n"), e), nil
}

// LineOf writes a node of a snapshot as its outline says it, without values of
// variables.
func (s *Session) LineOf(snap *Snapshot, n *accessibility.Node) string {
	return snap.With(*s.secrets.mask(&accessibility.Options{})).Line(n)
}

// Hide puts the placeholders of variables in the place of their values, however
// these are spelled, for a text that goes to a model or a record.
func (s *Session) Hide(text string) string { return s.secrets.hide(text) }

// part is the part of a snapshot that an excerpt is about.
func (s *Session) part(snap *Snapshot, e Excerpt) (*Snapshot, error) {
	opts := *s.secrets.mask(&accessibility.Options{MaxTokens: e.MaxTokens, URLs: e.URLs})
	if e.Ref == "" {
		return snap.With(opts), nil
	}
	node, ok := snap.Lookup(e.Ref)
	if !ok {
		return nil, fmt.Errorf("%w: no line of the page has the ref %q", ErrNotFound, e.Ref)
	}
	opts.Scope = []driver.NodeRef{node.Source}
	return accessibility.Build(snap.Capture, &opts), nil
}

// pageOf is as much of some lines as there is room for.
func pageOf(lines []string, e Excerpt) string {
	from := min(max(e.From, 0), len(lines))
	lines = lines[from:]
	if e.MaxTokens <= 0 {
		return strings.Join(lines, "")
	}
	const rest = 16 // for what the last line says
	var b strings.Builder
	used := 0
	for i, line := range lines {
		size := accessibility.Tokens(line)
		room := e.MaxTokens - used
		if i < len(lines)-1 {
			room -= rest
		}
		if size <= room {
			b.WriteString(line)
			used += size
			continue
		}
		if i == 0 { // one line may be longer than all of the room
			b.WriteString(clip(line, room-rest) + " …\n")
			i++
		}
		if left := len(lines) - i; left > 0 {
			fmt.Fprintf(&b, "… %d more lines, from line %d on\n", left, from+i)
		}
		break
	}
	return b.String()
}

// clip shortens a line to some tokens.
func clip(line string, tokens int) string {
	letters := []rune(strings.TrimSpace(line))
	short, long := 0, len(letters)
	for short < long {
		if middle := (short + long + 1) / 2; accessibility.Tokens(string(letters[:middle])) <= tokens {
			short = middle
		} else {
			long = middle - 1
		}
	}
	return string(letters[:short])
}
