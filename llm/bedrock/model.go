package bedrock

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
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
	habits  habits
	access  atomic.Pointer[aws.Credentials] // the last access key that signed
}

var _ llm.Streamer = (*Model)(nil)

// New returns a model. It does not reach for the network.
func New(opts Options) (*Model, error) {
	if opts.Model == "" {
		return nil, errors.New("bedrock: no model is named")
	}
	if opts.BaseURL != "" {
		u, err := url.Parse(opts.BaseURL)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return nil, fmt.Errorf("bedrock: %q is no address of a server", opts.BaseURL)
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
	if opts.Timeout == 0 {
		opts.Timeout = 10 * time.Minute
	}
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
		Known:   m.habits.read,
		Whole:   func(k manner) (*llm.Response, error) { return m.generate(ctx, req, k) },
		Bits:    func(k manner, say func(llm.Delta) bool) (*llm.Response, error) { return m.stream(ctx, req, k, say) },
		Failure: func(err error) error { return m.failure(ctx, err) },
		Learn:   func(err error, sent manner) (manner, bool) { return m.habits.learn(err, req, sent) },
	}
}

func (m *Model) generate(ctx context.Context, req *llm.Request, known manner) (*llm.Response, error) {
	ctx, cancel := context.WithTimeout(ctx, m.options.Timeout)
	defer cancel()
	q, err := m.question(req, known)
	if err != nil {
		return nil, err
	}
	out, err := m.client.Converse(ctx, &sdk.ConverseInput{ModelId: &m.options.Model,
		System: q.system, Messages: q.messages, ToolConfig: q.tools, InferenceConfig: q.limits})
	if err != nil {
		return nil, err
	}
	answer, err := readOutput(out)
	if err != nil {
		return nil, err
	}
	return m.finish(answer, req, q)
}
