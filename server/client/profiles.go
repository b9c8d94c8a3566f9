package client

import (
	"context"
	"net/http"
	"net/url"

	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// Profiles returns what the service tells of the key's profiles, in the order of
// their names.
func (c *Client) Profiles(ctx context.Context) ([]wire.Profile, error) {
	list, err := call[wire.ProfileList](ctx, c, http.MethodGet, "/v1/profiles", nil)
	if err != nil {
		return nil, err
	}
	return list.Profiles, nil
}

// Profile tells of one profile.
func (c *Client) Profile(ctx context.Context, name string) (*wire.Profile, error) {
	return c.profile(ctx, http.MethodGet, name, nil)
}

// PutProfile makes a profile, or replaces one that no session has. A nil state is
// an empty one.
func (c *Client) PutProfile(ctx context.Context, name string, state *wire.StorageState) (*wire.Profile, error) {
	return c.profile(ctx, http.MethodPut, name, wire.ProfilePut{StorageState: state})
}

// RenameProfile gives a profile that no session has another name.
func (c *Client) RenameProfile(ctx context.Context, name, to string) (*wire.Profile, error) {
	return c.profile(ctx, http.MethodPatch, name, wire.ProfileRename{Name: to})
}

// DeleteProfile removes a profile that no session has.
func (c *Client) DeleteProfile(ctx context.Context, name string) error {
	response, err := c.send(ctx, http.MethodDelete, profilePath(name), nil, false)
	if err != nil {
		return err
	}
	return response.Body.Close()
}

func (c *Client) profile(ctx context.Context, method, name string, body any) (*wire.Profile, error) {
	data, err := call[wire.ProfileData](ctx, c, method, profilePath(name), body)
	if err != nil {
		return nil, err
	}
	return &data.Profile, nil
}

func profilePath(name string) string { return "/v1/profiles/" + url.PathEscape(name) }
