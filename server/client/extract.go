package client

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/wayfinder-engine/wayfinder/schema"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// Extract reads data of type T, whose schema is made from its fields and their
// tags, as [schema.For] does. opts may be nil.
func Extract[T any](ctx context.Context, s *Session, instruction string, opts *wire.ExtractOptions) (T, error) {
	var value T
	form, err := schema.For[T]()
	if err != nil {
		return value, fmt.Errorf("client: extract: %w", err)
	}
	data, err := s.Extract(ctx, &wire.ExtractRequest{Instruction: instruction, Schema: form.JSON(), Options: opts})
	if err != nil {
		return value, err
	}
	if err := json.Unmarshal(data.Result, &value); err != nil {
		return value, fmt.Errorf("client: extract: %w", err)
	}
	return value, nil
}
