package schema

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	xmessage "golang.org/x/text/message"
)

// message puts one broken rule in words. They read after the value's path:
// "price: is a string, must be a number".
func message(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.Type:
		return typeMessage(article(k.Got), k.Want)
	case *kind.Enum:
		return "is " + show(k.Got) + ", must be one of " + showAll(k.Want)
	case *kind.Const:
		return "is " + show(k.Got) + ", must be " + show(k.Want)
	case *kind.Format:
		return "is " + show(k.Got) + ", which is no valid " + k.Want
	case *kind.Not:
		return "is what the schema forbids"
	case *kind.OneOf:
		return fmt.Sprintf("fits alternatives %d and %d, must fit exactly one", k.Subschemas[0]+1, k.Subschemas[1]+1)
	case *kind.FalseSchema:
		return "must not be there"
	case *kind.PropertyNames:
		return "has a member of a name that is not allowed, " + strconv.Quote(k.Property)
	case *kind.Dependency:
		return "has " + strconv.Quote(k.Prop) + " and so needs " + quoteAll(k.Missing)
	case *kind.DependentRequired:
		return "has " + strconv.Quote(k.Prop) + " and so needs " + quoteAll(k.Missing)
	case *kind.RefCycle:
		return "the schema refers to itself without end at " + k.URL
	case *kind.MinProperties:
		return fmt.Sprintf("has %s, must have at least %d", count(k.Got, "member"), k.Want)
	case *kind.MaxProperties:
		return fmt.Sprintf("has %s, must have at most %d", count(k.Got, "member"), k.Want)
	case *kind.MinItems:
		return fmt.Sprintf("has %s, must have at least %d", count(k.Got, "item"), k.Want)
	case *kind.MaxItems:
		return fmt.Sprintf("has %s, must have at most %d", count(k.Got, "item"), k.Want)
	case *kind.AdditionalItems:
		return fmt.Sprintf("has %s too many", count(k.Count, "item"))
	case *kind.UniqueItems:
		return fmt.Sprintf("has equal items at %d and %d, all must differ", k.Duplicates[0], k.Duplicates[1])
	case *kind.Contains:
		return "has no item of the kind that must be among them"
	case *kind.MinContains:
		return fmt.Sprintf("has %s of a kind of which it must have at least %d", count(len(k.Got), "item"), k.Want)
	case *kind.MaxContains:
		return fmt.Sprintf("has %s of a kind of which it may have at most %d", count(len(k.Got), "item"), k.Want)
	case *kind.MinLength:
		return fmt.Sprintf("has %s, must have at least %d", count(k.Got, "character"), k.Want)
	case *kind.MaxLength:
		return fmt.Sprintf("has %s, must have at most %d", count(k.Got, "character"), k.Want)
	case *kind.Pattern:
		return "is " + show(k.Got) + ", must match the pattern " + k.Want
	case *kind.Minimum:
		return "is " + number(k.Got) + ", must be at least " + number(k.Want)
	case *kind.Maximum:
		return "is " + number(k.Got) + ", must be at most " + number(k.Want)
	case *kind.ExclusiveMinimum:
		return "is " + number(k.Got) + ", must be more than " + number(k.Want)
	case *kind.ExclusiveMaximum:
		return "is " + number(k.Got) + ", must be less than " + number(k.Want)
	case *kind.MultipleOf:
		return "is " + number(k.Got) + ", must be a multiple of " + number(k.Want)
	default:
		return k.LocalizedString(xmessage.NewPrinter(language.English))
	}
}

func typeMessage(got string, want []string) string {
	var names []string
	for _, w := range want {
		if name := article(w); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return "is " + got + ", must be " + either(names)
}

// either joins words as "a, b or c".
func either(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

func article(jsonType string) string {
	switch jsonType {
	case "null":
		return "null"
	case "array", "integer", "object":
		return "an " + jsonType
	default:
		return "a " + jsonType
	}
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// number writes a fraction as people do.
func number(r *big.Rat) string {
	if r.IsInt() && r.Num().BitLen() < 128 {
		return r.Num().String()
	}
	f, _ := r.Float64()
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// maxShown is how much of a wrong value a message repeats.
const maxShown = 80

// show writes a value as JSON, cut where it is long.
func show(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v) // no JSON value fails here
	}
	if s := []rune(string(raw)); len(s) > maxShown {
		return string(s[:maxShown]) + "…"
	}
	return string(raw)
}

func showAll(values []any) string {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = show(v)
	}
	return either(words)
}

func quoteAll(names []string) string {
	words := make([]string, len(names))
	for i, n := range slices.Sorted(slices.Values(names)) {
		words[i] = strconv.Quote(n)
	}
	return strings.Join(words, ", ")
}
