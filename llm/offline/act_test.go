package offline_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/offline"
)

const actSchema = `{"type":"object","properties":{
	"found":{"type":"boolean"},"ref":{"type":"string"},"method":{"type":"string"},
	"arguments":{"type":"array","items":{"type":"string"}},"description":{"type":"string"},
	"reason":{"type":"string"},"more":{"type":"boolean"}},
	"required":["found","ref","method","arguments","description","reason","more"],"additionalProperties":false}`

func outline(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name + ".outline")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// ask puts a question to the model, and returns the answer's text.
func ask(purpose llm.Purpose, page, schema, instruction string, more ...llm.Part) (string, error) {
	parts := append([]llm.Part{llm.Instruction{Text: instruction}}, more...)
	resp, err := offline.New().Generate(context.Background(), &llm.Request{
		Purpose:  purpose,
		Messages: []llm.Message{{Role: llm.User, Parts: append(parts, llm.Page{Kind: "outline", Text: page})}},
		Schema:   &llm.ResponseSchema{Name: "answer", Schema: json.RawMessage(schema)},
	})
	if err != nil {
		return "", err
	}
	return resp.Text, nil
}

type choice struct {
	Found       bool
	Ref, Method string
	Arguments   []string
	Reason      string
	More        bool
}

// said writes an action with its element in words: `click link "Cart"`.
func (c choice) said(t testing.TB, page string) string {
	t.Helper()
	if !c.Found {
		return "none: " + c.Reason
	}
	o, err := accessibility.ParseOutline(page)
	if err != nil {
		t.Fatal(err)
	}
	it, ok := o.Find(accessibility.Ref(c.Ref))
	if !ok {
		t.Fatalf("the answer names %q, which is not in the outline", c.Ref)
	}
	s := c.Method + " " + string(it.Role)
	if it.Name != "" {
		s += " " + it.Name
	}
	for _, a := range c.Arguments {
		s += " <" + a + ">"
	}
	if c.More {
		s += " and more"
	}
	return s
}

