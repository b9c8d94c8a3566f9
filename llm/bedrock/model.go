package bedrock

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/auth/bearer"
	"github.com/aws/smithy-go/eventstream"

	"github.com/wayfinder-engine/wayfinder/internal/modelhttp"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/config"
)

// Options say which model to use and how to reach it. Model is required, and so
// is one of the three ways to identify the caller: APIKey, AccessKeyID with its
// secret, or Credentials.
type Options struct {
	Model string // the id of a model, of an inference profile, or an ARN

	// Region is where the model is asked, as "eu-central-1". It is required
	// without a BaseURL.
	Region string

	APIKey llm.Secret // of Bedrock, sent as a bearer's token

	// An access key signs the requests; SessionToken is there for temporary ones.
	AccessKeyID     string
	SecretAccessKey llm.Secret
	SessionToken    llm.Secret

	// Credentials, if not nil, are asked for an access key before every request.
	Credentials aws.CredentialsProvider

	BaseURL string            // empty is the vendor's own in the region
	Headers map[string]string // sent with every request, unsigned; they win over our own

	// Timeout bounds a request where the caller's context does not do so
	// sooner; 0 is ten minutes.
	Timeout time.Duration

	// HTTPClient, if not nil, sends the requests. The default obeys the
	// environment's proxies.
	HTTPClient *http.Client
}

// A Model is one model in one region. It may be used from several goroutines at
// once.
type Model struct {
	options Options
	client  *sdk.Client
	habits  modelhttp.Habits[manner]
	access  atomic.Pointer[aws.Credentials] // the last access key that signed
}

var _ llm.Streamer = (*Model)(nil)

// New returns a model. It does not reach for the network.
func New(opts Options) (*Model, error) {
	if opts.Model == "" {
		return nil, errors.New("bedrock: no model is named")
	}
	if opts.BaseURL != "" {
		u, err := modelhttp.Address("bedrock", opts.BaseURL)
		if err != nil {
			return nil, err
		}
		if opts.Region == "" {
			opts.Region = regionOf(u.Hostname())
		}
	}
	if opts.Region == "" {
		return nil, errors.New("bedrock: no region is named")
	}
	if opts.APIKey.IsZero() && opts.Credentials == nil && (opts.AccessKeyID == "" || opts.SecretAccessKey.IsZero()) {
		return nil, &llm.Error{Provider: string(config.Bedrock), Kind: llm.KindAuth, Message: "neither an API key nor an access key with its secret is given"}
	}
	opts.Timeout = cmp.Or(opts.Timeout, 10*time.Minute)
	opts.Headers = maps.Clone(opts.Headers)
	m := &Model{options: opts}
	m.client = sdk.New(sdk.Options{Region: opts.Region}, m.settings)
	return m, nil
}

// NewFromConfig returns the model that a configuration names. What it has no
// place for, as the region and an access key, is in rest; its key is one of
// Bedrock's own. The region of the model's ARN, or else of the address, wins
// over that of rest.
func NewFromConfig(c *config.Config, rest Options) (*Model, error) {
	provider, model, err := c.Resolve()
	if err != nil {
		return nil, err
	}
	if provider != config.Bedrock {
		return nil, fmt.Errorf("bedrock: a model of %s", provider)
	}
	if parts := strings.Split(model, ":"); parts[0] == "arn" && len(parts) > 3 && parts[3] != "" {
		rest.Region = parts[3]
	} else if c.BaseURL != "" {
		rest.Region = "" // the address tells
	}
	rest.Model, rest.APIKey, rest.BaseURL, rest.Headers = model, c.APIKey, c.BaseURL, c.Headers
	return New(rest)
}

// regionOf reads the region from the address of one of the vendor's servers.
// Others, as gateways and servers on loopback, are signed for the region that
// the vendor's tools take where none is named.
func regionOf(host string) string {
	labels := strings.Split(host, ".")
	if len(labels) > 3 && strings.HasPrefix(labels[0], "bedrock") && strings.Contains(host, "amazonaws.com") {
		return labels[1]
	}
	return "us-east-1"
}

