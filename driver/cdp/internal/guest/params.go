package guest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// params are what a command takes. They are read and written anew, so that no
// member stands there twice, and Chrome reads what was checked.
type params map[string]json.RawMessage

func parseParams(raw json.RawMessage) (params, error) {
	p := params{}
	if len(raw) == 0 || string(raw) == "null" {
		return p, nil
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		return nil, errors.New("the parameters are no object")
	}
	return p, nil
}

// text returns a member, without quotes where it is a string.
func (p params) text(name string) string {
	var s string
	if raw := p[name]; json.Unmarshal(raw, &s) != nil {
		return string(raw)
	}
	return s
}

// only leaves the members that are known.
func (p params) only(names ...string) error {
	for name := range p {
		known := false
		for _, n := range names {
			known = known || n == name
		}
		if !known {
			return fmt.Errorf("%.50q is not taken here", name)
		}
	}
	return nil
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
