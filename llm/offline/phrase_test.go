package offline_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/llm"
)

// pages are small pages of many kinds, each with what is easily taken for something else.
var pages = map[string]string{
	"table": `[0-1] document: Orders
  [0-2] combobox: Page Size (collapsed) (popup: listbox) value="10"
  [0-3] button: Columns (collapsed) (popup: menu)
  [0-4] combobox: Status (options: Open | Closed | Not closed)
  [0-5] button: Apply
  [0-6] button: Next page
  [0-7] button: Previous page (disabled)
  [0-8] table: Orders
    [0-9] row: Number | Customer | ↓ (header)
    [0-10] row: 1001 | Ada | ↓
      [0-11] button: Cancel
    [0-12] row: 1002 | Grace | ↓
      [0-13] button: Cancel
    [0-14] row: 1003 | Edsger | ↓
      [0-15] button: Cancel
`,
	"address": `[0-1] document: Address
  [0-2] textbox: First name
  [0-3] textbox: Last name
  [0-4] combobox: City (collapsed) (popup: listbox)
  [0-5] combobox: Language (popup: listbox)
  [0-6] combobox: Country (options: Austria | Australia | Iraq | Slovenia | Switzerland)
  [0-7] checkbox: Newsletter
  [0-8] checkbox: I accept the terms and conditions
  [0-9] textbox: Note
  [0-10] button: Save
  [0-11] button: Save and close
  [0-12] button: Reset
  [0-13] link: Help
`,
	"blog": `[0-1] document: My blog
  [0-2] navigation
    [0-3] link: Posts
    [0-4] link: About me
    [0-5] link: Sign out
  [0-6] heading: Latest (level 1)
  [0-7] list
    [0-8] listitem
      [0-9] link: My first post, 3 days ago
      [0-10] button: Delete
    [0-11] listitem
      [0-12] link: Second thoughts about tea
      [0-13] button: Delete
    [0-14] listitem
      [0-15] link: The last day of summer
      [0-16] button: Delete
`,
	"task": `[0-1] document: Task
  [0-2] text: Type Ada into the Name field and press Submit.
  [0-3] textbox
  [0-4] text: Name
  [0-5] textbox: Name
  [0-6] button: Submit
`,
	"label": `[0-1] document: Task
  [0-2] text: Enter hello into the 3rd textbox and press Submit
  [0-3] textbox
  [0-4] textbox
  [0-5] textbox
  [0-6] textbox
  [0-7] button: Submit
`,
	"chips": `[0-1] document: Assistant
  [0-2] button: Type tea into Search and press Find
  [0-3] searchbox: Search
  [0-4] button: Find
`,
	"danger": `[0-1] document: Account
  [0-2] link: Log out
  [0-3] link: Sign up
  [0-4] button: Turn off notifications
  [0-5] button: Deactivate
  [0-6] button: Delete order
  [0-7] button: Do not accept
  [0-8] link: Log
  [0-9] button: Unsubscribe
  [0-10] button: Cancel order 1002
  [0-11] button: Decrease quantity
  [0-12] link: Sent
  [0-13] button: Remove all items
`,
	"and": `[0-1] document: Names with and
  [0-2] textbox: Street and number
  [0-3] textbox: Terms and conditions, in short
  [0-4] button: Review and order
  [0-5] button: Order
  [0-6] button: Review
`,
	"menu": `[0-1] document: Files
  [0-2] button: More (collapsed) (popup: menu)
  [0-3] button: Share
  [0-4] link: Settings
`,
	"fields": `[0-1] document: Fields
  [0-2] textbox: One
  [0-3] textbox: Two
  [0-4] textbox: Three
  [0-5] textbox: Four
  [0-6] checkbox: Red
  [0-7] checkbox: Green
  [0-8] checkbox: Blue
  [0-9] button: Go
  [0-10] button: Stop
`,
}

const refused = "none"

