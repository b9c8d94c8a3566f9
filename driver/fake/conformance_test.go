package fake_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/drivertest"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
)

// TestConformance runs the suite with the site's handler called directly, as
// the tests of an embedder do.
func TestConformance(t *testing.T) {
	drivertest.Run(t, drivertest.Harness{
		Driver: func(site *drivertest.Site) driver.Driver {
			return fake.New(fake.Options{Handler: site.Handler, Scripts: scripts(t, site)})
		},
		Differences: differences(map[string]string{
			"failure/dns":     "every host exists, with TLS and without",
			"failure/refused": "every host exists, with TLS and without",
			"failure/tls":     "every host exists, with TLS and without",
		}),
	})
}

// TestConformanceOverNetwork runs the suite over HTTP on the loopback, as the
// driver of the command line does.
func TestConformanceOverNetwork(t *testing.T) {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	t.Cleanup(transport.CloseIdleConnections)
	drivertest.Run(t, drivertest.Harness{
		Driver: func(site *drivertest.Site) driver.Driver {
			return fake.New(fake.Options{Transport: transport, Scripts: scripts(t, site)})
		},
		Loopback: true,
		Differences: differences(map[string]string{
			"rare/broken": "not noticed: pictures are not fetched",
		}),
	})
}

// differences are what the in-memory browser does otherwise, whatever answers
// it. docs/memory.md has the same in its table.
func differences(more map[string]string) map[string]string {
	all := map[string]string{
		"evaluate":   "answers only expressions that the test registered; it runs no JavaScript",
		"screenshot": "unsupported; it paints nothing",
		"aim/left":   "the page takes all keys of a call before it goes anywhere",
	}
	for name, reason := range more {
		all[name] = reason
	}
	return all
}

// scripts registers the behaviors of a site.
func scripts(t *testing.T, site *drivertest.Site) map[string]func(*fake.Document) {
	byPath := map[string][]drivertest.Behavior{}
	for _, b := range site.Behaviors {
		byPath[b.Path] = append(byPath[b.Path], b)
	}
	return map[string]func(*fake.Document){"*": func(d *fake.Document) {
		u, err := url.Parse(d.URL())
		if err != nil {
			t.Errorf("URL of a document: %v", err)
			return
		}
		for _, b := range byPath[u.Path] {
			d.On(b.Event, b.Selector, func(e *fake.Event) {
				for _, a := range b.Do {
					act(t, d, e, a)
				}
			})
		}
		for _, tool := range site.Tools {
			if tool.Path == u.Path {
				offer(t, d, tool)
			}
		}
	}}
}

// offer registers a tool of a site.
func offer(t *testing.T, d *fake.Document, tool drivertest.Tool) {
	err := d.RegisterTool(fake.Tool{
		Name: tool.Name, Description: tool.Description, InputSchema: tool.Schema,
		ReadOnly: tool.ReadOnly, Consequential: tool.Consequential, Untrusted: tool.Untrusted,
		Run: func(c *fake.ToolCall) {
			for _, a := range tool.Do {
				act(t, d, nil, a)
			}
			switch {
			case tool.Fails != "":
				c.Fail("Error: " + tool.Fails)
			case tool.Hangs:
			case tool.Answer != "":
				c.Answer(json.RawMessage(tool.Answer))
			default:
				c.Answer(c.Arguments)
			}
		},
	})
	if err != nil {
		t.Error(err)
	}
}

// act does one action of a behavior.
func act(t *testing.T, d *fake.Document, e *fake.Event, a drivertest.Action) {
	switch a.Kind {
	case drivertest.SetText:
		d.Find(a.Target).SetText(a.Text)
	case drivertest.AppendHTML:
		d.Find(a.Target).Append(a.Text)
	case drivertest.Remove:
		d.Find(a.Target).Remove()
	case drivertest.SetAttribute:
		d.Find(a.Target).SetAttr(a.Name, a.Text)
	case drivertest.SetValue:
		d.Find(a.Target).SetValue(a.Text)
	case drivertest.SetMixed:
		d.Find(a.Target).SetMixed(true)
	case drivertest.ShowModal:
		d.Find(a.Target).ShowModal()
	case drivertest.ShowAlert:
		d.Alert(a.Text)
	case drivertest.ShowConfirm:
		d.Find(a.Target).SetText(strconv.FormatBool(d.Confirm(a.Text)))
	case drivertest.ShowPrompt:
		answer, ok := d.Prompt(a.Text, a.Name)
		if !ok {
			answer = "null"
		}
		d.Find(a.Target).SetText(answer)
	case drivertest.FocusOn:
		d.Find(a.Target).Focus()
	case drivertest.GoTo:
		d.Navigate(a.Text)
	case drivertest.PushState:
		d.PushState(a.Text)
	case drivertest.OpenWindow:
		d.Open(a.Text)
	case drivertest.WriteConsole:
		level := driver.ConsoleLevel(a.Name)
		if level == "warn" {
			level = driver.ConsoleWarning
		}
		d.Console(level, a.Text+" 1")
	case drivertest.ThrowError:
		d.Throw("Error: " + a.Text)
	case drivertest.TakeBack:
		d.UnregisterTool(a.Name)
	case drivertest.PreventDefault:
		e.PreventDefault()
	case drivertest.LogEvent:
		log := d.Find(a.Target)
		key := ""
		if e.Key != "" {
			key = "=" + e.Key
		}
		log.SetText(log.Text() + e.Type + key + " ")
	default:
		t.Errorf("unknown action %q", a.Kind)
	}
}
