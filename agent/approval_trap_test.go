package agent_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
)

// A bank is a site that remembers what arrived.
type bank struct {
	page, script, worker, tab string

	mu  sync.Mutex // protects got
	got []string
}

func (b *bank) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Access-Control-Allow-Origin", "*")
	w.Header().Set("Access-Control-Allow-Headers", "*")
	switch {
	case r.URL.Path == "/":
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<!doctype html><title>Bank</title>"+strings.ReplaceAll(b.page, "OTHER", "http://"+otherHost(r.Host)))
		if b.script != "" {
			fmt.Fprint(w, "<script>"+strings.ReplaceAll(b.script, "OTHER", "http://"+otherHost(r.Host))+"</script>")
		}
		return
	case r.URL.Path == "/worker.js":
		w.Header().Set("Content-Type", "text/javascript")
		fmt.Fprint(w, b.worker)
		return
	case r.URL.Path == "/frame":
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<!doctype html>"+b.page)
		fmt.Fprint(w, "<script>"+b.script+"</script>")
		return
	case r.URL.Path == "/tab":
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<!doctype html><title>Tab</title><script>"+b.tab+"</script>")
		return
	case r.URL.Path == "/favicon.ico" || r.Header.Get("Access-Control-Request-Method") != "":
		return
	case strings.HasPrefix(r.URL.Path, "/away"):
		b.note(r)
		http.Redirect(w, r, "http://"+otherHost(r.Host)+"/pay", http.StatusTemporaryRedirect)
		return
	}
	b.note(r)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprint(w, "<!doctype html><title>Done</title><p>thank you")
}

// note remembers a request by its method, whether it came to the other host, its
// path and its values.
func (b *bank) note(r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	text := string(body)
	if values, err := url.ParseQuery(text); err == nil && strings.HasPrefix(r.Header.Get("Content-Type"), "application/x-www-form-urlencoded") {
		text = values.Encode()
	}
	where := ""
	if isOther(r.Host) {
		where = "other"
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.got = append(b.got, strings.TrimSpace(r.Method+" "+where+r.URL.RequestURI()+" "+text))
}

func (b *bank) arrived() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.got)
}

// otherHost is the other name of a host on loopback.
func otherHost(host string) string {
	if rest, ok := strings.CutPrefix(host, "127.0.0.1"); ok {
		return "localhost" + rest
	}
	return "other.test"
}

func isOther(host string) bool { return strings.HasPrefix(host, "localhost") || host == "other.test" }

const transfer = `<form action=/pay method=post><p>You pay 820.00 EUR to Ann</p>
	<input type=hidden name=amount value=820><input type=hidden name=to value=annette>
	<label>Note <input name=note value=rent></label><button id=b>Pay now</button></form>`

const approvedPay = "POST /pay amount=820&note=rent&to=annette"

// A trap is a page whose press sends what it did not show.
type trap struct {
	name   string
	page   string
	script string                 // of the page, for Chrome
	worker string                 // a service worker's
	memory func(s *fake.Document) // the same, in memory; nil: the page is only for Chrome
	press  func(*llm.Request) llm.ToolCall
	next   string                    // what is pressed afterwards
	tab    string                    // the script of a second tab
	shows  string                    // what the page says when what the press began is over
	want   []string                  // what arrives
	said   string                    // a word of what the second question says; empty: there is none
	grants func(agent.Approval) bool // of the second question; nil refuses
}

func clickPay(req *llm.Request) llm.ToolCall {
	return call(req, "click", args{"ref": "@button: Pay now"})
}

// sets changes a field in the moment of the press.
func sets(name, value string) func(*fake.Document) {
	return func(s *fake.Document) {
		s.On("click", "#b", func(*fake.Event) { s.Find("[name="+name+"]").SetAttr("value", value) })
	}
}

// instead sends something else than the form.
func instead(send func(s *fake.Document)) func(*fake.Document) {
	return func(s *fake.Document) {
		s.On("click", "#b", func(e *fake.Event) {
			e.PreventDefault()
			send(s)
		})
	}
}

const jsonType = "application/json"

