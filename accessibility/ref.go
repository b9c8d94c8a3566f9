package accessibility

import (
	"strconv"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// appendRef writes a ref.
func appendRef(dst []byte, ordinal int, id driver.NodeID) []byte {
	dst = strconv.AppendInt(dst, int64(ordinal), 10)
	dst = append(dst, '-')
	return strconv.AppendInt(dst, int64(id), 10)
}

// split returns the parts of a ref, in its one canonical spelling.
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
