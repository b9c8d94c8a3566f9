package drivertest

import (
	"github.com/wayfinder-engine/wayfinder/driver"
)

var keyboardCases = rows(Case{Doc: "KeyDown", pages: pages{"/": "<input id=i>"}},
	rule("keyboard/letters", "A key that writes, writes: letters, figures, punctuation, space and letters beyond ASCII, and none of them is taken for another key.").opens(func(t *trial) {
		t.focus("#i")
		t.write("a1 .,-'(&%#!$\"/é?")
		t.equal("value", t.value("#i"), "a1 .,-'(&%#!$\"/é?")
	}),
	rule("keyboard/events", "The page sees keydown, input and keyup of a key, in this order, and takes them for a person's.").at("Actor.Input").
		on("<input id=i><p id=log></p>").
		doing(logged("#i", "keydown", "beforeinput", "input", "keyup")...).
		opens(func(t *trial) {
			t.focus("#i")
			t.press("x", "ArrowLeft")
			t.equal("log", t.text("#log"), "keydown=x beforeinput input keyup=x keydown=ArrowLeft keyup=ArrowLeft ")
		}),
	rule("keyboard/insert", "InsertText writes at the caret; the page sees beforeinput and input, and no keys.").at("InsertText").
		on("<input id=i value=ad><p id=log></p>").
		doing(logged("#i", "keydown", "keypress", "beforeinput", "input", "keyup")...).
		opens(func(t *trial) {
			t.focus("#i")
			t.press("Home", "ArrowRight")
			before := t.text("#log")
			t.input(driver.InsertText{Text: "bč🐎"})
			t.equal("value", t.value("#i"), "abč🐎d")
			t.equal("log", t.text("#log"), before+"beforeinput input ")
		}),
	rule("keyboard/modifier", "Shift writes capitals as the key says; with Control, Alt or Meta a key does not write.").opens(func(t *trial) {
		t.focus("#i")
		t.press("Shift+A", "Control+b", "Meta+d", "e")
		t.equal("value", t.value("#i"), "Ae")
	}),
	rule("keyboard/edit", "Backspace, Delete, arrows, Home and End edit and move the caret.").opens(func(t *trial) {
		t.focus("#i")
		t.write("abcd")
		t.press("Backspace")
		t.equal("after Backspace", t.value("#i"), "abc")
		t.press("ArrowLeft", "ArrowLeft", "Delete")
		t.equal("after Delete", t.value("#i"), "ac")
		t.press("Home", "x", "End", "y", "ArrowLeft", "ArrowRight", "z")
		t.equal("after Home and End", t.value("#i"), "xacyz")
	}),
	rule("keyboard/select-all", "Control+a selects all, and what is written takes its place; Shift with arrows selects.").
		on("<input id=i value=hello>").
		opens(func(t *trial) {
			t.focus("#i")
			t.press("Control+a", "x", "y", "z")
			t.equal("value", t.value("#i"), "xyz")
			t.press("End", "Shift+ArrowLeft", "Shift+ArrowLeft", "w")
			t.equal("value after a selection", t.value("#i"), "xw")
		}),
	rule("keyboard/held", "A modifier key that is pressed is held by the events between.").
		on("<input id=i value=hello>").
		opens(func(t *trial) {
			t.focus("#i")
			t.input(driver.KeyDown{Key: "Control"}, driver.KeyDown{Key: "a"}, driver.KeyUp{Key: "a"}, driver.KeyUp{Key: "Control"})
			t.press("x")
			t.equal("value", t.value("#i"), "x")
		}),
	rule("keyboard/tab", "Tab goes forward and Shift+Tab back, over what takes the focus, in the order of tabindex and of the document; disabled, hidden and tabindex -1 are passed over.").
		on(`<input id=a><a id=nolink>x</a><a id=l href=/x>x</a><input id=dis disabled><input id=hid type=hidden><input id=none style="display: none"><button id=m tabindex=-1>x</button><div id=d tabindex=0>x</div><input id=first tabindex=1><div inert><input id=in></div><select id=s><option>x</select>`).
		opens(func(t *trial) {
			want := []string{"first", "a", "l", "d", "s"}
			for _, id := range want {
				t.press("Tab")
				t.equal("focused after Tab", t.focused(), id)
			}
			for i := len(want) - 2; i >= 0; i-- {
				t.press("Shift+Tab")
				t.equal("focused after Shift+Tab", t.focused(), want[i])
			}
			for key, want := range map[string]string{"Tab": "d", "Shift+Tab": "l"} {
				t.focus("#m")
				t.press(key)
				t.equal("focused after "+key+" in what has tabindex -1", t.focused(), want)
			}
		}),
	rule("keyboard/tab-radio", "Tab stops once in a group of radio buttons, at the checked one.").
		on(`<input id=a><input type=radio name=r id=r1><input type=radio name=r id=r2 checked><input type=radio name=r id=r3><input id=b>`).
		opens(func(t *trial) {
			t.focus("#a")
			t.press("Tab")
			t.equal("focused", t.focused(), "r2")
			t.press("Tab")
			t.equal("focused", t.focused(), "b")
		}),
	rule("keyboard/tab-shadow", "Tab goes through shadow roots of any mode and into frames.").
		with(pages{"/": `<input id=a><div id=h><template shadowrootmode=closed><input id=c></template></div><iframe id=f src=/in></iframe><input id=z>`, "/in": "<input id=i>"}).
		opens(func(t *trial) {
			t.focus("#a")
			t.press("Tab")
			t.equal("Focused in the shadow root", t.state("#h", "#c").Focused, true)
			t.press("Tab")
			t.equal("Focused in the frame", t.state("#f", "#i").Focused, true)
			t.press("Tab")
			t.equal("focused behind", t.focused(), "z")
		}),
	rule("keyboard/enter-submits", "Enter in a text field submits its form as its first submit button does.").
		with(pages{"/": `<form action=/sent><input id=i name=q><input name=r><button name=b value=1>x</button><button name=b value=2>x</button></form>`, "/sent": "<p>sent"}).
		opens(func(t *trial) {
			t.focus("#i")
			t.write("a b")
			t.events.mark()
			t.press("Enter")
			t.settled("/sent")
			t.equal("query", t.request("/sent").Query, "q=a+b&r=&b=1")
		}),
	rule("keyboard/enter-not", "Enter does not submit a form of several text fields without a submit button, nor one whose submit button is disabled.").
		with(pages{"/": `<form action=/sent><input id=a name=a><input name=b></form><form action=/sent><input id=c><button disabled>x</button></form><p id=p>x`, "/sent": "<p>sent"}).
		opens(func(t *trial) {
			for _, id := range []string{"#a", "#c"} {
				t.focus(id)
				t.press("Enter")
			}
			t.equal("text of the page", t.text("#p"), "x")
			t.unasked("/sent")
		}),
	rule("keyboard/enter-textarea", "Enter in a textarea is a new line.").
		with(pages{"/": `<form action=/sent><textarea id=a></textarea><button>x</button></form>`, "/sent": "<p>sent"}).
		opens(func(t *trial) {
			t.focus("#a")
			t.press("a", "Enter", "b")
			t.equal("value", t.value("#a"), "a\nb")
			t.unasked("/sent")
		}),
	rule("keyboard/activate", "Enter and Space press a button, Space switches a checkbox, Enter follows a link.").
		with(pages{"/": `<button id=b type=button>x</button><input id=c type=checkbox><a id=a href=/two>x</a><p id=log></p>`, "/two": "<p>two"}).
		doing(logged("#b", "click")...).
		opens(func(t *trial) {
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
		}),
	rule("keyboard/radio", "Arrows move the choice in a group of radio buttons, around its ends and past disabled ones.").
		on(`<input type=radio name=r id=a checked><input type=radio name=r id=b disabled><input type=radio name=r id=c><input type=radio name=s id=other>`).
		opens(func(t *trial) {
			t.focus("#a")
			t.press("ArrowDown")
			t.equal("checked", []bool{t.state("#a").Checked, t.state("#c").Checked}, []bool{false, true})
			t.equal("focused", t.focused(), "c")
			t.press("ArrowDown")
			t.equal("checked after the end", []bool{t.state("#a").Checked, t.state("#c").Checked}, []bool{true, false})
			t.press("ArrowUp")
			t.equal("focused after ArrowUp", t.focused(), "c")
		}),
	rule("keyboard/select", "Arrows change the choice of a select, past disabled options; letters choose by label.").
		on(`<select id=s><option value=1>One<option value=2 disabled>Two<option value=3>Three<option value=4>Four</select>`).
		opens(func(t *trial) {
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
		}),
	rule("keyboard/escape", "Escape closes a modal dialog and gives the focus back.").
		on(`<button id=b>ask</button><dialog id=d><input id=i></dialog>`).
		doing(on("click", "#b", Action{Kind: ShowModal, Target: "#d"})).
		opens(func(t *trial) {
			t.click("#b")
			t.equal("focused in the dialog", t.focused(), "i")
			t.press("Escape")
			t.equal("Rendered", t.capture().element("d").Rendered, false)
			t.equal("focused after Escape", t.focused(), "b")
		}),
	rule("keyboard/escape-any", "Escape closes a dialog that is open without being modal if it says closedby=any, and not one that says nothing.").
		on(`<dialog id=e open style="position: static"><p>x</p></dialog><dialog id=d open closedby=any style="position: static"><p>x</p></dialog>`).
		opens(func(t *trial) {
			t.press("Escape")
			t.equal("Rendered", t.capture().element("d").Rendered, false)
			t.equal("Rendered of the other", t.capture().element("e").Rendered, true)
		}),
	rule("keyboard/blur-change", "The page sees change when the focus leaves a field that was written in, and not when nothing changed.").at("Actor.Input").
		on(`<input id=i><input id=j><p id=log></p>`).
		doing(logged("#i", "focus", "input", "change", "blur")...).
		opens(func(t *trial) {
			t.focus("#i")
			t.press("x", "Tab")
			t.equal("log", t.text("#log"), "focus input change blur ")
			t.press("Shift+Tab", "Tab")
			t.equal("log of a visit", t.text("#log"), "focus input change blur focus blur ")
		}),
	rule("keyboard/prevented", "A page that prevents keydown keeps the key from writing.").at("Actor.Input").
		on(`<input id=i>`).
		doing(on("keydown", "#i", Action{Kind: PreventDefault})).
		opens(func(t *trial) {
			t.focus("#i")
			t.press("x")
			t.equal("value", t.value("#i"), "")
			t.input(driver.InsertText{Text: "y"})
			t.equal("value after InsertText", t.value("#i"), "y")
		}),
)
