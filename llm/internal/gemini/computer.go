package gemini

import (
	"encoding/json"

	"github.com/wayfinder-engine/wayfinder/internal/modelhttp"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// computerSet is the toolset of calls of the computer tool's functions.
const computerSet = "computer"

// ownFunctions are those that a request with the computer tool declares itself:
// every other call is one of the tool's.
type ownFunctions struct {
	there bool
	names map[string]bool
}

func (o ownFunctions) isComputer(name string) bool { return o.there && !o.names[name] }

// safetyDecision is the argument in which the vendor says what it thinks of an
// action.
const safetyDecision = "safety_decision"

// readComputerCall marks a call of the tool's, and reads what the vendor wants to
// have confirmed. Whatever is not said to be allowed is for a person to confirm.
func readComputerCall(call *llm.ToolCall) error {
	call.Toolset = computerSet
	var args map[string]json.RawMessage
	if err := json.Unmarshal(call.Arguments, &args); err != nil {
		return modelhttp.Malformed("the arguments of " + call.Name + " are no object")
	}
	raw, ok := args[safetyDecision]
	if !ok || string(raw) == "null" {
		return nil
	}
	var said struct {
		Decision    string `json:"decision"`
		Explanation string `json:"explanation"`
	}
	if err := json.Unmarshal(raw, &said); err != nil {
		return modelhttp.Malformed("the safety decision of " + call.Name + " cannot be read")
	}
	switch said.Decision {
	case "regular", "allowed":
		return nil
	}
	call.Checks = []llm.SafetyCheck{{Code: said.Decision, Message: said.Explanation}}
	return nil
}

// addComputer adds to a response what the tool's functions have beside the
// words: the address, and that a person confirmed what was asked.
func addComputer(response map[string]any, r llm.ToolResult) {
	if r.Toolset == "" {
		return
	}
	if r.Browser != nil {
		response["url"] = r.Browser.URL
	}
	if len(r.Acknowledged) > 0 {
		response["safety_acknowledgement"] = "true"
	}
}
