package program_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/agent/program"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/internal/chrometest"
	"github.com/wayfinder-engine/wayfinder/internal/sites"
	"github.com/wayfinder-engine/wayfinder/llm"
)

const origin = "https://site.test"

// A chore is work that repeats, on a site of package sites: as turns of calls, as
// a program, and as what the site's journal says afterwards.
type chore struct {
	name, site, start string
	turns             [][]move
	program           string
	want              []string
	reckoned          bool // the model reckons what it enters
}

// A move is a call for an element: its role and name, in a row if one is named.
type move struct{ tool, role, name, row, text string }

func siteOf(t testing.TB, name string) *sites.Site {
	for _, task := range sites.Tasks() {
		if strings.HasPrefix(task.Name, name+"/") {
			return task.New()
		}
	}
	t.Fatalf("there is no site %s", name)
	return nil
}

// chores are of six kinds on four sites, of 12 to 68 steps.
func chores() []chore {
	first := []string{"Ada", "Bob", "Cleo", "Dora", "Emil", "Fay", "Gus", "Hana", "Ivo", "Jana", "Karl", "Lea"}
	last := []string{"Amsler", "Berger", "Cadosch", "Dietrich", "Egli"}
	role := func(i int) string { return []string{"Member", "Editor", "Admin", "Guest"}[i%7%4] }
	var all []chore
	for k, name := range first[:4] {
		list := "/users?q=" + name
		c := chore{name: "lock every " + name, site: "admin", start: list}
		for i := k; i < 60; i += 12 {
			if i%11 == 4 {
				continue
			}
			id := fmt.Sprint(2001 + i)
			c.turns = append(c.turns, []move{{tool: "click", role: "link", name: "Edit", row: id}},
				[]move{{tool: "click", role: "button", name: "Lock"}, {tool: "navigate", text: origin + list}})
			c.want = append(c.want, id+" is locked")
		}
		c.program = fmt.Sprintf(`for id in [row["Number"] for row in find("row") if row["State"] == "active"]:
	click("link: Edit", within=find("row", text=id)[0])
	click("button: Lock")
	navigate("%s%s")`, origin, list)
		all = append(all, c)
	}
	for _, r := range []string{"Member", "Editor", "Admin", "Guest"} {
		list := "/users?role=" + r
		c := chore{name: "move every " + r + " to Chur", site: "admin", start: list}
		for i, n := 0, 0; i < 60 && n < 20; i++ {
			if role(i) != r {
				continue
			}
			n++
			id := fmt.Sprint(2001 + i)
			c.turns = append(c.turns, []move{{tool: "click", role: "link", name: "Edit", row: id}},
				[]move{{tool: "fill", role: "textbox", name: "City", text: "Chur"}, {tool: "click", role: "button", name: "Save"}, {tool: "navigate", text: origin + list}})
			c.want = append(c.want, fmt.Sprintf("saved %s: %s %s, %s%s@console.test, %s, Chur", id, first[i%12], last[i%5], strings.ToLower(first[i%12]), id, r))
		}
		c.program = fmt.Sprintf(`for id in [row["Number"] for row in find("row")]:
	click("link: Edit", within=find("row", text=id)[0])
	fill("textbox: City", "Chur")
	click("button: Save")
	navigate("%s%s")`, origin, list)
		all = append(all, c)
	}
	for k, sender := range []string{"Build robot", "News", "Calendar", "Travel desk"} {
		list := "/?q=" + strings.ReplaceAll(sender, " ", "+")
		c := chore{name: "delete what " + sender + " sent", site: "mail", start: list}
		for i := k; i < 18; i += 4 {
			subject := fmt.Sprintf("Notice %d", 100+i)
			c.turns = append(c.turns, []move{{tool: "click", role: "link", name: subject}}, []move{{tool: "click", role: "button", name: "Delete"}, {tool: "navigate", text: origin + list}})
			c.want = append(c.want, subject+": Inbox → Bin")
		}
		c.program = fmt.Sprintf(`while find("row", text=%q):
	click("link: " + find("row", text=%q)[0]["Subject"])
	click("button: Delete")
	navigate("%s%s")`, sender, sender, origin, list)
		all = append(all, c)
	}
	return append(append(all, shopChores()...), calendarChores()...)
}

