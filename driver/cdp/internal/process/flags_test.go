package process

import (
	"slices"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
)

func TestFlags(t *testing.T) {
	on := machine{noSandbox: true, smallShm: true, dir: "/dir"}
	proxy := &driver.BrowserOptions{
		Proxy:     &driver.Proxy{Server: "http://proxy:1", Bypass: "a.test, b.test", Username: "ada", Password: "secret"},
		Emulation: driver.Emulation{Locale: "de-CH"},
	}
	for _, c := range []struct {
		name     string
		launch   Options
		machine  machine
		opts     *driver.BrowserOptions
		has, not []string
	}{
		{name: "default", has: []string{"--headless=new", "--remote-debugging-pipe=cbor", "--user-data-dir=", "--no-first-run"},
			not: []string{"--no-sandbox", "--enable-features", "--disable-dev-shm-usage", "--remote-debugging-port", "--disable-back-forward-cache", "--disable-ipc-flooding-protection"}},
		{name: "container", machine: on, has: []string{"--no-sandbox", "--disable-dev-shm-usage", "--user-data-dir=/dir"}},
		{name: "headed", launch: Options{Headed: true}, not: []string{"--headless"}},
		{name: "devtools", launch: Options{Headed: true, Devtools: true}, has: []string{"--auto-open-devtools-for-tabs"}},
		{name: "port", launch: Options{Port: 9222}, has: []string{"--remote-debugging-port=9222", "--remote-debugging-pipe"}, not: []string{"--remote-allow-origins"}},
		{name: "any port", launch: Options{Port: -1}, has: []string{"--remote-debugging-port=0"}},
		{name: "left out", launch: Options{IgnoreDefaultArgs: []string{"--mute-audio", "--headless"}}, not: []string{"--mute-audio", "--headless"}},
		{name: "all left out", launch: Options{IgnoreAllDefaultArgs: true, Args: []string{"--mine"}}, machine: on,
			has: []string{"--mine", "--remote-debugging-pipe", "--user-data-dir=/dir"}, not: []string{"--headless", "--no-first-run"}},
		{name: "features", launch: Options{Args: []string{"--disable-features=Mine,Other", "--x"}}, has: []string{"--x", "--disable-features=AutofillServerCommunication"}, not: []string{"--disable-features=Mine"}},
		{name: "page tools", opts: &driver.BrowserOptions{PageTools: true}, launch: Options{Args: []string{"--enable-features=Mine,Other"}}, has: []string{"--enable-features=WebMCP,Mine,Other"}, not: []string{"--enable-features=Mine"}},
		{name: "no proxy", opts: &driver.BrowserOptions{}, not: []string{"--webrtc-ip-handling-policy", "--proxy-server"}},
		{name: "shared", has: []string{"--webrtc-ip-handling-policy=disable_non_proxied_udp"}},
		{name: "proxy", opts: proxy, has: []string{"--webrtc-ip-handling-policy=disable_non_proxied_udp", "--proxy-server=http://proxy:1", "--proxy-bypass-list=<-loopback>;a.test;b.test", "--lang=de-CH"}},
		{name: "proxy, all left out", launch: Options{IgnoreAllDefaultArgs: true}, opts: proxy, has: []string{"--proxy-server=http://proxy:1", "--proxy-bypass-list=<-loopback>", "--webrtc-ip-handling-policy"}},
		{name: "proxy left out", launch: Options{IgnoreDefaultArgs: []string{"--proxy-server", "--proxy-bypass-list=<-loopback>;a.test;b.test", "--webrtc-ip-handling-policy"}}, opts: proxy,
			has: []string{"--proxy-server=http://proxy:1", "--proxy-bypass-list=<-loopback>", "--webrtc-ip-handling-policy"}},
		{name: "another way than the proxy", opts: proxy, launch: Options{Args: []string{"--no-proxy-server", "--proxy-server=direct://", "-proxy-pac-url=data:,", "--Proxy-Auto-Detect", "--proxy-bypass-list=*", " --no-proxy-server ", "--x"}},
			has: []string{"--proxy-server=http://proxy:1", "--x"}, not: []string{"--no-proxy-server", "--proxy-server=direct", "-proxy-pac-url", "--Proxy-Auto-Detect", "--proxy-bypass-list=*", " "}},
		{name: "arguments are the proxy", opts: &driver.BrowserOptions{}, launch: Options{Args: []string{"--proxy-server=http://mine:1"}}, has: []string{"--proxy-server=http://mine:1"}},
	} {
		c.launch.Browser = c.opts
		got := c.launch.flags(c.machine)
		has := func(prefix string) bool {
			return slices.ContainsFunc(got, func(f string) bool { return strings.HasPrefix(f, prefix) })
		}
		for _, f := range c.has {
			if !has(f) {
				t.Errorf("%s: %v lacks %s", c.name, got, f)
			}
		}
		for _, f := range c.not {
			if has(f) {
				t.Errorf("%s: %v has %s", c.name, got, f)
			}
		}
		if all := strings.Join(got, " "); strings.Contains(all, "secret") || strings.Count(all, "--disable-features") > 1 || c.name == "features" && !strings.Contains(all, ",Mine,Other") {
			t.Errorf("%s: %s", c.name, all)
		}
	}
}
