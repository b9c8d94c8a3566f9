package gemini

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"google.golang.org/genai"

	"github.com/wayfinder-engine/wayfinder/internal/modelhttp"
	"github.com/wayfinder-engine/wayfinder/internal/vendortool"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/schema"
)

// Options say which model to use and how to reach it. Provider, Model,
// BaseURL, Sign and Scrub are required.
type Options struct {
	Provider string // stands before the model's name, and before errors
	Model    string

	// BaseURL is the server's address, with or without the version of the
	// interface at its end. One that leads to a publisher's models, as
	// …/publishers/google, is followed by /models/… at once.
	BaseURL string

	// Project and Location are for Vertex; where they are empty, the model is
	// asked as the Gemini API has it.
	Project  string
	Location string

	Headers map[string]string // sent with every request; they win over our own
	Timeout time.Duration     // of a request; 0 is ten minutes

	// HTTPClient, if not nil, sends the requests. The default obeys the
	// environment's proxies.
	HTTPClient *http.Client

	// Sign puts the caller's credentials into a request's headers.
	Sign func(ctx context.Context, h http.Header) error
	// Refused, if not nil, hears that the server did not take that proof.
	Refused func(h http.Header)
	// Scrub takes secrets out of a text.
	Scrub func(text string) string
}

// A Model is one Gemini model. It may be used from several goroutines at once.
type Model struct {
	options Options
	models  *genai.Models
	known   habits
}

var _ llm.Streamer = (*Model)(nil)

// New returns a model. It does not reach for the network.
func New(opts Options) (*Model, error) {
	if opts.Model == "" {
		return nil, fmt.Errorf("%s: no model is named", opts.Provider)
	}
	if strings.ContainsAny(opts.Model, "?&#:% ") || strings.Contains(opts.Model, "..") {
		return nil, fmt.Errorf("%s: %q is no name of a model", opts.Provider, opts.Model)
	}
	u, err := modelhttp.Address(opts.Provider, opts.BaseURL)
	if err != nil {
		return nil, err
	}
	opts.Timeout = cmp.Or(opts.Timeout, 10*time.Minute)
	opts.Headers = maps.Clone(opts.Headers)
	m := &Model{options: opts}
	client, err := genai.NewClient(context.Background(), m.settings(u))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", opts.Provider, err)
	}
	m.models = client.Models
	return m, nil
}

// settings are the SDK's. It gets no key: ours is set where a request leaves,
// and what the environment holds is for another server perhaps.
func (m *Model) settings(base *url.URL) *genai.ClientConfig {
	t := &transport{options: &m.options}
	client := modelhttp.Through(m.options.HTTPClient, func(next http.RoundTripper) http.RoundTripper {
		t.next = next
		return t
	})
	config := &genai.ClientConfig{
		Backend: genai.BackendGeminiAPI, APIKey: noKey, HTTPClient: client,
		HTTPOptions: genai.HTTPOptions{BaseURL: base.String(), APIVersion: "v1beta"},
	}
	if m.options.Project != "" {
		config.Backend, config.APIKey = genai.BackendVertexAI, ""
		config.Project, config.Location = m.options.Project, m.options.Location
		config.HTTPOptions.APIVersion = "v1beta1"
	}
	path := strings.TrimSuffix(base.Path, "/")
	if strings.Contains(path+"/", "/publishers/") {
		t.models = path
	} else if i := strings.LastIndexByte(path, '/'); i >= 0 && version.MatchString(path[i+1:]) {
		config.HTTPOptions.APIVersion = path[i+1:]
		config.HTTPOptions.BaseURL = base.Scheme + "://" + base.Host + path[:i]
	}
	return config
}

// Name is the provider and the model's name.
func (m *Model) Name() string { return m.options.Provider + "/" + m.options.Model }

// Generate asks once, and again at once where the server refuses a part of the
// request that can be said otherwise.
func (m *Model) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	return m.ask(ctx, req).Ask()
}

