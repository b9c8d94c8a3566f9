package drivertest

import "github.com/wayfinder-engine/wayfinder/driver"

const selects = `<select id=s><option value=1>One<optgroup label=G><option value=2 disabled>Two<option value=3 label=Drei selected>Three</optgroup><option>  Four  times </select>
<select id=m multiple><option value=a selected>A<option value=b>B<option value=c selected>C</select><p id=log></p>`

var selectCases = []Case{{
	Name:  "select/options",
	Rule:  "State.Options are the options in order with value, label, group, and whether they are selected or disabled.",
	Doc:   "OptionState",
	pages: pages{"/": selects},
	check: func(t *trial) {
		t.open("/")
		t.equal("Options", t.state("#s").Options, []driver.OptionState{
			{Value: "1", Label: "One"}, {Value: "2", Label: "Two", Group: "G", Disabled: true},
			{Value: "3", Label: "Drei", Group: "G", Selected: true}, {Value: "Four times", Label: "Four times"},
		})
	},
}, {
	Name:  "select/state",
	Rule:  "State of a select has the chosen values and tells whether there may be several.",
	Doc:   "State.Values",
	pages: pages{"/": selects},
	check: func(t *trial) {
		t.open("/")
		s, m := t.state("#s"), t.state("#m")
		t.equal("Multiple", []bool{s.Multiple, m.Multiple}, []bool{false, true})
		t.equal("Value", []string{s.Value, m.Value}, []string{"3", "a"})
		t.equal("Values of one", s.Values, []string{"3"})
		t.equal("Values of several", m.Values, []string{"a", "c"})
		t.equal("Tag", s.Tag, "select")
	},
}, {
	Name:  "select/set",
	Rule:  "SetValue chooses the option of a value and returns what is chosen then.",
	Doc:   "Actor.SetValue",
	pages: pages{"/": selects},
	check: func(t *trial) {
		t.open("/")
		t.equal("SetValue", t.setValue("#s", "1"), []string{"1"})
		t.equal("value", t.value("#s"), "1")
		t.equal("SetValue by text", t.setValue("#s", "Four times"), []string{"Four times"})
		t.equal("value", t.value("#s"), "Four times")
	},
}, {
	Name:  "select/events",
	Rule:  "SetValue has the page notified by input and change.",
	Doc:   "Actor.SetValue",
	pages: pages{"/": `<select id=s><option>a<option>b</select><p id=log></p>`},
	does: []Behavior{
		on("input", "#s", Action{Kind: AppendHTML, Target: "#log", Text: "input "}),
		on("change", "#s", Action{Kind: AppendHTML, Target: "#log", Text: "change "}),
	},
	check: func(t *trial) {
		t.open("/")
		t.setValue("#s", "b")
		t.equal("log", t.text("#log"), "input change ")
	},
}, {
	Name:  "select/several",
	Rule:  "A select of several takes the values given and loses the others; no values choose none.",
	Doc:   "Actor.SetValue",
	pages: pages{"/": selects},
	check: func(t *trial) {
		t.open("/")
		t.equal("SetValue", t.setValue("#m", "c", "b"), []string{"b", "c"})
		t.equal("Values", t.state("#m").Values, []string{"b", "c"})
		t.equal("SetValue of none", len(t.setValue("#m")), 0)
		t.equal("Values", len(t.state("#m").Values), 0)
	},
}, {
	Name:  "select/unknown",
	Rule:  "A value that no option has is refused: what SetValue returns is not what was asked for.",
	Doc:   "Actor.SetValue",
	pages: pages{"/": selects},
	check: func(t *trial) {
		t.open("/")
		got, err := t.page.SetValue(t.ctx, driver.Target{At: t.find("#s")}, "nine")
		if err == nil {
			t.must(len(got) != 1 || got[0] != "nine", "SetValue(nine) = %q", got)
		}
		t.must(t.value("#s") != "nine", "the value is %q", t.value("#s"))
	},
}, {
	Name:  "select/arity",
	Rule:  "A select of one and every other control take exactly one value.",
	Doc:   "Actor.SetValue",
	pages: pages{"/": selects + "<input id=d type=date>"},
	check: func(t *trial) {
		t.open("/")
		_, err := t.page.SetValue(t.ctx, driver.Target{At: t.find("#s")}, "1", "3")
		t.must(err != nil, "SetValue of two values on a select of one gave no error")
		_, err = t.page.SetValue(t.ctx, driver.Target{At: t.find("#d")})
		t.must(err != nil, "SetValue of no value on a date gave no error")
		t.equal("value", t.value("#s"), "3")
	},
}, {
	Name:  "select/first",
	Rule:  "A select of one without a selected option has its first that is not disabled.",
	Doc:   "State.Value",
	pages: pages{"/": `<select id=s><option value=1 disabled>a<option value=2>b<option value=3>c</select>`},
	check: func(t *trial) {
		t.open("/")
		t.equal("value", t.value("#s"), "2")
		t.equal("Value captured", t.capture().element("s").Value, "2")
	},
}}
