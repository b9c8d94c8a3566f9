package knowledge

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/agent/program"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/schema"
)

// The names of the tools.
const (
	rememberName = "remember"
	rerunName    = "rerun"
)

// Options are how knowledge is used. The zero value, and nil, are the defaults.
type Options struct {
	// MaxTokens bounds what is offered of an origin; 0 is 1,500, and more than 4,000
	// is not taken.
	MaxTokens int
	// Fresh opens a session of its own, like those that the runs have. A program that worked
	// is run in one once more, from the address where it began, when its run has ended:
	// whatever it would change is refused there, and nothing is done twice. If it ends
	// well it is proved, and offered. Without Fresh, and for a program that changes
	// something or needs a variable, the proof is a later run that writes it again.
	Fresh func(ctx context.Context) (*engine.Session, error)
	// Logger gets what goes wrong with the store, at Warn: a run continues without. nil is
	// [slog.Default].
	Logger *slog.Logger
}

// Use returns a configuration whose agents keep what they learn in a store, and get
// what is kept there. It adds the tool remember, and rerun if the tool run of
// package program is among cfg's; it takes cfg's Known, and adds to its Hooks.
func Use(cfg agent.Config, store Store, opts *Options) agent.Config {
	if opts == nil {
		opts = &Options{}
	}
	k := &keeper{store: store, tokens: min(cmp.Or(max(opts.MaxTokens, 0), defaultTokens), mostTokens), log: opts.Logger}
	if k.log == nil {
		k.log = slog.Default()
	}
	cfg.Tools = slices.Clone(cfg.Tools)
	cfg.Tools = append(cfg.Tools, rememberTool())
	if i := slices.IndexFunc(cfg.Tools, func(t agent.Tool) bool { return t.Name == program.ToolName }); i >= 0 {
		run := cfg.Tools[i]
		cfg.Tools[i] = watched(run)
		cfg.Tools = append(cfg.Tools, rerunTool(run))
		k.run, k.fresh = &run, opts.Fresh
	}
	cfg.Known = k.known
	cfg.Hooks = agent.JoinHooks(cfg.Hooks, &agent.Hooks{RunBegan: k.began, StepEnded: stepped, RunEnded: k.ended})
	return cfg
}

const (
	defaultTokens = 1_500
	mostTokens    = 4_000
	mostTries     = 50               // to put what others change, too
	mostTime      = 10 * time.Second // for a store, when a run has ended
)

// A keeper stands between runs and a store. It is safe for concurrent use.
type keeper struct {
	store  Store
	tokens int
	log    *slog.Logger
	run    *agent.Tool                                    // runs programs; nil: there is none
	fresh  func(context.Context) (*engine.Session, error) // nil: nothing is replayed
}

// A lesson is what a run was offered and has learned.
type lesson struct {
	task string

	mu      sync.Mutex // protects what follows
	hide    func(string) string
	offered map[string]*Site    // by origin
	shown   map[string][]string // the ids that the model has seen, by origin
	read    []string            // the origins that the run has come to, in order
	learned []learned
	tried   []tried
	own     map[int]bool // steps of this process, which has learned from them
}

// learned is a note, or a program that ran to its end.
type learned struct{ origin, id, text, program, beside, began string }

// tried is a program that was run again.
type tried struct {
	origin, id string
	failed     bool
}

var errNoHooks = fmt.Errorf("%w: the run was not begun with the hooks of package knowledge", agent.ErrInvalid)

type lessonKey struct{}

func lessonOf(ctx context.Context) *lesson {
	l, _ := ctx.Value(lessonKey{}).(*lesson)
	return l
}

func (k *keeper) began(ctx context.Context, r agent.RunInfo) context.Context {
	return context.WithValue(ctx, lessonKey{}, &lesson{task: r.Task, offered: map[string]*Site{}, shown: map[string][]string{}, own: map[int]bool{}})
}

func stepped(ctx context.Context, s agent.Step) {
	if l := lessonOf(ctx); l != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.own[s.Number] = true
	}
}

// originOf is the origin whose knowledge belongs to a page; empty is none. A host that
// holds the value of a variable is none.
func originOf(page *engine.Page) string {
	if page == nil {
		return ""
	}
	at, err := url.Parse(page.URL())
	if err != nil || page.Session().Hide(at.Host) != at.Host {
		return ""
	}
	return origin(at)
}

// origin is an address's scheme, host and port; empty is none. What http://bank.test
// says, anybody on the way may have written: nothing of it is said of https://bank.test.
func origin(at *url.URL) string {
	if at.Scheme != "http" && at.Scheme != "https" || at.Host == "" {
		return ""
	}
	return at.Scheme + "://" + strings.ToLower(at.Host)
}

// known offers what is kept of a page's origin.
func (k *keeper) known(ctx context.Context, page *engine.Page) string {
	l, origin := lessonOf(ctx), originOf(page)
	if l == nil || origin == "" {
		return ""
	}
	read := l.comesTo(origin)
	s, err := k.store.Get(ctx, origin)
	if err != nil {
		if ctx.Err() == nil {
			k.log.WarnContext(ctx, "what is known of a site could not be read; the run goes on without", "origin", origin, "error", err)
		}
		return ""
	}
	text, shown := write(s, k.run != nil, k.tokens, read)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hide, l.offered[origin], l.shown[origin] = page.Session().Hide, s, shown
	return text
}