func (m *Model) ask(ctx context.Context, req *llm.Request) modelhttp.Question[manner] {
	return modelhttp.Question[manner]{
		Known:   func() manner { return m.known.manner(req, m.options.Model) },
		Send:    func(k manner, say func(llm.Delta) bool) (*llm.Response, error) { return m.send(ctx, req, k, say) },
		Failure: func(err error) error { return m.failure(ctx, err) },
		Learn:   func(err error, sent manner) (manner, bool) { return m.known.learn(err, req, sent) },
	}
}

// failure puts whatever went wrong as an *llm.Error that holds no secret, or as
// the context's own error.
func (m *Model) failure(ctx context.Context, err error) error {
	return failure(ctx, &m.options, err)
}

// Stream answers bit by bit. Where the request has a schema, the bits are the
// answer in the form that was sent to the server; the Response at the end is in
// the schema's own.
func (m *Model) Stream(ctx context.Context, req *llm.Request) iter.Seq2[llm.Delta, error] {
	return m.ask(ctx, req).Stream()
}

// send asks once. It gives each bit to say, which says whether to continue; a nil say
// asks for the answer in one piece.
func (m *Model) send(ctx context.Context, req *llm.Request, how manner, say func(llm.Delta) bool) (*llm.Response, error) {
	q, err := m.question(req, how)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, m.options.Timeout)
	defer cancel() // leaving ends the request
	x := &exchange{}
	whole := answer{torn: say != nil, before: q.calls, own: q.own}
	err = x.callSDK(func() error {
		if say == nil {
			said, err := m.models.GenerateContent(x.with(ctx), m.options.Model, q.contents, q.config)
			if err == nil {
				_, err = whole.add(said)
			}
			return err
		}
		for piece, err := range m.models.GenerateContentStream(x.with(ctx), m.options.Model, q.contents, q.config) {
			if err != nil {
				return err
			}
			deltas, err := whole.add(piece)
			if err != nil {
				return err
			}
			x.outside = true
			left := slices.ContainsFunc(deltas, func(d llm.Delta) bool { return !say(d) })
			x.outside = false
			if left {
				return errLeft
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if say != nil {
		if whole.reason == "" && whole.blocked == nil {
			return nil, modelhttp.Malformed("the stream ended before the answer did")
		}
		if rest := whole.text.Flush(); rest != "" && !say(llm.Delta{Text: rest}) {
			return nil, errLeft
		}
	}
	return whole.response(q)
}

// question writes a request.
func (m *Model) question(req *llm.Request, how manner) (*question, error) {
	if err := req.Check(); err != nil {
		return nil, err
	}
	if err := req.TakesComputer(vendortool.Google, vendortool.Google2025); err != nil {
		return nil, err
	}
	once := false // a checkpoint would be paid for and continued behind the caller's back
	q := &question{config: &genai.GenerateContentConfig{AutomaticContinuation: &once}}
	q.config.MaxOutputTokens = int32(min(req.MaxOutputTokens, math.MaxInt32))
	if req.Temperature != nil {
		temperature := float32(*req.Temperature)
		q.config.Temperature = &temperature
	}
	if req.Computer != nil {
		q.own = ownFunctions{there: true, names: map[string]bool{}}
		for _, tool := range req.Tools {
			q.own.names[tool.Name] = true
		}
	}
	var err error
	if q.form, err = modelhttp.NewForm(req, schema.Google, how.inWords); err != nil {
		return nil, err
	}
	if q.form.Schema != nil {
		q.config.ResponseMIMEType = "application/json"
	}
	if q.form.System != "" {
		q.config.SystemInstruction = &genai.Content{Parts: []*genai.Part{{Text: q.form.System}}}
	}
	if len(req.Tools) > 0 {
		q.config.ToolConfig = toolConfig(req.ToolChoice)
	}
	for _, message := range req.Messages {
		if parts := q.parts(message, how); len(parts) > 0 {
			role := genai.RoleUser
			if message.Role == llm.Assistant {
				role = genai.RoleModel
			}
			q.contents = append(q.contents, &genai.Content{Role: role, Parts: parts})
		}
	}
	q.config.HTTPOptions = &genai.HTTPOptions{Headers: http.Header{}, ExtrasRequestProvider: asWritten(req.Tools, req.Computer != nil, q.form.Schema)}
	return q, nil
}
