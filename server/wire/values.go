package wire

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

// Milliseconds is a length of time; 0 is the server's own.
type Milliseconds float64

// Duration returns it as Go has it.
func (m Milliseconds) Duration() time.Duration {
	return time.Duration(float64(m) * float64(time.Millisecond))
}

// A Verbosity is how much a stream tells of the work under way: 0, 1 or 2. In
// JSON it may be written as a string.
type Verbosity int

// UnmarshalJSON reads a number, or a string with one.
func (v *Verbosity) UnmarshalJSON(raw []byte) error {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		n, err := strconv.Atoi(text)
		*v = Verbosity(n)
		return err
	}
	return json.Unmarshal(raw, (*int)(v))
}

// IgnoreArgs says which of the browser's usual flags are left out: all, or
// those that are listed.
type IgnoreArgs struct {
	All  bool
	List []string
}

// UnmarshalJSON reads a boolean or a list.
func (a *IgnoreArgs) UnmarshalJSON(raw []byte) error {
	if json.Unmarshal(raw, &a.All) == nil {
		return nil
	}
	return json.Unmarshal(raw, &a.List)
}

// MarshalJSON writes a boolean or a list.
func (a IgnoreArgs) MarshalJSON() ([]byte, error) {
	if a.List != nil {
		return json.Marshal(a.List)
	}
	return json.Marshal(a.All)
}

// A Variable stands in an instruction as %name%. Models see the name and the
// description, never the value.
type Variable struct {
	Value       string
	Description string
}

// richVariable is a variable that is written as an object.
type richVariable struct {
	Value       json.RawMessage `json:"value"`
	Description string          `json:"description,omitempty"`
}

// UnmarshalJSON reads a string, a number, a boolean, or an object with one of
// them as its value. A number is kept as it is written.
func (v *Variable) UnmarshalJSON(raw []byte) error {
	var rich richVariable
	if json.Unmarshal(raw, &rich) == nil {
		v.Description = rich.Description
		raw = rich.Value
	}
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		return err
	}
	switch value := value.(type) {
	case string:
		v.Value = value
	case float64, bool:
		v.Value = string(raw)
	default:
		return fmt.Errorf("wire: a variable is a string, a number or a boolean, or an object with one as its value")
	}
	return nil
}

// MarshalJSON writes the value as a string, with its description if it has one.
func (v Variable) MarshalJSON() ([]byte, error) {
	if v.Description == "" {
		return json.Marshal(v.Value)
	}
	value, err := json.Marshal(v.Value)
	if err != nil {
		return nil, err
	}
	return json.Marshal(richVariable{Value: value, Description: v.Description})
}

// A Model is a model configuration as JSON: a string "provider/model", or an
// object of one of the four forms that package llm reads. It may hold keys.
type Model = json.RawMessage