// comesTo notes that the run reads an origin, and returns all that it has read.
func (l *lesson) comesTo(origin string) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !slices.Contains(l.read, origin) {
		l.read = append(l.read, origin)
	}
	return slices.Clone(l.read)
}

// beside are the origins that the run has read besides one: each may have had its part
// in what is learned by now.
func (l *lesson) beside(origin string) string {
	others := slices.DeleteFunc(slices.Clone(l.read), func(o string) bool { return o == origin })
	slices.Sort(others)
	return strings.Join(others, " ")
}

// ended keeps what a run has learned, and counts for and against what it was offered.
func (k *keeper) ended(ctx context.Context, r *agent.Result, err error) {
	l := lessonOf(ctx)
	if l == nil || r.Pending != nil || errors.Is(err, context.Canceled) || r.End == agent.EndLeft {
		return // nothing is known of what it was good for
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), mostTime)
	defer cancel()
	for _, a := range r.Actions {
		if !l.own[a.Step] {
			l.earlier(&a)
		}
	}
	for _, origin := range l.origins() {
		if err := k.change(ctx, origin, func(s *Site) { l.apply(s, origin, r.Success) }); err != nil {
			k.log.WarnContext(ctx, "what a run learned of a site could not be kept", "origin", origin, "error", err)
		}
	}
	if r.Success && k.fresh != nil {
		k.prove(ctx, l.learned)
	}
}

// earlier takes over what a step has shown that was done before this process, or
// before a person was waited for. Values are hidden in it: an address whose host has
// one, as %name%, is no address.
func (l *lesson) earlier(a *agent.Action) {
	at, err := url.Parse(a.PageURL)
	if err != nil || origin(at) == "" {
		return
	}
	from := origin(at)
	var in struct{ Note, Replaces, Program, ID string }
	if json.Unmarshal([]byte(a.Arguments), &in) != nil {
		return
	}
	switch done := a.Status == agent.Done; {
	case a.Type == rememberName && done:
		l.learned = append(l.learned, learned{origin: from, id: in.Replaces, text: in.Note, beside: l.beside(from)})
	case a.Type == program.ToolName && done && len(in.Program) <= mostProgram:
		l.learned = append(l.learned, learned{origin: from, program: in.Program, beside: l.beside(from)})
	case a.Type == rerunName && (done || a.Status == agent.Failed):
		l.tried = append(l.tried, tried{from, in.ID, !done})
	}
}

