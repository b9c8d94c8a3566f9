package drivertest

import (
	"github.com/wayfinder-engine/wayfinder/driver"
)

var keyboardCases = rows(Case{Doc: "KeyDown", pages: pages{"/": "<input id=i>"}}, []Case{{
	Name: "keyboard/letters",
	Rule: "A key that writes, writes: letters, figures, punctuation, space and letters beyond ASCII, and none of them is taken for another key.",
	opened: func(t *trial) {
		t.focus("#i")
		t.write("a1 .,-'(&%#!$\"/é?")
		t.equal("value", t.value("#i"), "a1 .,-'(&%#!$\"/é?")
	},
}, {
	Name:  "keyboard/events",
	Rule:  "The page sees keydown, input and keyup of a key, in this order, and takes them for a person's.",
	Doc:   "Actor.Input",
	pages: pages{"/": "<input id=i><p id=log></p>"},
	does:  logged("#i", "keydown", "beforeinput", "input", "keyup"),
	opened: func(t *trial) {
		t.focus("#i")
		t.press("x", "ArrowLeft")
		t.equal("log", t.text("#log"), "keydown=x beforeinput input keyup=x keydown=ArrowLeft keyup=ArrowLeft ")
	},
}, {
	Name:  "keyboard/insert",
	Rule:  "InsertText writes at the caret; the page sees beforeinput and input, and no keys.",
	Doc:   "InsertText",
	pages: pages{"/": "<input id=i value=ad><p id=log></p>"},
	does:  logged("#i", "keydown", "keypress", "beforeinput", "input", "keyup"),
	opened: func(t *trial) {
		t.focus("#i")
		t.press("Home", "ArrowRight")
		before := t.text("#log")
		t.input(driver.InsertText{Text: "bč🐎"})
		t.equal("value", t.value("#i"), "abč🐎d")
		t.equal("log", t.text("#log"), before+"beforeinput input ")
	},
}, {
	Name: "keyboard/modifier",
	Rule: "Shift writes capitals as the key says; with Control, Alt or Meta a key does not write.",
	opened: func(t *trial) {
		t.focus("#i")
		t.press("Shift+A", "Control+b", "Meta+d", "e")
		t.equal("value", t.value("#i"), "Ae")
	},
}, {
	Name: "keyboard/edit",
	Rule: "Backspace, Delete, arrows, Home and End edit and move the caret.",
	opened: func(t *trial) {
		t.focus("#i")
		t.write("abcd")
		t.press("Backspace")
		t.equal("after Backspace", t.value("#i"), "abc")
		t.press("ArrowLeft", "ArrowLeft", "Delete")
		t.equal("after Delete", t.value("#i"), "ac")
		t.press("Home", "x", "End", "y", "ArrowLeft", "ArrowRight", "z")
		t.equal("after Home and End", t.value("#i"), "xacyz")
	},
}, {
	Name:  "keyboard/select-all",
	Rule:  "Control+a selects all, and what is written takes its place; Shift with arrows selects.",
	pages: pages{"/": "<input id=i value=hello>"},
	opened: func(t *trial) {
		t.focus("#i")
		t.press("Control+a", "x", "y", "z")
		t.equal("value", t.value("#i"), "xyz")
		t.press("End", "Shift+ArrowLeft", "Shift+ArrowLeft", "w")
		t.equal("value after a selection", t.value("#i"), "xw")
	},
}, {
	Name:  "keyboard/held",
	Rule:  "A modifier key that is pressed is held by the events between.",
	pages: pages{"/": "<input id=i value=hello>"},
	opened: func(t *trial) {
		t.focus("#i")
		t.input(driver.KeyDown{Key: "Control"}, driver.KeyDown{Key: "a"}, driver.KeyUp{Key: "a"}, driver.KeyUp{Key: "Control"})
		t.press("x")
		t.equal("value", t.value("#i"), "x")
	},
}, {
	Name:  "keyboard/tab",
	Rule:  "Tab goes forward and Shift+Tab back, over what takes the focus, in the order of tabindex and of the document; disabled, hidden and tabindex -1 are passed over.",
	pages: pages{"/": `<input id=a><a id=nolink>x</a><a id=l href=/x>x</a><input id=dis disabled><input id=hid type=hidden><input id=none style="display: none"><button id=m tabindex=-1>x</button><div id=d tabindex=0>x</div><input id=first tabindex=1><div inert><input id=in></div><select id=s><option>x</select>`},
	opened: func(t *trial) {
		want := []string{"first", "a", "l", "d", "s"}
		for _, id := range want {
			t.press("Tab")
			t.equal("focused after Tab", t.focused(), id)
		}
		for i := len(want) - 2; i >= 0; i-- {
			t.press("Shift+Tab")
			t.equal("focused after Shift+Tab", t.focused(), want[i])
		}
	},
}, {
	Name:  "keyboard/tab-radio",
	Rule:  "Tab stops once in a group of radio buttons, at the checked one.",
	pages: pages{"/": `<input id=a><input type=radio name=r id=r1><input type=radio name=r id=r2 checked><input type=radio name=r id=r3><input id=b>`},
	opened: func(t *trial) {
		t.focus("#a")
		t.press("Tab")
		t.equal("focused", t.focused(), "r2")
		t.press("Tab")
		t.equal("focused", t.focused(), "b")
	},
}, {
	Name:  "keyboard/tab-shadow",
	Rule:  "Tab goes through shadow roots of any mode and into frames.",
	pages: pages{"/": `<input id=a><div id=h><template shadowrootmode=closed><input id=c></template></div><iframe id=f src=/in></iframe><input id=z>`, "/in": "<input id=i>"},
	opened: func(t *trial) {
		t.focus("#a")
		t.press("Tab")
		t.equal("Focused in the shadow root", t.state("#h", "#c").Focused, true)
		t.press("Tab")
		t.equal("Focused in the frame", t.state("#f", "#i").Focused, true)
		t.press("Tab")
		t.equal("focused behind", t.focused(), "z")
	},
}, {
	Name:  "keyboard/enter-submits",
	Rule:  "Enter in a text field submits its form as its first submit button does.",
	pages: pages{"/": `<form action=/sent><input id=i name=q><input name=r><button name=b value=1>x</button><button name=b value=2>x</button></form>`, "/sent": "<p>sent"},
	opened: func(t *trial) {
		t.focus("#i")
		t.write("a b")
		t.events.mark()
		t.press("Enter")
		t.settled("/sent")
		t.equal("query", t.request("/sent").Query, "q=a+b&r=&b=1")
	},
}, {
	Name:  "keyboard/enter-not",
	Rule:  "Enter does not submit a form of several text fields without a submit button, nor one whose submit button is disabled.",
	pages: pages{"/": `<form action=/sent><input id=a name=a><input name=b></form><form action=/sent><input id=c><button disabled>x</button></form><p id=p>x`, "/sent": "<p>sent"},
	opened: func(t *trial) {
		for _, id := range []string{"#a", "#c"} {
			t.focus(id)
			t.press("Enter")
		}
		t.equal("text of the page", t.text("#p"), "x")
		t.unasked("/sent")
	},
}, {
	Name:  "keyboard/enter-textarea",
	Rule:  "Enter in a textarea is a new line.",
	pages: pages{"/": `<form action=/sent><textarea id=a></textarea><button>x</button></form>`, "/sent": "<p>sent"},
	opened: func(t *trial) {
		t.focus("#a")
		t.press("a", "Enter", "b")
		t.equal("value", t.value("#a"), "a\nb")
		t.unasked("/sent")
	},
}, {
	Name:  "keyboard/activate",
	Rule:  "Enter and Space press a button, Space switches a checkbox, Enter follows a link.",
	pages: pages{"/": `<button id=b type=button>x</button><input id=c type=checkbox><a id=a href=/two>x</a><p id=log></p>`, "/two": "<p>two"},
	does:  logged("#b", "click"),
	opened: func(t *trial) {
		t.focus("#b")
		t.press("Enter", " ")
		t.equal("log", t.text("#log"), "click click ")
		t.focus("#c")
		t.press(" ")
		t.equal("Checked", t.state("#c").Checked, true)
		t.press(" ")
		t.equal("Checked after a second Space", t.state("#c").Checked, false)
		t.focus("#a")
		t.events.mark()
		t.press("Enter")
		t.settled("/two")
	},
}, {
	Name:  "keyboard/radio",
	Rule:  "Arrows move the choice in a group of radio buttons, around its ends and past disabled ones.",
	pages: pages{"/": `<input type=radio name=r id=a checked><input type=radio name=r id=b disabled><input type=radio name=r id=c><input type=radio name=s id=other>`},
	opened: func(t *trial) {
		t.focus("#a")
		t.press("ArrowDown")
		t.equal("checked", []bool{t.state("#a").Checked, t.state("#c").Checked}, []bool{false, true})
		t.equal("focused", t.focused(), "c")
		t.press("ArrowDown")
		t.equal("checked after the end", []bool{t.state("#a").Checked, t.state("#c").Checked}, []bool{true, false})
		t.press("ArrowUp")
		t.equal("focused after ArrowUp", t.focused(), "c")
	},
}, {
	Name:  "keyboard/select",
	Rule:  "Arrows change the choice of a select, past disabled options; letters choose by label.",
	pages: pages{"/": `<select id=s><option value=1>One<option value=2 disabled>Two<option value=3>Three<option value=4>Four</select>`},
	opened: func(t *trial) {
		t.focus("#s")
		t.press("ArrowDown")
		t.equal("value after ArrowDown", t.value("#s"), "3")
		t.press("ArrowUp")
		t.equal("value after ArrowUp", t.value("#s"), "1")
		t.press("End")
		t.equal("value after End", t.value("#s"), "4")
		t.press("Home")
		t.equal("value after Home", t.value("#s"), "1")
		t.press("t")
		t.equal("value after a letter", t.value("#s"), "3")
	},
}, {
	Name:  "keyboard/escape",
	Rule:  "Escape closes a modal dialog and gives the focus back.",
	pages: pages{"/": `<button id=b>ask</button><dialog id=d><input id=i></dialog>`},
	does:  []Behavior{on("click", "#b", Action{Kind: ShowModal, Target: "#d"})},
	opened: func(t *trial) {
		t.click("#b")
		t.equal("focused in the dialog", t.focused(), "i")
		t.press("Escape")
		t.equal("Rendered", t.capture().element("d").Rendered, false)
		t.equal("focused after Escape", t.focused(), "b")
	},
}, {
	Name:  "keyboard/blur-change",
	Rule:  "The page sees change when the focus leaves a field that was written in, and not when nothing changed.",
	Doc:   "Actor.Input",
	pages: pages{"/": `<input id=i><input id=j><p id=log></p>`},
	does:  logged("#i", "focus", "input", "change", "blur"),
	opened: func(t *trial) {
		t.focus("#i")
		t.press("x", "Tab")
		t.equal("log", t.text("#log"), "focus input change blur ")
		t.press("Shift+Tab", "Tab")
		t.equal("log of a visit", t.text("#log"), "focus input change blur focus blur ")
	},
}, {
	Name:  "keyboard/prevented",
	Rule:  "A page that prevents keydown keeps the key from writing.",
	Doc:   "Actor.Input",
	pages: pages{"/": `<input id=i>`},
	does:  []Behavior{on("keydown", "#i", Action{Kind: PreventDefault})},
	opened: func(t *trial) {
		t.focus("#i")
		t.press("x")
		t.equal("value", t.value("#i"), "")
		t.input(driver.InsertText{Text: "y"})
		t.equal("value after InsertText", t.value("#i"), "y")
	},
}})
