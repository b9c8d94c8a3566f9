package computeruse

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/internal/sites"
	"github.com/wayfinder-engine/wayfinder/internal/vendortool"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// NewModel makes the model of an adapter that asks a server.
type NewModel func(t testing.TB, address, model string) llm.Model

// A Stage opens a browser for a site, and says where the site is.
type Stage func(t testing.TB, site http.Handler) (driver.Driver, string)

// inMemory has the site in the browser in memory.
func inMemory(_ testing.TB, site http.Handler) (driver.Driver, string) {
	return fake.New(fake.Options{Handler: site}), "https://site.test"
}

// byPoint are the tasks that need no list to choose from, which a person opens
// beside the page.
var byPoint = []string{
	"shop/order", "shop/order-clicks", "shop/change-cart", "shop/cancel", "shop/wish", "shop/review",
	"mail/reply", "mail/pass-on", "mail/second-page", "mail/search", "mail/back-and-forth", "mail/write",
	"admin/search-and-move", "admin/delete", "admin/teams", "calendar/delete", "calendar/answer",
	"portal/two-tabs", "portal/profile", "portal/sent-to-login", "desk/again", "desk/not-again",
}

// byRef are further tasks, for tools that name elements by ref.
var byRef = []string{
	"shop/voucher", "mail/chosen", "mail/rule", "admin/unlock", "calendar/new", "wizard/straight", "portal/open-and-close", "rail/frame", "town/passport",
}

// Suite has tasks done in memory by a vendor's tool.
func Suite(t *testing.T, v func() *Vendor, newModel NewModel) {
	suite(t, v, newModel, byPoint)
}

// Dozen has twelve of them done, for another tool of the same vendor.
func Dozen(t *testing.T, v func() *Vendor, newModel NewModel) {
	suite(t, v, newModel, byPoint[:13]) // of which one is for batches
}

func suite(t *testing.T, v func() *Vendor, newModel NewModel, names []string) {
	if v().Refs {
		names = append(slices.Clone(names), byRef...)
	}
	for _, task := range sites.Tasks() {
		if slices.Contains(names, task.Name) && (v().Batch || task.Name != "mail/back-and-forth") { // whose second step back is not to be run
			t.Run(task.Name, func(t *testing.T) {
				t.Parallel()
				perform(t, v(), newModel, inMemory, task)
			})
		}
	}
}

// perform has one task done, and holds the site against what it wants.
func perform(t testing.TB, v *Vendor, newModel NewModel, on Stage, task sites.Task) *Server {
	t.Helper()
	site := task.New()
	d, origin := on(t, site)
	session := visit(t, d, options(), origin+task.Start)
	o := &oracle{t: t, vendor: v, task: task, origin: origin, page: session.Page}
	server := &Server{T: t, Vendor: v, Next: o.next}
	result := run(t, v, newModel(t, server.listen(), v.Model), session, given(task), agent.Config{})
	if got := site.Journal(); !slices.Equal(got, task.Want) {
		t.Errorf("the site says %q, want %q", got, task.Want)
	}
	// A close that is answered 502 and was done all the same is proven by no rule.
	if unproven := task.Name == "desk/not-again" && result.Verdict == agent.Unproven; !result.Success && !unproven {
		t.Errorf("no success: %s", account(result))
	}
	if !v.Refs && o.points == 0 {
		t.Errorf("nothing was done by point")
	}
	return server
}

// Clicks is the address of a vendor's server whose model clicks one element of a
// page, and says that the task is done because the page says a text then. page is
// where elements are as in the agent's own page; it is not asked where they are
// named by ref.
func Clicks(t testing.TB, v *Vendor, page func() *engine.Page, element, says string) string {
	o := &oracle{t: t, vendor: v, page: page}
	n := 0
	server := &Server{T: t, Vendor: v, Next: func(h *Heard) []Move {
		o.hear(h)
		switch n++; n {
		case 1:
			return o.look()
		case 2:
			return []Move{o.at(element, "click")}
		}
		return []Move{done(true, "done", map[string]any{"criterion": "it is done",
			"evidence": []any{map[string]any{"kind": "text", "text": says}, map[string]any{"kind": "action", "step": 2}}})}
	}}
	return server.listen()
}

// run has an agent do a task by the vendor's tool.
func run(t testing.TB, v *Vendor, model llm.Model, session *engine.Session, task agent.Task, cfg agent.Config) *agent.Result {
	t.Helper()
	cfg.Model = model
	a, err := v.agent(cfg)
	if err != nil {
		t.Fatal(err)
	}
	result, err := a.Execute(t.Context(), session.Page(), task)
	if err != nil {
		t.Errorf("Execute: %v\n%s", err, account(result))
	}
	return result
}

// agent makes an agent that works by the vendor's tool.
func (v *Vendor) agent(cfg agent.Config) (*agent.Agent, error) {
	cfg.Mode = agent.CUA
	if v.Name == vendortool.AnthropicToolset { // the model's own is another one
		cfg.ComputerTool = v.Name
	}
	return agent.New(cfg)
}

// options are those of a session whose pictures have the size that the tests count in.
func options() *engine.Options {
	return &engine.Options{Browser: driver.BrowserOptions{Emulation: driver.Emulation{Viewport: driver.Size{Width: pictureWidth, Height: pictureHeight}}}}
}

// visit opens a session on an address, until the test ends.
func visit(t testing.TB, d driver.Driver, opts *engine.Options, address string) *engine.Session {
	t.Helper()
	session, err := engine.Open(t.Context(), d, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	if _, err := session.Page().Navigate(t.Context(), address, nil); err != nil {
		t.Fatal(err)
	}
	return session
}

// given is a task of the suite as an agent's.
func given(task sites.Task) agent.Task {
	out := agent.Task{Instruction: task.Say, Files: task.Files, MaxSteps: 80}
	for name, value := range task.Variables {
		if out.Variables == nil {
			out.Variables = map[string]engine.Variable{}
		}
		out.Variables[name] = engine.Variable{Value: value}
	}
	return out
}

// account is what a run came to, step by step.
func account(r *agent.Result) string {
	if r == nil {
		return "no result"
	}
	var b strings.Builder
	b.WriteString(r.Message + "\n")
	for _, a := range r.Actions {
		line, err := json.Marshal([]any{a.Step, a.Type, a.Arguments, a.Status, a.Message})
		if err != nil {
			line = []byte(err.Error())
		}
		b.Write(append(line, '\n'))
	}
	criteria, err := json.Marshal(r.Criteria)
	if err != nil {
		criteria = []byte(err.Error())
	}
	b.Write(criteria)
	return b.String()
}
