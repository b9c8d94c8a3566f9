package modelhttp

import "net/http"

// Direct returns a client that does what given does, or what the default one
// does if it is nil, and follows no server that leads elsewhere: who asks would
// be told there, too. [Inspect] makes an error of such a response.
func Direct(given *http.Client) *http.Client {
	client := &http.Client{}
	if given != nil {
		*client = *given
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return client
}

// Through returns a client that does what given does, with its requests sent
// by what wrap makes of given's own transport.
func Through(given *http.Client, wrap func(next http.RoundTripper) http.RoundTripper) *http.Client {
	client := Direct(given)
	if client.Transport == nil {
		client.Transport = http.DefaultTransport
	}
	client.Transport = wrap(client.Transport)
	return client
}

// destination is where a response leads, without what may be secret in it.
func destination(resp *http.Response) string {
	if u, err := resp.Location(); err == nil {
		return u.Scheme + "://" + u.Host
	}
	return "another address"
}
