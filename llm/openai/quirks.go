package openai

import (
	"errors"
	"net/http"
	"regexp"
	"sync"

	"github.com/wayfinder-engine/wayfinder/llm"
)

// A level is how a server is told what shape an answer must have.
type level int

const (
	bySchema  level = iota // response format json_schema
	byObject               // response format json_object, and the schema in words
	byRequest              // the schema in words alone
)

// habits are what is known of a server. The zero value expects everything.
type habits struct {
	level         level
	noTemperature bool
	otherLimit    bool // the limit on tokens goes by its other name
	noUsage       bool // of a stream: it refuses stream_options
}

// quirks remember the habits of a server.
type quirks struct {
	mu     sync.Mutex // protects known
	known  habits
	single habits // zero; a habit of one request is not kept
}

func (q *quirks) read() habits {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.known
}

// What servers say when they do not take a part of a request.
var (
	aboutFormat      = regexp.MustCompile(`(?i)response_format|json_schema|json_object|text\.format|structured output|guided|grammar|invalid schema`)
	aboutTemperature = regexp.MustCompile(`(?i)temperature`)
	aboutLimit       = regexp.MustCompile(`(?i)max_tokens|max_completion_tokens`)
	aboutUsage       = regexp.MustCompile(`(?i)stream_options|include_usage`)
)

// learn takes a refusal as news about the server. It reports whether the same
// request, put otherwise, is worth another try; that is so at most once for
// each habit.
func (q *quirks) learn(err error, req *llm.Request, sent habits) bool {
	var e *llm.Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Status {
	case http.StatusBadRequest, http.StatusUnprocessableEntity, http.StatusNotImplemented, http.StatusInternalServerError:
	default:
		return false
	}
	next := sent
	switch {
	case req.Schema != nil && sent.level < byRequest && aboutFormat.MatchString(e.Message):
		next.level++
	case req.Temperature != nil && !sent.noTemperature && aboutTemperature.MatchString(e.Message):
		next.noTemperature = true
	case req.MaxOutputTokens > 0 && !sent.otherLimit && aboutLimit.MatchString(e.Message):
		next.otherLimit = true
	case !sent.noUsage && aboutUsage.MatchString(e.Message):
		next.noUsage = true
	default:
		return false
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.known.level = max(q.known.level, next.level)
	q.known.noTemperature = q.known.noTemperature || next.noTemperature
	q.known.otherLimit = q.known.otherLimit || next.otherLimit
	q.known.noUsage = q.known.noUsage || next.noUsage
	return true
}
