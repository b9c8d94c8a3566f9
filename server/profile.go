package server

import (
	"errors"
	"net/http"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/server/internal/body"
	"github.com/wayfinder-engine/wayfinder/server/internal/profiles"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// profileCalls answer what is asked of profiles.
type profileCalls struct{ kept *Kept }

// checkProfileFits refuses browsers that remember in another way.
func checkProfileFits(b *wire.Browser) error {
	switch o := b.LaunchOptions; {
	case b.CDPURL != "" || o.CDPURL != "":
		return invalid([]any{"browser", "profile"}, "has no meaning for a browser that runs already; leave it out, or cdpUrl")
	case o.UserDataDir != "":
		return invalid([]any{"browser", "profile"}, "and launchOptions.userDataDir both say what the browser remembers; leave one out")
	}
	return nil
}

// check refuses a run whose profile is not there. One in use is waited for.
func (p *profileCalls) check(c *call, name string) error {
	if p.kept.Profiles == nil {
		return errNoProfiles
	}
	_, err := p.kept.Profiles.Get(c.r.Context(), c.holder.caller(), name)
	return profileFault(name, err)
}

var errNoProfiles = newFault(wire.NotImplemented, "this server keeps no profiles: its operator has given no key to encrypt them with (--profile-key-file, or WAYFINDER_PROFILE_KEY)")

// retryProfile is the retry-after of a profile that another session has.
const retryProfile = 5 * time.Second

// profileFault is what clients see of an error of package profiles; nil for nil.
func profileFault(name string, err error) error {
	var used *profiles.InUseError
	var f *fault
	switch {
	case err == nil:
		return nil
	case errors.As(err, &used):
		f = newFault(wire.ProfileInUse, "the profile %q is in use by %s since %s; it can be had when that has ended", used.Name, used.Holder.By, used.Holder.Since.UTC().Format(time.RFC3339))
		f.retry = retryProfile
	case errors.Is(err, profiles.ErrName):
		return invalid([]any{"profile"}, "%v", err)
	case errors.Is(err, profiles.ErrNotFound):
		f = newFault(wire.ProfileNotFound, "there is no profile %q; PUT /v1/profiles/%s makes one", name, name)
	case errors.Is(err, profiles.ErrExists):
		f = newFault(wire.ProfileExists, "there is a profile of that name already")
	case errors.Is(err, profiles.ErrTooLarge):
		f = newFault(wire.TooLarge, "%v", err)
	case errors.Is(err, profiles.ErrTooMany):
		f = newFault(wire.TooManyProfiles, "the key has as many profiles as it may have; delete one")
	case errors.Is(err, profiles.ErrKey):
		f = newFault(wire.ProfileUnreadable, "the profile %q is encrypted with a key that this server's operator has not given; it is left as it is", name)
	case errors.Is(err, profiles.ErrDamaged):
		f = newFault(wire.ProfileUnreadable, "the profile %q is damaged, and left as it is; DELETE removes it", name)
	case errors.Is(err, profiles.ErrUnavailable):
		f = newFault(wire.NodeUnavailable, "the profiles cannot be reached; ask again")
		f.retry = time.Second
	default:
		return err
	}
	f.cause = err
	return f
}

// about makes the handler of an operation on profiles, which is refused where there are
// none. Its errors are those of package profiles, or faults.
func (p *profileCalls) about(handle func(c *call, store *profiles.Profiles, owner, name string) error) func(*call) error {
	return func(c *call) error {
		if p.kept.Profiles == nil {
			return errNoProfiles
		}
		err := handle(c, p.kept.Profiles, c.holder.caller(), c.r.PathValue("profile"))
		return profileFault(c.r.PathValue("profile"), err) // a profile that was renamed has another name by now
	}
}

func (p *profileCalls) list(c *call, store *profiles.Profiles, owner, _ string) error {
	all, err := store.List(c.r.Context(), owner)
	if err != nil {
		return err
	}
	list := wire.ProfileList{Profiles: make([]wire.Profile, len(all))}
	for i := range all {
		list.Profiles[i] = profileToWire(&all[i])
	}
	return c.writeJSON(http.StatusOK, wire.Success[wire.ProfileList]{Success: true, Data: list})
}

func profileToWire(i *profiles.Info) wire.Profile {
	w := wire.Profile{Name: i.Name, Created: i.Created, Saved: i.Saved, Size: i.Size, LeftOut: i.LeftOut}
	if i.Holder != nil {
		w.InUse = &wire.ProfileUser{Session: i.Holder.By, Since: i.Holder.Since}
	}
	return w
}

func (p *profileCalls) retrieve(c *call, store *profiles.Profiles, owner, name string) error {
	info, err := store.Get(c.r.Context(), owner, name)
	if err != nil {
		return err
	}
	return c.writeJSON(http.StatusOK, wire.Success[wire.ProfileData]{Success: true, Data: wire.ProfileData{Profile: profileToWire(&info)}})
}

func (p *profileCalls) put(c *call, store *profiles.Profiles, owner, name string) error {
	req, err := read[wire.ProfilePut](c)
	if err != nil {
		return err
	}
	state, err := stateOf(req.StorageState)
	if err != nil {
		return err
	}
	if _, err := store.Put(c.r.Context(), owner, name, state); err != nil {
		return err
	}
	return p.retrieve(c, store, owner, name)
}

// stateOf is a client's storage state as drivers have it.
func stateOf(w *wire.StorageState) (*driver.StorageState, error) {
	if w == nil {
		return nil, nil
	}
	state := new(driver.StorageState)
	err := alike(w, state)
	for i := range state.Origins {
		state.Origins[i].LeftOut = nil // it counts what a browser had, and this is none's
	}
	return state, err
}

func (p *profileCalls) rename(c *call, store *profiles.Profiles, owner, name string) error {
	req, err := read[wire.ProfileRename](c)
	if err != nil {
		return err
	}
	if err := store.Rename(c.r.Context(), owner, name, req.Name); err != nil {
		return err
	}
	c.r.SetPathValue("profile", req.Name)
	return p.retrieve(c, store, owner, req.Name)
}

func (p *profileCalls) delete(c *call, store *profiles.Profiles, owner, name string) error {
	if err := store.Delete(c.r.Context(), owner, name); err != nil {
		return err
	}
	return c.writeJSON(http.StatusOK, body.Ended{Success: true})
}
