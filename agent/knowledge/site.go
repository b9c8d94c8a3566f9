package knowledge

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/agent/program"
)

// mostEntries is how many entries are kept of an origin.
const mostEntries = 40

// mostFailed is how often in a row an entry fails before it is dropped.
const mostFailed = 2

const (
	mostNote    = 500  // bytes of a note
	mostTask    = 200  // bytes of the task that a program was written for
	mostProgram = 4096 // bytes of a program
)

// A Site is what is kept of an origin. The last entry is the one that was of use last.
type Site struct {
	Version int     `json:"version"` // of the whole, counted by its store; 0 if nothing was kept yet
	Last    int     `json:"last"`    // the number of the newest entry
	Entries []Entry `json:"entries"`
}

// An Entry is a note, or a program with the task that it was written for.
type Entry struct {
	ID      string `json:"id"` // of the site
	Text    string `json:"text"`
	Program string `json:"program,omitempty"`
	// Beside are the other origins that its run had read before, with spaces between: each may have had
	// its part in it. It is offered to runs alone that have read all of them.
	Beside  string    `json:"beside,omitempty"`
	Version int       `json:"version"` // from 1; how often it was written anew
	Learned time.Time `json:"learned"`
	// Proved is set in a program that did the same again: by a replay in a fresh session, or
	// in a later run that came to write it by itself. Others are not offered.
	Proved bool `json:"proved,omitempty"`
	Worked int  `json:"worked,omitempty"` // how often
	Failed int  `json:"failed,omitempty"` // how often since it last worked
}

// clone returns a copy that shares nothing.
func (s *Site) clone() *Site {
	c := *s
	c.Entries = slices.Clone(s.Entries)
	return &c
}

func (s *Site) index(id string) int {
	return slices.IndexFunc(s.Entries, func(e Entry) bool { return e.ID == id })
}

// worked counts for an entry, and puts it last.
func (s *Site) worked(id string) {
	i := s.index(id)
	if i < 0 {
		return
	}
	e := s.Entries[i]
	e.Worked++
	e.Failed = 0
	s.Entries = append(slices.Delete(s.Entries, i, i+1), e)
}

// failed counts against an entry, and drops it in the end.
func (s *Site) failed(id string) {
	i := s.index(id)
	if i < 0 {
		return
	}
	if s.Entries[i].Failed++; s.Entries[i].Failed >= mostFailed {
		s.Entries = slices.Delete(s.Entries, i, i+1)
	}
}

// learn adds an entry, or writes one anew: the one with the id, the program for the
// same task, and the one that says the same. It is put last. before are the entries of
// earlier runs: a program that one of them has, too, is proved.
func (s *Site) learn(id, text, source, beside string, before []Entry, now time.Time) {
	e := Entry{Text: text, Program: source, Beside: beside, Learned: now}
	e.Proved = source != "" && slices.ContainsFunc(before, func(o Entry) bool { return shape(o.Program) == shape(source) })
	same := func(o Entry) bool {
		switch {
		case (o.Program == "") != (source == ""):
			return false
		case source == "":
			return o.ID == id || o.Text == text
		}
		return o.Text == text || shape(o.Program) == shape(source)
	}
	if i := slices.IndexFunc(s.Entries, same); i >= 0 {
		old := s.Entries[i]
		e.ID, e.Version, e.Worked = old.ID, old.Version, old.Worked
		if old.Text == e.Text && old.Program == e.Program {
			e.Learned = old.Learned
		} else {
			e.Version++
		}
		s.Entries = slices.Delete(s.Entries, i, i+1)
	} else {
		s.Last++
		kind := "n"
		if source != "" {
			kind = "p"
		}
		e.ID, e.Version = fmt.Sprintf("%s%d", kind, s.Last), 1
	}
	s.Entries = append(s.Entries, e)
	if n := len(s.Entries) - mostEntries; n > 0 {
		s.Entries = slices.Delete(s.Entries, 0, n)
	}
}

// shape is a program without the values of its constants.
func shape(source string) string {
	constants := program.Constants(source)
	for i := len(constants) - 1; i >= 0; i-- {
		source = constants[i].Cut(source)
	}
	return strings.TrimSpace(source)
}

// write is an entry as a model reads it. A program itself is not in it: what it did
// once is said by its task, and it costs nothing to have it run again.
func (e *Entry) write() string {
	var b strings.Builder
	if e.Program == "" {
		fmt.Fprintf(&b, "%s note: %s\n", e.ID, e.Text)
		return b.String()
	}
	fmt.Fprintf(&b, "%s program, written for the task %q", e.ID, e.Text)
	switch {
	case e.Worked == 1:
		b.WriteString(", worked once again")
	case e.Worked > 1:
		fmt.Fprintf(&b, ", worked %d times again", e.Worked)
	}
	if e.Failed > 0 {
		b.WriteString(", failed when it was last run")
	}
	for i, c := range program.Constants(e.Program) {
		b.WriteString(map[bool]string{true: "; constants: ", false: ", "}[i == 0])
		b.WriteString(c.Name + " = " + cut(oneLine(c.Value), mostValue))
	}
	b.WriteString("\n")
	return b.String()
}

// proved reports a program that did the same again, or has worked since it is offered.
func (e *Entry) proved() bool { return e.Program != "" && (e.Proved || e.Worked > 0) }
