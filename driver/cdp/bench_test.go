package cdp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/process"
)

// BenchmarkCommand compares a small command of ours with the same over a bare
// pipe: write, read, nothing else. The two take turns, so that what else the
// machine does burdens both; "ratio" is ours by the bare one.
func BenchmarkCommand(b *testing.B) {
	bare := openBare(b)
	page := testBrowser(b).Pages()[0].(*page)
	params := map[string]any{"expression": "1", "returnByValue": true}
	raw, err := json.Marshal(params)
	if err != nil {
		b.Fatal(err)
	}
	var got struct{ Result struct{ Value int } }
	var ours, theirs stopwatch
	for b.Loop() {
		theirs.time(func() { bare.call("Runtime.evaluate", raw) })
		ours.time(func() {
			if err := page.session.Call(b.Context(), "Runtime.evaluate", params, &got); err != nil || got.Result.Value != 1 {
				b.Fatal(got, err)
			}
		})
	}
	b.ReportMetric(ours.median(), "ns/ours")
	b.ReportMetric(theirs.median(), "ns/bare")
	b.ReportMetric(ours.median()/theirs.median(), "ratio")
}

// BenchmarkOpen measures a new isolated browser in a running Chrome, up to
// the first answer of its page's process, against the bare commands for that.
func BenchmarkOpen(b *testing.B) {
	c := testChrome(b)
	bare := openBare(b)
	var ours, theirs stopwatch
	for b.Loop() {
		var context struct{ BrowserContextID string }
		theirs.time(func() {
			if err := json.Unmarshal(bare.root("Target.createBrowserContext", []byte(`{"disposeOnDetach":true}`)), &context); err != nil {
				b.Fatal(err)
			}
			bare.page(fmt.Sprintf(`{"url":"about:blank","browserContextId":%q}`, context.BrowserContextID))
			bare.call("Page.enable", nil)
		})
		bare.root("Target.disposeBrowserContext", fmt.Appendf(nil, `{"browserContextId":%q}`, context.BrowserContextID))
		var opened driver.Browser
		ours.time(func() {
			var err error
			if opened, err = c.Open(b.Context(), &driver.BrowserOptions{}); err != nil {
				b.Fatal(err)
			}
		})
		if err := opened.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(ours.median()/1e6, "ms/ours")
	b.ReportMetric(theirs.median()/1e6, "ms/bare")
	b.ReportMetric(ours.median()/theirs.median(), "ratio")
}

// BenchmarkStart measures a start of Chrome up to its first loaded page,
// against the bare one.
func BenchmarkStart(b *testing.B) {
	testChrome(b)
	const url = "data:text/html,<title>x</title>"
	var ours, theirs stopwatch
	for b.Loop() {
		var bare *bareChrome
		theirs.time(func() {
			bare = openBare(b)
			bare.call("Page.enable", nil)
			bare.call("Page.navigate", []byte(`{"url":"`+url+`"}`))
			bare.call("Runtime.evaluate", []byte(`{"expression":"new Promise(f => document.readyState == 'complete' ? f() : onload = f)","awaitPromise":true}`))
		})
		bare.close()
		var opened driver.Browser
		ours.time(func() {
			var err error
			if opened, err = (Launch{}).Open(b.Context(), &driver.BrowserOptions{}); err != nil {
				b.Fatal(err)
			}
			if _, err := opened.Pages()[0].Navigate(b.Context(), url, nil); err != nil {
				b.Fatal(err)
			}
		})
		if err := opened.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(ours.median()/1e6, "ms/ours")
	b.ReportMetric(theirs.median()/1e6, "ms/bare")
	b.ReportMetric(ours.median()/theirs.median(), "ratio")
}

// A bareChrome is spoken to with nothing in between.
type bareChrome struct {
	b       *testing.B
	in      *bufio.Reader
	out     io.Writer
	last    int
	session string
	close   func()
}

func openBare(b *testing.B) *bareChrome {
	b.Helper()
	testChrome(b)
	path, err := Find()
	if err != nil {
		b.Fatal(err)
	}
	p, err := process.Start(&process.Options{Path: path, UserDataDir: b.TempDir(), Log: noLog})
	if err != nil {
		b.Fatal(err)
	}
	c := &bareChrome{b: b, in: bufio.NewReaderSize(p.From, 1<<16), out: p.To}
	c.close = sync.OnceFunc(func() {
		// It ends because we left.
		if err := errors.Join(p.To.Close(), p.From.Close(), p.End()); err != nil {
			b.Error(err)
		}
	})
	b.Cleanup(c.close)
	c.page(`{"url":"about:blank"}`)
	return c
}

// page opens a page, which the following calls are about.
func (c *bareChrome) page(params string) {
	var made struct{ TargetID string }
	var attached struct{ SessionID string }
	for _, err := range []error{
		json.Unmarshal(c.root("Target.createTarget", []byte(params)), &made),
		json.Unmarshal(c.root("Target.attachToTarget", fmt.Appendf(nil, `{"targetId":%q,"flatten":true}`, made.TargetID)), &attached),
	} {
		if err != nil {
			c.b.Fatal(err)
		}
	}
	c.session = attached.SessionID
}

// root calls a method of the browser.
func (c *bareChrome) root(method string, params []byte) []byte {
	session := c.session
	c.session = ""
	defer func() { c.session = session }()
	return c.call(method, params)
}

func (c *bareChrome) call(method string, params []byte) []byte {
	c.last++
	command := fmt.Appendf(nil, `{"id":%d,"method":%q`, c.last, method)
	if len(params) > 0 {
		command = fmt.Appendf(command, `,"params":%s`, params)
	}
	if c.session != "" {
		command = fmt.Appendf(command, `,"sessionId":%q`, c.session)
	}
	if _, err := c.out.Write(append(command, '}', 0)); err != nil {
		c.b.Fatal(err)
	}
	head := []byte(`{"id":` + strconv.Itoa(c.last) + `,"result":`)
	for {
		raw, err := c.in.ReadBytes(0)
		if err != nil {
			c.b.Fatal(err)
		}
		if result, ok := bytes.CutPrefix(raw[:len(raw)-1], head); ok {
			end := bytes.LastIndex(result, []byte(`,"sessionId":"`))
			if end < 0 {
				end = len(result) - 1
			}
			return result[:end]
		}
	}
}
