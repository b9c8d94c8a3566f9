package trace

import (
	"archive/zip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/driver"
)

// playwrightVersion is that of the format of WritePlaywright: viewers read it
// and the earlier ones.
const playwrightVersion = 9

// playwrightPage is the page that all events are of: a trace does not tell pages
// apart in a viewer's film strip.
const playwrightPage = "page@1"

// An object is one of the format's.
type object = map[string]any

// A playwright is a file of that format being written.
type playwright struct {
	t   *Trace
	zip *zip.Writer
	out *json.Encoder
	err error // the first one
}

// entry begins a file. Those of the format carry the time of the run.
func (p *playwright) entry(name string) (io.Writer, error) {
	return p.zip.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: p.t.Began})
}

// put writes a line, with names in the place of a recording's tokens.
func (p *playwright) put(o object) {
	if p.err != nil {
		return
	}
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if p.err = encoder.Encode(o); p.err == nil {
		p.err = p.out.Encode(json.RawMessage(plain(strings.TrimSpace(text.String()))))
	}
}

func pictureFile(id string) string { return "resources/" + id + ".jpeg" }

func (p *playwright) events() {
	t := p.t
	view := driver.Size{Width: 1280, Height: 720}
	for _, s := range t.Steps {
		if s.Shot != nil {
			view = s.Shot.View
			break
		}
	}
	p.put(object{
		"version": playwrightVersion, "type": "context-options", "origin": "library", "browserName": "chromium",
		"playwrightVersion": "wayfinder " + t.Version, "options": object{"viewport": object{"width": int(view.Width), "height": int(view.Height)}, "deviceScaleFactor": 1},
		"platform": "", "wallTime": t.Began.UnixMilli(), "monotonicTime": 0, "sdkLanguage": "javascript", "title": titleOf(t), "contextId": "context@1",
	})
	p.put(object{"type": "event", "time": 0, "class": "BrowserContext", "method": "page", "params": object{"pageId": playwrightPage}, "pageId": playwrightPage})
	for _, s := range t.Steps {
		p.step(s)
	}
	for _, m := range t.Console {
		p.put(object{
			"type": "console", "messageType": consoleType(m.Level), "text": m.Text, "args": []any{}, "time": milliseconds(m.At), "pageId": playwrightPage,
			"location": object{"url": m.Where, "lineNumber": 0, "columnNumber": 0},
		})
	}
	for _, d := range t.Dialogs {
		p.put(object{
			"type": "event", "time": milliseconds(d.At), "class": "BrowserContext", "method": "dialog", "pageId": playwrightPage,
			"params": object{"pageId": playwrightPage, "type": string(d.Dialog.Kind), "message": d.Dialog.Message, "defaultValue": d.Dialog.Default},
		})
	}
	for _, d := range t.Downloads {
		p.put(object{
			"type": "event", "time": milliseconds(d.At), "class": "BrowserContext", "method": "download", "pageId": playwrightPage,
			"params": object{"pageId": playwrightPage, "url": d.URL, "suggestedFilename": d.Name},
		})
	}
}

func consoleType(level driver.ConsoleLevel) string {
	if level == driver.ConsoleWarning {
		return "warning"
	}
	return string(level)
}

// step writes one as an action.
func (p *playwright) step(s *Step) {
	begin, end := s.Begin, s.Begin+s.Took
	for _, q := range s.Questions {
		if q.Begin > 0 {
			begin = min(begin, q.Begin)
		}
	}
	params := object{}
	if json.Unmarshal([]byte(s.Arguments), &params) != nil || params == nil {
		params = object{}
	}
	if s.Instruction != "" {
		params["instruction"] = s.Instruction
	}
	if s.Tool == "navigate" && params["url"] == nil {
		params["url"] = s.Instruction
	}
	title := strings.TrimSpace(s.Tool + " " + s.Target)
	if s.Target == "" && s.Instruction != "" {
		title = s.Tool + " " + s.Instruction
	}
	id := s.ID()
	p.put(object{
		"type": "before", "callId": id, "startTime": milliseconds(begin), "title": title, "class": "Page", "method": playwrightMethod(s.Tool),
		"params": params, "pageId": playwrightPage, "beforeSnapshot": "before@" + id,
	})
	if before := s.Shot; before != nil {
		p.shot(s, before, "before", begin)
		p.shot(s, before, "action", s.Begin)
		if at := before.Point; at != nil {
			in := object{"type": "input", "callId": id, "point": object{"x": at.X, "y": at.Y}}
			if b := before.Box; b != nil {
				in["box"] = object{"x": b.X, "y": b.Y, "width": b.Width, "height": b.Height}
			}
			p.put(in)
		}
	}
	p.log(s)
	after := object{"type": "after", "callId": id, "endTime": milliseconds(end)}
	switch s.Status {
	case agent.Failed, agent.Unknown, agent.NotRun:
		after["error"] = object{"name": statusWords[s.Status], "message": s.Message}
	default:
		after["result"] = object{"message": s.Message}
		if s.Output != "" {
			after["result"] = object{"message": s.Message, "output": cut(s.Output)}
		}
	}
	p.put(after)
	if s.After != nil {
		p.shot(s, s.After, "after", end)
	}
}

