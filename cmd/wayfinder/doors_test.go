package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/internal/vendorserver"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
	"github.com/wayfinder-engine/wayfinder/schema"
	"github.com/wayfinder-engine/wayfinder/server"
	"github.com/wayfinder-engine/wayfinder/server/client"
	servermcp "github.com/wayfinder-engine/wayfinder/server/mcp"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

const (
	lampsPage = `<!doctype html><html lang=en><title>Lamps</title><h1>Lamps</h1><table><tr><th>Name<th>Price<th>Colour<tr><td>Ash<td>€12<td>black<tr><td>Birch<td>€15<td>white<tr><td>Cedar<td>€19<td>red</table><p>We deliver in two days.</p>`
	lampsForm = `{"type":"object","properties":{"lamps":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"price":{"type":"number"},"colour":{"type":"string"}},"required":["name","price","colour"],"additionalProperties":false}},"express":{"type":"boolean"}},"required":["lamps","express"],"additionalProperties":false}`
	lampsTrue = `{"lamps":[{"name":"Ash","price":12,"colour":"black"},{"name":"Birch","price":15,"colour":"white"},{"name":"Cedar","price":19,"colour":"red"}],"express":true}`
	// Another row's price, one row left out; that the delivery is express nothing proves.
	lampsWrong = `{"lamps":[{"name":"Ash","price":12,"colour":"black"},{"name":"Birch","price":19,"colour":"white"}],"express":true}`
)

// A view is what a door says of an extraction. What it does not have is nil.
type view struct {
	Sources map[string]string // by pointer, ref, kind and text
	Degrees map[string]string // of what is ungrounded, by pointer
	Omitted []string
}

func viewOf(sources map[string]engine.Source, ungrounded []engine.Ungrounded, omitted []engine.Omission) view {
	v := view{Sources: map[string]string{}, Degrees: map[string]string{}}
	for pointer, s := range sources {
		v.Sources[pointer] = fmt.Sprintf("%s %s %q %d-%d", s.Ref, s.Kind, s.Text, s.Start, s.End)
	}
	for _, u := range ungrounded {
		v.Degrees[u.Pointer] = string(u.Degree) + ": " + u.Reason
	}
	for _, o := range omitted {
		v.Omitted = append(v.Omitted, string(o.Cause)+" "+o.Pointer+" "+o.String())
	}
	return v
}

// A door reads the lamps as strictly as asked, from a model that answers so.
type door func(t *testing.T, site, answer, strict string) (view, error)

// answering is a model whose extractions are always the same.
func answering(t *testing.T, answer string, before ...llmtest.Step) llm.Model {
	return llmtest.NewScript(t, append(before, llmtest.Step{Times: -1, Purpose: llm.PurposeExtract, JSON: json.RawMessage(answer)})...)
}

// pageAt opens a page in memory.
func pageAt(t *testing.T, site string, model llm.Model) *engine.Page {
	t.Helper()
	session, err := engine.Open(t.Context(), fake.Network(), &engine.Options{Model: model})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	if _, err := session.Page().Navigate(t.Context(), site, nil); err != nil {
		t.Fatal(err)
	}
	return session.Page()
}

func throughEngine(t *testing.T, site, answer, strict string) (view, error) {
	form, err := schema.Parse([]byte(lampsForm))
	if err != nil {
		t.Fatal(err)
	}
	out, err := pageAt(t, site, answering(t, answer)).Extract(t.Context(), "the lamps", &engine.ExtractOptions{Schema: form, Strict: strict == "strict", StrictAll: strict == "all"})
	if err != nil {
		return view{}, err
	}
	return viewOf(out.Sources, out.Ungrounded, out.Omitted), nil
}

// throughCommand runs the program, whose model is a server.
func throughCommand(t *testing.T, site, answer, strict string) (view, error) {
	model := vendorserver.Serve(t, func(w http.ResponseWriter, _ *http.Request, _ string) { vendorserver.Chat.Say(w, answer) })
	args := []string{"extract", site, "the lamps", "--driver", "memory", "--schema", lampsForm, "--json", "--sources", "--model", "openai/local", "--base-url", model.URL + "/v1"}
	if flag := map[string]string{"strict": "--strict", "all": "--strict-all"}[strict]; flag != "" {
		args = append(args, flag)
	}
	got := wayfinderIn(t, []string{"OPENAI_API_KEY=k"}, args...)
	if got.code != 0 {
		return view{}, errors.New(got.err)
	}
	var out engine.Extraction
	if err := json.Unmarshal([]byte(got.out), &out); err != nil {
		t.Fatalf("%v in %s", err, got.out)
	}
	return viewOf(out.Sources, out.Ungrounded, out.Omitted), nil
}