// origins are those of which there is anything to keep.
func (l *lesson) origins() []string {
	var all []string
	for origin, shown := range l.shown {
		if len(shown) > 0 {
			all = append(all, origin)
		}
	}
	for _, x := range l.learned {
		all = append(all, x.origin)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// apply changes what is kept of an origin by what a run has shown.
func (l *lesson) apply(s *Site, origin string, success bool) {
	for _, id := range l.shown[origin] {
		switch i := s.index(id); {
		case i < 0 || s.Entries[i].Program != "":
		case success:
			s.worked(id)
		default:
			s.failed(id)
		}
	}
	for _, t := range l.tried {
		switch {
		case t.origin != origin:
		case t.failed:
			s.failed(t.id)
		case success:
			s.worked(t.id)
		}
	}
	if !success {
		return
	}
	hide := l.hide
	if hide == nil {
		hide = func(text string) string { return text }
	}
	before := slices.Clone(s.Entries)
	for _, x := range l.learned {
		if x.origin != origin {
			continue
		}
		text, most := x.text, mostNote
		if x.program != "" {
			text, most = l.task, mostTask
		}
		s.learn(x.id, cut(oneLine(hide(text)), most), x.program, hide(x.beside), before, time.Now().UTC().Truncate(time.Second))
	}
}

// change reads, changes and puts a site until nobody else did so at the same time.
func (k *keeper) change(ctx context.Context, origin string, f func(*Site)) error {
	var err error
	for range mostTries {
		var s *Site
		if s, err = k.store.Get(ctx, origin); err != nil {
			return err
		}
		before := slices.Clone(s.Entries)
		if f(s); slices.Equal(before, s.Entries) {
			return nil
		}
		if err = k.store.Put(ctx, origin, s); !errors.Is(err, ErrConflict) {
			return err
		}
	}
	return err
}

// add keeps something in mind until the run ends.
func (l *lesson) add(page *engine.Page, x learned) {
	if x.origin == "" {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hide, x.beside = page.Session().Hide, l.beside(x.origin)
	l.learned = append(l.learned, x)
}

type rememberIn struct {
	Note     string `json:"note" jsonschema:"minLength=1,maxLength=500"`
	Replaces string `json:"replaces,omitempty" jsonschema:"description=the id of a known note that is wrong or out of date"`
}

func rememberTool() agent.Tool {
	t, err := agent.NewTool(rememberName, "Keeps a short note about this site for later runs, if this one succeeds: where something is, what the site wants. Nothing personal, nothing of this task alone.",
		func(ctx context.Context, c *agent.Call, in rememberIn) (string, error) {
			l := lessonOf(ctx)
			if l == nil {
				return "", errNoHooks
			}
			origin := originOf(c.Page())
			if origin == "" {
				return "", fmt.Errorf("%w: nothing is kept of this page; it is of no site", agent.ErrInvalid)
			}
			l.add(c.Page(), learned{origin: origin, id: in.Replaces, text: in.Note})
			return "kept if the run succeeds", nil
		})
	if err != nil {
		panic("knowledge: " + err.Error()) // a mistake in this package
	}
	return t
}

// watched is the tool run, with what it ran kept in mind.
func watched(run agent.Tool) agent.Tool {
	inner := run.Run
	run.Description += "\nWhat a later run may want to be another, set first, as name = \"value\": a program that worked is kept for this site."
	run.Run = func(ctx context.Context, c *agent.Call) (*agent.Answer, error) {
		page := c.Page()
		origin, began := originOf(page), ""
		if page != nil {
			began = page.URL()
		}
		answer, err := inner(ctx, c)
		var in struct {
			Program string `json:"program"`
		}
		if l := lessonOf(ctx); err == nil && l != nil && json.Unmarshal(c.Arguments, &in) == nil && len(in.Program) <= mostProgram {
			l.add(page, learned{origin: origin, program: in.Program, began: began})
		}
		return answer, err
	}
	return run
}

type rerunIn struct {
	ID  string         `json:"id"`
	Set map[string]any `json:"set,omitempty" jsonschema:"description=other values for its constants\\, by name"`
}

// rerunTool runs a program that is kept, by the tool run.
func rerunTool(run agent.Tool) agent.Tool {
	form, err := schema.For[rerunIn]()
	if err != nil {
		panic("knowledge: " + err.Error()) // a mistake in this package
	}
	return agent.Tool{
		Name:        rerunName,
		Description: "Runs a program that is known of this site again, as run does, by its id.",
		Parameters:  form.JSON(),
		Class:       run.Class,
		Local:       run.Local,
		Run: func(ctx context.Context, c *agent.Call) (*agent.Answer, error) {
			in, err := schema.Decode[rerunIn](form, c.Arguments)
			if err != nil {
				return nil, err
			}
			l, origin := lessonOf(ctx), originOf(c.Page())
			source, err := l.program(origin, in.ID)
			if err != nil {
				return nil, err
			}
			if source, err = program.WithConstants(source, in.Set); err != nil {
				return nil, err
			}
			again := *c
			if again.Arguments, err = json.Marshal(map[string]string{"program": source}); err != nil {
				return nil, err
			}
			answer, err := run.Run(ctx, &again)
			if ctx.Err() == nil && !errors.Is(err, agent.ErrLater) {
				l.mu.Lock()
				defer l.mu.Unlock()
				l.tried = append(l.tried, tried{origin, in.ID, err != nil})
			}
			return answer, err
		},
	}
}

// program is one that was offered.
func (l *lesson) program(origin, id string) (string, error) {
	if l == nil {
		return "", errNoHooks
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if s := l.offered[origin]; s != nil {
		if i := s.index(id); i >= 0 && s.Entries[i].proved() {
			return s.Entries[i].Program, nil
		}
	}
	return "", fmt.Errorf("%w: no program %q is known of %s", agent.ErrInvalid, id, origin)
}

// prove has what a run wrote run again, each program in a session of its own, and keeps
// which of them ended well.
func (k *keeper) prove(ctx context.Context, list []learned) {
	for _, x := range list {
		if x.program == "" || x.began == "" || !k.replay(ctx, x) {
			continue
		}
		err := k.change(ctx, x.origin, func(s *Site) {
			for i := range s.Entries {
				s.Entries[i].Proved = s.Entries[i].Proved || s.Entries[i].Program == x.program
			}
		})
		if err != nil {
			k.log.WarnContext(ctx, "a proof of a program could not be kept", "origin", x.origin, "error", err)
		}
	}
}

// replay runs a program from where it began. Nobody is there to approve: what would change
// something is held and refused, and the program fails by it.
func (k *keeper) replay(ctx context.Context, x learned) bool {
	session, err := k.fresh(ctx)
	if err != nil {
		k.log.WarnContext(ctx, "no session could be opened to prove a program", "origin", x.origin, "error", err)
		return false
	}
	defer session.Close()
	if _, err := session.Page().Navigate(ctx, x.began, nil); err != nil {
		return false // the page that it began on is gone
	}
	a, err := agent.New(agent.Config{Model: &replayer{program: x.program}, Tools: []agent.Tool{*k.run}, NeedApproval: agent.Classes(), Flows: agent.FlowsAllow})
	if err != nil {
		return false
	}
	result, err := a.Execute(ctx, session.Page(), agent.Task{Instruction: "run the program again", MaxSteps: mostReplayed})
	return err == nil && len(result.Actions) > 0 && result.Actions[0].Status == agent.Done
}
