package drivertest

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// withTools asks for a browser whose pages may offer tools.
func withTools(_ *trial, o *driver.BrowserOptions) { o.PageTools = true }

func provider(t *trial) driver.ToolProvider {
	p, ok := driver.PageAs[driver.ToolProvider](t.page)
	if !ok {
		t.fatalf("the page is no ToolProvider")
	}
	return p
}

func tools(t *trial) []driver.Tool {
	tools, err := provider(t).Tools(t.ctx)
	t.ok("Tools", err)
	return tools
}

// tool returns the only tool of a name.
func tool(t *trial, name driver.ToolName) driver.Tool {
	tools := tools(t)
	found := slices.DeleteFunc(slices.Clone(tools), func(o driver.Tool) bool { return o.Name != name })
	if len(found) != 1 {
		t.fatalf("Tools() has %d of the name %s, want one: %+v", len(found), name, tools)
	}
	return found[0]
}

func call(t *trial, tool driver.Tool, input string) driver.ToolResult {
	r, err := provider(t).CallTool(t.ctx, tool.ToolRef, input)
	t.ok("CallTool "+string(tool.Name), err)
	return *r
}

func names(tools []driver.Tool) (out []string) {
	for _, o := range tools {
		out = append(out, string(o.Name))
	}
	return out
}

const (
	teaForm = `<form id=f toolname=order tooldescription="Order tea" action="/sent" method="post">
		<input id=q name=q required toolparamdescription="which tea"><select id=s name=s><option value=a>A<option value=b>B</select>
		<input type=checkbox name=c><input type=hidden name=h value=1><input type=date name=d><button>Go</button></form>`
	teaSent = `<form toolname=send tooldescription="Send tea" toolautosubmit action="/sent" method="post"><input name=q><button>Go</button></form>`
)