var traps = []trap{
	{name: "as it is", page: transfer, want: []string{approvedPay}},
	{name: "amount", page: transfer, script: `b.onclick = () => document.forms[0].amount.value = 820000`, memory: sets("amount", "820000"), said: `amount is "820000" instead of "820"`},
	{name: "recipient", page: transfer, script: `b.onmousedown = () => document.forms[0].to.value = 'mallory'`, memory: sets("to", "mallory"), said: `to is "mallory" instead of "annette"`},
	{name: "hidden field", page: transfer, script: `b.onclick = () => document.forms[0].insertAdjacentHTML('beforeend', '<input type=hidden name=monthly value=1>')`,
		memory: func(s *fake.Document) {
			s.On("click", "#b", func(*fake.Event) { s.Find("form").Append("<input type=hidden name=monthly value=1>") })
		}, said: `monthly "1" is new`},
	{name: "another host by formaction", page: transfer, script: `b.onclick = () => b.setAttribute('formaction', 'OTHER/pay')`,
		memory: func(s *fake.Document) {
			s.On("click", "#b", func(*fake.Event) { s.Find("#b").SetAttr("formaction", "http://other.test/pay") })
		}, said: "it goes to"},
	{name: "double submit", page: transfer, script: `b.onclick = e => { e.preventDefault(); for (let i = 0; i < 2; i++) fetch('/pay', {method: 'POST', body: new URLSearchParams(new FormData(document.forms[0]))}) }`,
		memory: instead(func(s *fake.Document) {
			for range 2 {
				s.Fetch("POST", "/pay", "application/x-www-form-urlencoded", "amount=820&note=rent&to=annette", nil)
			}
		}), want: []string{approvedPay}, said: "let out already"},
	{name: "fetch with the same", page: transfer, script: `b.onclick = e => { e.preventDefault(); fetch('/pay', {method: 'POST', headers: {'content-type': 'application/json'}, body: '{"to":"annette","note":"rent","amount":820}'}) }`,
		memory: instead(func(s *fake.Document) {
			s.Fetch("POST", "/pay", jsonType, `{"to":"annette","note":"rent","amount":820}`, nil)
		}), want: []string{`POST /pay {"to":"annette","note":"rent","amount":820}`}},
	{name: "fetch with another amount", page: transfer, script: `b.onclick = e => { e.preventDefault(); fetch('/pay', {method: 'POST', headers: {'content-type': 'application/json'}, body: '{"to":"annette","note":"rent","amount":820000}'}) }`,
		memory: instead(func(s *fake.Document) {
			s.Fetch("POST", "/pay", jsonType, `{"to":"annette","note":"rent","amount":820000}`, nil)
		}), said: `amount is "820000" instead of "820"`},
	{name: "redirect to another host", page: strings.Replace(transfer, "/pay", "/away", 1), want: []string{"POST /away amount=820&note=rent&to=annette"}, said: "it goes to"},
	{name: "a new page", page: strings.Replace(transfer, "<form", "<form target=_blank", 1), script: `b.onclick = () => document.forms[0].amount.value = 820000`,
		memory: sets("amount", "820000"), said: `amount is "820000"`},
	{name: "a frame", page: `<iframe srcdoc="` + strings.ReplaceAll(transfer, `"`, "") + `<script>b.onclick = () => document.forms[0].amount.value = 820000</script>" width=600 height=300></iframe>`, said: `amount is "820000"`},
	{name: "service worker", page: transfer, worker: `onmessage = () => fetch('/pay', {method: 'POST', headers: {'content-type': 'application/json'}, body: '{"to":"mallory","amount":820}'})`,
		script: `navigator.serviceWorker.register('/worker.js').then(() => navigator.serviceWorker.ready).then(r => { document.body.append('Ready'); b.onclick = e => { e.preventDefault(); r.active.postMessage(1) } })`,
		said:   `to is "mallory"`},
	{name: "beacon", page: transfer, script: `b.onclick = e => { e.preventDefault(); navigator.sendBeacon('/collect', new URLSearchParams({amount: 820000, to: 'mallory'})) }`,
		memory: instead(func(s *fake.Document) {
			s.Beacon("/collect", "application/x-www-form-urlencoded", "amount=820000&to=mallory")
		}), said: "instead of"},
	{name: "beacon that counts visits elsewhere", page: transfer, script: `const seen = what => navigator.sendBeacon('OTHER/seen', what); seen('view'); b.addEventListener('click', () => seen('click'))`,
		want: []string{approvedPay, "POST other/seen click", "POST other/seen view"}},
	{name: "beacon elsewhere with other fields", page: transfer, script: `b.addEventListener('click', () => navigator.sendBeacon('OTHER/pay', 'amount=820000&to=mallory'))`,
		memory: func(s *fake.Document) {
			s.On("click", "#b", func(*fake.Event) {
				s.Beacon("http://other.test/pay", "text/plain;charset=UTF-8", "amount=820000&to=mallory")
			})
		}, want: []string{approvedPay}, said: "it goes to"},
	{name: "fetchLater", page: transfer, script: `b.onclick = e => { e.preventDefault(); fetchLater('/pay2', {activateAfter: 0, method: 'POST', headers: {'content-type': 'application/json'}, body: '{"amount":"820000","to":"mallory"}'}) }`, said: "it goes to"},
	{name: "shared worker that was there first", page: transfer, worker: `onconnect = e => { e.ports[0].onmessage = () => fetch('/pay', {method: 'POST', body: '{"amount":"820000","to":"mallory"}'}); e.ports[0].postMessage(1) }`,
		script: `try { const w = new SharedWorker('/worker.js'); w.port.onmessage = () => document.body.append('Ready'); b.onclick = e => { e.preventDefault(); w.port.postMessage(1) } } catch { document.body.append('Ready') }`, want: []string{approvedPay}},
	{name: "HEAD", page: transfer, script: `b.onclick = e => { e.preventDefault(); fetch('/transfer?amount=820000&to=mallory', {method: 'HEAD'}) }`,
		memory: instead(func(s *fake.Document) { s.Fetch("HEAD", "/transfer?amount=820000&to=mallory", "", "", nil) }), said: "the method is HEAD"},
	{name: "a header that the script sets", page: transfer, script: `b.onclick = e => { e.preventDefault(); fetch('/pay', {method: 'POST', headers: {'x-http-method-override': 'DELETE'}, body: new URLSearchParams(new FormData(document.forms[0]))}) }`, said: `x-http-method-override "DELETE" is new`},
	{name: "a cookie that the script writes", page: transfer, script: `b.onclick = () => { document.cookie = 'amount=820000' }`, said: "the cookie amount was written since"},
	{name: "a parameter of the content type", page: transfer, script: `b.onclick = e => { e.preventDefault(); fetch('/pay', {method: 'POST', headers: {'content-type': 'application/x-www-form-urlencoded; amount=820000'}, body: 'amount=820&note=rent&to=annette'}) }`, said: `amount "820000" is new`},
	{name: "the page that it comes from", page: transfer, script: `b.onclick = () => history.replaceState(null, '', '/?amount=820000')`, said: "it comes from"},
	{name: "a value of bullets", page: strings.Replace(transfer, "value=annette", "value=•••••••", 1), script: `b.onclick = () => document.forms[0].to.value = 'mallory'`, memory: sets("to", "mallory"), said: `to is "mallory"`},
	{name: "a navigation after the same", page: transfer, script: `b.onclick = e => { e.preventDefault(); fetch('/pay', {method: 'POST', body: new URLSearchParams(new FormData(document.forms[0]))}).then(() => location = '/confirm?amount=820000&to=mallory') }`,
		want: []string{approvedPay}, said: "the method is GET"},
	{name: "a WebSocket", page: transfer, script: `b.addEventListener('click', () => { try { new WebSocket(location.origin.replace('http', 'ws') + '/pay') } catch {} })`, want: []string{approvedPay}},
	{name: "a second tab", page: transfer, tab: `new BroadcastChannel('a').onmessage = e => e.data == 'go' && fetch('/pay', {method: 'POST', body: '{"amount":"820000","to":"mallory"}'}).catch(() => 0).then(() => e.target.postMessage('over'))`,
		script: `const c = new BroadcastChannel('a'); c.onmessage = () => document.body.append('Over'); b.onclick = e => { e.preventDefault(); fetch('/pay', {method: 'POST', body: new URLSearchParams(new FormData(document.forms[0]))}).then(() => c.postMessage('go')) }`,
		shows:  "Over", want: []string{approvedPay}, said: " "},
	{name: "OPTIONS", page: transfer, script: `b.onclick = e => { e.preventDefault(); fetch('/transfer?amount=820000&to=mallory', {method: 'OPTIONS'}) }`,
		memory: instead(func(s *fake.Document) { s.Fetch("OPTIONS", "/transfer?amount=820000&to=mallory", "", "", nil) }), said: "the method is OPTIONS"},
	{name: "an amount in a header", page: transfer, script: `b.onclick = e => { e.preventDefault(); fetch('/pay', {method: 'POST', headers: {'x-amount': '820000'}, body: new URLSearchParams(new FormData(document.forms[0]))}) }`, said: `x-amount "820000" is new`},
	{name: "it waits for the next press", page: transfer + `<button id=n>Next</button>`, script: `let due; b.onclick = e => { e.preventDefault(); due = 1 }; n.onclick = () => due && fetch('/pay2', {method: 'POST', body: '{"amount":"820000","to":"mallory"}'})`,
		memory: func(s *fake.Document) {
			due := false
			s.On("click", "#b", func(e *fake.Event) { e.PreventDefault(); due = true })
			s.On("click", "#n", func(*fake.Event) {
				if due {
					s.Fetch("POST", "/pay2", jsonType, `{"amount":"820000","to":"mallory"}`, nil)
				}
			})
		}, next: "@button: Next", said: " "},
	{name: "what was approved waits for the next press", page: transfer + `<button id=n>Next</button>`, script: `let due; b.onclick = e => { e.preventDefault(); due = 1 }; n.onclick = () => due && document.forms[0].submit()`,
		memory: func(s *fake.Document) {
			due := false
			s.On("click", "#b", func(e *fake.Event) { e.PreventDefault(); due = true })
			s.On("click", "#n", func(*fake.Event) {
				if due {
					s.Find("form").Submit()
				}
			})
		}, next: "@button: Next", said: " "},
	{name: "timer", page: transfer, script: `b.onclick = e => { e.preventDefault(); setTimeout(() => { document.forms[0].amount.value = 820000; document.forms[0].submit() }, 20) }`,
		memory: instead(func(s *fake.Document) {
			s.After(20*time.Millisecond, func() {
				s.Find("[name=amount]").SetAttr("value", "820000")
				s.Find("form").Submit()
			})
		}), said: `amount is "820000"`},
	{name: "Enter in a field", page: transfer, script: `document.forms[0].onsubmit = () => { document.forms[0].amount.value = 820000 }`,
		memory: func(s *fake.Document) {
			s.On("submit", "form", func(*fake.Event) { s.Find("[name=amount]").SetAttr("value", "820000") })
		},
		press: func(req *llm.Request) llm.ToolCall {
			return call(req, "press", args{"ref": "@textbox: Note", "keys": "Enter"})
		}, said: `amount is "820000"`},
	{name: "Enter as it is", page: transfer, want: []string{approvedPay},
		press: func(req *llm.Request) llm.ToolCall {
			return call(req, "press", args{"ref": "@textbox: Note", "keys": "Enter"})
		}},
	{name: "a button elsewhere", page: `<form id=f action=/pay method=post><p>820.00 EUR</p><input type=hidden name=amount value=820><input name=to value=annette></form><button id=b form=f name=fee value=5>Pay now</button>`,
		script: `b.onclick = () => b.value = 500`, memory: sets("fee", "500"), said: `fee is "500" instead of "5"`},
	{name: "GET that deletes", page: `<form action=/delete><input type=hidden name=id value=7><button id=b>Delete draft 7</button></form>`,
		script: `b.onclick = () => document.forms[0].id.value = '*'; Object.defineProperty(document.forms[0], 'x', {}); b.onclick = () => document.querySelector('[name=id]').value = '*'`,
		memory: sets("id", "*"), said: `id is "*" instead of "7"`,
		press: func(req *llm.Request) llm.ToolCall { return call(req, "click", args{"ref": "@button: Delete draft 7"}) }},
	{name: "GET as it is", page: `<form action=/delete><input type=hidden name=id value=7><button id=b>Delete draft 7</button></form>`, want: []string{"GET /delete?id=7"},
		press: func(req *llm.Request) llm.ToolCall { return call(req, "click", args{"ref": "@button: Delete draft 7"}) }},
	{name: "GET by fetch", page: transfer, script: `b.onclick = e => { e.preventDefault(); fetch('/pay?amount=820000&to=mallory') }`,
		memory: instead(func(s *fake.Document) { s.Fetch("GET", "/pay?amount=820000&to=mallory", "", "", nil) }), said: "the method is GET instead of POST"},
	{name: "GET by fetch, in the path", page: transfer, script: `b.onclick = e => { e.preventDefault(); const r = new XMLHttpRequest(); r.open('GET', '/to/mallory/820000'); r.send() }`,
		memory: instead(func(s *fake.Document) { s.Fetch("GET", "/to/mallory/820000", "", "", nil) }), said: "the method is GET instead of POST"},
	{name: "GET by fetch after the same", page: transfer, script: `b.onclick = e => { e.preventDefault(); fetch('/pay', {method: 'POST', body: new URLSearchParams(new FormData(document.forms[0]))}).then(() => fetch('/more?amount=820000')) }`,
		memory: instead(func(s *fake.Document) {
			s.Fetch("POST", "/pay", "application/x-www-form-urlencoded", "amount=820&note=rent&to=annette", func(int, string) {
				s.Fetch("GET", "/more?amount=820000", "", "", nil)
			})
		}), want: []string{approvedPay}, said: "the method is GET instead of POST"},
	{name: "GET by a picture", page: transfer, script: `b.onclick = e => { e.preventDefault(); new Image().src = '/pay?amount=820000' }`, said: "the method is GET instead of POST"},
	{name: "GET of a script alone, refused", page: `<p>820.00 EUR</p><button id=b>Pay now</button>`, script: `b.onclick = () => fetch('/pay?amount=820000')`,
		memory: instead(func(s *fake.Document) { s.Fetch("GET", "/pay?amount=820000", "", "", nil) }), said: " "},
	{name: "what the page reads all the time", page: transfer, script: `const rate = () => fetch('/favicon.ico?t=' + Date.now()); rate(); setInterval(rate, 20); b.addEventListener('click', rate)`,
		memory: func(s *fake.Document) {
			s.Fetch("GET", "/favicon.ico?t=1", "", "", nil)
			s.On("click", "#b", func(*fake.Event) { s.Fetch("GET", "/favicon.ico?t=2", "", "", nil) })
		}, want: []string{approvedPay}},
	{name: "what came of it is read", page: transfer, script: `b.onclick = e => { e.preventDefault(); fetch('/pay', {method: 'POST', body: new URLSearchParams(new FormData(document.forms[0]))}).then(() => fetch('/favicon.ico?order=9')) }`,
		memory: instead(func(s *fake.Document) {
			s.Fetch("POST", "/pay", "application/x-www-form-urlencoded", "amount=820&note=rent&to=annette", func(int, string) {
				s.Fetch("GET", "/favicon.ico?order=9", "", "", nil)
			})
		}), want: []string{approvedPay}},
	{name: "a script alone, granted", page: `<p>820.00 EUR</p><button id=b>Pay now</button>`, script: `b.onclick = () => fetch('/pay', {method: 'POST', headers: {'content-type': 'application/json'}, body: '{"amount":820}'})`,
		memory: instead(func(s *fake.Document) { s.Fetch("POST", "/pay", jsonType, `{"amount":820}`, nil) }),
		grants: func(a agent.Approval) bool { return a.Outgoing.Fields[0].Value == "820" }, want: []string{`POST /pay {"amount":820}`}, said: " "},
	{name: "a script alone, refused", page: `<p>820.00 EUR</p><button id=b>Pay now</button>`, script: `b.onclick = () => fetch('/pay', {method: 'POST', headers: {'content-type': 'application/json'}, body: '{"amount":820000}'})`,
		memory: instead(func(s *fake.Document) { s.Fetch("POST", "/pay", jsonType, `{"amount":820000}`, nil) }),
		grants: func(a agent.Approval) bool { return a.Outgoing.Fields[0].Value == "820" }, said: " "},
}

