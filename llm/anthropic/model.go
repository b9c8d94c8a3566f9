package anthropic

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/wayfinder-engine/wayfinder/internal/modelhttp"
	"github.com/wayfinder-engine/wayfinder/internal/vendortool"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/config"
	"github.com/wayfinder-engine/wayfinder/schema"
)

const (
	official = "https://api.anthropic.com"

	// defaultLimit is sent where the request leaves the limit to the model:
	// the vendor wants one.
	defaultLimit = 16_000

	// longAnswer is the limit from which the SDK refuses to wait for an
	// answer in one piece.
	longAnswer = 20_000
)

// Options say which model to use and how to reach it. Model is required, and
// APIKey is for Anthropic itself.
type Options struct {
	Model   string
	APIKey  llm.Secret
	BaseURL string            // empty is Anthropic's own; a /v1 at its end is not needed
	Headers map[string]string // sent with every request; they win over our own

	// Provider stands before the model's name in Name and before errors; empty
	// is "anthropic".
	Provider string

	// Timeout bounds a request where the caller's context does not do so
	// sooner; 0 is ten minutes.
	Timeout time.Duration

	// HTTPClient, if not nil, sends the requests. The default obeys the
	// environment's proxies.
	HTTPClient *http.Client
}

// A Model is one Claude model. It may be used from several goroutines at once.
type Model struct {
	options  Options
	messages sdk.MessageService

	// inWords is set once the server refused structured outputs.
	inWords atomic.Bool
}

var _ llm.Streamer = (*Model)(nil)

// New returns a model. It does not reach for the network.
func New(opts Options) (*Model, error) {
	if opts.Model == "" {
		return nil, errors.New("anthropic: no model is named")
	}
	opts.Provider = cmp.Or(opts.Provider, string(config.Anthropic))
	opts.BaseURL = cmp.Or(opts.BaseURL, official)
	u, err := modelhttp.Address("anthropic", opts.BaseURL)
	if err != nil {
		return nil, err
	}
	if u.Host == "api.anthropic.com" && opts.APIKey.IsZero() {
		return nil, &llm.Error{Provider: opts.Provider, Kind: llm.KindAuth, Message: "no API key is given"}
	}
	opts.Timeout = cmp.Or(opts.Timeout, 10*time.Minute)
	opts.Headers = maps.Clone(opts.Headers)
	m := &Model{options: opts}
	m.messages = sdk.NewMessageService(m.settings()...)
	return m, nil
}

// NewFromConfig returns the model that a configuration names.
func NewFromConfig(c *config.Config) (*Model, error) {
	provider, model, err := c.Resolve()
	if err != nil {
		return nil, err
	}
	if provider != config.Anthropic {
		return nil, fmt.Errorf("anthropic: a model of %s", provider)
	}
	return New(Options{Model: model, APIKey: c.APIKey, BaseURL: c.BaseURL, Headers: c.Headers})
}

// settings are the SDK's.
func (m *Model) settings() []option.RequestOption {
	base := strings.TrimSuffix(strings.TrimSuffix(m.options.BaseURL, "/"), "/v1")
	settings := []option.RequestOption{
		option.WithoutEnvironmentDefaults(),
		option.WithBaseURL(base + "/"),
		option.WithHTTPClient(modelhttp.Direct(m.options.HTTPClient)),
		option.WithMaxRetries(0),
		option.WithMiddleware(func(req *http.Request, next option.MiddlewareNext) (*http.Response, error) {
			return modelhttp.Inspect(req, next, codes)
		}),
	}
	if !m.options.APIKey.IsZero() {
		settings = append(settings, option.WithAPIKey(m.options.APIKey.Reveal()))
	}
	for _, name := range slices.Sorted(maps.Keys(m.options.Headers)) {
		settings = append(settings, option.WithHeader(name, m.options.Headers[name]))
	}
	return settings
}

