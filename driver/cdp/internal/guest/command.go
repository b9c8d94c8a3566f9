package guest

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
)

// A command is one of the client's, on its way.
type command struct {
	channel *channel
	id      int64
	method  string
	params  params
}

func (c *command) fail(code int, text string) {
	c.channel.guest.send(&message{ID: &c.id, Error: &failure{code, c.method + ": " + text}, Session: c.channel.name()})
}

func (c *command) answer(result json.RawMessage) {
	if len(result) == 0 {
		result = json.RawMessage(`{}`)
	}
	c.channel.guest.send(&message{ID: &c.id, Result: result, Session: c.channel.name()})
}

// route sends the command where it belongs. Some are answered here.
func (c *command) route() {
	g := c.channel.guest
	switch c.method {
	case "Browser.setDownloadBehavior":
		c.answer(nil) // where files go is the session's: see downloads of the engine
	case "Target.getBrowserContexts":
		// The client's own context is the one that it means by naming none.
		c.answer(json.RawMessage(`{"browserContextIds":[]}`))
	case "Target.getTargets":
		c.forward(g.ownTargets)
	case "Target.setDiscoverTargets":
		if c.params.text("discover") != "true" {
			g.mu.Lock()
			c.channel.hide()
			g.mu.Unlock()
		}
		c.forward(nil)
	default:
		c.noteListening()
		target, named := c.params["targetId"]
		if !named {
			c.forward(nil)
			return
		}
		c.verify(target)
	}
}

// noteListening notes whether the client hears of dialogs. Chrome does not answer
// Page.disable while a dialog is open, so this is when the command is sent.
func (c *command) noteListening() {
	if c.method != "Page.disable" && c.method != "Page.enable" {
		return
	}
	g := c.channel.guest
	g.mu.Lock()
	defer g.mu.Unlock()
	c.channel.deaf = c.method == "Page.disable"
	if c.channel.deaf {
		g.o.Dialog(c.channel.target, c.channel, false)
	}
}

// verify asks whose a target is, and sends the command if it is the guest's.
func (c *command) verify(target json.RawMessage) {
	g := c.channel.guest
	ask := conn.Method[map[string]json.RawMessage, infoReply]("Target.getTargetInfo").With(map[string]json.RawMessage{"targetId": target})
	g.count(1)
	ask.Then(func(r infoReply, err error) {
		g.count(-1)
		if err != nil || r.TargetInfo.Context != g.o.Context {
			c.fail(codeParams, "No target with given id found")
			return
		}
		c.forward(nil)
	})
	if _, err := g.o.Conn.Root().Start(context.Background(), ask); err != nil {
		g.count(-1)
		c.fail(codeRefused, "the browser is gone")
	}
}

// forward sends the command to Chrome. change, if not nil, makes the client's
// answer of Chrome's.
func (c *command) forward(change func(json.RawMessage) (json.RawMessage, error)) {
	g := c.channel.guest
	body, err := json.Marshal(c.params)
	if err != nil {
		c.fail(codeParams, "can't be written")
		return
	}
	send := conn.Method[json.RawMessage, json.RawMessage](c.method).With(body)
	g.count(1)
	send.Then(func(result json.RawMessage, err error) {
		g.count(-1)
		if err == nil && change != nil {
			result, err = change(result)
		}
		if err != nil {
			code, text := g.o.Refusal(err)
			g.send(&message{ID: &c.id, Error: &failure{code, text}, Session: c.channel.name()})
			return
		}
		c.answer(result)
	})
	by := c.channel.session
	if inContext[c.method] { // a page's session would mean Chrome's own context, and Chrome takes no name there
		by = g.root.session
	}
	if _, err := by.Start(context.Background(), send); err != nil {
		g.count(-1)
		c.fail(codeSession, "the session is gone")
	}
}