// shopChores compare pages two by two, and add up what many pages say.
func shopChores() []chore {
	var all []chore
	kinds := [][]string{
		{"Iron teapot", "Glass teapot", "Clay teapot", "Travel teapot", "Small kettle", "Large kettle", "Samovar", "Gaiwan"},
		{"Glass cup", "Tall cup", "Matcha bowl", "Espresso cup", "Double wall cup", "Cup with saucer", "Tumbler", "Mug"},
		{"Assam", "Darjeeling", "Sencha", "Gyokuro", "Oolong", "Earl Grey", "Rooibos", "Peppermint"},
	}
	cents := func(i int, name string) int { return 900 + 800*(i*7%9) + 10*len(name) }
	const price = `def cents(name):
	navigate("https://site.test/p/" + name.lower().replace(" ", "-"))
	text = read()
	return int(round(number(text[text.find("CHF"):].split("\n")[0]) * 100))
`
	address := func(name string) string { return origin + "/p/" + strings.ReplaceAll(strings.ToLower(name), " ", "-") }
	visit := func(name string) []move { return []move{{tool: "navigate", text: address(name)}} }
	for _, names := range kinds {
		list, _ := json.Marshal(names) // of strings
		c := chore{name: "wish for the cheaper of each two, from " + names[0], site: "shop", start: "/"}
		for i := 0; i < len(names); i += 2 {
			cheaper := names[i]
			if cents(i+1, names[i+1]) < cents(i, names[i]) {
				cheaper = names[i+1]
			}
			c.turns = append(c.turns, visit(names[i]), visit(names[i+1]), visit(cheaper), []move{{tool: "click", role: "button", name: "Add to wish list"}})
			c.want = append(c.want, "wish: "+cheaper)
		}
		c.program = fmt.Sprintf(price+`names = %s
for i in range(0, len(names), 2):
	a, b = names[i], names[i + 1]
	cents(a if cents(a) < cents(b) else b)
	click("button: Add to wish list")`, list)
		all = append(all, c)

		total := 0
		c = chore{name: "add up what all cost, from " + names[0], site: "shop", start: "/", reckoned: true}
		for i, name := range names {
			total += cents(i, name)
			c.turns = append(c.turns, visit(name))
		}
		text := fmt.Sprintf("Together they cost %d cents", total)
		c.turns = append(c.turns, visit(names[0]), []move{{tool: "click", role: "radio", name: "5 stars"}, {tool: "fill", role: "textbox", name: "Your review", text: text}, {tool: "click", role: "button", name: "Send review"}})
		c.want = []string{"review of " + names[0] + ": 5 stars: " + text}
		c.program = fmt.Sprintf(price+`names = %s
total = sum([cents(name) for name in names])
cents(names[0])
click("radio: 5 stars")
fill("textbox: Your review", "Together they cost %%d cents" %% total)
click("button: Send review")`, list)
		all = append(all, c)
	}
	return all
}

// calendarChores fill a form from a table, with another room where one is taken.
func calendarChores() []chore {
	var all []chore
	for _, plan := range []struct {
		title, time, room, other string
		days, taken              []string
	}{
		{"Workshop", "10:00", "Room 4", "Room 2", []string{"2026-05-05", "2026-05-12", "2026-05-19", "2026-05-26", "2026-06-02"}, []string{"2026-05-12", "2026-05-19"}},
		{"Yoga", "09:00", "Room 1", "Room 4", []string{"2026-05-04", "2026-05-11", "2026-05-18", "2026-05-25"}, []string{"2026-05-04"}},
		{"Breakfast", "08:00", "Room 2", "Room 1", []string{"2026-06-01", "2026-06-02", "2026-06-03", "2026-06-04"}, []string{"2026-06-03"}},
	} {
		days, _ := json.Marshal(plan.days)   // of strings
		taken, _ := json.Marshal(plan.taken) // of strings
		c := chore{name: "plan every " + plan.title, site: "calendar", start: "/month/5"}
		for i, day := range plan.days {
			room := plan.room
			if slices.Contains(plan.taken, day) {
				room = plan.other
			}
			set := func(role, name, text string) move { return move{tool: "fillForm", role: role, name: name, text: text} }
			c.turns = append(c.turns, []move{{tool: "navigate", text: origin + "/new"}}, []move{set("textbox", "Title", plan.title), set("date", "Day", day),
				set("inputtime", "Time", plan.time), set("combobox", "Room", room), {tool: "click", role: "button", name: "Save"}})
			c.want = append(c.want, fmt.Sprintf("event %d: %s on %s at %s, %s", 8+i, plan.title, day, plan.time, room))
		}
		c.program = fmt.Sprintf(`for day in %s:
	navigate("https://site.test/new")
	fill("textbox: Title", %q)
	fill("date: Day", day)
	fill("inputtime: Time", %q)
	fill("combobox: Room", %q if day in %s else %q)
	click("button: Save")`, days, plan.title, plan.time, plan.other, taken, plan.room)
		all = append(all, c)
	}
	return all
}

// A worker is a model that knows the way: it sees where elements are, and answers
// with the calls of a turn.
type worker struct {
	page      *engine.Page
	at        string // where the site is
	turns     [][]move
	program   string
	questions int
	tokens    int // of input, by llm.Estimate, without caches; and of output
}