// Name is "anthropic/…", or what Options.Provider says.
func (m *Model) Name() string { return m.options.Provider + "/" + m.options.Model }

// Generate asks once, and again at once where the server refuses to hold the
// answer to the request's schema.
func (m *Model) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	return m.ask(ctx, req).Ask()
}

func (m *Model) ask(ctx context.Context, req *llm.Request) modelhttp.Question[bool] {
	return modelhttp.Question[bool]{
		Known:   m.inWords.Load,
		Send:    func(k bool, say func(llm.Delta) bool) (*llm.Response, error) { return m.send(ctx, req, k, say) },
		Failure: func(err error) error { return m.failure(ctx, err) },
		Learn:   func(err error, inWords bool) (bool, bool) { return true, !inWords && m.learn(err, req) },
	}
}

// learn reports whether a refusal is about the schema, so that the same
// request is worth another try with the schema in words. What is about one
// schema alone is not remembered.
func (m *Model) learn(err error, req *llm.Request) bool {
	e, ok := errors.AsType[*llm.Error](err)
	if req.Schema == nil || !ok || e.Kind != llm.KindInvalid || e.Status != http.StatusBadRequest {
		return false
	}
	text := strings.ToLower(e.Message)
	switch {
	case strings.Contains(text, "output_config"), strings.Contains(text, "structured output"):
		m.inWords.Store(!strings.Contains(text, "schema:"))
		return true
	default:
		return strings.Contains(text, "schema")
	}
}

// failure puts whatever went wrong as an *llm.Error that holds no key, or as
// the context's own error.
func (m *Model) failure(ctx context.Context, err error) error {
	if streamed, ok := errors.AsType[*sdk.Error](err); ok {
		code, message := modelhttp.Trouble([]byte(streamed.RawJSON()))
		err = &llm.Error{Kind: codes.Kind(code, llm.KindUnavailable), Message: cmp.Or(message, "the server broke the stream off")}
	}
	err = modelhttp.Failure(ctx, m.options.Provider, err, m.scrub)
	if e, ok := errors.AsType[*llm.Error](err); ok {
		e.Kind = kindOfWords(e)
	}
	return err
}

// scrub takes what was secret out of a text.
func (m *Model) scrub(text string) string {
	return modelhttp.Scrub(text, m.options.Headers, m.options.APIKey)
}

// Stream answers bit by bit. Where the request has a schema, the bits are the
// answer in the form that was sent to the server; the Response at the end is in
// the schema's own.
func (m *Model) Stream(ctx context.Context, req *llm.Request) iter.Seq2[llm.Delta, error] {
	return m.ask(ctx, req).Stream()
}

// send asks once. It gives each bit to say, which says whether to continue; a nil say
// asks for the answer in one piece.
func (m *Model) send(ctx context.Context, req *llm.Request, inWords bool, say func(llm.Delta) bool) (*llm.Response, error) {
	ctx, cancel := context.WithTimeout(ctx, m.options.Timeout)
	defer cancel() // leaving ends the request
	params, form, err := m.params(req, inWords)
	if err != nil {
		return nil, err
	}
	if say == nil && req.MaxOutputTokens <= longAnswer {
		answer, err := m.messages.New(ctx, params, betaOf(req.Computer)...)
		if err != nil {
			return nil, err
		}
		return readMessage(answer, form, req.Computer)
	}
	if say == nil {
		say = func(llm.Delta) bool { return true }
	}
	events := m.messages.NewStreaming(ctx, params, betaOf(req.Computer)...)
	defer events.Close()
	var whole sdk.Message
	var text modelhttp.Words
	calls, ended := 0, false
	for events.Next() {
		event := events.Current()
		if err := whole.Accumulate(event); err != nil {
			return nil, modelhttp.Malformed("the stream is out of order: " + err.Error())
		}
		if event.Type == "message_stop" {
			ended = true
			break
		}
		if event.Type == "content_block_start" && event.ContentBlock.Type == "tool_use" {
			calls++
		}
		if delta, ok := deltaOf(&event, &text, calls-1); ok && !say(delta) {
			return nil, context.Canceled
		}
	}
	if err := events.Err(); err != nil {
		return nil, err
	}
	if !ended {
		return nil, modelhttp.Malformed("the stream ended before the answer did")
	}
	if rest := text.Flush(); rest != "" && !say(llm.Delta{Text: rest}) {
		return nil, context.Canceled
	}
	return readMessage(&whole, form, req.Computer)
}

