package config

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/schema"
)

const fullAccount = `{"private_key":"-----BEGIN KEY-----","client_email":"a@b.test","type":"service_account","project_id":"p","private_key_id":"k","client_id":"c",
	"universe_domain":"u.test","auth_uri":"https://a.test/","token_uri":"https://t.test/","auth_provider_x509_cert_url":"https://x.test/","client_x509_cert_url":"https://y.test/"}`

// fullForms are the four forms with all of their members.
var fullForms = map[string]string{
	"vertex": `{"modelName":"vertex/gemini","provider":"vertex","apiKey":"k","baseURL":"https://v.test/","headers":{"X-A":"b"},
		"auth":{"type":"googleServiceAccount","credentials":` + fullAccount + `,"scopes":["s"],"projectId":"p","universeDomain":"u.test"},
		"providerOptions":{"vertex":{"project":"p","location":"l","baseURL":"https://w.test/","headers":{"X-A":"c"}}}}`,
	"azure with a token": `{"modelName":"m","provider":"azure","baseURL":"https://a.test/","headers":{"X-A":"b"},"auth":{"type":"azureEntraId","token":"t"},
		"providerOptions":{"azure":{"resourceName":"r","baseURL":"https://b.test/","apiVersion":"v","useDeploymentBasedUrls":true,"headers":{"X-A":"c"}}}}`,
	"azure with a key": `{"modelName":"m","provider":"azure","apiKey":"k","baseURL":"https://a.test/","headers":{"X-A":"b"},"providerOptions":{"azure":{"resourceName":"r"}}}`,
	"generic":          `{"modelName":"m","provider":"openai","apiKey":"k","baseURL":"https://a.test/","headers":{"X-A":"b"}}`,
}

// required are the members without which a form is none.
var required = map[string][]string{
	"vertex": {"modelName", "auth", "auth.type", "auth.credentials", "auth.credentials.private_key", "auth.credentials.client_email",
		"providerOptions", "providerOptions.vertex", "providerOptions.vertex.project", "providerOptions.vertex.location"},
	"azure with a token": {"modelName", "auth.type", "auth.token", "providerOptions", "providerOptions.azure"},
	"azure with a key":   {"modelName", "providerOptions", "providerOptions.azure"},
	"generic":            {"modelName"},
}

// open are objects whose members have names of the user's own.
func open(path string) bool { return strings.HasSuffix(path, "headers") }

// walk calls visit with every member of an object, and with the object itself.
func walk(path string, o map[string]any, visit func(path string, o map[string]any, name string)) {
	visit(path, o, "")
	for _, name := range slices.Sorted(maps.Keys(o)) {
		visit(path, o, name)
		if inner, ok := o[name].(map[string]any); ok {
			walk(strings.TrimPrefix(path+"."+name, "."), inner, visit)
		}
	}
}

// paths returns where a configuration is wrong; nil is nowhere.
func paths(t *testing.T, document any) []string {
	t.Helper()
	raw, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Parse(raw)
	if err == nil {
		return nil
	}
	var invalid *schema.ValidationError
	if !errors.As(err, &invalid) {
		t.Fatalf("Parse(%s) = %v (%T), want issues with paths", raw, err, err)
	}
	var at []string
	for _, issue := range invalid.Issues {
		var names []string
		for _, step := range issue.Path {
			if name, ok := step.(string); ok {
				names = append(names, name)
			}
		}
		at = append(at, strings.Join(names, "."))
	}
	return at
}

// TestEveryMemberOfEveryForm takes each member of each form away, writes it in
// another type, spoils it if it is a constant or an address, and adds one that
// is none.
func TestEveryMemberOfEveryForm(t *testing.T) {
	for form, raw := range fullForms {
		t.Run(form, func(t *testing.T) {
			var document map[string]any
			if err := json.Unmarshal([]byte(raw), &document); err != nil {
				t.Fatal(err)
			}
			if at := paths(t, document); at != nil {
				t.Fatalf("the whole form is wrong at %q", at)
			}
			// wrong checks the document as it is for the moment.
			wrong := func(what, path string, want bool) {
				t.Helper()
				if at := paths(t, document); slices.Contains(at, path) != want {
					t.Errorf("with %s %s, the issues are at %q; want one there: %t", path, what, at, want)
				}
			}
			walk("", document, func(path string, o map[string]any, name string) {
				full := strings.TrimPrefix(path+"."+name, ".")
				switch {
				case name == "" && open(path):
				case name == "":
					o["extra"] = 1
					wrong("added", strings.TrimPrefix(path+".extra", "."), true)
					delete(o, "extra")
				default:
					was := o[name]
					if full != "provider" && full != "auth" || form == "vertex" && full == "auth" { // these choose the form
						delete(o, name)
						wrong("missing", full, slices.Contains(required[form], full))
						o[name] = []any{map[string]any{}}
						if name != "scopes" {
							wrong("of another type", full, true)
						}
					}
					text, _ := was.(string)
					if name == "type" {
						o[name] = "other"
						wrong("another constant", full, true)
					}
					if strings.HasPrefix(text, "https://") {
						for _, no := range []string{"", "here", "//a.test", "https://a b.test/", "7"} {
							o[name] = no
							wrong("no address", full, true)
						}
					}
					o[name] = was
				}
			})
		})
	}
}
