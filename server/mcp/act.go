package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/engine"
)

type (
	startIn struct {
		inSession
	}
	sessionOut struct {
		Session string `json:"session" jsonschema:"the handle that the other tools take"`
		said    string
	}
	endIn struct {
		inSession
	}
)

func (o sessionOut) text() string { return o.said }

func start(_ context.Context, c *call, in startIn) (out sessionOut, err error) {
	if in.Session != "" {
		return out, errors.New("start makes the handle itself: leave session out")
	}
	s, err := c.sessions.start(c.caller, c.client)
	if err != nil {
		return out, err
	}
	return sessionOut{s.id, "began session " + s.id}, nil
}

func end(_ context.Context, c *call, _ endIn) (sessionOut, error) {
	c.runs.stop(func(r *run) bool { return r.session == c.session })
	return sessionOut{c.session.id, "ended session " + c.session.id}, c.sessions.end(c.session)
}

type (
	navigateIn struct {
		onPage
		URL string `json:"url" jsonschema:"an address, or back, forward or reload"`
	}
	pageOut struct {
		Session string `json:"session"`
		URL     string `json:"url"`
		Title   string `json:"title"`
		Status  int    `json:"status,omitempty" jsonschema:"of the server's answer"`
		begun   bool   // a session whose handle each later call has to give
	}
)

func (o pageOut) text() string {
	text := fmt.Sprintf("%s, %q", o.URL, o.Title)
	if o.Status != 0 {
		text += fmt.Sprintf(" (%d)", o.Status)
	}
	if o.begun {
		text += "; give session " + o.Session + " with each further call"
	}
	return text
}

func navigate(ctx context.Context, c *call, in navigateIn) (out pageOut, err error) {
	if strings.TrimSpace(in.URL) == "" {
		return out, errors.New("url is empty: give an address, or back, forward or reload")
	}
	var answered *driver.Response
	switch in.URL {
	case "back":
		answered, err = c.page.Back(ctx, nil)
	case "forward":
		answered, err = c.page.Forward(ctx, nil)
	case "reload":
		answered, err = c.page.Reload(ctx, nil)
	default:
		if u, parsed := url.Parse(in.URL); parsed == nil && u.Scheme == "" {
			in.URL = "https://" + in.URL
		}
		answered, err = c.page.Navigate(ctx, in.URL, nil)
	}
	if err != nil {
		return out, err
	}
	out, err = c.pageNow(ctx, answered)
	out.begun = in.Session == "" && c.client == nobody
	return out, err
}

type (
	actIn struct {
		onPage
		Action string  `json:"action,omitempty" jsonschema:"one action in words"`
		Stored *action `json:"stored,omitempty" jsonschema:"in place of words: an action that observe, act or replay returned"`
		answering
	}
	clickIn struct {
		onPage
		place
		At     *point `json:"at,omitempty" jsonschema:"where within the element that ref or selector names; without it the middle"`
		Button string `json:"button,omitempty" jsonschema:"left, right or middle"`
		Count  int    `json:"count,omitempty" jsonschema:"1, 2 or 3 presses"`
		answering
	}
	point struct {
		X float64 `json:"x" jsonschema:"CSS pixels from the element's left edge"`
		Y float64 `json:"y" jsonschema:"CSS pixels from its upper edge"`
	}
	answering struct {
		Dialogs []dialog `json:"dialogs,omitempty" jsonschema:"answers to the confirms and prompts that it opens, in order; a dialog without an answer is dismissed"`
	}
	dialog struct {
		Accept bool   `json:"accept"`
		Text   string `json:"text,omitempty" jsonschema:"the text for a prompt"`
	}
	actOut struct {
		Session  string   `json:"session"`
		Success  bool     `json:"success"`
		Message  string   `json:"message"`
		Sent     string   `json:"sent" jsonschema:"what input was sent: none, some or all. Only an action that sent none is safe to repeat without looking"`
		URL      string   `json:"url"`
		Actions  []action `json:"actions"`
		Evidence object   `json:"evidence,omitempty" jsonschema:"what was seen to change"`
	}
)

func (o actOut) text() string { return o.Message }

func (a answering) options() *engine.ActOptions {
	opts := &engine.ActOptions{}
	for _, d := range a.Dialogs {
		opts.Dialogs = append(opts.Dialogs, engine.DialogAnswer{Accept: d.Accept, Text: d.Text})
	}
	return opts
}

