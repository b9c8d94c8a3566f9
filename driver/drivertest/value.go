package drivertest

import "github.com/wayfinder-engine/wayfinder/driver"

var valueCases = []Case{{
	Name:  "value/typed",
	Rule:  "SetValue assigns date, time, month, week, datetime-local and color, and returns what the control has then.",
	Doc:   "Actor.SetValue",
	pages: pages{"/": `<input id=date type=date><input id=time type=time><input id=month type=month><input id=week type=week><input id=dt type=datetime-local><input id=color type=color>`},
	check: func(t *trial) {
		t.open("/")
		for id, v := range map[string]string{"date": "2024-02-29", "time": "13:37", "month": "2024-12", "week": "2024-W07", "dt": "2024-02-29T13:37", "color": "#a1b2c3"} {
			t.equal("SetValue of "+id, t.setValue("#"+id, v), []string{v})
			t.equal("value of "+id, t.value("#"+id), v)
			t.equal("Value captured of "+id, t.capture().element(id).Value, v)
		}
	},
}, {
	Name:  "value/refused",
	Rule:  "A value that is none for the control is refused: what SetValue returns shows it.",
	Doc:   "Actor.SetValue",
	pages: pages{"/": `<input id=date type=date value=2020-01-01><input id=color type=color value="#112233"><input id=time type=time>`},
	check: func(t *trial) {
		t.open("/")
		t.equal("SetValue of a date that is none", t.setValue("#date", "2023-02-30"), []string{""})
		t.equal("SetValue of a word to a date", t.setValue("#date", "tomorrow"), []string{""})
		t.equal("SetValue of a word to a color", t.setValue("#color", "none"), []string{"#000000"})
		t.equal("SetValue of an hour that is none", t.setValue("#time", "25:00"), []string{""})
	},
}, {
	Name:  "value/sanitized",
	Rule:  "A value is sanitized as the browser does: a color in lower case, a range within its ends and on its steps.",
	Doc:   "Actor.SetValue",
	pages: pages{"/": `<input id=color type=color><input id=r type=range min=10 max=20 step=5 value=10><input id=d type=range>`},
	check: func(t *trial) {
		t.open("/")
		t.equal("color", t.setValue("#color", "#ABCDEF"), []string{"#abcdef"})
		t.equal("range over its end", t.setValue("#r", "99"), []string{"20"})
		t.equal("range under its start", t.setValue("#r", "1"), []string{"10"})
		t.equal("range between steps", t.setValue("#r", "14"), []string{"15"})
		t.equal("the default of a range", t.value("#d"), "50")
	},
}, {
	Name:  "value/events",
	Rule:  "SetValue has the page notified by input and change, in this order.",
	Doc:   "Actor.SetValue",
	pages: pages{"/": `<input id=i type=date><p id=log></p>`},
	does: []Behavior{
		on("input", "#i", Action{Kind: AppendHTML, Target: "#log", Text: "input "}),
		on("change", "#i", Action{Kind: AppendHTML, Target: "#log", Text: "change "}),
	},
	check: func(t *trial) {
		t.open("/")
		t.setValue("#i", "2024-01-01")
		t.equal("log", t.text("#log"), "input change ")
	},
}, {
	Name:  "value/not-a-control",
	Rule:  "SetValue of what has no value is an error and changes nothing.",
	Doc:   "Actor.SetValue",
	pages: pages{"/": `<p id=p>x</p>`},
	check: func(t *trial) {
		t.open("/")
		_, err := t.page.SetValue(t.ctx, driver.Target{At: t.find("#p")}, "y")
		t.must(err != nil, "SetValue of a paragraph gave no error")
		t.equal("text", t.text("#p"), "x")
	},
}, {
	Name:  "value/keys",
	Rule:  "Arrows move a range by its step.",
	Doc:   "KeyDown",
	pages: pages{"/": `<input id=r type=range min=0 max=10 step=2 value=4>`},
	check: func(t *trial) {
		t.open("/")
		t.focus("#r")
		t.press("ArrowRight", "ArrowUp")
		t.equal("value", t.value("#r"), "8")
		t.press("ArrowLeft")
		t.equal("value after ArrowLeft", t.value("#r"), "6")
		t.press("End")
		t.equal("value after End", t.value("#r"), "10")
	},
}}
