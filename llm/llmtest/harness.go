package llmtest

import (
	"net/http"
	"sync"
	"testing"

	"github.com/wayfinder-engine/wayfinder/llm"
)

// Key is the secret that the suite gives to adapters.
const Key = "sk-conformance-0123456789"

// A Harness lets [Conformance] test one adapter. It speaks the vendor's wire
// format from the server's side.
type Harness struct {
	// New returns the adapter's model, with the secret [Key], the model name
	// "test-model" and the header "X-Extra: extra", against a server at an
	// address like "http://127.0.0.1:1234".
	New func(t testing.TB, address string) llm.Model

	// Read reads a request as the vendor's server does. It is strict: what
	// that server would not take is an error.
	Read func(r *http.Request, body []byte) (*Heard, error)

	// Answer writes an answer, as a stream where Heard.Stream says so.
	Answer func(w http.ResponseWriter, heard *Heard, said *Said)

	// Fail writes an error in the vendor's form, for one of the kinds auth,
	// invalid, not_found, rate_limited, quota, overloaded, unavailable,
	// too_long.
	Fail func(w http.ResponseWriter, kind llm.ErrorKind, message string)

	// Without lists what the vendor does not have, by names of [Feature]s.
	Without []Feature
}

// A Feature is what not every vendor has.
type Feature string

// The features.
const (
	FeatureStream    Feature = "stream"
	FeatureRefusal   Feature = "refusal"
	FeatureReasoning Feature = "reasoning" // tokens that are counted apart
	FeatureThoughts  Feature = "thoughts"  // reasoning that is shown, and goes back
	FeatureQuota     Feature = "quota"
	FeatureChoice    Feature = "tool choice"
)

// Heard is a request, as the vendor's server understands it.
type Heard struct {
	Key             string
	Model           string
	System          string
	Turns           []Turn
	Tools           []llm.Tool
	ToolChoice      llm.ToolChoice
	Schema          []byte // nil if none
	MaxOutputTokens int
	Temperature     *float64
	Stream          bool
	Header          http.Header
}

// A Turn is one message of a request. Vendors that have messages of their own
// for tool results give each as a turn.
type Turn struct {
	Role    llm.Role
	Text    string // texts joined by a line break
	Images  []llm.Image
	Calls   []llm.ToolCall
	Results []Result

	// Reasoning are thoughts of the model that came back to it, as the server
	// reads them.
	Reasoning []string
}

// A Result is a tool's, as the server hears it.
type Result struct {
	ID     string
	Text   string
	Failed bool // as far as the vendor has a place for it
	Images []llm.Image
}

// Said is an answer.
type Said struct {
	// Reasoning is what the model thought before it answered. The server shows
	// it, and signs or encrypts it, as the vendor does. Where it is empty, there
	// may be a thought that the suite does not look at.
	Reasoning string

	Text    string
	Pieces  []string // the text in a stream; nil is Text whole
	Calls   []llm.ToolCall
	Stop    llm.ErrorKind // KindLength, KindRefusal, KindContentFilter; empty is a good end
	Usage   llm.Usage
	Refusal string

	// Raw, if not nil, is written as it is.
	Raw func(w http.ResponseWriter)
	// Fail, if not empty, is an error in the vendor's form.
	Fail llm.ErrorKind
	// Hang answers nothing, until the client goes away.
	Hang bool
	// Break ends a stream before the answer is complete.
	Break bool
}

// A conformanceCase is one rule.
type conformanceCase struct {
	name  string
	needs Feature
	req   func() *llm.Request // nil is a plain question
	// said are the server's answers, one after the other; the last repeats.
	said  []*Said
	check func(t *testing.T, c *conversation)
	// ask, if not nil, replaces the one call of Generate.
	ask func(t *testing.T, c *conversation)
}

// conversation is what happened in a case.
type conversation struct {
	model llm.Model
	req   *llm.Request
	resp  *llm.Response
	err   error

	mu    sync.Mutex // protects the fields below
	heard []*Heard
	wrong []error

	arrived chan struct{} // a request is there, once for each
	over    chan struct{} // closed when the case ends
}

// last returns the last request that the server heard.
func (c *conversation) last(t *testing.T) *Heard {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.heard) == 0 {
		t.Fatal("the server heard no request")
	}
	return c.heard[len(c.heard)-1]
}

// plain is a question without anything special.
func plain() *llm.Request {
	return &llm.Request{
		Purpose: llm.PurposeAct,
		System:  "You are a test.",
		Messages: []llm.Message{{Role: llm.User, Parts: []llm.Part{
			llm.Instruction{Text: "click Sign in"}, llm.Page{Kind: "outline", Text: "[0-1] button: Sign in"}}}},
	}
}
