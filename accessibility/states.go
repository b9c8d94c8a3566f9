package accessibility

// A Tristate is a state that may be absent, off, on, or mixed.
type Tristate uint8

// The values. Unset means that the object does not have the state at all.
const (
	Unset Tristate = iota
	Off
	On
	Mixed
)

// States are the states and properties of an object, as ARIA names them.
// Zero values mean that the state does not apply or is off.
type States struct {
	Checked  Tristate
	Pressed  Tristate
	Expanded Tristate
	Selected Tristate

	Disabled        bool
	Required        bool
	ReadOnly        bool
	Focused         bool
	Focusable       bool
	Modal           bool
	Busy            bool
	Multiline       bool
	Multiselectable bool
	Editable        bool

	Level    int    // of a heading, of a tree item
	Invalid  string // "true", "grammar", "spelling"; empty if valid
	HasPopup string // "menu", "listbox", "tree", "grid", "dialog"
	Current  string // aria-current, if not false
	Sort     string // aria-sort, if not none
}
