package bedrock

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/wayfinder-engine/wayfinder/internal/vendorserver"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/config"
)

func TestRegions(t *testing.T) {
	const model = "anthropic.claude-3-haiku-20240307-v1:0"
	for _, test := range []struct {
		name, base, region string // the configuration
		want               string
	}{
		{"bedrock/" + model, "", "eu-west-3", "eu-west-3"},
		{"bedrock/" + model, "https://bedrock-runtime.ap-south-1.amazonaws.com", "eu-west-3", "ap-south-1"},
		{"bedrock/" + model, "https://gate.example.com/bedrock", "", "us-east-1"},
		{"bedrock/arn:aws:bedrock:us-west-2:123456789012:inference-profile/us." + model, "", "eu-west-3", "us-west-2"},
	} {
		m, err := NewFromConfig(&config.Config{ModelName: test.name, BaseURL: test.base, APIKey: llm.NewSecret("k")}, Options{Region: test.region})
		if err != nil || m.options.Region != test.want || m.Name() != test.name {
			t.Errorf("NewFromConfig(%+v) = %v, %v, want region %s", test, m, err, test.want)
		}
	}
}

// An access key that is fetched for each request, and what goes wrong with it.
func TestCredentials(t *testing.T) {
	failing := false
	s := vendorserver.Serve(t, func(w http.ResponseWriter, r *http.Request, _ string) {
		failWith(w, 403, "InvalidSignatureException", "The canonical string should have been x-amz-security-token:"+r.Header.Get("X-Amz-Security-Token"))
	})
	m := open(t, Options{Region: testRegion, BaseURL: s.URL, Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		if failing {
			return aws.Credentials{}, errors.New("the role is gone")
		}
		return aws.Credentials{AccessKeyID: testID, SecretAccessKey: "secret-access-key", SessionToken: testToken}, nil
	})})
	_, err := m.Generate(t.Context(), asking("hi"))
	var e *llm.Error
	if !errors.As(err, &e) || e.Kind != llm.KindAuth || strings.Contains(err.Error(), testToken) || !strings.Contains(err.Error(), "x-amz-security-token:***") {
		t.Errorf("Generate = %v, want the server's words without the token", err)
	}
	failing = true
	if _, err := m.Generate(t.Context(), asking("hi")); !errors.As(err, &e) || e.Kind != llm.KindAuth || !strings.Contains(e.Message, "the role is gone") {
		t.Errorf("Generate = %v", err)
	}
}

// A key does not follow a redirect, and does not leave the machine in the open.
func TestKeyStaysHome(t *testing.T) {
	other := vendorserver.Serve(t, func(_ http.ResponseWriter, r *http.Request, _ string) {
		t.Errorf("the other server heard %v", r.Header)
	})
	m, _ := serve(t, "m", func(w http.ResponseWriter, r *http.Request, _ string) {
		http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
	})
	if _, err := m.Generate(t.Context(), asking("hi")); err == nil {
		t.Error("Generate took a redirect for an answer")
	}
	client := &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		t.Errorf("sent %v in the open", r.Header)
		return nil, errors.New("not sent")
	})}
	m = open(t, Options{APIKey: llm.NewSecret("key-of-bedrock"), BaseURL: "http://192.0.2.1", HTTPClient: client})
	if _, err := m.Generate(t.Context(), asking("hi")); err == nil || !strings.Contains(err.Error(), "HTTPS") {
		t.Errorf("Generate = %v, want an error that asks for HTTPS", err)
	}
}
