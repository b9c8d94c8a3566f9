package process

import (
	"log/slog"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// quietFlags keep Chrome from doing anything that nobody asked for: no first
// run, no talking to its maker, no throttling of pages that are not in front.
// The back/forward cache is left as it is.
var quietFlags = []string{
	"--no-first-run",
	// Else Chrome drops what is sent to a document that was not painted yet.
	"--allow-pre-commit-input",
	"--no-default-browser-check",
	"--no-startup-window",
	"--no-service-autorun",
	"--no-pings",
	"--disable-auto-reload", // of the page about a failure: what was asked for once would be asked for again
	"--disable-background-networking",
	"--disable-background-timer-throttling",
	"--disable-backgrounding-occluded-windows",
	"--disable-breakpad",
	"--disable-client-side-phishing-detection",
	"--disable-component-extensions-with-background-pages",
	"--disable-component-update",
	"--disable-default-apps",
	"--disable-domain-reliability",
	"--disable-extensions",
	"--disable-field-trial-config",
	"--disable-hang-monitor",
	"--disable-infobars",
	"--disable-popup-blocking",
	"--disable-prompt-on-repost",
	"--disable-quic",
	"--disable-renderer-backgrounding",
	"--disable-search-engine-choice-screen",
	"--disable-sync",
	"--force-color-profile=srgb",
	"--metrics-recording-only",
	"--mute-audio",
	"--password-store=basic",
	"--use-mock-keychain",
}

// quietFeatures are switched off by --disable-features. Prerendering would
// give pages that nobody opened, HTTPS upgrades other addresses than asked for,
// and the address bar's popups a renderer more for each window.
var quietFeatures = []string{
	"AutofillServerCommunication",
	"CertificateTransparencyComponentUpdater",
	"DestroyProfileOnBrowserClose",
	"DialMediaRouteProvider",
	"GlobalMediaControls",
	"HttpsUpgrades",
	"InterestFeedContentSuggestions",
	"MediaRouter",
	"OptimizationHints",
	"Prerender2",
	"Translate",
	"WebUIOmniboxAimPopup",
	"WebUIOmniboxPopup",
}

// proxiedFlags keep WebRTC from going past a proxy, under the name that Chrome
// has for it and the one that it had.
var proxiedFlags = []string{
	"--webrtc-ip-handling-policy=disable_non_proxied_udp",
	"--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
}

// proxyFlags send everything by way of the browser's proxy. A process that
// several browsers share cannot know which of them will have one.
func proxyFlags(b *driver.BrowserOptions) []string {
	switch {
	case b == nil:
		return proxiedFlags
	case b.Proxy == nil:
		return nil
	}
	return append(slices.Clone(proxiedFlags), "--proxy-server="+b.Proxy.Server, "--proxy-bypass-list="+ProxyBypass(b.Proxy))
}

// aboutProxies reports an argument that would take a proxy's place: Chrome
// obeys some of these before --proxy-server, wherever they stand.
func aboutProxies(arg string) bool {
	name, _, _ := strings.Cut(strings.TrimLeft(strings.TrimSpace(arg), "-"), "=")
	return slices.Contains([]string{
		"no-proxy-server", "proxy-auto-detect", "proxy-bypass-list", "proxy-pac-url", "proxy-server",
		"webrtc-ip-handling-policy", "force-webrtc-ip-handling-policy",
	}, strings.ToLower(name))
}

// ProxyBypass returns what does not go by way of the proxy. Chrome by itself
// leaves out the own machine, which is not what somebody means who names a proxy.
func ProxyBypass(p *driver.Proxy) string {
	hosts := []string{"<-loopback>"}
	for h := range strings.SplitSeq(p.Bypass, ",") {
		if h = strings.TrimSpace(h); h != "" {
			hosts = append(hosts, h)
		}
	}
	return strings.Join(hosts, ";")
}

// A machine is what a command line depends on besides the caller's wishes.
type machine struct {
	noSandbox bool // Chrome's sandbox cannot work here
	smallShm  bool // the memory that Chrome's processes share is too little
	dir       string
}

// enoughShm is how much shared memory large pages need. Containers have 64 MB
// by default, and a renderer that runs out of it crashes.
const enoughShm = 512 << 20

// inspect looks at the machine.
func inspect(sandbox *bool, log *slog.Logger) machine {
	m := machine{smallShm: shmSize() < enoughShm}
	if sandbox != nil {
		m.noSandbox = !*sandbox
		return m
	}
	if why := noSandbox(); why != "" {
		m.noSandbox = true
		log.Warn("cdp: Chrome runs without its sandbox", "why", why)
	}
	return m
}
