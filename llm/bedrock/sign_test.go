package bedrock

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// An access key, as the server has it.
const (
	testID     = "AKIDCONFORMANCE"
	testRegion = "eu-central-1"
	testToken  = "session-token-0123456789"
)

// checkSignature computes a request's signature from its own parts, by
// "Signature Version 4", and compares.
func checkSignature(r *http.Request, body []byte, secret string) error {
	fields := map[string]string{}
	rest, ok := strings.CutPrefix(r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 ")
	for part := range strings.SplitSeq(rest, ", ") {
		name, value, _ := strings.Cut(part, "=")
		fields[name] = value
	}
	date := r.Header.Get("X-Amz-Date")
	if !ok || len(date) != len("20060102T150405Z") {
		return fmt.Errorf("authorization %q, date %q", r.Header.Get("Authorization"), date)
	}
	scope := date[:8] + "/" + testRegion + "/bedrock/aws4_request"
	if want := testID + "/" + scope; fields["Credential"] != want {
		return fmt.Errorf("credential %q, want %q", fields["Credential"], want)
	}
	signed := strings.Split(fields["SignedHeaders"], ";")
	for _, name := range []string{"host", "x-amz-date", "x-amz-security-token"} {
		if !slices.Contains(signed, name) {
			return fmt.Errorf("the header %s is not signed", name)
		}
	}
	var headers strings.Builder
	for _, name := range signed {
		value := r.Header.Get(name)
		switch name {
		case "host":
			value = r.Host
		case "content-length":
			value = fmt.Sprint(r.ContentLength)
		}
		fmt.Fprintf(&headers, "%s:%s\n", name, strings.Join(strings.Fields(value), " "))
	}
	// Outside of S3, the path is encoded once more than it was sent.
	path := strings.ReplaceAll(r.URL.EscapedPath(), "%", "%25")
	path = strings.ReplaceAll(path, ":", "%3A")
	canonical := strings.Join([]string{r.Method, path, r.URL.RawQuery, headers.String(), fields["SignedHeaders"], hash(body)}, "\n")
	text := strings.Join([]string{"AWS4-HMAC-SHA256", date, scope, hash([]byte(canonical))}, "\n")
	key := []byte("AWS4" + secret)
	for _, part := range strings.Split(scope, "/") {
		key = mac(key, part)
	}
	if want := hex.EncodeToString(mac(key, text)); fields["Signature"] != want {
		return fmt.Errorf("signature %s, want %s for\n%s", fields["Signature"], want, canonical)
	}
	if r.Header.Get("X-Amz-Security-Token") != testToken {
		return fmt.Errorf("session token %q", r.Header.Get("X-Amz-Security-Token"))
	}
	return nil
}

func hash(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

func mac(key []byte, text string) []byte {
	m := hmac.New(sha256.New, key)
	m.Write([]byte(text))
	return m.Sum(nil)
}
