package verdict

import (
	"fmt"
	"strings"
	"testing"
)

var kinds = map[Kind]string{Change: "change", Open: "open", Press: "press", Enter: "enter", Choose: "choose", Move: "move", Arrange: "arrange", Read: "read"}

// TestDivide: clauses begin at verbs; what has to be proven of each is its tokens.
func TestDivide(t *testing.T) {
	for text, want := range map[string]string{
		"click Edit in 2003, click Delete, click Delete for good":                          "press[2003 Edit] press[Delete] press[Delete]",
		"Open Glass teapot, add it to the cart and order it for Ada, Main street 1, Bern.": "open[Glass] change[] change[1 Ada Main Bern]",
		"cancel the order 1003":                                          "change[1003]",
		"Order three blue mugs":                                          "change[three]",
		"Plan a workshop on May 12, 2026 at 10:00":                       "change[May 12, 2026 10:00]",
		"Trage am 20. Mai 2026 eine Sitzung mit Bea ein":                 "change[20. Mai 2026 Bea]",
		"Markiere die Rechnung 77 mit einem Stern.":                      "change[77]",
		"Nimm 2003 in das Team Operations auf.":                          "change[2003 Operations]",
		"Mets une théière « Travel teapot » dans le panier":              "change[Travel teapot]",
		"Answer the ticket: Come in. Then close it.":                     "change[Come in] change[]",
		"Take 3000. If it costs more than 20, take 2000 as the value.":   "change[3000] change[2000]",
		"what does the Samovar cost?":                                    "read[Samovar]",
		"Log in as ada with %password%, and set the phone to 031 555 12": "change[%password%] change[031 555 12]",
		"The standup is off, take it out of the calendar.":               "change[]",
		"Bob Berger must not get in any more.":                           "change[Bob Berger]",
		"Tell the printer people: Help comes.":                           "change[Help comes]",
		"The dentist of May 7 is one week later.":                        "change[May 7]",
		"search for prize, open Rules":                                   "arrange[] open[Rules]",
	} {
		var got []string
		for _, c := range Divide(text) {
			var tokens []string
			for _, k := range c.Tokens {
				tokens = append(tokens, k.Text)
			}
			got = append(got, fmt.Sprintf("%s[%s]", kinds[c.Kind], strings.Join(tokens, " ")))
		}
		if g := strings.Join(got, " "); g != want {
			t.Errorf("Divide(%q) = %s, want %s", text, g, want)
		}
	}
}

// reading0 are texts that were shown before any step.
func reading0(texts []string) (out []Reading) {
	for _, text := range texts {
		out = append(out, Reading{0, text})
	}
	return out
}

func press(element string, said ...string) Deed {
	return Deed{Kind: Press, Proves: true, Changed: true, Element: element, Said: said}
}

func sends(d Deed) Deed { d.Sent = true; return d }

// TestCover: what proves an instruction, and what leaves a part of it open.
func TestCover(t *testing.T) {
	edit, del := press(`link "Edit"`, "row 2003 Cleo"), sends(press(`button "Delete for good"`, "Cleo 2003"))
	edit.Went = true
	void := sends(press(`button "Order"`))
	void.Proves = false
	name := Deed{Step: 2, Kind: Enter, Proves: true, Changed: true, Element: `textbox "Name"`, Said: []string{"Ada"}, Entered: []string{"Ada"}, Form: true}
	left := name
	left.Unsent = true
	eve := name
	eve.Said, eve.Entered = []string{"Eve"}, []string{"Eve"}
	passed := sends(press(`button "Star"`, "row Minutes"))
	passed.Beside = []string{"invoice"}
	for _, c := range []struct {
		say   string
		deeds []Deed
		read  []string
		open  int
	}{
		{"delete 2003", []Deed{edit, del}, nil, 0},
		{"delete 2003", []Deed{edit}, nil, 1},                                   // it was only opened
		{"delete 2004", []Deed{edit, del}, nil, 1},                              // another row
		{"order for Ada", []Deed{name, void}, nil, 1},                           // the order came to nothing
		{"order for Ada", []Deed{left}, nil, 2},                                 // nothing was sent, and it still stands there
		{"order for Ada", []Deed{eve, sends(press(`button "Order"`))}, nil, 2},  // Ada is nowhere, and Eve comes from nowhere
		{"order for Ada", []Deed{name, sends(press(`button "Order"`))}, nil, 0}, //
		{"fill Name with Ada", []Deed{name}, nil, 0},
		{"star the invoice", []Deed{passed}, nil, 1},                                                      // another row says so
		{"say no to both invitations", []Deed{del, del}, nil, 0},                                          // done twice
		{"say no to both invitations", []Deed{del}, nil, 1},                                               // done once
		{"what does the Samovar cost?", nil, []string{"Samovar"}, 1},                                      // nothing was read
		{"what does the Samovar cost?", []Deed{{Kind: Read, Proves: true}}, []string{"Samovar 57.70"}, 0}, //
	} {
		if open := Cover(c.say, c.deeds, reading0(c.read)); len(open) != c.open {
			t.Errorf("Cover(%q) = %+v, want %d parts", c.say, open, c.open)
		}
	}
}

