package cdp

import (
	"fmt"
	"strings"
	"sync"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A tuple is a look at all processes.
type tuple struct {
	scripts string // documents, worlds, ticks
	counts  string // what each process counts
}

func tupleOf(looks []*processLook) tuple {
	var b, counts strings.Builder
	for _, l := range looks {
		counts.WriteString(l.counts)
		counts.WriteByte('\n')
		for i := range l.worlds {
			fmt.Fprintf(&b, "%s %s %d ", l.worlds[i].ID, l.worlds[i].Doc, l.worlds[i].id)
		}
		b.WriteString(strings.Join(l.ticks, " "))
		b.WriteByte('\n')
	}
	return tuple{b.String(), counts.String()}
}

// A revisions gives looks at a page their numbers.
type revisions struct {
	mu      sync.Mutex // protects the following
	last    driver.Revision
	tuple   tuple  // the look that last belongs to
	content uint64 // hash of the capture that last belongs to; 0 if there is none
}

// read returns the number of a look.
func (r *revisions) read(t tuple) driver.Revision {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.last == 0 || t != r.tuple {
		r.last++
		r.tuple, r.content = t, 0
	}
	return r.last
}

// noticed returns the number of a look whose processes were not asked for their
// counts, 0 if our scripts have noticed nothing: then these decide. The next
// whole look is another one.
func (r *revisions) noticed(scripts string) driver.Revision {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.last == 0 || scripts == r.tuple.scripts {
		return 0
	}
	r.last++
	r.tuple, r.content = tuple{scripts: scripts}, 0
	return r.last
}

// captured returns the number of a capture with that content. Where the
// look has changed since the last capture and the content has not, the
// number stays: something moved, or changed and changed back.
func (r *revisions) captured(t tuple, content uint64) driver.Revision {
	r.mu.Lock()
	defer r.mu.Unlock()
	changed := content != r.content
	if r.content == 0 {
		changed = t != r.tuple
	}
	if r.last == 0 || changed {
		r.last++
	}
	r.tuple, r.content = t, content
	return r.last
}
