package openai

import (
	"testing"

	"github.com/wayfinder-engine/wayfinder/internal/computeruse"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/config"
)

func computerModel(t testing.TB, address, model string) llm.Model {
	m, err := New(Options{Model: model, BaseURL: address, Format: config.ResponsesFormat})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Tasks are done by the vendor's own tool, in its real format.
func TestComputer(t *testing.T) { computeruse.Suite(t, computeruse.OpenAI, computerModel) }

func TestComputerPreview(t *testing.T) {
	computeruse.Dozen(t, computeruse.OpenAIPreview, computerModel)
}

// Safety checks of the vendor are a person's to confirm.
func TestComputerSafety(t *testing.T) {
	computeruse.Safety(t, computeruse.OpenAI, computerModel)
	computeruse.Safety(t, computeruse.OpenAIPreview, computerModel)
}

func TestComputerBrowser(t *testing.T) {
	computeruse.Browser(t, computeruse.OpenAI, computerModel)
	computeruse.Browser(t, computeruse.OpenAIPreview, computerModel)
}

func TestComputerTools(t *testing.T) {
	computeruse.Tools(t, computeruse.OpenAI, computerModel)
	computeruse.Tools(t, computeruse.OpenAIPreview, computerModel)
}

func TestComputerOnChrome(t *testing.T) { computeruse.OnChrome(t, computeruse.OpenAI, computerModel) }

// The conversation of one task, as it stands on the wire.
func TestComputerWire(t *testing.T) {
	computeruse.Golden(t, computeruse.OpenAI, computerModel)
	computeruse.Golden(t, computeruse.OpenAIPreview, computerModel)
}

// A run by the vendor's tool goes on where its process was killed.
func TestComputerKilled(t *testing.T) {
	computeruse.Killed(t, computeruse.OpenAI, computerModel)
	computeruse.Killed(t, computeruse.OpenAIPreview, computerModel)
}
