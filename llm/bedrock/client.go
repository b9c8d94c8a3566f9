package bedrock

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"mime"
	"net"
	"net/http"

	"github.com/aws/smithy-go/auth/bearer"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/wayfinder-engine/wayfinder/internal/modelhttp"
)

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