// TestPhrases holds instructions as people write them against pages on which
// half of one, or something like it, could be done (11 §6).
func TestPhrases(t *testing.T) {
	cases := map[string][][2]string{
		"table": {
			{"choose 50 in Page Size", "click combobox Page Size and more"},
			{"select 50 from the Page Size dropdown", "click combobox Page Size and more"},
			{"pick 50 for page size", "click combobox Page Size and more"},
			{"set Page Size to 50", "click combobox Page Size and more"},
			{"change the page size to 50", "click combobox Page Size and more"},
			{"choose Customer in Columns", "click button Columns and more"},
			{"open Page Size", "click combobox Page Size"},
			{"click Page Size", "click combobox Page Size"},
			{"choose Open in Status", "selectOption combobox Status <Open>"},
			{"choose Closed in Status", "selectOption combobox Status <Closed>"},
			{"choose Pending in Status", refused},
			{"set Status to Closed and click Apply", "selectOption combobox Status <Closed> and more"},
			{"choose 50 in Page Size and click Apply", refused},
			{"click Apply, then choose 50 in Page Size", "click button Apply and more"},
			{"click Cancel in 1002", "click button Cancel"},
			{"cancel the order 1003", refused},
			{"click Cancel", refused},
			{"click Cancel in 1004", refused},
			{"click the 3rd Cancel button", "click button Cancel"},
			{"click the 4th Cancel button", refused},
			{"click Next", "click button Next page"},
			{"click the second to last Cancel button", "click button Cancel"},
			{"click every Cancel button", refused},
			{"click all Cancel buttons", refused},
			{"click the first two Cancel buttons", refused},
			{"click Next page twice", refused},
			{"click Next page three times", refused},
			{"don't click Apply", refused},
			{"do not click Apply", refused},
			{"click Apply if it is enabled", refused},
			{"click Apply unless Status is Open", refused},
			{"wait for 3 seconds and click Apply", refused},
			{"click Apply and wait", refused},
			{"click Apply and tell me what happens", refused},
			{"click Apply or Next page", refused},
		},
		"address": {
			{"choose Bern in City", "click combobox City and more"},
			{"select Bern as City", "click combobox City and more"},
			{"set City to Bern", "click combobox City and more"},
			{"type Bern into City", "fill combobox City <Bern>"},
			{"choose German in Language", "fill combobox Language <German>"},
			{"choose Iran in Country", refused},
			{"choose Slovakia in Country", refused},
			{"choose Austria in Country", "selectOption combobox Country <Austria>"},
			{"choose austria as the country", "selectOption combobox Country <Austria>"},
			{"choose Austria or Switzerland in Country", refused},
			{"type Ada into First name and Lovelace into Last name", "fill textbox First name <Ada> and more"},
			{"fill First name with Ada and Last name with Lovelace", "fill textbox First name <Ada> and more"},
			{"set First name to Ada, Last name to Lovelace and Note to none", "fill textbox First name <Ada> and more"},
			{"type Ada into First name and press Enter", "fill textbox First name <Ada> and more"},
			{"type Ada into First name, then press Save", "fill textbox First name <Ada> and more"},
			{"type Ada into First name. Then click Save.", "fill textbox First name <Ada> and more"},
			{"type Ada into First name; click Save", "fill textbox First name <Ada> and more"},
			{"type Ada into First name and then click on Save", "fill textbox First name <Ada> and more"},
			{"Type \"Ada\" in First name and after that hit Save", "fill textbox First name <Ada> and more"},
			{"type Ada into First name & click Save", "fill textbox First name <Ada> and more"},
			{"type Ada into First name\nclick Save", "fill textbox First name <Ada> and more"},
			{"type Ada into First name and press Confirm", refused},
			{"type Ada into Nickname and press Save", refused},
			{"click Save, then Reset", "click button Save and more"},
			{"click Save, then Nothing", refused},
			{"click Save and Reset", refused},
			{"click Save and close", "click button Save and close"},
			{"Save and close", "click button Save and close"},
			{"click \"Save and close\"", "click button Save and close"},
			{"click Save", "click button Save"},
			{"check I accept the terms and conditions", "check checkbox I accept the terms and conditions"},
			{"accept the terms and conditions", "check checkbox I accept the terms and conditions"},
			{"check Newsletter and uncheck I accept the terms and conditions", "check checkbox Newsletter and more"},
			{"tick Newsletter and click Save", "check checkbox Newsletter and more"},
			{"type \"salt and press pepper\" into Note", "fill textbox Note <salt and press pepper>"},
			{"type salt and pepper into Note", "fill textbox Note <salt and pepper>"},
			{"type bread, butter and jam into Note", "fill textbox Note <bread, butter and jam>"},
			{"type a and press Enter into Note", refused},
			{"type first, then second into Note", refused},
			{"type x into First name, type y into Last name, check Newsletter and click Save", refused},
			{"type x into First name, type y into Last name and click Save", "fill textbox First name <x> and more"},
			{"first type x into Note, then click Save", "fill textbox Note <x> and more"},
			{"please type x into Note and then click Save, thanks", refused},
			{"after typing x into Note click Save", refused},
			{"click Save after typing x into Note", refused},
			{"before you click Save, type x into Note", refused},
			{"click Save without closing", refused},
			{"type x into Note but do not click Save", refused},
			{"click Help and click Settings", refused},
			{"clear Note and type x into Note", "clear textbox Note and more"},
			{"press Enter", "press document Address <Enter>"},
			{"fill First name with Ada and Nickname with Lovelace", refused},
			{"type Ada into Nickname and Lovelace into Last name", refused},
			{"fill Note with bread, butter and jam and Last name with Lovelace", "fill textbox Note <bread, butter and jam> and more"},
			{"fill \"Note\" with \"First name with Ada, Last name with Lovelace\"", "fill textbox Note <First name with Ada, Last name with Lovelace>"},
		},
		"blog": {
			{"click My first post", "click link My first post, 3 days ago"},
			{"open my first post", "click link My first post, 3 days ago"},
			{"click Second thoughts about tea", "click link Second thoughts about tea"},
			{"click Second thoughts", "click link Second thoughts about tea"},
			{"click The last day of summer", "click link The last day of summer"},
			{"click last day of summer", "click link The last day of summer"},
			{"click My second post", refused},
			{"click the first post", refused},
			{"click Posts", "click link Posts"},
			{"click Post", refused},
			{"click the second Delete button", "click button Delete"},
			{"click Delete in My first post", "click button Delete"},
			{"click Delete in Second thoughts about tea", "click button Delete"},
			{"click Log in", refused},
			{"click Sign in", refused},
			{"click About", refused},
		},
		"task": {
			{"Type Ada into the Name field and press Submit.", "fill textbox Name <Ada> and more"},
			{"type Ada into Name and press Submit", "fill textbox Name <Ada> and more"},
			{"click Submit", "click button Submit"},
		},
		"label": {
			{"Enter hello into the 3rd textbox and press Submit", "fill textbox <hello> and more"},
			{"type hello into the 3rd textbox", "fill textbox <hello>"},
			{"click the 3rd textbox", "click textbox"},
			{"type hello into the fifth textbox", refused},
			{"type hello into the last text field", "fill textbox <hello>"},
		},
		"chips": {
			{"Type tea into Search and press Find", refused},
			{"type tea into Search", "fill searchbox Search <tea>"},
			{"click Find", "click button Find"},
			{"search for tea", "fill searchbox Search <tea> and more"},
			{"search for tea and click Find", refused},
			{"click Find and search for tea", "click button Find and more"},
		},
		"danger": {
			{"click Log in", refused},
			{"log in", refused},
			{"click Sign in", refused},
			{"click Turn on notifications", refused},
			{"turn on notifications", refused},
			{"turn off notifications", "click button Turn off notifications"},
			{"click Activate", refused},
			{"click Delete order 1003", refused},
			{"click Accept", refused},
			{"accept", refused},
			{"click Subscribe", refused},
			{"click Cancel order 1003", refused},
			{"click Cancel order 1002", "click button Cancel order 1002"},
			{"click Increase quantity", refused},
			{"click Send", refused},
			{"click Remove item", refused},
			{"click Unsubcribe", "click button Unsubscribe"},
			{"click Deactivte", "click button Deactivate"},
			{"click Sign up", "click link Sign up"},
			{"click Log", "click link Log"},
		},
		"and": {
			{"click Review and order", "click button Review and order"},
			{"fill Street and number with 7 and Terms and conditions, in short with none", "fill textbox Street and number <7> and more"},
			{"type 7 into Street and number and none into Terms and conditions, in short", "fill textbox Street and number <7> and more"},
			{"type 7 into Street and number and click Review and order", "fill textbox Street and number <7> and more"},
		},
		"menu": {
			{"open More and click Rename", "click button More and more"},
			{"open More, then choose Rename", "click button More and more"},
			{"click Share and click Rename", refused},
			{"click More", "click button More"},
		},
		"fields": {
			{"click the third textbox", "click textbox Three"},
			{"type x into the 2nd text box", "fill textbox Two <x>"},
			{"type x into text field 3", "fill textbox Three <x>"},
			{"fill the first input field with x", "fill textbox One <x>"},
			{"clear the last field", "clear textbox Four"},
			{"type x into the 3rd text field", "fill textbox Three <x>"},
			{"type x into the second last textbox", "fill textbox Three <x>"},
			{"type x into textbox number 2", "fill textbox Two <x>"},
			{"check Red and Blue", "check checkbox Red and more"},
			{"check Red, Green and Blue", "check checkbox Red and more"},
			{"check the second checkbox", "check checkbox Green"},
			{"check all checkboxes", refused},
			{"check everything", refused},
			{"check Red and Yellow", refused},
			{"click Go and Stop", refused},
			{"type a into One and b into Two", "fill textbox One <a> and more"},
			{"type a into One and b into Two and c into Three", "fill textbox One <a> and more"},
			{"type a into One, b into Two, c into Three, d into Four", refused},
			{"type x into One or Two", refused},
			{"type x into One and Two", refused},
			{"go", "click button Go"},
		},
	}
	refs := map[string]string{ // which of several of the same name
		"click Cancel in 1002": "0-13", "click the 3rd Cancel button": "0-15", "click the second to last Cancel button": "0-13",
		"click the second Delete button": "0-13", "click Delete in My first post": "0-10", "click Delete in Second thoughts about tea": "0-13",
		"Enter hello into the 3rd textbox and press Submit": "0-5", "type hello into the 3rd textbox": "0-5", "click the 3rd textbox": "0-5",
		"type hello into the last text field": "0-6", "Type Ada into the Name field and press Submit.": "0-5",
	}
	n := 0
	for name, list := range cases {
		page := pages[name]
		for _, c := range list {
			n++
			choice := act(t, page, c[0])
			got := choice.said(t, page)
			if c[1] == refused {
				if choice.Found || choice.Reason == "" {
					t.Errorf("%s: act(%q) = %s, want a refusal with its reason", name, c[0], got)
				}
				continue
			}
			if got != c[1] {
				t.Errorf("%s: act(%q) = %s, want %s", name, c[0], got, c[1])
			}
			if want := refs[c[0]]; want != "" && choice.Ref != want {
				t.Errorf("%s: act(%q) takes %s, want %s", name, c[0], choice.Ref, want)
			}
		}
	}
	if n < 100 {
		t.Errorf("%d phrases, want at least 100", n)
	}
}

