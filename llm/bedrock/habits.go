package bedrock

import (
	"errors"
	"net/http"
	"regexp"
	"sync"

	"github.com/wayfinder-engine/wayfinder/llm"
)

// A manner is how a model is asked. The zero value expects everything of it.
type manner struct {
	inWords       bool // the schema goes into the prompt, in words: no tool can be forced
	noTemperature bool
	noCache       bool // it takes no marks for the prompt cache
	noSystem      bool // it takes no system prompt, which then begins the first message
}

// habits remember what a model refused.
type habits struct {
	mu    sync.Mutex // protects known
	known manner
}

func (h *habits) read() manner {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.known
}

// What the vendor says of a model that does not take a part of a request.
var (
	aboutTools       = regexp.MustCompile(`(?i)tool ?(use|choice|config|spec)|inputSchema|input_schema`)
	aboutTemperature = regexp.MustCompile(`(?i)temperature`)
	aboutCache       = regexp.MustCompile(`(?i)cache ?point|prompt cach`)
	aboutSystem      = regexp.MustCompile(`(?i)support system|system (messages?|prompts?) (is|are) not`)
)

// learn takes a refusal as news about the model. It returns the manner in which
// the same request is worth another try, if it is; that is so at most once for
// each habit.
func (h *habits) learn(err error, req *llm.Request, asked manner) (next manner, again bool) {
	var e *llm.Error
	if !errors.As(err, &e) || e.Status != http.StatusBadRequest && e.Status != http.StatusForbidden {
		return asked, false
	}
	next = asked
	switch {
	case !asked.noCache && aboutCache.MatchString(e.Message):
		next.noCache = true
	case e.Status == http.StatusForbidden:
		return asked, false
	case !asked.noSystem && aboutSystem.MatchString(e.Message):
		next.noSystem = true
	case req.Temperature != nil && !asked.noTemperature && aboutTemperature.MatchString(e.Message):
		next.noTemperature = true
	case forced(req) && !asked.inWords && aboutTools.MatchString(e.Message):
		next.inWords = true
	default:
		return asked, false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.known = manner{
		inWords:       h.known.inWords || next.inWords,
		noTemperature: h.known.noTemperature || next.noTemperature,
		noCache:       h.known.noCache || next.noCache,
		noSystem:      h.known.noSystem || next.noSystem,
	}
	return next, true
}

// forced reports whether a request's schema is that of a tool which the model
// must call. With tools of its own the model has to be free to call those.
func forced(req *llm.Request) bool { return req.Schema != nil && len(req.Tools) == 0 }
