package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/gorilla/websocket"
)

// A bare is a minimal client of the DevTools protocol: commands go out in one
// write each, and their answers are waited for. It enables no domain, so that
// nothing but its own commands costs anything. It is not safe for concurrent
// use.
type bare struct {
	socket  *websocket.Conn
	session string // of the page; empty is the browser
	context string // of the page; empty is the usual one
	last    int
}

// A command is one that is to be sent.
type command struct {
	method string
	params any
}

// dial attaches to a browser.
func dial(ctx context.Context, address string) (*bare, error) {
	dialer := websocket.Dialer{HandshakeTimeout: 10 * time.Second, WriteBufferSize: 1 << 16}
	socket, _, err := dialer.DialContext(ctx, address, http.Header{})
	if err != nil {
		return nil, fmt.Errorf("bare client: %w", err)
	}
	return &bare{socket: socket}, nil
}

func (b *bare) close() { b.socket.Close() }

// call sends one command and decodes its answer into result, which may be nil.
func (b *bare) call(method string, params, result any) error {
	answers, err := b.batch(command{method, params})
	if err != nil || result == nil {
		return err
	}
	return json.NewDecoder(bytes.NewReader(answers[0])).Decode(result) // the rest of the message follows it
}

// batch sends commands one behind the other and waits for all answers.
func (b *bare) batch(commands ...command) ([][]byte, error) {
	first := b.last + 1
	for _, c := range commands {
		b.last++
		m := map[string]any{"id": b.last, "method": c.method}
		if c.params != nil {
			m["params"] = c.params
		}
		if b.session != "" {
			m["sessionId"] = b.session
		}
		if err := b.socket.WriteJSON(m); err != nil {
			return nil, fmt.Errorf("%s: %w", c.method, err)
		}
	}
	answers := make([][]byte, len(commands))
	b.socket.SetReadDeadline(time.Now().Add(time.Minute))
	for left := len(commands); left > 0; {
		_, raw, err := b.socket.ReadMessage()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", commands[0].method, err)
		}
		id, rest, ok := numbered(raw)
		if !ok || id < first { // an event, or an answer that nobody waits for
			continue
		}
		if result, ok := bytes.CutPrefix(rest, []byte(`"result":`)); ok {
			answers[id-first] = result
			left--
			continue
		}
		return nil, fmt.Errorf("%s: %s", commands[id-first].method, rest)
	}
	return answers, nil
}

// numbered splits an answer, which begins with its id, without reading all of
// it: what follows may be megabytes, and is not what is measured.
func numbered(raw []byte) (id int, rest []byte, ok bool) {
	rest, ok = bytes.CutPrefix(raw, []byte(`{"id":`))
	number, rest, comma := bytes.Cut(rest, []byte(","))
	id, err := strconv.Atoi(string(number))
	return id, rest, ok && comma && err == nil
}

