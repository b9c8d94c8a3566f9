package cdp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	cdppage "github.com/mafredri/cdp/protocol/page"
	"github.com/tidwall/gjson"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/protocol"
)

var _ driver.ToolProvider = (*page)(nil)

// A toolProvider lists the tools that the documents of a page offer by WebMCP, and calls
// them. What a document offers lies with its frame.
type toolProvider struct {
	page  *page
	calls []*toolCall // under way; protected by browser.mu
}

var (
	errToolsOff  = fmt.Errorf("the browser was opened without BrowserOptions.PageTools: %w", errors.ErrUnsupported)
	errNoToolAPI = fmt.Errorf("this Chrome has no WebMCP, or has it switched off; start it with --enable-features=WebMCP: %w", errors.ErrUnsupported)
)

// firstWithTools is the first Chrome whose WebMCP is what we know.
const firstWithTools = 156

// noTools says why a Chrome of a version, as "HeadlessChrome/156.0.8078.79", has no tools.
func noTools(version string) error {
	_, number, _ := strings.Cut(version, "/")
	number, _, _ = strings.Cut(number, ".")
	if major, err := strconv.Atoi(number); err == nil && major < firstWithTools {
		return fmt.Errorf("this Chrome is version %d, and WebMCP is there from %d on: %w", major, firstWithTools, errors.ErrUnsupported)
	}
	return errNoToolAPI
}

// Tools implements driver.ToolProvider. What a document has registered by now is
// reported before a script of ours in it has answered.
func (p *toolProvider) Tools(ctx context.Context) (_ []driver.Tool, err error) {
	defer inOp("tools", "", &err)
	if !p.page.browser.opts.PageTools {
		return nil, errToolsOff
	}
	answer, err := p.page.evaluate(ctx, `isSecureContext && !("modelContext" in document)`, &driver.EvaluateOptions{})
	if err == nil && string(answer) == "true" {
		err = noTools(p.page.browser.chrome.version)
	}
	if err != nil {
		return nil, err
	}
	out := []driver.Tool{}
	for _, f := range p.page.Frames() {
		tools, err := p.toolsOf(ctx, f.ID)
		switch {
		case err == nil:
			out = append(out, tools...)
		case ctx.Err() != nil || f.Parent == "":
			return nil, err
		} // a frame that goes away meanwhile offers nothing
	}
	return out, nil
}

// toolsOf returns the tools of one frame's document.
func (p *toolProvider) toolsOf(ctx context.Context, id driver.FrameID) ([]driver.Tool, error) {
	origin, err := p.page.text(ctx, id, "self.origin")
	if err != nil {
		return nil, err
	}
	p.page.browser.mu.Lock()
	defer p.page.browser.mu.Unlock()
	f, err := p.page.frameLocked(id)
	if err != nil {
		return nil, err
	}
	tools := slices.Clone(f.tools)
	for i := range tools {
		tools[i].Origin, tools[i].Doc = origin, f.doc
		if tools[i].Form.Node != 0 {
			tools[i].Form.Frame, tools[i].Form.Doc = f.id, f.doc
		}
	}
	return tools, nil
}

func (p *toolProvider) toolsAdded(s *session, e *protocol.WebMCPTools) {
	for _, t := range e.Tools {
		f := p.page.frames[driver.FrameID(t.FrameID)]
		if f == nil || f.session != s {
			continue
		}
		tool := driver.Tool{
			ToolRef:     driver.ToolRef{Frame: f.id, Name: driver.ToolName(t.Name)},
			Description: t.Description, InputSchema: string(t.InputSchema),
			Form: driver.NodeRef{Node: driver.NodeID(t.BackendNodeID)}, AutoSubmit: t.Annotations.AutoSubmit,
			ReadOnly: t.Annotations.ReadOnly, Consequential: t.Annotations.Consequential, Untrusted: t.Annotations.UntrustedContent,
		}
		at := slices.IndexFunc(f.tools, func(o driver.Tool) bool { return o.Name == tool.Name })
		small := len(t.Name)+len(t.Description)+len(t.InputSchema) <= driver.MaxToolSize
		switch {
		case at >= 0 && small:
			f.tools[at] = tool
		case at >= 0:
			f.tools = slices.Delete(f.tools, at, at+1)
		case small && len(f.tools) < driver.MaxTools:
			f.tools = append(f.tools, tool)
		}
		p.page.browser.emit(driver.ToolsChanged{Page: p.page.ID(), Frame: f.id})
	}
}

