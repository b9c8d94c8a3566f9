package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// Decode validates a document and reads it into a T. Numbers that go into an
// interface stay as they are written ([json.Number]); a string of format uri
// may go into a [url.URL]. A document that does not satisfy the schema, or
// does not fit T, gives a [*ValidationError].
func Decode[T any](s *Schema, doc []byte) (T, error) {
	var value T
	if err := s.Validate(doc); err != nil {
		return value, err
	}
	return value, decodeInto(doc, &value)
}

func decodeInto(doc []byte, target any) error {
	root := reflect.ValueOf(target).Elem()
	holdsURLs := reachesURL(root.Type(), map[reflect.Type]bool{})
	var tree any
	if holdsURLs {
		var err error
		if tree, err = decode(doc); err != nil {
			return err
		}
		if doc, err = json.Marshal(withoutURLs(root.Type(), tree)); err != nil {
			return err
		}
	}
	dec := json.NewDecoder(bytes.NewReader(doc))
	dec.UseNumber()
	if err := dec.Decode(target); err != nil {
		return misfit(err)
	}
	if holdsURLs {
		return setURLs(root, tree, nil)
	}
	return nil
}

// misfit puts encoding/json's complaint as an issue.
func misfit(err error) error {
	mismatch, ok := errors.AsType[*json.UnmarshalTypeError](err)
	if !ok {
		return invalid(nil, "does not fit the Go type: "+err.Error())
	}
	var path []any
	if mismatch.Field != "" {
		for name := range strings.SplitSeq(mismatch.Field, ".") {
			path = append(path, name)
		}
	}
	return invalid(path, fmt.Sprintf("is %s, which does not fit the Go type %s", mismatch.Value, mismatch.Type))
}
