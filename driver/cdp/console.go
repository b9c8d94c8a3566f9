package cdp

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/mafredri/cdp/protocol/runtime"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A console tells what the scripts of a page write, and what they fail with.
type console struct{ page *page }

// shownValue is a value of a page's script as its console shows it.
func shownValue(v *runtime.RemoteObject) string {
	var text string
	if json.Unmarshal(v.Value, &text) == nil {
		return text
	}
	return cmp.Or(string(value(v.UnserializableValue)), value(v.Description), string(v.Value))
}

var consoleLevels = map[string]driver.ConsoleLevel{
	"debug": driver.ConsoleDebug, "info": driver.ConsoleInfo, "warning": driver.ConsoleWarning,
	"error": driver.ConsoleError, "assert": driver.ConsoleError,
}

func (c *console) consoleAPICalled(s *session, e *runtime.ConsoleAPICalledReply) {
	parts := make([]string, len(e.Args))
	for i := range e.Args {
		parts[i] = shownValue(&e.Args[i])
	}
	m := driver.ConsoleMessage{Page: c.page.ID(), Frame: c.page.frameOfWorld(s, e.ExecutionContextID), Level: driver.ConsoleLog, Text: strings.Join(parts, " ")}
	if level, ok := consoleLevels[e.Type]; ok {
		m.Level = level
	}
	m.URL, m.Line = topOf(e.StackTrace)
	c.page.browser.emit(m)
}

func (c *console) exceptionThrown(s *session, e *runtime.ExceptionThrownReply) {
	d := &e.ExceptionDetails
	m := driver.PageError{Page: c.page.ID(), Frame: c.page.frameOfWorld(s, value(d.ExecutionContextID)), Text: d.Text, URL: value(d.URL), Line: d.LineNumber + 1}
	if d.Exception != nil {
		m.Text, _, _ = strings.Cut(shownValue(d.Exception), "\n") // the rest is the stack
	}
	if url, line := topOf(d.StackTrace); m.URL == "" {
		m.URL, m.Line = url, line
	}
	c.page.browser.emit(m)
}

// topOf is where a script was.
func topOf(f *runtime.StackTrace) (url string, line int) {
	if f == nil || len(f.CallFrames) == 0 {
		return "", 0
	}
	return f.CallFrames[0].URL, f.CallFrames[0].LineNumber + 1
}
