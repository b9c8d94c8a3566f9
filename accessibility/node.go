package accessibility

import (
	"slices"
	"strconv"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A Node is one line of an outline.
type Node struct {
	Ref    Ref
	Source driver.NodeRef // what the node was made of: an element, or the first text of a run
	// Target is the element to act on: Source, or for text the element around it.
	Target driver.NodeRef

	Parent int32 // index in Nodes; -1 at the top
	End    int32 // index after the last node of the subtree
	Depth  int32 // indentation; does not grow beyond [MaxDepth]

	// Role is the ARIA role; "text" for text, "document" for the page,
	// "generic" for an element that has none and is there because it can be used.
	Role Role
	// Name is the accessible name, else the text that the node consists of. A field
	// in a table that has none is called by the header of its column or of its row.
	// It is complete, however much of it the outline shows. White space is
	// collapsed, and invisible characters are removed.
	Name        string
	Description string
	Placeholder string // what an empty field shows, unless that is its name
	Value       string // of a control, as a person reads it
	Min, Max    string // the bounds of the value, as the page writes them
	URL         string // of a link or a picture: absolute
	Tag         string // the element's local name; empty for text

	States States
	// InvalidMessage is the browser's message about a value that is not valid.
	// It is empty for a required field that has only not been filled in yet.
	InvalidMessage string
	// Heading is the level of a heading that consists of this node alone and
	// therefore has no line of its own; 0 if there is none.
	Heading int

	Interactive bool // can be acted on
	Header      bool // a table row of column headers
	Password    bool // a field that takes a password
	Covered     bool // of the page: a modal dialog lies over it

	// Link is what a link leads to if not just another page in this window:
	// "anchor" (a place on this page), "download", "mailto", "new window", "sms", "tel".
	Link string
	// Counts is what the page says of parts that are not in it, nil if it says
	// nothing.
	Counts *Counts

	// Cells are what a table row shows on its line. A cell with more than plain
	// text in it has its own lines below the row.
	Cells []Cell
	// Options are those of a native select.
	Options []Option
	// Scroll is set where the content is larger than what is shown of it.
	Scroll *driver.ScrollState

	index     int32 // in Nodes
	newLine   bool  // begins a new line of the page's text
	joined    bool  // follows what is before without white space
	doc, node int32 // Capture.Documents[doc].Nodes[node]
}

// MaxDepth is the deepest indentation of an outline, in levels. What is nested
// deeper stands at this depth, too, so that a hostile page cannot make an
// outline of nothing but spaces.
const MaxDepth = 64

// A Cell is one cell of a table row.
type Cell struct {
	Text string
	// Below reports that the cell's content follows on lines of its own, in the
	// order of these cells: "↓" in the outline.
	Below bool
	// Interactive is set in a cell that takes presses: a gridcell, and a cell of a
	// table that listens for its cells.
	Interactive bool
	// Reach is set in a column that another cell reaches into, by its colspan or
	// its rowspan. Such a cell has no content of its own.
	Reach Reach

	kind uint8 // in lineCells
	node int32 // in the row's document
}

// A Reach says from where another cell reaches into a column of a row.
type Reach uint8

// The directions. NoReach is a cell of the row's own.
const (
	NoReach   Reach = iota
	FromLeft        // "←" in the outline
	FromAbove       // "↑" in the outline
)

// Equal reports whether two cells read the same.
func (c Cell) Equal(other Cell) bool {
	return c.Text == other.Text && c.Below == other.Below && c.Reach == other.Reach
}

// lineCells are the roles that a cell on a row's line may have.
var lineCells = [...]Role{"cell", "gridcell", "columnheader", "rowheader"}

func cellNumber(role Role) uint8 { return uint8(max(0, slices.Index(lineCells[:], role))) }

// A Ref points into an outline: the frame's ordinal, a dash, and the node's
// id in its document, as "0-18372". It stays the same for as long as the
// document lives. It means something only together with its [Snapshot].
type Ref string

// appendRef writes a ref.
func appendRef(dst []byte, ordinal int, id driver.NodeID) []byte {
	dst = strconv.AppendInt(dst, int64(ordinal), 10)
	dst = append(dst, '-')
	return strconv.AppendInt(dst, int64(id), 10)
}

// split returns the parts of a ref, which must be in canonical form.
func (r Ref) split() (ordinal int, id driver.NodeID, ok bool) {
	left, right, ok := strings.Cut(string(r), "-")
	if !ok || !digits(left) || !digits(right) {
		return 0, 0, false
	}
	o, err := strconv.Atoi(left)
	if err != nil {
		return 0, 0, false
	}
	n, err := strconv.ParseInt(right, 10, 64)
	if err != nil {
		return 0, 0, false
	}
	return o, driver.NodeID(n), true
}

// Cell returns the ref of the nth cell, from 1, on the line of the row that r
// names: "0-21:2".
func (r Ref) Cell(n int) Ref { return r + ":" + Ref(strconv.Itoa(n)) }

// splitCell returns the row and the number of a cell's ref.
func (r Ref) splitCell() (row Ref, number int, ok bool) {
	left, right, ok := strings.Cut(string(r), ":")
	if !ok || !digits(right) {
		return "", 0, false
	}
	number, err := strconv.Atoi(right)
	return Ref(left), number, err == nil && number > 0
}

// Valid reports whether r has the form of a ref.
func (r Ref) Valid() bool {
	if row, _, ok := r.splitCell(); ok {
		r = row
	}
	_, _, ok := r.split()
	return ok
}

// digits reports whether s is a decimal number without needless zeros.
func digits(s string) bool {
	if s == "" || s[0] == '0' && len(s) > 1 {
		return false
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// cellRole reports whether a role is that of a table cell.
func cellRole(r Role) bool {
	return r == "cell" || r == "gridcell" || r == "columnheader" || r == "rowheader"
}

// An Option is one of the options of a select.
type Option struct {
	Label    string
	Group    string // the label of the optgroup around it; empty if there is none
	Disabled bool   // by itself, or with its group
}

// OptionLabels returns the labels of the options of a native select.
func (n *Node) OptionLabels() []string { return optionLabels(n.Options) }