func act(ctx context.Context, c *call, in actIn) (actOut, error) {
	switch {
	case (in.Action == "") == (in.Stored == nil):
		return c.report(nil, errors.New("say the action in words, by action, or give one that observe gave, by stored"))
	case in.Stored != nil:
		return c.report(c.page.Do(ctx, engine.Action{
			Selector: in.Stored.Selector, Method: engine.Method(in.Stored.Method),
			Arguments: in.Stored.Arguments, Description: in.Stored.Description,
		}, in.options()))
	}
	return c.report(c.page.Act(ctx, in.Action, in.options()))
}

var clicks = map[int]engine.Method{0: engine.Click, 1: engine.Click, 2: engine.DoubleClick, 3: engine.TripleClick}

func click(ctx context.Context, c *call, in clickIn) (actOut, error) {
	target, err := c.session.target(c.page, in.place)
	method, ok := clicks[in.Count]
	switch {
	case err != nil:
		return c.report(nil, err)
	case !ok:
		return c.report(nil, errors.New("count is 1, 2 or 3"))
	case in.At != nil && target.At != nil:
		return c.report(nil, errors.New("at is a place in the element that ref or selector names; x and y are one of the viewport"))
	case in.At != nil:
		target.At = &engine.Offset{X: in.At.X, Y: in.At.Y}
	}
	cmd := engine.Command{Method: method}
	switch in.Button {
	case "", "left":
	case "right":
		cmd.Button = driver.Right
	case "middle":
		cmd.Button = driver.Middle
	default:
		return c.report(nil, fmt.Errorf("button %q: it is left, right or middle", in.Button))
	}
	return c.report(c.page.DoTo(ctx, target, cmd, in.options()))
}

type (
	fillFormIn struct {
		onPage
		Fields []field `json:"fields"`
	}
	field struct {
		Ref     string `json:"ref" jsonschema:"a ref from snapshot or find"`
		Reading string `json:"reading,omitempty" jsonschema:"the reading that ref belongs to; empty is the newest"`
		Value   string `json:"value" jsonschema:"text, an option's label, or true or false for a checkbox"`
	}
	fillFormOut struct {
		Session string   `json:"session"`
		Filled  int      `json:"filled" jsonschema:"how many fields are filled, from the first"`
		Results []actOut `json:"results"`
	}
)

func (o fillFormOut) text() string {
	lines := make([]string, len(o.Results))
	for i, r := range o.Results {
		lines[i] = r.Message
	}
	return strings.Join(lines, "\n")
}

func fillForm(ctx context.Context, c *call, in fillFormIn) (fillFormOut, error) {
	out := fillFormOut{Session: c.session.id, Results: []actOut{}}
	if len(in.Fields) == 0 {
		return out, errors.New("fields is empty: name one at least")
	}
	now, err := c.page.Snapshot(ctx, nil)
	if err != nil {
		return out, err
	}
	targets, commands := make([]engine.Target, len(in.Fields)), make([]engine.Command, len(in.Fields))
	var missing []error
	for i, f := range in.Fields {
		if targets[i], err = c.session.target(c.page, place{Ref: f.Ref, Reading: f.Reading}); err == nil {
			node, ok := now.Lookup(accessibility.Ref(f.Ref))
			if !ok {
				err = fmt.Errorf("%w: %s is not on the page", engine.ErrNotFound, f.Ref)
			} else {
				commands[i], err = engine.FillCommand(node, f.Value)
			}
		}
		if err != nil {
			missing = append(missing, fmt.Errorf("field %d: %w", i+1, err))
		}
	}
	if len(missing) > 0 {
		return out, fmt.Errorf("no field was filled: %w", errors.Join(missing...))
	}
	for i := range in.Fields {
		done, err := c.report(c.page.DoTo(ctx, targets[i], commands[i], nil))
		out.Results = append(out.Results, done)
		if err != nil {
			return out, fmt.Errorf("field %d of %d, and the ones behind it were left alone: %w", i+1, len(in.Fields), err)
		}
		out.Filled++
	}
	return out, nil
}

