package runs

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/wayfinder-engine/wayfinder/internal/fleet"
	"github.com/wayfinder-engine/wayfinder/server"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// A task is a run as the queue has it.
type task struct {
	Run    wire.RunCreate `json:"run"`              // without its secrets
	Home   string         `json:"home,omitempty"`   // whose it is
	Sealed bool           `json:"sealed,omitempty"` // it has secrets
}

// Secrets are what of a run's request stands nowhere in clear: they are encrypted
// beside the task, and erased once the run is over.
type secrets struct {
	Variables map[string]wire.Variable `json:"variables,omitempty"`
	Proxy     *wire.Proxy              `json:"proxy,omitempty"` // one with a password
}

// takeSecrets takes them out of a request; nil: it has none.
func takeSecrets(run *wire.RunCreate) *secrets {
	s := &secrets{Variables: run.Variables}
	run.Variables = nil
	if b := run.Browser; b != nil && b.LaunchOptions != nil {
		if p := b.LaunchOptions.Proxy; p != nil && (p.Username != "" || p.Password != "" || strings.Contains(p.Server, "@")) {
			s.Proxy = p
			browser, launch := *b, *b.LaunchOptions // the request is its client's
			launch.Proxy, browser.LaunchOptions, run.Browser = nil, &launch, &browser
		}
	}
	if len(s.Variables) == 0 && s.Proxy == nil {
		return nil
	}
	return s
}

// putBack makes the request whole again.
func (s *secrets) putBack(run *wire.RunCreate) {
	run.Variables = s.Variables
	if s.Proxy != nil {
		run.Browser.LaunchOptions.Proxy = s.Proxy
	}
}

// What secrets are about: those of one task open with no other.
const (
	aboutSecrets  = "run's secrets"
	aboutIdentity = "run's identity"
)

// pack makes a run's request one for the queue. identities are what tells it from
// others with the same idempotency key, by each of the operator's keys, the current
// one first: a request that is sent again may have come before a key was replaced.
func (t *task) pack(keys *server.SealingKeys) (_ fleet.Request, identities [][]byte, _ error) {
	hidden := takeSecrets(&t.Run)
	t.Sealed = hidden != nil
	payload, err := json.Marshal(t)
	if err != nil {
		return fleet.Request{}, nil, err
	}
	packed := fleet.Request{Owner: t.Home, Priority: t.Run.Priority, Payload: payload}
	if hidden == nil {
		return packed, [][]byte{payload}, checkSize(payload)
	}
	if keys == nil {
		return packed, nil, errNoKey
	}
	plain, err := json.Marshal(hidden)
	if err != nil {
		return packed, nil, err
	}
	if packed.Secret, err = keys.Seal(plain, aboutSecrets, string(payload)); err != nil {
		return packed, nil, err
	}
	if identities, err = keys.MAC(plain, aboutIdentity, string(payload)); err != nil {
		return packed, nil, err
	}
	return packed, identities, checkSize(payload, packed.Secret)
}

func checkSize(parts ...[]byte) error {
	for _, part := range parts {
		if len(part) > fleet.MaxValue {
			return &server.RunError{Code: wire.TooLarge, Message: fmt.Sprintf("a run has up to %d bytes", fleet.MaxValue)}
		}
	}
	return nil
}

var errNoKey = &server.RunError{
	Code:    wire.NotImplemented,
	Message: "this server takes no runs with variables or with a proxy's password: its operator has given no key to encrypt them with (--profile-key-file, or WAYFINDER_PROFILE_KEY)",
}

// unpack puts the secrets back that belong to a task.
func (t *task) unpack(keys *server.SealingKeys, payload, sealed []byte) error {
	if keys == nil {
		return errSealed
	}
	plain, err := keys.Open(sealed, aboutSecrets, string(payload))
	if err != nil {
		return fmt.Errorf("%w: %w", errSealed, err)
	}
	hidden := new(secrets)
	if json.Unmarshal(plain, hidden) != nil {
		return errors.New("runs: the variables of a run cannot be read") // not what stands there
	}
	hidden.putBack(&t.Run)
	return nil
}
