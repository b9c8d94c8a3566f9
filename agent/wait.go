package agent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/wayfinder-engine/wayfinder/engine"
)

// longestWait bounds a wait for a condition.
const longestWait = 30 * time.Second

type waitIn struct {
	For     string  `json:"for" jsonschema:"enum=text,enum=textGone,enum=selector,enum=address,enum=count,enum=value,enum=response,enum=download,enum=quiet"`
	Value   string  `json:"value,omitempty" jsonschema:"description=selector: role=button; count: 3 role=row; value: \"Ada\" label=Name; in addresses and files * is any letters"`
	Seconds float64 `json:"seconds,omitempty" jsonschema:"minimum=0.1,maximum=30,description=at most; 10 without it"`
}

func waitFor(ctx context.Context, r *run, in waitIn) (*Answer, error) {
	text := in.For + "=" + in.Value
	switch in.For {
	case "textGone":
		text = "text-gone=" + in.Value
	case "address", "response":
		text = in.For + "=" + r.addresses.restore(in.Value)
	case "quiet":
		text = in.For
	}
	if in.Value == "" && in.For != "quiet" {
		return nil, fmt.Errorf("%w: value is empty; say what to wait for", engine.ErrInvalid)
	}
	condition, err := engine.ParseCondition(text)
	if err != nil {
		return nil, err
	}
	limit := 10 * time.Second
	if in.Seconds > 0 {
		limit = time.Duration(min(in.Seconds*float64(time.Second), float64(longestWait)))
	}
	bounded, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if err := r.page.WaitFor(bounded, condition); err != nil {
		if errors.Is(err, engine.ErrNotMet) && ctx.Err() == nil {
			return nil, fmt.Errorf("not within %v: %w", limit, err)
		}
		return nil, err
	}
	return &Answer{Text: "it is so now"}, nil
}