// TestEntered: facts come from the task or a page; words may be the model's own.
func TestEntered(t *testing.T) {
	const say = "start without me on May 12 with 4111 1111 1111 1111"
	for text, open := range map[string]bool{
		"Dear Carol, please start without me": false,
		"2026-05-14":                          false, // of a page
		"4111111111111111":                    false,
		"05/12":                               false,
		"See you at 17:45":                    true,
		"Something else":                      true,
		"%password%":                          false,
	} {
		d := Deed{Step: 1, Kind: Enter, Proves: true, Entered: []string{text}}
		if got := entered(say, nil, []Deed{d}, reading0([]string{"2026-05-14 07:00"})); len(got) > 0 != open {
			t.Errorf("entered(%q) = %v, want open %v", text, got, open)
		}
	}
}

func fills(step int, element, text string, replaced ...string) Deed {
	return Deed{Step: step, Kind: Enter, Proves: true, Changed: true, Element: element, Said: []string{text}, Entered: []string{text}, Replaced: replaced, Form: true}
}

func at(step int, d Deed) Deed { d.Step = step; return d }

func inRow(d Deed) Deed { d.InRow = true; return d }

// TestSources: an entry that nothing named is open, and its own echo names nothing.
func TestSources(t *testing.T) {
	save := at(9, sends(press(`button "Save"`)))
	day, number := `date "Day"`, `textbox "Number"`
	dentist := at(1, inRow(press(`link "Dentist"`, "2026-05-07 Dentist")))
	for _, c := range []struct {
		name, say string
		deeds     []Deed
		read      []Reading
		open      int
	}{
		{"a page before says it", "answer with the code", []Deed{fills(2, "textbox", "QX-17"), save}, []Reading{{1, "your code is qx-17"}}, 0},
		{"only its own echo says it", "answer with the code", []Deed{fills(2, "textbox", "QX-17"), save}, []Reading{{2, "code: qx-17"}}, 1},
		{"entered twice, it is its own echo still", "answer with the code", []Deed{fills(2, "textbox", "17"), fills(4, "textbox", "17"), save}, []Reading{{2, "code: 17"}}, 2},
		{"a month's name is no number", "say when", []Deed{fills(2, "textbox", "room 5"), save}, []Reading{{1, "may 12 in room 4"}}, 1},
		{"a page's number in the place of the task's", "put 2001 into Design and Sales", []Deed{fills(1, number, "2001"), at(2, sends(press("button", "Design"))), fills(3, number, "2002"), at(4, sends(press("button", "Sales")))}, []Reading{{0, "2002"}}, 1},
		{"a day that has to be reckoned", "The dentist of May 7 is one week later", []Deed{dentist, fills(2, day, "2026-05-14", "2026-05-07"), save}, []Reading{{0, "2026-05-14 2026-05-15"}}, 1},
		{"another day of the calendar", "The dentist of May 7 is one week later", []Deed{dentist, fills(2, day, "2026-05-15", "2026-05-07"), save}, []Reading{{0, "2026-05-14 2026-05-15"}}, 1},
		{"a distance in words", "The dentist is two days earlier", []Deed{dentist, fills(2, day, "2026-05-06", "2026-05-07"), save}, []Reading{{0, "2026-05-05 2026-05-06"}}, 1},
		{"a record that the task names", "account 2005 is called Max now", []Deed{inRow(press("link", "2005 Emil")), fills(2, "textbox", "Max", "Emil"), save}, nil, 0},
		{"a record that it does not name", "enter a lunch with Ada", []Deed{inRow(press("link", "Review")), fills(2, "textbox", "Lunch with Ada", "Review"), save}, nil, 1},
	} {
		if open := Cover(c.say, c.deeds, c.read); len(open) != c.open {
			t.Errorf("%s: Cover(%q) = %+v, want %d parts", c.name, c.say, open, c.open)
		}
	}
}