// Name is "bedrock/…".
func (m *Model) Name() string { return string(config.Bedrock) + "/" + m.options.Model }

// Generate asks once, and again at once where the model refuses a part of the
// request that can be said otherwise.
func (m *Model) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	return m.ask(ctx, req).Ask()
}

func (m *Model) ask(ctx context.Context, req *llm.Request) modelhttp.Question[manner] {
	return modelhttp.Question[manner]{
		Known:   m.habits.Read,
		Send:    func(k manner, say func(llm.Delta) bool) (*llm.Response, error) { return m.send(ctx, req, k, say) },
		Failure: func(err error) error { return m.failure(ctx, err) },
		Learn:   func(err error, sent manner) (manner, bool) { return m.learn(err, req, sent) },
	}
}

// Stream answers bit by bit. Where the request has a schema, the bits are the
// answer in the form that was sent to the server; the Response at the end is in
// the schema's own.
func (m *Model) Stream(ctx context.Context, req *llm.Request) iter.Seq2[llm.Delta, error] {
	return m.ask(ctx, req).Stream()
}

// send asks once. It gives each bit to say, which says whether to continue; a nil say
// asks for the answer in one piece.
func (m *Model) send(ctx context.Context, req *llm.Request, known manner, say func(llm.Delta) bool) (*llm.Response, error) {
	ctx, cancel := context.WithTimeout(ctx, m.options.Timeout)
	defer cancel() // leaving ends the request
	q, err := m.question(req, known)
	if err != nil {
		return nil, err
	}
	if say == nil {
		out, err := m.client.Converse(ctx, &sdk.ConverseInput{ModelId: &m.options.Model,
			System: q.system, Messages: q.messages, ToolConfig: q.tools, InferenceConfig: q.limits})
		if err != nil {
			return nil, err
		}
		answer, err := readOutput(out, m.options.Model)
		if err != nil {
			return nil, err
		}
		return finish(answer, req, q)
	}
	out, err := m.client.ConverseStream(ctx, &sdk.ConverseStreamInput{ModelId: &m.options.Model,
		System: q.system, Messages: q.messages, ToolConfig: q.tools, InferenceConfig: q.limits})
	if err != nil {
		return nil, err
	}
	events := out.GetStream()
	defer events.Close()
	whole := gathering{answer: newAnswer(m.options.Model), question: q}
	for event := range events.Events() {
		delta, err := whole.add(event)
		if err != nil {
			return nil, err
		}
		if delta != (llm.Delta{}) && !say(delta) {
			return nil, context.Canceled
		}
	}
	if err := events.Err(); err != nil {
		return nil, err
	}
	if whole.reason == "" {
		return nil, modelhttp.Malformed("the stream ended before the answer did")
	}
	return finish(&whole.answer, req, q)
}

// failure puts whatever went wrong as an *llm.Error that holds no key, or as
// the context's own error.
func (m *Model) failure(ctx context.Context, err error) error {
	var known *llm.Error
	var exception smithy.APIError
	var broken *smithy.DeserializationError
	var checksum eventstream.ChecksumError
	var length eventstream.LengthError
	var sending *url.Error
	switch {
	case errors.As(err, &known):
		err = known // without the SDK's words around it
	case errors.As(err, &exception): // in the middle of a stream
		otherwise := llm.KindUnavailable
		if exception.ErrorCode() == "ValidationException" {
			otherwise = llm.KindInvalid
		}
		err = &llm.Error{Kind: codes.Kind(exception.ErrorCode(), otherwise), Message: exception.ErrorMessage()}
	case errors.As(err, &sending):
		err = sending
	case errors.As(err, &broken), errors.As(err, &checksum), errors.As(err, &length):
		err = &llm.Error{Kind: llm.KindMalformed, Message: "the answer can't be read: " + err.Error()}
	}
	err = modelhttp.Failure(ctx, string(config.Bedrock), err, m.scrub)
	if e, ok := errors.AsType[*llm.Error](err); ok {
		e.Kind = kindOfWords(e)
	}
	return err
}

