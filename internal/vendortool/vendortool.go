// Package vendortool has the names of the tools for browsers and computers that vendors
// define themselves: adapters and agents have to agree on them.
package vendortool

const (
	OpenAI            = "computer"                  // several actions a call
	OpenAIPreview     = "computer_use_preview"      // the older one, one action a call
	AnthropicBrowser  = "browser_toolset_20260801"  // by refs and points, with tabs
	AnthropicToolset  = "computer_toolset_20260801" // by points
	Anthropic20251124 = "computer_20251124"         // one tool, with zoom
	Anthropic20250124 = "computer_20250124"         // one tool
	Google            = "computer_use"              // since gemini-3.5: functions with an intent
	Google2025        = "computer_use_2025"         // before: other names, the same tool on the wire
)
