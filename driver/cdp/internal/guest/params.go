package guest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// params are what a command takes. They are read and written anew, so that no
// member stands there twice, and Chrome reads what was checked.
type params map[string]json.RawMessage

func parseParams(raw json.RawMessage) (params, error) {
	p := params{}
	if len(raw) == 0 || string(raw) == "null" {
		return p, nil
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		return nil, errors.New("the parameters are no object")
	}
	return p, nil
}

// text returns a member, without quotes where it is a string.
func (p params) text(name string) string {
	var s string
	if raw := p[name]; json.Unmarshal(raw, &s) != nil {
		return string(raw)
	}
	return s
}

// only leaves the members that are known.
func (p params) only(names ...string) error {
	for name := range p {
		if !slices.Contains(names, name) {
			return fmt.Errorf("%.50q is not taken here", name)
		}
	}
	return nil
}