// check refuses what reaches beyond the guest's context, and names that context
// where Chrome would take its own for it.
func (c *command) check() error {
	g, p := c.channel.guest, c.params
	if _, named := p["browserContextId"]; named {
		if id := p.text("browserContextId"); id != g.o.Context && string(p["browserContextId"]) != "null" {
			//lint:ignore ST1005 these are Chrome's own words, which clients compare
			return errors.New("Failed to find browser context with given id")
		}
		delete(p, "browserContextId")
	}
	if inContext[c.method] && !g.o.Base {
		p["browserContextId"], _ = json.Marshal(g.o.Context)
	}
	if _, named := p["sessionId"]; named {
		if err := c.checkSession(); err != nil {
			return err
		}
	}
	switch c.method {
	case "Browser.getWindowForTarget":
		if c.channel.browser && p.text("targetId") == "" {
			return errors.New("a targetId is needed")
		}
	case "Target.attachToBrowserTarget":
		return p.only()
	case "Target.detachFromTarget":
		if p.text("sessionId") == "" {
			return errors.New("a sessionId is needed")
		}
		return p.only("sessionId")
	case "Target.attachToTarget", "Target.setAutoAttach":
		if flat := p.text("flatten"); flat != "true" {
			return errors.New("flatten has to be true: sessions are flat here")
		}
		return p.only("targetId", "flatten", "autoAttach", "waitForDebuggerOnStart", "filter")
	case "Target.createTarget":
		for _, name := range []string{"enableBeginFrameControl", "hidden"} {
			if p.text(name) == "false" { // which is Chrome's default, and some clients write down
				delete(p, name)
			}
		}
		if err := p.only("url", "left", "top", "width", "height", "windowState", "browserContextId", "newWindow", "background", "forTab", "focus"); err != nil {
			return err
		}
		return c.checkURL()
	case "Page.navigate":
		return c.checkURL()
	case "Fetch.continueRequest":
		if _, named := p["url"]; named {
			return c.checkURL()
		}
	case "Input.dispatchDragEvent":
		return c.checkDrag()
	case "IO.read", "IO.close":
		if strings.HasPrefix(p.text("handle"), "blob:") {
			//lint:ignore ST1005 these are Chrome's own words, which clients compare
			return errors.New("Invalid stream handle")
		}
	}
	return nil
}

// checkSession: a session that is named is one of the guest's own.
func (c *command) checkSession() error {
	g := c.channel.guest
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.channels[c.params.text("sessionId")] == nil {
		//lint:ignore ST1005 these are Chrome's own words, which clients compare
		return errors.New("No session with given id")
	}
	return nil
}

// checkURL: an address is one of the web, and allowed. Nothing is trimmed or
// repaired here, as Chrome does: what does not begin as it should is refused. To
// navigate to what has no scheme is refused in Chrome's words.
func (c *command) checkURL() error {
	var address string
	if err := json.Unmarshal(c.params["url"], &address); err != nil {
		return errors.New("url is no string")
	}
	lower := strings.ToLower(address)
	switch {
	case lower == "" && c.method == "Target.createTarget":
		c.params["url"] = json.RawMessage(`"about:blank"`)
		return nil
	case lower == "about:blank", strings.HasPrefix(lower, "data:"):
	case strings.HasPrefix(lower, "http://"), strings.HasPrefix(lower, "https://"):
	case c.method == "Page.navigate" && !strings.Contains(lower, ":"):
		//lint:ignore ST1005 these are Chrome's own words, which clients compare
		return errors.New("Cannot navigate to invalid URL")
	default:
		return errors.New("url is none of http, https, data, nor about:blank")
	}
	return c.channel.guest.o.Allow(address)
}

// checkDrag: nothing is dragged out of the machine's files.
func (c *command) checkDrag() error {
	data, err := parseParams(c.params["data"])
	if err != nil {
		return err
	}
	if files := data["files"]; files != nil && string(files) != "[]" {
		return errors.New("files of the machine can't be dragged")
	}
	delete(data, "files")
	if c.params["data"] != nil {
		c.params["data"], err = json.Marshal(data)
	}
	return err
}