// TestUndone: a state that was brought back is open, unless it was a slip that the
// run made good.
func TestUndone(t *testing.T) {
	box := func(name string, undone bool) Deed {
		return Deed{Kind: Choose, Proves: !undone, Undone: undone, Changed: true, Element: `checkbox "` + name + `"`}
	}
	save := sends(press(`button "Save"`))
	for _, c := range []struct {
		say   string
		deeds []Deed
		open  int
	}{
		{"save without offers", []Deed{box("Offers", false), save}, 0},
		{"save without offers", []Deed{box("Offers", true), box("Offers", true), save}, 1},
		{"Speichere ohne angebote", []Deed{box("Offers", true), box("Offers", true), save}, 1},
		{"save without offers", []Deed{box("Letters", true), box("Letters", true), box("Offers", false), save}, 0},
		{"save without offers", []Deed{box("Offers", true), box("Offers", true), box("Letters", false), save}, 1},
	} {
		if open := Cover(c.say, c.deeds, nil); len(open) != c.open {
			t.Errorf("Cover(%q) = %+v, want %d parts", c.say, open, c.open)
		}
	}
}

// TestCounted: a number of things is that many deeds, and not a word on a page.
func TestCounted(t *testing.T) {
	choose := func(n int) (deeds []Deed) {
		for i := range n {
			deeds = append(deeds, Deed{Kind: Choose, Proves: true, Changed: true, Element: fmt.Sprintf(`checkbox "Notice %d"`, i), Said: []string{"2 of 9 chosen"}})
		}
		return append(deeds, sends(press(`button "Move"`)))
	}
	for say, want := range map[string]int{"move exactly two notices": 2, "move the first 2 notices": 2, "move all three notices": 3, "verschiebe genau zwei Notices": 2, "move each of the 3 notices": 3} {
		for n := 1; n < 5; n++ {
			if open := Cover(say, choose(n), nil); len(open) > 0 == (n == want) {
				t.Errorf("Cover(%q) of %d = %+v", say, n, open)
			}
		}
	}
	cups := fills(1, `spinbutton "Quantity"`, "3")
	if open := Cover("order exactly three cups", []Deed{cups, sends(press(`button "Order"`))}, nil); len(open) > 0 {
		t.Errorf("a number that was entered: %+v", open)
	}
}

// TestOneRequest: one sending proves two changes where its fields hold what was entered
// for both, and none that stood there already or that went with a sending before.
func TestOneRequest(t *testing.T) {
	const say = `replace the first sentence by "Bees sting." and set the reason to "study"`
	text, why := fills(1, `textbox "Sentence"`, "Bees sting."), fills(2, `textbox "Reason"`, "study")
	save := at(3, sends(press(`button "Save"`)))
	save.Fields = []string{"Bees sting.", "study", "17"}
	other := save
	other.Fields = []string{"Bees sting."}
	for name, c := range map[string]struct {
		deeds []Deed
		open  int
	}{
		"both are entered and sent":  {[]Deed{text, why, save}, 0},
		"the request lacks one":      {[]Deed{text, why, other}, 2},
		"one stood there before":     {[]Deed{text, save}, 1},
		"one went with another form": {[]Deed{why, save, text, save}, 0}, // two sendings
	} {
		if open := Cover(say, c.deeds, nil); len(open) != c.open {
			t.Errorf("%s: %+v, want %d parts", name, open, c.open)
		}
	}
}

