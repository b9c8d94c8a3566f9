package openai

import (
	"errors"
	"net/http"
	"regexp"

	"github.com/wayfinder-engine/wayfinder/internal/modelhttp"
	"github.com/wayfinder-engine/wayfinder/internal/vendortool"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/config"
	"github.com/wayfinder-engine/wayfinder/schema"
)

// A level is how a server learns what shape an answer must have.
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
	inWords       bool // it takes a response format and does not keep to it
	thoughts      thoughtHabit
}

// A thoughtHabit is what a server of Chat Completions wants of the model's
// earlier thoughts.
type thoughtHabit int

const (
	ownThoughts  thoughtHabit = iota // those that it gave come back to it
	noThoughts                       // none do
	everyThought                     // a message without one has an empty one
)

// What servers say when they do not take a part of a request.
var (
	aboutFormat      = regexp.MustCompile(`(?i)response_format|json_schema|json_object|text\.format|structured output|guided|grammar|invalid schema`)
	aboutThisSchema  = regexp.MustCompile(`(?i)invalid schema`)
	aboutTemperature = regexp.MustCompile(`(?i)temperature`)
	aboutLimit       = regexp.MustCompile(`(?i)max_tokens|max_completion_tokens`)
	aboutNoThought   = regexp.MustCompile(`(?i)(missing|must be passed back).{0,60}reasoning_content|reasoning_content.{0,60}(missing|must be passed back)`)
	aboutThought     = regexp.MustCompile(`(?i)reasoning(_content|_details)?\b`)
	aboutUsage       = regexp.MustCompile(`(?i)stream_options|include_usage`)
)

// learn takes a refusal as news about the server. It returns the habits by
// which the same request is worth another try, if it is; that is so at most
// once for each habit. What is about one schema alone is not remembered.
func (m *Model) learn(err error, req *llm.Request, sent habits) (next habits, again bool) {
	e, ok := errors.AsType[*llm.Error](err)
	if !ok {
		return sent, false
	}
	switch e.Status {
	case http.StatusBadRequest, http.StatusUnprocessableEntity, http.StatusNotImplemented, http.StatusInternalServerError:
	default:
		return sent, false
	}
	var change func(*habits)
	switch {
	case req.Schema != nil && sent.level < byRequest && aboutFormat.MatchString(e.Message):
		refused := sent.level
		sent.level++
		if aboutThisSchema.MatchString(e.Message) {
			return sent, true
		}
		// A level that only this request had says nothing of other schemas.
		change = func(h *habits) {
			if h.level == refused {
				h.level++
			}
		}
	case req.Temperature != nil && !sent.noTemperature && aboutTemperature.MatchString(e.Message):
		change = func(h *habits) { h.noTemperature = true }
	case req.MaxOutputTokens > 0 && !sent.otherLimit && aboutLimit.MatchString(e.Message):
		change = func(h *habits) { h.otherLimit = true }
	case sent.thoughts == ownThoughts && aboutNoThought.MatchString(e.Message):
		change = func(h *habits) { h.thoughts = everyThought }
	case sent.thoughts == ownThoughts && hasThoughts(req) && aboutThought.MatchString(e.Message):
		change = func(h *habits) { h.thoughts = max(h.thoughts, noThoughts) }
	case !sent.noUsage && aboutUsage.MatchString(e.Message):
		change = func(h *habits) { h.noUsage = true }
	default:
		return sent, false
	}
	change(&sent)
	m.habits.Change(change)
	return sent, true
}

// hear looks at an answer for what it shows of the server: one that talks
// where a schema was asked for gets the schema in words from then on.
func (m *Model) hear(resp *llm.Response, req *llm.Request, sent habits) {
	if req.Schema == nil || len(resp.ToolCalls) > 0 || sent.level == byRequest {
		return
	}
	if _, ok := llm.FindJSON(resp.Text); !ok {
		m.habits.Change(func(h *habits) { h.inWords = true })
	}
}

// hasThoughts reports whether a model's thoughts go back with a request.
func hasThoughts(req *llm.Request) bool {
	for _, message := range req.Messages {
		for _, part := range message.Parts {
			if r, ok := part.(llm.Reasoning); ok && r.Opaque != nil {
				return true
			}
		}
	}
	return false
}

// A shape is one request, and how it says what its answer must look like.
type shape struct {
	options *Options
	req     *llm.Request
	known   habits

	level  level
	strict bool
	form   modelhttp.Form
}

// newShape checks a request, and decides on the form of its answer.
func newShape(options *Options, req *llm.Request, known habits) (*shape, error) {
	if err := req.Check(); err != nil {
		return nil, err
	}
	var computers []string // that the interface has
	if options.Format == config.ResponsesFormat {
		computers = []string{vendortool.OpenAI, vendortool.OpenAIPreview}
	}
	if err := req.TakesComputer(computers...); err != nil {
		return nil, err
	}
	s := &shape{options: options, req: req, known: known, level: byRequest, form: modelhttp.Form{System: llm.SystemText(req)}}
	if req.Schema == nil {
		return s, nil
	}
	original, err := modelhttp.ParseSchema(req)
	if err != nil {
		return nil, err
	}
	s.level = known.level
	s.form.Schema = req.Schema.Schema
	if s.level == bySchema {
		s.strict = s.form.Narrow(original, schema.OpenAI)
		if !known.inWords {
			return s, nil
		}
	}
	s.form.System = modelhttp.InWords(s.form.System, original)
	return s, nil
}
