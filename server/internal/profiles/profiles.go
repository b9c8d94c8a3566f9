package profiles

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base32"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/internal/fleet"
)

// Options are how profiles are kept. The zero value is usable.
type Options struct {
	MaxBytes int          // of one profile, as JSON; 0 is 8 MiB
	Most     int          // profiles of one owner; 0 is 1,000
	Logger   *slog.Logger // nil is silence
}

// Profiles are the profiles of a store. They may be used by any number of
// goroutines.
type Profiles struct {
	vault

	mu   sync.Mutex        // protects what follows
	held map[string]Holder // by key: those of this process, and those that are being taken
}

// Info describes a profile, without its contents.
type Info struct {
	Name    string
	Created time.Time
	Saved   time.Time // when it was last written
	Size    int       // bytes, as JSON
	LeftOut int       // databases and records of IndexedDB that it does not have, though its browser had them
	Holder  *Holder   // nil: it can be had
}

// A Holder is the user of a profile.
type Holder struct {
	By    string    `json:"by"` // as it named itself: a session's ID
	Since time.Time `json:"since"`
}

// The errors of profiles, besides those of [Keys.Open].
var (
	ErrNotFound = errors.New("profiles: there is no such profile")
	ErrExists   = errors.New("profiles: there is such a profile already")
	ErrName     = errors.New("profiles: a name has up to 64 letters, digits, '.', '_', '-', '+' and '@', and begins with a letter or digit")
	ErrTooLarge = errors.New("profiles: it is too large")
	ErrTooMany  = errors.New("profiles: the owner has as many as it may have")
	// ErrUnavailable: the store cannot be reached; ask again.
	ErrUnavailable = fleet.ErrUnavailable
	// ErrLost: the profile is not the holder's any more, and nothing was written.
	ErrLost = errors.New("profiles: another has the profile now")
)

// An InUseError is a profile that another holds.
type InUseError struct {
	Name   string
	Holder Holder
}

func (e *InUseError) Error() string {
	return fmt.Sprintf("profiles: %q is in use by %s since %s", e.Name, e.Holder.By, e.Holder.Since.UTC().Format(time.RFC3339))
}

// head is a profile as the store has it.
type head struct {
	Name    string      `json:"name"`
	Created time.Time   `json:"created"`
	Saved   time.Time   `json:"saved"`
	Size    int         `json:"size"`
	LeftOut int         `json:"leftOut,omitempty"`
	Held    *heldRecord `json:"held,omitempty"`
	Writer  string      `json:"writer,omitempty"` // the hold that wrote it last
	Sealed  []byte      `json:"sealed,omitempty"` // what it remembers, if that is small
	Write   string      `json:"write,omitempty"`  // names the parts, if it is not
	Parts   int         `json:"parts,omitempty"`
}

// heldRecord is a hold as the store has it.
type heldRecord struct {
	Holder
	Life string `json:"life"` // of the process
}

// New returns the profiles of a store, sealed by keys. opts may be nil.
func New(s Store, keys *Keys, opts *Options) *Profiles {
	p := &Profiles{vault: vault{store: s, keys: keys, opts: *cmp.Or(opts, &Options{})}, held: map[string]Holder{}}
	p.opts.MaxBytes, p.opts.Most = cmp.Or(p.opts.MaxBytes, 8<<20), cmp.Or(p.opts.Most, 1000)
	p.log = cmp.Or(p.opts.Logger, slog.New(slog.DiscardHandler))
	return p
}