// TestPending: a last page that says all again and waits for a button is not the end,
// unless the task names its own last step.
func TestPending(t *testing.T) {
	next := at(2, sends(press(`button "Continue"`)))
	next.Pending = `button "Conclude"`
	deeds := []Deed{fills(1, `textbox "Name"`, "Ada"), next}
	for say, want := range map[string]int{"insure Ada": 1, `fill Name with "Ada", click Continue`: 0} {
		if open := Cover(say, deeds, nil); len(open) != want {
			t.Errorf("Cover(%q) = %+v, want %d parts", say, open, want)
		}
	}
}

// TestUnsaid: a criterion is proven by evidence that speaks of the same.
func TestUnsaid(t *testing.T) {
	for _, c := range []struct {
		criterion, instruction, evidence string
		want                             int
	}{
		{"2003 is deleted", "delete 2003", "row 2003 Cleo", 0},
		{"2003 is deleted", "delete 2003", "row 2004 Dora", 1},
		{"Sprache und Schrift sind eingestellt", "Stelle die Sprache auf Deutsch", "", 0},
		{"Ada Keller is insured", "insure Ada Keller", "Eve Keller", 1},
	} {
		if got := Unsaid(c.criterion, c.instruction, []string{c.evidence}); len(got) != c.want {
			t.Errorf("Unsaid(%q, %q) = %q, want %d", c.criterion, c.evidence, got, c.want)
		}
	}
}

// TestUnnamed: one of several that look the same is the task's choice, or open.
func TestUnnamed(t *testing.T) {
	const say = "switch off the lamp"
	lamp := sends(press(`button "Lamp"`))
	lamp.Twins = 2
	name := fills(1, `textbox "Name"`, "Ada")
	save := at(2, lamp)
	save.Fields = []string{"Ada"}
	for name, c := range map[string]struct {
		deeds []Deed
		open  int
	}{
		"one of three":                   {[]Deed{lamp}, 1},
		"each of three":                  {[]Deed{lamp, lamp, lamp}, 0},
		"the form of what was entered":   {[]Deed{name, save}, 0},
		"another form than it was to be": {[]Deed{name, at(2, lamp)}, 1},
	} {
		if open := unnamed(c.deeds); len(open) != c.open {
			t.Errorf("%s: %+v, want %d parts", name, open, c.open)
		}
	}
	for own, want := range map[string]bool{"Kitchen lamp": true, "Lounge lamp": false} {
		if got := Tells(Divide("switch off the lamp in the kitchen"), own, "Office lamp"); got != want {
			t.Errorf("Tells(%q) = %v, want %v", own, got, want)
		}
	}
	if Tells(Divide(say), "Kitchen lamp", "Office lamp") {
		t.Error("what both say tells them apart")
	}
}

// TestLost: a request has to hold what was entered before it, on the same document.
func TestLost(t *testing.T) {
	send := func(fields ...string) Deed {
		d := at(9, sends(press(`button "Save"`)))
		d.Fields, d.Left = fields, true
		return d
	}
	left := at(2, press(`button "Find"`))
	left.Left = true
	for name, c := range map[string]struct {
		text string
		then []Deed
		open int
	}{
		"held":                         {"Ada", []Deed{send("Ada")}, 0},
		"not held":                     {"Ada", []Deed{send("Eve")}, 1},
		"held by a later one":          {"Ada", []Deed{send("Eve"), send("Ada")}, 1},
		"in another form":              {"4111 1111", []Deed{send("41111111")}, 0},
		"a day":                        {"05/12/2026", []Deed{send("2026-05-12")}, 0},
		"no fields are known":          {"Ada", []Deed{send()}, 0},
		"a search before another form": {"Ada", []Deed{left, send("Eve")}, 0},
		"a variable":                   {"%password%", []Deed{send("x")}, 0},
	} {
		if open := lost(append([]Deed{fills(1, `textbox "Name"`, c.text)}, c.then...)); len(open) != c.open {
			t.Errorf("%s: %+v, want %d parts", name, open, c.open)
		}
	}
}