// deltaOf reads what an event brings. call is the index of the call that came
// last: blocks come one after the other.
func deltaOf(event *sdk.MessageStreamEventUnion, text *modelhttp.Words, call int) (llm.Delta, bool) {
	switch {
	case event.Type == "content_block_start" && event.ContentBlock.Type == "tool_use":
		return llm.Delta{Call: &llm.CallDelta{Index: call, ID: event.ContentBlock.ID, Name: event.ContentBlock.Name}}, true
	case event.Type != "content_block_delta":
		return llm.Delta{}, false
	}
	switch event.Delta.Type {
	case "text_delta":
		bit := text.Add(event.Delta.Text)
		return llm.Delta{Text: bit}, bit != ""
	case "thinking_delta":
		return llm.Delta{Reasoning: event.Delta.Thinking}, event.Delta.Thinking != ""
	case "input_json_delta":
		return llm.Delta{Call: &llm.CallDelta{Index: call, Arguments: event.Delta.PartialJSON}}, event.Delta.PartialJSON != ""
	}
	return llm.Delta{}, false
}

// params writes a request, with the form of its answer.
func (m *Model) params(req *llm.Request, inWords bool) (p sdk.MessageNewParams, form modelhttp.Form, err error) {
	if err := req.Check(); err != nil {
		return p, form, err
	}
	p = sdk.MessageNewParams{Model: m.options.Model, MaxTokens: defaultLimit}
	if req.MaxOutputTokens > 0 {
		p.MaxTokens = int64(req.MaxOutputTokens)
	}
	if req.Temperature != nil {
		p.Temperature = sdk.Float(*req.Temperature)
	}
	if form, err = modelhttp.NewForm(req, schema.Anthropic, inWords); err != nil {
		return p, form, err
	}
	if form.Schema != nil {
		p.OutputConfig.Format.SetExtraFields(map[string]any{"schema": form.Schema})
	}
	if err := req.TakesComputer(vendortool.AnthropicBrowser, vendortool.AnthropicToolset, vendortool.Anthropic20251124, vendortool.Anthropic20250124); err != nil {
		return p, form, err
	}
	if req.Computer != nil {
		p.Tools = append(p.Tools, computerTool(req.Computer))
	}
	for _, tool := range req.Tools {
		p.Tools = append(p.Tools, sdk.ToolUnionParam{OfTool: toolParam(tool)})
	}
	if n := len(p.Tools); form.System == "" && len(req.Tools) > 0 { // else the mark of the system prompt, which follows, does for both
		p.Tools[n-1].OfTool.CacheControl = sdk.NewCacheControlEphemeralParam()
	}
	if form.System != "" {
		p.System = []sdk.TextBlockParam{{Text: form.System, CacheControl: sdk.NewCacheControlEphemeralParam()}}
	}
	if len(p.Tools) > 0 {
		p.ToolChoice = toolChoice(req.ToolChoice)
	}
	marks := req.CacheMarks()
	for i, message := range req.Messages {
		blocks := contentBlocks(message, req.Computer)
		if len(blocks) == 0 {
			continue
		}
		if slices.Contains(marks, i) {
			markEnd(blocks)
		}
		p.Messages = append(p.Messages, sdk.MessageParam{Role: sdk.MessageParamRole(message.Role), Content: blocks})
	}
	return p, form, nil
}
