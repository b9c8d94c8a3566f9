package google

import (
	"testing"

	"github.com/wayfinder-engine/wayfinder/internal/computeruse"
	"github.com/wayfinder-engine/wayfinder/llm"
)

func computerModel(t testing.TB, address, model string) llm.Model {
	m, err := New(Options{Model: model, BaseURL: address, APIKey: llm.NewSecret("key-0123456789")})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Tasks are done by the vendor's own functions, in their real format.
func TestComputer(t *testing.T) { computeruse.Suite(t, computeruse.Google, computerModel) }

func TestComputer2025(t *testing.T) { computeruse.Dozen(t, computeruse.Google2025, computerModel) }

// Safety decisions of the vendor are a person's to confirm.
func TestComputerSafety(t *testing.T) {
	computeruse.Safety(t, computeruse.Google, computerModel)
	computeruse.Safety(t, computeruse.Google2025, computerModel)
}

func TestComputerBrowser(t *testing.T) {
	computeruse.Browser(t, computeruse.Google, computerModel)
	computeruse.Browser(t, computeruse.Google2025, computerModel)
}

func TestComputerTools(t *testing.T) {
	computeruse.Tools(t, computeruse.Google, computerModel)
	computeruse.Tools(t, computeruse.Google2025, computerModel)
}

func TestComputerOnChrome(t *testing.T) { computeruse.OnChrome(t, computeruse.Google, computerModel) }

// The conversation of one task, as it stands on the wire.
func TestComputerWire(t *testing.T) {
	computeruse.Golden(t, computeruse.Google, computerModel)
	computeruse.Golden(t, computeruse.Google2025, computerModel)
}

// A run by the vendor's tool goes on where its process was killed.
func TestComputerKilled(t *testing.T) {
	computeruse.Killed(t, computeruse.Google, computerModel)
	computeruse.Killed(t, computeruse.Google2025, computerModel)
}
