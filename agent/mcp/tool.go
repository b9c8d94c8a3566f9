package mcp

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/wayfinder-engine/wayfinder/schema"
)

// Bounds of what a server says of its tools: the model reads it outside of a
// fence, and pays for it in every turn.
const (
	maxTools       = 128
	maxToolName    = 64       // what providers take
	maxDescription = 1000     // bytes, of a tool
	maxRemark      = 300      // bytes, of a property
	maxWord        = 200      // bytes, of a property's name and an enum's member
	maxSchema      = 32 << 10 // bytes
)

// parameters cleans the schema of a tool's arguments.
func parameters(input any) (json.RawMessage, error) {
	raw, err := json.Marshal(input)
	if err != nil {
		return nil, errors.New("its schema is no JSON")
	}
	if len(raw) > 8*maxSchema { // its remarks may be cut yet
		return nil, fmt.Errorf("its schema has %d bytes", len(raw))
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var root any
	if err := d.Decode(&root); err != nil {
		return nil, errors.New("its schema is no JSON")
	}
	object, ok := root.(map[string]any)
	if !ok {
		return nil, errors.New("its schema is no object")
	}
	if kind, ok := object["type"]; ok && kind != "object" {
		return nil, errors.New("its arguments are no object")
	}
	object["type"] = "object"
	if err := tidy(object); err != nil {
		return nil, err
	}
	if raw, err = json.Marshal(object); err != nil {
		return nil, err
	}
	if len(raw) > maxSchema {
		return nil, fmt.Errorf("its schema has %d bytes, %d are allowed", len(raw), maxSchema)
	}
	if _, err := schema.Parse(raw); err != nil {
		return nil, fmt.Errorf("its schema is none: %s", oneLine(err.Error(), 300))
	}
	return raw, nil
}

// tidy cuts a schema's prose, and refuses one that hides prose elsewhere.
func tidy(value any) error {
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			if err := tidy(item); err != nil {
				return err
			}
		}
	case string:
		if len(v) > maxWord || v != visible(v) {
			return fmt.Errorf("its schema holds a text where a word is expected: %s", oneLine(v, 80))
		}
	case map[string]any:
		for _, name := range []string{"$comment", "examples", "example"} {
			if _, isSchema := v[name].(map[string]any); !isSchema { // that is a property's name
				delete(v, name)
			}
		}
		for name, item := range v {
			if len(name) > maxWord || name != visible(name) {
				return fmt.Errorf("its schema has a name of %d bytes: %s", len(name), oneLine(name, 80))
			}
			text, ok := item.(string)
			switch {
			case ok && (name == "description" || name == "title"):
				v[name] = oneLine(text, maxRemark)
			case ok && name == "pattern" && len(text) <= 2000:
			default:
				if err := tidy(item); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// visible is a text without characters that nobody sees or that turn others
// around, and with spaces for those that break lines.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == utf8.RuneError || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Co, r) || unicode.Is(unicode.Variation_Selector, r):
			return -1
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r):
			return -1
		}
		return r
	}, text)
}

// oneLine is a text of somebody else as one line of at most so many bytes.
func oneLine(text string, most int) string {
	text = strings.Join(strings.Fields(visible(cut(text, 8*most))), " ")
	if len(text) <= most {
		return text
	}
	return cut(text, most-len(" …")) + " …"
}

// cut is a text's beginning.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}

var notInNames = regexp.MustCompile(`[^A-Za-z0-9_-]+`)

// fitting is a name as providers allow it.
func fitting(name string) string {
	return strings.Trim(notInNames.ReplaceAllString(cut(name, 1000), "_"), "_")
}

// names gives tools of a server their names in a run, in order: unique ones of at most 64
// characters. Those that would not be get the first letters of a hash.
func names(server string, tools []string) []string {
	server = fitting(server)
	if server == "" {
		server = "mcp"
	}
	server = cut(server, maxToolName/2)
	count := map[string]int{}
	out := make([]string, len(tools))
	for i, t := range tools {
		out[i] = server + "_" + fitting(t)
		count[out[i]]++
	}
	for i, t := range tools {
		if len(out[i]) <= maxToolName && count[out[i]] == 1 {
			continue
		}
		sum := sha256.Sum256([]byte(t))
		out[i] = cut(out[i], maxToolName-7) + "_" + hex.EncodeToString(sum[:3])
	}
	return out
}
