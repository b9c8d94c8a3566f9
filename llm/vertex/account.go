package vertex

import (
	"cmp"
	"context"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"cloud.google.com/go/auth"
	"cloud.google.com/go/auth/credentials"
	"github.com/wayfinder-engine/wayfinder/internal/modelhttp"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/config"
)

const (
	defaultUniverse = "googleapis.com"
	defaultTokens   = "https://oauth2.googleapis.com/token"
	wholePlatform   = "https://www.googleapis.com/auth/cloud-platform"
)

// An account signs requests with a token, which it keeps until some minutes
// before that ends. It may be used from several goroutines at once.
type account struct {
	tokens auth.TokenProvider // keeps none
	key    llm.Secret
	turn   chan struct{} // full while somebody asks for a token

	mu    sync.Mutex // protects the fields below
	token *auth.Token
	past  []llm.Secret // the last tokens, which an error may still repeat
}

func newAccount(opts *Options) (*account, error) {
	given := opts.Account
	// Variables of the environment hold a key's line breaks as two characters.
	key := strings.ReplaceAll(given.PrivateKey.Reveal(), `\n`, "\n")
	switch {
	case given.ClientEmail == "":
		return nil, badAccount("the service account has no client_email")
	case key == "":
		return nil, badAccount("the service account has no private_key")
	case !isPrivateKey(key):
		return nil, badAccount("the service account's private_key is no RSA key in PEM form")
	}
	given.TokenURI = cmp.Or(given.TokenURI, defaultTokens)
	if u, err := url.Parse(given.TokenURI); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, badAccount(fmt.Sprintf("the service account's token_uri, %q, is no address of a server", given.TokenURI))
	}
	scopes := slices.DeleteFunc(slices.Clone(opts.Scopes), func(s string) bool { return s == "" })
	if len(scopes) == 0 {
		scopes = []string{wholePlatform}
	}
	a := &account{key: llm.NewSecret(key), turn: make(chan struct{}, 1)}
	var err error
	if opts.UniverseDomain == defaultUniverse {
		a.tokens, err = auth.New2LOTokenProvider(&auth.Options2LO{
			Email: given.ClientEmail, PrivateKey: []byte(key), PrivateKeyID: given.PrivateKeyID,
			TokenURL: given.TokenURI, Scopes: scopes, Client: modelhttp.Direct(opts.HTTPClient),
		})
	} else {
		a.tokens, err = selfSigned(&given, key, scopes)
	}
	if err != nil {
		return nil, badAccount("the service account can't be used: " + a.scrub(err.Error()))
	}
	return a, nil
}

func badAccount(message string) error {
	return &llm.Error{Provider: string(config.Vertex), Kind: llm.KindAuth, Message: message}
}

func isPrivateKey(key string) bool {
	block, _ := pem.Decode([]byte(key))
	if block == nil {
		return false
	}
	if parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes); err == nil {
		_, ok := parsed.(*rsa.PrivateKey)
		return ok
	}
	_, err := x509.ParsePKCS1PrivateKey(block.Bytes)
	return err == nil
}

// selfSigned gives tokens that the key itself signs, without asking a server.
func selfSigned(given *config.ServiceAccount, key string, scopes []string) (auth.TokenProvider, error) {
	file, err := json.Marshal(map[string]string{
		"type": "service_account", "client_email": given.ClientEmail, "private_key": key, "private_key_id": given.PrivateKeyID})
	if err != nil {
		return nil, err
	}
	return credentials.NewCredentialsFromJSON(credentials.ServiceAccount, file, &credentials.DetectOptions{Scopes: scopes, UseSelfSignedJWT: true})
}

// sign puts a token into a request's headers.
func (a *account) sign(ctx context.Context, h http.Header) error {
	token := a.current()
	if token == nil {
		var err error
		if token, err = a.fetch(ctx); err != nil {
			return err
		}
	}
	h.Set("Authorization", "Bearer "+token.Value)
	return nil
}

// fetch asks for a token, one caller at a time. Who waits for another caller's
// request still learns when its own context ends.
func (a *account) fetch(ctx context.Context) (*auth.Token, error) {
	select {
	case a.turn <- struct{}{}:
		defer func() { <-a.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if token := a.current(); token != nil {
		return token, nil
	}
	token, err := a.tokens.Token(ctx)
	if err != nil {
		return nil, a.tokenError(err)
	}
	if token.Value == "" {
		return nil, &llm.Error{Kind: llm.KindMalformed, Message: "the token server's answer has no access_token"}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.token = token
	a.past = append(a.past, llm.NewSecret(token.Value))
	if len(a.past) > pastTokens {
		a.past = slices.Delete(a.past, 0, 1)
	}
	return token, nil
}

const pastTokens = 8

// current returns the token that is good for a request, or nil.
func (a *account) current() *auth.Token {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.token.IsValid() {
		return nil
	}
	return a.token
}

// tokenError says why there is no token, in the server's own two words for it:
// the rest of what it wrote may repeat what it was sent.
func (a *account) tokenError(err error) error {
	refused, ok := errors.AsType[*auth.Error](err)
	if !ok || refused.Response == nil {
		return &llm.Error{Kind: llm.KindUnavailable, Message: a.scrub(err.Error()), Err: err}
	}
	var body struct {
		Code  string `json:"error"`
		Words string `json:"error_description"`
	}
	status := refused.Response.StatusCode
	message := fmt.Sprintf("the token server answered with status %d", status)
	if json.Unmarshal(refused.Body, &body) == nil && body.Code != "" {
		message = strings.TrimSuffix("the token server refused the service account: "+body.Code+": "+body.Words, ": ")
	}
	e := &llm.Error{Kind: llm.KindAuth, Status: status, Message: a.scrub(message)}
	switch {
	case status == http.StatusTooManyRequests:
		e.Kind = llm.KindRateLimited
	case status >= 500:
		e.Kind = llm.KindUnavailable
	}
	return e
}

// refused forgets a token that the server did not take.
func (a *account) refused(h http.Header) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.token != nil && h.Get("Authorization") == "Bearer "+a.token.Value {
		a.token = nil
	}
}

// scrub takes the key and the tokens out of a text.
func (a *account) scrub(text string) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, token := range a.past {
		text = token.Scrub(text)
	}
	return a.key.Scrub(text)
}

// safe takes the key and the tokens out of an error's words.
func (a *account) safe(err error) error {
	e, ok := errors.AsType[*llm.Error](err)
	if !ok {
		return err
	}
	c := *e
	c.Message = a.scrub(c.Message)
	return &c
}