func (p *toolProvider) toolsRemoved(s *session, e *protocol.WebMCPTools) {
	for _, t := range e.Tools {
		f := p.page.frames[driver.FrameID(t.FrameID)]
		if f == nil || f.session != s {
			continue
		}
		f.tools = slices.DeleteFunc(f.tools, func(o driver.Tool) bool { return string(o.Name) == t.Name })
		p.page.browser.emit(driver.ToolsChanged{Page: p.page.ID(), Frame: f.id})
	}
}

// CallTool implements driver.ToolProvider.
func (p *toolProvider) CallTool(ctx context.Context, ref driver.ToolRef, input string) (_ *driver.ToolResult, err error) {
	defer inOp("calltool", string(ref.Name), &err)
	if !p.page.browser.opts.PageTools {
		return nil, errToolsOff
	}
	if object := gjson.Parse(input); !gjson.Valid(input) || !object.IsObject() {
		return nil, errors.New("the input of a tool is the JSON of an object")
	}
	c, waits, err := p.startTool(ref)
	if err != nil {
		return nil, err
	}
	s := c.session
	for _, old := range waits {
		// One that another takes the place of must not be there: see protocol/webmcp.go.
		if err := s.Batch(ctx, cancelTool(old)); err != nil && ctx.Err() != nil {
			p.page.browser.locked(func() { p.forgetTool(c) })
			return nil, err
		}
	}
	answered := p.page.until(func() (bool, error) { return c.invoked || c.result != nil || c.err != nil, c.err })
	over := p.page.until(func() (bool, error) { return c.result != nil || c.err != nil, c.err })
	defer over.stop()
	ask := protocol.WebMCPInvokeTool.With(protocol.WebMCPInvokeToolArgs{
		FrameID: cdppage.FrameID(ref.Frame), ToolName: string(ref.Name), Input: json.RawMessage(input),
	})
	// The order of the calls is that of the answers.
	ask.Then(func(reply protocol.WebMCPInvokeToolReply, err error) {
		p.page.browser.locked(func() {
			if err != nil {
				if c.err = err; isGone(err) { // after it was sent
					c.result, c.err = &driver.ToolResult{State: driver.ToolLeft}, nil
				}
				p.forgetTool(c)
			} else if c.id = reply.InvocationID; c.given {
				p.forgetTool(c)
				p.page.browser.later(func() { s.Post(cancelTool(c.id)) })
			}
			p.page.wake()
		})
	})
	if _, err = s.Start(ctx, ask); err != nil {
		answered.stop()
		p.page.browser.locked(func() { p.forgetTool(c) })
		return nil, err
	}
	if err = answered.wait(ctx); err == nil && c.form {
		err = p.afterFilling(ctx, c)
	}
	if err == nil {
		err = over.wait(ctx)
	}
	p.page.browser.locked(func() {
		if c.given = true; c.result == nil && c.id != "" && err != nil {
			p.forgetTool(c)
			p.page.browser.later(func() { s.Post(cancelTool(c.id)) })
		}
	})
	if err != nil {
		return nil, err
	}
	return c.result, nil
}

// startTool notes that a tool is going to be called. It returns the calls of the
// same form that still wait.
func (p *toolProvider) startTool(ref driver.ToolRef) (c *toolCall, waits []string, err error) {
	p.page.browser.mu.Lock()
	defer p.page.browser.mu.Unlock()
	f, err := p.page.frameLocked(ref.Frame)
	if err != nil {
		return nil, nil, err
	}
	if f.doc != ref.Doc {
		return nil, nil, driver.ErrStale
	}
	at := slices.IndexFunc(f.tools, func(t driver.Tool) bool { return t.Name == ref.Name })
	if at < 0 {
		return nil, nil, driver.ErrNoTool
	}
	c = &toolCall{frame: f, session: f.session, name: ref.Name, form: f.tools[at].Form.Node != 0 && !f.tools[at].AutoSubmit}
	if f.tools[at].Form.Node != 0 {
		for _, o := range p.calls {
			if o.frame != f || o.name != ref.Name {
				continue
			}
			if !o.given {
				return nil, nil, errors.New("the form is being filled in by another call")
			}
			waits = append(waits, o.id)
		}
	}
	p.calls = append(p.calls, c)
	return c, waits, nil
}

