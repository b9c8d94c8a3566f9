package agent

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/llm"
)

// A chat is a conversation under way, as a run leads it.
type chat struct {
	conversation
	turn int
}

func newChat(earlier []llm.Message) *chat {
	c := &chat{}
	c.system = promptAgent
	c.begin(earlier, []llm.Part{llm.Instruction{Text: "go"}, llm.Page{Kind: kindOutline, Text: "[0-1] document"}})
	return c
}

// next is a turn with one call, answered by parts.
func (c *chat) next(result []llm.Part, line string, view ...llm.Part) {
	c.turn++
	id := fmt.Sprint("c", c.turn)
	c.answered((&llm.Response{Text: "thinking", ToolCalls: []llm.ToolCall{{ID: id, Name: "read", Arguments: json.RawMessage(`{}`)}}}).Message())
	c.told(append([]llm.Part{llm.ToolResult{ID: id, Name: "read", Parts: result}}, view...), []string{line})
}

func (c *chat) ask(t *testing.T) *llm.Request {
	t.Helper()
	req := c.request(llm.ToolChoice{}, nil)
	if err := req.Check(); err != nil {
		t.Errorf("turn %d: no provider takes the request: %v", c.turn, err)
	}
	return req
}

// shown counts the outlines and pictures of a request.
func shown(req *llm.Request) (outlines, changes, images int) {
	for _, m := range req.Messages {
		images += pictures(m.Parts)
		for _, part := range m.Parts {
			if p, ok := part.(llm.Page); ok && p.Kind == kindOutline {
				outlines++
			} else if ok && p.Kind == kindChanges {
				changes++
			}
		}
	}
	return outlines, changes, images
}

// One newest outline and the changes since; the two newest pictures, wherever
// they stand; a line in the place of each older one.
func TestConversationKeepsTheNewest(t *testing.T) {
	image := llm.Image{MediaType: "image/png", Data: []byte("x")}
	c := newChat(nil)
	for n := 1; n <= 9; n++ {
		view := []llm.Part{llm.Page{Kind: kindChanges, Text: fmt.Sprint("+ line ", n)}, image}
		if n%3 == 0 {
			view[0] = llm.Page{Kind: kindOutline, Text: fmt.Sprint("outline ", n)}
		}
		result := []llm.Part{llm.Text{Text: "read"}}
		if n%4 == 0 {
			result = append(result, image, image)
		}
		c.next(result, "", view...)
		outlines, changes, images := shown(c.ask(t))
		if outlines != 1 || changes != n%3 || images != min(n, mostPictures) {
			t.Errorf("turn %d: %d outlines, %d changes, %d pictures; want 1, %d, %d", n, outlines, changes, images, n%3, min(n, mostPictures))
		}
	}
	last := c.Messages[len(c.Messages)-1].Parts
	if _, ok := last[len(last)-1].(llm.Image); !ok {
		t.Errorf("the newest picture is gone: %+v", last)
	}
	if text := fmt.Sprint(c.Messages); !strings.Contains(text, formerOutline) || !strings.Contains(text, formerPicture) {
		t.Errorf("nothing says what stood there: %s", text)
	}
}

// What was done stays, as it was confirmed, also through several compactions;
// the calls of turns that are kept have their results.
func TestConversationCompacts(t *testing.T) {
	for keep := range keptTurns + 1 {
		c := newChat([]llm.Message{{Role: llm.User, Parts: []llm.Part{llm.Text{Text: "an earlier run"}}}, {Role: llm.Assistant, Parts: []llm.Part{llm.Text{Text: "done"}}}})
		if c.compact(keep) {
			t.Errorf("keep %d: there was something to compact before the first turn", keep)
		}
		for n := 1; n <= 9; n++ {
			c.next([]llm.Part{llm.Text{Text: "a long text"}}, fmt.Sprintf("%d. click: clicked %d", n, n), llm.Page{Kind: kindChanges, Text: "x"})
			if n%3 == 0 && !c.compact(keep) {
				t.Errorf("keep %d, turn %d: nothing was compacted", keep, n)
			}
			c.told([]llm.Part{llm.Page{Kind: kindOutline, Text: "now"}}, nil)
			req := c.ask(t)
			if n < 3 {
				continue
			}
			history, whole := "", 0
			for _, m := range req.Messages {
				for _, part := range m.Parts {
					switch p := part.(type) {
					case llm.Page:
						if p.Kind == kindHistory {
							history += p.Text
							whole++
						}
					case llm.Text:
						if strings.Contains(p.Text, "clicked") {
							t.Errorf("keep %d: %q stands outside of a fence", keep, p.Text)
						}
					}
				}
			}
			if whole != 1 {
				t.Errorf("keep %d, turn %d: %d histories, want one", keep, n, whole)
			}
			for k := 1; k <= n/3*3-keep; k++ {
				if strings.Count(history, fmt.Sprintf("%d. click", k)) != 1 {
					t.Errorf("keep %d, turn %d: the history has step %d %d times: %q", keep, n, k, strings.Count(history, fmt.Sprintf("%d. click", k)), history)
				}
			}
			if _, ok := req.Messages[2].Parts[0].(llm.Instruction); !ok {
				t.Errorf("keep %d: the task is gone: %+v", keep, req.Messages[2])
			}
		}
	}
}

