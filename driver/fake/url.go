package fake

import (
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/net/html/charset"

	"github.com/wayfinder-engine/wayfinder/driver"
)

func blank() *url.URL { return &url.URL{Scheme: "about", Opaque: "blank"} }

// parseURL reads an address as browsers do: white space off, backslashes
// turned, tabs and line ends gone.
func parseURL(base *url.URL, s string) (*url.URL, error) {
	s = strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(strings.Trim(s, " \t\n\r\f"))
	if i := strings.IndexAny(s, "?#"); !strings.HasPrefix(lower(s), "data:") && !strings.HasPrefix(lower(s), "javascript:") {
		head, tail := s, ""
		if i >= 0 {
			head, tail = s[:i], s[i:]
		}
		s = strings.ReplaceAll(head, `\`, "/") + strings.ReplaceAll(tail, " ", "%20")
	}
	u, err := url.Parse(s)
	if err != nil {
		// Go refuses escapes and ports that browsers take as they are.
		if u, err = url.Parse(strings.ReplaceAll(s, "%", "%25")); err != nil {
			return nil, err
		}
	}
	if base != nil && !u.IsAbs() {
		if s == "" {
			v := *base
			v.Fragment = ""
			return &v, nil
		}
		if base.Opaque != "" && !strings.HasPrefix(s, "#") {
			return nil, errors.New("relative address without a base")
		}
		if strings.HasPrefix(s, "#") {
			v := *base
			v.Fragment, v.RawFragment = u.Fragment, u.RawFragment
			return &v, nil
		}
		u = base.ResolveReference(u)
	}
	u.Scheme = strings.ToLower(u.Scheme)
	if u.Scheme == "http" || u.Scheme == "https" {
		u.Host = strings.ToLower(u.Host)
		if u.Scheme == "http" {
			u.Host = strings.TrimSuffix(u.Host, ":80")
		} else {
			u.Host = strings.TrimSuffix(u.Host, ":443")
		}
		if u.Host == "" {
			return nil, errors.New("address without a host")
		}
		if u.Path == "" {
			u.Path = "/"
		}
	}
	return u, nil
}

func withoutFragment(addr string) string {
	addr, _, _ = strings.Cut(addr, "#")
	return addr
}

// dataResponse decodes a data: address.
func dataResponse(u *url.URL) (*response, error) {
	bad := &driver.NavigationError{URL: u.String(), Reason: driver.ReasonAddress, Detail: "net::ERR_INVALID_URL"}
	opaque := u.Opaque
	if opaque == "" {
		opaque = u.Path
	}
	if u.RawQuery != "" {
		opaque += "?" + u.RawQuery
	}
	meta, data, ok := strings.Cut(opaque, ",")
	if !ok {
		return nil, bad
	}
	text, err := url.PathUnescape(data)
	if err != nil {
		text = data
	}
	if m, ok := strings.CutSuffix(meta, ";base64"); ok {
		raw, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return nil, bad
		}
		meta, text = m, string(raw)
	}
	if meta == "" || strings.HasPrefix(meta, ";") {
		meta = "text/plain" + meta
	}
	return &response{url: u, header: http.Header{"Content-Type": {meta}}, body: text}, nil
}

// decode turns a body into UTF-8, by its header, its meta element, or a guess.
func decode(data []byte, contentType string) string {
	t := mediaType(contentType)
	if t != "" && !strings.HasPrefix(t, "text/") && !strings.HasSuffix(t, "xml") {
		return string(data)
	}
	head := data[:min(len(data), 1024)]
	enc, name, _ := charset.DetermineEncoding(head, contentType)
	if name == "utf-8" {
		return strings.TrimPrefix(string(data), "\ufeff")
	}
	out, err := enc.NewDecoder().Bytes(data)
	if err != nil {
		return string(data)
	}
	return string(out)
}