func (w *worker) Name() string { return "scripted/worker" }

func (w *worker) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	w.questions++
	resp := &llm.Response{Stop: llm.StopTools}
	add := func(tool string, arguments any) {
		raw, _ := json.Marshal(arguments) // of strings alone
		resp.ToolCalls = append(resp.ToolCalls, llm.ToolCall{ID: fmt.Sprintf("%d.%d", w.questions, len(resp.ToolCalls)), Name: tool, Arguments: raw})
		resp.Usage.Output += (len(raw) + len(tool)) / 4
	}
	switch {
	case w.program != "":
		add("run", map[string]any{"program": w.program})
		w.program = ""
	case len(w.turns) > 0:
		snap, err := w.page.Snapshot(ctx, nil)
		if err != nil {
			return nil, err
		}
		for _, m := range w.turns[0] {
			if m.tool == "navigate" {
				add(m.tool, map[string]any{"url": strings.ReplaceAll(m.text, origin, w.at)})
				continue
			}
			arguments := map[string]any{"ref": w.ref(snap, m)}
			switch m.tool {
			case "fill":
				arguments["text"] = m.text
			case "fillForm":
				arguments = map[string]any{"fields": []any{map[string]any{"ref": arguments["ref"], "value": m.text}}}
			}
			add(m.tool, arguments)
		}
		w.turns = w.turns[1:]
	default:
		add("done", map[string]any{"success": true, "message": "all of it", "criteria": []any{map[string]any{"criterion": "it was sent", "evidence": []any{map[string]any{"kind": "request", "method": "POST", "address": "/"}}}}})
	}
	resp.Usage.Input = llm.Estimate(req)
	w.tokens += resp.Usage.Input + resp.Usage.Output
	return resp, nil
}

func (w *worker) ref(snap *engine.Snapshot, m move) string {
	from, end := 0, len(snap.Nodes)
	for i := range snap.Nodes {
		if n := &snap.Nodes[i]; m.row != "" && n.Role == "row" && strings.HasPrefix(n.Name, m.row) {
			from, end = i, int(n.End)
		}
	}
	for i := from; i < end; i++ {
		if n := &snap.Nodes[i]; string(n.Role) == m.role && n.Name == m.name {
			return string(n.Ref)
		}
	}
	return "0-0"
}

// A stage opens a browser for a site, and says where the site is.
type stage func(site http.Handler) (driver.Driver, string)

func inMemory(site http.Handler) (driver.Driver, string) {
	return fake.New(fake.Options{Handler: site}), origin
}

