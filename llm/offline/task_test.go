package offline_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/offline"
)

// An errand is what became of a task.
type errand struct {
	outcome *agent.Result
	calls   []string
}

var agentTools = []string{"act", "click", "type", "fill", "fillForm", "select", "press", "hover", "drag", "scroll", "navigate", "back", "forward", "reload", "extract", "outline", "wait", "upload", "done"}

func tools(names ...string) []llm.Tool {
	var out []llm.Tool
	for _, n := range names {
		out = append(out, llm.Tool{Name: n, Parameters: json.RawMessage(`{"type":"object"}`)})
	}
	return out
}

// A site is a few pages with a state of their own.
type site struct {
	web     fake.Web
	scripts func(state map[string]string) map[string]func(*fake.Document)
	start   string
}

const officeHead = `<!DOCTYPE html><title>Office</title><nav><a href="/orders">Orders</a> <a href="/mail">Mail</a> <a href="/profile">Profile</a></nav>`

// office is a site with a login, a table of orders on two pages, mail, and a profile.
var office = site{
	start: "https://office.test/",
	web: fake.Web{
		"https://office.test/": `<!DOCTYPE html><title>Office</title><h1>Welcome</h1><form><label>User name <input id="user"></label>
			<label>Password <input id="pw" type="password"></label><button id="in" type="button">Log in</button></form><p id="told"></p>`,
		"https://office.test/home":   officeHead + `<h1>Home</h1><p>Choose what to do.</p>`,
		"https://office.test/orders": officeHead + `<h1>Orders</h1><table><tr><th>Number<th>Customer<th>Status<th>Action</tr>` + orderRows(1001, "Ada", "Grace", "Edsger") + `</table><a href="/orders2">Next page</a>`,
		"https://office.test/orders2": officeHead + `<h1>Orders</h1><table><tr><th>Number<th>Customer<th>Status<th>Action</tr>` + orderRows(1004, "Barbara", "Donald") + `</table>
			<div id="ask" role="dialog" aria-modal="true" aria-label="Cancel order" style="display: none"><p>Really?</p><button id="yes">Yes</button><button id="no">No</button></div>`,
		"https://office.test/mail": officeHead + `<h1>Mail</h1><ul><li><a href="/mail/1">Lunch on Friday</a> from Ada <button id="m1">Archive</button></li>
			<li><a href="/mail/2">Invoice 77</a> from Grace <button id="m2">Archive</button></li></ul><button id="new">Write</button>`,
		"https://office.test/mail/2": officeHead + `<h1>Invoice 77</h1><dl><dt>From<dd>Grace<dt>Total<dd>CHF 42.00</dl><button id="reply">Reply</button>`,
		"https://office.test/profile": officeHead + `<h1>Profile</h1><label>First name <input id="first"></label><label>Last name <input id="last"></label>
			<label>City <input id="city"></label><label>Phone <input id="phone"></label>
			<label>Language <select id="lang"><option>English<option>German<option>French</select></label>
			<label><input type="checkbox" id="news"> Newsletter</label><button id="save">Save</button><p id="told" role="status"></p>`,
	},
	scripts: func(state map[string]string) map[string]func(*fake.Document) {
		cancel := func(d *fake.Document, n int) {
			d.On("click", fmt.Sprintf("#c%d", n), func(*fake.Event) {
				if n >= 1004 {
					state["asked"] = fmt.Sprint(n)
					d.Find("#ask").SetAttr("style", "")
					return
				}
				state["canceled"] += fmt.Sprint(n, " ")
				d.Find(fmt.Sprintf("#s%d", n)).SetText("canceled")
			})
		}
		return map[string]func(*fake.Document){
			"https://office.test/": func(d *fake.Document) {
				d.On("click", "#in", func(*fake.Event) {
					if d.Find("#user").Value() == "ada" && d.Find("#pw").Value() == "s3cret-pass" {
						state["in"] = "ada"
						d.Navigate("/home")
						return
					}
					d.Find("#told").SetText("Wrong password")
				})
			},
			"https://office.test/orders": func(d *fake.Document) { cancel(d, 1001); cancel(d, 1002); cancel(d, 1003) },
			"https://office.test/orders2": func(d *fake.Document) {
				cancel(d, 1004)
				cancel(d, 1005)
				d.On("click", "#yes", func(*fake.Event) {
					state["canceled"] += state["asked"] + " "
					d.Find("#ask").SetAttr("style", "display: none")
				})
			},
			"https://office.test/mail": func(d *fake.Document) {
				d.On("click", "#m1", func(*fake.Event) { state["archived"] += "lunch "; d.Find("#m1").Parent().Remove() })
				d.On("click", "#m2", func(*fake.Event) { state["archived"] += "invoice "; d.Find("#m2").Parent().Remove() })
				d.On("click", "#new", func(*fake.Event) {
					d.Body().Append(`<div role="dialog" aria-label="New mail"><label>To <input id="to"></label><label>Subject <input id="subject"></label><label>Text <textarea id="text"></textarea></label><button id="send">Send</button></div>`)
				})
				d.On("click", "#send", func(*fake.Event) {
					state["sent"] = d.Find("#to").Value() + "|" + d.Find("#subject").Value() + "|" + d.Find("#text").Value()
					d.Find("[role=dialog]").Remove()
					d.Body().Append(`<p role="status">Sent</p>`)
				})
			},
			"https://office.test/profile": func(d *fake.Document) {
				d.On("click", "#save", func(*fake.Event) {
					state["profile"] = strings.Join([]string{d.Find("#first").Value(), d.Find("#last").Value(), d.Find("#city").Value(), d.Find("#phone").Value(), d.Find("#lang").Value(), fmt.Sprint(d.Find("#news").Checked())}, "|")
					d.Find("#told").SetText("Saved")
				})
			},
		}
	},
}

