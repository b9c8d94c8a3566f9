package gemini

import (
	"errors"
	"net/http"
	"regexp"
	"sync/atomic"

	"github.com/wayfinder-engine/wayfinder/llm"
)

// A manner is how a request is put. The zero value uses all that Gemini has.
type manner struct {
	inWords  bool // the schema of the answer goes into the prompt, in words
	unsigned bool // calls go back without the signatures that came with them
	beside   bool // pictures of results stand beside them
}

// habits are what is known of a model.
type habits struct {
	noSchema          atomic.Bool // it takes no schema
	noSchemaWithTools atomic.Bool // it takes none beside tools
	noPictures        atomic.Bool // it takes no pictures within results
}

// within are the models that take pictures within a tool's result.
var within = regexp.MustCompile(`gemini-(?:[3-9]|\d\d)|computer-use`)

// manner is the one to begin with.
func (h *habits) manner(req *llm.Request, model string) manner {
	return manner{beside: h.noPictures.Load() || !within.MatchString(model), inWords: req.Schema != nil && (h.noSchema.Load() || len(req.Tools) > 0 && h.noSchemaWithTools.Load())}
}

// What the vendor says when it does not take a part of a request.
var (
	aboutSignature = regexp.MustCompile(`(?i)thought.?signature`)
	aboutPictures  = regexp.MustCompile(`(?i)function_?response.{0,3}parts`)
	aboutTools     = regexp.MustCompile(`(?i)function calling|tool use`)
	aboutFormat    = regexp.MustCompile(`(?i)schema|mime.?type|json mode`)
	aboutAnySchema = regexp.MustCompile(`(?i)json mode|unknown name|not (?:supported|enabled)|unsupported`)
)

// learn takes a refusal as news. It returns the manner in which the same
// request is worth another try, if there is one. What is about one schema or
// one conversation alone is not remembered.
func (h *habits) learn(err error, req *llm.Request, sent manner) (next manner, again bool) {
	var e *llm.Error
	if !errors.As(err, &e) || e.Kind != llm.KindInvalid || e.Status != http.StatusBadRequest {
		return sent, false
	}
	next = sent
	switch {
	case !sent.unsigned && aboutSignature.MatchString(e.Message):
		next.unsigned = true
		return next, true
	case !sent.beside && aboutPictures.MatchString(e.Message):
		h.noPictures.Store(true)
		next.beside = true
		return next, true
	case req.Schema == nil || sent.inWords || !aboutFormat.MatchString(e.Message):
		return sent, false
	case len(req.Tools) > 0 && aboutTools.MatchString(e.Message):
		h.noSchemaWithTools.Store(true)
	case aboutAnySchema.MatchString(e.Message):
		h.noSchema.Store(true)
	}
	next.inWords = true
	return next, true
}