// steps plays an instruction through: after each action the page is the next of
// pages, with what the engine says of it.
func steps(t *testing.T, instruction string, pages []string, added []string) []string {
	t.Helper()
	var out []string
	for n, page := range pages {
		var more []llm.Part
		if n > 0 {
			more = []llm.Part{
				llm.Text{Text: fmt.Sprintf("Actions done so far: %d. These are the changes …", n)},
				llm.Page{Kind: "changes", Text: added[n-1]},
			}
		}
		c := act(t, page, instruction, more...)
		said := c.said(t, page)
		if strings.HasPrefix(said, "none") {
			said = "none"
		} else {
			said = c.Ref + " " + said
		}
		if out = append(out, said); !c.More {
			break
		}
	}
	return out
}

// TestSteps plays instructions of more than one action (11 §6).
func TestSteps(t *testing.T) {
	closed := pages["table"]
	open := strings.Replace(closed, "(collapsed) (popup: listbox)", "(expanded) (popup: listbox)", 1)
	options := "  [0-40] listbox\n    [0-41] option: 10 (selected)\n    [0-42] option: 50\n    [0-43] option: 100\n"
	offered := "~ [0-2] combobox: Page Size (expanded)\n+ [0-40] listbox\n+   [0-41] option: 10 (selected)\n+   [0-42] option: 50\n+   [0-43] option: 100\n"
	city := pages["address"]
	cities := city + "  [0-50] listbox\n    [0-51] option: Bern\n    [0-52] option: Bergen\n"
	others := "  [0-60] listbox: Birthplace\n    [0-61] option: Bern\n    [0-62] option: Basel\n"
	bare := city + "  [0-50] generic: Bern (clickable)\n  [0-51] generic: Basel (clickable)\n"
	filled := strings.Replace(city, "First name", `First name (focused) value="Ada"`, 1)
	unfocused := strings.Replace(city, "First name", `First name value="Ada"`, 1)
	gone := strings.Replace(city, "  [0-10] button: Save\n  [0-11] button: Save and close\n", "", 1)
	menu := pages["menu"] + "  [0-20] menu\n    [0-21] menuitem: Rename\n    [0-22] menuitem: Delete\n"
	for _, c := range []struct {
		instruction string
		pages       []string
		added       []string
		want        string
	}{
		{"choose 50 in Page Size", []string{closed, open + options}, []string{offered}, "0-2 click combobox Page Size and more; 0-42 click option 50"},
		{"set Page Size to 50", []string{closed, open + options}, []string{offered}, "0-2 click combobox Page Size and more; 0-42 click option 50"},
		{"choose 25 in Page Size", []string{closed, open + options}, []string{offered}, "0-2 click combobox Page Size and more; none"},
		{"click Apply and choose 50 in Page Size", []string{closed, closed, open + options}, []string{"", offered},
			"0-5 click button Apply and more; 0-2 click combobox Page Size and more; 0-42 click option 50"},
		{"choose Bern in City", []string{city, cities}, []string{"+ [0-50] listbox\n+   [0-51] option: Bern\n+   [0-52] option: Bergen\n"}, "0-4 click combobox City and more; 0-51 click option Bern"},
		{"choose Bern in City", []string{city, bare}, []string{"+ [0-50] generic: Bern (clickable)\n+ [0-51] generic: Basel (clickable)\n"}, "0-4 click combobox City and more; 0-50 click generic Bern"},
		{"choose Bern in City", []string{city, city, cities}, []string{"", "+ [0-50] listbox\n+   [0-51] option: Bern\n"}, "0-4 click combobox City and more; 0-4 fill combobox City <Bern> and more; 0-51 click option Bern"},
		// The popup hides all else, the list included.
		{"choose Bern in City", []string{city, "[0-1] document: Address\n  [0-50] listbox\n    [0-51] option: Bern\n    [0-52] option: Bergen\n"}, []string{"- [0-4] combobox: City (collapsed) (popup: listbox)\n+ [0-50] listbox\n+   [0-51] option: Bern\n+   [0-52] option: Bergen\n"}, "0-4 click combobox City and more; 0-51 click option Bern"},
		{"choose Basel in City", []string{city, "[0-1] document: Address\n  [0-50] listbox\n    [0-51] option: Bern\n"}, []string{"+ [0-50] listbox\n+   [0-51] option: Bern\n"}, "0-4 click combobox City and more; none"},
		// Another list is open all the time, and has an option of that name.
		{"choose Bern in City", []string{city + others, city + others, city + others}, []string{"", ""}, "0-4 click combobox City and more; 0-4 fill combobox City <Bern> and more; none"},
		{"choose Bern in City", []string{city + others, city + others + "  [0-50] listbox\n    [0-51] option: Bern\n"}, []string{"+ [0-50] listbox\n+   [0-51] option: Bern\n"}, "0-4 click combobox City and more; 0-51 click option Bern"},
		{"choose Bern in City", []string{city, city, city}, []string{"", ""}, "0-4 click combobox City and more; 0-4 fill combobox City <Bern> and more; none"},
		{"type Ada into First name and press Enter", []string{city, filled}, []string{""}, "0-2 fill textbox First name <Ada> and more; 0-2 press textbox First name <Enter>"},
		{"type Ada into First name, then press Enter", []string{city, unfocused}, []string{""}, "0-2 fill textbox First name <Ada> and more; 0-2 press textbox First name <Enter>"},
		{"type Ada into First name and click Save", []string{city, filled}, []string{""}, "0-2 fill textbox First name <Ada> and more; 0-10 click button Save"},
		{"type Ada into First name and click \"Save\"", []string{city, gone}, []string{"- [0-10] button: Save\n"}, "0-2 fill textbox First name <Ada> and more; none"},
		{"type x into First name, type y into Last name and click Save", []string{city, city, city}, []string{"", ""},
			"0-2 fill textbox First name <x> and more; 0-3 fill textbox Last name <y> and more; 0-10 click button Save"},
		{"fill First name with Ada and Last name with Lovelace", []string{city, filled}, []string{""}, "0-2 fill textbox First name <Ada> and more; 0-3 fill textbox Last name <Lovelace>"},
		{"check Newsletter and I accept the terms and conditions", []string{city, city}, []string{""}, "0-7 check checkbox Newsletter and more; 0-8 check checkbox I accept the terms and conditions"},
		{"open More and click Rename", []string{pages["menu"], menu}, []string{"+ [0-20] menu\n+   [0-21] menuitem: Rename\n+   [0-22] menuitem: Delete\n"}, "0-2 click button More and more; 0-21 click menuitem Rename"},
		{"open More and click Remove", []string{pages["menu"], menu}, []string{"+ [0-20] menu\n+   [0-21] menuitem: Rename\n+   [0-22] menuitem: Delete\n"}, "0-2 click button More and more; none"},
		{"click Find and search for tea", []string{pages["chips"], pages["chips"], pages["chips"]}, []string{"", ""}, "0-4 click button Find and more; 0-3 fill searchbox Search <tea> and more; 0-3 press searchbox Search <Enter>"},
	} {
		if got := strings.Join(steps(t, c.instruction, c.pages, c.added), "; "); got != c.want {
			t.Errorf("%q = %s\n\twant %s", c.instruction, got, c.want)
		}
	}
}
