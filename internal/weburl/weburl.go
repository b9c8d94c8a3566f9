// Package weburl checks the addresses that callers navigate to, and shows them.
package weburl

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// Check rejects anything but an absolute URL. The error says what to write
// instead.
func Check(address string) error {
	if strings.TrimSpace(address) == "" {
		return errors.New("the address is empty")
	}
	u, err := url.Parse(address)
	if err != nil {
		var why *url.Error
		if errors.As(err, &why) {
			err = why.Err // which repeats the address
		}
		return fmt.Errorf("%q is no URL: %v", short(address), err)
	}
	// "localhost:8080/" and "example.com:80" parse as a scheme and an opaque rest.
	port := u.Opaque != "" && u.Opaque[0] >= '0' && u.Opaque[0] <= '9'
	if u.Scheme == "" || port {
		return fmt.Errorf("%q has no scheme; write https://%s", short(address), short(address))
	}
	if u.Scheme == "javascript" {
		return errors.New("a javascript: address is a script, and goes nowhere; run it with Evaluate of the driver's page")
	}
	if (u.Scheme == "http" || u.Scheme == "https") && u.Host == "" {
		return fmt.Errorf("%q has no host", short(address))
	}
	return nil
}

// short bounds, in bytes, how much of an address an error repeats.
func short(text string) string {
	const most = 200
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// WithoutPassword returns an address as it may be shown, and what hides its
// password in texts.
func WithoutPassword(address string) (shown string, hide func(string) string) {
	u, err := url.Parse(address)
	if err != nil || u.User == nil {
		return address, func(text string) string { return text }
	}
	return u.Redacted(), func(text string) string { return strings.ReplaceAll(text, u.User.String()+"@", "***@") }
}
