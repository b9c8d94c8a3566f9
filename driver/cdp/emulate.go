package cdp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"strings"

	"github.com/mafredri/cdp/protocol/emulation"
	"github.com/mafredri/cdp/protocol/network"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/protocol"
)

// defaultViewport is that of driver.BrowserOptions.
var defaultViewport = driver.Size{Width: 1280, Height: 720}

// An emulator has a page's sessions show the environment that was asked for.
type emulator struct {
	page *page
	all  driver.Emulation // what holds now; protected by browser.mu
}

// Emulate implements driver.Page.
func (em *emulator) Emulate(ctx context.Context, change *driver.Emulation) error {
	b := em.page.browser
	b.mu.Lock()
	em.all.Merge(change)
	all := em.all
	sessions := em.page.sessionsLocked()
	b.mu.Unlock()
	for _, s := range sessions {
		err := em.applyEmulation(ctx, s, &all)
		// A frame that cannot follow, as it is just going away, is no failure.
		if err != nil && (s == em.page.session || ctx.Err() != nil) {
			return opError("emulate", "", err)
		}
	}
	return nil
}

func (em *emulator) applyEmulation(ctx context.Context, s *session, e *driver.Emulation) error {
	calls, err := s.Start(ctx, em.commands(s, e)...)
	for _, c := range calls {
		_, cerr := c.Wait(ctx)
		err = cmp.Or(err, refusedEmulation(cerr))
	}
	return err
}

// refusedEmulation is the error of a command of emulate. Pages that share a
// process share its locale and time zone: for the second, Chrome answers that
// it is set already, which is as well.
func refusedEmulation(err error) error {
	if refused, ok := errors.AsType[*CommandError](err); ok && strings.Contains(refused.Message, "already in effect") {
		return nil
	}
	return err
}

// commands lists the commands that bring a session into an environment.
func (em *emulator) commands(s *session, e *driver.Emulation) []conn.Command {
	var list []conn.Command
	add := func(c conn.Command) { list = append(list, c) }
	// The view belongs to the page; its frames follow.
	if s == em.page.session && !em.untouched(e) {
		add(protocol.EmulationSetDeviceMetricsOverride.With(*metrics(e)))
	}
	if e.Touch {
		add(protocol.EmulationSetTouchEmulationEnabled.With(emulation.SetTouchEmulationEnabledArgs{Enabled: true, MaxTouchPoints: new(5)}))
	}
	if e.Locale != "" {
		add(protocol.EmulationSetLocaleOverride.With(emulation.SetLocaleOverrideArgs{Locale: new(strings.ReplaceAll(e.Locale, "-", "_"))}))
	}
	if e.TimeZone != "" {
		add(protocol.EmulationSetTimezoneOverride.With(emulation.SetTimezoneOverrideArgs{TimezoneID: e.TimeZone}))
	}
	if e.ColorScheme != "" {
		add(protocol.EmulationSetEmulatedMedia.With(emulation.SetEmulatedMediaArgs{
			Features: []emulation.MediaFeature{{Name: "prefers-color-scheme", Value: string(e.ColorScheme)}},
		}))
	}
	if g := e.Geolocation; g != nil {
		add(protocol.EmulationSetGeolocationOverride.With(emulation.SetGeolocationOverrideArgs{
			Latitude: &g.Latitude, Longitude: &g.Longitude, Accuracy: &g.Accuracy,
		}))
	}
	if e.Connection != "" {
		add(protocol.NetworkEmulateNetworkConditions.With(network.EmulateNetworkConditionsArgs{
			Offline: e.Connection == driver.Offline, DownloadThroughput: -1, UploadThroughput: -1, // as fast as it is
		}))
	}
	if e.UserAgent != "" || e.Locale != "" {
		add(protocol.EmulationSetUserAgentOverride.With(*userAgent(e, em.page.browser.chrome)))
	}
	if e.Headers != nil {
		headers, err := json.Marshal(e.Headers)
		if err != nil {
			panic(err) // no map of strings fails
		}
		add(protocol.NetworkSetExtraHTTPHeaders.With(network.SetExtraHTTPHeadersArgs{Headers: headers}))
	}
	return list
}

