package cdp

import (
	"sync"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A sight is what a page keeps from one look to the next.
type sight struct {
	equipped equipment
	revision revisions
	trees    trees
	hand     hand
	dragged  dragState
}

// A revisions gives readings of a page their numbers.
type revisions struct {
	mu      sync.Mutex // protects the following
	last    driver.Revision
	tuple   string // the reading that last belongs to
	content uint64 // hash of the capture that last belongs to; 0 if there is none
}

// read returns the number of a reading.
func (r *revisions) read(tuple string) driver.Revision {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.last == 0 || tuple != r.tuple {
		r.last++
		r.tuple, r.content = tuple, 0
	}
	return r.last
}

// captured returns the number of a capture with that content. Where the
// reading has changed since the last capture and the content has not, the
// number stays: something moved, or changed and changed back.
func (r *revisions) captured(tuple string, content uint64) driver.Revision {
	r.mu.Lock()
	defer r.mu.Unlock()
	changed := content != r.content
	if r.content == 0 {
		changed = tuple != r.tuple
	}
	if r.last == 0 || changed {
		r.last++
	}
	r.tuple, r.content = tuple, content
	return r.last
}
