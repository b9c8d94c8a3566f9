package cdp

import (
	"encoding/json"
	"strings"

	"github.com/mafredri/cdp/protocol/runtime"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A console tells what the scripts of a page write, and what they fail with.
type console struct{ page *page }

type consoleAPICalled struct {
	Type               string
	Args               []remoteValue
	ExecutionContextID runtime.ExecutionContextID
	StackTrace         *callFrames
}

// A remoteValue is a value of a page's script, as its console shows it.
type remoteValue struct {
	Value               json.RawMessage
	UnserializableValue string
	Description         string
}

func (v *remoteValue) String() string {
	var text string
	switch {
	case json.Unmarshal(v.Value, &text) == nil:
		return text
	case v.UnserializableValue != "":
		return v.UnserializableValue
	case v.Description != "":
		return v.Description
	}
	return string(v.Value)
}

var consoleLevels = map[string]driver.ConsoleLevel{
	"debug": driver.ConsoleDebug, "info": driver.ConsoleInfo, "warning": driver.ConsoleWarning,
	"error": driver.ConsoleError, "assert": driver.ConsoleError,
}

func (c *console) consoleAPICalled(s *session, e *consoleAPICalled) {
	parts := make([]string, len(e.Args))
	for i := range e.Args {
		parts[i] = e.Args[i].String()
	}
	m := driver.ConsoleMessage{Page: c.page.ID(), Frame: c.page.frameOfWorld(s, e.ExecutionContextID), Level: driver.ConsoleLog, Text: strings.Join(parts, " ")}
	if level, ok := consoleLevels[e.Type]; ok {
		m.Level = level
	}
	m.URL, m.Line = e.StackTrace.top()
	c.page.browser.emit(m)
}

type exceptionThrown struct {
	ExceptionDetails struct {
		Text               string
		URL                string
		LineNumber         int
		ExecutionContextID runtime.ExecutionContextID
		Exception          *remoteValue
		StackTrace         *callFrames
	}
}

func (c *console) exceptionThrown(s *session, e *exceptionThrown) {
	d := &e.ExceptionDetails
	m := driver.PageError{Page: c.page.ID(), Frame: c.page.frameOfWorld(s, d.ExecutionContextID), Text: d.Text, URL: d.URL, Line: d.LineNumber + 1}
	if d.Exception != nil {
		m.Text, _, _ = strings.Cut(d.Exception.String(), "\n") // the rest is the stack
	}
	if url, line := d.StackTrace.top(); m.URL == "" {
		m.URL, m.Line = url, line
	}
	c.page.browser.emit(m)
}

type callFrames struct {
	CallFrames []struct {
		URL        string
		LineNumber int
	}
}

// top is where a script was.
func (f *callFrames) top() (url string, line int) {
	if f == nil || len(f.CallFrames) == 0 {
		return "", 0
	}
	return f.CallFrames[0].URL, f.CallFrames[0].LineNumber + 1
}
