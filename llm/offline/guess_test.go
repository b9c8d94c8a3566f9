package offline_test

import "testing"

// unguessed are pages on which a wish that names nothing has one thing near it.
var unguessed = map[string]string{
	"plurals": `[0-1] document: People
  [0-2] listbox: Person
    [0-3] option: Kenton
  [0-4] link: Delete everything
  [0-5] button: Save
`,
	"tree": `[0-1] document: Trees
  [0-2] tree: Trees
    [0-3] treeitem: Deciduous (collapsed)
    [0-4] treeitem: Evergreen (expanded)
      [0-5] treeitem: Pine
    [0-6] treeitem: Palms (collapsed)
      [0-7] button: Expand
  [0-8] button: Details (collapsed)
  [0-9] button: Summary (expanded)
  [0-10] link: Expand all
`,
	"grid": `[0-1] document: Customers
  [0-2] grid: Customers
    [0-3] row: Name | Price (header)
      [0-4] columnheader: Name (clickable)
      [0-5] columnheader: Price (clickable)
    [0-6] row: Customer 12
      [0-7] gridcell: Customer 12
        [0-8] textbox (focused)
      [0-9] gridcell: Total 3
  [0-10] combobox: Discount (options: 5 | 15 | Other)
  [0-11] spinbutton: Discount
  [0-12] combobox: Sort by (options: Relevance | Price, low to high | Newest)
`,
	"forms": `[0-1] document: Forms
  [0-2] form: Employee Information
    [0-3] textbox: First Name
    [0-4] textbox: Last Name
  [0-5] form: Customer
    [0-6] textbox: First Name
  [0-7] textbox: Remark
`,
	"list": `[0-1] document: Cart
  [0-2] list: Cart
    [0-3] listitem
      [0-4] text: Teapot
      [0-5] button: Remove
    [0-6] listitem
      [0-7] text: Cup
      [0-8] button: Delete
    [0-9] listitem
      [0-10] text: Gift card
  [0-11] slider: Volume value="3"
  [0-12] button: Remove account
`,
	"newest": `[0-1] document: Results
  [0-2] link: Price
  [0-3] text: Price
`,
}

// TestNoGuess holds wishes against pages that do not have what they name, and
// words that people use against what they mean.
func TestNoGuess(t *testing.T) {
	cases := map[string][][2]string{
		"plurals": {
			{"click Options", refused},
			{"click Links", refused},
			{"click the links", refused},
			{"press Buttons", refused},
			{"click the link", "click link Delete everything"},
			{"click the option", "click option Kenton"},
			{"right click Save", "click button Save <right>"},
			{"right-click on Save", "click button Save <right>"},
			{"middle click Save", "click button Save <middle>"},
			{"open the context menu of Save", "click button Save <right>"},
			{"triple click Save", "tripleClick button Save"},
		},
		"tree": {
			{"expand Deciduous", "press treeitem Deciduous <ArrowRight>"},
			{"unfold Deciduous", "press treeitem Deciduous <ArrowRight>"},
			{"collapse Evergreen", "press treeitem Evergreen <ArrowLeft>"},
			{"expand Evergreen", refused}, // it is
			{"collapse Deciduous", refused},
			{"expand Pine", refused}, // it holds nothing
			{"expand Palms", "click button Expand"},
			{"expand Details", "click button Details"},
			{"expand Summary", refused},
			{"collapse Summary", "click button Summary"},
			{"expand all", "click link Expand all"},
		},
		"grid": {
			{"type Ada into Customer 12", "fill textbox <Ada>"},
			{"fill Customer 12 with Ada", "fill textbox <Ada>"},
			{"type 4 into Total 3", refused},
			{"type 15 into discount", "fill spinbutton Discount <15>"},
			{"choose 15 in Discount", "selectOption combobox Discount <15>"},
			{"set Discount to 15", refused}, // either may be meant
			{"sort by Price", "click columnheader Price"},
			{"sort the table by Name", "click columnheader Name"},
			{"sort by Newest", "selectOption combobox Sort by <Newest>"},
			{"sort by Price descending", refused},
			{"sort by price, low to high", "selectOption combobox Sort by <Price, low to high>"},
			{"sort by Weight", refused},
		},
		"forms": {
			{`Fill in the First Name field with "John" in the Employee Information form`, "fill textbox First Name <John>"},
			{`type "John" into First Name in the Customer form`, "fill textbox First Name <John>"},
			{`fill Remark with "in the Customer form"`, "fill textbox Remark <in the Customer form>"},
			{`fill Remark with "John" in the cellar`, refused},
			{`fill Remark with John in the cellar`, "fill textbox Remark <John in the cellar>"},
		},
		"list": {
			{"remove Teapot", "click button Remove"},
			{"delete Teapot", "click button Remove"},
			{"remove the Cup", "click button Delete"},
			{"remove Gift card", refused}, // its row has no such button, and another's is not taken
			{"remove Lamp", refused},
			{"drag Volume 100 pixels to the right", "dragByPixelOffset slider Volume <100> <0>"},
			{"drag Teapot 10 pixels down", "dragByPixelOffset text Teapot <0> <10>"},
			{"drag Lamp 10 pixels down", refused},
			{"drag Volume 40 px left", "dragByPixelOffset slider Volume <-40> <0>"},
			{"drag Volume up by 12 pixels", "dragByPixelOffset slider Volume <0> <-12>"},
			{"drag Volume by 30, -20 pixels", "dragByPixelOffset slider Volume <30> <-20>"},
		},
		"newest": {
			{"sort by Price", "click link Price"},
		},
	}
	for name, list := range cases {
		for _, c := range list {
			got := act(t, unguessed[name], c[0]).said(t, unguessed[name])
			if c[1] == refused {
				if len(got) < 4 || got[:4] != refused {
					t.Errorf("%s: %q is %s, want a refusal", name, c[0], got)
				}
				continue
			}
			if got != c[1] {
				t.Errorf("%s: %q is %s, want %s", name, c[0], got, c[1])
			}
		}
	}
}