var toolCases = append([]Case{
	rule("tools/off", "Where BrowserOptions.PageTools does not ask for it no page offers tools.").at("BrowserOptions.PageTools").
		on("<p id=p>x</p>" + teaForm).
		opens(func(t *trial) {
			p := provider(t)
			t.fails("Tools", errOf(p.Tools(t.ctx)), errors.ErrUnsupported)
			t.fails("CallTool", errOf(p.CallTool(t.ctx, driver.ToolRef{Frame: t.main().ID, Doc: t.doc(), Name: "order"}, "{}")), errors.ErrUnsupported)
		}),
}, rows(Case{Doc: "ToolProvider.Tools", options: withTools},
	rule("tools/list", "Tools lists what scripts and forms of the document offer, with what they say of it.").
		with(pages{"/": teaForm + teaSent, "/none": "<p>x</p>"}).
		offering(
			Tool{Path: "/", Name: "add", Description: "Adds <two>", Schema: `{"type":"object","properties":{"a":{"type":"number"}}}`, ReadOnly: true},
			Tool{Path: "/", Name: "pay.now-2_x", Description: "Pays", Consequential: true, Untrusted: true},
		).
		opens(func(t *trial) {
			add, pay, order, send := tool(t, "add"), tool(t, "pay.now-2_x"), tool(t, "order"), tool(t, "send")
			t.equal("all tools", len(tools(t)), 4)
			t.equal("the first", names(tools(t))[:2], []string{"add", "pay.now-2_x"})
			t.equal("description", add.Description, "Adds <two>")
			t.must(strings.Contains(strings.ReplaceAll(add.InputSchema, " ", ""), `"a":{"type":"number"}`), "schema %s", add.InputSchema)
			t.equal("what the first claims", []bool{add.ReadOnly, add.Consequential, add.Untrusted, add.AutoSubmit}, []bool{true, false, false, false})
			t.equal("what the second claims", []bool{pay.ReadOnly, pay.Consequential, pay.Untrusted}, []bool{false, true, true})
			t.equal("origin", add.Origin, t.site.Origin)
			t.equal("where it is", add.ToolRef, driver.ToolRef{Frame: t.main().ID, Doc: t.doc(), Name: "add"})
			t.equal("form of a function", add.Form, driver.NodeRef{})
			t.equal("form", order.Form, t.find("#f"))
			t.equal("sent by itself", []bool{order.AutoSubmit, send.AutoSubmit}, []bool{false, true})
			t.must(strings.Contains(order.InputSchema, "which tea"), "schema %s", order.InputSchema)
			t.must(!strings.Contains(order.InputSchema, `"h"`), "schema with a hidden field: %s", order.InputSchema)
			t.open("/none")
			t.equal("tools of another document", len(tools(t)), 0)
		}),
	rule("tools/call", "CallTool has the tool work with the input, and returns what it answers as JSON.").at("ToolProvider.CallTool").
		on("<p id=p>x</p>").
		offering(
			Tool{Path: "/", Name: "echo", Description: "d"},
			Tool{Path: "/", Name: "say", Description: "d", Answer: `"done"`, Do: []Action{{Kind: SetText, Target: "#p", Text: "worked"}}},
			Tool{Path: "/", Name: "throws", Description: "d", Fails: "sold out"},
		).
		opens(func(t *trial) {
			t.equal("result", call(t, tool(t, "echo"), `{"a":[1,"<b>"]}`), driver.ToolResult{State: driver.ToolCompleted, Output: `{"a":[1,"<b>"]}`})
			t.equal("text before", t.text("#p"), "x")
			t.equal("result", call(t, tool(t, "say"), `{}`), driver.ToolResult{State: driver.ToolCompleted, Output: `"done"`})
			t.equal("text", t.text("#p"), "worked")
			failed := call(t, tool(t, "throws"), `{}`)
			t.equal("State", failed.State, driver.ToolFailed)
			t.must(strings.Contains(failed.Error, "sold out") && !strings.Contains(failed.Error, "\n"), "Error %q, want the exception's text without a trace", failed.Error)
		}),
	rule("tools/refused", "A tool or a document that is not there is an error that says so, and so is input that is no object.").at("ToolProvider.CallTool").
		with(pages{"/": "<p id=p>x</p>", "/two": "<p>y</p>"}).
		offering(Tool{Path: "/", Name: "echo", Description: "d"}, Tool{Path: "/two", Name: "echo", Description: "d"}).
		opens(func(t *trial) {
			p, echo := provider(t), tool(t, "echo").ToolRef
			other := echo
			other.Name = "other"
			t.failsAsOp("calltool", errOf(p.CallTool(t.ctx, other, "{}")), driver.ErrNoTool)
			other = echo
			other.Frame = "nosuch"
			t.failsAsOp("calltool", errOf(p.CallTool(t.ctx, other, "{}")), driver.ErrDetached)
			for _, input := range []string{"", "{", "[]", `"a"`, "null"} {
				t.must(errOf(p.CallTool(t.ctx, echo, input)) != nil, "CallTool with the input %q gave no error", input)
			}
			t.open("/two")
			t.failsAsOp("calltool", errOf(p.CallTool(t.ctx, echo, "{}")), driver.ErrStale)
		}),
	rule("tools/cancel", "A tool that never answers is given up with the context, and the page can be used.").at("ToolProvider.CallTool").
		on("<p id=p>x</p>").
		offering(
			Tool{Path: "/", Name: "hang", Description: "d", Hangs: true, Do: []Action{{Kind: SetText, Target: "#p", Text: "began"}}},
			Tool{Path: "/", Name: "echo", Description: "d"},
		).
		opens(func(t *trial) {
			hang := tool(t, "hang")
			for range 2 {
				ctx, cancel := context.WithCancel(t.ctx)
				done := make(chan error, 1)
				go func() { done <- errOf(provider(t).CallTool(ctx, hang.ToolRef, "{}")) }()
				t.later("the tool's call", func() bool { return t.text("#p") == "began" })
				cancel()
				t.fails("CallTool", <-done, context.Canceled)
			}
			t.equal("another tool", call(t, tool(t, "echo"), `{}`).State, driver.ToolCompleted)
		}),
	rule("tools/left", "A document that is left answers no more: ToolLeft, wherever the page goes.").at("ToolState").
		with(pages{"/": "<p>x</p>", "/two": "<p id=p>two</p>"}).
		offering(
			Tool{Path: "/", Name: "go", Description: "d", Hangs: true, Do: []Action{{Kind: GoTo, Text: "/two"}}},
			Tool{Path: "/two", Name: "far", Description: "d", Hangs: true, Do: []Action{{Kind: GoTo, Text: "/far"}}},
		).
		opens(func(t *trial) {
			t.equal("State", call(t, tool(t, "go"), "{}").State, driver.ToolLeft)
			t.open("/two")
			t.equal("tools", names(tools(t)), []string{"far"})
			t.web.serve("/far", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, t.elsewhere("/"), http.StatusFound) })
			t.equal("State after another site", call(t, tool(t, "far"), "{}").State, driver.ToolLeft)
		}),
	rule("tools/vanishing", "A tool that is taken back while it works answers still, and is not listed any more.").
		on("<p id=p>x</p>").
		offering(Tool{Path: "/", Name: "once", Description: "d", Answer: `"late"`, Do: []Action{{Kind: TakeBack, Name: "once"}}}).
		opens(func(t *trial) {
			once := tool(t, "once")
			t.equal("result", call(t, once, "{}"), driver.ToolResult{State: driver.ToolCompleted, Output: `"late"`})
			t.equal("tools", len(tools(t)), 0)
			t.fails("a second call", errOf(provider(t).CallTool(t.ctx, once.ToolRef, "{}")), driver.ErrNoTool)
		}),
	rule("tools/form", "A form that is not sent by itself is filled in and waits; it can be filled in again, and sent.").at("ToolState").
		with(pages{"/": teaForm, "/sent": "<p>thanks"}).
		opens(func(t *trial) {
			order := tool(t, "order")
			for _, tea := range []string{"green", "black"} {
				t.equal("result", call(t, order, `{"q":"`+tea+`","s":"b","c":true}`), driver.ToolResult{State: driver.ToolWaiting})
				t.equal("value", t.state("#q").Value, tea)
				t.equal("choice", t.state("#s").Value, "b")
			}
			t.equal("a name that is none", call(t, order, `{"other":"x"}`).State, driver.ToolFailed)
			t.equal("a value that is none", call(t, order, `{"q":"x","d":"someday"}`).State, driver.ToolFailed)
			call(t, order, `{"q":"red"}`)
			t.unasked("/sent")
			t.click("button")
			t.equal("what was sent", t.request("/sent").Body, "q=red&s=b&c=on&h=1&d=")
		}),
	rule("tools/form-sent", "A form with toolautosubmit is filled in and sent.").at("Tool").
		with(pages{"/": teaSent, "/sent": "<p>thanks"}).
		opens(func(t *trial) {
			t.equal("State", call(t, tool(t, "send"), `{"q":"green"}`).State, driver.ToolLeft)
			t.equal("what was sent", t.request("/sent").Body, "q=green")
		}),
	rule("tools/frames", "Frames offer tools of their own, under names that others have, too; those of other origins only where the page lets them.").
		with(pages{
			"/":   `<iframe src="/in"></iframe><iframe src="{{other}}/in"></iframe><iframe allow="tools" src="{{other}}/in"></iframe>`,
			"/in": "<p id=p>x</p>",
		}).
		offering(
			Tool{Path: "/", Name: "who", Description: "top", Answer: `"top"`},
			Tool{Path: "/in", Name: "who", Description: "in", Answer: `"in"`, Do: []Action{{Kind: SetText, Target: "#p", Text: "called"}}},
		).
		opens(func(t *trial) {
			tools, frames := tools(t), t.frames(t.page)
			t.equal("how many", len(tools), 3)
			if len(tools) != 3 {
				return
			}
			for i, want := range []struct {
				origin, answer string
				frame          int
			}{{t.site.Origin, `"top"`, 0}, {t.site.Origin, `"in"`, 1}, {t.site.Other, `"in"`, 3}} {
				t.equal("Origin", tools[i].Origin, want.origin)
				t.equal("Frame", tools[i].Frame, frames[want.frame].ID)
				t.equal("answer", call(t, tools[i], "{}").Output, want.answer)
			}
		}),
	rule("tools/changed", "ToolsChanged says that a document offers other tools than before.").at("ToolsChanged").
		with(pages{"/": "<p id=p>x</p>", "/none": "<p>y</p>"}).
		offering(
			Tool{Path: "/", Name: "once", Description: "d", Do: []Action{{Kind: TakeBack, Name: "once"}}},
			Tool{Path: "/", Name: "stays", Description: "d"},
		).
		checks(func(t *trial) {
			seen := func() (n int) {
				t.events.mu.Lock()
				defer t.events.mu.Unlock()
				for _, e := range t.events.seen {
					if c, ok := e.(driver.ToolsChanged); ok && c.Page == t.page.ID() && string(c.Frame) == string(t.page.ID()) {
						n++
					}
				}
				return n
			}
			t.open("/")
			once := tool(t, "once")
			first := seen()
			t.must(first > 0, "no ToolsChanged after the document has registered tools")
			call(t, once, "{}")
			second := seen()
			t.must(second > first, "no ToolsChanged after a tool was taken back")
			t.open("/none")
			t.must(seen() > second, "no ToolsChanged after the document was left")
		}),
	rule("tools/dialog", "A dialog that a tool shows is answered as any other, and the call goes on.").at("Page.OnDialog").
		on("<p id=p>x</p>").
		offering(Tool{Path: "/", Name: "ask", Description: "d", Answer: `"asked"`, Do: []Action{{Kind: ShowConfirm, Target: "#p", Text: "sure?"}}}).
		opens(func(t *trial) {
			ask := tool(t, "ask")
			t.equal("result", call(t, ask, "{}").Output, `"asked"`)
			t.equal("answer of nobody", t.text("#p"), "false")
			t.page.OnDialog(func(driver.Dialog) driver.DialogAnswer { return driver.DialogAnswer{Accept: true} })
			t.equal("result", call(t, ask, "{}").Output, `"asked"`)
			t.equal("answer", t.text("#p"), "true")
		}),
	rule("tools/back", "A document that is shown again offers its tools again.").
		with(pages{"/": "<p>x</p>", "/two": "<p>y</p>"}).
		offering(Tool{Path: "/", Name: "echo", Description: "d"}).
		opens(func(t *trial) {
			t.open("/two")
			t.equal("tools", len(tools(t)), 0)
			t.ok("Back", errOf(t.page.Back(t.ctx, nil)))
			t.equal("State", call(t, tool(t, "echo"), "{}").State, driver.ToolCompleted)
		}),
)...)
