package anthropic

import (
	"testing"

	"github.com/wayfinder-engine/wayfinder/internal/computeruse"
	"github.com/wayfinder-engine/wayfinder/llm"
)

func computerModel(t testing.TB, address, model string) llm.Model {
	m, err := New(Options{Model: model, BaseURL: address})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Tasks are done by the vendor's own tools, in their real format.
func TestBrowserToolset(t *testing.T) {
	computeruse.Suite(t, computeruse.AnthropicBrowser, computerModel)
}

func TestBrowserToolsetByPoint(t *testing.T) {
	computeruse.Dozen(t, computeruse.AnthropicBrowserPoints, computerModel)
}

func TestComputerToolset(t *testing.T) {
	computeruse.Dozen(t, computeruse.AnthropicComputer, computerModel)
}

func TestComputerTools(t *testing.T) {
	for date, model := range map[string]string{"20251124": "claude-opus-4-6", "20250124": "claude-haiku-4-5"} {
		t.Run(date, func(t *testing.T) {
			computeruse.Dozen(t, func() *computeruse.Vendor { return computeruse.AnthropicSingle(date, model) }, computerModel)
		})
	}
}

// What a page does beside itself is in browser_state.
func TestBrowserState(t *testing.T) {
	computeruse.Browser(t, computeruse.AnthropicBrowser, computerModel)
	computeruse.Browser(t, computeruse.AnthropicBrowserPoints, computerModel)
}

// Tools of pages are functions beside the vendor's.
func TestComputerPageTools(t *testing.T) {
	computeruse.Tools(t, computeruse.AnthropicBrowser, computerModel)
	computeruse.Tools(t, computeruse.AnthropicComputer, computerModel)
	computeruse.Tools(t, func() *computeruse.Vendor { return computeruse.AnthropicSingle("20250124", "claude-haiku-4-5") }, computerModel)
}

func TestComputerOnChrome(t *testing.T) {
	computeruse.OnChrome(t, computeruse.AnthropicBrowser, computerModel)
	computeruse.OnChrome(t, computeruse.AnthropicComputer, computerModel)
}

// The conversation of one task, as it stands on the wire.
func TestComputerWire(t *testing.T) {
	computeruse.Golden(t, computeruse.AnthropicBrowser, computerModel)
	computeruse.Golden(t, computeruse.AnthropicBrowserPoints, computerModel)
	computeruse.Golden(t, computeruse.AnthropicComputer, computerModel)
	computeruse.Golden(t, func() *computeruse.Vendor { return computeruse.AnthropicSingle("20251124", "claude-opus-4-6") }, computerModel)
	computeruse.Golden(t, func() *computeruse.Vendor { return computeruse.AnthropicSingle("20250124", "claude-haiku-4-5") }, computerModel)
}

// A run by the vendor's tool goes on where its process was killed.
func TestComputerKilled(t *testing.T) {
	computeruse.Killed(t, computeruse.AnthropicBrowser, computerModel)
	computeruse.Killed(t, computeruse.AnthropicBrowserPoints, computerModel)
	computeruse.Killed(t, computeruse.AnthropicComputer, computerModel)
	for date, model := range map[string]string{"20251124": "claude-opus-4-6", "20250124": "claude-haiku-4-5"} {
		computeruse.Killed(t, func() *computeruse.Vendor { return computeruse.AnthropicSingle(date, model) }, computerModel)
	}
}
