package llmtest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/schema"
)

// A Match is how a replay finds the exchange for a request.
type Match int

const (
	// Strict takes the exchanges in their order, and only for the very request
	// that was recorded.
	Strict Match = iota

	// Best takes, in any order, the unused exchange of the same purpose whose
	// request is the most alike: one that has changed here and there still
	// gets its answer. One that shares less than half its lines does not.
	Best
)

// A Replayer is a model that answers from a recording. It may be used from
// several goroutines at once.
type Replayer struct {
	t     testing.TB
	match Match

	mu        sync.Mutex // protects the fields below
	exchanges []exchange
	used      []bool
}

// Replay reads a recording of [Record]. A request without an exchange fails
// the test with the difference to the nearest one.
func Replay(t testing.TB, recording io.Reader, match Match) *Replayer {
	t.Helper()
	exchanges, err := readExchanges(recording)
	if err != nil {
		t.Fatalf("llmtest: %v", err)
	}
	return &Replayer{t: t, match: match, exchanges: exchanges, used: make([]bool, len(exchanges))}
}

// Name is that of the recorded model.
func (r *Replayer) Name() string {
	if len(r.exchanges) == 0 {
		return "replay/empty"
	}
	return r.exchanges[0].Model
}

// Left returns how many exchanges were not used.
func (r *Replayer) Left() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := 0
	for _, used := range r.used {
		if !used {
			n++
		}
	}
	return n
}

// Generate answers from the recording.
func (r *Replayer) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("replay: %w", err)
	}
	req = withoutPictures(req)
	asked, err := lines(req)
	if err != nil {
		return nil, err
	}
	var bare []string
	if cites(req) {
		if bare, err = lines(withoutCitations(req)); err != nil {
			return nil, err
		}
	}
	x, difference := r.find(req.Purpose, asked, bare)
	if x == nil {
		r.t.Errorf("llmtest: the recording has no answer to this request:\n%s", difference)
		return nil, &llm.Error{Provider: "replay", Kind: llm.KindInvalid, Message: "the recording has no answer to this request"}
	}
	return x.answer()
}

// cites reports whether the answer to a request may cite.
func cites(req *llm.Request) bool {
	return req.Schema != nil && withoutCitations(req) != req
}

// withoutCitations is a request as it was before answers cited; the request itself
// where it asks for no citations.
func withoutCitations(req *llm.Request) *llm.Request {
	if req.Schema == nil {
		return req
	}
	raw, changed, err := schema.WithoutCitations(req.Schema.Schema)
	if err != nil || !changed {
		return req
	}
	out, form := *req, *req.Schema
	form.Schema, out.Schema = raw, &form
	return &out
}

// find returns the exchange for a request, or the difference to the nearest. bare is
// the request without citations, nil if it asks for none.
func (r *Replayer) find(purpose llm.Purpose, asked, bare []string) (found *exchange, difference string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	best, bestScore := -1, -1.0
	for i := range r.exchanges {
		if r.used[i] {
			continue
		}
		recorded, err := lines(r.exchanges[i].Request)
		if err != nil {
			return nil, err.Error()
		}
		score := likeness(recorded, asked)
		if score < 1 && bare != nil { // recorded before answers cited, or when they cited otherwise
			if recorded, err = lines(withoutCitations(r.exchanges[i].Request)); err != nil {
				return nil, err.Error()
			}
			score = max(score, likeness(recorded, bare))
		}
		if r.exchanges[i].Request.Purpose != purpose {
			score = 0
		}
		if score > bestScore {
			best, bestScore = i, score
		}
		if r.match == Strict {
			break
		}
	}
	if best < 0 {
		return nil, "all of it was used:\n" + strings.Join(asked, "\n")
	}
	if r.match == Strict && bestScore < 1 || bestScore < 0.5 {
		recorded, err := lines(r.exchanges[best].Request)
		if err != nil {
			return nil, err.Error()
		}
		return nil, fmt.Sprintf("exchange %d (-recorded +asked):\n%s", best+1, cmp.Diff(recorded, asked))
	}
	r.used[best] = true
	return &r.exchanges[best], ""
}

// lines writes a request in lines, with the lines of its texts apart.
func lines(req *llm.Request) ([]string, error) {
	raw, err := json.MarshalIndent(req, "", " ")
	if err != nil {
		return nil, fmt.Errorf("replay: %w", err)
	}
	return strings.Split(strings.ReplaceAll(string(raw), `\n`, "\n"), "\n"), nil
}

// likeness is the part of lines that two texts share; 1 is the same.
func likeness(a, b []string) float64 {
	count := map[string]int{}
	for _, line := range a {
		count[line]++
	}
	shared, same := 0, len(a) == len(b)
	for i, line := range b {
		if count[line] > 0 {
			count[line]--
			shared++
		}
		same = same && a[i] == line
	}
	if same {
		return 1
	}
	return min(2*float64(shared)/float64(len(a)+len(b)), 0.999)
}
