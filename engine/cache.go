package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
)

// A Cache keeps what instructions came to, so that Act can do them again
// without a model. [NewMemoryCache] and [NewDirCache] make one; a type of your
// own may keep entries elsewhere. It is used by several goroutines and
// sessions at once.
//
// A cache decides nothing. The engine holds each entry against the page before
// it sends any input, and what came of it against what came of it before; so a
// cache may forget at will. Its errors never fail an act: one of Get counts as
// a miss and gives its reason, the others are logged.
//
// No entry and no key holds the value of a variable. Who can write to a cache
// decides what Act does: keep it as safe as the program.
type Cache interface {
	// Get returns the entry of a key, nil if there is none. The engine does
	// not change it.
	Get(ctx context.Context, key CacheKey) (*CacheEntry, error)
	// Put keeps an entry in the place of an earlier one. The entry is the
	// cache's from then on.
	Put(ctx context.Context, key CacheKey, entry *CacheEntry) error
	// Delete forgets the entry of a key; that there is none is no error.
	Delete(ctx context.Context, key CacheKey) error
}

// A CacheKey says which acts are the same. The model, the viewport and the
// values of variables are not in it: an entry serves whoever finds the same
// element, and is held against the page in any case.
type CacheKey struct {
	// Instruction is what was asked for, with single spaces.
	Instruction string `json:"instruction"`
	// Address is the page's, without what changes from visit to visit: user
	// and password, queries that track or carry a session, a token or a time,
	// and a fragment that is no route ("#/cart" is one).
	Address string `json:"address"`
	// Variables are the names of the variables, sorted, joined by commas.
	Variables string `json:"variables,omitempty"`
	// Selector is that of ActOptions.
	Selector string `json:"selector,omitempty"`
}

// Hash is a name for the key: 64 hexadecimal digits.
func (k CacheKey) Hash() string {
	text, _ := json.Marshal(k) // strings alone always marshal
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// A CacheEntry is what one instruction came to.
type CacheEntry struct {
	// Instruction is the one that the entry was made for, as it was written.
	Instruction string `json:"instruction"`
	// Steps are the actions, in order: mostly one, more where one opened what
	// the next was done in.
	Steps []CachedStep `json:"steps"`
}

// A CachedStep is one action, how its element is told from others, and what
// came of it.
type CachedStep struct {
	Action Action `json:"action"`
	// Surroundings is a hash of the text around an element that had the
	// same role and name as others, as the button of one of several products.
	// Empty if it was the only one; it must be the only one again.
	Surroundings string `json:"surroundings,omitempty"`
	// State is what the choice may have depended on: whether the element was
	// checked or expanded, and a hash of its value where the instruction does
	// not say what to enter.
	State   string  `json:"state,omitempty"`
	Outcome Outcome `json:"outcome"`
}

// An Outcome is what came of an action, and has to come of it again.
type Outcome struct {
	Effect Effect `json:"effect"`
	// Address is where a navigation led: host and path, with * for a part
	// that holds a digit. Empty if it was not known yet.
	Address string `json:"address,omitempty"`
	// Failed reports that the navigation's status was 400 or more.
	Failed bool `json:"failed,omitempty"`
	// Dialog is the kind of a dialog that opened.
	Dialog string `json:"dialog,omitempty"`
}

func (e *CacheEntry) clone() *CacheEntry {
	c := *e
	c.Steps = slices.Clone(e.Steps)
	for i := range c.Steps {
		a := &c.Steps[i].Action
		a.Arguments = slices.Clone(a.Arguments)
		if a.Fingerprint != nil {
			print := *a.Fingerprint
			a.Fingerprint = &print
		}
	}
	return &c
}

// A CacheOutcome says what a cache was good for.
type CacheOutcome string

// The outcomes.
const (
	CacheHit     CacheOutcome = "hit"     // done by the entry, without a model
	CacheMiss    CacheOutcome = "miss"    // no entry; a model was asked
	CacheStale   CacheOutcome = "stale"   // the entry did not fit the page, which got no input from it; a model was asked
	CacheRefuted CacheOutcome = "refuted" // the entry was done, and something else came of it; it was dropped
)

// A CacheReason says why an entry did not serve.
type CacheReason string

// The reasons.
const (
	ReasonAbsent     CacheReason = "absent"     // nothing is kept
	ReasonUnreadable CacheReason = "unreadable" // what is kept cannot be read
	ReasonWording    CacheReason = "wording"    // the instruction is spaced otherwise, and says what to enter
	ReasonGone       CacheReason = "gone"       // the selector names no element, or several
	ReasonChanged    CacheReason = "changed"    // another element, other surroundings, or another state
	ReasonUnusable   CacheReason = "unusable"   // the element could not be used
	ReasonOutcome    CacheReason = "outcome"    // the action was done, and something else came of it
)

// A CacheUse says what the cache did for one act.
type CacheUse struct {
	Outcome CacheOutcome `json:"outcome"`
	Reason  CacheReason  `json:"reason,omitempty"` // not of a hit
	Detail  string       `json:"detail,omitempty"` // the reason in words
	// Kept reports that the act was entered for the next time.
	Kept bool `json:"kept,omitempty"`
}