func throughHTTP(t *testing.T, site, answer, strict string) (view, error) {
	handler, err := server.New(fake.Network(), &server.Options{
		Browsers: server.Browsers{Policy: &engine.Policy{Private: []string{"*"}}},
		Models:   server.Models{Make: func(server.ModelRequest) (llm.Model, error) { return answering(t, answer), nil }},
	})
	if err != nil {
		t.Fatal(err)
	}
	service := httptest.NewServer(handler)
	t.Cleanup(func() {
		handler.Shutdown(context.Background())
		service.Close()
	})
	c, err := client.New(service.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	session, err := c.Start(t.Context(), &wire.SessionStart{ModelName: "openai/test"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := session.Navigate(t.Context(), &wire.NavigateRequest{URL: site}); err != nil {
		t.Fatal(err)
	}
	data, err := session.Extract(t.Context(), &wire.ExtractRequest{Instruction: "the lamps", Schema: json.RawMessage(lampsForm),
		Options: &wire.ExtractOptions{Sources: true, Strict: strict == "strict", StrictAll: strict == "all"}})
	if err != nil {
		return view{}, err
	}
	var out engine.Extraction // the report has its members
	decode(t, data.Report, &out)
	return viewOf(out.Sources, out.Ungrounded, out.Omitted), nil
}

func throughMCP(t *testing.T, site, answer, strict string) (view, error) {
	s, err := servermcp.New(servermcp.Options{Open: func(ctx context.Context) (*engine.Session, error) {
		return engine.Open(ctx, fake.Network(), &engine.Options{Model: answering(t, answer)})
	}})
	if err != nil {
		t.Fatal(err)
	}
	here, there := mcp.NewInMemoryTransports()
	if _, err := s.MCP().Connect(t.Context(), there, nil); err != nil {
		t.Fatal(err)
	}
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	call := func(tool string, arguments map[string]any) (*mcp.CallToolResult, error) {
		result, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
		if err != nil {
			t.Fatal(err)
		}
		if result.IsError {
			return nil, errors.New(result.Content[0].(*mcp.TextContent).Text)
		}
		return result, nil
	}
	if _, err := call("navigate", map[string]any{"url": site}); err != nil {
		t.Fatal(err)
	}
	result, err := call("extract", map[string]any{"instruction": "the lamps", "schema": json.RawMessage(lampsForm), "sources": true, "strict": strict == "strict", "strict_all": strict == "all"})
	if err != nil {
		return view{}, err
	}
	var out engine.Extraction
	decode(t, result.StructuredContent, &out)
	return viewOf(out.Sources, out.Ungrounded, out.Omitted), nil
}

// throughAgent takes what the tool extract has noted in its step, or what the result says
// of an output with the same data.
func throughAgent(output bool) door {
	return func(t *testing.T, site, answer, strict string) (view, error) {
		says := func(name string, arguments map[string]any) llmtest.Step {
			raw, err := json.Marshal(arguments)
			if err != nil {
				t.Fatal(err)
			}
			return llmtest.Step{Purpose: llm.PurposeAgent, Answer: func(*llm.Request) any {
				return &llm.Response{ToolCalls: []llm.ToolCall{{ID: name, Name: name, Arguments: raw}}}
			}}
		}
		form, err := schema.Parse([]byte(lampsForm))
		if err != nil {
			t.Fatal(err)
		}
		first, task := says("extract", map[string]any{"instruction": "the lamps", "schema": json.RawMessage(lampsForm), "strict": strict == "strict"}), agent.Task{Instruction: "read the lamps"}
		end := map[string]any{"success": false, "message": "read"}
		if output {
			first, task.Output, end["output"] = says("read", map[string]any{}), form, json.RawMessage(answer)
		}
		last := says("done", end)
		last.Times = -1
		model := answering(t, answer, first, last)
		a, err := agent.New(agent.Config{Model: model})
		if err != nil {
			t.Fatal(err)
		}
		result, err := a.Execute(t.Context(), pageAt(t, site, model), task)
		if err != nil {
			t.Fatal(err)
		}
		if output {
			return viewOf(result.Sources, result.Ungrounded, result.Omitted), nil
		}
		read := result.Actions[0]
		if read.Status == agent.Failed {
			return view{}, errors.New(read.Message)
		}
		if !strings.Contains(read.Output, "Not in this data") == (answer == lampsWrong) {
			t.Errorf("of the row that is left out the model is told %q", read.Output)
		}
		return viewOf(read.Sources, read.Ungrounded, read.Omitted), nil
	}
}

func decode(t *testing.T, from, to any) {
	t.Helper()
	raw, err := json.Marshal(from)
	if err == nil {
		err = json.Unmarshal(raw, to)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestDoors asks for the same extraction through the engine, the command, HTTP, MCP and
// an agent: sources and degrees are the same, and what is strict refuses the same.
func TestDoors(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		io.WriteString(w, lampsPage) //nolint:errcheck // a recorder
	}))
	defer site.Close()
	doors := map[string]door{"command": throughCommand, "HTTP": throughHTTP, "MCP": throughMCP, "agent, extract": throughAgent(false), "agent, output": throughAgent(true)}
	for _, answer := range []string{lampsTrue, lampsWrong} {
		want, err := throughEngine(t, site.URL, answer, "")
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.Sorted(maps.Keys(want.Degrees)); answer == lampsWrong && (!slices.Equal(got, []string{"/express", "/lamps/1/price"}) || len(want.Omitted) != 1 || len(want.Sources) < 5) {
			t.Fatalf("the engine says %+v", want)
		}
		for _, name := range slices.Sorted(maps.Keys(doors)) {
			got, err := doors[name](t, site.URL, answer, "")
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s of %s (-engine +%s):\n%s", name, answer, name, diff)
			}
		}
		for _, strict := range []string{"strict", "all"} {
			_, want := throughEngine(t, site.URL, answer, strict)
			for _, name := range []string{"command", "HTTP", "MCP", "agent, extract"} {
				if strict == "all" && name == "agent, extract" {
					continue // a model asks for no more than what the page contradicts
				}
				_, got := doors[name](t, site.URL, answer, strict)
				if (want == nil) != (got == nil) {
					t.Errorf("%s, %s: %v, want %v", name, strict, got, want)
				}
				var refused *engine.UngroundedError
				for errors.As(want, &refused) && got != nil {
					for _, u := range refused.Values {
						if !strings.Contains(got.Error(), u.Pointer) {
							t.Errorf("%s, %s: %v does not name %s", name, strict, got, u.Pointer)
						}
					}
					break
				}
			}
		}
	}
}