// scrub takes what was secret out of a text.
func (m *Model) scrub(text string) string {
	secrets := []llm.Secret{m.options.APIKey, m.options.SecretAccessKey, m.options.SessionToken}
	if access := m.access.Load(); access != nil {
		secrets = append(secrets, llm.NewSecret(access.SecretAccessKey), llm.NewSecret(access.SessionToken))
	}
	return modelhttp.Scrub(text, m.options.Headers, secrets...)
}

// settings are the SDK's. They come after its look at the environment, and undo
// it: a key of the environment is for its own server.
func (m *Model) settings(o *sdk.Options) {
	o.Retryer = aws.NopRetryer{}
	o.HTTPClient = m.transport()
	if m.options.BaseURL != "" {
		o.BaseEndpoint = aws.String(m.options.BaseURL)
	}
	o.BearerAuthTokenProvider, o.Credentials = nil, nil
	if key := m.options.APIKey; !key.IsZero() {
		o.BearerAuthTokenProvider = bearer.TokenProviderFunc(func(context.Context) (bearer.Token, error) {
			return bearer.Token{Value: key.Reveal()}, nil
		})
		o.BearerAuthSigner = bearerSigner{}
		o.AuthSchemePreference = []string{"httpBearerAuth"}
		return
	}
	o.Credentials = aws.CredentialsProviderFunc(m.credentials)
	o.AuthSchemePreference = []string{"sigv4"}
}

// credentials gives the access key, and keeps it, so that it can be hidden.
func (m *Model) credentials(ctx context.Context) (aws.Credentials, error) {
	access := aws.Credentials{AccessKeyID: m.options.AccessKeyID,
		SecretAccessKey: m.options.SecretAccessKey.Reveal(), SessionToken: m.options.SessionToken.Reveal()}
	if m.options.Credentials != nil {
		var err error
		if access, err = m.options.Credentials.Retrieve(ctx); err != nil {
			return access, &llm.Error{Kind: llm.KindAuth, Message: "no access key: " + err.Error(), Err: err}
		}
	}
	m.access.Store(&access)
	return access, nil
}

// transport sends requests, and looks at every response before the SDK does. It
// follows no redirect: a signed request is for one server.
func (m *Model) transport() doer {
	client := modelhttp.Direct(m.options.HTTPClient)
	return func(req *http.Request) (*http.Response, error) {
		for name, value := range m.options.Headers {
			req.Header.Set(name, value)
		}
		if err := ownBody(req); err != nil {
			return nil, err
		}
		resp, err := modelhttp.Inspect(req, client.Do, codes)
		if err != nil {
			return nil, err
		}
		return wholeJSON(resp)
	}
}

// question writes a request.
func (m *Model) question(req *llm.Request, known manner) (*question, error) {
	if err := req.Check(); err != nil {
		return nil, err
	}
	if err := req.TakesComputer(); err != nil {
		return nil, err
	}
	q := &question{limits: limits(req, known)}
	if err := q.shape(req, known); err != nil {
		return nil, err
	}
	caching := !known.noCache && caches(m.options.Model)
	var marks []int
	if caching {
		marks = req.CacheMarks()
	}
	if err := q.writeMessages(req, marks); err != nil {
		return nil, err
	}
	if q.answerTool == "" {
		if err := q.writeTools(req); err != nil {
			return nil, err
		}
	}
	switch {
	case q.form.System == "":
	case known.noSystem:
		first := &q.messages[0]
		first.Content = append([]types.ContentBlock{&types.ContentBlockMemberText{Value: q.form.System}}, first.Content...)
	default:
		q.system = []types.SystemContentBlock{&types.SystemContentBlockMemberText{Value: q.form.System}}
	}
	if caching && len(q.system) > 0 {
		q.system = append(q.system, &types.SystemContentBlockMemberCachePoint{Value: types.CachePointBlock{Type: types.CachePointTypeDefault}})
	}
	return q, nil
}