// names of profiles.
var names = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+@-]{0,63}$`)

// lower writes names into keys, for file systems that do not tell cases apart.
var lower = base32.NewEncoding("0123456789abcdefghijklmnopqrstuv").WithPadding(base32.NoPadding)

// keyOf is the key of a profile's head.
func keyOf(owner, name string) (string, error) {
	if !names.MatchString(name) {
		return "", fmt.Errorf("%w: %q", ErrName, name)
	}
	return ownerPrefix(owner) + lower.EncodeToString([]byte(name)), nil
}

// holder returns the holder of a profile; nil if it has none that lives.
func (p *Profiles) holder(ctx context.Context, key string, h *head) (*Holder, error) {
	p.mu.Lock()
	own, here := p.held[key]
	p.mu.Unlock()
	if here {
		return &own, nil
	}
	return p.elsewhere(ctx, h, p.store.Life())
}

// elsewhere returns the holder of a profile in another process than that of a life; nil if
// it has none that lives. A hold of this process is none: it would be in the list of those
// held, and is one whose release was lost.
func (p *Profiles) elsewhere(ctx context.Context, h *head, life string) (*Holder, error) {
	if h.Held == nil || h.Held.Life == life {
		return nil, nil
	}
	ended, err := p.store.Ended(ctx, h.Held.Life)
	if err != nil || ended {
		return nil, err
	}
	return &h.Held.Holder, nil
}

// checkFree refuses a profile that another process than that of a life holds.
func (p *Profiles) checkFree(ctx context.Context, h *head, life string) error {
	holder, err := p.elsewhere(ctx, h, life)
	if err != nil {
		return fmt.Errorf("profiles: %q: %w", h.Name, err)
	}
	if holder != nil {
		return &InUseError{h.Name, *holder}
	}
	return nil
}

func (p *Profiles) info(ctx context.Context, key string, h *head) (Info, error) {
	holder, err := p.holder(ctx, key, h)
	return Info{Name: h.Name, Created: h.Created, Saved: h.Saved, Size: h.Size, LeftOut: h.LeftOut, Holder: holder}, err
}

// List returns an owner's profiles, in the order of their names.
func (p *Profiles) List(ctx context.Context, owner string) ([]Info, error) {
	records, err := p.store.List(ctx, ownerPrefix(owner))
	if err != nil {
		return nil, fmt.Errorf("profiles: %w", err)
	}
	list := []Info{}
	for _, r := range records {
		var h head
		if json.Unmarshal(r.Value, &h) != nil {
			continue // damaged, as its name is
		}
		one, err := p.info(ctx, r.Key, &h)
		if err != nil {
			return nil, fmt.Errorf("profiles: %w", err)
		}
		list = append(list, one)
	}
	slices.SortFunc(list, func(a, b Info) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}

// Get tells of one profile.
func (p *Profiles) Get(ctx context.Context, owner, name string) (Info, error) {
	key, err := keyOf(owner, name)
	if err != nil {
		return Info{}, err
	}
	h, _, err := p.find(ctx, key, name)
	if err != nil {
		return Info{}, err
	}
	return p.info(ctx, key, h)
}

// mostTries bounds how often a change is tried again that another has overtaken.
const mostTries = 20

// change changes a profile that has no holder, by f, which is given its head, or nil
// if there is none. f is called again where another change was faster.
func (p *Profiles) change(ctx context.Context, owner, name string, f func(key string, h *head, revision uint64) error) error {
	key, err := keyOf(owner, name)
	if err != nil {
		return err
	}
	if err := p.reserve(key, name, "a change of it"); err != nil {
		return err
	}
	defer p.unreserve(key)
	for range mostTries {
		h, revision, err := p.find(ctx, key, name)
		if err != nil && !errors.Is(err, ErrNotFound) {
			return err
		}
		if h != nil {
			if err := p.checkFree(ctx, h, p.store.Life()); err != nil {
				return err
			}
		}
		if err = f(key, h, revision); !errors.Is(err, fleet.ErrConflict) {
			return err
		}
	}
	return fmt.Errorf("profiles: %q: %w: it changes all the time", name, fleet.ErrUnavailable)
}

// Put makes a profile what state says; nil is an empty one. It replaces one that can
// be opened and has no holder. created: there was none.
func (p *Profiles) Put(ctx context.Context, owner, name string, state *driver.StorageState) (created bool, _ error) {
	plain, missing, err := p.encode(state)
	if err != nil {
		return false, err
	}
	err = p.change(ctx, owner, name, func(key string, h *head, revision uint64) error {
		now := time.Now().UTC()
		next := &head{Name: name, Created: now, LeftOut: missing}
		if created = h == nil; created {
			if err := p.checkCount(ctx, owner); err != nil {
				return err
			}
		} else {
			// What cannot be opened is not overwritten: another key may open it.
			if _, _, err := p.open(ctx, owner, key, h, revision); err != nil {
				return err
			}
			next.Created = h.Created
		}
		_, err := p.write(ctx, owner, key, next, plain, revision)
		return err
	})
	return created, err
}

func (p *Profiles) checkCount(ctx context.Context, owner string) error {
	all, err := p.store.List(ctx, ownerPrefix(owner))
	if err != nil {
		return fmt.Errorf("profiles: %w", err)
	}
	if len(all) >= p.opts.Most {
		return fmt.Errorf("%w: %d", ErrTooMany, len(all))
	}
	return nil
}

// Delete removes a profile that has no holder, whether or not it can be opened.
func (p *Profiles) Delete(ctx context.Context, owner, name string) error {
	return p.change(ctx, owner, name, func(key string, h *head, revision uint64) error {
		if h == nil {
			return fmt.Errorf("%w: %q", ErrNotFound, name)
		}
		return p.remove(ctx, key, revision)
	})
}

func (p *Profiles) remove(ctx context.Context, key string, revision uint64) error {
	if err := p.store.Delete(ctx, key, revision); err != nil {
		return fmt.Errorf("profiles: %w", err)
	}
	p.clean(ctx, key, func(string) bool { return true })
	return nil
}

// Rename gives a profile that has no holder another name, which is free. If the
// process ends meanwhile, both may be there.
func (p *Profiles) Rename(ctx context.Context, owner, name, to string) error {
	newKey, err := keyOf(owner, to)
	if err != nil || name == to {
		return err
	}
	if err := p.reserve(newKey, to, "a change of it"); err != nil {
		return err
	}
	defer p.unreserve(newKey)
	return p.change(ctx, owner, name, func(key string, h *head, revision uint64) error {
		if h == nil {
			return fmt.Errorf("%w: %q", ErrNotFound, name)
		}
		plain, _, err := p.open(ctx, owner, key, h, revision)
		if err != nil {
			return err
		}
		written, err := p.write(ctx, owner, newKey, &head{Name: to, Created: h.Created, LeftOut: h.LeftOut}, plain, 0)
		if errors.Is(err, fleet.ErrConflict) {
			return fmt.Errorf("%w: %q", ErrExists, to)
		}
		if err != nil {
			return err
		}
		if err = p.remove(ctx, key, revision); errors.Is(err, fleet.ErrConflict) {
			// Somebody has taken it meanwhile.
			return errors.Join(err, p.remove(ctx, newKey, written))
		}
		return err
	})
}

// reserve makes this process the only one of its own that uses a key.
func (p *Profiles) reserve(key, name, by string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if other, taken := p.held[key]; taken {
		return &InUseError{name, other}
	}
	p.held[key] = Holder{By: by, Since: time.Now().UTC()}
	return nil
}

func (p *Profiles) unreserve(key string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.held, key)
}

// Hold locks the profile for the given holder, by. The error is an [*InUseError]
// while another has it. The caller closes the hold.
func (p *Profiles) Hold(ctx context.Context, owner, name, by string) (*Hold, error) {
	key, err := keyOf(owner, name)
	if err != nil {
		return nil, err
	}
	if err := p.reserve(key, name, by); err != nil {
		return nil, err
	}
	hold, err := p.take(ctx, owner, key, name, by)
	if err != nil {
		p.unreserve(key)
		return nil, err
	}
	return hold, nil
}

func (p *Profiles) take(ctx context.Context, owner, key, name, by string) (*Hold, error) {
	life := p.store.Life()
	for range mostTries {
		h, revision, err := p.find(ctx, key, name)
		if err != nil {
			return nil, err
		}
		if err := p.checkFree(ctx, h, life); err != nil {
			return nil, err
		}
		plain, current, err := p.open(ctx, owner, key, h, revision)
		if errors.Is(err, fleet.ErrConflict) {
			continue
		}
		if err != nil {
			return nil, err
		}
		state, err := decodeState(plain)
		if err != nil {
			return nil, fmt.Errorf("profile %q: %w", name, err)
		}
		// From here on, writes of the previous holder are refused.
		h.Writer, h.Held = rand.Text(), &heldRecord{Holder{By: by, Since: time.Now().UTC()}, life}
		revision, err = p.put(ctx, key, h, revision)
		if errors.Is(err, fleet.ErrConflict) {
			continue
		}
		if err != nil {
			return nil, err
		}
		hold := &Hold{profiles: p, owner: owner, key: key, name: name, id: h.Writer, wake: make(chan struct{}, 1), state: state, head: *h, revision: revision}
		if current {
			hold.saved = plain
		}
		return hold, nil
	}
	return nil, fmt.Errorf("profiles: %q: %w: it changes all the time", name, fleet.ErrUnavailable)
}