// playwrightMethod is that viewer's name for what a tool does, for its icons.
func playwrightMethod(tool string) string {
	switch tool {
	case "navigate":
		return "goto"
	case "back":
		return "goBack"
	case "forward":
		return "goForward"
	}
	return tool
}

// log writes what is known of a step in words.
func (p *playwright) log(s *Step) {
	at := s.Begin
	say := func(text string) {
		for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
			if line != "" {
				p.put(object{"type": "log", "callId": s.ID(), "time": milliseconds(at), "message": line})
			}
		}
	}
	for _, q := range s.Questions {
		at = q.Begin
		say(fmt.Sprintf("asked %s: %d tokens in, %d out, %s", q.Model, q.Usage.Input, q.Usage.Output, short(q.Took)))
		for _, part := range q.Answer {
			say("  answered with " + part.Kind + ": " + strings.Join(strings.Fields(part.Text), " "))
		}
	}
	at = s.Begin
	for _, pair := range callPairs(s) {
		if pair.Name != "arguments" {
			say(pair.Name + ": " + pair.Value)
		}
	}
	at += s.Took
	effect, evidence := evidencePairs(s.Evidence)
	if effect != "" {
		say("evidence:")
	}
	for _, pair := range evidence {
		say("  " + pair.Name + ": " + pair.Value)
	}
	say(s.Message)
	say(s.Change)
}

// shot writes a picture as what that viewer shows in each of its places: the film
// strip, the screenshots, and in place of a snapshot of the DOM.
func (p *playwright) shot(s *Step, shot *Shot, phase string, at time.Duration) {
	if shot.JPEG == nil {
		return
	}
	width, height := int(shot.View.Width), int(shot.View.Height)
	if phase != "action" {
		p.put(object{"type": "screencast-frame", "pageId": playwrightPage, "file": pictureFile(shot.ID), "width": width, "height": height, "timestamp": milliseconds(at)})
	}
	p.put(object{"type": "screenshot", "callId": s.ID(), "phase": phase, "pageId": playwrightPage, "timestamp": milliseconds(at), "file": pictureFile(shot.ID)})
	p.put(object{"type": "frame-snapshot", "snapshot": object{
		"callId": s.ID(), "phase": phase, "snapshotName": phase + "@" + s.ID(), "pageId": playwrightPage, "frameId": "frame@1", "frameUrl": s.Address, "doctype": "html",
		"html": []any{"HTML", object{},
			[]any{"HEAD", object{}, []any{"STYLE", object{}, "body{margin:0}img{display:block;width:100%}"}},
			[]any{"BODY", object{}, []any{"IMG", object{"alt": "picture of the page", "src": "data:image/jpeg;base64," + base64.StdEncoding.EncodeToString(shot.JPEG)}}}},
		"viewport": object{"width": width, "height": height}, "timestamp": milliseconds(at), "wallTime": p.t.Began.Add(at).UnixMilli(),
		"collectionTime": 0, "resourceOverrides": []any{}, "isMainFrame": true,
	}})
}

// request writes one as an entry of an HTTP archive. What a recording does not
// have, headers and bodies, is empty there.
func (p *playwright) request(r *Request) {
	took := milliseconds(r.Took)
	query := []any{}
	if u, err := url.Parse(r.URL); err == nil {
		for name, values := range u.Query() {
			for _, v := range values {
				query = append(query, object{"name": name, "value": v})
			}
		}
	}
	response := object{
		"status": r.Status, "statusText": "", "httpVersion": "", "cookies": []any{}, "headers": []any{}, "headersSize": -1, "bodySize": -1, "redirectURL": "",
		"content": object{"size": -1, "mimeType": mimeTypes[r.Kind]},
	}
	if r.Failed {
		response["status"], response["_failureText"] = -1, "no answer"
	}
	p.put(object{"type": "resource-snapshot", "snapshot": object{
		"pageref": playwrightPage, "_frameref": "frame@1", "_monotonicTime": milliseconds(r.At), "startedDateTime": p.t.Began.Add(r.At).UTC().Format(time.RFC3339Nano), "time": took,
		"request": object{
			"method": r.Method, "url": r.URL, "httpVersion": "", "cookies": []any{}, "headers": []any{}, "queryString": query, "headersSize": -1, "bodySize": -1,
		},
		"response": response, "cache": object{}, "timings": object{"send": -1, "wait": took, "receive": -1},
		"_resourceType": string(r.Kind),
	}})
}

// mimeTypes are what that viewer tells kinds of requests by.
var mimeTypes = map[driver.RequestKind]string{
	driver.RequestDocument: "text/html", driver.RequestScript: "text/javascript", driver.RequestStylesheet: "text/css",
	driver.RequestFetch: "application/json", driver.RequestImage: "image/*", driver.RequestOther: "x-unknown",
}