// What a step came to is in the history as it is known, and never better.
func TestLine(t *testing.T) {
	for status, want := range map[Status]string{
		Done: "3. click: clicked it", Unknown: "3. click: not known what came of it: clicked it", NotRun: "3. click: not run", Failed: "3. click: failed: clicked it",
	} {
		if got := line(&Action{Step: 3, Type: "click", Status: status, Message: "clicked it"}); got != want {
			t.Errorf("line(%s) = %q, want %q", status, got, want)
		}
	}
}

// The messages that a request calls stable stand unchanged in the next one,
// unless the page had to be shown whole again, or the history was compacted.
func TestConversationStable(t *testing.T) {
	image := llm.Image{MediaType: "image/png", Data: []byte("x")}
	held := 0
	for seed := range uint64(300) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		hybrid, shots := rnd.IntN(2) == 0, rnd.IntN(2) == 0
		c := newChat(nil)
		var before *llm.Request
		for range 12 {
			var result, view []llm.Part
			exempt := false
			result = append(result, llm.Text{Text: "x"})
			if shots && rnd.IntN(3) == 0 {
				result = append(result, image)
				exempt = hybrid // two new pictures at once: one of them could be foreseen
			}
			switch rnd.IntN(4) {
			case 0:
				view = append(view, llm.Page{Kind: kindOutline, Text: "whole"})
				exempt = true
			case 1:
				view = append(view, llm.Text{Text: "The page is as it was."})
			default:
				view = append(view, llm.Page{Kind: kindChanges, Text: "+ x"})
			}
			if hybrid {
				view = append(view, image)
			}
			c.next(result, "x", view...)
			if rnd.IntN(8) == 0 {
				exempt = c.compact(keptTurns) || exempt
			}
			req := c.ask(t)
			if before != nil && !exempt {
				held += before.Stable
				if !reflect.DeepEqual(before.Messages[:before.Stable], req.Messages[:before.Stable]) {
					t.Fatalf("seed %d, turn %d: the first %d messages have changed", seed, c.turn, before.Stable)
				}
			}
			before = req
		}
	}
	if held == 0 {
		t.Error("nothing was ever called stable")
	}
}

// A request that is out keeps what it holds, whatever is replaced later.
func TestConversationLeavesRequestsAlone(t *testing.T) {
	c := newChat(nil)
	c.next([]llm.Part{llm.Text{Text: "x"}}, "x", llm.Page{Kind: kindChanges, Text: "+ x"})
	req := c.ask(t)
	want, _ := json.Marshal(req)
	c.next([]llm.Part{llm.Text{Text: "x"}}, "x", llm.Page{Kind: kindOutline, Text: "whole"})
	c.compact(0)
	if got, _ := json.Marshal(req); string(got) != string(want) {
		t.Errorf("the request was %s and is %s", want, got)
	}
}

// The system part and the tools are the same bytes in every run: nothing in
// them depends on a clock, a page, or the order of a map.
func TestPrefixIsStable(t *testing.T) {
	prefix := func() string {
		a, err := New(Config{Mode: Hybrid, Instructions: "be brief", Ask: nil})
		if err != nil {
			t.Fatal(err)
		}
		box, err := newToolbox(a.ownTools(&Task{}, nil))
		if err != nil {
			t.Fatal(err)
		}
		raw, err := json.Marshal(llm.Request{System: systemPrompt(a.cfg.Mode, a.cfg.Instructions), Tools: box.offer()})
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	want := prefix()
	for range 20 {
		// As in another process: all tools are built anew.
		var fresh []string
		for _, tool := range buildTools() {
			fresh = append(fresh, tool.Name+tool.Description+string(tool.Parameters))
		}
		var once []string
		for _, tool := range Tools() {
			once = append(once, tool.Name+tool.Description+string(tool.Parameters))
		}
		if !reflect.DeepEqual(fresh, once) {
			t.Fatal("the tools differ when they are built again")
		}
		if got := prefix(); got != want {
			t.Fatalf("the prefix is\n%s\nand was\n%s", got, want)
		}
	}
}