// perform does a chore in one way, and holds the site's journal to what is wanted.
func perform(t *testing.T, on stage, c chore, way string) (w *worker, steps int, took time.Duration) {
	site := siteOf(t, c.site)
	d, at := on(site)
	session, err := engine.Open(t.Context(), d, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	if _, err := session.Page().Navigate(t.Context(), at+c.start, nil); err != nil {
		t.Fatal(err)
	}
	w = &worker{page: session.Page(), at: at}
	c.program = strings.ReplaceAll(c.program, origin, at)
	cfg := agent.Config{Model: w}
	switch way {
	case "steps":
		for _, turn := range c.turns {
			for _, m := range turn {
				w.turns = append(w.turns, []move{m})
			}
		}
	case "turns":
		for _, turn := range c.turns { // what comes after another document was opened is not run
			if n := len(turn) - 1; n > 0 && turn[n].tool == "navigate" {
				w.turns = append(w.turns, turn[:n], turn[n:])
				continue
			}
			w.turns = append(w.turns, turn)
		}
	case "program":
		w.program = c.program
		cfg.Tools = []agent.Tool{program.Tool(program.Limits{})}
	}
	a, err := agent.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	result, err := a.Execute(t.Context(), session.Page(), agent.Task{Instruction: c.name, MaxSteps: 200})
	took = time.Since(began)
	// A sum that a model reckons itself stands on no page: no rule proves it.
	proven := result != nil && (result.Success || c.reckoned && result.Verdict == agent.Unproven)
	if err != nil || !proven || !slices.Equal(site.Journal(), c.want) {
		for _, a := range result.Actions {
			t.Log(a.Step, a.Type, a.Status, a.Message)
		}
		t.Fatalf("%s by %s: %v, %+v, the site says %q, want %q", c.name, way, err, result.Open, site.Journal(), c.want)
	}
	for _, a := range result.Actions {
		if a.Evidence != nil && a.Type != "run" {
			steps++
		}
	}
	return w, steps, took
}

// TestChores: each chore comes to the same on the site by single steps, by turns of
// several calls and by a program; it prints what each way took.
func TestChores(t *testing.T) {
	list := chores()
	if len(list) < 20 {
		t.Fatalf("%d chores, want at least 20", len(list))
	}
	some := list[:0]
	for i, c := range list {
		if i%chrometest.Thin(4) == 0 {
			some = append(some, c)
		}
	}
	list = some
	for _, way := range []string{"steps", "turns", "program"} {
		var questions, tokens, steps int
		var took time.Duration
		least, most := 1000, 0
		for _, c := range list {
			w, n, d := perform(t, inMemory, c, way)
			questions, tokens, steps, took = questions+w.questions, tokens+w.tokens, steps+n, took+d
			least, most = min(least, n), max(most, n)
		}
		t.Logf("%-8s %d steps (%d to %d a chore), %d questions, %d tokens, %v without the model's time", way, steps, least, most, questions, tokens, took.Round(time.Millisecond))
		if way == "program" && questions != 2*len(list) {
			t.Errorf("%d questions, want two for each chore", questions)
		}
	}
}

var choresAll = flag.Bool("chores.all", false, "do each chore that Chrome gets in each way")

// TestChoresOnChrome: one chore of each kind on Chrome, each in another way.
// -chores.all does each in each way.
func TestChoresOnChrome(t *testing.T) {
	chrometest.Long(t)
	chrome, err := cdp.Start(t.Context(), cdp.Launch{Args: []string{"--disable-features=SpareRendererForSitePerProcess"}})
	chrometest.Need(t, err)
	defer chrome.Close()
	onChrome := func(site http.Handler) (driver.Driver, string) {
		server := httptest.NewServer(site)
		t.Cleanup(server.Close)
		return chrome, server.URL
	}
	list := chores()
	for i, way := range []string{"steps", "turns", "program"} {
		for j, c := range []chore{list[0], list[7], list[8]} {
			if i != j && !*choresAll {
				continue
			}
			w, steps, took := perform(t, onChrome, c, way)
			t.Logf("%-8s %-28s %d steps, %d questions, %d tokens, %v without the model's time", way, c.name, steps, w.questions, w.tokens, took.Round(time.Millisecond))
		}
	}
}

// TestInside: approvals and bounds hold in a program, and a person's later yes is
// for the one step that waited.
func TestInside(t *testing.T) {
	c := chores()[8] // delete what Build robot sent
	open := func(cfg agent.Config) (*sites.Site, *engine.Page, *agent.Agent) {
		site := siteOf(t, c.site)
		session, err := engine.Open(t.Context(), fake.New(fake.Options{Handler: site}), nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = session.Close() })
		if _, err := session.Page().Navigate(t.Context(), origin+c.start, nil); err != nil {
			t.Fatal(err)
		}
		cfg.Model = &worker{page: session.Page(), program: c.program}
		cfg.Tools = []agent.Tool{program.Tool(program.Limits{})}
		a, err := agent.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		return site, session.Page(), a
	}
	site, page, a := open(agent.Config{NeedApproval: []agent.Class{agent.ClassDelete}})
	result, err := a.Execute(t.Context(), page, agent.Task{Instruction: c.name, MaxSteps: 50})
	if err != nil || len(site.Journal()) > 0 || result.Actions[0].Status != agent.Failed || !strings.Contains(result.Actions[0].Message, "line 3: click(\"button: Delete\")") || !strings.Contains(result.Actions[0].Message, "not approved") {
		t.Errorf("without approval: %v, the site says %q, the program %q", err, site.Journal(), result.Actions[0].Message)
	}
	site, page, a = open(agent.Config{})
	result, err = a.Execute(t.Context(), page, agent.Task{Instruction: c.name, MaxSteps: 6})
	if len(site.Journal()) != 2 || result.Actions[0].Status != agent.Failed || !strings.Contains(result.Actions[0].Message, "the steps ran out") {
		t.Errorf("with 6 steps: %v, the site says %q, the program %q", err, site.Journal(), result.Actions[0].Message)
	}
	later := errors.Join(agent.ErrLater)
	site, page, a = open(agent.Config{NeedApproval: []agent.Class{agent.ClassDelete}, Approve: func(context.Context, agent.Approval) error { return later }})
	task := agent.Task{Instruction: c.name, MaxSteps: 50}
	result, err = a.Execute(t.Context(), page, task)
	if err != nil || result.Pending == nil || len(site.Journal()) > 0 {
		t.Fatalf("waiting: %v, %v, the site says %q", err, result.Pending, site.Journal())
	}
	for step, err := range a.Resume(t.Context(), page, task, *result.Pending, agent.Decision{Approved: true}) {
		if err != nil {
			t.Fatal(err)
		}
		result = step.Result
	}
	if want := []string{"Notice 100: Inbox → Bin"}; result == nil || !slices.Equal(site.Journal(), want) {
		t.Errorf("after a yes the site says %q, want %q", site.Journal(), want)
	}
}
