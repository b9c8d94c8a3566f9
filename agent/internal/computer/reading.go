package computer

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/engine"
)

const (
	mostFound = 20     // elements that find tells
	mostRead  = 50_000 // characters of a page that is read
)

// refPrefix stands before our refs: the vendor's models know refs as "ref_7".
const refPrefix = "ref_"

// lineRef is the ref at the beginning of an outline's line.
var lineRef = regexp.MustCompile(`(?m)^(\s*)\[([0-9]+-[0-9]+)\]`)

// remember writes refs as the model is to name them, and keeps in which reading
// each was shown.
func (h *Hand) remember(snap *engine.Snapshot, outline string) string {
	if h.shown == nil {
		h.shown = map[accessibility.Ref]*engine.Snapshot{}
	}
	h.newest = snap
	return lineRef.ReplaceAllStringFunc(outline, func(head string) string {
		m := lineRef.FindStringSubmatch(head)
		h.shown[accessibility.Ref(m[2])] = snap
		return m[1] + "[" + refPrefix + m[2] + "]"
	})
}

func plainRef(ref string) accessibility.Ref {
	return accessibility.Ref(strings.TrimPrefix(strings.Trim(ref, "[] "), refPrefix))
}

// named is the element that a ref names, as it was when the model was shown it.
func (h *Hand) named(ref string) (engine.Target, error) {
	plain := plainRef(ref)
	snap := h.shown[plain]
	if snap == nil && h.Fallback != nil {
		if _, ok := h.Fallback.Lookup(plain); ok {
			snap = h.Fallback
		}
	}
	if snap == nil {
		return engine.Target{}, fmt.Errorf("%w: nothing that was read has the ref %q; read the page, or find the element, and take a ref from there", engine.ErrNotFound, ref)
	}
	return engine.Target{Snapshot: snap, Ref: plain}, nil
}

func (h *Hand) readPage(ctx context.Context, a Action) (*Outcome, error) {
	snap, err := h.Page.Snapshot(ctx, nil)
	if err != nil {
		return nil, err
	}
	text, err := h.Read(snap, a)
	if err != nil {
		return nil, err
	}
	return &Outcome{Text: text}, nil
}

// Read is a reading as the action ReadPage shows it. Its refs can be named then.
func (h *Hand) Read(snap *engine.Snapshot, a Action) (string, error) {
	s := h.Page.Session()
	part := engine.Excerpt{MaxTokens: mostRead / 4}
	if a.At != nil {
		part.Ref = plainRef(a.At.Ref)
	}
	text, err := s.OutlineOf(snap, part)
	if err != nil {
		return "", err
	}
	if a.Interactive {
		text = onlyInteractive(s, snap, text)
	}
	return h.remember(snap, cut(shallow(text, a.Depth))), nil
}

// onlyInteractive keeps the lines of what can be acted on.
func onlyInteractive(s *engine.Session, snap *engine.Snapshot, text string) string {
	keep := map[string]bool{}
	for i := range snap.Nodes {
		if n := &snap.Nodes[i]; n.Interactive {
			keep[string(n.Ref)] = true
		}
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		if m := lineRef.FindStringSubmatch(line); m != nil && keep[m[2]] {
			b.WriteString(strings.TrimLeft(line, " "))
		}
	}
	return b.String()
}

// shallow leaves out what lies deeper than so many levels; 0 is 15.
func shallow(text string, depth int) string {
	if depth <= 0 {
		depth = 15
	}
	var b strings.Builder
	left := 0
	for line := range strings.Lines(text) {
		if len(line)-len(strings.TrimLeft(line, " ")) >= 2*depth {
			left++
			continue
		}
		b.WriteString(line)
	}
	if left > 0 {
		fmt.Fprintf(&b, "… %d lines lie deeper\n", left)
	}
	return b.String()
}

// cut ends a text that is too long at a line, and says so.
func cut(text string) string {
	if len(text) <= mostRead {
		return text
	}
	head := strings.ToValidUTF8(text[:mostRead], "")
	if i := strings.LastIndexByte(head, '\n'); i > 0 {
		head = head[:i]
	}
	return fmt.Sprintf("%s\n… %d more characters were left out: name a ref, or a smaller depth", head, len(text)-len(head))
}

func (h *Hand) pageText(ctx context.Context, _ Action) (*Outcome, error) {
	snap, err := h.Page.Snapshot(ctx, nil)
	if err != nil {
		return nil, err
	}
	text, err := h.Page.Session().TextOf(snap, engine.Excerpt{MaxTokens: mostRead / 4})
	if err != nil {
		return nil, err
	}
	return &Outcome{Text: cut(text)}, nil
}

// find lists the elements that say what is looked for. It matches words: no
// model is asked.
func (h *Hand) find(ctx context.Context, a Action) (*Outcome, error) {
	if strings.TrimSpace(a.Query) == "" {
		return nil, fmt.Errorf("%w: say what to find", engine.ErrInvalid)
	}
	snap, err := h.Page.Snapshot(ctx, nil)
	if err != nil {
		return nil, err
	}
	s := h.Page.Session()
	var b strings.Builder
	hits := snap.Search(a.Query)
	for _, n := range hits[:min(len(hits), mostFound)] {
		b.WriteString(s.LineOf(snap, n))
		b.WriteByte('\n')
	}
	switch {
	case len(hits) == 0:
		return &Outcome{Text: "nothing was found; read the page"}, nil
	case len(hits) > mostFound:
		fmt.Fprintf(&b, "… %d more\n", len(hits)-mostFound)
	}
	return &Outcome{Text: h.remember(snap, b.String())}, nil
}

func (h *Hand) formInput(ctx context.Context, a Action) (*Outcome, error) {
	target, err := h.target(a.At)
	if err != nil {
		return nil, err
	}
	if target.Ref == "" {
		return nil, fmt.Errorf("%w: name the field by its ref", engine.ErrInvalid)
	}
	node, ok := target.Snapshot.Lookup(target.Ref)
	if !ok {
		return nil, fmt.Errorf("%w: %s is gone", engine.ErrNotFound, a.At.Ref)
	}
	cmd, err := engine.FillCommand(node, a.Value)
	if err != nil {
		return nil, err
	}
	return h.act(ctx, target, cmd)
}

func (h *Hand) upload(ctx context.Context, a Action) (*Outcome, error) {
	return h.at(ctx, a.At, engine.Command{Method: engine.SetInputFiles, Arguments: a.Files})
}
