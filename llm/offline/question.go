package offline

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/schema"
)

const (
	provider = "offline"
	name     = "offline/words"
	honest   = "this is a word matcher and no language model"
)

// A question is what a request asks, taken apart.
type question struct {
	instruction string
	page        *page
	of          *instruction               // the part of the instruction that is meant; nil: all of it
	most        int                        // how many actions may be done; 0: as many as the engine does
	done        int                        // how many actions were done for the instruction
	added       map[accessibility.Ref]bool // what the last of them added to the page
}

func read(req *llm.Request) (*question, error) {
	switch req.Purpose {
	case llm.PurposeAct, llm.PurposeObserve, llm.PurposeExtract:
	default:
		return nil, failed(llm.KindUnsupported, "%s; it answers act, observe and extract, and not %q. Use a real model for this", honest, req.Purpose)
	}
	if len(req.Tools) > 0 {
		return nil, failed(llm.KindUnsupported, "%s and cannot call tools", honest)
	}
	if req.Schema == nil {
		return nil, failed(llm.KindUnsupported, "%s and answers only in the form of a schema", honest)
	}
	q := &question{}
	for _, m := range req.Messages {
		for _, part := range m.Parts {
			switch p := part.(type) {
			case llm.Instruction:
				q.instruction = p.Text
			case llm.Page:
				switch p.Kind {
				case "outline":
					outline, err := accessibility.ParseOutline(p.Text)
					if err != nil {
						return nil, &llm.Error{Provider: provider, Kind: llm.KindInvalid, Message: err.Error(), Err: err}
					}
					q.page = newPage(outline)
				case "changes":
					q.done, q.added = max(q.done, 1), addedRefs(p.Text)
				}
			case llm.Text:
				if m := doneSoFar.FindStringSubmatch(p.Text); m != nil {
					q.done, _ = strconv.Atoi(m[1])
				}
			case llm.Image:
				return nil, failed(llm.KindUnsupported, "%s and cannot look at pictures", honest)
			}
		}
	}
	if q.page != nil {
		q.page.own = splitWords(q.instruction)
	}
	if q.page == nil {
		return nil, failed(llm.KindUnsupported, "%s and needs the outline of a page", honest)
	}
	if len(words(q.instruction)) == 0 {
		return nil, failed(llm.KindInvalid, "the instruction has no words")
	}
	return q, nil
}

func failed(kind llm.ErrorKind, format string, args ...any) error {
	return &llm.Error{Provider: provider, Kind: cmp.Or(kind, llm.KindInvalid), Message: fmt.Sprintf(format, args...)}
}

// fits holds an answer against its schema, so that what could not be filled is
// said here, in words that name the reason.
func fits(s *llm.ResponseSchema, text []byte) error {
	form, err := schema.Parse(s.Schema)
	if err != nil {
		return &llm.Error{Provider: provider, Kind: llm.KindInvalid, Message: "the schema is none: " + err.Error(), Err: err}
	}
	if err := form.Validate(text); err != nil {
		return &llm.Error{Provider: provider, Kind: llm.KindSchema, Err: err,
			Message: "the page's words do not fill the schema (" + honest + "): " + err.Error()}
	}
	return nil
}

// doneSoFar is how the engine says what came before.
var doneSoFar = regexp.MustCompile(`^Actions done so far: (\d)\.`)

var addedLine = regexp.MustCompile(`(?m)^\+ +\[([0-9]+-[0-9]+)\]`)

// addedRefs are the elements that changes name as new.
func addedRefs(changes string) map[accessibility.Ref]bool {
	out := map[accessibility.Ref]bool{}
	for _, m := range addedLine.FindAllStringSubmatch(changes, -1) {
		out[accessibility.Ref(m[1])] = true
	}
	return out
}
