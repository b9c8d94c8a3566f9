package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// cacheKey makes the key of an act on the page that is shown.
func (p *Page) cacheKey(instruction string, opts *ActOptions) CacheKey {
	hide := p.session.secrets.hide
	return CacheKey{
		Instruction: hide(squeeze(instruction)),
		Address:     lastingAddress(p.URL(), p.session.secrets.hideShown),
		Variables:   strings.Join(slices.Sorted(maps.Keys(opts.Variables)), ","),
		Selector:    hide(strings.TrimSpace(opts.Selector)),
	}
}

// volatile are the names of queries that are another at each visit and do not
// say which page it is.
var volatile = regexp.MustCompile(`(?i)^(utm_.*|mtm_.*|pk_.*|hsa_.*|_hs.*|[dgf]?clid|gclsrc|fbclid|[gw]braid|msclkid|yclid|ttclid|twclid|igshid|li_fat_id|mc_[ce]id|_g[al]|_openstat|vero_id|wickedid|s_cid|` +
	`.*sess(ion)?_?id|sid|phpsessid|aspsessionid.*|cfid|cftoken|.*csrf.*|.*xsrf.*|authenticity_token|.*nonce|` +
	`(access|id|auth|refresh|security|verification)_?token|token|jwt|ticket|sig|signature|hmac|otp|samlresponse|relaystate|` +
	`_|cb|cachebust(er)?|nocache|rnd|rand|random|timestamp|request_?id|trace_?id|correlation_?id|x-amz-.*)$`)

// perhapsVolatile are names that say which page it is where their value is a
// word, and nothing where it is a time or a random text.
var perhapsVolatile = regexp.MustCompile(`(?i)^(t|ts|time|v|ver|r|key|code|state|session|s|hash|expires)$`)

var (
	momentary = regexp.MustCompile(`^1[0-9]{9}([0-9]{3})?$`) // seconds or milliseconds since 1970
	randomish = regexp.MustCompile(`^[A-Za-z0-9_.~=+/-]{16,}$`)
)

// pathSession is a session that a server writes into the path.
var pathSession = regexp.MustCompile(`(?i);(jsessionid|phpsessid|sid)=[^;/]*`)

// lastingAddress is what of an address says which page it is. Queries are in
// the order of their names; hide hides values of variables.
func lastingAddress(address string, hide func(string) string) string {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return hide(address)
	case u.Scheme == "data" || u.Scheme == "blob":
		return u.Scheme + ":" + digest(hide(address))
	case u.Host == "":
		return hide(address)
	}
	lasting := strings.ToLower(u.Scheme) + "://" + strings.ToLower(u.Host)
	for i, part := range strings.Split(pathSession.ReplaceAllString(u.EscapedPath(), ""), "/") {
		if i > 0 {
			lasting += "/"
		}
		lasting += hide(part)
	}
	if strings.HasSuffix(lasting, "://"+strings.ToLower(u.Host)) {
		lasting += "/"
	}
	queries := u.Query()
	separator := "?"
	for _, name := range slices.Sorted(maps.Keys(queries)) {
		for _, value := range queries[name] {
			if passesBy(name, value) {
				continue
			}
			shown := hide(value)
			if shown == value {
				shown = url.QueryEscape(value)
			}
			lasting += separator + hide(url.QueryEscape(name)) + "=" + shown
			separator = "&"
		}
	}
	if f := u.EscapedFragment(); strings.HasPrefix(f, "/") || strings.HasPrefix(f, "!") {
		lasting += "#" + hide(f)
	}
	return lasting
}

// passesBy reports a query that is another at each visit.
func passesBy(name, value string) bool {
	if volatile.MatchString(name) {
		return true
	}
	return perhapsVolatile.MatchString(name) && (momentary.MatchString(value) ||
		randomish.MatchString(value) && strings.ContainsFunc(value, unicode.IsDigit) && strings.ContainsFunc(value, unicode.IsLetter))
}

// addressShape is where an address leads, with * for what differs between
// things of a kind.
func addressShape(address string, hide func(string) string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		scheme, _, _ := strings.Cut(address, ":")
		return scheme + ":"
	}
	parts := strings.Split(pathSession.ReplaceAllString(u.Path, ""), "/")
	for i, part := range parts {
		if strings.ContainsFunc(part, unicode.IsDigit) {
			parts[i] = "*"
		}
	}
	return strings.ToLower(u.Host) + hide(strings.Join(parts, "/"))
}

// digest is a short hash.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:12])
}