type (
	tabsIn struct {
		inSession
		Action string `json:"action,omitempty" jsonschema:"list, new, switch or close; empty is list"`
		Tab    string `json:"tab,omitempty" jsonschema:"the tab to switch to or to close"`
		URL    string `json:"url,omitempty" jsonschema:"the address that a new tab opens"`
	}
	tabsOut struct {
		Session string `json:"session"`
		Tabs    []tab  `json:"tabs"`
	}
	tab struct {
		Tab    string `json:"tab"`
		URL    string `json:"url"`
		Active bool   `json:"active"`
	}
)

func (o tabsOut) text() string {
	lines := make([]string, len(o.Tabs))
	for i, t := range o.Tabs {
		lines[i] = t.Tab + " " + t.URL
		if t.Active {
			lines[i] += " (active)"
		}
	}
	return strings.Join(lines, "\n")
}

func tabs(ctx context.Context, c *call, in tabsIn) (out tabsOut, err error) {
	s := c.page.Session()
	named := s.PageByID(driver.PageID(in.Tab))
	if named == nil && (in.Action == "switch" || in.Action == "close") {
		return out, fmt.Errorf("there is no tab %q: list names them", in.Tab)
	}
	switch in.Action {
	case "", "list":
	case "new":
		page, err := s.NewPage(ctx)
		if err == nil && in.URL != "" {
			_, err = page.Navigate(ctx, in.URL, nil)
		}
		if err != nil {
			return out, err
		}
	case "switch":
		err = named.Activate(ctx)
	case "close":
		err = named.Close(ctx)
	default:
		err = fmt.Errorf("action %q: it is list, new, switch or close", in.Action)
	}
	if err != nil {
		return out, err
	}
	out = tabsOut{Session: c.session.id, Tabs: []tab{}}
	active := s.Page()
	for _, p := range s.Pages() {
		out.Tabs = append(out.Tabs, tab{string(p.ID()), p.URL(), p == active})
	}
	return out, nil
}

type waitIn struct {
	onPage
	Text         string  `json:"text,omitempty" jsonschema:"until the page says this"`
	TextGone     string  `json:"text_gone,omitempty" jsonschema:"until the page no longer says this"`
	Selector     string  `json:"selector,omitempty" jsonschema:"until such an element is shown: a selector, or a locator such as role=button[name=\"Print\"]"`
	SelectorGone string  `json:"selector_gone,omitempty" jsonschema:"until no such element is shown"`
	Address      string  `json:"address,omitempty" jsonschema:"until the page has this address; * stands for anything"`
	Quiet        bool    `json:"quiet,omitempty" jsonschema:"until nothing is under way"`
	Condition    string  `json:"condition,omitempty" jsonschema:"another condition: count=3 role=row, value=\"Ada\" label=Name, response=/api/*, download=*.pdf"`
	Seconds      float64 `json:"seconds,omitempty" jsonschema:"the longest wait; 0 is 30"`
}

func waitFor(ctx context.Context, c *call, in waitIn) (out pageOut, err error) {
	var conditions []engine.Condition
	for _, c := range []struct {
		given     string
		condition engine.Condition
	}{
		{in.Text, engine.TextShown(in.Text)},
		{in.TextGone, engine.TextGone(in.TextGone)},
		{in.Selector, engine.ElementShown(in.Selector)},
		{in.SelectorGone, engine.ElementGone(in.SelectorGone)},
		{in.Address, engine.AddressIs(in.Address)},
	} {
		if c.given != "" {
			conditions = append(conditions, c.condition)
		}
	}
	if in.Quiet {
		conditions = append(conditions, engine.Quiet{})
	}
	if in.Condition != "" {
		condition, err := engine.ParseCondition(in.Condition)
		if err != nil {
			return out, err
		}
		conditions = append(conditions, condition)
	}
	if len(conditions) != 1 || in.Seconds < 0 {
		return out, errors.New("wait for one thing: text, text_gone, selector, selector_gone, address, quiet or condition; seconds is above zero, or 0 for 30")
	}
	limit := 30 * time.Second
	if in.Seconds > 0 {
		limit = seconds(in.Seconds)
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if err := c.page.WaitFor(ctx, conditions[0]); err != nil {
		return out, err
	}
	return c.pageNow(ctx, nil)
}

// seconds is a time that a client names, of a day at most.
func seconds(n float64) time.Duration {
	return time.Duration(min(n, 24*60*60) * float64(time.Second))
}