// untouched reports whether the view stays what it is: somebody else's
// browser keeps its windows unless the emulation says otherwise.
func (em *emulator) untouched(e *driver.Emulation) bool {
	return em.page.browser.foreign && e.Viewport == (driver.Size{}) && e.Scale == 0 && !e.Mobile
}

func metrics(e *driver.Emulation) *emulation.SetDeviceMetricsOverrideArgs {
	size := cmp.Or(e.Viewport, defaultViewport)
	args := emulation.NewSetDeviceMetricsOverrideArgs(int(size.Width), int(size.Height), cmp.Or(e.Scale, 1), e.Mobile)
	return args.SetScreenWidth(int(size.Width)).SetScreenHeight(int(size.Height))
}

// userAgent says who the browser claims to be, so that the header, the
// script's view of it and the client hints tell the same.
func userAgent(e *driver.Emulation, c *Chrome) *emulation.SetUserAgentOverrideArgs {
	ua := cmp.Or(e.UserAgent, c.userAgent)
	args := emulation.NewSetUserAgentOverrideArgs(ua)
	if e.Locale != "" {
		args.SetAcceptLanguage(acceptLanguage(e.Locale))
	}
	os := systemOf(ua)
	args.SetPlatform(os.platform)
	if m := chromeVersion.FindStringSubmatch(ua); m != nil {
		args.SetUserAgentMetadata(clientHints(m[1], m[2], ua, os, e.Mobile))
	}
	return args
}

// acceptLanguage lists a locale and its language: "de-CH,de".
func acceptLanguage(locale string) string {
	if language, _, regional := strings.Cut(locale, "-"); regional {
		return locale + "," + language
	}
	return locale
}

var chromeVersion = regexp.MustCompile(`(?:Headless)?Chrome/((\d+)[\d.]*)`)

// A system is what a user agent says of the machine.
type system struct {
	words    string // in the user agent
	platform string // navigator.platform
	hint     string // in the client hints
	version  string
	arch     string
}

var systems = []system{
	{"Android", "Linux armv81", "Android", "14.0.0", ""},
	{"iPhone", "iPhone", "iOS", "17.0.0", ""},
	{"iPad", "iPad", "iOS", "17.0.0", ""},
	{"Windows", "Win32", "Windows", "15.0.0", "x86"},
	{"Macintosh", "MacIntel", "macOS", "14.0.0", "arm"},
	{"CrOS", "Linux x86_64", "Chrome OS", "16093.0.0", "x86"},
	{"Linux", "Linux x86_64", "Linux", "", "x86"},
}

func systemOf(ua string) system {
	for _, s := range systems {
		if strings.Contains(ua, s.words) {
			return s
		}
	}
	return system{platform: "Linux x86_64", hint: "Linux", arch: "x86"}
}

// clientHints are those of a Chrome of a version. The empty brand is one that
// no site may rely on; Chrome sends one like it.
func clientHints(full, major, ua string, os system, mobile bool) emulation.UserAgentMetadata {
	brand := "Google Chrome"
	if strings.Contains(ua, "HeadlessChrome") {
		brand = "HeadlessChrome"
	} else if strings.Contains(ua, "Edg/") {
		brand = "Microsoft Edge"
	}
	list := func(version, grease string) []emulation.UserAgentBrandVersion {
		return []emulation.UserAgentBrandVersion{
			{Brand: "Chromium", Version: version}, {Brand: brand, Version: version}, {Brand: "Not?A_Brand", Version: grease},
		}
	}
	bits := "64"
	return emulation.UserAgentMetadata{
		Brands: list(major, "24"), FullVersionList: list(full, "24.0.0.0"),
		Platform: os.hint, PlatformVersion: os.version, Architecture: os.arch, Bitness: &bits,
		Mobile: mobile || strings.Contains(ua, "Mobile"),
	}
}