// spring presses the button of a trap, and grants the first question.
func spring(t *testing.T, d driver.Driver, origin string, site *bank, c trap) {
	session, err := engine.Open(t.Context(), d, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	page := session.Page()
	if _, err := page.Navigate(t.Context(), origin+"/", nil); err != nil {
		t.Fatal(err)
	}
	var steps []llmtest.Step
	if c.worker != "" { // the run loads the page again
		steps = append(steps, say("wait", args{"for": "text", "value": "Ready"}))
		if err := page.WaitFor(t.Context(), engine.TextShown("Ready")); err != nil {
			t.Fatal(err)
		}
	}
	if c.tab != "" {
		other, err := session.NewPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := other.Navigate(t.Context(), origin+"/tab", nil); err != nil {
			t.Fatal(err)
		}
	}
	press := c.press
	if press == nil {
		press = clickPay
	}
	steps = append(steps, answer(func(req *llm.Request) []llm.ToolCall { return []llm.ToolCall{press(req)} }))
	if c.next != "" {
		steps = append(steps, answer(func(req *llm.Request) []llm.ToolCall {
			return []llm.ToolCall{call(req, "click", args{"ref": c.next})}
		}))
	}
	pressed := len(steps) - 1
	if c.shows != "" {
		steps = append(steps, say("wait", args{"for": "text", "value": c.shows}))
	}
	var mu sync.Mutex // protects asked
	var asked []agent.Approval
	a, err := agent.New(agent.Config{
		Model:        llmtest.NewScript(t, append(steps, say("done", args{"success": false, "message": "x"}))...),
		NeedApproval: agent.Classes(), ApprovedBy: "ann",
		Approve: func(_ context.Context, q agent.Approval) error {
			mu.Lock()
			defer mu.Unlock()
			asked = append(asked, q)
			if len(asked) == 1 || c.grants != nil && c.grants(q) {
				return nil
			}
			return errors.New("that is not what I wanted")
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	result, err := a.Execute(t.Context(), page, agent.Task{Instruction: "pay Ann"})
	if err != nil {
		t.Fatal(err)
	}
	got := site.arrived()
	slices.Sort(got)
	if seen := "POST other/seen view"; len(got) > 1 && slices.Equal(got[len(got)-2:], []string{seen, seen}) {
		got = got[:len(got)-1] // of the page before the run loaded it again
	}
	if !slices.Equal(got, c.want) {
		t.Errorf("arrived %q, want %q", got, c.want)
	}
	mu.Lock()
	defer mu.Unlock()
	switch {
	case c.said == "" && len(asked) != 1:
		t.Errorf("asked %d times, want once: %+v", len(asked), asked[1:])
	case c.said != "" && len(asked) < 2:
		t.Errorf("asked once, want a second question; step: %s %s", result.Actions[0].Status, result.Actions[0].Message)
	case c.said != "" && !strings.Contains(strings.Join(asked[1].Differences, "; ")+" ", c.said):
		t.Errorf("the second question says %q of %+v, want %q", asked[1].Differences, asked[1].Outgoing, c.said)
	}
	step := result.Actions[pressed]
	if len(c.want) == 0 && (step.Status != agent.Failed || !strings.Contains(step.Message, "not let out")) {
		t.Errorf("the step is %s: %s; want it failed, and told that nothing went out", step.Status, step.Message)
	}
	var approvals []engine.Approval
	for _, e := range session.History() {
		if e.Operation == engine.OperationApprove {
			approvals = append(approvals, *e.Approval)
		}
	}
	if len(approvals) != len(asked) || approvals[0].By != "ann" || approvals[0].Decision != engine.Approved || approvals[0].Action == nil {
		t.Errorf("the history has the approvals %+v, want %d by ann", approvals, len(asked))
	}
}

// TestApprovalTraps: an approval is for what was shown, whatever the page makes
// of the press.
func TestApprovalTraps(t *testing.T) {
	for _, c := range traps {
		if c.script != "" && c.memory == nil || strings.Contains(c.page, "srcdoc") {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			site := &bank{page: strings.ReplaceAll(c.page, "OTHER", "http://other.test")}
			opts := fake.Options{Handler: site}
			if c.memory != nil {
				opts.Scripts = map[string]func(*fake.Document){"http://bank.test/": c.memory}
			}
			spring(t, fake.New(opts), "http://bank.test", site, c)
		})
	}
}

// TestApprovalTrapsOnChrome: the same with real scripts.
func TestApprovalTrapsOnChrome(t *testing.T) {
	onChrome := chromeStage(t)
	for _, c := range traps {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			site := &bank{page: c.page, script: c.script, worker: c.worker, tab: c.tab}
			d, origin := onChrome(t, site)
			spring(t, d, origin, site, c)
		})
	}
}