func act(t testing.TB, page, instruction string, more ...llm.Part) choice {
	t.Helper()
	text, err := ask(llm.PurposeAct, page, actSchema, instruction, more...)
	if err != nil {
		t.Fatalf("Generate(%q): %v", instruction, err)
	}
	var c choice
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestAct(t *testing.T) {
	cases := map[string][][2]string{
		"home": {
			{"click Cart", "click link Cart 3"},
			{"click the Ridge backpack", "click link Ridge backpack"},
			{"Click on 'Ridge backpack'.", "click link Ridge backpack"},
			{"please open the Ember lantern", "click link Ember lantern"},
			{"press Search", "click button Search"},
			{"tap the search button", "click button Search"},
			{"search for compass", "fill searchbox Search the shop <compass> and more"},
			{"type compass into the search field", "fill searchbox Search the shop <compass>"},
			{"type \"in the cart\" into Search the shop", "fill searchbox Search the shop <in the cart>"},
			{"enter %query% in the search box", "fill searchbox Search the shop <%query%>"},
			{"type hello", "fill searchbox Search the shop <hello>"},
			{"press Enter in Search the shop", "press searchbox Search the shop <Enter>"},
			{"press ctrl+a", "press document Things for finding your way · Northlight <Control+A>"},
			{"scroll down", "nextChunk document Things for finding your way · Northlight"},
			{"scroll up", "prevChunk document Things for finding your way · Northlight"},
			{"scroll to the bottom", "scrollTo document Things for finding your way · Northlight <100%>"},
			{"scroll to the top of the page", "scrollTo document Things for finding your way · Northlight <0%>"},
			{"scroll to 40%", "scrollTo document Things for finding your way · Northlight <40%>"},
			{"scroll down by 300 pixels", "scrollByPixelOffset document Things for finding your way · Northlight <0> <300>"},
			{"scroll up 120 px", "scrollByPixelOffset document Things for finding your way · Northlight <0> <-120>"},
			{"scroll to Field notebook", "scrollIntoView link Field notebook"},
			{"hover over Optics", "hover link Optics"},
			{"click Rigde backpack", "click link Ridge backpack"},
			{"click the second link in All products", "click link Alpine map set"},
			{"click the last link in All products", "click link Field notebook"},
			{"double-click Northlight", "doubleClick link Northlight"},
			{"press and hold Northlight", "longPress link Northlight"},
			{"See navigation", "click link See navigation"},
		},
		"meridian-compass": {
			{"choose Sea green in Color", "selectOption combobox Color <Sea green>"},
			{"select Graphite", "selectOption combobox Color <Graphite>"},
			{"set Quantity to 3", "fill spinbutton Quantity <3>"},
			{"fill in 2 as Quantity", "fill spinbutton Quantity <2>"},
			{"Add to cart", "click button Add to cart"},
			{"add to the cart", "click button Add to cart"},
			{"expand Delivery and returns", "click button Delivery and returns"},
			{"choose Purple in Color", `none: combobox "Color" has no option "Purple"; its options are "Brass", "Graphite", "Sea green"`},
		},
		"cart": {
			{"click Remove in Ember lantern", "click button Remove Ember lantern, Copper"},
			{"click Update Meridian compass", "click button Update Meridian compass, Brass"},
			{"set the Quantity of Ember lantern to 4", "fill spinbutton Quantity of Ember lantern, Copper <4>"},
			{"click the second Remove button", "click button Remove Ember lantern, Copper"},
			{"type NORTH10 into Voucher code", "fill textbox Voucher code <NORTH10>"},
			{"go to checkout", "click link Go to checkout"},
		},
		"checkout": {
			{"type Ada Lovelace into Full name", "fill textbox Full name <Ada Lovelace>"},
			{"fill E-mail with ada@example.com", "fill textbox E-mail <ada@example.com>"},
			{"type %password% into the password field", "fill textbox Password <%password%>"},
			{"type \"Rue de l'Avenir 7\" into Street and number", "fill textbox Street and number <Rue de l'Avenir 7>"},
			{"enter Zürich as City", "fill textbox City <Zürich>"},
			{"choose Norway in Country", "selectOption combobox Country <Norway>"},
			{"select Map case and Lens cloth in Free extras", "selectOption listbox Free extras <Map case> <Lens cloth>"},
			{"choose Express", "check radio Express, tomorrow"},
			{"check \"Pick up in Bern\"", "check radio Pick up in Bern"},
			{"set Delivery date to 2026-12-18", "fill date Delivery date <2026-12-18>"},
			{"set the delivery date to 18 December 2026", "fill date Delivery date <2026-12-18>"},
			{"set Delivery time to 2:30 pm", "fill inputtime Delivery time <14:30>"},
			{"set Ribbon color to #2A6F97", "fill colorwell Ribbon color <#2a6f97>"},
			{"set Ribbon color to red", "fill colorwell Ribbon color <#ff0000>"},
			{"set Donation in percent to 15", "fill slider Donation in percent <15>"},
			{"check Gift wrap", "check checkbox Gift wrap"},
			{"tick the newsletter", "check checkbox Send me the newsletter"},
			{"turn off Gift wrap", "uncheck checkbox Gift wrap"},
			{"uncheck Express", "none: radio \"Express, tomorrow\" is a radio button, which another one of its group unchecks"},
			{"type \"Ring twice, please. Thank you\" into Note for the courier", "fill textbox Note for the courier <Ring twice, please. Thank you>"},
			{"upload list.txt to Packing list", "setInputFiles button Packing list A text or a picture, up to 1 MB. <list.txt>"},
			{"type 4242 4242 4242 4242 into Card number", "fill textbox Card number <4242 4242 4242 4242>"},
			{"set Expires to 2029-04", "fill datetime Expires <2029-04>"},
			{"click Save card in Payment", "click button Save card"},
			{"clear Phone", "clear textbox Phone"},
			{"focus Phone", "focus textbox Phone"},
			{"click Review and order", "click button Review and order"},
			{"drag Gift wrap to City", "dragAndDrop checkbox Gift wrap <0-1027>"},
		},
	}
	for name, list := range cases {
		page := outline(t, name)
		for _, c := range list {
			if got := act(t, page, c[0]).said(t, page); got != c[1] {
				t.Errorf("%s: act(%q) = %s, want %s", name, c[0], got, c[1])
			}
		}
	}
}

// A connection within the name of a field or a file ends neither.
func TestUploadToANamedField(t *testing.T) {
	page := "[0-1] document: Files\n  [0-2] button: Select a file to upload:\n  [0-3] button: Cover in colour\n"
	for instruction, want := range map[string]string{
		"upload a.txt to Select a file to upload":    "setInputFiles button Select a file to upload: <a.txt>",
		"upload notes to Ann.txt to Cover in colour": "setInputFiles button Cover in colour <notes to Ann.txt>",
		"attach a.txt and b.txt to Cover in colour":  "setInputFiles button Cover in colour <a.txt> <b.txt>",
	} {
		if got := act(t, page, instruction).said(t, page); got != want {
			t.Errorf("act(%q) = %s, want %s", instruction, got, want)
		}
	}
}

// A search ends in the field that took the words, also where its placeholder, by which it
// was found, is gone, and another field is named alike.
func TestSearchEndsWhereItBegan(t *testing.T) {
	const page = "[0-1] document: Wiki\n  [0-2] textbox: \"[F]\" (focused)%s\n  [0-3] button: Search\n%s"
	typed := fmt.Sprintf(page, ` value="tea"`, "")
	two := fmt.Sprintf(page, ` value="tea"`, "  [0-4] textbox: Search options\n")
	changes := llm.Page{Kind: "changes", Text: "~ …\n"}
	if got := act(t, fmt.Sprintf(page, ` placeholder="Search"`, ""), "search for tea").said(t, typed); got != "fill textbox [F] <tea> and more" {
		t.Errorf("the first step is %s", got)
	}
	for _, page := range []string{typed, two} {
		if got := act(t, page, "search for tea", changes).said(t, page); got != "press textbox [F] <Enter>" {
			t.Errorf("the second step is %s\n%s", got, page)
		}
	}
}

func TestActTellsWhyNot(t *testing.T) {
	saves := "[0-1] document: Notes\n  [0-2] button: Save\n  [0-3] text: draft\n  [0-4] button: Save\n"
	cases := []struct{ page, instruction, want string }{
		{saves, "click Save", `ambiguous, the candidates are [0-2] button "Save"; [0-4] button "Save"`},
		{outline(t, "cart"), "click Remove", `ambiguous, the candidates are [0-910] button "Remove Meridian compass, Brass"; [0-934] button "Remove Ember lantern, Copper"`},
		{outline(t, "home"), "click Sign in", `nothing on the page is named "Sign in"`},
		{outline(t, "home"), "go back", "use the page's own back"},
		{outline(t, "home"), "dance", "it found no verb that it knows"},
		{outline(t, "checkout"), "type hello", "say where to type"},
		{outline(t, "checkout"), "click the backpack cart", `what comes near is [0-1100] link "Cart 3"`},
		{"[0-1] document: Empty\n", "click OK", "word matcher and no language model"},
	}
	for _, c := range cases {
		if got := act(t, c.page, c.instruction); got.Found || !strings.Contains(got.Reason, c.want) {
			t.Errorf("act(%q) = %+v, want a reason with %q", c.instruction, got, c.want)
		}
	}
}

// A disabled twin is not meant, an ordinal says which.
func TestActTellsTwinsApart(t *testing.T) {
	page := "[0-1] document: Notes\n  [0-2] button: Save (disabled)\n  [0-3] button: Save\n  [0-4] button: Delete\n  [0-5] button: Delete\n"
	for instruction, want := range map[string]string{"click Save": "0-3", "click the second Delete button": "0-5", "click the first Delete": "0-4"} {
		if got := act(t, page, instruction); got.Ref != want {
			t.Errorf("act(%q) = %+v, want %s", instruction, got, want)
		}
	}
	if got := act(t, page, "click the third Delete button"); got.Found {
		t.Errorf("a third of two was found: %+v", got)
	}
}

// After the first step of a search the second one sends it.
func TestActSecondStep(t *testing.T) {
	page := outline(t, "home")
	got := act(t, page, "search for compass", llm.Page{Kind: "changes", Text: "~ …\n"})
	if want := "press searchbox Search the shop <Enter>"; got.said(t, page) != want {
		t.Errorf("act = %s, want %s", got.said(t, page), want)
	}
}
