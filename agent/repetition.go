package agent

import (
	"crypto/sha256"
	"fmt"
	"regexp"
)

const (
	// tellRepeated is how often the same action on the same page is the model's
	// to know, endRepeated how often it ends the run.
	tellRepeated = 3
	endRepeated  = 6
)

// A state is what a page says, whatever the refs are.
type state [sha256.Size]byte

// passing is what an outline says of a page in passing: refs, and the focus.
var passing = regexp.MustCompile(`(?m)^(\s*)\[[0-9]+-[0-9]+\]| \(focused\)`)

// stateOf digests an address and an outline.
func stateOf(address, outline string) state {
	return sha256.Sum256([]byte(address + "\n" + passing.ReplaceAllString(outline, "$1")))
}

// repetition notices a run that goes in circles, or stands still.
type repetition struct {
	seen  map[string]int // the same action on the same page
	still int            // actions in a row that changed nothing
}

// note counts a call, by what it is, on a page that was in a state before it.
// acts reports whether it was meant to change the page, changed whether it did. It
// returns what the model should know, and an error once there is no more sense in it.
func (r *repetition) note(action string, before state, changed, acts bool) (remark string, _ error) {
	if r.seen == nil {
		r.seen = map[string]int{}
	}
	key := action + string(before[:])
	r.seen[key]++
	switch {
	case changed:
		r.still = 0
	case acts:
		r.still++
	}
	switch times := r.seen[key]; {
	case times >= endRepeated:
		return "", fmt.Errorf("%w: the same action was done %d times on the same page", ErrRepeated, times)
	case r.still >= endRepeated:
		return "", fmt.Errorf("%w: %d actions in a row changed nothing", ErrStagnant, r.still)
	case times >= tellRepeated:
		return fmt.Sprintf("The same action was done %d times on the same page. Doing it again will not help: try another way, or call done and say what is in the way.", times), nil
	case r.still >= tellRepeated:
		return fmt.Sprintf("The last %d actions changed nothing on the page. Look for another way, or call done and say what is in the way.", r.still), nil
	}
	return "", nil
}
