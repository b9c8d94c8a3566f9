package computer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/agent/internal/owned"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
)

func (h *Hand) navigate(ctx context.Context, a Action) (*Outcome, error) {
	address := strings.TrimSpace(a.URL)
	if !strings.Contains(address, ":") {
		address = "https://" + address
	}
	if h.May != nil {
		if err := h.May(ctx, address); err != nil {
			return nil, err
		}
	}
	return h.travel("went to", func() error { _, err := h.Page.Navigate(ctx, address, nil); return err })
}

func (h *Hand) back(ctx context.Context, _ Action) (*Outcome, error) {
	return h.travel("went back to", func() error { _, err := h.Page.Back(ctx, nil); return err })
}

func (h *Hand) forward(ctx context.Context, _ Action) (*Outcome, error) {
	return h.travel("went forward to", func() error { _, err := h.Page.Forward(ctx, nil); return err })
}

func (h *Hand) reload(ctx context.Context, _ Action) (*Outcome, error) {
	return h.travel("loaded again:", func() error { _, err := h.Page.Reload(ctx, nil); return err })
}

func (h *Hand) travel(words string, move func() error) (*Outcome, error) {
	hide := h.Page.Session().Hide
	from := hide(h.Page.URL())
	err := move()
	to := hide(h.Page.URL())
	out := &Outcome{Text: words + " " + to}
	if from != to || err == nil {
		out.Traveled = &engine.NavigationSeen{From: from, To: to}
	}
	return out, err
}

// tabNames are what tabs are called: short, and the same for as long as they live.
type tabNames struct {
	pages []*engine.Page
}

func (t *tabNames) of(p *engine.Page) string {
	i := slices.Index(t.pages, p)
	if i < 0 {
		i = len(t.pages)
		t.pages = append(t.pages, p)
	}
	return fmt.Sprintf("tab_%d", i+1)
}

func (t *tabNames) page(name string) *engine.Page {
	for i, p := range t.pages {
		if fmt.Sprintf("tab_%d", i+1) == name && slices.Contains(p.Session().Pages(), p) {
			return p
		}
	}
	return nil
}

// session is that of the tabs.
func (h *Hand) session() *engine.Session {
	if h.Page != nil {
		return h.Page.Session()
	}
	if len(h.tabs.pages) > 0 {
		return h.tabs.pages[0].Session()
	}
	return nil
}

// goTo makes the tab that an action names the active one.
func (h *Hand) goTo(ctx context.Context, tab string, kind Kind) error {
	if h.Page != nil {
		h.tabs.of(h.Page)
	}
	if s := h.session(); s != nil {
		begins := h.Own == nil
		if begins {
			h.Own = owned.In(s)
		}
		for _, p := range s.Pages() {
			h.tabs.of(p)
			if begins {
				h.Own.Add(p)
			}
		}
		h.Page = h.Own.Follow(h.Page)
	}
	if tab == "" || kind == SwitchTab || kind == CloseTab {
		return nil
	}
	p := h.tabs.page(tab)
	if p == nil {
		return fmt.Errorf("%w: there is no tab %q; list them", engine.ErrInvalid, tab)
	}
	if p == h.Page {
		return nil
	}
	if err := p.Activate(ctx); err != nil {
		return err
	}
	h.show(p)
	return nil
}

// show makes a page the one that actions go to. Points of the former one's
// picture mean nothing on it.
func (h *Hand) show(p *engine.Page) {
	h.Page, h.reading, h.pointer, h.pressed = p, nil, nil, nil
	h.Own.Add(p)
}

func (h *Hand) listTabs(ctx context.Context, _ Action) (*Outcome, error) {
	state := h.State(ctx, nil)
	var b strings.Builder
	for _, t := range state.Tabs {
		mark := " "
		if t.Active {
			mark = "*"
		}
		fmt.Fprintf(&b, "%s %s %s %s\n", mark, t.ID, t.URL, t.Title)
	}
	return &Outcome{Text: b.String()}, nil
}

func (h *Hand) newTab(ctx context.Context, _ Action) (*Outcome, error) {
	s := h.session()
	if s == nil {
		return nil, fmt.Errorf("%w: there is no session", engine.ErrClosed)
	}
	p, err := s.NewPage(ctx)
	if err != nil {
		return nil, err
	}
	h.show(p)
	return &Outcome{Text: "opened " + h.tabs.of(p), Opened: true, Switched: true}, nil
}

func (h *Hand) switchTab(ctx context.Context, a Action) (*Outcome, error) {
	p := h.tabs.page(a.Tab)
	if p == nil {
		return nil, fmt.Errorf("%w: there is no tab %q; list them", engine.ErrInvalid, a.Tab)
	}
	if err := p.Activate(ctx); err != nil {
		return nil, err
	}
	h.show(p)
	return &Outcome{Text: a.Tab + " is the active tab now", Switched: true}, nil
}

func (h *Hand) closeTab(ctx context.Context, a Action) (*Outcome, error) {
	p := h.tabs.page(a.Tab)
	if p == nil {
		return nil, fmt.Errorf("%w: there is no tab %q; list them", engine.ErrInvalid, a.Tab)
	}
	if err := p.Close(ctx); err != nil && !errors.Is(err, engine.ErrClosed) {
		return nil, err
	}
	out := &Outcome{Text: a.Tab + " is closed"}
	if p == h.Page {
		h.show(h.Own.Follow(p))
		out.Switched = true
	}
	return out, nil
}

// State is what the browser shows, and what an outcome has changed of it.
func (h *Hand) State(ctx context.Context, out *Outcome) *llm.BrowserState {
	state := &llm.BrowserState{}
	s := h.session()
	if s == nil {
		return state
	}
	for _, p := range s.Pages() {
		title, err := p.Title(ctx)
		if err != nil {
			title = "" // the tab is listed in any case
		}
		tab := llm.BrowserTab{ID: h.tabs.of(p), Title: s.Hide(oneLine(title)), URL: s.Hide(p.URL()), Active: p == h.Page}
		state.Tabs = append(state.Tabs, tab)
		if tab.Active {
			state.URL = tab.URL
		}
	}
	if out == nil {
		return state
	}
	if out.Opened && h.Page != nil {
		state.Changes = append(state.Changes, llm.BrowserChange{Kind: "tab_opened", ID: h.tabs.of(h.Page)})
	}
	if out.Result != nil {
		state.Changes = append(state.Changes, h.changes(s, &out.Result.Evidence)...)
	}
	return state
}

// changes are what an act has opened and downloaded.
func (h *Hand) changes(s *engine.Session, e *engine.Evidence) []llm.BrowserChange {
	var out []llm.BrowserChange
	for _, seen := range e.NewPages {
		for _, p := range s.Pages() {
			if string(p.ID()) == seen.ID {
				out = append(out, llm.BrowserChange{Kind: "tab_opened", ID: h.tabs.of(p)})
			}
		}
	}
	for _, d := range e.Downloads {
		c := llm.BrowserChange{Kind: "download_started", ID: s.Hide(d.Name), URL: s.Hide(d.URL)}
		switch {
		case d.Canceled:
			c.Kind, c.Error = "download_failed", d.Reason
		case d.Done:
			c.Kind, c.Size = "download_completed", d.Size
		}
		out = append(out, c)
	}
	return out
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