// open shows an address in a page of its own.
func (b *bare) open(address string) error {
	var target struct{ TargetID string }
	params := map[string]any{"url": address}
	if b.context != "" {
		params["browserContextId"] = b.context
	}
	if err := b.call("Target.createTarget", params, &target); err != nil {
		return err
	}
	if err := b.attach(target.TargetID); err != nil {
		return err
	}
	for range 1000 {
		var ready bool
		if err := b.evaluate(`document.readyState === 'complete' && location.href !== 'about:blank'`, &ready); err == nil && ready {
			return nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	return fmt.Errorf("bare client: %s does not load", address)
}

// attach has the commands that follow go to a page.
func (b *bare) attach(target string) error {
	var attached struct{ SessionID string }
	err := b.call("Target.attachToTarget", map[string]any{"targetId": target, "flatten": true}, &attached)
	b.session = attached.SessionID
	return err
}

// apart shows an address in a context of its own, in a window that has the focus.
func (b *bare) apart(address string) error {
	own := map[string]string{}
	if err := b.call("Target.createBrowserContext", map[string]any{"disposeOnDetach": true}, &own); err != nil {
		return err
	}
	b.context = own["browserContextId"]
	if err := b.open(address); err != nil {
		return err
	}
	return b.call("Emulation.setFocusEmulationEnabled", map[string]any{"enabled": true}, nil)
}

// isolated shows an address in a context of its own, and closes that. It returns what
// createTarget took, and what all took up to the page, in milliseconds.
func (b *bare) isolated(address string) (created, all float64, err error) {
	begun := time.Now()
	apart := map[string]string{}
	if err := b.call("Target.createBrowserContext", nil, &apart); err != nil {
		return 0, 0, err
	}
	var target struct{ TargetID string }
	created, err = timed(func() error {
		return b.call("Target.createTarget", map[string]any{"url": "about:blank", "browserContextId": apart["browserContextId"]}, &target)
	})
	if err != nil {
		return 0, 0, err
	}
	page := *b
	if err := page.attach(target.TargetID); err != nil {
		return 0, 0, err
	}
	if err := page.call("Page.navigate", map[string]any{"url": address}, nil); err != nil {
		return 0, 0, err
	}
	const loaded = `new Promise(f => document.readyState === 'complete' ? f() : addEventListener('load', f))`
	if err := page.call("Runtime.evaluate", map[string]any{"expression": loaded, "awaitPromise": true}, nil); err != nil {
		return 0, 0, err
	}
	all = float64(time.Since(begun).Nanoseconds()) / 1e6
	b.last = page.last
	return created, all, b.call("Target.disposeBrowserContext", apart, nil)
}

// evaluate runs a script and decodes its value.
func (b *bare) evaluate(script string, value any) error {
	var answer struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails json.RawMessage
	}
	err := b.call("Runtime.evaluate", map[string]any{"expression": script, "returnByValue": true}, &answer)
	if err == nil && answer.ExceptionDetails != nil {
		err = fmt.Errorf("script: %s", answer.ExceptionDetails)
	}
	if err != nil || value == nil {
		return err
	}
	return json.Unmarshal(answer.Result.Value, value)
}

// locate finds an element by XPath, brings it into view, and returns its middle
// after a hit-test there.
func (b *bare) locate(path string) (x, y float64, err error) {
	var at [2]float64
	err = b.evaluate(`(() => { const e = document.evaluate('`+path+`', document, null, 9).singleNodeValue;
		e.scrollIntoView({block: 'nearest', behavior: 'instant'}); const r = e.getBoundingClientRect();
		const x = r.left + r.width / 2, y = r.top + r.height / 2;
		if (!e.contains(document.elementFromPoint(x, y))) throw 'covered'; return [x, y] })()`, &at)
	return at[0], at[1], err
}

func (b *bare) click(path string) error {
	x, y, err := b.locate(path)
	if err != nil {
		return err
	}
	_, err = b.batch(mouse("mouseMoved", x, y), mouse("mousePressed", x, y), mouse("mouseReleased", x, y))
	return err
}

func (b *bare) hover(path string) error {
	x, y, err := b.locate(path)
	if err != nil {
		return err
	}
	return b.call("Input.dispatchMouseEvent", mouse("mouseMoved", x, y).params, nil)
}

// fill replaces the value of a field as typing does.
func (b *bare) fill(path, text string) error {
	_, err := b.batch(
		command{"Runtime.evaluate", map[string]any{"expression": `(() => { const e = document.evaluate('` + path + `', document, null, 9).singleNodeValue; e.focus(); e.select() })()`}},
		command{"Input.insertText", map[string]any{"text": text}})
	return err
}

func (b *bare) choose(path string, index int) error {
	return b.evaluate(fmt.Sprintf(`(() => { const e = document.evaluate('%s', document, null, 9).singleNodeValue;
		e.selectedIndex = %d; e.dispatchEvent(new Event('input', {bubbles: true})); e.dispatchEvent(new Event('change', {bubbles: true})) })()`, path, index), nil)
}

func (b *bare) press(path string) error {
	key := map[string]any{"key": "a", "code": "KeyA", "text": "a", "windowsVirtualKeyCode": 65}
	down, up := map[string]any{"type": "keyDown"}, map[string]any{"type": "keyUp"}
	for k, v := range key {
		down[k] = v
		if k != "text" {
			up[k] = v
		}
	}
	_, err := b.batch(
		command{"Runtime.evaluate", map[string]any{"expression": `document.evaluate('` + path + `', document, null, 9).singleNodeValue.focus()`}},
		command{"Input.dispatchKeyEvent", down}, command{"Input.dispatchKeyEvent", up})
	return err
}

func mouse(kind string, x, y float64) command {
	return command{"Input.dispatchMouseEvent", map[string]any{"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1}}
}

// capture is Chrome's own snapshot of the page, which nobody decodes.
func (b *bare) capture() error {
	_, err := b.batch(command{"DOMSnapshot.captureSnapshot", map[string]any{"computedStyles": []string{"display", "visibility", "cursor"}}})
	return err
}