func orderRows(from int, names ...string) string {
	var b strings.Builder
	for i, name := range names {
		n := from + i
		fmt.Fprintf(&b, `<tr><td>%d<td>%s<td id="s%d">open<td><button id="c%d">Cancel</button></tr>`, n, name, n, n)
	}
	return b.String()
}

// perform opens a site and has an agent carry out a task on it.
func perform(t *testing.T, s site, at, task string, vars map[string]engine.Variable) (*errand, map[string]string) {
	t.Helper()
	state := map[string]string{}
	session, err := engine.Open(t.Context(), fake.New(fake.Options{Web: s.web, Scripts: s.scripts(state)}), &engine.Options{Model: offline.New()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	if _, err := session.Page().Navigate(t.Context(), at, nil); err != nil {
		t.Fatal(err)
	}
	a, err := agent.New(agent.Config{})
	if err != nil {
		t.Fatal(err)
	}
	result, err := a.Execute(t.Context(), session.Page(), agent.Task{Instruction: task, Variables: vars, MaxSteps: 30})
	if err != nil {
		t.Fatalf("Execute(%q): %v\n%+v", task, err, result)
	}
	e := &errand{outcome: result}
	for _, action := range result.Actions {
		e.calls = append(e.calls, action.Type)
	}
	return e, state
}

func TestTasks(t *testing.T) {
	home, mail, profile := "https://office.test/home", "https://office.test/mail", "https://office.test/profile"
	for _, c := range []struct {
		at, task string
		want     string // of the site's own state: name=value
	}{
		{office.start, "log in as ada with password s3cret-pass, open Orders, cancel the order 1003", "canceled=1003 "},
		{office.start, "Log in with user ada and password s3cret-pass. Then go to Orders and cancel the order of Grace.", "canceled=1002 "},
		{office.start, "sign in as ada using the password s3cret-pass", "in=ada"},
		{office.start, "type ada into User name, type s3cret-pass into Password and click Log in, then open Mail", "in=ada"},
		{home, "open Orders, then cancel order 1001 and cancel order 1002", "canceled=1001 1002 "},
		{home, "open Orders and cancel the order 1005", "canceled=1005 "},
		{home, "Please open the Mail page, archive Invoice 77", "archived=invoice "},
		{mail, "archive the mail from Ada", "archived=lunch "},
		{mail, "click Write, type grace@office.test into To, type Lunch into Subject, type \"See you, and bring tea.\" into Text and press Send", "sent=grace@office.test|Lunch|See you, and bring tea."},
		{home, "open Mail; click Write; fill To with bob, Subject with Hello and Text with Hi; click Send", "sent=bob|Hello|Hi"},
		{home, "go to Profile, fill First name with Ada, Last name with Lovelace, City with Bern and Phone with 123, choose German in Language, check Newsletter and click Save", "profile=Ada|Lovelace|Bern|123|German|true"},
		{profile, "set Language to French\nset City to Basel\nclick Save", "profile=||Basel||French|false"},
		{home, "go to https://office.test/profile and type Ada into First name and save", "profile=Ada||||English|false"},
		{home, "open Mail, open Invoice 77, go back, archive Invoice 77", "archived=invoice "},
	} {
		e, state := perform(t, office, c.at, c.task, nil)
		name, value, _ := strings.Cut(c.want, "=")
		// "Sign in" is done by a button "Log in" and a form that is read by GET: no rule tells.
		unproven := strings.HasPrefix(c.task, "sign in")
		if (e.outcome.Verdict == agent.Unproven) != unproven || !unproven && !e.outcome.Success || state[name] != value {
			t.Errorf("%q: %s; open: %+v; after %v it leaves %q, want %s", c.task, e.outcome.Message, e.outcome.Open, e.calls, state, c.want)
		}
		for _, criterion := range e.outcome.Criteria {
			if len(criterion.Evidence) == 0 {
				t.Errorf("%q: the criterion %q rests on nothing", c.task, criterion.Text)
			}
		}
	}
}

// What it cannot do it says, and does nothing further.
func TestTasksGivenUp(t *testing.T) {
	home, mail := "https://office.test/home", "https://office.test/mail"
	for _, c := range []struct {
		at, task string
		why      string
		state    string
	}{
		{home, "open Orders and cancel the order 1009", "1009", "map[]"},
		{home, "open Orders and refund the order 1001", "refund", "map[]"},
		{home, "make the world a better place", "nothing was done", "map[]"},
		{mail, "archive all mails", "archive all mails", "map[]"},
		{mail, "archive the mail from Bob", "archive the mail from Bob", "map[]"},
		{mail, "archive the mail from Ada, then juggle three balls", "nothing was done", "map[]"},
		{office.start, "log in as ada with password wrong, open Orders, cancel the order 1003", "Orders", "map[]"},
		{office.start, "log in", "does not say with what", "map[]"},
		{home, "open Orders and cancel", "cancel", "map[]"},
		{home, "write to Grace, with the subject Lunch, when I will come", "not what to type", "map[]"},
	} {
		e, state := perform(t, office, c.at, c.task, nil)
		if e.outcome.Completed || !strings.Contains(e.outcome.Message, c.why) || fmt.Sprint(state) != c.state {
			t.Errorf("%q: %s after %v leaves %v, want that it gives up with %q", c.task, e.outcome.Message, e.calls, state, c.why)
		}
	}
}

// A value that only a variable has goes by its placeholder, and a question is answered.
func TestTaskWithVariable(t *testing.T) {
	vars := map[string]engine.Variable{"password": {Value: "s3cret-pass"}}
	e, state := perform(t, office, office.start, "log in as ada with the password %password% and open Mail", vars)
	if !e.outcome.Success || state["in"] != "ada" {
		t.Errorf("%s; open: %+v; after %v the state is %v", e.outcome.Message, e.outcome.Open, e.calls, state)
	}
	e, state = perform(t, office, office.start, "log in as ada, then open Mail", vars)
	if !e.outcome.Success || state["in"] != "ada" {
		t.Errorf("%s; open: %+v; after %v the state is %v", e.outcome.Message, e.outcome.Open, e.calls, state)
	}
	text, err := json.Marshal(e.outcome.Messages)
	if err != nil || strings.Contains(string(text), "s3cret-pass") {
		t.Errorf("the conversation holds the value: %v", err)
	}
	e, _ = perform(t, office, "https://office.test/mail", "open Invoice 77 and tell me the total", nil)
	if !e.outcome.Success || !strings.Contains(e.outcome.Message, "42.00") {
		t.Errorf("outcome %+v after %v, want the total", e.outcome, e.calls)
	}
}

// offered are the tools of a turn: in the last, done alone.
func offered(choice llm.ToolChoice) []llm.Tool {
	if choice.Name != "" {
		return tools(choice.Name)
	}
	return tools(agentTools...)
}

// turn asks for the call of one turn, after calls and their answers.
func turn(t *testing.T, task, outline string, choice llm.ToolChoice, past ...llm.Message) llm.ToolCall {
	t.Helper()
	messages := append([]llm.Message{{Role: llm.User, Parts: []llm.Part{llm.Instruction{Text: task}, llm.Page{Kind: "outline", Text: "address: https://a.test/\ntab: 1 of 2\n" + outline}}}}, past...)
	resp, err := offline.New().Generate(t.Context(), &llm.Request{Purpose: llm.PurposeAgent, Messages: messages, Tools: offered(choice), ToolChoice: choice})
	if err != nil {
		t.Fatalf("Generate(%q): %v", task, err)
	}
	if len(resp.ToolCalls) != 1 || resp.Stop != llm.StopTools {
		t.Fatalf("Generate(%q) = %+v, want one tool call", task, resp)
	}
	return resp.ToolCalls[0]
}

func answered(call llm.ToolCall, text string, failed bool, view ...llm.Part) []llm.Message {
	result := llm.ToolResult{ID: call.ID, Name: call.Name, Error: failed, Parts: []llm.Part{llm.Text{Text: text}}}
	return []llm.Message{{Role: llm.Assistant, Parts: []llm.Part{call}}, {Role: llm.User, Parts: append([]llm.Part{result}, view...)}}
}

// How a turn goes on after each kind of answer: nothing that may have happened
// is asked for again.
func TestTurns(t *testing.T) {
	page := pages["address"]
	task := "type Ada into First name and click Save"
	first := turn(t, task, page, llm.ToolChoice{})
	if first.Name != "fill" || !strings.Contains(string(first.Arguments), `"ref":"0-2"`) {
		t.Fatalf("first call %s %s, want fill 0-2", first.Name, first.Arguments)
	}
	for _, c := range []struct {
		what string
		past []llm.Message
		want string
	}{
		{"done", answered(first, "step 1: filled textbox", false), `click {"ref":"0-10"}`},
		{"not run", answered(first, "not run: the ref is gone", true), `outline {}`},
		{"unknown", answered(first, "the input was sent; its effect is unknown: look at the page before you retry", true), `done false`},
		{"refused", answered(first, "the policy refuses it", true), `done false`},
		{"renamed", answered(first, "step 1: filled textbox", false, llm.Page{Kind: "changes", Text: "- [0-10] button: Save\n+ [0-30] button: Save\n~ [0-2] textbox: First name value=\"Ada\"\n"}), `click {"ref":"0-30"}`},
		{"another document", answered(first, "step 1: filled textbox", false, llm.Page{Kind: "changes", Text: "another document\n+ [2-1] document: Next\n+   [2-2] button: Save\n"}), `click {"ref":"2-2"}`},
		{"gone", answered(first, "step 1: filled textbox", false, llm.Page{Kind: "changes", Text: "- [0-10] button: Save\n- [0-11] button: Save and close\n"}), `outline {}`},
		{"unreadable", answered(first, "step 1: filled textbox", false, llm.Page{Kind: "changes", Text: "… 12 more changes\n"}), `click {"ref":"0-10"}`},
	} {
		got := turn(t, task, page, llm.ToolChoice{}, c.past...)
		said := got.Name + " " + string(got.Arguments)
		if got.Name == "done" {
			var a struct{ Success bool }
			if err := json.Unmarshal(got.Arguments, &a); err != nil {
				t.Fatal(err)
			}
			said = fmt.Sprint("done ", a.Success)
		}
		if said != c.want {
			t.Errorf("after %s: %s, want %s", c.what, said, c.want)
		}
	}
	// Twice not run is enough.
	look := turn(t, task, page, llm.ToolChoice{}, answered(first, "not run: the ref is gone", true)...)
	past := append(answered(first, "not run: the ref is gone", true), answered(look, "", false, llm.Page{Kind: "outline", Text: page})...)
	second := turn(t, task, page, llm.ToolChoice{}, past...)
	if second.Name != "fill" || second.ID == first.ID {
		t.Errorf("after a look: %s %s, want another fill", second.Name, second.ID)
	}
	if got := turn(t, task, page, llm.ToolChoice{}, append(past, answered(second, "not run: the ref is gone", true)...)...); got.Name != "done" {
		t.Errorf("after two that were not run: %s, want done", got.Name)
	}
	// The last step offers done alone.
	if got := turn(t, task, page, llm.OneTool("done")); got.Name != "done" || strings.Contains(string(got.Arguments), "true") {
		t.Errorf("with done alone: %s %s", got.Name, got.Arguments)
	}
	// A claim that is questioned is repeated, and says that nothing confirms it.
	end := turn(t, "click Save", page, llm.ToolChoice{}, answered(turn(t, "click Save", page, llm.ToolChoice{}), "step 1: clicked button", false)...)
	past = append(answered(turn(t, "click Save", page, llm.ToolChoice{}), "step 1: clicked button", false), answered(end, "no evidence", true)...)
	if got := turn(t, "click Save", page, llm.ToolChoice{}, past...); got.Name != "done" || !strings.Contains(string(got.Arguments), "could not be confirmed") {
		t.Errorf("asked about its claim: %s %s, want that it says what is not known", got.Name, got.Arguments)
	}
	// Where what was done is no longer to be seen, nothing is done again.
	summary := llm.Message{Role: llm.User, Parts: []llm.Part{llm.Text{Text: "Confirmed so far: …"}, llm.Page{Kind: "outline", Text: page}}}
	if got := turn(t, task, page, llm.ToolChoice{}, summary); got.Name != "done" || strings.Contains(string(got.Arguments), `"success":true`) {
		t.Errorf("after its calls were left out: %s %s, want that it gives up", got.Name, got.Arguments)
	}
	// What another model began is not gone on with.
	foreign := llm.ToolCall{ID: "toolu_1", Name: "click", Arguments: json.RawMessage(`{"ref":"0-10"}`)}
	if got := turn(t, task, page, llm.ToolChoice{}, answered(foreign, "step 1: clicked button", false)...); got.Name != "done" || strings.Contains(string(got.Arguments), `"success":true`) {
		t.Errorf("after another model's call: %s %s, want that it gives up", got.Name, got.Arguments)
	}
}

// FuzzAgent: no panic, and a call of a tool that is there, with arguments that are an object.
func FuzzAgent(f *testing.F) {
	f.Add("log in as ada with password x, open Orders, cancel the order 1003", pages["table"], "+ [0-40] listbox\n+   [0-41] option: 10\n", "step 1: clicked")
	f.Add("choose 50 in Page Size; go back", pages["table"], "another document\n", "not run: gone")
	f.Fuzz(func(t *testing.T, task, outline, changes, result string) {
		if len(task) > 500 || len(outline) > 5000 || len(changes) > 5000 {
			return
		}
		messages := []llm.Message{{Role: llm.User, Parts: []llm.Part{llm.Instruction{Text: task}, llm.Page{Kind: "outline", Text: outline}}}}
		for range 4 {
			resp, err := offline.New().Generate(context.Background(), &llm.Request{Purpose: llm.PurposeAgent, Messages: messages, Tools: tools(agentTools...)})
			if err != nil {
				return
			}
			call := resp.ToolCalls[0]
			var object map[string]any
			if json.Unmarshal(call.Arguments, &object) != nil || object == nil {
				t.Fatalf("the arguments %s are no object", call.Arguments)
			}
			messages = append(messages, answered(call, result, strings.HasPrefix(result, "not"), llm.Page{Kind: "changes", Text: changes})...)
		}
	})
}
