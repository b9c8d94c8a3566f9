package openai

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

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/ssestream"
	"github.com/openai/openai-go/v3/responses"

	"github.com/wayfinder-engine/wayfinder/internal/modelhttp"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/config"
)

// official is the address of OpenAI itself.
const official = "https://api.openai.com/v1"

// Options say which model to use and how to reach it. Model is required, and
// APIKey is for OpenAI itself.
type Options struct {
	Model  string     // as the server names it
	APIKey llm.Secret // zero sends none, as local servers want it

	BaseURL string            // empty is OpenAI's own
	Headers map[string]string // sent with every request; they win over our own

	// KeyHeader is the header that holds the key as it stands; empty is
	// Authorization, with "Bearer" before the key.
	KeyHeader string

	// Token, if not nil, is asked before every request, and what it gives is
	// sent as a bearer's token in place of a key. It may be called from several
	// goroutines at once.
	Token func(context.Context) (llm.Secret, error)

	Query map[string]string // added to the address of every request

	// Genuine says that a server which is not OpenAI's own has OpenAI's own
	// models, as Azure has: what only those know is used.
	Genuine bool

	Organization string // of OpenAI
	Project      string // of OpenAI

	// Format is the interface that is used; empty is Responses for OpenAI
	// itself, and Chat Completions for others.
	Format config.EndpointFormat

	// Provider stands before the model's name in Name and before errors; empty
	// is "openai".
	Provider string

	// Timeout bounds a request where the caller's context does not do so
	// sooner; 0 is ten minutes.
	Timeout time.Duration

	// HTTPClient, if not nil, sends the requests. The default obeys the
	// environment's proxies.
	HTTPClient *http.Client
}

// NewFromConfig returns the model that a configuration names: one of OpenAI's or of a
// compatible server, of Azure's or of Microsoft's.
func NewFromConfig(c *config.Config) (*Model, error) {
	provider, model, err := c.Resolve()
	if err != nil {
		return nil, err
	}
	switch provider {
	case config.OpenAI:
		return New(Options{Model: model, APIKey: c.APIKey, BaseURL: c.BaseURL, Headers: c.Headers, Format: c.OpenAIEndpointFormat})
	case config.Azure:
		return azureFromConfig(c, model)
	case config.Microsoft:
		return NewMicrosoft(MicrosoftOptions{Model: model, APIKey: c.APIKey, BaseURL: c.BaseURL, Headers: c.Headers, Format: c.OpenAIEndpointFormat})
	default:
		return nil, fmt.Errorf("openai: a model of %s", provider)
	}
}

// A Model is one model of one server. It may be used from several goroutines
// at once.
type Model struct {
	options   Options
	name      string
	official  bool
	chat      sdk.ChatCompletionService
	responses responses.ResponseService
	habits    modelhttp.Habits[habits]
	token     atomic.Pointer[llm.Secret] // the last that Options.Token gave
}

var _ llm.Streamer = (*Model)(nil)

// New returns a model. It does not reach for the network.
func New(opts Options) (*Model, error) {
	if opts.Model == "" {
		return nil, errors.New("openai: no model is named")
	}
	opts.Provider = cmp.Or(opts.Provider, string(config.OpenAI))
	opts.BaseURL = cmp.Or(opts.BaseURL, official)
	u, err := modelhttp.Address("openai", opts.BaseURL)
	if err != nil {
		return nil, err
	}
	m := &Model{options: opts, name: opts.Provider + "/" + opts.Model, official: u.Host == "api.openai.com"}
	m.options.Headers = maps.Clone(opts.Headers)
	m.options.Query = maps.Clone(opts.Query)
	m.options.Genuine = opts.Genuine || m.official
	if m.official && opts.APIKey.IsZero() && opts.Token == nil {
		return nil, &llm.Error{Provider: opts.Provider, Kind: llm.KindAuth, Message: "no API key is given"}
	}
	switch opts.Format {
	case config.ResponsesFormat, config.ChatFormat:
	case "":
		m.options.Format = config.ChatFormat
		if m.official {
			m.options.Format = config.ResponsesFormat
		}
	default:
		return nil, fmt.Errorf("openai: unknown endpoint format %q, there are %q and %q", opts.Format, config.ResponsesFormat, config.ChatFormat)
	}
	settings := m.settings()
	m.chat = sdk.NewChatCompletionService(settings...)
	m.responses = responses.NewResponseService(settings...)
	return m, nil
}

