package schema

import (
	"fmt"
)

// rules are what a dialect takes.
type rules struct {
	whole    bool            // all of the standard
	closed   bool            // objects have no free names
	required bool            // all members are required, those that may be absent are nullable
	keywords map[string]bool // those that are taken as they stand
	formats  map[string]bool
	limits   limits
}

// limits are a provider's limits; 0 means unlimited.
type limits struct {
	depth      int // objects and arrays within each other
	properties int // members in all
	text       int // characters of all names and listed values
	enum       int // listed values in all
}

// The keywords that every narrowed schema may have, next to those that the
// narrowing itself writes.
var common = []string{"description", "title", "minItems", "maxItems", "minimum", "maximum"}

var dialects = map[Dialect]*rules{
	Plain: {whole: true},
	OpenAI: {
		closed:   true,
		required: true,
		keywords: keywords(append(common, "pattern", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")...),
		formats:  keywords("date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"),
		limits:   limits{depth: 10, properties: 5000, text: 120_000, enum: 1000},
	},
	Anthropic: {
		closed:   true,
		keywords: keywords("description", "title", "pattern"),
		formats:  keywords("date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"),
		limits:   limits{properties: 500},
	},
	Google: {
		keywords: keywords(append(common, "propertyOrdering")...),
		formats:  keywords("date-time", "date", "time"),
		limits:   limits{depth: 32},
	},
}

// An UnsupportedError says why a schema can't be narrowed to a dialect.
type UnsupportedError struct {
	Dialect Dialect
	Issues  []Issue // the paths lead into the schema
}

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("schema: not within %s: %s", e.Dialect, joinIssues(e.Issues))
}

// check holds a narrowed schema against a provider's limits.
func (l limits) check(root *object) []Issue {
	m := measure{}
	m.schema(root, 0)
	var issues []Issue
	over := func(what string, got, most int) {
		if most > 0 && got > most {
			issues = append(issues, Issue{Path: []any{}, Message: fmt.Sprintf("has %d %s, the limit is %d", got, what, most)})
		}
	}
	over("levels", m.depth, l.depth)
	over("members", m.properties, l.properties)
	over("characters of names and listed values", m.text, l.text)
	over("listed values", m.enum, l.enum)
	return issues
}

// measure adds up a narrowed schema.
type measure struct{ depth, properties, text, enum int }

func (m *measure) schema(v any, depth int) {
	o, ok := v.(*object)
	if !ok {
		return
	}
	if o.has("properties") || o.has("items") {
		depth++
		m.depth = max(m.depth, depth)
	}
	if members := o.obj("properties"); members != nil {
		m.properties += len(members.names)
		for _, name := range members.names {
			m.text += len(name)
			m.schema(members.values[name], depth)
		}
	}
	m.schema(o.values["items"], depth)
	for _, sub := range o.list("anyOf") {
		m.schema(sub, depth)
	}
	for _, value := range o.list("enum") {
		m.enum++
		if s, ok := value.(string); ok {
			m.text += len(s)
		}
	}
	if defs := o.obj("$defs"); defs != nil {
		for _, name := range defs.names {
			m.text += len(name)
			m.schema(defs.values[name], 0)
		}
	}
}
