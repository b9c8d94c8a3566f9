package drivertest

import (
	"encoding/json"
	"fmt"
	"strings"
)

// A Behavior is what a page's script would do, as data: when Event happens at
// the first element that Selector matches, the actions are done in order.
type Behavior struct {
	Path     string // of the page that has it
	Selector string // empty: the window
	Event    string // a DOM event's type: "click", "input", "load"
	Do       []Action
}

// An Action is one thing that a [Behavior] does. Target is a CSS selector.
type Action struct {
	Kind   ActionKind
	Target string
	Name   string // of an attribute; a prompt's default
	Text   string
}

// An ActionKind says what an [Action] does.
type ActionKind string

// The kinds.
const (
	SetText        ActionKind = "settext"        // the content of Target becomes Text
	AppendHTML     ActionKind = "appendhtml"     // Text is parsed and added at the end of Target
	Remove         ActionKind = "remove"         // Target is taken out
	SetAttribute   ActionKind = "setattribute"   // Target's attribute Name becomes Text
	SetValue       ActionKind = "setvalue"       // Target's live value becomes Text, without events
	SetMixed       ActionKind = "setmixed"       // Target's indeterminate is set
	ShowModal      ActionKind = "showmodal"      // Target, a dialog, is shown as a modal one
	ShowAlert      ActionKind = "showalert"      // an alert says Text
	ShowConfirm    ActionKind = "showconfirm"    // asks Text; Target's content becomes "true" or "false"
	ShowPrompt     ActionKind = "showprompt"     // asks Text, Name is the default; Target gets the answer, or "null"
	GoTo           ActionKind = "goto"           // the page goes to the address Text
	FocusOn        ActionKind = "focuson"        // Target gets the focus
	PushState      ActionKind = "pushstate"      // a history entry with the address Text is added
	OpenWindow     ActionKind = "openwindow"     // a new window opens at the address Text
	PreventDefault ActionKind = "preventdefault" // the event's own effect does not come
	// LogEvent adds the event's type and a space to Target's content, with
	// "=" and the key for key events, and "?" if the event is not trusted.
	LogEvent ActionKind = "logevent"
)

// script writes the behaviors of one page as a script element that leaves no
// trace of itself in the document.
func script(behaviors []Behavior, path string) string {
	var b strings.Builder
	for _, bh := range behaviors {
		if bh.Path != path {
			continue
		}
		on := "window"
		if bh.Selector != "" {
			on = "document.querySelector(" + quote(bh.Selector) + ")"
		}
		fmt.Fprintf(&b, "%s.addEventListener(%s, (event) => {\n", on, quote(bh.Event))
		for _, a := range bh.Do {
			b.WriteString("  " + a.script() + "\n")
		}
		b.WriteString("});\n")
	}
	if b.Len() == 0 {
		return ""
	}
	return "<script>document.currentScript.remove();\n" + b.String() + "</script>"
}

func (a Action) script() string {
	target := "document.querySelector(" + quote(a.Target) + ")"
	text, name := quote(a.Text), quote(a.Name)
	switch a.Kind {
	case SetText:
		return target + ".textContent = " + text + ";"
	case AppendHTML:
		return target + ".insertAdjacentHTML('beforeend', " + text + ");"
	case Remove:
		return target + ".remove();"
	case SetAttribute:
		return target + ".setAttribute(" + name + ", " + text + ");"
	case SetValue:
		return target + ".value = " + text + ";"
	case SetMixed:
		return target + ".indeterminate = true;"
	case ShowModal:
		return target + ".showModal();"
	case ShowAlert:
		return "alert(" + text + ");"
	case ShowConfirm:
		return target + ".textContent = String(confirm(" + text + "));"
	case ShowPrompt:
		return target + ".textContent = String(prompt(" + text + ", " + name + "));"
	case GoTo:
		return "location.href = " + text + ";"
	case FocusOn:
		return target + ".focus();"
	case PushState:
		return "history.pushState(null, '', " + text + ");"
	case OpenWindow:
		return "window.open(" + text + ");"
	case PreventDefault:
		return "event.preventDefault();"
	case LogEvent:
		return target + ".textContent += event.type + (event.key ? '=' + event.key : '')" +
			" + (event.isTrusted ? '' : '?') + ' ';"
	default:
		panic("drivertest: unknown action " + string(a.Kind))
	}
}

// quote writes a string as JavaScript that may stand in a script element.
func quote(s string) string {
	data, err := json.Marshal(s) // escapes <, > and &
	if err != nil {
		panic(err) // a string always marshals
	}
	return string(data)
}