// settings are the SDK's. Nothing comes from the environment: a key of
// OpenAI's must not reach another server.
func (m *Model) settings() []option.RequestOption {
	settings := []option.RequestOption{
		option.WithBaseURL(strings.TrimSuffix(m.options.BaseURL, "/") + "/"),
		option.WithHTTPClient(modelhttp.Direct(m.options.HTTPClient)),
		option.WithMaxRetries(0),
		option.WithRequestTimeout(cmp.Or(m.options.Timeout, 10*time.Minute)),
		option.WithMiddleware(m.inspect),
	}
	switch key := m.options.APIKey; {
	case key.IsZero() || m.options.Token != nil:
	case m.options.KeyHeader != "":
		settings = append(settings, option.WithHeader(m.options.KeyHeader, key.Reveal()))
	default:
		settings = append(settings, option.WithAPIKey(key.Reveal()))
	}
	for _, name := range slices.Sorted(maps.Keys(m.options.Query)) {
		settings = append(settings, option.WithQuery(name, m.options.Query[name]))
	}
	if m.options.Organization != "" {
		settings = append(settings, option.WithOrganization(m.options.Organization))
	}
	if m.options.Project != "" {
		settings = append(settings, option.WithProject(m.options.Project))
	}
	for _, name := range slices.Sorted(maps.Keys(m.options.Headers)) {
		settings = append(settings, option.WithHeader(name, m.options.Headers[name]))
	}
	return settings
}

// Name is "openai/…", or what Options.Provider says.
func (m *Model) Name() string { return m.name }

// Generate asks once, and again at once where the server refuses a part of the
// request that can be said otherwise.
func (m *Model) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	return m.ask(ctx, req).Ask()
}

func (m *Model) ask(ctx context.Context, req *llm.Request) modelhttp.Question[habits] {
	return modelhttp.Question[habits]{
		Known:    m.habits.Read,
		Send:     func(k habits, say func(llm.Delta) bool) (*llm.Response, error) { return m.send(ctx, req, k, say) },
		Failure:  func(err error) error { return m.failure(ctx, err) },
		Learn:    func(err error, sent habits) (habits, bool) { return m.learn(err, req, sent) },
		Answered: func(resp *llm.Response, sent habits) { m.hear(resp, req, sent) },
	}
}

// Stream answers bit by bit. Where the request has a schema, the bits are the
// answer in the form that was sent to the server; the Response at the end is in
// the schema's own.
func (m *Model) Stream(ctx context.Context, req *llm.Request) iter.Seq2[llm.Delta, error] {
	return m.ask(ctx, req).Stream()
}

// send asks once, by one of the two interfaces. It gives each bit to say, which says
// whether to continue; a nil say asks for the answer in one piece.
func (m *Model) send(ctx context.Context, req *llm.Request, known habits, say func(llm.Delta) bool) (*llm.Response, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // leaving ends the request
	shape, err := newShape(&m.options, req, known)
	if err != nil {
		return nil, err
	}
	if m.options.Format == config.ResponsesFormat {
		return (&response{shape, &m.responses}).send(ctx, say)
	}
	return (&chat{shape, &m.chat}).send(ctx, say)
}

// inspect gives every request its token, where there are tokens, and looks at
// every response before the SDK does.
func (m *Model) inspect(req *http.Request, next option.MiddlewareNext) (*http.Response, error) {
	if m.options.Token == nil {
		return modelhttp.Inspect(req, next, codes)
	}
	token, err := m.options.Token(req.Context())
	if err != nil {
		return nil, &llm.Error{Kind: llm.KindAuth, Message: "no token: " + err.Error(), Err: err}
	}
	if req.Header.Get("Authorization") == "" { // else a header of the options wins
		req.Header.Set("Authorization", "Bearer "+token.Reveal())
	}
	m.token.Store(&token)
	resp, err := modelhttp.Inspect(req, next, codes)
	if e, ok := errors.AsType[*llm.Error](err); ok { // by now, another request may have stored another token
		e.Message = token.Scrub(e.Message)
	}
	return resp, err
}

// failure puts whatever went wrong as an *llm.Error that holds no key, or as
// the context's own error.
func (m *Model) failure(ctx context.Context, err error) error {
	if streamed, ok := errors.AsType[*ssestream.StreamError](err); ok {
		code, message := modelhttp.Trouble(streamed.Event.Data)
		err = &llm.Error{Kind: codes.Kind(code, llm.KindUnavailable), Message: message}
	}
	return modelhttp.Failure(ctx, m.options.Provider, err, m.scrub)
}

// scrub takes what was secret out of a text.
func (m *Model) scrub(text string) string {
	if token := m.token.Load(); token != nil {
		text = token.Scrub(text)
	}
	return modelhttp.Scrub(text, m.options.Headers, m.options.APIKey)
}