// forgetTool is for a call of which no more is expected. browser.mu is held.
func (p *toolProvider) forgetTool(c *toolCall) {
	p.calls = slices.DeleteFunc(p.calls, func(o *toolCall) bool { return o == c })
}

// afterFilling ends the wait for a form that is not sent by itself, once the page
// had its turn. The call stays noted: the page hears of the sending.
func (p *toolProvider) afterFilling(ctx context.Context, c *toolCall) error {
	_, err := p.page.evaluate(ctx, "new Promise(done => setTimeout(done))", &driver.EvaluateOptions{Frame: c.frame.id})
	if err != nil && ctx.Err() != nil {
		return err
	}
	p.page.browser.locked(func() {
		if c.result == nil && c.err == nil && err == nil {
			c.result = &driver.ToolResult{State: driver.ToolWaiting}
			p.page.wake()
		}
	})
	return nil // a document that is gone is reported as such
}

// leave gives up the calls of a document that is left: it answers nothing any more.
// browser.mu is held.
func (p *toolProvider) leave(f *frame) {
	ofFrame := func(c *toolCall) bool { return c.frame == f }
	p.giveUpCalls(ofFrame)
	p.calls = slices.DeleteFunc(p.calls, ofFrame)
}

// giveUpCalls ends calls whose document, or its process, has gone. browser.mu is held.
func (p *toolProvider) giveUpCalls(gone func(*toolCall) bool) {
	for _, c := range p.calls {
		if gone(c) && c.result == nil {
			c.result = &driver.ToolResult{State: driver.ToolLeft}
		}
	}
}

func cancelTool(id string) conn.Command {
	return protocol.WebMCPCancelInvocation.With(protocol.WebMCPCancelInvocationArgs{InvocationID: id})
}

// toolInvoked comes when the tool has begun to work.
func (p *toolProvider) toolInvoked(s *session, e *protocol.WebMCPToolResponded) {
	if c := p.called(s, e.InvocationID); c != nil {
		c.invoked = true
	}
}

// called returns the call of Chrome's name, nil if it is none of ours. browser.mu is held.
func (p *toolProvider) called(s *session, id string) *toolCall {
	i := slices.IndexFunc(p.calls, func(c *toolCall) bool { return c.id == id && c.session == s })
	if i < 0 {
		return nil
	}
	return p.calls[i]
}

func (p *toolProvider) toolResponded(s *session, e *protocol.WebMCPToolResponded) {
	c := p.called(s, e.InvocationID)
	if c == nil {
		return
	}
	defer p.forgetTool(c)
	if c.result != nil { // a form that waited was sent
		return
	}
	c.result = &driver.ToolResult{State: driver.ToolCompleted, Output: string(e.Output)}
	switch {
	case e.Status == "Completed" && c.frame.pending != nil && string(e.Output) == "[]":
		// Chrome completes so what a document that is left cannot answer.
		c.result = &driver.ToolResult{State: driver.ToolLeft}
	case e.Status == "Canceled":
		c.result = &driver.ToolResult{State: driver.ToolFailed, Error: "the page gave the call up"}
	case e.Status == "Error":
		c.result = &driver.ToolResult{State: driver.ToolFailed, Error: e.ErrorText}
		if c.result.Error == "" && e.Exception != nil {
			c.result.Error = (&thrown{Exception: e.Exception}).Error()
		}
	}
}

// A toolCall is a call of a document's tool that is under way, or a form that
// waits to be sent. Protected by browser.mu.
type toolCall struct {
	frame   *frame
	session *session // that it was sent to
	name    driver.ToolName
	form    bool               // that is filled in, and not sent by itself
	id      string             // Chrome's name of it; empty before it has answered
	invoked bool               // the tool has begun
	given   bool               // nobody waits for it any more
	result  *driver.ToolResult // nil before it is there
	err     error              // why there will be none
}
