package bedrock

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"mime"
	"net"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/smithy-go/auth/bearer"
	smithyhttp "github.com/aws/smithy-go/transport/http"
	"github.com/wayfinder-engine/wayfinder/internal/modelhttp"
	"github.com/wayfinder-engine/wayfinder/llm"
)

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

// bearerSigner is the SDK's signer, which refuses plain HTTP, with an exception
// for servers on loopback.
type bearerSigner struct{ bearer.SignHTTPSMessage }

// SignWithBearerToken adds the token.
func (s bearerSigner) SignWithBearerToken(ctx context.Context, token bearer.Token, message bearer.Message) (bearer.Message, error) {
	req, ok := message.(*smithyhttp.Request)
	if !ok || req.URL == nil || !isLoopback(req.URL.Hostname()) {
		return s.SignHTTPSMessage.SignWithBearerToken(ctx, token, message)
	}
	req = req.Clone()
	req.Header.Set("Authorization", "Bearer "+token.Value)
	return req, nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// doer sends the SDK's requests.
type doer func(*http.Request) (*http.Response, error)

// Do is part of sdk.HTTPClient.
func (d doer) Do(req *http.Request) (*http.Response, error) { return d(req) }

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
		resp, err := modelhttp.Inspect(req, client.Do, kindOfCode)
		if err != nil {
			return nil, err
		}
		return wholeJSON(resp)
	}
}

// ownBody gives a request a body that the SDK does not hold. The SDK closes its
// own as soon as an answer has begun. Where the connection is still busy with
// the end of the request then, it would take that for a request which broke off,
// and give up the answer; see TestBodyIsThereUntilItIsSent.
func ownBody(req *http.Request) error {
	if req.Body == nil {
		return nil
	}
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return err
	}
	req.Body = io.NopCloser(bytes.NewReader(body))
	return nil
}

// wholeJSON reads an answer in one piece, so that one that breaks off is reported
// from one that is wrong.
func wholeJSON(resp *http.Response) (*http.Response, error) {
	if mediaType, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); mediaType != "application/json" {
		return resp, nil
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	if !json.Valid(body) {
		return nil, modelhttp.Malformed("the answer is no complete JSON: " + modelhttp.Excerpt(body, "text"))
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}
