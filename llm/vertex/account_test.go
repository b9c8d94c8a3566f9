package vertex

import (
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/internal/vendorserver"
	"github.com/wayfinder-engine/wayfinder/llm"
)

var rsaKey = sync.OnceValue(func() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return key
})

func privateKey() string {
	raw, err := x509.MarshalPKCS8PrivateKey(rsaKey())
	if err != nil {
		panic(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw}))
}

// tokens is a server for tokens.
type tokens struct {
	*httptest.Server

	mu         sync.Mutex // protects the fields below
	assertions []string
	reply      func(w http.ResponseWriter, n int)
}

// newTokens gives the same token, for an hour, to whoever asks well.
func newTokens(t testing.TB, token string) *tokens {
	s := &tokens{reply: func(w http.ResponseWriter, _ int) { give(w, token, 3600) }}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := r.ParseForm(); err != nil || r.Method != http.MethodPost || r.PostForm.Get("grant_type") != "urn:ietf:params:oauth:grant-type:jwt-bearer" {
			t.Errorf("token request %s %v, %v", r.Method, r.PostForm, err)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.assertions = append(s.assertions, r.PostForm.Get("assertion"))
		s.reply(w, len(s.assertions))
	}))
	t.Cleanup(s.Close)
	return s
}

func give(w http.ResponseWriter, token string, seconds int) {
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"access_token":%q,"expires_in":%d,"token_type":"Bearer"}`, token, seconds) // the client reads it
}

// claims returns those of the nth assertion, whose signature it checks.
func (s *tokens) claims(t *testing.T, n int) map[string]any {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.assertions) <= n {
		t.Fatalf("%d tokens were asked for, want more than %d", len(s.assertions), n)
	}
	header, claims := verify(t, s.assertions[n])
	if header["alg"] != "RS256" || header["typ"] != "JWT" {
		t.Errorf("header = %v", header)
	}
	return claims
}

func verify(t *testing.T, jwt string) (header, claims map[string]any) {
	t.Helper()
	parts := strings.Split(jwt, ".")
	if len(parts) != 3 {
		t.Fatalf("%q is no JWT", jwt)
	}
	decode := func(part string) []byte {
		raw, err := base64.RawURLEncoding.DecodeString(part)
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	sum := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	if err := rsa.VerifyPKCS1v15(&rsaKey().PublicKey, crypto.SHA256, sum[:], decode(parts[2])); err != nil {
		t.Errorf("the signature of %s: %v", jwt, err)
	}
	if err := errors.Join(json.Unmarshal(decode(parts[0]), &header), json.Unmarshal(decode(parts[1]), &claims)); err != nil {
		t.Fatal(err)
	}
	return header, claims
}

// listener is a Gemini that notes who asks, and says no to some.
type listener struct {
	*vendorserver.Server

	mu      sync.Mutex // protects the field below
	bearers []string
}

func newListener(t *testing.T, refused string) *listener {
	l := &listener{}
	l.Server = vendorserver.Serve(t, func(w http.ResponseWriter, r *http.Request, _ string) {
		token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		l.mu.Lock()
		l.bearers = append(l.bearers, token)
		l.mu.Unlock()
		if token == refused {
			vendorserver.WriteJSON(w, 401, map[string]any{"error": map[string]any{"code": 401, "status": "UNAUTHENTICATED", "message": "Request had invalid authentication credentials: " + token}})
			return
		}
		vendorserver.Gemini.Say(w, "Hi.")
	})
	return l
}

func TestTokenIsSignedFor(t *testing.T) {
	s, l := newTokens(t, "token-0123456789"), newListener(t, "")
	opts := options("gemini", l.URL, s.URL+"/token")
	opts.Scopes = []string{"scope-1", "scope-2"}
	before := time.Now().Unix()
	if _, err := ask(t, newModel(t, opts)); err != nil {
		t.Fatal(err)
	}
	claims := s.claims(t, 0)
	if claims["iss"] != "robot@acme.test" || claims["aud"] != s.URL+"/token" || claims["scope"] != "scope-1 scope-2" {
		t.Errorf("claims = %v", claims)
	}
	iat, _ := claims["iat"].(float64)
	exp, _ := claims["exp"].(float64)
	if int64(iat) < before-60 || int64(iat) > time.Now().Unix() || exp-iat <= 0 || exp-iat > 3600 {
		t.Errorf("issued at %v, expires at %v, asked at %d", claims["iat"], claims["exp"], before)
	}
	header, _ := verify(t, s.assertions[0])
	if header["kid"] != "key-1" {
		t.Errorf("header = %v", header)
	}
}

func TestTokenIsKept(t *testing.T) {
	s, l := newTokens(t, "token-0123456789"), newListener(t, "")
	m := newModel(t, options("gemini", l.URL, s.URL))
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			if _, err := ask(t, m); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if len(s.assertions) != 1 || len(l.bearers) != 8 {
		t.Errorf("%d tokens for %d requests, want 1 for 8", len(s.assertions), len(l.bearers))
	}
	if got := s.claims(t, 0)["scope"]; got != wholePlatform {
		t.Errorf("scope = %v, want the whole platform", got)
	}
}

func TestTokenIsRenewed(t *testing.T) {
	for _, test := range []struct {
		name    string
		seconds int    // that the first token is valid
		refused string // by the model's server
		failed  int    // how many requests fail for it
	}{
		{"before it ends", 30, "", 0},
		{"after it was refused", 3600, "token-1-0123456789", 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, l := newTokens(t, ""), newListener(t, test.refused)
			s.reply = func(w http.ResponseWriter, n int) { give(w, fmt.Sprintf("token-%d-0123456789", n), test.seconds) }
			m := newModel(t, options("gemini", l.URL, s.URL))
			failed := 0
			for range 2 {
				if _, err := ask(t, m); err != nil {
					failed++
					if strings.Contains(err.Error(), test.refused) {
						t.Errorf("the token is in %v", err)
					}
				}
			}
			if failed != test.failed || len(l.bearers) != 2 || l.bearers[1] != "token-2-0123456789" {
				t.Errorf("%d of the requests by %q failed, want %d, and a new token", failed, l.bearers, test.failed)
			}
		})
	}
}

func TestOtherUniversesTakeWhatTheKeySigns(t *testing.T) {
	s, l := newTokens(t, "token-0123456789"), newListener(t, "")
	opts := options("gemini", l.URL, s.URL)
	opts.Account.UniverseDomain = "cloud.test"
	if _, err := ask(t, newModel(t, opts)); err != nil {
		t.Fatal(err)
	}
	if len(s.assertions) != 0 {
		t.Error("a token server was asked")
	}
	header, claims := verify(t, l.bearers[0])
	if header["kid"] != "key-1" || claims["iss"] != "robot@acme.test" || claims["sub"] != "robot@acme.test" || claims["scope"] != wholePlatform {
		t.Errorf("header = %v, claims = %v", header, claims)
	}
}

func TestTokenServerSaysNo(t *testing.T) {
	for _, test := range []struct {
		name, body string
		status     int
		kind       llm.ErrorKind
		want       string
	}{
		{"refused", `{"error":"invalid_grant","error_description":"Invalid JWT Signature."}`, 400, llm.KindAuth, "vertex: auth (400): the token server refused the service account: invalid_grant: Invalid JWT Signature."},
		{"busy", `slow`, 429, llm.KindRateLimited, "vertex: rate_limited (429): the token server answered with status 429"},
		{"down", `<html>`, 503, llm.KindUnavailable, "vertex: unavailable (503): the token server answered with status 503"},
		{"elsewhere", ``, 307, llm.KindAuth, "vertex: auth (307): the token server answered with status 307"},
		{"nothing", `{}`, 200, llm.KindMalformed, "vertex: malformed: the token server's answer has no access_token"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newTokens(t, "")
			s.reply = func(w http.ResponseWriter, _ int) {
				w.Header().Set("Location", "http://127.0.0.1:1/")
				w.WriteHeader(test.status)
				io.WriteString(w, test.body) // the client reads it
			}
			for _, model := range []string{"gemini", "claude"} {
				_, err := ask(t, newModel(t, options(model, "http://127.0.0.1:1", s.URL)))
				var e *llm.Error
				if !errors.As(err, &e) || e.Kind != test.kind || e.Error() != test.want {
					t.Errorf("%s: error = %v, want %s", model, err, test.want)
				}
			}
		})
	}
}

// TestTokenServerRepeats checks that what was sent stays out of errors.
func TestTokenServerRepeats(t *testing.T) {
	s := newTokens(t, "")
	s.reply = func(w http.ResponseWriter, n int) {
		w.WriteHeader(400)
		fmt.Fprintf(w, `{"error":"invalid","error_description":%q,"assertion":%q}`, "no: "+privateKey(), s.assertions[n-1]) // the client reads it
	}
	_, err := ask(t, newModel(t, options("gemini", "http://127.0.0.1:1", s.URL)))
	if err == nil || strings.Contains(err.Error(), "BEGIN") || strings.Contains(err.Error(), s.assertions[0]) {
		t.Errorf("error = %v", err)
	}
}

// TestWaitingForATokenEndsWithItsContext has one caller hang at the server for
// tokens, and another one wait for him.
func TestWaitingForATokenEndsWithItsContext(t *testing.T) {
	arrived, over := make(chan struct{}, 2), make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		arrived <- struct{}{}
		<-over
	}))
	defer s.Close()
	defer close(over)
	m := newModel(t, options("gemini", "http://127.0.0.1:1", s.URL))
	first, cancelFirst := context.WithCancel(t.Context())
	second, cancelSecond := context.WithCancel(t.Context())
	results := make(chan error, 2)
	generate := func(ctx context.Context) {
		_, err := m.Generate(ctx, &llm.Request{Messages: []llm.Message{{Role: llm.User, Parts: []llm.Part{llm.Text{Text: "Hello."}}}}})
		results <- err
	}
	go generate(first)
	<-arrived
	go generate(second)
	cancelSecond()
	if err := <-results; !errors.Is(err, context.Canceled) || first.Err() != nil {
		t.Errorf("the one who waits got %v", err)
	}
	cancelFirst()
	if err := <-results; !errors.Is(err, context.Canceled) {
		t.Errorf("the one who asks got %v", err)
	}
}
