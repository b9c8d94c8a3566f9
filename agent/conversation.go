package agent

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/llm"
)

// mostPictures is how many pictures stay in a conversation.
const mostPictures = 2

// keptTurns is how many turns a compaction leaves as they are.
const keptTurns = 2

// What stands in the place of what is not kept.
const (
	formerOutline = "(earlier outline)"
	formerReading = "(earlier reading)"
	formerPicture = "(earlier picture)"
)

// A conversation holds what the model hears, in order.
// It knows no page and does no I/O. The system part and the tools come first
// and never change; what follows only grows, until something in it is replaced
// by a line or compacted: so that a provider's prompt cache serves most of it.
type conversation struct {
	system   string
	tools    []llm.Tool
	computer *llm.ComputerTool // the vendor's own tool; nil is none
	talked
}

// talked is what was said in a conversation, as a pending has it.
type talked struct {
	Messages []llm.Message `json:"messages"`
	First    int           `json:"first"` // messages that stay: the earlier run's, and the task
	Turns    []turnAt      `json:"turns"`
	Memory   bool          `json:"memory,omitempty"` // Messages[First-1] ends with what compaction kept
}

// A turnAt is where a turn stands: the model's answer, and what it heard then.
type turnAt struct {
	Answer int      `json:"answer"`         // index in Messages
	Done   []string `json:"done,omitempty"` // a line for each step of it, as confirmed by evidence
}

// begin opens the conversation with the earlier run's messages and the task.
func (c *conversation) begin(earlier []llm.Message, parts []llm.Part) {
	c.Messages = append(slices.Clone(earlier), llm.Message{Role: llm.User, Parts: parts})
	c.First = len(c.Messages)
	// Of an earlier run the page is not shown any more.
	c.forgetViews(len(c.Messages) - 1)
	c.forgetPictures(0, len(c.Messages)-1)
}

// answered appends the model's answer.
func (c *conversation) answered(m llm.Message) {
	c.Turns = append(c.Turns, turnAt{Answer: len(c.Messages)})
	c.Messages = append(c.Messages, m)
}

// told appends what the model gets for its answer: the results of its calls,
// remarks, and the view of the page. done are lines for what was confirmed.
func (c *conversation) told(parts []llm.Part, done []string) {
	c.Messages = append(c.Messages, llm.Message{Role: llm.User, Parts: parts})
	if n := len(c.Turns); n > 0 {
		c.Turns[n-1].Done = append(c.Turns[n-1].Done, done...)
	}
	last := len(c.Messages) - 1
	for _, p := range parts {
		if view, ok := p.(llm.Page); ok && view.Kind == kindOutline {
			c.forgetViews(last) // a whole outline stands for all before it
			break
		}
	}
	c.forgetPictures(mostPictures, len(c.Messages))
}

// request is the next question.
func (c *conversation) request(choice llm.ToolChoice, tools []llm.Tool) *llm.Request {
	return &llm.Request{
		Purpose:    llm.PurposeAgent,
		System:     c.system,
		Messages:   c.Messages,
		Tools:      tools,
		ToolChoice: choice,
		Computer:   c.computer,
		Stable:     c.stable(),
	}
}

// stable is how many messages the next question holds unchanged, as far as that
// can be foreseen: those before the older picture of two, which the next one
// replaces. That the page has to be shown whole again is the exception.
func (c *conversation) stable() int {
	left := mostPictures
	for i := len(c.Messages) - 1; i >= 0; i-- {
		if left -= pictures(c.Messages[i].Parts); left <= 0 {
			return i
		}
	}
	return len(c.Messages)
}

// pictures counts those of a message, also in results.
func pictures(parts []llm.Part) int {
	n := 0
	for _, p := range parts {
		switch p := p.(type) {
		case llm.Image:
			n++
		case llm.ToolResult:
			n += pictures(p.Parts)
		}
	}
	return n
}

// size estimates the tokens of the next question.
func (c *conversation) size() int { return llm.Estimate(c.request(llm.ToolChoice{}, c.tools)) }

// forgetViews replaces the views of the page before a message by a line.
func (c *conversation) forgetViews(before int) {
	for i := range c.Messages[:before] {
		c.replace(i, func(p llm.Part) llm.Part {
			switch p := p.(type) {
			case llm.Page:
				if p.Kind == kindOutline || p.Kind == kindChanges || p.Kind == kindTools {
					return llm.Text{Text: formerOutline}
				}
			case llm.ToolResult:
				if p.Name == toolOutline || p.Name == toolFind || p.Name == toolPageTools { // its refs are of that page
					p.Parts = []llm.Part{llm.Text{Text: formerReading}}
					return p
				}
			}
			return p
		})
	}
}

// forgetPictures replaces all pictures before a message but the newest by a line.
func (c *conversation) forgetPictures(keep, before int) {
	var forget func(p llm.Part) llm.Part
	forget = func(p llm.Part) llm.Part {
		switch p := p.(type) {
		case llm.Image:
			if keep--; keep < 0 {
				return llm.Text{Text: formerPicture}
			}
		case llm.ToolResult:
			p.Parts = replaced(p.Parts, forget)
			return p
		}
		return p
	}
	for i := before - 1; i >= 0; i-- {
		c.replace(i, forget)
	}
}

// replace changes parts of a message. The message is copied: a request that is
// out already keeps its own.
func (c *conversation) replace(i int, f func(llm.Part) llm.Part) {
	c.Messages = slices.Clone(c.Messages)
	c.Messages[i].Parts = replaced(c.Messages[i].Parts, f)
}

// replaced is a copy of parts in which f has changed each, the newest first.
func replaced(parts []llm.Part, f func(llm.Part) llm.Part) []llm.Part {
	parts = slices.Clone(parts)
	for k, p := range slices.Backward(parts) {
		parts[k] = f(p)
	}
	return parts
}

// compact turns all but the last turns into a list of what was confirmed, and
// reports whether there was anything to compact. The page has to be shown whole
// afterwards.
func (c *conversation) compact(keep int) bool {
	if len(c.Turns) <= keep {
		return false
	}
	old := c.Turns[:len(c.Turns)-keep]
	cut := len(c.Messages)
	if keep > 0 {
		cut = c.Turns[len(c.Turns)-keep].Answer
	}
	var lines []string
	for _, t := range old {
		lines = append(lines, t.Done...)
	}
	task := c.Messages[c.First-1]
	parts := slices.Clone(task.Parts)
	if c.Memory {
		if kept, ok := parts[len(parts)-1].(llm.Page); ok {
			lines = append(strings.Split(kept.Text, "\n"), lines...)
			parts = parts[:len(parts)-2]
		}
	}
	parts = append(parts,
		llm.Text{Text: "What was done so far, as far as it is confirmed:"},
		llm.Page{Kind: kindHistory, Text: strings.Join(shorten(lines), "\n")})
	c.Memory = true
	messages := slices.Clone(c.Messages[:c.First-1])
	messages = append(messages, llm.Message{Role: task.Role, Parts: parts})
	shift := cut - c.First
	c.Messages = append(messages, c.Messages[cut:]...)
	c.Turns = slices.Clone(c.Turns[len(c.Turns)-keep:])
	for i := range c.Turns {
		c.Turns[i].Answer -= shift
	}
	return true
}

// mostLines bounds what a compaction keeps.
const mostLines = 120

func shorten(lines []string) []string {
	if len(lines) <= mostLines {
		return lines
	}
	left := len(lines) - mostLines + 1
	return append([]string{fmt.Sprintf("(%d earlier steps)", left)}, lines[left:]...)
}
