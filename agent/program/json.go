package program

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.starlark.net/starlark"
)

// toGo makes a JSON value of a value of the program.
func toGo(v starlark.Value) (any, error) {
	switch v := v.(type) {
	case starlark.NoneType:
		return nil, nil
	case starlark.Bool:
		return bool(v), nil
	case starlark.String:
		return string(v), nil
	case starlark.Int:
		return json.Number(v.String()), nil
	case starlark.Float:
		return float64(v), nil
	case *starlark.List:
		out := make([]any, 0, v.Len())
		for item := range starlark.Elements(v) {
			x, err := toGo(item)
			if err != nil {
				return nil, err
			}
			out = append(out, x)
		}
		return out, nil
	case *starlark.Dict:
		out := map[string]any{}
		for k, item := range v.Entries() {
			name, ok := starlark.AsString(k)
			if !ok {
				return nil, fmt.Errorf("%w: the keys of a schema are texts", ErrInvalid)
			}
			x, err := toGo(item)
			if err != nil {
				return nil, err
			}
			out[name] = x
		}
		return out, nil
	}
	return nil, fmt.Errorf("%w: a %s has no place in a schema", ErrInvalid, v.Type())
}

// fromJSON makes a value of the program of a JSON text.
func fromJSON(text string) (starlark.Value, error) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, fmt.Errorf("the answer is no JSON: %w", err)
	}
	return fromGo(value)
}

func fromGo(value any) (starlark.Value, error) {
	switch v := value.(type) {
	case nil:
		return starlark.None, nil
	case bool:
		return starlark.Bool(v), nil
	case string:
		return starlark.String(v), nil
	case json.Number:
		if i, err := v.Int64(); err == nil {
			return starlark.MakeInt64(i), nil
		}
		f, err := v.Float64()
		return starlark.Float(f), err
	case []any:
		out := make([]starlark.Value, len(v))
		for i := range v {
			item, err := fromGo(v[i])
			if err != nil {
				return nil, err
			}
			out[i] = item
		}
		return starlark.NewList(out), nil
	case map[string]any:
		out := starlark.NewDict(len(v))
		for _, name := range slices.Sorted(maps.Keys(v)) {
			item, err := fromGo(v[name])
			if err != nil {
				return nil, err
			}
			if err := out.SetKey(starlark.String(name), item); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	return nil, errors.New("the answer is no JSON")
}
